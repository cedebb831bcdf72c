//! "Before 1935", "after 1986", "not in 1935": a date of the claim that bounds or denies what the page dates.

use super::{Comparison, claim::ClaimFacts, denial};
use crate::{
    names, polarity,
    value::TextDate,
    words::{TextWord, WordKind},
};

/// Words before a date that bound what happened, folded and without diacritics.
const BEFORE: &[&str] = &[
    "before",
    "until",
    "till",
    "by",
    "vor",
    "bis",
    "avant",
    "jusqu'en",
    "antes",
    "hasta",
    "prima",
    "entro",
    "voor",
    "do",
    "przed",
    "до",
    "перед",
];
const AFTER: &[&str] = &[
    "after",
    "since",
    "nach",
    "seit",
    "apres",
    "depuis",
    "despues",
    "desde",
    "dopo",
    "na",
    "po",
    "после",
    "с",
];
/// Words that turn a comparison into a bound: "no later than 1933", "earlier than 1940".
const LATER: &[&str] = &["later", "spater", "tard", "tarde", "tardi", "позднее", "позже"];
const EARLIER: &[&str] = &["earlier", "sooner", "fruher", "tot", "temprano", "prima", "ранее", "раньше"];
const THAN: &[&str] = &["than", "als", "que", "di"];
/// Words before a date that a negation may stand in front of.
const DENIED_REACH: usize = 6;

/// What the claim says of its date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DateBound {
    Before,
    /// "No later than".
    UpTo,
    After,
    /// "No earlier than".
    From,
    /// It was at another time.
    NotThen,
    /// "Three years before": counted from it.
    Counted,
}

/// What the page's date in the place of the claim's says of it: another date contradicts, unless the claim only bounds,
/// denies or counts from its own.
pub(super) fn finding(claim: &ClaimFacts<'_>, mine: &TextDate, theirs: &TextDate) -> Comparison {
    let Some(bound) = bound(claim, mine) else { return Comparison::Differs };
    let order = |date: &TextDate| (date.year, date.month.filter(|_| mine.month.is_some()));
    let (claimed, said) = (order(mine), order(theirs));
    if mine.year.is_none() || theirs.year.is_none() {
        return Comparison::Weakens;
    }
    let holds = match bound {
        DateBound::Before => said < claimed,
        DateBound::UpTo => said <= claimed,
        DateBound::After => said > claimed,
        DateBound::From => said >= claimed,
        DateBound::NotThen => said != claimed,
        // What is counted is computed elsewhere.
        DateBound::Counted => return Comparison::Weakens,
    };
    if holds { Comparison::Agrees } else { Comparison::Differs }
}

/// What a negation before a date does to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NegatedDate {
    /// "Not in 1935".
    Denied,
    /// "No later than 1935".
    Bound,
}

pub(super) fn negation(claim: &ClaimFacts<'_>, mine: &TextDate) -> Option<NegatedDate> {
    match bound(claim, mine)? {
        DateBound::NotThen => Some(NegatedDate::Denied),
        DateBound::UpTo | DateBound::From => Some(NegatedDate::Bound),
        DateBound::Before | DateBound::After | DateBound::Counted => None,
    }
}

fn bound(claim: &ClaimFacts<'_>, mine: &TextDate) -> Option<DateBound> {
    let before: Vec<&TextWord> = claim.words.iter().filter(|word| word.end <= mine.start).collect();
    let plain = |back: usize| {
        let word = before.len().checked_sub(back).and_then(|at| before.get(at));
        word.map(|word| names::plain_token(&word.folded)).unwrap_or_default()
    };
    let (last, second, third) = (plain(1), plain(2), plain(3));
    let is = |list: &[&str], word: &str| list.contains(&word);
    if is(THAN, &last) && (is(LATER, &second) || is(EARLIER, &second)) {
        return Some(match (is(LATER, &second), polarity::negates(&third)) {
            (true, true) => DateBound::UpTo,
            (true, false) => DateBound::After,
            (false, true) => DateBound::From,
            (false, false) => DateBound::Before,
        });
    }
    // "Before July 2010", "prior to 2010", "before the war of 1914": the bound stands right before it.
    let is_prior = last == "to" && second == "prior";
    let is_side = is(BEFORE, &last) || is(AFTER, &last);
    if is_prior || is_side {
        let counted =
            before.iter().rev().skip(1).take(2).any(|word| {
                matches!(word.kind, WordKind::Plain) && is(SPANS, &names::plain_token(&word.folded))
            });
        let side = if is_prior || is(BEFORE, &last) { DateBound::Before } else { DateBound::After };
        return Some(if counted { DateBound::Counted } else { side });
    }
    denial::is_denied(&claim.words, mine.start, DENIED_REACH).then_some(DateBound::NotThen)
}

/// Spans that are counted from a date.
const SPANS: &[&str] = &[
    "year", "years", "month", "months", "week", "weeks", "day", "days", "decade", "decades", "jahre",
    "jahren", "jahr", "monate", "tage", "ans", "annees", "mois", "anos", "meses", "anni", "mesi", "лет",
    "года", "год",
];

#[cfg(test)]
mod tests {
    use super::finding;
    use crate::{
        compare::{ClaimFacts, Comparison},
        value,
    };

    #[track_caller]
    fn check(claim: &str, page: &str, expected: Comparison) {
        let facts = ClaimFacts::of(claim);
        let (mine, theirs) = (facts.values.dates[0], value::values(page).dates[0]);
        assert_eq!(finding(&facts, &mine, &theirs), expected, "{claim}");
    }

    #[test]
    fn a_bound_is_compared_by_its_side() {
        let page = "The bridge opened in 1932.";
        for holds in [
            "The bridge opened before 1935.",
            "The bridge opened no later than 1933.",
            "The bridge opened after 1930.",
            "The bridge did not open in 1935.",
            "Die Brücke wurde vor 1935 eröffnet.",
        ] {
            check(holds, page, Comparison::Agrees);
        }
        for fails in [
            "The bridge opened in 1935.",
            "The bridge opened before 1930.",
            "The bridge opened after 1932.",
            "The bridge opened later than 1933.",
        ] {
            check(fails, page, Comparison::Differs);
        }
        check("The bridge opened three years before 1935.", page, Comparison::Weakens);
    }
}
