//! Formulas that a sentence writes in words: "12 × 3.5 = 42", "from 100 to 150, up 50 %", "a total of".
//!
//! Careful on purpose: a sentence with several figures is no formula unless its wording ties them together, because a
//! wrong tie would call a right figure wrong.

use super::{Formula, FormulaInput};
use crate::value::{Measure, Quantity, QuantityBound, QuantityForm, values};

/// Sentences with more figures are lists.
const FIGURES_MAX: usize = 12;
/// Say that the second value is the larger one.
const RISES: &[&str] = &[
    "up ",
    "rise",
    "rose",
    "rising",
    "increas",
    "grew",
    "grow",
    "gain",
    "jump",
    "climb",
    "surg",
    "higher",
    "stieg",
    "gestiegen",
    "anstieg",
    "zunahme",
    "augment",
    "hausse",
    "aument",
    "增长",
    "上升",
    "增加",
    "提高",
    "上涨",
];
/// Say that it is the smaller one.
const FALLS: &[&str] = &[
    "down",
    "fell",
    "fall",
    "drop",
    "declin",
    "decreas",
    "reduc",
    "lower",
    "shrank",
    "shrink",
    "slump",
    "cut",
    "sank",
    "rückgang",
    "gesunken",
    "baisse",
    "diminu",
    "disminu",
    "下降",
    "减少",
    "下跌",
    "降低",
    "下滑",
];
/// Rates over time are not the change between two values.
const RATES: &[&str] = &[
    "cagr",
    "annual",
    "per year",
    "a year",
    "compound",
    "each year",
    "yearly",
    "pro jahr",
    "par an",
    "年均",
    "复合",
    "每年",
];
/// Announce a sum of what was named before.
const TOTALS: &[&str] = &[
    "for a total of",
    "a total of",
    "totaling",
    "totalling",
    "which totals",
    "adding up to",
    "adds up to",
    "add up to",
    "sum of",
    "combined total of",
    "insgesamt",
    "zusammen",
    "au total",
    "en total",
    "合计",
    "共计",
    "总计",
];
/// Announce a difference.
const DIFFERENCES: &[&str] = &[
    "a difference of",
    "a gap of",
    "difference of",
    "eine differenz von",
    "une différence de",
    "una diferencia de",
    "相差",
    "差额为",
];
/// Parts that are said in words, and their worth.
const SHARES: &[(&str, f64)] = &[
    ("three quarters of", 0.75),
    ("three-quarters of", 0.75),
    ("two thirds of", 2.0 / 3.0),
    ("two-thirds of", 2.0 / 3.0),
    ("half of", 0.5),
    ("a third of", 1.0 / 3.0),
    ("one third of", 1.0 / 3.0),
    ("one-third of", 1.0 / 3.0),
    ("a quarter of", 0.25),
    ("one quarter of", 0.25),
    ("one-quarter of", 0.25),
    ("a fifth of", 0.2),
    ("one fifth of", 0.2),
    ("a tenth of", 0.1),
    ("twice", 2.0),
    ("double", 2.0),
    ("three times", 3.0),
    ("triple", 3.0),
    ("four times", 4.0),
    ("ten times", 10.0),
];

/// The computation that a sentence writes down, if there is one.
pub fn inline_formula(words: &str) -> Option<Formula> {
    if !words.chars().any(|c| c.is_ascii_digit()) {
        return None;
    }
    let numbers: Vec<Quantity> = values(words)
        .numbers
        .into_iter()
        .filter(|number| matches!(number.form, QuantityForm::Digits | QuantityForm::Word))
        .collect();
    if numbers.len() < 2 || numbers.len() > FIGURES_MAX {
        return None;
    }
    let sentence = FormulaSentence { words, lower: words.to_lowercase(), numbers };
    sentence
        .equation()
        .or_else(|| sentence.change())
        .or_else(|| sentence.total())
        .or_else(|| sentence.difference())
        .or_else(|| sentence.part_of())
        .or_else(|| sentence.share())
}

struct FormulaSentence<'a> {
    words: &'a str,
    lower: String,
    numbers: Vec<Quantity>,
}

