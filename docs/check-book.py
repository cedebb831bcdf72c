#!/usr/bin/env python3
"""Links of the built book that lead nowhere: `docs/check-book.py target/book`. Files and places within them."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, path: Path):
        super().__init__()
        self.places, self.links = set(), []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.places.update(filter(None, (attributes.get("id"), attributes.get("name"))))
        self.links += filter(None, (attributes.get("href"), attributes.get("src")))


def main(root: Path) -> None:
    # print.html is all pages in one; 404.html is shown at any address.
    pages = {path: Page(path) for path in root.rglob("*.html") if path.name not in ("print.html", "404.html")}
    dead, count = [], 0
    for path, page in sorted(pages.items()):
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            place = unquote(parts.fragment)
            inside = target.is_relative_to(root) and target.is_file()
            if not inside or (place and target in pages and place not in pages[target].places):
                dead.append(f"{path.relative_to(root)}: {link}")
    if dead or not count:
        sys.exit("\n".join(dead) or f"{root} holds no book")
    print(f"{len(pages)} pages, {count} links, all lead somewhere")


main(Path(sys.argv[1] if len(sys.argv) > 1 else "target/book").resolve())
