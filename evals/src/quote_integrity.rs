//! Quotations that were tampered with must not be found, and honest ones must: seeded cases over real articles.
//!
//! Beside our own check stand two usual ones on the same cases: the text as it is, and a likeness of 0.90.

mod cases;
mod controls;

use std::collections::BTreeMap;

use cases::{QuoteCase, QuoteCaseKind};
use controls::{ControlMatcher, FUZZY_MIN};
use probity_evidence::{anchor::anchor, page::IndexedPage};

use crate::{
    data,
    outcome::{EvalExtent, EvalOutcome},
};

/// Cases of each class; some articles have no sentence for some classes.
const CASES_QUICK: usize = 40;
const CASES_FULL: usize = 470;
/// The check was written against another seed and other articles.
const SEED: u64 = 20_261_115;
const TAMPERED_MAX: f64 = 0.01;
const BENIGN_MIN: f64 = 0.97;
const NOISE_MIN: f64 = 0.85;

pub fn measure(extent: EvalExtent) -> anyhow::Result<Vec<EvalOutcome>> {
    let folder = match data::folder() {
        Ok(folder) => folder,
        Err(why) => return Ok(vec![EvalOutcome::skipped("quotations", "tampered at most 1 %", why)]),
    };
    let rows = table(&folder, "claim_test", SEED, extent.pick(CASES_QUICK, CASES_FULL))?;
    let mut outcomes: Vec<EvalOutcome> = rows.iter().map(|(class, row)| row.outcome(*class)).collect();
    outcomes.push(control(&rows));
    Ok(outcomes)
}

/// Every class on the articles of one file.
pub fn table(
    folder: &std::path::Path,
    file: &str,
    seed: u64,
    per_class: usize,
) -> anyhow::Result<BTreeMap<QuoteCaseKind, QuoteTally>> {
    let texts: Vec<String> = data::wice(folder, file)?.iter().map(data::WiceItem::page).collect();
    let mut rows: BTreeMap<QuoteCaseKind, QuoteTally> = BTreeMap::new();
    for case in cases::cases(&texts, seed, per_class) {
        rows.entry(case.class).or_default().add(&case);
    }
    Ok(rows)
}

#[derive(Debug, Default)]
pub struct QuoteTally {
    pub cases: usize,
    pub ours: usize,
    pub as_it_is: usize,
    pub fuzzy: usize,
    /// For looking at what went wrong while working on the check.
    pub wrong: Vec<String>,
}

impl QuoteTally {
    fn add(&mut self, case: &QuoteCase) {
        let page = IndexedPage::new(&case.page);
        let found = anchor(&case.quote, &page).is_some();
        if found == case.class.is_tampered() {
            self.wrong.push(case.quote.clone());
        }
        let controls = ControlMatcher::of(&case.page);
        self.cases += 1;
        self.ours += usize::from(found);
        self.as_it_is += usize::from(controls.has_as_it_is(&case.quote));
        self.fuzzy += usize::from(controls.likeness(&case.quote) >= FUZZY_MIN);
    }

    fn share(&self, count: usize) -> f64 {
        count as f64 / self.cases.max(1) as f64
    }

    fn outcome(&self, class: QuoteCaseKind) -> EvalOutcome {
        let ours = self.share(self.ours);
        let (reached, goal) = match class {
            _ if class.is_tampered() => (ours <= TAMPERED_MAX, format!("at most {TAMPERED_MAX}")),
            QuoteCaseKind::Noise | QuoteCaseKind::NoiseInWords => {
                (ours >= NOISE_MIN, format!("at least {NOISE_MIN}"))
            }
            _ => (ours >= BENIGN_MIN, format!("at least {BENIGN_MIN}")),
        };
        let name = format!("quotations accepted: {}", class.name());
        EvalOutcome::new(name, reached, format!("{ours:.4}"), goal).with_note(format!(
            "n = {}; text as it is {:.3}, likeness of {FUZZY_MIN} {:.3}",
            self.cases,
            self.share(self.as_it_is),
            self.share(self.fuzzy)
        ))
    }
}

/// Cases that a likeness lets through: without them the figures above would say nothing.
fn control(rows: &BTreeMap<QuoteCaseKind, QuoteTally>) -> EvalOutcome {
    let fooled = [QuoteCaseKind::NumberChanged, QuoteCaseKind::NegationPutIn, QuoteCaseKind::NameChanged];
    let shares: Vec<f64> =
        fooled.iter().filter_map(|class| rows.get(class)).map(|row| row.share(row.fuzzy)).collect();
    let lowest = shares.iter().copied().fold(1.0, f64::min);
    let seen = shares.len() == fooled.len() && lowest > TAMPERED_MAX;
    EvalOutcome::new(
        "tampered quotations that a likeness accepts (control)",
        seen,
        format!("{lowest:.3} or more"),
        "above 0.01",
    )
}
