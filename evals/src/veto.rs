//! Can rules tell what a source does not say? Every claim of WiCE beside its article; weights and bar from the
//! development half only.

pub mod learn;

use probity_evidence::{
    compare::{self, Comparison, Context, Leaning, PageFacts, Source, veto},
    locate,
    page::Page,
};

use crate::{
    data::{self, Wice, WiceLabel},
    outcome::{Extent, Outcome},
};

/// Passages a comparison looks at.
pub const PASSAGES: usize = 5;

/// One labelled claim with what the rules said.
#[derive(Debug, Clone)]
pub struct Checked {
    pub id: String,
    pub supported: bool,
    pub features: [f32; veto::COUNT],
    pub comparison: Comparison,
    pub claim: String,
}

pub fn measure(_extent: Extent) -> anyhow::Result<Vec<Outcome>> {
    let folder = match data::folder() {
        Ok(folder) => folder,
        Err(why) => return Ok(vec![Outcome::skipped("claims that a page does not bear out", GOAL, why)]),
    };
    let dev = checked(&data::wice(&folder, "claim_dev")?);
    let test = checked(&data::wice(&folder, "claim_test")?);
    learn::write(&dev, "veto_dev")?;
    learn::write(&test, "veto_test")?;
    let learned = learn::learn(&dev);
    let both: Vec<Checked> = dev.iter().chain(&test).cloned().collect();
    Ok(vec![
        learn::row(&learned),
        row("held out (WiCE test, 358)", &test, true),
        row("both halves (WiCE, 707)", &both, true),
        row("where it was tuned (WiCE dev, 349)", &dev, false),
    ])
}

const GOAL: &str = "precision ≥ 0.93 at recall ≥ 0.45, false alarms ≤ 5 %";

/// Every claim beside its article.
pub fn checked(items: &[Wice]) -> Vec<Checked> {
    items.iter().map(check).collect()
}

fn check(item: &Wice) -> Checked {
    let page = Page::new(&item.page());
    let facts = PageFacts::of(&page);
    let passages = locate::locate(&item.claim, &page, PASSAGES);
    let source = Source { page: &page, facts: &facts, passages: &passages, context: Context::default() };
    let features = veto::features(&item.claim, &[source]).map_or([0.0; veto::COUNT], |features| features.0);
    let comparison = compare::compare(&item.claim, &source);
    let id = item.meta.get("id").and_then(|id| id.as_str()).unwrap_or_default().to_owned();
    Checked {
        id,
        supported: item.label == WiceLabel::Supported,
        features,
        comparison,
        claim: item.claim.clone(),
    }
}

/// Refuted or not in the source.
pub fn vetoed(checked: &Checked) -> bool {
    matches!(checked.comparison.leaning, Leaning::Contradicted | Leaning::NotInSource)
}

/// How a yes-or-no test does: precision, recall and false alarms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quality {
    pub precision: f64,
    pub recall: f64,
    pub false_alarms: f64,
}

pub fn quality(items: &[Checked], flagged: impl Fn(&Checked) -> bool) -> Quality {
    let count = |wanted: &dyn Fn(&Checked) -> bool| items.iter().filter(|item| wanted(item)).count() as f64;
    let right = count(&|item| !item.supported && flagged(item));
    let wrong = count(&|item| item.supported && flagged(item));
    Quality {
        precision: right / (right + wrong).max(1.0),
        recall: right / count(&|item| !item.supported).max(1.0),
        false_alarms: wrong / count(&|item| item.supported).max(1.0),
    }
}

fn row(what: &str, items: &[Checked], judged: bool) -> Outcome {
    let found = quality(items, vetoed);
    let reached = found.precision >= 0.93 && found.recall >= 0.45 && found.false_alarms <= 0.05;
    let measured = format!(
        "precision {:.3}, recall {:.3}, false alarms {:.1} %",
        found.precision,
        found.recall,
        100.0 * found.false_alarms
    );
    Outcome::judged(format!("claims not borne out, {what}"), reached || !judged, measured, GOAL)
}
