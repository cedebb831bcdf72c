//! Numbers, names and units in short texts: enough to see whether a sentence brings one that its evidence has not, and
//! whether two values are the same. The ledger judges more finely; this only decides what is written at all.

use std::collections::BTreeSet;

/// A number with the precision it was written with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    pub value: f64,
    /// Half a unit of the last digit: `1.2 million` means 1.15 to 1.25 million.
    pub slack: f64,
}

impl Figure {
    /// Whether both can be roundings of one value.
    pub fn agrees(self, other: Self) -> bool {
        (self.value - other.value).abs() <= self.slack.max(other.slack) * (1.0 + 1e-9)
    }

    fn times(self, factor: f64) -> Self {
        Self { value: self.value * factor, slack: self.slack * factor }
    }
}

/// The numbers of a text, with words such as `million` behind them taken in.
pub fn figures(text: &str) -> Vec<Figure> {
    let mut found = Vec::new();
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '/' | ';')).collect();
    for (place, word) in words.iter().enumerate() {
        let Some((figure, rest)) = leading_number(word) else { continue };
        let behind = if rest.is_empty() { words.get(place + 1).copied().unwrap_or_default() } else { rest };
        found.push(figure.times(scale(behind).unwrap_or(1.0)));
    }
    found
}

/// The numbers of a text as they can be looked up in another: `1,000` and `1000` are the same.
pub fn number_keys(text: &str) -> BTreeSet<String> {
    let pieces = text.split(|c: char| !(c.is_numeric() || matches!(c, '.' | ',' | '\u{a0}' | '\'')));
    pieces.filter_map(leading_number).map(|(figure, _)| format!("{}", figure.value)).collect()
}

/// Words written like names where no sentence begins. In German every noun is: there only what holds a digit or two
/// capitals counts.
pub fn name_keys(text: &str, nouns_are_capitals: bool) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut begins = true;
    for word in text.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let capitals = bare.chars().filter(|c| c.is_uppercase()).count();
        let starts = bare.chars().next().is_some_and(char::is_uppercase);
        let is_name = capitals > 1 || (starts && !begins && !nouns_are_capitals);
        if is_name && bare.chars().count() > 1 {
            found.insert(bare.to_lowercase());
        }
        begins = word.ends_with(['.', '!', '?', ':', '“', '"']);
    }
    found
}

/// Words that German sentences have and others have not.
const GERMAN: &[&str] = &["der", "die", "das", "und", "von", "des", "dem", "den", "für", "mit"];

/// Whether a text is in a language that writes every noun with a capital.
pub fn has_capital_nouns(text: &str) -> bool {
    text.split_whitespace().any(|word| GERMAN.contains(&word))
}

/// Byte ranges of the names in a text: words with a capital one after the other, not the first of a sentence.
pub fn names(text: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    if has_capital_nouns(text) {
        return found;
    }
    let mut begins = true;
    let mut goes_on = false;
    let mut at = 0;
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_name = !begins && bare.chars().next().is_some_and(char::is_uppercase) && bare.len() > 1;
        let start = at + word.find(bare).unwrap_or_default();
        if is_name {
            match found.last_mut().filter(|_| goes_on) {
                Some(last) => last.1 = start + bare.len(),
                None => found.push((start, start + bare.len())),
            }
        }
        goes_on = is_name && word.ends_with(bare);
        begins = word.ends_with(['.', '!', '?', ':', '“', '"']);
        at += piece.len();
    }
    found
}

/// Whether `text` has a number or a name that none of `evidence` has.
pub fn brings_new(text: &str, evidence: &str, nouns_are_capitals: bool) -> bool {
    let known = number_keys(evidence);
    if number_keys(text).iter().any(|number| !known.contains(number)) {
        return true;
    }
    let told = evidence.to_lowercase();
    name_keys(text, nouns_are_capitals).iter().any(|name| !told.contains(name.as_str()))
}

/// The number at the beginning of a word, and what follows it there: `$1.2bn` gives 1.2 and `bn`.
fn leading_number(word: &str) -> Option<(Figure, &str)> {
    let start = word.find(|c: char| c.is_ascii_digit())?;
    if word.get(..start)?.chars().any(char::is_alphanumeric) {
        return None;
    }
    let negative = word.get(..start)?.ends_with(['-', '−']);
    let rest = word.get(start..)?;
    let end = rest
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '\u{a0}' | '\'')))
        .unwrap_or(rest.len());
    let digits = rest.get(..end)?.trim_end_matches(['.', ',', '\'', '\u{a0}']);
    let behind = rest.get(digits.len()..)?.trim_start_matches(['.', ',']);
    let (whole, fraction) = parts(digits);
    let value: f64 = format!("{whole}.{fraction}0").parse().ok()?;
    let places = i32::try_from(fraction.len()).ok()?;
    let signed = if negative { -value } else { value };
    Some((Figure { value: signed, slack: 0.5 * 10_f64.powi(-places) }, behind))
}

