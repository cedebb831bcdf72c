"""trafilatura over a folder of pages, and other people's corpora in the form that the figure reads.

texts FOLDER            the text of each page and the processor time it took, as JSON on stdout
prepare CORPUS FOLDER   pages and ground truth of an article extraction benchmark, unpacked into FOLDER
"""

import gzip
import json
import pathlib
import sys
import time


def texts(folder):
    import trafilatura

    pages = {path.name: path.read_bytes().decode("utf-8", "replace") for path in sorted(pathlib.Path(folder).glob("*.html"))}
    found = {}
    began = time.process_time()
    for name, page in pages.items():
        found[name] = trafilatura.extract(page, include_comments=False) or ""
    seconds = time.process_time() - began
    json.dump({"seconds": seconds, "texts": found}, sys.stdout)


def prepare(corpus, folder):
    corpus, folder = pathlib.Path(corpus), pathlib.Path(folder)
    truth = json.loads((corpus / "ground-truth.json").read_text("utf-8"))
    kept = {}
    for name, page in truth.items():
        packed = corpus / "html" / f"{name}.html.gz"
        if packed.is_file():
            (folder / f"{name}.html").write_bytes(gzip.decompress(packed.read_bytes()))
            kept[f"{name}.html"] = page["articleBody"]
    json.dump(kept, sys.stdout)


if __name__ == "__main__":
    {"texts": texts, "prepare": prepare}[sys.argv[1]](*sys.argv[2:])
