"""Faithful rewordings of a sentence, each by a named template: (how, sentence). They must not be refuted."""
import re

from changes import ISO, MONTHS

SYNONYMS = {
    "en": [("directory", "folder"), ("the maximum number of", "the largest number of"), ("begins", "starts"), ("is used to", "serves to"), ("However,", "Yet"), ("requires", "needs"), ("whenever", "each time"), ("returns", "gives back"), ("obtain", "get"), ("attempts", "tries"), ("attempt", "try"), ("sufficient", "enough"), ("large ", "big "), ("modify", "change"), ("modified", "changed"), ("specified", "given"), ("contains", "holds"), ("permitted", "allowed"), ("entire", "whole"), ("in order to", "to"), ("such as", "for example"), ("must be", "has to be"), ("approximately", "about"), ("therefore", "thus"), ("automatically", "by itself"), ("determines", "decides"), ("additional", "further"), ("typically", "usually"), ("prior to", "before"), ("a large number of", "a great many"), ("currently", "at present"), ("created", "made"), ("identical", "the same"), ("uses", "makes use of"), ("a single", "one")],
    "de": [("Verzeichnis", "Ordner"), ("verwendet", "benutzt"), ("beginnt", "fängt an"), ("jedoch", "aber"), ("erhalten", "bekommen"), ("ermöglicht", "erlaubt"), ("lediglich", "nur"), ("benötigt", "braucht"), ("Standardmäßig", "Von Haus aus"), ("standardmäßig", "von Haus aus"), ("sofern", "falls"), ("anschließend", "danach"), ("beispielsweise", "zum Beispiel"), ("ebenfalls", "auch"), ("falls", "wenn"), ("sämtliche", "alle"), ("bereits", "schon"), ("zusätzlich", "außerdem"), ("angegeben", "genannt"), ("Da ", "Weil "), ("daher", "deshalb")],
    "es": [("directorio", "carpeta"), ("utiliza", "usa"), ("utilizar", "usar"), ("comienza", "empieza"), ("sin embargo", "no obstante"), ("obtener", "conseguir"), ("solamente", "solo"), ("fichero", "archivo"), ("por lo tanto", "por eso"), ("también", "asimismo"), ("necesario", "preciso"), ("debe", "tiene que"), ("permite", "deja"), ("Si ", "En caso de que "), ("contiene", "incluye"), ("por ejemplo", "verbigracia"), ("realizar", "hacer"), ("mostrar", "enseñar"), ("ya que", "porque"), ("Por defecto", "De forma predeterminada")],
    "fr": [("répertoire", "dossier"), ("utilise", "emploie"), ("utilisée", "employée"), ("utilisé", "employé"), ("débute", "commence"), ("cependant", "toutefois"), ("obtenir", "avoir"), ("seulement", "uniquement"), ("permet de", "sert à"), ("nécessite", "exige"), ("Par défaut", "Sauf réglage contraire"), ("par défaut", "sauf réglage contraire"), ("également", "aussi"), ("afin de", "pour"), ("lorsque", "quand"), ("Lorsque", "Quand"), ("car ", "parce que "), ("contient", "renferme"), ("spécifié", "indiqué"), ("spécifiée", "indiquée"), ("par exemple", "notamment"), ("effectuer", "faire"), ("doit être", "est à"), ("ainsi", "de cette façon")],
    "ja": [("使用します", "使います"), ("使用する", "使う"), ("利用する", "使う"), ("指定します", "設定します"), ("しかし", "ただし"), ("例えば", "たとえば"), ("すべて", "全て"), ("全ての", "あらゆる"), ("可能です", "できます"), ("必要があります", "なければなりません"), ("および", "と"), ("または", "あるいは"), ("行なう", "行う"), ("開始", "スタート"), ("場合", "とき"), ("つまり", "すなわち"), ("ので", "ため"), ("このため", "したがって"), ("得られます", "得ることができます")],
    "zh": [("使用", "采用"), ("可以", "能够"), ("但是", "不过"), ("如果", "若"), ("例如", "比如"), ("因此", "所以"), ("必须", "务必"), ("所有", "全部"), ("通过", "借助"), ("目录", "文件夹"), ("默认", "缺省"), ("需要", "要"), ("以及", "和"), ("或者", "或"), ("修改", "更改"), ("并且", "而且"), ("由于", "因为"), ("这个", "该"), ("然后", "接着"), ("优化", "改进"), ("修复", "修正")],
}
WORDS = {
    "en": dict(zip("2 3 4 5 6 7 8 9 10 12 15 20 30 60 100 1000 1000000".split(), "two;three;four;five;six;seven;eight;nine;ten;twelve;fifteen;twenty;thirty;sixty;one hundred;one thousand;one million".split(";"))),
    "de": dict(zip("2 3 4 5 6 7 8 9 10 12 20 30 60 100 1000".split(), "zwei drei vier fünf sechs sieben acht neun zehn zwölf zwanzig dreißig sechzig hundert tausend".split())),
    "es": dict(zip("2 3 4 5 6 7 8 9 10 12 20 30 60 100 1000".split(), "dos tres cuatro cinco seis siete ocho nueve diez doce veinte treinta sesenta cien mil".split())),
    "fr": dict(zip("2 3 4 5 6 7 8 9 10 12 20 30 60 100 1000".split(), "deux trois quatre cinq six sept huit neuf dix douze vingt trente soixante cent mille".split())),
    "ja": dict(zip("10 20 30 60 100 1000".split(), "十 二十 三十 六十 百 千".split())),
    "zh": dict(zip("2 3 5 10 20 30 60 100 1000".split(), "两 三 五 十 二十 三十 六十 一百 一千".split())),
}
SHORT_UNITS = {
    "en": [("milliseconds", "ms"), ("microseconds", "µs"), ("seconds", "s"), ("minutes", "min"), ("hours", "h"), ("kilobytes", "kB"), ("megabytes", "MB"), ("gigabytes", "GB"), ("terabytes", "TB"), ("bytes", "B"), ("percent", "%"), ("KB", "kilobytes"), ("MB", "megabytes"), ("GB", "gigabytes"), ("ms", "milliseconds"), ("%", " percent")],
    "de": [("Millisekunden", "ms"), ("Sekunden", "s"), ("Minuten", "min"), ("Stunden", "h"), ("Kilobyte", "kB"), ("Megabyte", "MB"), ("MB", "Megabyte"), ("GB", "Gigabyte"), ("KB", "Kilobyte"), ("Prozent", "%"), ("%", " Prozent"), ("ms", "Millisekunden")],
    "es": [("milisegundos", "ms"), ("segundos", "s"), ("minutos", "min"), ("horas", "h"), ("MB", "megabytes"), ("KB", "kilobytes"), ("GB", "gigabytes"), ("%", " por ciento"), ("ms", "milisegundos")],
    "fr": [("millisecondes", "ms"), ("secondes", "s"), ("minutes", "min"), ("heures", "h"), ("octets", "o"), ("Mo", "mégaoctets"), ("Ko", "kilooctets"), ("Go", "gigaoctets"), ("%", " pour cent"), ("ms", "millisecondes")],
    "ja": [("ミリ秒", "ms"), ("キロバイト", "KB"), ("メガバイト", "MB"), ("KB", "キロバイト"), ("MB", "メガバイト"), ("％", "パーセント"), ("%", "パーセント")],
    "zh": [("毫秒", "ms"), ("分钟", "min"), ("小时", "h"), ("KB", "千字节"), ("MB", "兆字节"), ("ms", "毫秒")],
}
# Thousands as each language writes them.
GROUPS = {"en": ",", "de": ".", "es": ".", "fr": "\u202f", "ja": ",", "zh": ","}
PASSIVE = {"provides": "provided", "controls": "controlled", "specifies": "specified", "sets": "set", "defines": "defined", "contains": "contained in", "requires": "required", "supports": "supported", "implements": "implemented", "determines": "determined", "describes": "described", "uses": "used", "overrides": "overridden", "enables": "enabled", "disables": "disabled", "creates": "created", "returns": "returned"}