/// Digits before and after the decimal sign. A single group of three behind a separator counts thousands.
fn parts(digits: &str) -> (String, String) {
    let plain = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let marks: Vec<(usize, char)> = digits.char_indices().filter(|(_, c)| matches!(c, '.' | ',')).collect();
    let Some((last, mark)) = marks.last().copied() else { return (plain(digits), String::new()) };
    let tail = digits.get(last + 1..).unwrap_or_default();
    let several_kinds = marks.iter().any(|(_, other)| *other != mark);
    let repeated = marks.len() > 1 && !several_kinds;
    let head_digits = plain(digits.get(..last).unwrap_or_default());
    let groups =
        repeated || (!several_kinds && tail.len() == 3 && head_digits != "0" && head_digits.len() <= 3);
    if groups { (plain(digits), String::new()) } else { (head_digits, plain(tail)) }
}

fn scale(word: &str) -> Option<f64> {
    let bare: String = word.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    Some(match bare.as_str() {
        "thousand" | "tausend" | "mille" | "mil" | "k" | "千" => 1e3,
        "million" | "millions" | "millionen" | "mio" | "mn" | "m" | "millones" => 1e6,
        "billion" | "billions" | "bn" | "b" | "milliarde" | "milliarden" | "mrd" | "milliard"
        | "milliards" => 1e9,
        "trillion" | "trillions" | "tn" => 1e12,
        "万" => 1e4,
        "亿" => 1e8,
        _ => return None,
    })
}

/// What a unit measures, and how many of the common unit it is. Units that are not known are their own dimension.
pub fn dimension(unit: &str) -> (String, f64) {
    let lower = unit.to_lowercase();
    let mut factor = 1.0;
    let mut words: Vec<&str> = Vec::new();
    for word in lower.split(|c: char| c.is_whitespace() || c == '-').filter(|word| !word.is_empty()) {
        match scale(word).filter(|_| !matches!(word, "m" | "b" | "k")) {
            Some(scale) => factor *= scale,
            None => words.push(word),
        }
    }
    let bare = words.join(" ");
    let bare = bare.trim_matches(['.', ',']);
    let (name, of_unit) = match bare {
        "%" | "percent" | "per cent" | "prozent" | "pct" => ("%", 1.0),
        "$" | "usd" | "us$" | "dollar" | "dollars" | "us dollars" => ("usd", 1.0),
        "€" | "eur" | "euro" | "euros" => ("eur", 1.0),
        "£" | "gbp" | "pound" | "pounds" => ("gbp", 1.0),
        "kg" | "kilogram" | "kilograms" => ("mass", 1.0),
        "g" | "gram" | "grams" => ("mass", 1e-3),
        "t" | "tonne" | "tonnes" | "tons" | "ton" | "tonnen" => ("mass", 1e3),
        "m" | "metre" | "metres" | "meter" | "meters" => ("length", 1.0),
        "km" | "kilometre" | "kilometres" | "kilometer" | "kilometers" => ("length", 1e3),
        "cm" => ("length", 1e-2),
        "mm" => ("length", 1e-3),
        "ft" | "foot" | "feet" => ("length", 0.3048),
        "mi" | "mile" | "miles" => ("length", 1609.344),
        "w" => ("power", 1.0),
        "kw" => ("power", 1e3),
        "mw" => ("power", 1e6),
        "gw" => ("power", 1e9),
        "tw" => ("power", 1e12),
        "wh" => ("energy", 1.0),
        "kwh" => ("energy", 1e3),
        "mwh" => ("energy", 1e6),
        "gwh" => ("energy", 1e9),
        "twh" => ("energy", 1e12),
        "s" | "second" | "seconds" => ("time", 1.0),
        "min" | "minute" | "minutes" => ("time", 60.0),
        "h" | "hour" | "hours" => ("time", 3_600.0),
        "day" | "days" => ("time", 86_400.0),
        "kt" | "kilotonne" | "kilotonnes" | "kilotonnen" | "kilotons" => ("mass", 1e6),
        "l" | "litre" | "litres" | "liter" | "liters" => ("volume", 1.0),
        "ml" | "millilitre" | "millilitres" | "milliliter" | "milliliters" => ("volume", 1e-3),
        "m³" | "m3" | "cubic metre" | "cubic metres" | "cubic meter" | "cubic meters" | "kubikmeter" => {
            ("volume", 1e3)
        }
        "watt" | "watts" => ("power", 1.0),
        "kilowatt" | "kilowatts" => ("power", 1e3),
        "megawatt" | "megawatts" => ("power", 1e6),
        "gigawatt" | "gigawatts" => ("power", 1e9),
        "kilowatt hour" | "kilowatt hours" | "kilowattstunden" => ("energy", 1e3),
        "megawatt hour" | "megawatt hours" | "megawattstunden" => ("energy", 1e6),
        "gigawatt hour" | "gigawatt hours" | "gigawattstunden" => ("energy", 1e9),
        "terawatt hour" | "terawatt hours" | "terawattstunden" => ("energy", 1e12),
        "sekunde" | "sekunden" => ("time", 1.0),
        "minuten" => ("time", 60.0),
        "stunde" | "stunden" => ("time", 3_600.0),
        "tag" | "tage" | "tagen" => ("time", 86_400.0),
        other => match ratio(other) {
            Some((name, of_unit)) => return (name, factor * of_unit),
            None => (other.strip_suffix('s').unwrap_or(other), 1.0),
        },
    };
    (name.to_owned(), factor * of_unit)
}

