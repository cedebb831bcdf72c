#!/usr/bin/env python3
"""Makes the published corpus of mutated claims: pages.jsonl and cases.jsonl.

    make.py FOLDER     FOLDER holds unpacked packages (`npm pack NAME && tar xzf`), listed in README.md

Seeded: the same packages give the same corpus. A page is a whole section of a document; a claim is a sentence of it,
faithful (`control`) or with one thing changed.
"""
import json, os, random, re, sys

SEED = 20261115
PER_KIND = 60
HERE = os.path.dirname(os.path.abspath(__file__))
CHANGELOGS = [("en", "CHANGELOG.en-US.md"), ("es", "CHANGELOG.es.md"), ("zh", "CHANGELOG.zh-CN.md"), ("fr", "CHANGELOG.fr-FR.md")]
FRENCH = re.compile(r"\b(Correction|Ajout|Ajoute|de la|du|des|les|avec|pour|dans|une?)\b")
RELEASED = {"en": "Version {v} was released on {d}.", "es": "La versión {v} se publicó el {d}.",
            "fr": "La version {v} a été publiée le {d}.", "zh": "版本 {v} 发布于 {d}。"}
BY = {"en": "{a} contributed this change to {v}: {t}", "es": "{a} aportó este cambio a {v}: {t}",
      "fr": "{a} a apporté ce changement à {v} : {t}", "zh": "{a} 在 {v} 中提交了这项更改：{t}"}
SAID = {"en": "{t}, said {a}", "es": "{t}, dijo {a}", "fr": "{t}, selon {a}", "zh": "{a} 表示：{t}"}
POLARITY = {
    "en": [("Fix", "Do not fix"), ("Add", "Remove"), ("Support", "Do not support"), (" not ", " "), ("fix ", "never fix "), (" is ", " is not "), (" can ", " can not "), (" are ", " are not "), (" will ", " will not ")],
    "es": [("Se agregó", "No se agregó"), ("Agregado", "No se ha agregado"), ("Ahora", "Ahora no"), (" no ", " "), ("Añadido", "Eliminado"), ("Corregido", "No corregido"), (" es ", " no es "), (" puede ", " no puede ")],
    "fr": [("Ajout ", "Suppression "), ("Correction", "Non-correction"), (" est ", " n'est pas "), (" ne ", " "), ("avec ", "sans "), (" sont ", " ne sont pas ")],
    "zh": [("修复", "没有修复"), ("修正", "没有修正"), ("新增", "移除"), ("支持", "不支持"), ("增加", "减少"), ("可以", "不可以"), ("不", "")],
}
HEDGED = {"en": ("The change may work: ", ""), "es": ("Posiblemente: ", ""), "fr": ("Probablement : ", ""), "zh": ("可能：", "")}
UNITS = [("milliseconds", "seconds"), ("ms", "s"), ("seconds", "minutes"), ("bytes", "kilobytes"), ("KB", "MB"), ("kB", "MB"), ("px", "cm"),
         ("MB", "GB"), ("minutes", "hours"), ("hours", "days"), ("days", "weeks"), ("%", " percentage points"), ("months", "years"), ("segundos", "minutos"), ("weeks", "years")]
SCOPE = {"en": [("some ", "all "), ("sometimes", "always"), ("often", "always"), ("most ", "all "), ("usually", "always"), ("many ", "all "), ("only ", "")],
         "es": [("algunos", "todos"), ("algunas", "todas"), ("varios", "todos")], "fr": [("certains", "tous"), ("quelques", "tous les"), ("plusieurs", "tous les")], "zh": [("部分", "全部"), ("某些", "所有"), ("一些", "所有")]}


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


