//! What of a text can be looked up in another, whatever the words around it: its numbers, its months and its names.
//!
//! Finer than the keys of `figures`, since a sentence is taken out for what is missing: a rounding, a number in words and
//! a date in another form say the same. Which quotation stands behind a sentence is decided in `witness`.

use std::collections::BTreeSet;

use super::figures::{self, Figure};

/// How far a number behind `about` may be from what it rounds.
const ROUGH_SHARE: f64 = 0.1;
/// Longest run of capitals that may stand for other words: `EU` for `European Union`.
const ACRONYM_LETTERS_MAX: usize = 5;
/// The last word before a number that is not meant exactly.
const ROUGH_WORDS: &[&str] = &[
    "about",
    "around",
    "roughly",
    "approximately",
    "nearly",
    "almost",
    "over",
    "under",
    "than",
    "least",
    "most",
    "some",
    "~",
    "rund",
    "etwa",
    "ca",
    "circa",
    "fast",
    "knapp",
    "gut",
    "über",
    "als",
    "environ",
    "près",
    "presque",
    "unos",
    "casi",
    "cerca",
];
/// How small numbers and parts are spelled.
const SPELLED: &[(&str, &[&str])] = &[
    ("1", &["one", "first", "single", "ein", "eine", "einer", "erste", "un", "une", "uno", "una", "一"]),
    ("2", &["two", "second", "both", "double", "twice", "zwei", "zweite", "deux", "dos", "二", "两"]),
    ("3", &["three", "third", "drei", "dritte", "trois", "tres", "三"]),
    ("4", &["four", "fourth", "vier", "vierte", "quatre", "cuatro", "四"]),
    ("5", &["five", "fifth", "fünf", "cinq", "cinco", "五"]),
    ("6", &["six", "sixth", "sechs", "seis", "六"]),
    ("7", &["seven", "seventh", "sieben", "sept", "siete", "七"]),
    ("8", &["eight", "eighth", "acht", "huit", "ocho", "八"]),
    ("9", &["nine", "ninth", "neun", "neuf", "nueve", "九"]),
    ("10", &["ten", "tenth", "zehn", "dix", "diez", "十"]),
    ("11", &["eleven", "elf", "onze", "once"]),
    ("12", &["twelve", "dozen", "zwölf", "douze", "doce"]),
    ("20", &["twenty", "zwanzig", "vingt", "veinte"]),
    ("25", &["quarter", "viertel", "quart", "cuarto"]),
    ("33", &["third", "drittel", "tiers", "tercio"]),
    ("50", &["half", "fifty", "hälfte", "fünfzig", "moitié", "mitad", "半"]),
    ("100", &["hundred", "hundert", "cent", "cien", "all"]),
    ("1000", &["thousand", "tausend", "mille", "mil"]),
];
const WEEKDAYS: &[&str] = &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const MONTHS: [&[&str]; 12] = [
    &["january", "jan", "januar", "jänner", "janvier", "janv", "enero", "gennaio"],
    &["february", "feb", "februar", "février", "févr", "febrero", "febbraio"],
    &["march", "mar", "märz", "mars", "marzo"],
    &["april", "apr", "avril", "avr", "abril", "aprile"],
    &["may", "mai", "mayo", "maggio"],
    &["june", "jun", "juni", "juin", "junio", "giugno"],
    &["july", "jul", "juli", "juillet", "juil", "julio", "luglio"],
    &["august", "aug", "août", "agosto"],
    &["september", "sep", "sept", "septembre", "septiembre", "settembre"],
    &["october", "oct", "oktober", "okt", "octobre", "octubre", "ottobre"],
    &["november", "nov", "novembre", "noviembre"],
    &["december", "dec", "dezember", "dez", "décembre", "déc", "diciembre", "dicembre"],
];

/// A number, and what it comes to with the word behind it: `45 million`.
#[derive(Debug, Clone, PartialEq)]
pub struct StatedNumber {
    /// As it is written, without the word behind it: a table has that word in its head.
    pub key: String,
    pub figure: Figure,
    pub is_year: bool,
    /// A word before it says that it is not exact.
    is_rough: bool,
}

impl StatedNumber {
    /// Whether another text's number is this one, or one that this is a rounding of. More digits than the other has are
    /// not said by it.
    pub fn is_said_by(&self, told: &Self) -> bool {
        let above = self.figure.value - told.figure.value;
        let rough = if self.is_rough { self.figure.value.abs() * ROUGH_SHARE } else { 0.0 };
        let slack = self.figure.slack.max(rough);
        // Half a unit is rounded up, not down.
        let is_near = above <= slack * (1.0 + 1e-9) && -above < slack * (1.0 - 1e-9);
        self.key == told.key || is_near
    }

