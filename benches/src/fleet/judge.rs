//! What must be true when everything has come to rest: nothing lost, nothing paid twice, nothing untrue told.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use anyhow::{Context, bail};
use serde_json::Value;

use super::test_bed::{FleetTestBed, client::FleetClient, plain_http};

/// Requests that ask for statuses side by side.
const SIDE_BY_SIDE: usize = 32;

/// A tenant whose limits are out of the way.
pub const TENANT: &str = "measured";
/// Everything that a tenant may do.
pub const SCOPES: &str = "research:read,research:start,research:cancel";

/// What was found wrong, and what went well.
#[derive(Debug, Default, Clone)]
pub struct FleetJudgement {
    /// Ids that were told and are gone, or paid work that nobody knows.
    pub lost: Vec<String>,
    /// Researches with more than one accepted create.
    pub twice: Vec<String>,
    /// Statuses that do not tell the truth.
    pub untrue: Vec<String>,
    /// Shown as `unknown`: the window in which nobody can know.
    pub unknown: usize,
    pub completed: usize,
}

impl FleetJudgement {
    pub fn is_clean(&self) -> bool {
        self.lost.is_empty() && self.twice.is_empty() && self.untrue.is_empty()
    }

    /// `0 lost, 0 paid twice, 0 untrue; 300 completed, 2 unknown`
    pub fn words(&self) -> String {
        let Self { lost, twice, untrue, unknown, completed } = self;
        format!(
            "{} lost, {} paid twice, {} untrue; {completed} completed, {unknown} shown as unknown",
            lost.len(),
            twice.len(),
            untrue.len()
        )
    }

    /// The first few of everything that was wrong.
    pub fn examples(&self) -> String {
        let all = self.lost.iter().chain(&self.twice).chain(&self.untrue);
        all.take(6).cloned().collect::<Vec<_>>().join(" | ")
    }
}

/// A client of the stand with a key that may do everything a tenant may.
pub fn caller(stand: &FleetTestBed) -> anyhow::Result<FleetClient> {
    let bases = stand.front_ends.iter().map(|front_end| front_end.base.clone()).collect();
    FleetClient::new(bases, &stand.program.key(TENANT, SCOPES)?)
}

/// Waits until nothing is due any more. The database may be away meanwhile.
pub fn wait_until_idle(stand: &FleetTestBed, limit: Duration) -> anyhow::Result<()> {
    let mut last = String::new();
    let rests = plain_http::until(limit, || {
        // Looking often would be work of its own.
        std::thread::sleep(Duration::from_millis(250));
        let due = stand.database.count("SELECT count(*) FROM research WHERE due");
        last = format!("{due:?}");
        due.is_ok_and(|due| due == 0)
    });
    if rests {
        return Ok(());
    }
    let stuck = stand.database.ask(
        "SELECT encode(id, 'hex'), status, sequence, admitted, submitted_at, called, encode(owner, 'hex') FROM research WHERE due LIMIT 5",
    );
    let workers: Vec<String> =
        stand.workers.iter().map(super::test_bed::process::FleetProcess::log_tail).collect();
    bail!("not at rest after {limit:?}: {last} due; {stuck:?}\n{}", workers.join("\n---\n"))
}

/// Accepted creates per research, as the provider saw them.
pub fn creates(stand: &FleetTestBed) -> anyhow::Result<BTreeMap<String, usize>> {
    let ledger = stand.simulator.get("ledger")?;
    let entries = ledger.get("entries").and_then(Value::as_array).context("the ledger has no entries")?;
    let mut creates = BTreeMap::new();
    for entry in entries {
        let task = entry.get("task").and_then(Value::as_str).unwrap_or_default();
        *creates.entry(task.to_owned()).or_default() += 1;
    }
    Ok(creates)
}

/// Compares what clients were told with what the service says now and with the provider's ledger.
pub fn judge(
    stand: &FleetTestBed,
    caller: &FleetClient,
    told: &BTreeSet<String>,
) -> anyhow::Result<FleetJudgement> {
    let creates = creates(stand)?;
    let ids: Vec<String> = told.iter().cloned().collect();
    let shown = caller.run_documents(&ids, SIDE_BY_SIDE);
    let mut judged = FleetJudgement::default();
    for id in told {
        let Some(document) = shown.get(id) else {
            judged.lost.push(format!("{id} was told and is not shown"));
            continue;
        };
        let status = document.get("status").and_then(Value::as_str).unwrap_or_default();
        let has_report = document.get("has_report").and_then(Value::as_bool).unwrap_or(false);
        let paid = creates.get(id).copied().unwrap_or(0);
        match status {
            "completed" if has_report && paid > 0 => judged.completed += 1,
            "unknown" => judged.unknown += 1,
            other => {
                judged.untrue.push(format!("{id} rests as {other}, report: {has_report}, creates: {paid}"))
            }
        }
    }
    judged.twice.extend(
        creates.iter().filter(|(_, paid)| **paid > 1).map(|(id, paid)| format!("{id}: {paid} creates")),
    );
    let stored = stand.database.ask("SELECT 'res_' || encode(id, 'hex') FROM research")?;
    let stored: BTreeSet<&str> = stored.lines().collect();
    let unknown = creates.keys().filter(|id| !stored.contains(id.as_str()));
    judged.lost.extend(unknown.map(|id| format!("{id} was paid for and is in no row")));
    Ok(judged)
}
