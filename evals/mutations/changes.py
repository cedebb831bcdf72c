"""One thing changed in a sentence, by kind and language. Every function gives the changed sentence, or None."""
import re

POLARITY = {
    "en": [(" cannot ", " can "), (" does not ", " does "), (" do not ", " do "), (" is not ", " is "), (" are not ", " are "), (" must ", " must not "), (" can ", " can not "), (" is ", " is not "), (" are ", " are not "), (" will ", " will not "), ("Fix", "Do not fix"), ("Add", "Remove")],
    "de": [(" nicht ", " "), (" kein ", " ein "), (" keine ", " eine "), (" keinen ", " einen "), (" kann ", " kann nicht "), (" ist ", " ist nicht "), (" wird ", " wird nicht "), (" werden ", " werden nicht "), (" muss ", " muss nicht "), (" sind ", " sind nicht ")],
    "es": [(" no ", " "), (" puede ", " no puede "), (" es ", " no es "), (" son ", " no son "), (" debe ", " no debe "), ("Se agregó", "No se agregó"), ("Agregado", "No se ha agregado"), ("Corregido", "No corregido")],
    "fr": [(" n'est pas ", " est "), (" ne sont pas ", " sont "), (" est ", " n'est pas "), (" sont ", " ne sont pas "), (" peut ", " ne peut pas "), (" doit ", " ne doit pas "), ("Correction", "Non-correction")],
    "ja": [("できません", "できます"), ("しません", "します"), ("ありません", "あります"), ("できます", "できません"), ("されます", "されません"), ("なります", "なりません"), ("します", "しません"), ("あります", "ありません"), ("必要です", "不要です")],
    "zh": [("不支持", "支持"), ("不能", "能"), ("不会", "会"), ("没有", "有"), ("可以", "不可以"), ("支持", "不支持"), ("修复", "没有修复"), ("新增", "移除"), ("需要", "不需要"), ("必须", "不必"), ("会", "不会")],
}
SCOPE = {
    "en": [("some ", "all "), ("Some ", "All "), ("sometimes", "always"), ("often", "always"), ("most ", "all "), ("Most ", "All "), ("usually", "always"), ("many ", "all "), ("Many ", "All "), ("normally", "always"), ("generally", "always"), ("in some cases", "in all cases")],
    "de": [("einige ", "alle "), ("Einige ", "Alle "), ("manche ", "alle "), ("meisten ", "gesamten "), ("oft ", "immer "), ("manchmal ", "immer "), ("normalerweise", "immer"), ("Normalerweise", "Immer"), ("üblicherweise", "immer"), ("mehrere ", "alle "), ("häufig ", "immer ")],
    "es": [("algunos ", "todos los "), ("Algunos ", "Todos los "), ("algunas ", "todas las "), ("varios ", "todos los "), ("muchos ", "todos los "), ("normalmente", "siempre"), ("a veces", "siempre"), ("generalmente", "siempre"), ("la mayoría de ", "la totalidad de ")],
    "fr": [("certains ", "tous les "), ("Certains ", "Tous les "), ("certaines ", "toutes les "), ("quelques ", "tous les "), ("plusieurs ", "tous les "), ("souvent", "toujours"), ("parfois", "toujours"), ("la plupart des ", "la totalité des "), ("en général", "toujours"), ("généralement", "toujours")],
    "ja": [("いくつかの", "すべての"), ("一部の", "すべての"), ("多くの", "すべての"), ("ほとんどの", "すべての"), ("通常", "常に"), ("普通は", "常に"), ("場合によっては", "常に"), ("ときどき", "常に")],
    "zh": [("部分", "全部"), ("某些", "所有"), ("一些", "所有"), ("大多数", "所有"), ("通常", "总是"), ("有时", "总是"), ("多数", "所有"), ("很多", "所有"), ("许多", "所有")],
}
HEDGE = {
    "en": [(" may be ", " is "), (" might be ", " is "), (" could be ", " is "), (" may ", " will "), (" might ", " will "), (" probably ", " "), (" possibly ", " "), (" usually ", " "), (" perhaps ", " "), (" likely ", " ")],
    "de": [(" möglicherweise ", " "), (" vielleicht ", " "), (" wahrscheinlich ", " "), (" könnte ", " wird "), (" könnten ", " werden "), (" eventuell ", " "), (" vermutlich ", " "), (" unter Umständen ", " "), (" dürfte ", " wird "), (" kann ", " wird ")],
    "es": [(" puede que ", " "), (" podría ", " va a "), (" podrían ", " van a "), (" quizás ", " "), (" probablemente ", " "), (" posiblemente ", " "), (" puede ser ", " es "), (" pueden ser ", " son ")],
    "fr": [(" peut-être ", " "), (" pourrait ", " va "), (" pourraient ", " vont "), (" probablement ", " "), (" peut être ", " est "), (" peuvent être ", " sont "), (" éventuellement ", " "), (" sans doute ", " ")],
    "ja": [("かもしれません", "ます"), ("可能性があります", "ことが確実です"), ("おそらく", ""), ("たぶん", ""), ("でしょう", "です"), ("場合があります", "ます"), ("ことがあります", "ます")],
    "zh": [("可能会", "会"), ("可能", ""), ("也许", ""), ("或许", ""), ("大概", ""), ("应该会", "会")],
}
# Each with another of the same kind, or of another kind altogether.
UNITS = {
    "en": [("milliseconds", "seconds"), ("microseconds", "milliseconds"), ("seconds", "minutes"), ("second", "hour"), ("minutes", "hours"), ("hours", "days"), ("days", "weeks"), ("weeks", "years"), ("months", "years"), ("years", "months"), ("bytes", "kilobytes"), ("byte", "bit"), ("bits", "bytes"), ("bit", "byte"), ("kilobytes", "megabytes"), ("megabytes", "gigabytes"), ("gigabytes", "terabytes"), ("terabytes", "gigabytes"), ("KB", "MB"), ("kB", "MB"), ("MB", "GB"), ("GB", "TB"), ("TB", "GB"), ("KiB", "MiB"), ("MiB", "GiB"), ("ms", "s"), ("px", "cm"), ("percent", "degrees"), ("%", " percentage points"), ("feet", "miles"), ("mm", "km"), ("MHz", "GHz"), ("GHz", "MHz")],
    "de": [("Millisekunden", "Sekunden"), ("Sekunden", "Minuten"), ("Sekunde", "Stunde"), ("Minuten", "Stunden"), ("Stunden", "Tage"), ("Tage", "Wochen"), ("Tagen", "Wochen"), ("Monate", "Jahre"), ("Jahre", "Monate"), ("Bytes", "Kilobytes"), ("Byte", "Megabyte"), ("Bit", "Byte"), ("Kilobyte", "Megabyte"), ("Megabyte", "Gigabyte"), ("KB", "MB"), ("kB", "MB"), ("MB", "GB"), ("GB", "TB"), ("ms", "s"), ("Prozent", "Grad"), ("%", " Prozentpunkte"), ("MHz", "GHz"), ("dBm", "V"), ("Meter", "Kilometer")],
    "es": [("milisegundos", "segundos"), ("segundos", "minutos"), ("segundo", "hora"), ("minutos", "horas"), ("horas", "días"), ("días", "semanas"), ("meses", "años"), ("años", "meses"), ("bytes", "kilobytes"), ("bits", "bytes"), ("kilobytes", "megabytes"), ("megabytes", "gigabytes"), ("KB", "MB"), ("MB", "GB"), ("GB", "TB"), ("ms", "s"), ("%", " grados"), ("por ciento", "grados"), ("px", "cm")],
    "fr": [("millisecondes", "secondes"), ("secondes", "minutes"), ("seconde", "heure"), ("minutes", "heures"), ("heures", "jours"), ("jours", "semaines"), ("mois", "ans"), ("ans", "mois"), ("octets", "kilooctets"), ("bits", "octets"), ("kilo-octets", "mégaoctets"), ("Ko", "Mo"), ("Mo", "Go"), ("KB", "MB"), ("MB", "GB"), ("ko", "Mo"), ("ms", "s"), ("%", " degrés"), ("px", "cm")],
    "ja": [("ミリ秒", "秒"), ("マイクロ秒", "ミリ秒"), ("秒", "分"), ("分", "時間"), ("時間", "日"), ("日間", "週間"), ("日", "か月"), ("キロバイト", "メガバイト"), ("メガバイト", "ギガバイト"), ("バイト", "キロバイト"), ("ビット", "バイト"), ("KB", "MB"), ("MB", "GB"), ("%", "度"), ("％", "度"), ("年", "か月")],
    "zh": [("毫秒", "秒"), ("微秒", "毫秒"), ("秒", "分钟"), ("分钟", "小时"), ("小时", "天"), ("天", "周"), ("字节", "千字节"), ("位", "字节"), ("KB", "MB"), ("MB", "GB"), ("GB", "TB"), ("ms", "s"), ("%", "度"), ("px", "cm")],
}
MONTHS = {
    "en": "January February March April May June July August September October November December".split(),
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(),
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(),
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split(),
}
ISO = re.compile(r"(?<![\d-])((?:19|20)\d\d)-(\d\d)-(\d\d)(?![\d-])")
YEAR = re.compile(r"(?<![\d.,:/-])(?:19[6-9]\d|20[0-2]\d)(?![\d:/]|[.,-]\d)")
NUMBER = re.compile(r"(?<![\w.,#/:-])\d+(?:[.,]\d+)*(?![\w/:-]|[.,]\d)|(?<=[\u3040-\u30ff\u4e00-\u9fff])\d+(?:[.,]\d+)*(?![\w.]|[.,]\d)")
# Names that manuals of all languages write alike, so that German nouns and scripts without capitals are served too.
NAMES = """Apache Unix Windows Linux Netscape Microsoft MySQL OpenSSL Perl Python PHP Java JavaScript Solaris Debian FreeBSD
NCSA Oracle Mozilla Firefox Chrome Google Android PostgreSQL SQLite Berkeley NetWare Novell IBM Intel Netcraft Safari Opera
Internet\\ Explorer GitHub Node.js Chromium Adobe Amazon Dropbox Conbee Xiaomi Raspberry\\ Pi Docker Homematic Vue React
Subversion Tomcat Kerberos GNU POSIX IETF W3C Symbian Airbus Bloomberg Skype iOS Ubuntu Cygwin Emacs Lua Ruby Tcl SunOS
AIX HP-UX Cisco Nokia Sun Fielding Hartill Behlendorf Knuth Hipp Berners-Lee Postfix OpenLDAP Memcached Redis Nginx Squid""".replace("\\ ", "\0").split()
NAMES = [name.replace("\0", " ") for name in NAMES]
NAME = re.compile(r"(?<![\w./-])(" + "|".join(sorted(map(re.escape, NAMES), key=len, reverse=True)) + r")(?![\w/-]|\.\w)", re.ASCII)
STRANGERS = ["Marlowe", "Ferranti", "Kowalski", "Tessellate", "Toshiba", "Olivetti", "Brightwater", "Zuse", "Hadrian", "Vandermeer", "Siemens", "Fujitsu"]
SAID = {"en": ["According to {a}, {t}", "{t}, as {a} wrote"], "de": ["Laut {a} gilt: {t}", "{a} schrieb: {t}"], "es": ["Según {a}, {t}", "{a} escribió: {t}"],
        "fr": ["Selon {a}, {t}", "{a} a écrit : {t}"], "ja": ["{a}によると、{t}", "{a}は次のように述べた：{t}"], "zh": ["据{a}称，{t}", "{a} 写道：{t}"]}


