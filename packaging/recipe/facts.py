"""What every package is made from: version, names, addresses, platforms. Reads; never writes."""

import json
import os
import re
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]

SUMMARY = "Deep research whose every sentence can be checked"


@dataclass(frozen=True)
class Platform:
    """One build, and what each package manager calls the machines it runs on."""

    triple: str
    npm_os: str
    npm_cpu: str
    wheel: str
    homebrew: tuple[str, str]
    container: str


# The binaries are static: one runs with glibc, with musl and with neither, so npm's `libc` is not narrowed.
PLATFORMS = {
    platform.triple: platform
    for platform in (
        Platform(
            "x86_64-unknown-linux-musl",
            "linux",
            "x64",
            "manylinux_2_17_x86_64.musllinux_1_1_x86_64",
            ("on_linux", "on_intel"),
            "amd64",
        ),
        Platform(
            "aarch64-unknown-linux-musl",
            "linux",
            "arm64",
            "manylinux_2_17_aarch64.musllinux_1_1_aarch64",
            ("on_linux", "on_arm"),
            "arm64",
        ),
    )
}


@dataclass(frozen=True)
class Facts:
    version: str
    licence: str
    npm: str
    pypi: str
    registry: str
    homepage: str
    downloads: str
    # The same with `{version}` in it.
    downloads_pattern: str
    # The minisign public key that releases are signed with; empty until somebody publishes one.
    release_key: str

    def words(self) -> dict[str, str]:
        """What `@WORD@` in a template stands for."""
        return {
            "VERSION": self.version,
            "LICENCE": self.licence,
            "SUMMARY": SUMMARY,
            "NPM": self.npm,
            "PYPI": self.pypi,
            "REGISTRY": self.registry,
            "HOMEPAGE": self.homepage,
            "DOWNLOADS": self.downloads,
            "DOWNLOADS_PATTERN": self.downloads_pattern,
            "RELEASE_KEY": self.release_key,
        }


def read(downloads: str | None = None) -> Facts:
    package = tomllib.loads((REPOSITORY / "Cargo.toml").read_text())["workspace"]["package"]
    release = tomllib.loads((REPOSITORY / "packaging/release.toml").read_text())
    names, addresses = release["names"], release["addresses"]
    version = package["version"]
    return Facts(
        version=version,
        licence=package["license"],
        npm=names["npm"],
        pypi=names["pypi"],
        registry=names["registry"],
        homepage=addresses["homepage"],
        downloads=(downloads or addresses["downloads"]).replace("{version}", version),
        downloads_pattern=downloads or addresses["downloads"],
        release_key=release["signature"]["public_key"],
    )


def template(name: str, words: dict[str, str]) -> str:
    """A file below `packaging` with its `@WORD@`s replaced; one that nothing stands for is an error."""
    text = (REPOSITORY / "packaging" / name).read_text()
    filled = re.sub(r"@([A-Z_]+)@", lambda found: words[found[1]], text)
    return filled


def template_json(name: str, words: dict[str, str]) -> dict:
    """The same for JSON: words are put into the parsed strings, so that none can break out of its quotes."""

    def fill(value):
        if isinstance(value, str):
            return re.sub(r"@([A-Z_]+)@", lambda found: words[found[1]], value)
        if isinstance(value, list):
            return [fill(item) for item in value]
        if isinstance(value, dict):
            return {fill(key): fill(item) for key, item in value.items()}
        return value

    return fill(json.loads((REPOSITORY / "packaging" / name).read_text()))


def said_by(binary: Path, *arguments: str) -> str:
    """What the packaged program itself says, with nobody's settings."""
    environment = {"PATH": os.defpath, "HOME": "/nonexistent", "NO_COLOR": "1"}
    done = subprocess.run([binary, *arguments], capture_output=True, text=True, timeout=60, env=environment)
    if done.returncode != 0:
        raise SystemExit(f"`probity {' '.join(arguments)}` failed: {done.stderr.strip()}")
    return done.stdout


def runs_here(platform: Platform) -> bool:
    machine = os.uname()
    return platform.npm_os == machine.sysname.lower() and platform.triple.startswith(machine.machine)