    /// Whether a text in small letters, its words parted by spaces, has it in words.
    pub fn is_spelled_in(&self, words: &str) -> bool {
        let forms = SPELLED.iter().filter(|(key, _)| *key == self.key).flat_map(|(_, forms)| forms.iter());
        let mut forms = forms.copied();
        forms.any(|form| match form.is_ascii() {
            true => words.split(' ').any(|word| word == form),
            // No spaces in some scripts.
            false => words.contains(form),
        })
    }
}

/// The numbers of a text. Those inside names (`B12`) and the marks of citations (`[7]`) are none.
pub fn numbers(text: &str) -> Vec<StatedNumber> {
    let (text, _) = without_dates(text);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(offset) = text.get(at..).and_then(|rest| rest.find(|c: char| c.is_ascii_digit())) {
        let start = at + offset;
        let rest = text.get(start..).unwrap_or_default();
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '\u{a0}' | '\'');
        let length = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        at = start + length;
        let before = text.get(..start).unwrap_or_default();
        let in_name = before.chars().next_back().is_some_and(|c| c.is_alphabetic() && !is_dense(c));
        let digits = rest.get(..length).unwrap_or_default();
        let behind = rest.get(length..).unwrap_or_default();
        // `3月` is a month.
        if !in_name && !behind.starts_with('月') {
            found.extend(number(before, digits, behind));
        }
    }
    found
}

fn number(before: &str, digits: &str, behind: &str) -> Option<StatedNumber> {
    let digits: String = digits.chars().filter(|c| !matches!(c, '\u{a0}' | '\'')).collect();
    let digits = digits.trim_end_matches(['.', ',']);
    let behind = behind.trim_start_matches([' ', '\u{a0}', '-']);
    let counted: String = match behind.chars().next() {
        Some(first) if is_dense(first) => first.to_string(),
        Some(_) | None => behind.chars().take_while(|c| c.is_alphabetic() && !is_dense(*c)).collect(),
    };
    let figure = figures::figures(&format!("{digits} {counted}")).first().copied()?;
    let key = figures::number_keys(digits).into_iter().next()?;
    let year: Option<u32> = digits.parse().ok().filter(|_| digits.len() == 4);
    let word = before.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    let is_year = year.is_some_and(|year| (1_500..=2_100).contains(&year));
    let is_rough = !is_year && ROUGH_WORDS.contains(&word.trim_end_matches('.'));
    Some(StatedNumber { key, figure, is_year, is_rough })
}

/// Months with a day or a year beside them, 1 to 12.
pub fn months(text: &str) -> BTreeSet<u32> {
    let (text, mut found) = without_dates(text);
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let counts =
        |word: Option<&&str>| word.is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    for (place, word) in words.iter().enumerate() {
        let behind = counts(words.get(place + 1));
        let before = place.checked_sub(1).is_some_and(|before| counts(words.get(before)));
        found.extend(month(word).filter(|_| behind || before));
    }
    for (at, _) in text.match_indices('月') {
        let before = text.get(..at).unwrap_or_default();
        let digits = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let number = before.get(before.len() - digits..).and_then(|digits| digits.parse::<u32>().ok());
        found.extend(number.filter(|month| (1..=12).contains(month)));
    }
    found
}

fn month(word: &str) -> Option<u32> {
    let lower = word.to_lowercase();
    let place = MONTHS.iter().position(|forms| forms.contains(&lower.as_str()))?;
    u32::try_from(place + 1).ok()
}

/// Words that are written like names where no sentence begins, in small letters. Short runs of capitals are left out: they
/// may stand for words that are written out elsewhere. In German every noun has a capital: there only what has a second
/// one counts.
pub fn names(text: &str, nouns_are_capitals: bool) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut begins = true;
    for word in text.split_whitespace() {
        let quotes = word.starts_with(['“', '„', '"', '«', '(']);
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let bare = bare.strip_suffix("'s").or_else(|| bare.strip_suffix("’s")).unwrap_or(bare);
        let letters = bare.chars().filter(|c| c.is_alphabetic()).count();
        let capitals = bare.chars().filter(|c| c.is_uppercase()).count();
        let starts = bare.chars().next().is_some_and(char::is_uppercase);
        let is_acronym = capitals == letters && letters <= ACRONYM_LETTERS_MAX;
        let is_capital = capitals > 1 || (starts && !begins && !quotes && !nouns_are_capitals);
        let lower = bare.to_lowercase();
        let is_day = month(bare).is_some() || WEEKDAYS.contains(&lower.as_str());
        if is_capital && !is_acronym && !is_day && letters > 2 {
            found.insert(lower);
        }
        begins = word.ends_with(['.', '!', '?', ':', '“', '"']);
    }
    found
}