def synonyms(choose, language, text):
    swaps = [(before, after) for before, after in SYNONYMS[language] if re.search((r"(?<!\w)" if language not in ("ja", "zh") else "") + re.escape(before.strip()) + (r"(?!\w)" if language not in ("ja", "zh") else ""), text)]
    for before, after in swaps[:3]:
        text = text.replace(before, after, 1)
    return text if swaps else None


def numerals(choose, language, text):
    """1,000 as 1000 or the other way round; small numbers and round ones as words."""
    found = re.search(r"(?<![\w.,#/:-])\d{1,3}(?:,\d{3})+(?![\w,]|\.\d)", text)
    if found and language in ("en", "ja", "zh"):
        return text.replace(found.group(0), found.group(0).replace(",", choose.choice(["", "\u202f"])), 1)
    found = re.search(r"(?<![\w.,#/:-])(?!(?:19|20)\d\d(?!\d))\d{4,9}(?![\w,.-])", text, re.ASCII)
    # Numbers of standards, ports and registers are names: nobody writes RFC 9,113.
    if found and not re.search(r"(?:RFC|[Pp]ort\w*|puerto|Bug|PR|['`\"(\[]|番号) ?$", text[: found.start()]) and not re.match(r"[`'\")\]]| ?番", text[found.end():]):
        return text.replace(found.group(0), f"{int(found.group(0)):,}".replace(",", GROUPS[language]), 1)
    return None


