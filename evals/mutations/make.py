#!/usr/bin/env python3
"""Makes the published corpus of mutated claims: pages.jsonl and cases.jsonl.

    make.py FOLDER     FOLDER/npm and FOLDER/deb hold the unpacked packages that README.md lists

Seeded: the same packages give the same corpus. A page is a whole section of a document; a claim is a sentence of it,
faithful (`control`, the document's own words or a rewording) or with one thing changed.
"""
import json, os, random, re, sys

import changes, documents, paraphrase

SEED = 20261115
# Cases of one kind in one language. Rewordings are more; units, because few languages' manuals have any.
PER_KIND = 48
REWORDED = 130
UNITS = 130
# Bytes of pages taken from one manual, so that everything stays below three megabytes.
PAGES_BYTES = {"en": 90_000, "ja": 230_000, "zh": 130_000}
PAGES_BYTES_ELSE = 150_000
# Sentences of a section that are asked about.
SENTENCES = 8
HERE = os.path.dirname(os.path.abspath(__file__))
APACHE = "apache2-doc-2.4.71-1~deb12u1"
MANUAL = APACHE + "/usr/share/doc/apache2-doc/manual/"
MANUALS = [("en", "deb/sqlite3-doc-3.40.1-2+deb12u2/usr/share/doc/sqlite3"), ("en", "deb/postgresql-doc-15-15.20-0+deb12u1/usr/share/doc/postgresql-doc-15/html"),
           ("en", "deb/" + MANUAL + "en"), ("de", "deb/" + MANUAL + "de"), ("fr", "deb/" + MANUAL + "fr"), ("es", "deb/" + MANUAL + "es"), ("ja", "deb/" + MANUAL + "ja"), ("zh", "deb/" + MANUAL + "zh-cn"),
           ("de", "npm/iobroker.zigbee-3.5.5/package/docs/de"), ("de", "npm/iobroker.backitup-4.0.4/package/docs/de"), ("de", "npm/iobroker.fritzdect-2.6.2/package/docs/de"),
           ("ja", "npm/textlint-rule-preset-ja-technical-writing-12.0.2/package"), ("ja", "npm/textlint-rule-no-doubled-joshi-5.1.1/package")]
CHANGELOGS = [("en", "CHANGELOG.en-US.md"), ("es", "CHANGELOG.es.md"), ("zh", "CHANGELOG.zh-CN.md"), ("fr", "CHANGELOG.fr-FR.md")]
FRENCH = re.compile(r"\b(Correction|Ajout|Ajoute|de la|du|des|les|avec|pour|dans|une?)\b")
RELEASED = {"en": "Version {v} was released on {d}.", "es": "La versión {v} se publicó el {d}.",
            "fr": "La version {v} a été publiée le {d}.", "zh": "版本 {v} 发布于 {d}。"}
BY = {"en": "{a} contributed this change to {v}: {t}", "es": "{a} aportó este cambio a {v}: {t}",
      "fr": "{a} a apporté ce changement à {v} : {t}", "zh": "{a} 在 {v} 中提交了这项更改：{t}"}


def sections(language, text):
    """Releases of the changelog: version, date, entries, the whole section."""
    for part in re.split(r"(?m)^### ", text)[1:]:
        version = part.split("\n", 1)[0].strip()
        date = re.search(r"\*(\d{4}-\d{2}-\d{2})\*", part)
        entries = [re.sub(r"\s+", " ", entry).strip() for entry in re.findall(r"(?m)^\s*- (.{30,})$", part)]
        if date and len(entries) >= 5:
            yield version, date.group(1), entries, "### " + part.strip()


def prose(text):
    """Sections of a readme with sentences of prose."""
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    for part in re.split(r"(?m)^#+ ", text)[1:]:
        part = re.sub(r"!\[[^\]]*\]\([^)]*\)|<[^>]+>", "", part)
        part = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", part)
        lines = [line.strip() for line in part.split("\n")]
        kept = [line for line in lines if len(line) > 40 and not line.startswith("|")]
        sentences = [sentence.strip(" *-") for line in kept for sentence in re.split(r"(?<=[.。])\s*(?=[A-Z¿\u4e00-\u9fff])", line)]
        sentences = [sentence for sentence in sentences if 40 <= len(sentence) <= 260 or (re.search("[\u4e00-\u9fff]", sentence) and len(sentence) > 18)]
        body = "\n".join(line for line in lines if line)
        if sentences and 200 < len(body) < 12000:
            yield sentences, body


