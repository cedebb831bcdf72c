"""Two kinds of npm packages: the launcher that people name, and one per platform that holds the program."""

import json
from pathlib import Path

from . import archives, facts
from .archives import Entry
from .facts import REPOSITORY, Facts, Platform

LICENCES = ("LICENSE-APACHE", "LICENSE-MIT")


def platform_name(known: Facts, platform: Platform) -> str:
    return f"{known.npm}-{platform.npm_os}-{platform.npm_cpu}"


def file_name(name: str, version: str) -> str:
    """As `npm pack` names it; a scope's sign and slash do not fit into a file name."""
    return f"{name.removeprefix('@').replace('/', '-')}-{version}.tgz"


def platform_package(known: Facts, platform: Platform, binary: Path, third_party: str, folder: Path) -> Path:
    words = known.words() | {
        "PLATFORM_NAME": platform_name(known, platform),
        "OS": platform.npm_os,
        "CPU": platform.npm_cpu,
    }
    manifest = facts.template_json("npm/platform/package.json", words)
    entries = [
        _manifest(manifest),
        Entry("package/bin/probity", binary.read_bytes(), program=True),
        Entry("package/README.md", facts.template("npm/platform/README.md", words).encode()),
        Entry("package/THIRD-PARTY.md", third_party.encode()),
        *_licences(),
    ]
    path = folder / file_name(manifest["name"], known.version)
    return archives.write(path, archives.tar_gz_bytes(entries))


def launcher_package(known: Facts, platforms: list[Platform], folder: Path) -> Path:
    words = known.words()
    manifest = facts.template_json("npm/launcher/package.json", words)
    # Exactly this version: a launcher with another release's program would be neither.
    manifest["optionalDependencies"] = {platform_name(known, each): known.version for each in platforms}
    script = (REPOSITORY / "packaging/npm/launcher/bin/probity.js").read_bytes()
    entries = [
        _manifest(manifest),
        Entry("package/bin/probity.js", script, program=True),
        Entry("package/README.md", facts.template("npm/launcher/README.md", words).encode()),
        *_licences(),
    ]
    path = folder / file_name(manifest["name"], known.version)
    return archives.write(path, archives.tar_gz_bytes(entries))


def _manifest(manifest: dict) -> Entry:
    return Entry("package/package.json", (json.dumps(manifest, indent=2) + "\n").encode())


def _licences() -> list[Entry]:
    return [Entry(f"package/{name}", (REPOSITORY / name).read_bytes()) for name in LICENCES]
