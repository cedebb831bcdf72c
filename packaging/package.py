"""Every package of a release from built binaries: `package.py TRIPLE=BINARY …`, written to `target/packages`.

Builds nothing and publishes nothing. What it writes depends on the repository and the binaries alone.
"""

import argparse
import shutil
import subprocess
from pathlib import Path

from recipe import archives, bundle, facts, formula, npm, parts, wheel
from recipe.archives import Entry
from recipe.facts import PLATFORMS, REPOSITORY, Facts, Platform

OUT = REPOSITORY / "target/packages"
SHELLS = {"bash": "probity.bash", "zsh": "_probity", "fish": "probity.fish"}


def main() -> None:
    arguments = read_arguments()
    known = facts.read(arguments.downloads)
    builds = dict(read_build(each) for each in arguments.builds)
    out = arguments.out
    shutil.rmtree(out, ignore_errors=True)
    extras = said_extras(known, builds)
    released, bundles = {}, []
    for platform, binary in builds.items():
        inside = parts.Parts(platform.triple)
        licences = parts.third_party(inside)
        name = f"probity-{known.version}-{platform.triple}"
        released[platform] = archive(name, binary, licences, extras, out)
        archives.write(out / f"{name}.cdx.json", parts.cyclonedx(known, inside).encode())
        npm.platform_package(known, platform, binary, licences, out / "npm")
        wheel.wheel(known, platform, binary, licences, out / "pypi")
        bundles.append(bundle.bundle(known, platform, binary, licences, bundle.tools(), out))
        context = out / "container" / platform.container
        archives.write(context / "probity", binary.read_bytes()).chmod(0o755)
        archives.write(out / "THIRD-PARTY.md", licences.encode())
    npm.launcher_package(known, list(builds), out / "npm")
    formula.formula(known, released, out)
    formula.registry_entry(known, bundles, out)
    installer = facts.template("install.sh", known.words()).encode()
    archives.write(out / "install.sh", installer).chmod(0o755)
    sums(out)
    if arguments.sign:
        sign(out, known, arguments.sign)
    tell(out, known)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("builds", nargs="+", metavar="TRIPLE=BINARY")
    parser.add_argument("--downloads", help="where the files of this release will lie, instead of release.toml's word")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--sign", type=Path, metavar="KEY", help="the minisign secret key to sign the sums with")
    return parser.parse_args()


def read_build(word: str) -> tuple[Platform, Path]:
    triple, _, binary = word.partition("=")
    if triple not in PLATFORMS or not Path(binary).is_file():
        raise SystemExit(f"`{word}`: want TRIPLE=BINARY with one of {', '.join(PLATFORMS)}")
    return PLATFORMS[triple], Path(binary)


def said_extras(known: Facts, builds: dict[Platform, Path]) -> list[Entry]:
    """Manual pages and completions, as the program itself writes them; it must also be the version it is sold as."""
    here = [binary for platform, binary in builds.items() if facts.runs_here(platform)]
    if not here:
        raise SystemExit("none of the binaries runs on this machine, so nobody can be asked for manual and completions")
    if known.version not in facts.said_by(here[0], "--version").split():
        raise SystemExit(f"the binary is not version {known.version}: build it again")
    extras = [Entry("man/probity.1", facts.said_by(here[0], "man").encode())]
    for shell, name in SHELLS.items():
        extras.append(Entry(f"completions/{name}", facts.said_by(here[0], "completions", shell).encode()))
    return extras


def archive(name: str, binary: Path, licences: str, extras: list[Entry], out: Path) -> Path:
    documents = ("README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE-APACHE", "LICENSE-MIT")
    entries = [
        Entry(f"{name}/probity", binary.read_bytes(), program=True),
        *(Entry(f"{name}/{each.name}", each.content) for each in extras),
        *(Entry(f"{name}/{each}", (REPOSITORY / each).read_bytes()) for each in documents),
        Entry(f"{name}/THIRD-PARTY.md", licences.encode()),
    ]
    return archives.write(out / f"{name}.tar.gz", archives.tar_gz_bytes(entries))


def released_files(out: Path) -> list[Path]:
    skipped = out / "container"
    return sorted(path for path in out.rglob("*") if path.is_file() and skipped not in path.parents)


def sums(out: Path) -> None:
    """As `sha256sum --check` reads it, with the names that the files have where they are downloaded."""
    lines = [f"{archives.sha256(path)}  {path.name}\n" for path in released_files(out)]
    archives.write(out / "SHA256SUMS", "".join(lines).encode())


def sign(out: Path, known: Facts, secret_key: Path) -> None:
    """With minisign; the comment that is signed with the sums names the version, so that none passes for another."""
    command = ["minisign", "-S", "-s", secret_key, "-m", out / "SHA256SUMS", "-t", f"probity {known.version}"]
    subprocess.run(command, check=True)


def tell(out: Path, known: Facts) -> None:
    for path in released_files(out):
        print(f"{path.stat().st_size:>12,}  {path.relative_to(out)}")
    if ".example" in known.downloads:
        print("not to be published: packaging/release.toml still has the reserved address", known.downloads)


if __name__ == "__main__":
    main()
