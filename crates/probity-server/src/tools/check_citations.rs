//! `check_citations`: any text with links, from anyone. Is each cited page alive, and does it say what the sentence
//! says?

use probity_research::{
    Code, Problem,
    ledger::{Claim, Ledger, Tally, Verdict},
    report::Report,
    status::{Status, Summary},
};
use rmcp::model::Tool;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Call, Effect, ToolName, defined};
use crate::{
    answer::{Answer, Reply},
    caller::Caller,
    desk::ToCheck,
    face::Face,
    handover::hand_over,
    ledger,
    resources::links,
};

/// Longest text taken, in bytes: a long report. Files of any size go through `probity verify`.
pub const TEXT_BYTES_MAX: usize = 400_000;
/// Claims listed in one answer, the worst first; all are in the evidence resource.
const LISTED_MAX: usize = 40;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Markdown or plain text with links, footnotes or a numbered source list
    pub text: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    pub success: bool,
    pub task_id: String,
    pub status: &'static str,
    pub verified: bool,
    pub summary: String,
    /// Those that do not stand, worst first
    pub claims: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

pub fn definition() -> Tool {
    defined::<Input, Output>(
        ToolName::CheckCitations,
        "Check a text with links, from anyone: is each cited page alive, and does it say what the sentence says? \
         One verdict per claim. Cents with a judge, else free. Returns verdicts, or a task_id.",
        Effect::Spends,
    )
}

pub async fn run(face: &Face, caller: &Caller, mut call: Call) -> Result<Reply, Problem> {
    let Input { text } = call.input()?;
    if text.trim().is_empty() || text.len() > TEXT_BYTES_MAX {
        let message = format!("the text has {} bytes; from 1 to {TEXT_BYTES_MAX} are taken", text.len());
        return Err(Problem::new(Code::InvalidArguments, &message));
    }
    let asked_by = caller.reach.principal().cloned();
    let started = face.desk().check(ToCheck { text, asked_by }).await?;
    hand_over(face, caller, started, face.desk().rules().call_wait).await
}

/// The answer once every claim has its verdict.
pub fn ended(summary: &Summary, report: &Report, ledger: &Ledger) -> Answer {
    let verification = ledger.verification.as_ref();
    let worst = worst(ledger);
    let listed: Vec<Value> = worst
        .iter()
        .take(LISTED_MAX)
        .filter_map(|place| {
            Some(ledger::row(ledger, ledger.claims.get(*place)?, ledger.settled.get(*place)?))
        })
        .collect();
    let more = worst.len().saturating_sub(listed.len());
    let note = (more > 0).then(|| format!("{more} more in research://{}/evidence", summary.id));
    let tally: Tally = ledger.tally();
    let output = Output {
        success: summary.status == Status::Completed,
        task_id: summary.id.to_string(),
        status: summary.status.as_str(),
        verified: verification.is_some_and(|verification| verification.verified),
        summary: tally.line(),
        claims: listed,
        note,
    };
    let text = prose(summary, report, &output);
    Answer::new(&output, text).with_link(links::evidence(summary))
}

fn prose(summary: &Summary, report: &Report, output: &Output) -> String {
    let verified = if output.verified { "verified" } else { "not verified" };
    let mut lines = format!("{} · {verified} · {}", output.summary, summary.cost);
    let word = |row: &Value, key: &str| row.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    for row in &output.claims {
        let reason = Some(word(row, "reason")).filter(|reason| !reason.is_empty());
        let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
        lines.push_str(&format!(
            "\n{} {}{reason}: {}",
            word(row, "id"),
            word(row, "verdict"),
            word(row, "claim")
        ));
    }
    if report.ledger.as_ref().is_some_and(|ledger| ledger.claims.is_empty()) {
        lines.push_str("\nThere is no claim in this text.");
    }
    if let Some(note) = &output.note {
        lines.push_str(&format!("\n({note})"));
    }
    lines
}

/// Places of the claims that are worth a look, the worst first; what needs no source is left out.
fn worst(ledger: &Ledger) -> Vec<usize> {
    let rank = |verdict: &Verdict| match verdict {
        Verdict::Contradicted => 0,
        Verdict::NotInSource => 1,
        Verdict::Partly => 2,
        Verdict::Qualified => 3,
        Verdict::CheckFailed { .. } => 4,
        Verdict::NotChecked { .. } => 5,
        Verdict::Quoted | Verdict::Supported => 6,
    };
    let mut places: Vec<(u8, usize)> = ledger
        .settled
        .iter()
        .enumerate()
        .filter(|(place, _)| ledger.claims.get(*place).is_some_and(Claim::is_checkable))
        .map(|(place, settled)| (rank(&settled.verdict), place))
        .filter(|(rank, _)| *rank < 6)
        .collect();
    places.sort_unstable();
    places.into_iter().map(|(_, place)| place).collect()
}