def other_number(choose, text):
    digits = list(text)
    place = choose.randrange(len(digits))
    digits[place] = choose.choice([d for d in "123456789" if d != digits[place]])
    return "".join(digits)


def manual_pages(choose, folder, page):
    """Sections of the manuals, the ones with most to count first."""
    for language, path in MANUALS:
        package = path.split("/")[1]
        ends, wanted = (".html" if path.startswith("deb/") else ".md"), lambda text: True
        if package == APACHE:
            # A page without a translation is there in English.
            code = "zh-cn" if language == "zh" else language
            wanted = lambda text, code=code: re.search(rf'<html [^>]*lang="{code}', text[:400])
        found = []
        for name, body, told in documents.manual(language, os.path.join(folder, path), ends, wanted):
            worth = sum(5 for one in told if changes.unit(choose, language, one)) + sum(4 for one in told if changes.date(choose, language, one))
            worth += sum(2 for one in told if changes.number(choose, language, one)) + sum(1 for one in told if changes.NAME.search(one) or changes.hedge(choose, language, one) or changes.scope(choose, language, one))
            found.append((-(worth + 1) / (600 + len(body.encode())), name, body, told))
        found.sort()
        bytes_left = PAGES_BYTES.get(language, PAGES_BYTES_ELSE)
        for _, name, body, told in found:
            if len(body.encode()) <= bytes_left:
                bytes_left -= len(body.encode())
                yield language, page(language, f"{package}/{name}", body), told


def main(folder):
    choose = random.Random(SEED)
    pages, cases = [], []

    def page(language, source, text):
        pages.append({"id": len(pages), "language": language, "source": source, "text": text})
        return len(pages) - 1

    def case(kind, place, claim, original, quotation=False, how=""):
        same = claim == original
        if claim and (not same or kind in ("control", "swapped source", "invented quotation")):
            made = {"kind": kind, "language": pages[place]["language"], "page": place, "claim": claim, "quotation": quotation}
            cases.append({**made, **({} if same else {"original": original}), **({"how": how} if how else {})})

    npm = os.path.join(folder, "npm")
    statements, told = [], []
    for language, name in CHANGELOGS:
        package = "element-ui-2.15.14"
        text = open(os.path.join(npm, package, "package", name), encoding="utf-8").read()
        for version, date, entries, body in sections(language, text):
            if language == "fr":
                entries = [entry for entry in entries if FRENCH.search(entry)]
                if len(entries) < 3:
                    continue
            statements.append((language, page(language, f"{package}/{name} {version}", body), version, date, entries))
    readmes = [("en", package, "README.md") for package in sorted(os.listdir(npm))] + [("zh", "egg-4.0.10", "README.zh-CN.md"), ("es", "dotenv-17.4.2", "README-es.md")]
    for language, package, name in readmes:
        path = os.path.join(npm, package, "package", name)
        manifest = os.path.join(npm, package, "package", "package.json")
        if not os.path.exists(path) or json.load(open(manifest)).get("license") not in ("MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC"):
            continue
        for sentences, body in prose(open(path, encoding="utf-8", errors="replace").read()):
            if language != "en" or (documents.in_language("en", body) and not re.search(f"[{documents.DENSE}]", body)):
                told.append((language, page(language, f"{package}/{name}", body), sentences))
    told += manual_pages(choose, folder, page)

    names = sorted({name for _, _, _, _, entries in statements for entry in entries for name in re.findall(r"@([A-Za-z][\w-]{3,})", entry)})
    for language, place, version, date, entries in statements:
        claim = RELEASED[language].format(v=version, d=date)
        case("control", place, claim, claim, how="release")
        case("date", place, changes.date(choose, language, claim), claim)
        case("control", place, paraphrase.dates(choose, language, claim), claim, how="date written otherwise")
        for entry in choose.sample(entries, min(3, len(entries))):
            issue, author = re.search(r"#(\d{3,})", entry), re.search(r"@([A-Za-z][\w-]{3,})", entry)
            plain = re.sub(r"\s*[(,（][^()（）]*(?:#\d+|@\w)[^()（）]*[)）]?", "", entry).strip(" .。，,")
            if len(plain) < 12:
                continue
            if author:
                case("control", place, BY[language].format(a=author.group(1), v=version, t=plain), entry, how="author in front")
                stranger = choose.choice([name for name in names if name.lower() not in pages[place]["text"].lower()])
                case("name", place, entry.replace(author.group(1), stranger), entry)
                case("name", place, entry.replace(author.group(1), stranger), entry, True)
            if issue:
                other = issue.group(1)[:-1] + choose.choice([digit for digit in "123456789" if digit != issue.group(1)[-1]])
                case("number", place, entry.replace(issue.group(1), other), entry)
                case("number", place, entry.replace(issue.group(1), other), entry, True)
                case("invented address", place, entry + f" https://github.com/ElemeFE/element/pull/{other}", entry)
            told.append((language, place, [plain]))
    for language, place, sentences in told:
        for sentence in choose.sample(sentences, min(SENTENCES, len(sentences))):
            ask(choose, case, language, place, pages[place]["text"], sentence)

    by_language = {}
    for one in pages:
        by_language.setdefault(one["language"], []).append(one)
    for language, place, sentences in choose.sample(told, len(told)):
        sentence = choose.choice(sentences)
        other = choose.choice(by_language[language])
        if sentence not in other["text"]:
            case("swapped source", other["id"], sentence, sentence)
            case("invented quotation", other["id"], sentence, sentence, True)
    write(pages, chosen(choose, pages, cases))