/// Whether a text in small letters has a name, whatever its ending: `German` stands in `Germany`.
pub fn has_name(text: &str, name: &str) -> bool {
    let letters = name.chars().count();
    let kept = if letters > 5 { (letters - 2).max(5) } else { letters };
    let stem: String = name.chars().take(kept).collect();
    text.contains(&stem)
}

/// A text in which dates of digits are a day and a year, with their months; marks of citations are gone.
fn without_dates(text: &str) -> (String, BTreeSet<u32>) {
    let mut plain = String::with_capacity(text.len());
    let mut months = BTreeSet::new();
    for piece in text.split_inclusive([' ', '\n']) {
        let word = piece.trim_end_matches([' ', '\n']);
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        match date(bare) {
            Some((year, month, day)) => {
                months.insert(month);
                plain.push_str(&format!("{day} {year}"));
            }
            None if is_mark(word) => {}
            None => plain.push_str(word),
        }
        plain.push_str(piece.get(word.len()..).unwrap_or_default());
    }
    (plain, months)
}

/// `2024-03-31` or `31.03.2024`.
fn date(word: &str) -> Option<(u32, u32, u32)> {
    let parts = |mark: char| -> Option<[u32; 3]> {
        let parts: Vec<u32> = word.split(mark).map(str::parse::<u32>).collect::<Result<_, _>>().ok()?;
        <[u32; 3]>::try_from(parts).ok()
    };
    let (year, month, day) = match (parts('-'), parts('.')) {
        (Some([year, month, day]), _) | (None, Some([day, month, year])) => (year, month, day),
        (None, None) => return None,
    };
    let is_date = (1_000..3_000).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    is_date.then_some((year, month, day))
}

fn is_mark(word: &str) -> bool {
    let inside = word.trim_end_matches(['.', ',', ';']).strip_prefix('[');
    let inside = inside.and_then(|rest| rest.strip_suffix(']'));
    inside.is_some_and(|inside| {
        !inside.is_empty() && inside.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '-' | '^'))
    })
}

/// Scripts written without spaces.
fn is_dense(c: char) -> bool {
    matches!(c, '\u{0E00}'..='\u{0E7F}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}')
}

#[cfg(test)]
mod tests {
    use super::{has_name, months, names, numbers};

    /// Whether the second text has every number of the first.
    #[track_caller]
    fn check(sentence: &str, told: &str, is_said: bool) {
        let known = numbers(told);
        let lower = told.to_lowercase();
        let says = numbers(sentence)
            .iter()
            .all(|number| known.iter().any(|told| number.is_said_by(told)) || number.is_spelled_in(&lower));
        assert_eq!(says, is_said, "{sentence} / {told}");
    }

    #[test]
    fn a_number_is_the_same_in_another_form_and_rounded_but_not_made_finer() {
        check("It cost 3.5 million euros.", "Der Preis war 3.500.000 Euro.", true);
        check("It cost 3.5 million euros.", "Cost (million euros) | 3.5", true);
        check("It cost 1.2 million.", "It cost 1,234,567.", true);
        check("It cost 1,234,567.", "It cost 1.2 million.", false);
        check("About 100 people came.", "98 people came.", true);
        check("In 2021 100 people came.", "In 2021 98 people came.", false);
        check("It weighs 46 or 45 tonnes.", "It weighs 45.5 tonnes or 45.4.", true);
        check("It weighs 45 tonnes.", "It weighs 45.5 tonnes.", false);
        check("It has 3 towers.", "It has three towers.", true);
        check("It has 4 towers.", "It has three towers.", false);
        check("Der Wert ist 45,5.", "值为45.5亿元。", true);
        check("营收为46亿元。", "Revenue was 45 (2021).", false);
        check("Vitamin B12 is sold in 2021 [7].", "Sold in 2021.", true);
        check("On 31 March 2024 it fell.", "2024-03-31: it fell", true);
        check("On 31.03.2024 it fell.", "It fell on 31 March 2024.", true);
        check("On 30.03.2024 it fell.", "It fell on 31 March 2024.", false);
    }

    #[test]
    fn months_are_known_beside_a_day_or_a_year() {
        for text in ["in March 2024", "am 3. März", "le 3 mars", "2024-03-31", "2024年3月"] {
            assert_eq!(months(text).into_iter().collect::<Vec<_>>(), [3], "{text}");
        }
        assert!(months("they march on, and may rest in 2024").is_empty());
    }

    #[test]
    fn names_are_written_like_names() {
        let of = |text: &str, german: bool| names(text, german).into_iter().collect::<Vec<_>>();
        assert_eq!(of("The pier of Orion's Society in the EU opened in March.", false), ["orion", "society"]);
        assert_eq!(of("Der Umsatz der Firma OpenAI stieg.", true), ["openai"]);
        assert!(has_name("the german pier", "germany") && has_name("in germany", "german"));
        assert!(!has_name("the vega pier", "orion"));
    }
}
