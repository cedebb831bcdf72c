//! Figures that a report computes from others: read out of its words, and computed again.
//!
//! Only arithmetic: nothing else is ever evaluated. A result holds if it is right as far as its digits are written.

mod expression;
mod inline;

use self::expression::FormulaNumber;
pub use self::{expression::FormulaError, inline::inline_formula};
use crate::value::{Measure, Quantity, QuantityBound, Unit};

/// How far an "about" or a rounded word such as "a third" may be off.
const ABOUT_SHARE: f64 = 0.06;
/// Differences of binary arithmetic.
const ARITHMETIC_SHARE: f64 = 1e-9;

/// One number that goes in.
#[derive(Debug, Clone, PartialEq)]
pub struct FormulaInput {
    /// As the expression calls it, such as `A`.
    pub name: String,
    /// As the report writes it.
    pub text: String,
    pub quantity: Quantity,
}

/// A computation with the result that the report states.
#[derive(Debug, Clone, PartialEq)]
pub struct Formula {
    /// Names, numbers, `+ - × ÷ ^ %` and parentheses.
    pub expression: String,
    pub inputs: Vec<FormulaInput>,
    /// The result as the report writes it.
    pub stated: String,
    pub result: Quantity,
}

#[derive(Debug, Clone, PartialEq)]
pub enum FormulaOutcome {
    Holds,
    /// The correct result, in the unit of the stated one.
    Off {
        computed: f64,
    },
    NotComputable(FormulaError),
}

impl Formula {
    /// Computes the result again and compares it with what is stated.
    pub fn check(&self) -> FormulaOutcome {
        let at = |shifted: Option<(usize, f64)>| {
            expression::evaluate(&self.expression, |name| {
                let place = self.inputs.iter().position(|input| input.name == name)?;
                let input = self.inputs.get(place)?;
                let shift = shifted.filter(|(shifted, _)| *shifted == place).map_or(0.0, |(_, shift)| shift);
                Some(number(&input.quantity, shift))
            })
        };
        let computed = match at(None) {
            Ok(computed) => computed,
            Err(why) => return FormulaOutcome::NotComputable(why),
        };
        // What the rounding of the inputs may hide: each moved by half of its last place.
        let mut slack = 0.0;
        for (place, input) in self.inputs.iter().enumerate() {
            let moved = at(Some((place, rounding(&input.quantity, &input.text))))
                .unwrap_or_else(|_| computed.clone());
            slack += (moved.base - computed.base).abs();
        }
        self.compare(&computed, slack)
    }

    fn compare(&self, computed: &FormulaNumber, slack: f64) -> FormulaOutcome {
        let stated = number(&self.result, 0.0);
        let factor = factor(self.result.unit);
        let is_same = computed.dimensions == stated.dimensions;
        let is_compound =
            computed.dimensions.len() > 1 || computed.dimensions.iter().any(|(_, power)| *power != 1);
        let (found, factor, slack) = if is_same {
            (computed.base, factor, slack)
        } else if is_compound || stated.dimensions.is_empty() || computed.dimensions.is_empty() {
            (computed.written, 1.0, slack / (computed.base / computed.written).abs().max(f64::MIN_POSITIVE))
        } else {
            return FormulaOutcome::NotComputable(FormulaError::UnitsDiffer);
        };
        let figure = figure(&self.stated);
        let wanted = self.result.value * factor;
        let agrees = |wanted: f64, rounding: f64| self.near(found, wanted, slack + rounding);
        // "12 × 3.5 = 42 million": the scale is written once for all of them.
        let is_scaled_once = figure.is_some_and(|figure| {
            figure != 0.0
                && (self.result.value / figure).abs() >= 1e3
                && agrees(figure, self.result.slack * (figure / self.result.value).abs())
        });
        if agrees(wanted, self.result.slack * factor) || is_scaled_once {
            FormulaOutcome::Holds
        } else {
            FormulaOutcome::Off { computed: found / factor }
        }
    }

    fn near(&self, found: f64, wanted: f64, slack: f64) -> bool {
        let slack = slack.abs() + ARITHMETIC_SHARE * wanted.abs();
        match self.result.bound {
            QuantityBound::Exact => (found - wanted).abs() <= slack,
            QuantityBound::About => (found - wanted).abs() <= slack.max(ABOUT_SHARE * wanted.abs()),
            QuantityBound::Above => found >= wanted - slack,
            QuantityBound::Below => found <= wanted + slack,
        }
    }
}

/// What a percent or a unit is worth in the measure's own size.
fn factor(unit: Unit) -> f64 {
    match unit.measure {
        Measure::Percent | Measure::PercentagePoint => 0.01,
        _ => unit.factor,
    }
}

fn number(quantity: &Quantity, shift: f64) -> FormulaNumber {
    let value = quantity.value + shift;
    let is_percent = matches!(quantity.unit.measure, Measure::Percent | Measure::PercentagePoint);
    let dimensions = match quantity.unit.measure {
        Measure::Count | Measure::Percent | Measure::PercentagePoint => Vec::new(),
        measure => vec![(measure, 1)],
    };
    let base = value * factor(quantity.unit);
    FormulaNumber { base, written: if is_percent { base } else { value }, dimensions, is_percent }
}

/// Half of the last written place, for numbers that were rounded at all: 1,204 and 100 are counted, 1.2 million is not.
fn rounding(quantity: &Quantity, text: &str) -> f64 {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let whole = quantity.value.abs().max(1.0).log10().floor() + 1.0;
    let is_counted = quantity.value.fract() == 0.0 && digits as f64 >= whole;
    if is_counted { 0.0 } else { quantity.slack }
}

/// The digits of a text as a number, without scale and unit.
fn figure(text: &str) -> Option<f64> {
    let digits: String = text
        .chars()
        .skip_while(|c| !c.is_ascii_digit())
        .take_while(|c| c.is_ascii_digit() || matches!(c, '.' | ','))
        .collect();
    digits.replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests;
