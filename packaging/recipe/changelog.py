"""CHANGELOG.md from the notes: one file per change below `release-notes/unreleased` or `release-notes/VERSION`."""

import re
import sys
from pathlib import Path

from . import facts
from .facts import REPOSITORY

HEAD = "# Changelog\n\nMade from `release-notes` by `just changelog`; a change adds a file there, not a line here.\n"
NOTES = REPOSITORY / "release-notes"
CHANGELOG = REPOSITORY / "CHANGELOG.md"


def text() -> str:
    sections = [("unreleased", f"{facts.read().version}, not released yet")]
    released = [each.name for each in NOTES.iterdir() if re.fullmatch(r"\d+\.\d+\.\d+", each.name)]
    newest_first = sorted(released, key=lambda name: [int(part) for part in name.split(".")], reverse=True)
    sections += [(name, name) for name in newest_first]
    return HEAD + "".join(_section(NOTES / folder, title) for folder, title in sections)


def _section(folder: Path, title: str) -> str:
    notes = sorted(folder.glob("*.md"))
    return f"\n## {title}\n" + "".join(_note(path) for path in notes) if notes else ""


def _note(path: Path) -> str:
    """`# Title` becomes a heading below the release's; a note without one is refused."""
    first, _, body = path.read_text().strip().partition("\n")
    if not first.startswith("# "):
        raise SystemExit(f"{path.relative_to(REPOSITORY)} does not begin with `# Title`")
    return f"\n### {first.removeprefix('# ')}\n\n{body.strip()}\n"


def main(arguments: list[str]) -> None:
    made = text()
    if "--check" in arguments:
        if CHANGELOG.read_text() != made:
            raise SystemExit("CHANGELOG.md is not what the notes say: run `just changelog`")
        return
    CHANGELOG.write_text(made)


if __name__ == "__main__":
    main(sys.argv[1:])
