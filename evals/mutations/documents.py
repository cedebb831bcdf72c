"""Reads manuals into sections: blocks of running text and the sentences in them. Code and menus are left out."""
import html.parser
import os
import re

# Longer sections are cut away: a page of the corpus is a section, not a book.
SECTION_BYTES = (500, 6500)
# Sections taken from one file, so that no single page speaks for its package.
SECTIONS_PER_FILE = 4
DENSE = "\u3040-\u30ff\u4e00-\u9fff"
BLOCKS = {"p", "li", "dd", "dt", "td", "th", "tr", "h1", "h2", "h3", "h4", "h5", "div", "table", "ul", "ol", "dl", "br", "blockquote"}
SKIPPED = {"script", "style", "pre", "svg", "title", "head"}


class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.sections, self.lines, self.line, self.skip = [], [], [], 0

    def end_line(self):
        text = re.sub(r"\s+", " ", "".join(self.line)).strip()
        text = re.sub(f"(?<=[{DENSE}、。]) (?=[{DENSE}、。])", "", text)
        if text:
            self.lines.append(text)
        self.line = []

    def handle_starttag(self, tag, attributes):
        if tag in SKIPPED:
            self.skip += 1
        if tag in BLOCKS:
            self.end_line()
        if tag in ("h1", "h2", "h3"):
            self.sections.append(self.lines)
            self.lines = []

    def handle_endtag(self, tag):
        if tag in SKIPPED:
            self.skip = max(0, self.skip - 1)
        if tag in BLOCKS:
            self.end_line()

    def handle_data(self, data):
        if not self.skip:
            self.line.append(data)

    def close(self):
        super().close()
        self.end_line()
        self.sections.append(self.lines)


def html_sections(text):
    reader = Reader()
    reader.feed(text)
    reader.close()
    return ["\n".join(lines) for lines in reader.sections]


def markdown_sections(text):
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    for part in re.split(r"(?m)^#+ ", text)[1:]:
        part = re.sub(r"!\[[^\]]*\]\([^)]*\)|<[^>]+>", "", part)
        part = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", part).replace("**", "").replace("`", "")
        yield "\n".join(line.strip() for line in part.split("\n") if line.strip())


def sentences(language, body):
    """Whole sentences of prose."""
    found = []
    for line in body.split("\n"):
        line = line.strip(" *-|")
        if language in ("ja", "zh"):
            parts = [part + "。" for part in line.split("。")[:-1]]
            found += [part.strip() for part in parts if 16 <= len(part.strip()) <= 120]
        else:
            parts = re.split(r"(?<=[.!?])\s+(?=[A-ZÄÖÜÉÀÊÇ¿¡«„\"])", line)
            found += [part.strip() for part in parts if 40 <= len(part.strip()) <= 240 and part.strip().endswith(".") and " " in part]
    return [one for one in found if not re.search(r"[{}<>|=;\\$#]|\.\.\.|\(\)|https?:|Copyright", one)]


def in_language(language, text):
    """Translations leave sections in English: those are not of this language."""
    if language in ("ja", "zh"):
        return len(re.findall(f"[{DENSE}]", text)) > 0.3 * len(text) and (language == "zh" or re.search("[\u3040-\u309f]", text))
    marks = {"en": "the of to is", "de": "der die und ist werden", "fr": "les des est une dans", "es": "los del una para que"}[language].split()
    words = re.findall(r"\w+", text.lower())
    return sum(words.count(mark) for mark in marks) > 0.06 * len(words)


def files(folder, ends, wanted=lambda text: True):
    for root, folders, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if name.endswith(ends):
                path = os.path.join(root, name)
                text = open(path, encoding="utf-8", errors="replace").read()
                if wanted(text):
                    yield os.path.relpath(path, folder), text


def manual(language, folder, ends=".html", wanted=lambda text: True):
    """Sections of one manual that are worth asking about: file, text, sentences."""
    for name, text in files(folder, ends, wanted):
        cut = html_sections(text) if name.endswith(".html") else markdown_sections(text)
        kept = []
        for body in cut:
            if SECTION_BYTES[0] <= len(body.encode()) <= SECTION_BYTES[1] and in_language(language, body):
                told = sentences(language, body)
                if len(told) >= 2:
                    kept.append((len(re.findall(r"(?<![\w.])\d", body)), body, told))
        kept.sort(key=lambda one: -one[0])
        for _, body, told in kept[:SECTIONS_PER_FILE]:
            yield name, body, told