/// So much of one for each of another: `km/h`, `dollars per tonne`.
fn ratio(unit: &str) -> Option<(String, f64)> {
    let marks = [" per ", "/", " je ", " pro ", " par ", " por "];
    let (above, below) = marks.iter().find_map(|mark| unit.split_once(*mark))?;
    let (above, below) = (above.trim(), below.trim());
    if above.is_empty() || below.is_empty() {
        return None;
    }
    let ((over, times), (under, parts)) = (dimension(above), dimension(below));
    Some((format!("{over}/{under}"), times / parts))
}

#[cfg(test)]
mod tests {
    use super::{brings_new, dimension, figures};

    #[track_caller]
    fn check(text: &str, values: &[f64]) {
        let found: Vec<f64> = figures(text).iter().map(|figure| figure.value).collect();
        assert_eq!(found, values, "{text}");
    }

    #[test]
    fn numbers_are_read_as_written() {
        check("about 1,234.5 and 1.234,5 things", &[1234.5, 1234.5]);
        check("12,000 people, 3.5 million euros, $1.2bn", &[12_000.0, 3_500_000.0, 1_200_000_000.0]);
        check("0.125 or 1.5 % in 2024.", &[0.125, 1.5, 2024.0]);
        check("no digits, B12 neither", &[]);
    }

    #[test]
    fn roundings_agree_and_others_do_not() {
        let one = |text| figures(text).first().copied().unwrap();
        assert!(one("1.2 million").agrees(one("1,234,567")));
        assert!(!one("1.2 million").agrees(one("1.4 million")));
        assert!(one("12").agrees(one("12.4")) && !one("12.0").agrees(one("12.4")));
    }

    #[test]
    fn units_of_one_dimension_share_it() {
        assert_eq!(dimension("GWh").0, dimension("kWh").0);
        assert_eq!(dimension("million tonnes"), ("mass".to_owned(), 1e9));
        assert_ne!(dimension("USD").0, dimension("EUR").0);
        assert_eq!(dimension("visitors").0, dimension("visitor").0);
        assert_eq!(dimension("kilotonnes"), ("mass".to_owned(), 1e6));
        assert_eq!(dimension("gigawatt-hours"), dimension("GWh"));
        assert_eq!(dimension("dollars per tonne"), dimension("USD/t"));
        assert_eq!(dimension("Dollar je Tonne"), dimension("dollars per tonne"));
        assert_ne!(dimension("dollars per tonne").0, dimension("dollars").0);
        assert_eq!(dimension("per head").0, "per head");
    }

    #[test]
    fn an_inference_brings_nothing_of_its_own() {
        let told = "Output rose to 12 GW in 2024 at Orion Power, the largest maker.";
        assert!(!brings_new("Taken together, Orion grew until 2024.", told, false));
        assert!(brings_new("It will reach 15 GW.", told, false));
        assert!(brings_new("So Acme Corp will follow.", told, false));
        assert!(!brings_new("Das Wachstum der Firma hält an.", told, true));
    }
}
