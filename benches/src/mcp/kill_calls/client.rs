//! The client of a server that will be killed: what it was told, and whether that is still true.

use std::{
    collections::{BTreeMap, BTreeSet},
    os::unix::process::ExitStatusExt as _,
    path::{Path, PathBuf},
};

use anyhow::ensure;
use serde_json::{Value, json};

use super::{SESSION_LIMIT, ToolCallScenario};
use crate::{
    foundation::kill_sweep::{
        installed,
        program::{ProgramInstallation, field},
    },
    mcp::session::{ANSWER_LIMIT, McpSession, ProtocolEra},
    rig::SimulatorProcess,
};

/// Statuses that never change once they were told.
const FINAL: &[&str] =
    &["completed", "cancelled", "failed", "expired", "incomplete", "timed_out", "over_budget"];
/// Of two complete files for one research these many last bytes are the same: sources, without dates.
const TAIL_BYTES: usize = 200;

/// Everything that answers said before the server was killed.
#[derive(Debug, Default)]
pub struct ClientFacts {
    pub killed: bool,
    pub panicked: Option<String>,
    pub ids: BTreeSet<String>,
    final_status: BTreeMap<String, String>,
    /// Asked to be cancelled, and that was confirmed.
    cancelled: BTreeSet<String>,
    files: Vec<(PathBuf, u64)>,
}

impl ClientFacts {
    pub fn count(&self) -> usize {
        self.ids.len() + self.final_status.len() + self.cancelled.len() + self.files.len()
    }

    fn record_answer(&mut self, told: &Value) {
        let (id, status) = (field(told, "task_id"), field(told, "status"));
        if id.is_empty() {
            return;
        }
        self.ids.insert(id.to_owned());
        if FINAL.contains(&status) {
            self.final_status.insert(id.to_owned(), status.to_owned());
        }
        if matches!(status, "cancelled" | "cancelling") {
            self.cancelled.insert(id.to_owned());
        }
        let path = field(told, "file_path");
        if !path.is_empty() {
            let kb = told.get("file_size_kb").and_then(Value::as_f64).unwrap_or(0.0);
            self.files.push((PathBuf::from(path), (kb * 1024.0) as u64));
        }
    }
}

/// Speaks until the story is told or the server is dead. The handshake belongs to the story.
pub fn run_scenario(
    story: ToolCallScenario,
    mut session: McpSession,
    about: Option<&str>,
) -> anyhow::Result<ClientFacts> {
    let mut facts = ClientFacts::default();
    let spoken = call_tools(story, &mut session, about, &mut facts);
    let ended = session.end(SESSION_LIMIT)?;
    facts.killed = ended.status.signal() == Some(9) && ended.in_time;
    facts.panicked = ended.panicked().then(|| ended.stderr.clone());
    // What broke off because of the kill is the point of the story; anything else is a fault.
    if !facts.killed {
        spoken?;
        ensure!(ended.in_time, "the server did not end: {}", ended.stderr);
    }
    Ok(facts)
}

fn call_tools(
    story: ToolCallScenario,
    session: &mut McpSession,
    about: Option<&str>,
    facts: &mut ClientFacts,
) -> anyhow::Result<()> {
    session.initialize()?;
    let calls: Vec<(&str, Value)> = match story {
        ToolCallScenario::Start => {
            let query = "[[completed duration_ms=250]] why is the sky blue?";
            vec![("start_deep_research", json!({ "query": query, "enable_notifications": false }))]
        }
        ToolCallScenario::Cancel => vec![("cancel_research", json!({ "task_id": about }))],
        ToolCallScenario::Save => vec![("save_research_to_markdown", json!({ "task_id": about })); 2],
    };
    for (tool, arguments) in calls {
        let told = session.call_structured(tool, &arguments, ANSWER_LIMIT)?;
        facts.record_answer(&told);
        let id = field(&told, "task_id").to_owned();
        let again =
            session.call_structured("check_research_status", &json!({ "task_id": id }), ANSWER_LIMIT)?;
        facts.record_answer(&again);
    }
    Ok(())
}

