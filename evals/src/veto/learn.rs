//! Learns the weights of `veto` from labelled claims: logistic regression with a little ridge, by plain descent.

use std::fmt::Write as _;

use anyhow::Context;
use probity_evidence::compare::veto;

use super::Checked;

/// Writes what was seen of each claim, for looking at it.
pub fn write(items: &[Checked], name: &str) -> anyhow::Result<()> {
    let mut text = String::new();
    for item in items {
        let remarks: Vec<String> = item
            .comparison
            .remarks
            .iter()
            .map(|remark| {
                format!("{:?} {:?} {} {}", remark.aspect, remark.finding, remark.confidence, remark.reason)
            })
            .collect();
        let line = serde_json::json!({
            "id": item.id,
            "supported": item.supported,
            "features": item.features.as_slice(),
            "doubt": item.comparison.doubt,
            "leaning": format!("{:?}", item.comparison.leaning),
            "remarks": remarks,
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

const _: usize = veto::COUNT;
