//! The official MCP conformance suite, judging our transport with the suite's own fixtures behind it, and the
//! product in the checks that need no fixture.

use std::{collections::BTreeMap, ffi::OsString, path::Path, time::Duration};

use anyhow::{Context as _, ensure};
use serde_json::Value;

use crate::{
    figure::{Figure, MeasurementSize},
    rig,
};

const SETS: [&str; 2] = ["2025-11-25", "2026-07-28"];
const PRODUCT: &str = "MCP conformance suite against the product, without the suite's own tools";
const CHECKS: &str = "crates/probity-conformance/checks";
/// Fifteen seconds on an idle machine.
const LIMIT: Duration = Duration::from_secs(600);
const GOAL: &str = "all";

/// The suite takes seconds, so CI runs all of it.
pub fn measure(_size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    if !installed() {
        let why = format!("the suite is not installed; run {CHECKS}/install");
        let names = SETS.iter().map(|set| name(set)).chain([PRODUCT.to_owned()]);
        return Ok(names.map(|name| Figure::skipped(&name, GOAL, &why)).collect());
    }
    let checks = rig::repository().join(CHECKS);
    let run = |arguments: &[OsString]| judged(&checks.join("run"), arguments, LIMIT);
    let fixtures = run(&["--server".into(), rig::built("probity-conformance")?.into()])?;
    let mut figures = Vec::new();
    for set in SETS {
        figures.push(figure(&name(set), &[set], &fixtures)?);
    }
    let baseline = checks.join("product-baseline.yml").into();
    let product = run(&["--product".into(), rig::built("probity")?.into(), "--baseline".into(), baseline])?;
    figures.push(figure(PRODUCT, &SETS, &product)?);
    Ok(figures)
}

fn name(set: &str) -> String {
    format!("MCP conformance suite, requirement set {set}")
}

fn installed() -> bool {
    rig::repository().join(".tools/mcp/node/node_modules/@modelcontextprotocol/conformance").is_dir()
}

/// What a runner of checks says; it ends with 1 if one failed and with 2 if it could not judge.
pub fn judged(runner: &Path, arguments: &[OsString], limit: Duration) -> anyhow::Result<Value> {
    let finished = rig::run(rig::command(runner).args(arguments), limit)?;
    ensure!(finished.in_time, "{} did not end within {limit:?}", runner.display());
    let judged = matches!(finished.status.code(), Some(0 | 1));
    ensure!(judged, "{} did not run: {}", runner.display(), finished.stderr.trim());
    Ok(finished.json())
}

/// A member that is text, for people to read.
pub fn word(of: &Value, key: &str) -> String {
    of.get(key).and_then(Value::as_str).unwrap_or("?").to_owned()
}

/// How many checks ended how; `schema` says how many of them are that all messages fit the protocol's schema.
fn figure(name: &str, sets: &[&str], report: &Value) -> anyhow::Result<Figure> {
    let (mut counts, mut failing) = (BTreeMap::<&str, u64>::new(), Vec::new());
    for set in sets {
        let summary = report.pointer(&format!("/sets/{set}")).context("the runner left out a set")?;
        for key in ["passed", "schema", "failed", "expected", "skipped", "scenarios"] {
            *counts.entry(key).or_default() +=
                summary.get(key).and_then(Value::as_u64).context("the runner left out a count")?;
        }
        let failed = summary.get("failing").and_then(Value::as_array).into_iter().flatten();
        failing.extend(failed.map(|check| format!("{}:{}", word(check, "scenario"), word(check, "check"))));
    }
    let count = |key: &str| counts.get(key).copied().unwrap_or_default();
    let mut notes = vec![match sets {
        [_] => format!("{} scenarios; warnings count as failures", count("scenarios")),
        _ => format!("both sets; {} more are in a reviewed baseline, with the reason", count("expected")),
    }];
    notes.push(format!("{} of the checks are that all messages fit the schema", count("schema")));
    if sets.len() == 1 && count("skipped") > 0 {
        notes.push(format!("{} skipped by the suite itself", count("skipped")));
    }
    let stale = report.get("stale").and_then(Value::as_array).into_iter().flatten();
    let stale: Vec<&str> = stale.filter_map(Value::as_str).collect();
    if !stale.is_empty() {
        notes.push(format!("in the baseline although they pass: {}", stale.join(", ")));
    }
    if !failing.is_empty() {
        notes.push(format!("failing: {}", failing.join(", ")));
    }
    // An entry of the baseline that no longer fails hides the day it fails again.
    let (passed, failed) = (count("passed"), count("failed") + stale.len() as u64);
    let measured = format!("{passed} of {} checks", passed + failed);
    Ok(Figure::judged(name, failed == 0 && passed > 0, measured, GOAL).with_note(notes.join("; ")))
}