def replaced(pairs, text):
    for before, after in pairs:
        if before in text:
            return text.replace(before, after, 1)
    return None


def polarity(choose, language, text):
    return replaced(POLARITY[language], text)


def scope(choose, language, text):
    return replaced(SCOPE[language], text)


def hedge(choose, language, text):
    return replaced(HEDGE[language], text)


def unit(choose, language, text):
    if not re.search(r"\d", text):
        return None
    for before, after in UNITS[language]:
        edge = r"(?!\w)" if before[-1].isascii() and before[-1].isalpha() else ""
        found = re.search(r"(?<![\w.])(\d[\d.,]*[ \u00a0-]?)" + re.escape(before) + edge, text, re.ASCII if language in ("ja", "zh") else 0)
        if found:
            return text[: found.end(1)] + after + text[found.end():]
    return None


def date(choose, language, text):
    if not re.search(r"\d", text):
        return None
    found = ISO.search(text)
    if found:
        year, month, day = found.groups()
        other = choose.choice([f"{int(year) - choose.randint(1, 4)}-{month}-{day}", f"{year}-{int(month) % 12 + 1:02d}-{min(int(day), 28):02d}", f"{year}-{month}-{int(day) % 28 + 1:02d}"])
        return text[: found.start()] + other + text[found.end():]
    months = MONTHS.get(language, [])
    named = months and re.search(r"\b(" + "|".join(months) + r")\b(?= \d| de \d|, \d)|(?<=\d )(" + "|".join(months) + r")\b|(?<=\d\. )(" + "|".join(months) + r")\b", text)
    if named and choose.random() < 0.5:
        return text[: named.start()] + choose.choice([month for month in months if month != named.group(0)]) + text[named.end():]
    found = YEAR.search(text)
    if found and not text[: found.start()].endswith(("Windows ", "up to ", "RFC ", "port ", "Port ")) and not re.match(r"[ -]?(?:bytes?|times|%|px|ms|rows|pages|port|bits?|octets|Sekunden|secondes|segundos|バイト)", text[found.end():]):
        year = int(found.group(0))
        return text[: found.start()] + str(year + choose.choice([-7, -3, -2, -1, 1, 2])) + text[found.end():]
    return None


