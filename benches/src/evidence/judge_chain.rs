//! What recorded judges gain behind our checks: a claim is supported only if the judge says so and nothing speaks
//! against it. The judges saw the gold evidence; our checks read the whole article.

use std::{collections::BTreeMap, fmt::Write as _};

use anyhow::Context;
use probity_evidence::compare::veto::SUPPORT_DOUBT_MAX;

use super::{
    labelled_data as data,
    veto::{self, VetoItem},
};
use crate::figure::{Figure, MeasurementSize};

/// The recorded judges, and the score from which each says "supported": half, or for answers in words the full one.
const JUDGES: [(&str, f64); 4] =
    [("gpt-3.5-turbo-0613", 1.0), ("gpt-4-0613", 1.0), ("t5-3b-anli", 0.5), ("t5-3b-anli-wice", 0.5)];
/// The bar keeps this share of the development half's supported claims.
const KEPT_SHARE: f64 = 0.95;
/// The bar is written down with two digits, rounded up so that it keeps no fewer.
const ROUNDED: f32 = 0.01;
const GOAL_BAR: &str = "the program uses what the development half teaches";
const GOAL: &str = "balanced accuracy at least equal, false support at most half of the judge alone";

pub fn measure(_: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let Some(folder) = data::folder() else { return data::absent("judges behind the checks", GOAL) };
    let taught = bar(&veto::check_all(&data::wice(&folder, "claim_dev")?));
    let test = veto::check_all(&data::wice(&folder, "claim_test")?);
    let mut lines = String::new();
    // The program's bar is the one that the development half teaches.
    let same = (taught - SUPPORT_DOUBT_MAX).abs() <= ROUNDED;
    let measured = format!("{taught:.3} taught, {SUPPORT_DOUBT_MAX:.2} used");
    let mut rows = vec![Figure::judged("doubt above which no judge is believed", same, measured, GOAL_BAR)];
    for (judge, from) in JUDGES {
        let path = folder.join("wice").join(format!("score_{judge}.json"));
        let text = std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        let scores: BTreeMap<String, f64> = serde_json::from_str(&text).context("reading recorded scores")?;
        let mut seen = Vec::new();
        for item in &test {
            let Some(score) = scores.get(&item.id) else { continue };
            let alone = *score >= from;
            let chained = alone && !veto::is_vetoed(item) && item.comparison.doubt <= SUPPORT_DOUBT_MAX;
            let line = serde_json::json!({
                "judge": judge, "id": item.id, "supported": item.supported, "score": score, "alone": alone,
                "behind_checks": chained, "doubt": item.comparison.doubt, "leaning": format!("{:?}", item.comparison.leaning),
            });
            writeln!(lines, "{line}")?;
            seen.push((item.supported, alone, chained));
        }
        rows.push(row(judge, &seen));
    }
    data::save("judge_chain", &lines)?;
    Ok(rows)
}

/// The doubt that at most one in twenty supported claims of the development half exceeds.
fn bar(dev: &[VetoItem]) -> f32 {
    let supported = dev.iter().filter(|item| item.supported);
    let mut doubts: Vec<f32> = supported.map(|item| item.comparison.doubt).collect();
    doubts.sort_by(f32::total_cmp);
    let place = (KEPT_SHARE * doubts.len() as f64).ceil() as usize;
    doubts.get(place.saturating_sub(1)).copied().unwrap_or(f32::INFINITY)
}

/// Balanced accuracy and the share of unsupported claims that pass.
fn quality(seen: &[(bool, bool, bool)], said: impl Fn(&(bool, bool, bool)) -> bool) -> (f64, f64) {
    let share = |supported: bool| {
        let of: Vec<_> = seen.iter().filter(|one| one.0 == supported).collect();
        of.iter().filter(|one| said(one)).count() as f64 / (of.len() as f64).max(1.0)
    };
    let (found, passed) = (share(true), share(false));
    ((found + 1.0 - passed) / 2.0, passed)
}

fn row(judge: &str, seen: &[(bool, bool, bool)]) -> Figure {
    let (alone, chained) = (quality(seen, |one| one.1), quality(seen, |one| one.2));
    let reached = chained.0 >= alone.0 && chained.1 <= alone.1 / 2.0;
    let measured = format!(
        "balanced accuracy {:.3} -> {:.3}, false support {:.3} -> {:.3}",
        alone.0, chained.0, alone.1, chained.1
    );
    let positives = seen.iter().filter(|one| one.0).count();
    let note = format!(
        "{} claims, {positives} supported, so about ±0.09; the judge saw gold evidence; bar {SUPPORT_DOUBT_MAX:.2} from the development half",
        seen.len()
    );
    Figure::judged(&format!("{judge} behind the checks"), reached, measured, GOAL).with_note(note)
}
