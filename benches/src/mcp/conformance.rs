//! The official MCP conformance suite, judging our transport with the suite's own fixtures behind it, and the
//! product in the checks that need no fixture.

use std::{ffi::OsString, path::PathBuf, time::Duration};

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
    let fixtures = run(&["--server".into(), rig::built("probity-conformance")?.into_os_string()])?;
    let mut figures: Vec<Figure> =
        SETS.iter().map(|set| of_set(set, &fixtures)).collect::<anyhow::Result<_>>()?;
    let baseline = checks().join("product-baseline.yml").into_os_string();
    let program = rig::built("probity")?.into_os_string();
    figures.push(of_product(&run(&["--product".into(), program, "--baseline".into(), baseline])?)?);
    Ok(figures)
}

fn name(set: &str) -> String {
    format!("MCP conformance suite, requirement set {set}")
}

fn checks() -> PathBuf {
    rig::repository().join(CHECKS)
}

fn installed() -> bool {
    rig::repository().join(".tools/mcp/node/node_modules/@modelcontextprotocol/conformance").is_dir()
}

/// What the runner says; it ends with 1 if a check failed and with 2 if it could not judge.
fn run(arguments: &[OsString]) -> anyhow::Result<Value> {
    let finished = rig::run(rig::command(checks().join("run")).args(arguments), LIMIT)?;
    ensure!(finished.in_time, "the suite did not end within {LIMIT:?}");
    ensure!(
        matches!(finished.status.code(), Some(0 | 1)),
        "the suite did not run: {}",
        finished.stderr.trim()
    );
    Ok(finished.json())
}

/// How many checks ended how. Warnings are among the failed ones.
#[derive(Default)]
struct ConformanceCounts {
    passed: u64,
    /// Of those that passed: every message of a scenario fits the protocol's schema, whatever it says.
    schema: u64,
    failed: u64,
    expected: u64,
    skipped: u64,
    scenarios: u64,
    failing: Vec<String>,
}

impl ConformanceCounts {
    fn add(&mut self, set: &str, report: &Value) -> anyhow::Result<()> {
        let summary = report.pointer(&format!("/sets/{set}")).context("the runner left out a set")?;
        let count =
            |key: &str| summary.get(key).and_then(Value::as_u64).context("the runner left out a count");
        self.passed += count("passed")?;
        self.schema += count("schema")?;
        self.failed += count("failed")?;
        self.expected += count("expected")?;
        self.skipped += count("skipped")?;
        self.scenarios += count("scenarios")?;
        let word =
            |check: &Value, key: &str| check.get(key).and_then(Value::as_str).unwrap_or("?").to_owned();
        let failing = summary.get("failing").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let named = |check| format!("{}:{}", word(check, "scenario"), word(check, "check"));
        self.failing.extend(failing.iter().map(named));
        Ok(())
    }

    fn figure(&self, name: &str, mut notes: Vec<String>) -> Figure {
        let measured = format!("{} of {} checks", self.passed, self.passed + self.failed);
        if !self.failing.is_empty() {
            notes.push(format!("failing: {}", self.failing.join(", ")));
        }
        let reached = self.failed == 0 && self.passed > 0;
        Figure::judged(name, reached, measured, GOAL).with_note(notes.join("; "))
    }
}

fn of_set(set: &str, report: &Value) -> anyhow::Result<Figure> {
    let mut counts = ConformanceCounts::default();
    counts.add(set, report)?;
    let mut notes = vec![format!("{} scenarios; warnings count as failures", counts.scenarios)];
    notes.push(format!("{} of the checks are that all messages fit the schema", counts.schema));
    if counts.skipped > 0 {
        notes.push(format!("{} skipped by the suite itself", counts.skipped));
    }
    Ok(counts.figure(&name(set), notes))
}

fn of_product(report: &Value) -> anyhow::Result<Figure> {
    let mut counts = ConformanceCounts::default();
    for set in SETS {
        counts.add(set, report)?;
    }
    let mut notes =
        vec![format!("both sets; {} more are in a reviewed baseline, with the reason", counts.expected)];
    notes.push(format!("{} of the checks are that all messages fit the schema", counts.schema));
    let stale = report.get("stale").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if !stale.is_empty() {
        // An entry that no longer fails hides the day it fails again.
        counts.failed += stale.len() as u64;
        let entries: Vec<&str> = stale.iter().filter_map(Value::as_str).collect();
        notes.push(format!("in the baseline although they pass: {}", entries.join(", ")));
    }
    Ok(counts.figure(PRODUCT, notes))
}