def spelled(choose, language, text):
    for one in re.finditer(r"(?<![\w.,#/:-])\d+(?= [^\W\d]|[\u4e00-\u9fff\u3040-\u30ff])", text, re.ASCII):
        word = WORDS[language].get(one.group(0))
        # "Netscape 2" has a name before it, "2 and 3" a list behind it.
        named = re.search(r"[A-Z%]\w* ?$", text[: one.start()]) and one.start() > 4
        if word and not named and not re.match(r" (?:and|or|et|ou|und|oder|y|o|to|bis|[A-Z])\b", text[one.end():]):
            return text[: one.start()] + word + text[one.end():]
    return None


def units(choose, language, text):
    for before, after in SHORT_UNITS[language]:
        edge = r"(?!\w)" if before.isascii() and before.isalpha() else ""
        found = re.search(r"(?<![\w.])(\d[\d.,]*)([ \u00a0-]?)" + re.escape(before) + edge, text, re.ASCII if language in ("ja", "zh") else 0)
        if found:
            space = "" if after[0] in "% " or language in ("ja", "zh") else " "
            return text[: found.end(1)] + space + after + text[found.end():]
    return None


def dates(choose, language, text):
    found = ISO.search(text)
    if found:
        year, month, day = (int(part) for part in found.groups())
        if not 1 <= month <= 12:
            return None
        named = MONTHS.get(language, [""] * 12)[month - 1]
        forms = {"en": [f"{day} {named} {year}", f"{named} {day}, {year}", f"{named[:3]} {day}, {year}"], "de": [f"{day}. {named} {year}", f"{day:02d}.{month:02d}.{year}"],
                 "es": [f"{day} de {named} de {year}"], "fr": [f"{day} {named} {year}"], "ja": [f"{year}年{month}月{day}日"], "zh": [f"{year}年{month}月{day}日"]}[language]
        return text[: found.start()] + choose.choice(forms) + text[found.end():]
    if language == "en":
        found = re.search(r"\b(" + "|".join(MONTHS["en"]) + r") (\d{1,2}), (\d{4})\b", text)
        if found:
            return text[: found.start()] + f"{found.group(2)} {found.group(1)} {found.group(3)}" + text[found.end():]
    return None