impl FormulaSentence<'_> {
    fn formula(&self, expression: &str, inputs: &[&Quantity], result: &Quantity) -> Formula {
        let text =
            |number: &Quantity| self.words.get(number.start..number.end).unwrap_or_default().to_owned();
        let inputs = inputs.iter().zip('A'..='Z').map(|(number, name)| FormulaInput {
            name: name.to_string(),
            text: text(number),
            quantity: (*number).clone(),
        });
        Formula {
            expression: expression.to_owned(),
            inputs: inputs.collect(),
            stated: text(result),
            result: result.clone(),
        }
    }

    fn gap(&self, from: &Quantity, to: &Quantity) -> &str {
        self.words.get(from.end..to.start).unwrap_or_default()
    }

    fn says(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.lower.contains(word))
    }

    /// Numbers with signs of arithmetic between them and an equals sign after.
    fn equation(&self) -> Option<Formula> {
        let equals = self.words.find(['=', '≈', '＝'])?;
        let about = self.words.get(equals..).is_some_and(|rest| rest.starts_with('≈'));
        let right = self.numbers.iter().find(|number| number.start > equals)?;
        let between =
            self.words.get(equals..right.start)?.trim_start_matches(['=', '≈', '＝', ' ', '~', '约']);
        if between.chars().filter(|c| c.is_alphabetic()).count() > 10 {
            return None;
        }
        let left: Vec<&Quantity> = self.numbers.iter().filter(|number| number.end <= equals).collect();
        let mut expression = String::new();
        let mut inputs: Vec<&Quantity> = Vec::new();
        let mut behind = equals;
        for number in left.into_iter().rev() {
            let sign = sign(self.words.get(number.end..behind)?, inputs.is_empty())?;
            expression = format!("{}{sign}{expression}", char::from(b'Z' - u8::try_from(inputs.len()).ok()?));
            inputs.push(number);
            behind = number.start;
            let before = self.words.get(..number.start)?.trim_end_matches(['$', '€', '£', '¥', ' ', '~']);
            if before.ends_with('(') {
                expression.insert(0, '(');
                behind = before.len() - 1;
            }
            let before = self.words.get(..behind)?.trim_end_matches(['$', '€', '£', '¥', ' ', '~', '(']);
            if !before.ends_with(['+', '-', '−', '–', '×', '*', '·', '÷', '/', 'x', '^']) {
                break;
            }
        }
        if inputs.len() < 2 {
            return None;
        }
        // Read backwards; names go forwards.
        let renamed: String = expression
            .chars()
            .map(|c| {
                if c.is_ascii_uppercase() {
                    char::from(b'A' + (u8::try_from(inputs.len()).unwrap_or(0) - 1 - (b'Z' - c as u8)))
                } else {
                    c
                }
            })
            .collect();
        inputs.reverse();
        let mut formula = self.formula(&renamed, &inputs, right);
        if about && formula.result.bound == QuantityBound::Exact {
            formula.result.bound = QuantityBound::About;
        }
        Some(formula)
    }

    /// "from A to B, up P %": the change in percent, in points or in the unit itself.
    fn change(&self) -> Option<Formula> {
        if self.says(RATES) {
            return None;
        }
        let place = (0..self.numbers.len().saturating_sub(1)).find(|place| self.is_span(*place))?;
        let (from, to) = (self.numbers.get(place)?, self.numbers.get(place + 1)?);
        let rest: Vec<&Quantity> = self
            .numbers
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != place && *at != place + 1)
            .map(|(_, n)| n)
            .collect();
        // With more figures than the change itself it is ambiguous which one is meant.
        let [stated] = rest.as_slice() else { return None };
        let (rises, falls) = (self.says(RISES), self.says(FALLS));
        if rises == falls {
            return None;
        }
        if !self.is_beside(stated, from, to) {
            return None;
        }
        let mut stated = (*stated).clone();
        let is_share = |number: &Quantity| number.unit.measure == Measure::Percent;
        let is_points = stated.unit.measure == Measure::PercentagePoint;
        let expression = match (is_share(from), is_share(&stated), is_points) {
            // Shares that change by percent may be meant either way.
            (true, true, _) => return None,
            (true, false, true) => {
                if rises {
                    "B - A"
                } else {
                    "A - B"
                }
            }
            (false, true, _) => {
                if rises {
                    "(B - A) / A"
                } else {
                    "(A - B) / A"
                }
            }
            (false, false, false) if stated.unit == from.unit && from.unit.measure != Measure::Count => {
                if rises {
                    "B - A"
                } else {
                    "A - B"
                }
            }
            _ => return None,
        };
        if stated.bound == QuantityBound::Exact && self.is_rounded(&stated) {
            stated.bound = QuantityBound::About;
        }
        Some(self.formula(expression, &[from, to], &stated))
    }

    /// The change comes after both values, or right before them with its own word ("a 50% increase from 100
    /// to 150").
    fn is_beside(&self, stated: &Quantity, from: &Quantity, to: &Quantity) -> bool {
        /// Further away it is about something else.
        const GAP_CHARACTERS_MAX: usize = 60;
        let (gap, needs_word) = if stated.start >= to.end {
            (self.gap(to, stated), false)
        } else {
            (self.gap(stated, from), true)
        };
        let lower = gap.to_lowercase();
        let has_word = RISES.iter().chain(FALLS).any(|word| lower.contains(word));
        let is_one_phrase = has_word && !gap.contains([',', '，', '、']);
        gap.chars().count() <= GAP_CHARACTERS_MAX
            && !gap.contains([';', '；'])
            && (is_one_phrase || !needs_word)
    }

    /// Whether words right before a number say that it is rounded; the reader of values knows the common ones.
    fn is_rounded(&self, number: &Quantity) -> bool {
        let before = self.lower.get(..number.start).unwrap_or_default().trim_end();
        [
            "nearly",
            "almost",
            "some",
            "approximately",
            "roughly",
            "around",
            "about",
            "近",
            "约",
            "大约",
            "rund",
            "environ",
        ]
        .iter()
        .any(|word| before.ends_with(word))
    }

    /// "from A … to B" with nothing but units, places and years between.
    fn is_span(&self, place: usize) -> bool {
        let (Some(from), Some(to)) = (self.numbers.get(place), self.numbers.get(place + 1)) else {
            return false;
        };
        let before =
            self.lower.get(..from.start).unwrap_or_default().trim_end_matches(['$', '€', '£', '¥', ' ', '~']);
        let before = before.trim_end_matches("about").trim_end_matches("around").trim_end();
        let begins = ["from", "von", "de", "從", "从", "由"].iter().any(|word| before.ends_with(word));
        let gap = self.gap(from, to).to_lowercase();
        let joins =
            [" to ", " auf ", " à ", " a ", "到", "至", "增至", "降至"].iter().any(|word| gap.contains(word));
        let fits = from.unit.measure == to.unit.measure || from.unit.measure == Measure::Count;
        begins && joins && fits && gap.chars().count() <= 40 && !gap.contains([';', '.', '；', '。'])
    }

    /// Figures of one kind before "a total of".
    fn total(&self) -> Option<Formula> {
        let (at, word) = TOTALS.iter().find_map(|word| self.lower.find(word).map(|at| (at, *word)))?;
        let result = self.numbers.iter().find(|number| number.start >= at + word.len())?;
        if self.words.get(at + word.len()..result.start)?.chars().count() > 12 {
            return None;
        }
        let parts: Vec<&Quantity> = self.numbers.iter().filter(|number| number.end <= at).collect();
        let noun = |number: &Quantity| {
            let rest = self.lower.get(number.end..).unwrap_or_default().trim_start();
            rest.split(|c: char| !c.is_alphabetic())
                .next()
                .unwrap_or_default()
                .trim_end_matches('s')
                .to_owned()
        };
        let is_like = |number: &&Quantity| {
            number.unit.measure == result.unit.measure
                && (number.unit.measure != Measure::Count
                    || !noun(result).is_empty() && noun(number) == noun(result))
        };
        if parts.len() < 2 || !parts.iter().all(is_like) || result.unit.measure == Measure::Percent {
            return None;
        }
        let names: Vec<String> = parts.iter().zip('A'..='Z').map(|(_, name)| name.to_string()).collect();
        Some(self.formula(&names.join(" + "), &parts, result))
    }

    fn difference(&self) -> Option<Formula> {
        let (at, word) = DIFFERENCES.iter().find_map(|word| self.lower.find(word).map(|at| (at, *word)))?;
        let result = self.numbers.iter().find(|number| number.start >= at + word.len())?;
        let parts: Vec<&Quantity> = self.numbers.iter().filter(|number| number.end <= at).collect();
        let [one, two] = parts.as_slice() else { return None };
        let is_points = |measure| matches!(measure, Measure::Percent | Measure::PercentagePoint);
        let fits = |number: &Quantity| {
            number.unit.measure == result.unit.measure
                || is_points(number.unit.measure) && is_points(result.unit.measure)
        };
        if !fits(one) || !fits(two) {
            return None;
        }
        let expression =
            if one.value * one.unit.factor >= two.value * two.unit.factor { "A - B" } else { "B - A" };
        Some(self.formula(expression, &[one, two], result))
    }

    /// "A of the B (P %)", "A out of B, or P %".
    fn part_of(&self) -> Option<Formula> {
        self.numbers.windows(3).find_map(|three| {
            let [part, whole, share] = three else { return None };
            let gap = self.gap(part, whole).to_lowercase();
            let gap = gap.trim();
            let behind = self.gap(whole, share);
            let is_part = matches!(
                gap,
                "of" | "out of" | "of the" | "out of the" | "of all" | "von" | "sur" | "de" | "von den"
            );
            let is_near = behind.chars().count() <= 30 && behind.contains(['(', ',', '，', '（', '—', '–']);
            let fits = share.unit.measure == Measure::Percent
                && part.unit.measure == whole.unit.measure
                && part.unit.measure != Measure::Percent;
            (is_part && is_near && fits).then(|| self.formula("A / B", &[part, whole], share))
        })
    }

    /// "A, about a third of B".
    fn share(&self) -> Option<Formula> {
        self.numbers.windows(2).find_map(|two| {
            let [part, whole] = two else { return None };
            let gap = self.gap(part, whole).to_lowercase();
            let (word, share) = SHARES.iter().find(|(word, _)| gap.contains(word))?;
            let (before, after) = gap.split_once(word)?;
            // "A, a third of the B": anything between ties them to other things.
            let is_tied = before.trim_start().starts_with([',', '(', '—', '–', '-'])
                && before.split_whitespace().count() <= 4
                && matches!(
                    after.trim().trim_end_matches(['$', '€', '£']),
                    "" | "the" | "its" | "the total" | "all" | "as many as" | "that of" | "of"
                );
            if !is_tied || part.unit.measure != whole.unit.measure || whole.bound != QuantityBound::Exact {
                return None;
            }
            let mut result = part.clone();
            if result.bound == QuantityBound::Exact {
                result.bound = QuantityBound::About;
            }
            Some(self.formula(&format!("A * {share}"), &[whole], &result))
        })
    }
}

/// The sign of arithmetic between two numbers, with the parentheses beside it. Nothing for words.
fn sign(gap: &str, is_last: bool) -> Option<String> {
    // "125–160" is a range, and words between are words.
    if gap.split_whitespace().count() > 1 && is_last || matches!(gap, "-" | "–" | "—") {
        return None;
    }
    let mut found = String::new();
    for c in gap.chars() {
        match c {
            '+' | '/' | '^' | '(' | ')' => found.push(c),
            '-' | '−' | '–' => found.push('-'),
            '×' | '*' | '·' | 'x' | '∙' => found.push('*'),
            '÷' => found.push('/'),
            ' ' | '$' | '€' | '£' | '¥' | '~' | '\u{a0}' => {}
            _ => {
                // After the last number a unit that is not known may come before the equals sign.
                if is_last && found.is_empty() && c.is_alphabetic() {
                    continue;
                }
                return None;
            }
        }
    }
    let signs = found.chars().filter(|c| !matches!(c, '(' | ')')).count();
    (signs == usize::from(!is_last)).then_some(found)
}
