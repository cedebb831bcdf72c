//! Can rules tell what a source does not say? Every claim of WiCE beside its article; weights and bar from the
//! development half only. The weights are learned anew: logistic regression with a ridge, by Newton's steps.

use std::fmt::Write as _;

use probity_evidence::{
    compare::{
        self, ClaimComparison, ComparisonContext, ComparisonRemark, ComparisonSource, PageFacts, RuleLeaning,
        veto,
    },
    locate::locate,
    page::IndexedPage,
};

use super::labelled_data::{self as data, WiceItem, WiceLabel};
use crate::figure::{Figure, MeasurementSize};

/// Passages a comparison looks at.
const PASSAGES: usize = 5;
const GOAL: &str = "precision ≥ 0.93 at recall ≥ 0.45, false alarms ≤ 5 %";
/// How strongly weights are held at zero; chosen by tenfold cross-validation on the development half.
const RIDGE: f64 = 1.0 / 0.3;
/// Newton's steps; ten are enough to settle.
const STEPS: usize = 30;
/// Written weights are rounded to hundredths; twice that leaves room for a sentence that is cut otherwise.
const DRIFT: f64 = 0.02;
/// The weights and the bias.
const UNKNOWNS: usize = veto::COUNT + 1;

/// One labelled claim with what the rules said.
#[derive(Debug, Clone)]
pub struct VetoItem {
    pub id: String,
    pub supported: bool,
    features: [f32; veto::COUNT],
    pub comparison: ClaimComparison,
    claim: String,
}

pub fn measure(_: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let Some(folder) = data::folder() else {
        return data::absent("claims that a page does not bear out", GOAL);
    };
    let dev = check_all(&data::wice(&folder, "claim_dev")?);
    let test = check_all(&data::wice(&folder, "claim_test")?);
    write(&dev, "veto_dev")?;
    write(&test, "veto_test")?;
    let both: Vec<VetoItem> = dev.iter().chain(&test).cloned().collect();
    Ok(vec![
        weights_row(&learn(&dev)),
        row("held out (WiCE test, 358)", &test, true),
        row("both halves (WiCE, 707)", &both, true),
        row("where it was tuned (WiCE dev, 349)", &dev, false),
    ])
}