def order(choose, language, text):
    """What stands in front goes to the end."""
    front = {"en": r"(If|When|Because|Unless|Although|By default|For this reason|In this case|As of|Since|Until|Before|After)", "de": r"(?!)",
             "es": r"(Si|Cuando|Por defecto|En este caso|Para)", "fr": r"(Si|Lorsque|Par défaut|Dans ce cas|Pour|Avec|Quand)"}.get(language, r"(?!)")
    found = re.fullmatch(front + r"([^,]{0,90}), ([^,]{15,140})\.", text)
    if found:
        rest = found.group(3).removeprefix("then ").removeprefix("alors ")
        lead = found.group(1)[0].lower() + found.group(1)[1:]
        return f"{rest[0].upper()}{rest[1:]} {lead}{found.group(2)}."
    if language == "de":
        found = re.fullmatch(r"(Wenn|Falls|Sobald|Da|Weil)( [^,]{5,90}), (?:so |dann )?(wird|werden|kann|können|ist|sind|muss|müssen) (\w+(?: \w+)?) ([^,]{5,120})\.", text)
        if found:
            return f"{found.group(4)[0].upper()}{found.group(4)[1:]} {found.group(3)} {found.group(5)}, {found.group(1).lower()}{found.group(2)}."
    if language in ("ja", "zh"):
        found = re.fullmatch(r"([^、，]{6,50}?)(場合|とき|ときは|場合は|时)[、，]([^。]{8,70})。", text)
        if found:
            return f"{found.group(3)}（{found.group(1)}{found.group(2)}）。"
    return None


def voice(choose, language, text):
    """Passive for active, or an impersonal subject."""
    if language == "en":
        found = re.fullmatch(r"((?:The|This|A|An|Each) [\w' -]{3,50}?) (" + "|".join(PASSIVE) + r") ((?:the|a|an|any|all) [^,.;:()]{5,110})\.", text)
        if found:
            subject, verb, thing = found.groups()
            be = "are" if thing.startswith("all ") else "is"
            by = "" if PASSIVE[verb].endswith(" in") else " by"
            return f"{thing[0].upper()}{thing[1:]} {be} {PASSIVE[verb]}{by} {subject[0].lower()}{subject[1:]}."
        found = re.search(r"\byou can ", text)
        return text.replace("you can ", "one can ", 1) if found else (text.replace(" can be used to ", " is able to ", 1) if " can be used to " in text else None)
    pairs = {"de": [("Sie können ", "Man kann "), (" können Sie ", " kann man "), (" kann verwendet werden", " lässt sich verwenden")], "es": [("Usted puede ", "Se puede "), ("puede usar", "es posible usar"), (" se puede ", " es posible ")],
             "fr": [("Vous pouvez ", "Il est possible de "), (" vous pouvez ", " on peut "), (" peut être utilisée ", " peut servir "), (" peut être utilisé ", " peut servir ")], "ja": [("することができます", "できます"), ("されています", "してあります"), ("によって", "により")], "zh": [("你可以", "可以"), ("您可以", "可以"), ("被", "受到")]}[language]
    for before, after in pairs:
        if before in text:
            return text.replace(before, after, 1)
    return None


def shorter(choose, language, text):
    """Without what stands in brackets, or without a leading word."""
    cut = re.sub(r"\s?[(（][^()（）]{3,80}[)）]", "", text, count=1)
    if cut != text and len(cut) > (12 if language in ("ja", "zh") else 35):
        return cut
    found = re.match(r"(However|Note that|Also|In addition|Therefore|Thus|Hence|For example|Cependant|Notez que|Ainsi|Sin embargo|Además|Jedoch|Beachten Sie, dass|また|しかし|なお|ただし|另外|此外|同时),? ?[、，]?\s?", text)
    if found and len(text) - found.end() > (12 if language in ("ja", "zh") else 35):
        rest = text[found.end():]
        return rest[0].upper() + rest[1:]
    return None


TEMPLATES = [("synonyms", synonyms), ("thousands", numerals), ("number in words", spelled), ("unit written otherwise", units), ("date written otherwise", dates), ("order", order), ("voice", voice), ("shorter", shorter)]


def all_of(choose, language, text):
    """Each template by itself, and synonyms on top of another one."""
    for how, template in TEMPLATES:
        told = template(choose, language, text)
        if told and told != text:
            yield how, told
            if how not in ("synonyms", "shorter"):
                both = synonyms(choose, language, told)
                if both and both != told:
                    yield how + " and synonyms", both
