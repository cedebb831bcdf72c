//! Words by which things, what is said of them and times are known to be the same. It knows no quotation.

/// Words that make no difference between two names of one thing.
const FILLER: &[&str] = &["the", "a", "an", "of", "in", "der", "die", "das", "le", "la", "les", "el", "los"];
/// Further ones in names of what is measured: they say that something is counted, not what.
const COUNTING: &[&str] = &[
    "number", "total", "amount", "figure", "value", "overall", "reported", "at", "for", "its", "anzahl",
    "gesamt", "zahl", "wert", "nombre", "numero", "número", "valeur", "valor", "des", "von", "du", "de",
    "del",
];
/// Legal forms behind names of companies.
const LEGAL_FORMS: &[&str] = &[
    "inc",
    "ltd",
    "llc",
    "plc",
    "corp",
    "corporation",
    "gmbh",
    "ag",
    "se",
    "sa",
    "co",
    "nv",
    "bv",
    "limited",
];
/// Words that readers put for the same attribute.
const SYNONYMS: &[(&str, &str)] = &[
    ("employee", "staff"),
    ("workforce", "staff"),
    ("personnel", "staff"),
    ("mitarbeiter", "staff"),
    ("mitarbeiterzahl", "staff"),
    ("turnover", "revenue"),
    ("umsatz", "revenue"),
    ("inhabitant", "population"),
    ("einwohner", "population"),
    ("einwohnerzahl", "population"),
    ("yearly", "annual"),
    ("jährlich", "annual"),
];
/// Words of a period that say only that it is one.
const PERIOD_FILLER: &[&str] =
    &["year", "calendar", "in", "im", "jahr", "the", "during", "of", "an", "año", "année"];

/// The words of a name or an attribute that tell it from others.
pub fn key_words(text: &str) -> String {
    let plain = normalized(text);
    let words: Vec<&str> = plain.split(' ').filter(|word| !FILLER.contains(word)).collect();
    words.join(" ")
}

/// The words of a name without the legal form behind it.
pub fn entity_key(text: &str) -> String {
    let words = key_words(text);
    let mut kept: Vec<&str> = words.split(' ').collect();
    while kept.len() > 1 && kept.last().is_some_and(|last| LEGAL_FORMS.contains(last)) {
        kept.pop();
    }
    kept.join(" ")
}

/// What is measured, whatever the order of its words: `output per year` stays another thing than `output`.
pub fn attribute_key(text: &str) -> String {
    let plain = key_words(text);
    let telling = plain.split(' ').map(singular).filter(|word| !COUNTING.contains(word));
    let mut words: Vec<&str> = telling.map(common_word).collect();
    words.sort_unstable();
    words.dedup();
    let key = words.join(" ");
    // All of it only says that something is counted: then that is what it is called.
    if key.is_empty() { plain } else { key }
}

fn singular(word: &str) -> &str {
    let plain = word.strip_suffix('s').filter(|plain| plain.len() > 3 && !plain.ends_with('s'));
    plain.unwrap_or(word)
}

fn common_word(word: &str) -> &str {
    SYNONYMS.iter().find(|(said, _)| *said == word).map_or(word, |(_, same)| *same)
}

/// For when it holds, without words that only say that it is a time.
pub fn period_key(text: &str) -> String {
    let plain = normalized(text);
    let words = plain.split(' ').map(|word| word.trim_end_matches('年'));
    let kept: Vec<&str> = words.filter(|word| !word.is_empty() && !PERIOD_FILLER.contains(word)).collect();
    kept.join(" ")
}

/// Words only: spaces, signs and capitals do not make another quotation.
pub fn normalized(text: &str) -> String {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join(" ")
}
