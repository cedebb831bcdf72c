//! Quotations that were tampered with must not be found, and honest ones must: seeded cases over real articles.
//!
//! Beside our own check stand two usual ones on the same cases: the text as it is, and a likeness of 0.90.

mod cases;

use std::collections::BTreeMap;

use cases::{QuoteCase, QuoteCaseKind};
use probity_evidence::{anchor::anchor, page::IndexedPage};

use super::labelled_data::{self as data, WiceItem};
use crate::figure::{Figure, MeasurementSize};

/// Cases of each class; some articles have no sentence for some classes.
const CASES_QUICK: usize = 40;
const CASES_FULL: usize = 470;
/// The check was written against another seed and other articles.
const SEED: u64 = 20_261_115;
/// What others take for "the same".
const FUZZY_MIN: f64 = 0.90;
const TAMPERED_MAX: f64 = 0.01;
const BENIGN_MIN: f64 = 0.97;
const NOISE_MIN: f64 = 0.85;

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let Some(folder) = data::folder() else { return data::absent("quotations", "tampered at most 1 %") };
    let texts: Vec<String> = data::wice(&folder, "claim_test")?.iter().map(WiceItem::page).collect();
    let mut rows: BTreeMap<QuoteCaseKind, QuoteTally> = BTreeMap::new();
    for case in cases::cases(&texts, SEED, size.pick(CASES_QUICK, CASES_FULL)) {
        rows.entry(case.class).or_default().add(&case);
    }
    Ok(rows.iter().map(|(class, row)| row.figure(*class)).chain([control(&rows)]).collect())
}

#[derive(Debug, Default)]
struct QuoteTally {
    cases: usize,
    ours: usize,
    as_it_is: usize,
    fuzzy: usize,
}

impl QuoteTally {
    fn add(&mut self, case: &QuoteCase) {
        let found = anchor(&case.quote, &IndexedPage::new(&case.page)).is_some();
        let controls = ControlMatcher::of(&case.page);
        self.cases += 1;
        self.ours += usize::from(found);
        self.as_it_is += usize::from(controls.has_as_it_is(&case.quote));
        self.fuzzy += usize::from(controls.likeness(&case.quote) >= FUZZY_MIN);
    }

    fn share(&self, count: usize) -> f64 {
        count as f64 / self.cases.max(1) as f64
    }

    fn figure(&self, class: QuoteCaseKind) -> Figure {
        let ours = self.share(self.ours);
        let (reached, goal) = match class {
            _ if class.is_tampered() => (ours <= TAMPERED_MAX, format!("at most {TAMPERED_MAX}")),
            QuoteCaseKind::Noise | QuoteCaseKind::NoiseInWords => {
                (ours >= NOISE_MIN, format!("at least {NOISE_MIN}"))
            }
            _ => (ours >= BENIGN_MIN, format!("at least {BENIGN_MIN}")),
        };
        let name = format!("quotations accepted: {}", class.words());
        Figure::judged(&name, reached, format!("{ours:.4}"), &goal).with_note(format!(
            "n = {}; text as it is {:.3}, likeness of {FUZZY_MIN} {:.3}",
            self.cases,
            self.share(self.as_it_is),
            self.share(self.fuzzy)
        ))
    }
}

/// Cases that a likeness lets through: without them the figures above would say nothing.
fn control(rows: &BTreeMap<QuoteCaseKind, QuoteTally>) -> Figure {
    let fooled = [QuoteCaseKind::NumberChanged, QuoteCaseKind::NegationPutIn, QuoteCaseKind::NameChanged];
    let shares: Vec<f64> =
        fooled.iter().filter_map(|class| rows.get(class)).map(|row| row.share(row.fuzzy)).collect();
    let lowest = shares.iter().copied().fold(1.0, f64::min);
    let seen = shares.len() == fooled.len() && lowest > TAMPERED_MAX;
    Figure::judged(
        "tampered quotations that a likeness accepts (control)",
        seen,
        format!("{lowest:.3} or more"),
        "above 0.01",
    )
}

/// The usual checks: the text as it is, and a likeness in percent.
struct ControlMatcher {
    text: Vec<char>,
}

impl ControlMatcher {
    fn of(page: &str) -> Self {
        Self { text: normalised(page) }
    }

    fn has_as_it_is(&self, quote: &str) -> bool {
        let quote = normalised(quote);
        self.text.windows(quote.len().max(1)).any(|window| window == quote)
    }

    /// One minus the letters to change for each letter of the quotation, at the best place of the page.
    fn likeness(&self, quote: &str) -> f64 {
        let quote = normalised(quote);
        // A column of edits, one for each letter of the quotation; it may begin anywhere on the page.
        let mut column: Vec<u32> = (0..=u32::try_from(quote.len()).unwrap_or(u32::MAX)).collect();
        let mut fewest = column.last().copied().unwrap_or(0);
        for letter in &self.text {
            let mut diagonal = 0;
            let mut above = 0;
            for (wanted, cell) in quote.iter().zip(column.iter_mut().skip(1)) {
                let change = diagonal + u32::from(wanted != letter);
                diagonal = *cell;
                above = change.min(diagonal + 1).min(above + 1);
                *cell = above;
            }
            fewest = fewest.min(above);
        }
        1.0 - f64::from(fewest) / quote.len().max(1) as f64
    }
}

fn normalised(text: &str) -> Vec<char> {
    let straight = |c: char| match c {
        '’' | '‘' => '\'',
        '“' | '”' => '"',
        _ => c,
    };
    let lower: String = text.to_lowercase();
    lower.split_whitespace().collect::<Vec<_>>().join(" ").chars().map(straight).collect()
}
