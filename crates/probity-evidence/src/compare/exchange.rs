//! An amount of money that a page has in another currency, with the rate between the two on the same page.
//!
//! No rate is known here: without one on the page an amount in another currency stays what it is, another amount.

use super::{
    ComparisonSource,
    derive::{Derivation, NearbyNumber, is_meant, shown, size},
    page_comparison::sentence_at,
};
use crate::value::{Measure, Quantity, unit};

/// Amounts of a page that are looked at for a rate; a list of prices has more and no rate.
const AMOUNTS_MAX: usize = 200;
/// Bytes beside an amount that name the other side of a rate: "1.08 dollars per euro".
const BESIDE_BYTES: usize = 32;

/// How the claimed amount follows from one nearby and a rate of the page.
pub(super) fn derivation(
    claimed: &Quantity,
    nearby: &[NearbyNumber<'_>],
    source: &ComparisonSource<'_>,
) -> Option<Derivation> {
    let to = claimed.unit.measure;
    if !to.is_currency() || claimed.value == 0.0 {
        return None;
    }
    let others =
        nearby.iter().filter(|near| near.number.unit.measure != to && near.number.unit.measure.is_currency());
    others.filter(|near| size(near.number) != 0.0).find_map(|near| {
        let from = near.number.unit.measure;
        let rate = rates(source, from, to)
            .into_iter()
            .find(|rate| rate.written != *near && is_meant(claimed, size(near.number) * rate.factor, true))?;
        shown(&[*near, rate.written], "the same at the page's rate", true)
    })
}

/// What one unit of a currency is in another, with the amount that says so.
struct ExchangeRate<'a> {
    factor: f64,
    written: NearbyNumber<'a>,
}

/// "One euro was 1.08 dollars", "1.08 dollars to the euro", in either direction.
fn rates<'a>(source: &ComparisonSource<'a>, from: Measure, to: Measure) -> Vec<ExchangeRate<'a>> {
    let (page, numbers) = (source.page, &source.facts.values.numbers);
    let amounts: Vec<&Quantity> = numbers
        .iter()
        .filter(|number| [from, to].contains(&number.unit.measure) && size(number) > 0.0)
        .take(AMOUNTS_MAX)
        .collect();
    let mut rates = Vec::new();
    for amount in &amounts {
        let sentence =
            sentence_at(page, amount.start).map_or((0, 0), |sentence| (sentence.start, sentence.end));
        let other = if amount.unit.measure == from { to } else { from };
        let one_stands_there = amounts.iter().any(|one| {
            one.unit.measure == other && size(one) == 1.0 && (sentence.0..sentence.1).contains(&one.start)
        });
        let is_rate = one_stands_there || names_beside(page.text(), amount, sentence, other);
        if is_rate && (amount.unit.measure == to || size(amount) != 1.0) {
            let factor = if amount.unit.measure == to { size(amount) } else { 1.0 / size(amount) };
            let written = NearbyNumber {
                number: amount,
                sentence: sentence.0,
                written: page.text().get(amount.start..amount.end).unwrap_or_default(),
            };
            rates.push(ExchangeRate { factor, written });
        }
    }
    rates
}

/// Whether the other currency is named beside an amount, without an amount of its own.
fn names_beside(text: &str, amount: &Quantity, sentence: (usize, usize), other: Measure) -> bool {
    let from = text.floor_char_boundary(amount.start.saturating_sub(BESIDE_BYTES)).max(sentence.0);
    let to = text.floor_char_boundary(amount.end + BESIDE_BYTES).min(sentence.1);
    let sides = [text.get(from..amount.start), text.get(amount.end..to)];
    let names = |side: &str| {
        let lower = side.to_lowercase();
        let has_no_digit = !lower.contains(|letter: char| letter.is_numeric());
        let mut words = lower.split(|letter: char| !letter.is_alphanumeric() && !"€$£¥₽₹".contains(letter));
        has_no_digit && words.any(|word| unit::unit(word).is_some_and(|unit| unit.measure == other))
    };
    sides.into_iter().flatten().any(names)
}
