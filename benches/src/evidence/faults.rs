//! Faults that models put into sentences, planted by rule: what changes, and what stays true.

use super::{frozen_web::names, seeded_random::SeededRandom};
use crate::named_kinds::named_kinds;

/// Full names; `May` is a verb as well.
const MONTHS: &str = "January February March April June July August September October November December";

named_kinds! {
    /// What is wrong with a sentence of a report.
    pub enum SentenceFault {
        Number = "altered number",
        Negation = "inserted or removed negation",
        Name = "swapped name",
        Date = "altered date",
        Unit = "altered unit",
        FabricatedQuotation = "fabricated quotation",
        QuotedNumber = "altered number in a quotation",
        QuotedNegation = "altered negation in a quotation",
        QuotedName = "altered name in a quotation",
        WrongSource = "wrong source",
        InventedAddress = "invented address",
        DeadAddress = "dead address",
        DanglingLabel = "dangling number of a source",
        UncitedNumber = "uncited number",
        Copies = "four copies as four sources",
        PoisonedCopy = "poisoned copy",
        PageInstruction = "instruction on the page",
        /// Nothing: as it stands on the page.
        Verbatim = "clean: word for word",
        /// Nothing: between quotation marks, as it stands on the page.
        TrueQuotation = "clean: quoted",
        /// Nothing: other words for the same.
        Reworded = "clean: reworded by rule",
    }
}

impl SentenceFault {
    pub fn is_clean(self) -> bool {
        matches!(self, Self::Verbatim | Self::TrueQuotation | Self::Reworded)
    }
}

/// A number of the sentence that is no year and no day, with one digit changed.
pub fn other_number(sentence: &str, random: &mut SeededRandom) -> Option<String> {
    let places: Vec<(usize, usize)> =
        numerals(sentence).into_iter().filter(|(start, end)| !is_dated(sentence, *start, *end)).collect();
    let (start, end) = *random.pick(&places)?;
    let old = sentence.get(start..end)?;
    let digits: Vec<usize> =
        old.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at).collect();
    let at = *random.pick(&digits)?;
    let was = old.get(at..=at)?.parse::<usize>().ok()?;
    // Never a leading zero, never the same.
    let becomes = if at == 0 { 1 + (was + random.below(8)) % 9 } else { (was + 1 + random.below(9)) % 10 };
    let new = format!("{}{becomes}{}", old.get(..at)?, old.get(at + 1..)?);
    (new != old).then(|| spliced(sentence, start, end, &new))
}

/// Another year, or another month.
pub fn other_date(sentence: &str, random: &mut SeededRandom) -> Option<String> {
    let years: Vec<(usize, usize)> =
        numerals(sentence).into_iter().filter(|(start, end)| is_year(sentence, *start, *end)).collect();
    if let Some((start, end)) = random.pick(&years).copied() {
        let year: usize = sentence.get(start..end)?.parse().ok()?;
        let by = 1 + random.below(9);
        let new = if random.chance(0.5) || year + by > 2025 { year - by } else { year + by };
        return Some(spliced(sentence, start, end, &new.to_string()));
    }
    let month = MONTHS.split(' ').find(|month| has_word(sentence, month))?;
    let others: Vec<&str> = MONTHS.split(' ').filter(|other| *other != month).collect();
    Some(sentence.replacen(month, random.pick(&others)?, 1))
}

/// The unit behind a number exchanged for another of its kind.
pub fn other_unit(sentence: &str) -> Option<String> {
    const UNITS: &str = "million=billion billion=million thousand=million miles=kilometers kilometers=miles \
        kilometres=miles km=miles feet=meters meters=feet metres=feet inches=feet acres=hectares \
        hectares=acres pounds=tons tons=pounds tonnes=pounds kg=pounds years=months months=years \
        weeks=months days=weeks hours=days minutes=hours seconds=minutes mph=km/h dollars=euros";
    for (start, end) in numerals(sentence) {
        let behind = sentence.get(end..)?;
        let lead = behind.len() - behind.trim_start_matches([' ', '-']).len();
        let word: String = behind.chars().skip(lead).take_while(|c| c.is_alphabetic() || *c == '/').collect();
        if lead == 0 || lead > 1 || is_dated(sentence, start, end) {
            continue;
        }
        let mut units = UNITS.split(' ').filter_map(|pair| pair.split_once('='));
        if let Some((old, new)) = units.find(|(old, _)| *old == word) {
            let from = end + lead;
            return Some(spliced(sentence, from, from + old.len(), new));
        }
    }
    None
}

/// `not` put in behind the first auxiliary verb, or taken out.
pub fn negated(sentence: &str) -> Option<String> {
    if has_word(sentence, "not") {
        return Some(sentence.replacen(" not ", " ", 1)).filter(|new| new != sentence);
    }
    const NEGATIONS: [&str; 8] = ["no", "never", "none", "nor", "neither", "without", "nothing", "cannot"];
    if NEGATIONS.iter().any(|word| has_word(sentence, word))
        || sentence.contains("n't")
        || sentence.contains("n’t")
    {
        return None;
    }
    const AUXILIARIES: &str = "is,was,are,were,has been,had been,will,could,would,can";
    let (at, verb) = AUXILIARIES
        .split(',')
        .filter_map(|verb| sentence.find(&format!(" {verb} ")).map(|at| (at, verb)))
        .min_by_key(|(at, _)| *at)?;
    // `has been` becomes `has not been`.
    let first = verb.split(' ').next()?.len() + 1;
    let place = at + first;
    Some(format!("{} not{}", sentence.get(..place)?, sentence.get(place..)?))
}

