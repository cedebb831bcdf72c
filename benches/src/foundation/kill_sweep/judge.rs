//! What must be true after a kill and a restart, and what was not.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;
use serde_json::Value;

use super::program::{ProgramInstallation, field};
use crate::{kill_harness::KillTally, rig::SimulatorProcess};

/// What one story left behind, counted.
#[derive(Debug, Default, Clone)]
pub struct KillSweepJudgement {
    /// Ids that had been told and are not in the store, or paid work that the store does not know.
    pub lost: Vec<String>,
    /// Tasks with more than one accepted create.
    pub duplicates: Vec<String>,
    /// Statuses that do not tell the truth: for ever pending, free although paid, complete without a report.
    pub untrue: Vec<String>,
    /// Researches shown as `unknown`: the window in which nobody can know.
    pub unknown: usize,
    /// Those of them that the provider had never seen.
    pub unknown_unsent: usize,
    /// Researches that ended with their report.
    pub completed: usize,
    pub cancelled: usize,
    /// Every id in the store.
    pub stored: BTreeSet<String>,
}

/// Kinds of faults.
pub const LOST: &str = "lost";
pub const DUPLICATE: &str = "duplicate";
pub const UNTRUE: &str = "untrue";

impl KillSweepJudgement {
    pub fn into_tally(self) -> KillTally {
        let faults = [(LOST, self.lost), (DUPLICATE, self.duplicates), (UNTRUE, self.untrue)].into();
        let counts = [
            ("unknown", self.unknown),
            ("unknown unsent", self.unknown_unsent),
            ("completed", self.completed),
            ("cancelled", self.cancelled),
        ];
        KillTally { faults, counts: counts.into(), ids: self.stored, ..KillTally::default() }
    }
}

/// What was paid for in a whole sweep and is in no store is lost.
pub fn find_unstored(simulator: &SimulatorProcess, told: &mut KillTally) -> anyhow::Result<()> {
    for id in creates(simulator)?.into_keys().filter(|id| !told.ids.contains(id)).collect::<Vec<_>>() {
        told.fault(LOST, format!("{id} was paid for and is in no store"));
    }
    Ok(())
}

/// Accepted creates per research, as the provider saw them.
pub fn creates(simulator: &SimulatorProcess) -> anyhow::Result<BTreeMap<String, usize>> {
    let ledger = simulator.get("ledger")?;
    let entries = ledger.get("entries").and_then(Value::as_array).context("the ledger has no entries")?;
    let mut creates = BTreeMap::new();
    for entry in entries {
        *creates.entry(field(entry, "task").to_owned()).or_default() += 1;
    }
    Ok(creates)
}

/// Compares the store of `program` with the ids that were told and with the provider's ledger.
pub fn judge(
    program: &ProgramInstallation,
    simulator: &SimulatorProcess,
    told: &BTreeSet<String>,
) -> anyhow::Result<KillSweepJudgement> {
    let rows: BTreeMap<String, Value> =
        program.list()?.into_iter().map(|row| (field(&row, "task_id").to_owned(), row)).collect();
    let mut judged =
        KillSweepJudgement { stored: rows.keys().cloned().collect(), ..KillSweepJudgement::default() };
    let creates = creates(simulator)?;
    for id in told.iter().filter(|id| !rows.contains_key(*id)) {
        judged.lost.push(format!("{id} was told and is not listed"));
    }
    for (id, row) in &rows {
        let paid = creates.get(id).copied().unwrap_or(0);
        if paid > 1 {
            judged.duplicates.push(format!("{id} has {paid} creates"));
        }
        judge_run(program, id, row, paid, &mut judged)?;
    }
    Ok(judged)
}

fn judge_run(
    program: &ProgramInstallation,
    id: &str,
    row: &Value,
    paid: usize,
    judged: &mut KillSweepJudgement,
) -> anyhow::Result<()> {
    let shown = program.run(&["runs", "show", id, "--json"])?;
    let document = shown.json();
    if field(&document, "task_id") != id {
        judged.lost.push(format!("{id} is listed and cannot be shown: {}{}", shown.stdout, shown.stderr));
        return Ok(());
    }
    let status = field(&document, "status");
    let has_report = !field(&document, "report").is_empty();
    let is_free = field(&document, "cost_basis").starts_with("nothing");
    if field(row, "status") != status {
        judged.untrue.push(format!("{id} is listed as {} and shown as {status}", field(row, "status")));
    }
    match status {
        "completed" if has_report && paid > 0 => judged.completed += 1,
        "unknown" => {
            judged.unknown += 1;
            judged.unknown_unsent += usize::from(paid == 0);
        }
        "cancelled" => judged.cancelled += 1,
        other => judged.untrue.push(format!("{id} rests as {other}, report: {has_report}, creates: {paid}")),
    }
    // Cancelled before the provider's id was stored: true if it says that nobody knows what it cost.
    let says_unknown =
        status == "unknown" || status == "cancelled" && field(&document, "cost_basis").starts_with("unknown");
    if paid > 0 && !says_unknown && field(&document, "remote_id").is_empty() {
        judged.untrue.push(format!("{id} was paid for and is shown as {status} without the provider's id"));
    }
    if paid > 0 && is_free {
        judged.untrue.push(format!("{id} was paid for and is shown as free"));
    }
    Ok(())
}
