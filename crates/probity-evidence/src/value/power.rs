//! Powers of ten behind a number.

use super::{number::Quantity, scan::ScanPiece};

/// `3 × 10⁹`, `2.5 x 10^6`.
pub fn power_of_ten(pieces: &[ScanPiece<'_>], place: usize, quantity: &mut Quantity) -> usize {
    const EXPONENT_MAX: i32 = 30;
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let text = |offset: usize| pieces.get(place + offset).map_or("", |piece| piece.text);
    let is_tight = |offset: usize| pieces.get(place + offset).is_some_and(|piece| !piece.apart);
    if !matches!(text(0), "×" | "x" | "·" | "⋅" | "*") || text(1) != "10" || !is_tight(2) {
        return 0;
    }
    let (mut exponent, mut taken) = (None, 2);
    if text(2) == "^" && is_tight(3) {
        exponent = text(3).parse::<i32>().ok();
        taken = 4;
    }
    while let Some(digit) = RAISED.iter().position(|raised| text(taken).starts_with(*raised))
        && is_tight(taken)
        && exponent.unwrap_or(0) <= EXPONENT_MAX
    {
        exponent = i32::try_from(digit).ok().map(|digit| 10 * exponent.unwrap_or(0) + digit);
        taken += 1;
    }
    let Some(exponent) = exponent.filter(|exponent| (1..=EXPONENT_MAX).contains(exponent)) else { return 0 };
    let times = 10_f64.powi(exponent);
    quantity.value *= times;
    quantity.other = quantity.other.map(|other| other * times);
    quantity.slack = quantity.slack.max(if quantity.slack == 0.0 { 0.5 } else { 0.0 }) * times;
    taken
}
