"""Makes an HTML, a DOCX and a PDF file of every Markdown file of a folder, with pandoc and Chromium."""

import pathlib
import subprocess
import sys

import pypandoc

CHROMIUM = "chromium-headless-shell"


def main(folder: pathlib.Path) -> None:
    pandoc = pypandoc.get_pandoc_path()
    for source in sorted(folder.glob("*.md")):
        page, word, printed = (source.with_suffix(ending) for ending in (".html", ".docx", ".pdf"))
        title = ["--metadata", f"title={source.stem}"]
        # Figures in brackets are the author's own, and quotation marks stay as they are.
        form = ["--from", "markdown-smart", *title]
        subprocess.run([pandoc, source, *form, "--standalone", "--to", "html5", "--output", page], check=True)
        subprocess.run([pandoc, source, *form, "--to", "docx", "--output", word], check=True)
        subprocess.run(
            [CHROMIUM, "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", f"--print-to-pdf={printed}", page.as_uri()],
            check=True,
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )


main(pathlib.Path(sys.argv[1]).resolve())