def number(choose, language, text):
    if not re.search(r"\d", text):
        return None
    if date(choose, language, text):
        return None
    found = [one for one in NUMBER.finditer(text) if one.group(0) not in ("1", "0")]
    if not found:
        return None
    one = choose.choice(found)
    digits = list(one.group(0))
    place = choose.choice([place for place, digit in enumerate(digits) if digit.isdigit()])
    digits[place] = choose.choice([digit for digit in "123456789" if digit != digits[place]])
    return text[: one.start()] + "".join(digits) + text[one.end():]


def name(choose, language, text, page):
    found = NAME.search(text)
    if not found and language == "en":
        found = re.search(r"(?<=[a-z,] )[A-Z][a-z]{3,}(?: [A-Z][a-z]{3,})?(?=[ ,.])", text)
    if not found:
        return None
    strangers = [one for one in STRANGERS + [one for one in NAMES if len(one) > 4] if one.lower() not in page.lower()]
    return text[: found.start()] + choose.choice(strangers) + text[found.end():]


def attribution(choose, language, text):
    told = text.rstrip(".。")
    template = choose.choice(SAID[language])
    if template.startswith(("According", "Según", "Selon")):
        told = told[:1].lower() + told[1:] if told[1:2].islower() else told
    return template.format(a=choose.choice(STRANGERS), t=told) + ("。" if language in ("ja", "zh") else ".")
