//! Can rules tell what a source does not say? Every claim of WiCE beside its article; weights and bar from the
//! development half only.

pub mod learn;

use probity_evidence::{
    compare::{self, ClaimComparison, ComparisonContext, ComparisonSource, PageFacts, RuleLeaning, veto},
    locate,
    page::IndexedPage,
};

use crate::{
    data::{self, WiceItem, WiceLabel},
    outcome::{EvalExtent, EvalOutcome},
};

/// Passages a comparison looks at.
pub const PASSAGES: usize = 5;

/// One labelled claim with what the rules said.
#[derive(Debug, Clone)]
pub struct VetoItem {
    pub id: String,
    pub supported: bool,
    pub features: [f32; veto::COUNT],
    pub comparison: ClaimComparison,
    pub claim: String,
}

pub fn measure(_extent: EvalExtent) -> anyhow::Result<Vec<EvalOutcome>> {
    let folder = match data::folder() {
        Ok(folder) => folder,
        Err(why) => return Ok(vec![EvalOutcome::skipped("claims that a page does not bear out", GOAL, why)]),
    };
    let dev = check_all(&data::wice(&folder, "claim_dev")?);
    let test = check_all(&data::wice(&folder, "claim_test")?);
    learn::write(&dev, "veto_dev")?;
    learn::write(&test, "veto_test")?;
    let learned = learn::learn(&dev);
    let both: Vec<VetoItem> = dev.iter().chain(&test).cloned().collect();
    Ok(vec![
        learn::row(&learned),
        row("held out (WiCE test, 358)", &test, true),
        row("both halves (WiCE, 707)", &both, true),
        row("where it was tuned (WiCE dev, 349)", &dev, false),
    ])
}

const GOAL: &str = "precision ≥ 0.93 at recall ≥ 0.45, false alarms ≤ 5 %";

/// Every claim beside its article.
pub fn check_all(items: &[WiceItem]) -> Vec<VetoItem> {
    items.iter().map(check).collect()
}

fn check(item: &WiceItem) -> VetoItem {
    let page = IndexedPage::new(&item.page());
    let facts = PageFacts::of(&page);
    let passages = locate::locate(&item.claim, &page, PASSAGES);
    let source = ComparisonSource {
        page: &page,
        facts: &facts,
        passages: &passages,
        context: ComparisonContext::default(),
    };
    let features = veto::features(&item.claim, &[source]).map_or([0.0; veto::COUNT], |features| features.0);
    let comparison = compare::compare(&item.claim, &source);
    let id = item.meta.get("id").and_then(|id| id.as_str()).unwrap_or_default().to_owned();
    VetoItem {
        id,
        supported: item.label == WiceLabel::Supported,
        features,
        comparison,
        claim: item.claim.clone(),
    }
}

/// Refuted or not in the source.
pub fn is_vetoed(checked: &VetoItem) -> bool {
    matches!(checked.comparison.leaning, RuleLeaning::Contradicted | RuleLeaning::NotInSource)
}

/// How a yes-or-no test does: precision, recall and false alarms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClassifierQuality {
    pub precision: f64,
    pub recall: f64,
    pub false_alarms: f64,
}

pub fn quality(items: &[VetoItem], flagged: impl Fn(&VetoItem) -> bool) -> ClassifierQuality {
    let count = |wanted: &dyn Fn(&VetoItem) -> bool| items.iter().filter(|item| wanted(item)).count() as f64;
    let right = count(&|item| !item.supported && flagged(item));
    let wrong = count(&|item| item.supported && flagged(item));
    ClassifierQuality {
        precision: right / (right + wrong).max(1.0),
        recall: right / count(&|item| !item.supported).max(1.0),
        false_alarms: wrong / count(&|item| item.supported).max(1.0),
    }
}

fn row(what: &str, items: &[VetoItem], judged: bool) -> EvalOutcome {
    let found = quality(items, is_vetoed);
    let reached = found.precision >= 0.93 && found.recall >= 0.45 && found.false_alarms <= 0.05;
    let measured = format!(
        "precision {:.3}, recall {:.3}, false alarms {:.1} %",
        found.precision,
        found.recall,
        100.0 * found.false_alarms
    );
    EvalOutcome::new(format!("claims not borne out, {what}"), reached || !judged, measured, GOAL)
}