def ask(choose, case, language, place, page, sentence):
    """Everything that can be made of one sentence."""
    case("control", place, sentence, sentence, how="verbatim")
    for how, reworded in paraphrase.all_of(choose, language, sentence):
        case("control", place, reworded, sentence, how=how)
    for kind in ("number", "date", "unit", "polarity", "scope", "hedge", "attribution"):
        changed = getattr(changes, kind)(choose, language, sentence)
        case(kind, place, changed, sentence)
        if kind in ("number", "date", "unit", "polarity"):
            case(kind, place, changed, sentence, True)
    changed = changes.name(choose, language, sentence, page)
    case("name", place, changed, sentence)
    case("name", place, changed, sentence, True)
    if choose.random() < 0.2:
        made_up = f"{sentence.rstrip('.。')} (https://docs.example.org/{choose.randrange(1000, 9999)}/manual.html)."
        case("invented address", place, made_up, sentence)


def chosen(choose, pages, cases):
    """So many of each kind and language, from every package in turn."""
    piles = {}
    choose.shuffle(cases)
    for made in cases:
        group = "verbatim" if made.get("how") in ("verbatim", "release") else made.get("how", "")
        key = (made["kind"], made["language"], made["quotation"], made["kind"] == "control" and group == "verbatim")
        turn = pages[made["page"]]["source"].split("/")[0] + (group if made["kind"] == "control" else "")
        piles.setdefault(key, {}).setdefault(turn, []).append(made)
    kept = []
    for key, turns in sorted(piles.items(), key=str):
        room = REWORDED if key[0] == "control" and not key[3] else UNITS if key[0] == "unit" and not key[2] else PER_KIND
        while room > 0 and any(turns.values()):
            for turn in sorted(turns):
                if turns[turn] and room > 0:
                    kept.append(turns[turn].pop())
                    room -= 1
    return kept


def write(pages, kept):
    used = sorted({made["page"] for made in kept})
    fresh = {old: new for new, old in enumerate(used)}
    with open(os.path.join(HERE, "pages.jsonl"), "w", encoding="utf-8") as out:
        for old in used:
            out.write(json.dumps({**pages[old], "id": fresh[old]}, ensure_ascii=False) + "\n")
    with open(os.path.join(HERE, "cases.jsonl"), "w", encoding="utf-8") as out:
        for made in kept:
            out.write(json.dumps({**made, "page": fresh[made["page"]]}, ensure_ascii=False) + "\n")
    count = {}
    for made in kept:
        key = (made["kind"] + (" quoted" if made["quotation"] else ""), made["language"])
        count[key] = count.get(key, 0) + 1
    print(len(used), "pages", len(kept), "cases", count)


if __name__ == "__main__":
    main(sys.argv[1])
