//! Figures that count on another scale than those of the sentence beside them: a total of several, or one per week beside one
//! per night. They are computed, not looked up: nothing in that sentence contradicts them.

use super::claim::ClaimFacts;
use crate::{
    names,
    value::Quantity,
    words::{self, TextWord},
};

/// Words by which a claim adds up, folded and without diacritics.
const TOTALS: &[&str] = &[
    "together",
    "total",
    "totalled",
    "totaled",
    "combined",
    "altogether",
    "overall",
    "sum",
    "zusammen",
    "insgesamt",
    "gesamt",
    "ensemble",
    "total",
    "juntos",
    "juntas",
    "insieme",
    "totale",
    "samen",
    "totaal",
    "razem",
    "lacznie",
    "вместе",
    "всего",
];
/// The same where no words are spaced.
const DENSE_TOTALS: &[&str] = &["共", "合计", "合計", "总计", "總計", "一共", "加起来"];
/// Words before what a rate counts by.
const PER: &[&str] = &["per", "each", "every", "a", "an", "pro", "je", "par", "por", "al", "per"];
/// Spans by which rates count; plurals and other forms have the same beginning.
const SPANS: &[&str] = &[
    "second",
    "minute",
    "hour",
    "day",
    "night",
    "week",
    "month",
    "quarter",
    "year",
    "sekunde",
    "stunde",
    "tag",
    "nacht",
    "woche",
    "monat",
    "jahr",
    "heure",
    "jour",
    "nuit",
    "semaine",
    "mois",
    "hora",
    "dia",
    "noche",
    "semana",
    "mes",
    "ano",
    "giorno",
    "settimana",
    "mese",
    "anno",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OtherScale {
    /// It may be the total of several figures.
    Total,
    /// It counts by another span of time.
    Rate,
}

impl OtherScale {
    pub fn reason(self, written: &str) -> String {
        match self {
            Self::Total => format!("{written} is not on the page, but may be a total of its figures"),
            Self::Rate => format!("the page counts {written} by another span of time"),
        }
    }
}

/// How a figure of the claim counts otherwise than the sentence; none where both count alike.
pub(super) fn of(
    claim: &ClaimFacts<'_>,
    number: &Quantity,
    sentence: &str,
    page: &[Quantity],
) -> Option<OtherScale> {
    let theirs = words::words(sentence);
    let (mine_by, theirs_by) = (rate(&claim.words), rate(&theirs));
    if mine_by.is_some() && theirs_by.is_some() && mine_by != theirs_by {
        return Some(OtherScale::Rate);
    }
    let totals = |text: &str, words: &[TextWord]| {
        words.iter().any(|word| TOTALS.contains(&names::plain_token(&word.folded).as_str()))
            || (!text.is_ascii() && DENSE_TOTALS.iter().any(|part| text.contains(part)))
    };
    // A total is more than each of its parts, and has at least two.
    let parts =
        page.iter().filter(|other| other.unit.measure == number.unit.measure && other.value < number.value);
    let is_largest = !page.iter().any(|other| {
        other.unit.measure == number.unit.measure && other.value >= number.value && !other.agrees(number)
    });
    let adds = totals(claim.text, &claim.words) && !totals(sentence, &theirs);
    (adds && is_largest && parts.count() >= 2).then_some(OtherScale::Total)
}

/// The span that a text counts by: "per week".
fn rate(words: &[TextWord]) -> Option<&'static str> {
    let plain = |word: &TextWord| names::plain_token(&word.folded);
    words.windows(2).find_map(|pair| {
        let [first, second] = pair else { return None };
        let by = plain(second);
        let span = SPANS.iter().find(|span| by.starts_with(**span) && by.len() <= span.len() + 2)?;
        PER.contains(&plain(first).as_str()).then_some(*span)
    })
}

#[cfg(test)]
mod tests {
    use super::{OtherScale, of};
    use crate::{compare::ClaimFacts, value};

    #[track_caller]
    fn check(claim: &str, page: &str, expected: Option<OtherScale>) {
        let facts = ClaimFacts::of(claim);
        let number = &facts.values.numbers[0];
        assert_eq!(of(&facts, number, page, &value::values(page).numbers), expected, "{claim}");
    }

    #[test]
    fn totals_and_rates_count_on_their_own_scale() {
        let votes = "Ferrand received 18,204 votes, Brill 17,950 votes and Tan 2,310 votes.";
        check("Together they received 38,464 votes.", votes, Some(OtherScale::Total));
        check("They received 38,464 votes.", votes, None);
        check("Together they received 3,000 votes.", votes, None);
        let sleep = "Walkers slept 22 minutes longer per night.";
        check("Walkers slept 2.6 hours longer per week.", sleep, Some(OtherScale::Rate));
        check("Walkers slept 25 minutes longer per night.", sleep, None);
    }
}