def main(folder):
    choose = random.Random(SEED)
    pages, cases = [], []

    def page(language, source, text):
        pages.append({"id": len(pages), "language": language, "source": source, "text": text})
        return len(pages) - 1

    def case(kind, place, claim, original, quotation=False):
        if claim != original or kind in ("control", "swapped source", "invented quotation"):
            cases.append({"kind": kind, "language": pages[place]["language"], "page": place, "claim": claim, "original": original, "quotation": quotation})

    statements = []
    for language, name in CHANGELOGS:
        package = "element-ui-2.15.14"
        text = open(os.path.join(folder, package, "package", name), encoding="utf-8").read()
        for version, date, entries, body in sections(language, text):
            if language == "fr":
                entries = [entry for entry in entries if FRENCH.search(entry)]
                if len(entries) < 3:
                    continue
            place = page(language, f"{package}/{name} {version}", body)
            statements.append((language, place, version, date, entries))
    readmes = []
    for language, package, name in [("en", p, "README.md") for p in sorted(os.listdir(folder)) if os.path.isdir(os.path.join(folder, p))] + [("zh", "egg-4.0.10", "README.zh-CN.md"), ("es", "dotenv", "README-es.md")]:
        path = os.path.join(folder, package, "package", name)
        manifest = os.path.join(folder, package, "package", "package.json")
        if not os.path.exists(path) or not os.path.exists(manifest) or json.load(open(manifest)).get("license") not in ("MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC"):
            continue
        for sentences, body in prose(open(path, encoding="utf-8", errors="replace").read()):
            if language == "en" and re.search("[\u4e00-\u9fff]", body):
                continue
            readmes.append((language, page(language, f"{package}/{name}", body), sentences))

    names = sorted({name for _, _, _, _, entries in statements for entry in entries for name in re.findall(r"@([A-Za-z][\w-]{3,})", entry)})
    for language, place, version, date, entries in statements:
        claim = RELEASED[language].format(v=version, d=date)
        year, month, day = date.split("-")
        moved = choose.choice([f"{int(year) - choose.randint(1, 4)}-{month}-{day}", f"{year}-{int(month) % 12 + 1:02d}-{day}", f"{year}-{month}-{int(day) % 28 + 1:02d}"])
        case("control", place, claim, claim)
        case("date", place, RELEASED[language].format(v=version, d=moved), claim)
        for entry in choose.sample(entries, min(4, len(entries))):
            issue, author = re.search(r"#(\d{3,})", entry), re.search(r"@([A-Za-z][\w-]{3,})", entry)
            plain = re.sub(r"\s*[(,（][^()（）]*(?:#\d+|@\w)[^()（）]*[)）]?", "", entry).strip(" .。，,")
            if len(plain) < 12:
                continue
            case("control", place, entry, entry)
            if author:
                told = BY[language].format(a=author.group(1), v=version, t=plain)
                case("control", place, told, entry)
                stranger = choose.choice([name for name in names if name.lower() not in pages[place]["text"].lower()])
                case("name", place, entry.replace(author.group(1), stranger), entry)
                said = SAID[language].format(t=plain, a=stranger)
                case("attribution", place, said, entry)
            if issue:
                changed = entry.replace(issue.group(1), other_number(choose, issue.group(1)))
                case("number", place, changed, entry)
                case("number", place, changed, entry, True)
                case("invented address", place, entry + f" https://github.com/ElemeFE/element/pull/{other_number(choose, issue.group(1))}", entry)
            mutate(choose, case, language, place, plain, entry)
    for language, place, sentences in readmes:
        for sentence in choose.sample(sentences, min(6, len(sentences))):
            case("control", place, sentence, sentence)
            number = re.search(r"(?<![\w.#/-])\d[\d,.]*\d|(?<![\w.#/-])\d(?![\w.])", sentence)
            if number:
                changed = sentence[: number.start()] + other_number(choose, number.group(0)) .replace("..", ".") + sentence[number.end():]
                if re.fullmatch(r"[\d.,]+", changed[number.start(): number.end()]) and changed != sentence:
                    case("number", place, changed, sentence)
                    case("number", place, changed, sentence, True)
            proper = re.search(r"(?<=[a-z,] )[A-Z][a-z]{3,}", sentence)
            if proper:
                case("name", place, sentence.replace(proper.group(0), choose.choice(["Marlowe", "Ferranti", "Kowalski", "Lisbon", "Toshiba"])), sentence)
            mutate(choose, case, language, place, sentence, sentence)

    everything = [(language, place, entry) for language, place, _, _, entries in statements for entry in entries] + [(language, place, sentence) for language, place, sentences in readmes for sentence in sentences]
    for language, place, entry in choose.sample(everything, 200):
        other = choose.choice([p for p in pages if p["language"] == language and p["id"] != place and entry not in p["text"]])
        case("swapped source", other["id"], entry, entry)
        case("invented quotation", other["id"], entry, entry, True) if entry not in other["text"] else None

    for made in cases:
        made["quotation"] = made["quotation"] or made["kind"] == "invented quotation"
    kept, count = [], {}
    choose.shuffle(cases)
    for made in cases:
        key = (made["kind"], made["language"], made["quotation"])
        count[key] = count.get(key, 0) + 1
        if count[key] <= PER_KIND * (2 if made["kind"] == "control" else 1):
            kept.append(made)
    used = sorted({made["page"] for made in kept})
    fresh = {old: new for new, old in enumerate(used)}
    with open(os.path.join(HERE, "pages.jsonl"), "w", encoding="utf-8") as out:
        for old in used:
            out.write(json.dumps({**pages[old], "id": fresh[old]}, ensure_ascii=False) + "\n")
    with open(os.path.join(HERE, "cases.jsonl"), "w", encoding="utf-8") as out:
        for made in kept:
            out.write(json.dumps({**made, "page": fresh[made["page"]]}, ensure_ascii=False) + "\n")
    print(len(used), "pages", len(kept), "cases", {k: min(v, 999) for k, v in sorted(count.items(), key=str)})


def mutate(choose, case, language, place, plain, original):
    """Polarity, hedge, scope and unit, where the sentence has something to change."""
    for before, after in POLARITY.get(language, []):
        if before in plain:
            case("polarity", place, plain.replace(before, after, 1), original)
            break
    for before, after in SCOPE.get(language, []):
        if before in plain:
            case("scope", place, plain.replace(before, after, 1), original)
            break
    for hedge in (" may ", " might ", " could ", " probably ", " puede ", "peut ", "可能"):
        if hedge in plain:
            case("hedge", place, plain.replace(hedge, " " if hedge.isascii() else "", 1), original)
            break
    for before, after in UNITS:
        found = re.search(r"(\d\s?)" + re.escape(before) + r"(?!\w)", plain)
        if found:
            case("unit", place, plain[: found.end(1)] + after + plain[found.end():], original)
            break


if __name__ == "__main__":
    main(sys.argv[1])
