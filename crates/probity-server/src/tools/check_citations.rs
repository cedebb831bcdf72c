//! `check_citations`: any text with links, from any author. Is each cited page alive, and does it say what
//! the sentence says?

use probity_research::{
    CodedError,
    ledger::{AttentionGroup, Ledger, VerdictTally},
    report::{ClaimList, Report},
    scope::KeyScope,
    status::{RunStatus, RunSummary},
    time::Moment,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ToolCall, ToolEffect, ToolFacts, ToolName, ToolSchemas, ToolView, meanings, repeat_rule};
use crate::{
    answer::{ToolAnswer, ToolReply},
    backend::TextCheckRequest,
    caller::Caller,
    confirm::{self, ConfirmationOutcome, SpendingQuestion},
    handover::wait_or_hand_over,
    ledger,
    markdown::SourceListVisibility,
    mcp_server::McpServer,
    resources::links,
    results::ResultsMetadata,
};

/// Longest text accepted, in bytes: a long report. Files of any size go through `probity verify`.
pub const TEXT_BYTES_MAX: usize = 400_000;
/// Claims listed in one answer, the worst first; all are in the evidence resource.
const LISTED_MAX: usize = 40;

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Input")]
pub struct CheckCitationsInput {
    /// Markdown or plain text with links, footnotes or a numbered source list
    #[schemars(example = "The tower is 330 m high [1].\n\n[1]: https://example.org/tower")]
    pub text: String,
    #[schemars(description = meanings::CONFIRMED_COST, range(min = 0), example = 3.0)]
    pub confirmed_cost_usd: Option<f64>,
    #[schemars(description = meanings::AGAIN)]
    #[serde(default)]
    pub again: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Output")]
pub struct CheckCitationsOutput {
    pub success: bool,
    pub task_id: String,
    pub status: &'static str,
    pub verified: bool,
    pub verification_basis: String,
    pub summary: String,
    /// Those that do not stand, worst first
    pub claims: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    // Described by get_research_results' own schema.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub metadata: ResultsMetadata,
}

pub const FACTS: ToolFacts = ToolFacts {
    name: "check_citations",
    description: "Check a text that exists, with links, from anyone: is each cited page alive, and does it say what the \
         sentence says? A verdict per claim. Usually cents, 1 min. Returns claims that do not stand, or a task_id.",
    effect: ToolEffect::Spends,
    scope: KeyScope::Start,
    view: ToolView::Progress,
    schemas: ToolSchemas::of::<CheckCitationsInput, CheckCitationsOutput>(),
};

pub async fn run(server: &McpServer, caller: &Caller, mut call: ToolCall) -> Result<ToolReply, CodedError> {
    let retry = call.retry_context(ToolName::CheckCitations, caller);
    let CheckCitationsInput { text, confirmed_cost_usd, again } = call.input()?;
    if text.trim().is_empty() || text.len() > TEXT_BYTES_MAX {
        let allowed = format!("a text of 1 to {TEXT_BYTES_MAX} bytes; this one has {}", text.len());
        return Err(ToolName::CheckCitations.argument_rules().refuse("text", &text, &allowed));
    }
    let price = server.backend().estimate_check(&text)?;
    let asked = SpendingQuestion { subject: &text, price: &price, command: Some("probity verify") };
    let approval = match confirm::confirm(server, caller, asked, confirmed_cost_usd, retry).await? {
        ConfirmationOutcome::Yes(approval) => approval,
        ConfirmationOutcome::Not(reply) => return Ok(reply),
    };
    if caller.is_gone() {
        return Err(confirm::call_cancelled_error());
    }
    let asked_by = caller.reach.principal().cloned();
    let wanted = TextCheckRequest { text, asked_by, approval, repeat: repeat_rule(again) };
    let started = server.backend().start_check(wanted).await?;
    wait_or_hand_over(server, caller, started, server.backend().run_settings().call_wait).await
}

/// The answer once every claim has its verdict.
pub fn citations_answer(summary: &RunSummary, report: &Report, ledger: &Ledger, now: Moment) -> ToolAnswer {
    let outcome = report.verification();
    let list = ClaimList::of(report, ledger);
    let worst: Vec<_> = list.claims().filter(|(group, _)| needs_attention(*group)).collect();
    let listed: Vec<Value> =
        worst.iter().take(LISTED_MAX).map(|(_, listed)| ledger::claim_row(ledger, listed)).collect();
    let more = worst.len().saturating_sub(listed.len());
    let listed_elsewhere = (more > 0).then(|| format!("{more} more in research://{}/evidence", summary.id));
    let notes: Vec<String> = listed_elsewhere.into_iter().chain(summary.note.clone()).collect();
    let note = (!notes.is_empty()).then(|| notes.join("; "));
    let tally: VerdictTally = ledger.tally();
    let sources = report.numbered_sources().len();
    let output = CheckCitationsOutput {
        success: summary.status == RunStatus::Completed,
        task_id: summary.id.to_string(),
        status: summary.status.as_str(),
        verified: outcome.verified,
        verification_basis: outcome.reason,
        summary: tally.line(),
        claims: listed,
        note,
        metadata: ResultsMetadata::of(summary, report, sources, SourceListVisibility::Listed, now),
    };
    let text = prose(summary, report, &output);
    ToolAnswer::new(&output, text).with_link(links::evidence(summary))
}

fn prose(summary: &RunSummary, report: &Report, output: &CheckCitationsOutput) -> String {
    let verified = if output.verified { "verified" } else { "not verified" };
    let mut lines =
        format!("{} · {} · {verified}: {}", output.summary, summary.cost, output.verification_basis);
    let word = |row: &Value, key: &str| row.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    for row in &output.claims {
        let reason = Some(word(row, "reason")).filter(|reason| !reason.is_empty());
        let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
        let inference = Some(word(row, "inference")).filter(|mark| !mark.is_empty());
        let inference = inference.map(|mark| format!("{mark}, ")).unwrap_or_default();
        lines.push_str(&format!(
            "\n{} line {} {inference}{}{reason}: {}",
            word(row, "id"),
            row.get("line").and_then(Value::as_u64).unwrap_or_default(),
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
    let minutes = output.metadata.duration_minutes;
    let worked = output.metadata.line();
    lines.push_str(&format!("\n{} · {} · {minutes} min · {worked}", output.task_id, output.status));
    lines
}

/// What a client is told without asking: a quotation whose rest nobody judged needs no second look.
fn needs_attention(group: AttentionGroup) -> bool {
    !group.holds() && group != AttentionGroup::Quoted
}