/// A name of the sentence exchanged for one of `others` that the page does not have.
pub fn other_name(
    sentence: &str,
    page: &str,
    others: &[String],
    random: &mut SeededRandom,
) -> Option<String> {
    let own = names(sentence);
    let old = (*random.pick(&own)?).to_owned();
    for _ in 0..50 {
        let new = random.pick(others)?;
        if *new != old && !has_word(page, new) {
            return Some(sentence.replacen(&old, new, 1)).filter(|altered| altered != sentence);
        }
    }
    None
}

/// Other words for the same, where a rule knows some.
pub fn reworded(sentence: &str) -> Option<String> {
    const SWAPS: &[&str] = &[
        " percent=%| per cent=%| two = 2 | three = 3 | four = 4 | five = 5 | six = 6 | seven = 7 ",
        " eight = 8 | nine = 9 | ten = 10 | began = started | approximately = about | however, = ",
        " also = | did not = didn't | was not = wasn't | is not = isn't | purchased = bought ",
        " because = since | large = big | and = as well as ",
    ];
    let mut new = sentence.to_owned();
    for (old, other) in SWAPS.iter().flat_map(|line| line.split('|')).filter_map(|pair| pair.split_once('='))
    {
        new = new.replacen(old, other, 1);
    }
    new = without_separators(&new);
    (new != sentence).then_some(new)
}

/// `12,500` as `12500`.
fn without_separators(sentence: &str) -> String {
    let letters: Vec<char> = sentence.chars().collect();
    let digit =
        |place: Option<usize>| place.and_then(|place| letters.get(place)).is_some_and(char::is_ascii_digit);
    let keep = |(place, letter): (usize, &char)| {
        let between = *letter == ','
            && digit(place.checked_sub(1))
            && (1..=3).all(|step| digit(Some(place + step)))
            && !digit(Some(place + 4));
        (!between).then_some(*letter)
    };
    letters.iter().enumerate().filter_map(keep).collect()
}

/// Byte ranges of numbers written in digits, such as `1,250.5`.
pub fn numerals(sentence: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = None;
    let bytes = sentence.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    for (at, byte) in bytes.iter().enumerate() {
        let inside = byte.is_ascii_digit()
            || (start.is_some()
                && matches!(byte, b',' | b'.')
                && digit(at + 1)
                && digit(at.saturating_sub(1)));
        match (start, inside) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                found.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    found.extend(start.map(|from| (from, bytes.len())));
    // Parts of words and ranges say something else.
    let alone = |(start, end): &(usize, usize)| {
        let before = start.checked_sub(1).and_then(|at| bytes.get(at));
        let behind = bytes.get(*end);
        before.is_none_or(|byte| matches!(byte, b' ' | b'$'))
            && behind.is_none_or(|byte| matches!(byte, b' ' | b',' | b'.' | b'%' | b'-' | b';'))
    };
    found.into_iter().filter(alone).collect()
}

fn is_year(sentence: &str, start: usize, end: usize) -> bool {
    let year = sentence.get(start..end).and_then(|text| text.parse::<usize>().ok());
    end - start == 4 && year.is_some_and(|year| (1700..=2026).contains(&year))
}

/// A year, or a day beside its month.
fn is_dated(sentence: &str, start: usize, end: usize) -> bool {
    const SHORT: &str = "May Jan Feb Mar Apr Jun Jul Aug Sept Oct Nov Dec";
    let before = sentence.get(..start).and_then(|text| text.split_whitespace().last()).unwrap_or_default();
    let behind = sentence.get(end..).and_then(|text| text.split_whitespace().next()).unwrap_or_default();
    let month = |word: &str| {
        let word = word.trim_matches(['.', ',']);
        MONTHS.split(' ').chain(SHORT.split(' ')).any(|month| month == word)
    };
    is_year(sentence, start, end) || month(before) || month(behind)
}

fn spliced(text: &str, start: usize, end: usize, new: &str) -> String {
    format!("{}{new}{}", text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default())
}

pub fn has_word(text: &str, word: &str) -> bool {
    text.split(|letter: char| !letter.is_alphanumeric()).any(|part| part == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_changes_what_it_says_and_nothing_else() {
        let mut random = SeededRandom::seeded(7);
        let sentence = "The bridge was 1,250 meters long and opened on 5 March 1932 in Norwick.";
        let number = other_number(sentence, &mut random).unwrap();
        assert!(number.contains(" meters long and opened on 5 March 1932") && number != sentence, "{number}");
        let date = other_date(sentence, &mut random).unwrap();
        assert!(date.contains("1,250") && !date.contains("1932"), "{date}");
        assert_eq!(other_unit(sentence).unwrap(), sentence.replace("meters", "feet"));
        assert_eq!(negated(sentence).unwrap(), sentence.replace("was", "was not"));
        assert_eq!(negated("It was not so.").unwrap(), "It was so.");
        assert_eq!(negated("It never was so."), None);
        let name = other_name(sentence, sentence, &["Norwick".to_owned(), "Basel".to_owned()], &mut random);
        assert_eq!(name.unwrap(), sentence.replace("Norwick", "Basel"));
        assert_eq!(
            reworded(sentence).unwrap(),
            "The bridge was 1250 meters long as well as opened on 5 March 1932 in Norwick."
        );
    }
}