/// What was told and is no longer so, once the next server has done what was left to do.
pub fn untrue_after(facts: &ClientFacts, program: &ProgramInstallation) -> anyhow::Result<Vec<String>> {
    let mut session = McpSession::open(&mut program.command(&["mcp"]), ProtocolEra::Handshake)?;
    let mut untrue = Vec::new();
    for id in &facts.ids {
        let now =
            session.call_structured("check_research_status", &json!({ "task_id": id }), ANSWER_LIMIT)?;
        let status = field(&now, "status");
        if let Some(told) = facts.final_status.get(id).filter(|told| *told != status) {
            untrue.push(format!("{id} was told to be {told} and is {status}"));
        }
        // A cancel that was recorded may come too late; it must not be forgotten.
        if facts.cancelled.contains(id) && !matches!(status, "cancelled" | "completed") {
            untrue.push(format!("{id} was told to be cancelled and is {status}"));
        }
    }
    let saved = facts.ids.first().map(|id| json!({ "task_id": id, "filename_prefix": "reference" }));
    let reference = match saved {
        Some(arguments) => session.call("save_research_to_markdown", &arguments, ANSWER_LIMIT)?,
        None => Value::Null,
    };
    session.end(ANSWER_LIMIT)?;
    let reference = reference.pointer("/result/structuredContent/file_path").and_then(Value::as_str);
    if let Some(reference) = reference {
        untrue.extend(files_untrue(facts, Path::new(reference))?);
    }
    Ok(untrue)
}

/// Files that were told and are not there, and files that are there and not whole.
fn files_untrue(facts: &ClientFacts, reference: &Path) -> anyhow::Result<Vec<String>> {
    let mut untrue = Vec::new();
    for (path, bytes) in &facts.files {
        let found = std::fs::metadata(path).map_or(0, |found| found.len());
        // The size was told in tenths of a kilobyte.
        if found.abs_diff(*bytes) > 110 {
            untrue.push(format!("{} was told to have {bytes} bytes and has {found}", path.display()));
        }
    }
    let whole = std::fs::read(reference)?;
    let folder = reference.parent().unwrap_or_else(|| Path::new("."));
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let bytes = std::fs::read(&path)?;
        let is_report = path.extension().is_some_and(|extension| extension == "md");
        if is_report && !is_whole(&bytes, &whole) {
            untrue.push(format!("{} has {} of {} bytes", path.display(), bytes.len(), whole.len()));
        }
    }
    Ok(untrue)
}

fn is_whole(bytes: &[u8], whole: &[u8]) -> bool {
    let tail = |text: &[u8]| text.iter().rev().take(TAIL_BYTES).copied().collect::<Vec<u8>>();
    bytes.len().abs_diff(whole.len()) < 64 && tail(bytes) == tail(whole)
}

/// The judge must see an id that is not there, a status that changed, and a file that is half there.
pub fn control(simulator: &SimulatorProcess, place: &Path) -> anyhow::Result<String> {
    let program = installed(simulator, place)?;
    let about = ToolCallScenario::Save.prelude(&program)?;
    let session = McpSession::start(&mut program.command(&["mcp"]), ProtocolEra::Handshake)?;
    let mut facts = run_scenario(ToolCallScenario::Save, session, about.as_deref())?;
    ensure!(untrue_after(&facts, &program)?.is_empty(), "the judge sees what is not there");
    let Some((path, _)) = facts.files.first().cloned() else { anyhow::bail!("nothing was saved") };
    let bytes = std::fs::read(&path)?;
    std::fs::write(&path, bytes.get(..bytes.len() / 2).unwrap_or_default())?;
    for id in facts.ids.clone() {
        facts.final_status.insert(id, "cancelled".to_owned());
    }
    let seen = untrue_after(&facts, &program)?.len();
    // The half file is seen twice: by its size, and beside the whole one.
    ensure!(seen == 3, "the judge is blind: it saw {seen} of 3 planted untruths");
    Ok("control: 3 of 3 planted untruths were seen".to_owned())
}
