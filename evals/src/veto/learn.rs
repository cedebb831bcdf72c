//! Learns the weights of `veto` from labelled claims: logistic regression with a ridge, by Newton's steps.

use std::fmt::Write as _;

use anyhow::Context;
use probity_evidence::compare::veto;

use super::VetoItem;
use crate::outcome::EvalOutcome;

/// How strongly weights are held at zero; chosen by tenfold cross-validation on the development half.
const RIDGE: f64 = 1.0 / 0.3;
/// Newton's steps; ten are enough to settle.
const STEPS: usize = 30;
/// Written weights are rounded to hundredths; twice that leaves room for a sentence that is cut otherwise.
const DRIFT: f64 = 0.02;
/// The weights and the bias.
const UNKNOWNS: usize = veto::COUNT + 1;

/// Weights, then the bias.
pub fn learn(items: &[VetoItem]) -> [f64; UNKNOWNS] {
    let mut weights = [0.0; UNKNOWNS];
    for _ in 0..STEPS {
        let (gradient, curvature) = slope(items, &weights);
        let step = solve(curvature, gradient);
        weights.iter_mut().zip(step).for_each(|(weight, step)| *weight -= step);
    }
    weights
}

/// Says whether the weights in the code are those that the data teaches.
pub fn row(learned: &[f64; UNKNOWNS]) -> EvalOutcome {
    let written = veto::WEIGHTS.iter().chain([&veto::BIAS]).map(|weight| f64::from(*weight));
    let off =
        learned.iter().zip(written).map(|(learned, written)| (learned - written).abs()).fold(0.0, f64::max);
    let list: Vec<String> = learned.iter().map(|weight| format!("{weight:.2}")).collect();
    EvalOutcome::new(
        "weights of the veto are those that the development half teaches",
        off <= DRIFT,
        format!("largest difference {off:.3}"),
        format!("at most {DRIFT}"),
    )
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
pub fn write(items: &[VetoItem], name: &str) -> anyhow::Result<()> {
    let mut text = String::new();
    for item in items {
        let remark = |remark: &probity_evidence::compare::ComparisonRemark| {
            format!("{:?} {:?} {} {}", remark.aspect, remark.finding, remark.confidence, remark.reason)
        };
        let line = serde_json::json!({
            "id": item.id,
            "claim": item.claim,
            "supported": item.supported,
            "features": item.features.as_slice(),
            "doubt": item.comparison.doubt,
            "leaning": format!("{:?}", item.comparison.leaning),
            "remarks": item.comparison.remarks.iter().map(remark).collect::<Vec<_>>(),
        });
        writeln!(text, "{line}")?;
    }
    save(name, &text)
}

/// Per-item results lie in `target/evals`, so that a figure can be traced to its claims.
pub fn save(name: &str, text: &str) -> anyhow::Result<()> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/evals");
    std::fs::create_dir_all(&folder).context("making target/evals")?;
    std::fs::write(folder.join(format!("{name}.jsonl")), text).with_context(|| format!("writing {name}"))
}
