#!/usr/bin/env python3
"""Takes pages beside the book into it: a file outside `docs/book` that the book links to becomes a chapter. On the
forge the same links lead to the files themselves, so nothing is written twice.

A preprocessor of mdBook, named in `book.toml`: reads context and book from stdin, writes the book to stdout.
"""

import json
import os
import re
import sys
from pathlib import Path

LINK = re.compile(r"(?<!!)\[((?:[^\]\[`]|`[^`]*`)*)\]\(([^)\s]+)\)|`[^`]*`")
INCLUDE = re.compile(r"^\{\{#include ([^:}]+)(?::(\d+):)?\}\}$")
BESIDE = Path("beside")


def main() -> None:
    context, book = json.load(sys.stdin)
    docs = Path(context["root"]).resolve()
    items = book.get("items", book.get("sections"))
    pages = Pages(docs.parent, docs / "book", [chapter for chapter in chapters(items) if chapter["path"]])
    if added := pages.added():
        items.append({"PartTitle": "Beside the book"})
        items.extend({"Chapter": chapter} for chapter in added)
    json.dump(book, sys.stdout)


def chapters(items: list):
    for item in items:
        if isinstance(item, dict) and "Chapter" in item:
            yield item["Chapter"]
            yield from chapters(item["Chapter"]["sub_items"])


class Pages:
    def __init__(self, repository: Path, book: Path, chapters: list):
        self.repository, self.book = repository, book
        # Chapters by the file they show: their own, the one they include, or a file beside the book.
        self.shown, self.beside = {}, {}
        for chapter in chapters:
            file = book / chapter["path"]
            self.shown[file] = chapter
            for line in chapter["content"].splitlines():
                if match := INCLUDE.match(line):
                    self.shown[Path(os.path.normpath(file.parent / match[1]))] = chapter
        for chapter in chapters:
            chapter["content"] = self.relinked(chapter["content"], book / chapter["path"], chapter)

    def added(self) -> list:
        """Pages of a folder go below its overview, wherever that is; the others stand side by side."""
        alone = []
        for file, chapter in sorted(self.beside.items()):
            overviews = (self.shown.get(file.parent / name) for name in ("README.md", "index.md"))
            overview = next((each for each in overviews if each), chapter)
            if overview is chapter:
                alone.append(chapter)
            else:
                chapter["parent_names"] = [*overview["parent_names"], overview["name"]]
                overview["sub_items"].append({"Chapter": chapter})
        return alone

    def chapter(self, file: Path) -> dict:
        if file not in self.shown:
            text = file.read_text()
            text = text if file.suffix == ".md" else f"# {file.name}\n\n```json\n{text}\n```\n"
            title = re.search(r"^# (.+)$", text, re.MULTILINE)
            place = BESIDE / file.relative_to(self.repository)
            self.shown[file] = self.beside[file] = chapter = {
                "name": title[1].replace("`", "") if title else file.stem, "number": None, "sub_items": [],
                "path": str(place if file.suffix == ".md" else place.with_name(file.name + ".md")),
                "source_path": None, "parent_names": [],
            }
            chapter["content"] = self.relinked(text, file, chapter)
        return self.shown[file]

    def relinked(self, text: str, file: Path, chapter: dict) -> str:
        """The text of a file as a chapter has it: what it includes is in it, and its links stay in the book."""
        def link(match: re.Match) -> str:
            if match[2] is None or re.match(r"#|[a-z]+:", match[2]):
                return match[0]
            target, hash_, part = match[2].partition("#")
            to = Path(os.path.normpath(file.parent / target))
            readable = to.suffix in (".md", ".json") and to.is_file() and to != self.repository / "README.md"
            # What is no page, and a page's link to the file that it shows, become plain text.
            if not readable or (other := self.chapter(to)) is chapter:
                return match[1]
            place = os.path.relpath(other["path"], Path(chapter["path"]).parent)
            return f"[{match[1]}]({place}{hash_}{part})"

        lines, in_code = text.split("\n"), False
        for number, line in enumerate(lines):
            in_code ^= line.lstrip().startswith("```")
            if not in_code and (match := INCLUDE.match(line)):
                included = Path(os.path.normpath(file.parent / match[1]))
                inside = "\n".join(included.read_text().split("\n")[int(match[2] or 1) - 1:])
                lines[number] = self.relinked(inside, included, chapter)
            elif not in_code:
                lines[number] = LINK.sub(link, line)
        return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1:2] == ["supports"]:
        sys.exit(sys.argv[2:3] != ["html"])
    main()