/// What `look` says of a claim beside the passages of its page.
pub fn beside<T>(
    claim: &str,
    (page, facts): &(IndexedPage, PageFacts),
    look: impl FnOnce(&ComparisonSource<'_>) -> T,
) -> T {
    let passages = locate(claim, page, PASSAGES);
    look(&ComparisonSource { page, facts, passages: &passages, context: ComparisonContext::default() })
}

/// A page, ready for comparisons.
pub fn indexed(text: &str) -> (IndexedPage, PageFacts) {
    let page = IndexedPage::new(text);
    let facts = PageFacts::of(&page);
    (page, facts)
}

/// Every claim beside its article.
pub fn check_all(items: &[WiceItem]) -> Vec<VetoItem> {
    let check = |item: &WiceItem| {
        beside(&item.claim, &indexed(&item.page()), |source| VetoItem {
            id: item.meta.get("id").and_then(|id| id.as_str()).unwrap_or_default().to_owned(),
            supported: item.label == WiceLabel::Supported,
            features: veto::features(&item.claim, &[*source]).map_or([0.0; veto::COUNT], |found| found.0),
            comparison: compare::compare(&item.claim, source),
            claim: item.claim.clone(),
        })
    };
    items.iter().map(check).collect()
}

/// Refuted or not in the source.
pub fn is_vetoed(checked: &VetoItem) -> bool {
    matches!(checked.comparison.leaning, RuleLeaning::Contradicted | RuleLeaning::NotInSource)
}

fn row(what: &str, items: &[VetoItem], judged: bool) -> Figure {
    let count = |wanted: &dyn Fn(&VetoItem) -> bool| items.iter().filter(|item| wanted(item)).count() as f64;
    let right = count(&|item| !item.supported && is_vetoed(item));
    let wrong = count(&|item| item.supported && is_vetoed(item));
    let precision = right / (right + wrong).max(1.0);
    let recall = right / count(&|item| !item.supported).max(1.0);
    let alarms = wrong / count(&|item| item.supported).max(1.0);
    let reached = precision >= 0.93 && recall >= 0.45 && alarms <= 0.05;
    let measured =
        format!("precision {precision:.3}, recall {recall:.3}, false alarms {:.1} %", 100.0 * alarms);
    Figure::judged(&format!("claims not borne out, {what}"), reached || !judged, measured, GOAL)
}

/// Weights, then the bias.
fn learn(items: &[VetoItem]) -> [f64; UNKNOWNS] {
    let mut weights = [0.0; UNKNOWNS];
    for _ in 0..STEPS {
        let (gradient, curvature) = slope(items, &weights);
        let step = solve(curvature, gradient);
        weights.iter_mut().zip(step).for_each(|(weight, step)| *weight -= step);
    }
    weights
}

/// Says whether the weights in the code are those that the data teaches.
fn weights_row(learned: &[f64; UNKNOWNS]) -> Figure {
    let written = veto::WEIGHTS.iter().chain([&veto::BIAS]).map(|weight| f64::from(*weight));
    let off =
        learned.iter().zip(written).map(|(learned, written)| (learned - written).abs()).fold(0.0, f64::max);
    let list: Vec<String> = learned.iter().map(|weight| format!("{weight:.2}")).collect();
    let name = "weights of the veto are those that the development half teaches";
    Figure::judged(name, off <= DRIFT, format!("largest difference {off:.3}"), &format!("at most {DRIFT}"))
        .with_note(format!("learned, the bias last: {}", list.join(", ")))
}

type SquareMatrix = [[f64; UNKNOWNS]; UNKNOWNS];

fn slope(items: &[VetoItem], weights: &[f64; UNKNOWNS]) -> ([f64; UNKNOWNS], SquareMatrix) {
    let mut gradient = [0.0; UNKNOWNS];
    let mut curvature = [[0.0; UNKNOWNS]; UNKNOWNS];
    for item in items {
        let signs: Vec<f64> = item.features.iter().map(|value| f64::from(*value)).chain([1.0]).collect();
        let sum: f64 = signs.iter().zip(weights).map(|(sign, weight)| sign * weight).sum();
        let chance = 1.0 / (1.0 + (-sum).exp());
        let wrong = chance - f64::from(u8::from(!item.supported));
        for ((sign, slope), row) in signs.iter().zip(&mut gradient).zip(&mut curvature) {
            *slope += wrong * sign;
            row.iter_mut()
                .zip(&signs)
                .for_each(|(cell, other)| *cell += chance * (1.0 - chance) * sign * other);
        }
    }
    // The bias is free.
    for (place, ((slope, row), weight)) in
        gradient.iter_mut().zip(&mut curvature).zip(weights).enumerate().take(veto::COUNT)
    {
        *slope += RIDGE * weight;
        row.iter_mut().skip(place).take(1).for_each(|cell| *cell += RIDGE);
    }
    (gradient, curvature)
}

/// Gauss and Jordan; the ridge keeps every pivot away from zero.
fn solve(mut left: SquareMatrix, mut right: [f64; UNKNOWNS]) -> [f64; UNKNOWNS] {
    for pivot in 0..UNKNOWNS {
        let Some(row) = left.get(pivot).copied() else { break };
        let Some(by) = row.get(pivot).copied().filter(|by| by.abs() > 1e-12) else { continue };
        let value = right.get(pivot).copied().unwrap_or(0.0);
        for (place, (other, sum)) in left.iter_mut().zip(&mut right).enumerate() {
            if place == pivot {
                continue;
            }
            let times = other.get(pivot).copied().unwrap_or(0.0) / by;
            other.iter_mut().zip(row).for_each(|(cell, above)| *cell -= times * above);
            *sum -= times * value;
        }
    }
    let mut solved = [0.0; UNKNOWNS];
    for (place, ((cell, row), sum)) in solved.iter_mut().zip(left).zip(right).enumerate() {
        *cell = sum / row.get(place).copied().filter(|by| by.abs() > 1e-12).unwrap_or(1.0);
    }
    solved
}

/// Writes what was seen of each claim, for looking at it.
fn write(items: &[VetoItem], name: &str) -> anyhow::Result<()> {
    let mut text = String::new();
    for item in items {
        let remark = |remark: &ComparisonRemark| {
            format!("{:?} {:?} {} {}", remark.aspect, remark.finding, remark.confidence, remark.reason)
        };
        let line = serde_json::json!({
            "id": item.id, "claim": item.claim, "supported": item.supported,
            "features": item.features.as_slice(), "doubt": item.comparison.doubt,
            "leaning": format!("{:?}", item.comparison.leaning),
            "remarks": item.comparison.remarks.iter().map(remark).collect::<Vec<_>>(),
        });
        writeln!(text, "{line}")?;
    }
    data::save(name, &text)
}
