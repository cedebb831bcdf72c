//! One step of the work and its JSON as `get` shows it.

use serde_json::{Value, json};

use super::{interaction::Interaction, report};

/// Signatures are opaque; this is base64 for "sig".
const SIGNATURE: &str = "c2ln";
/// Searches one search step makes.
pub(crate) const QUERIES_PER_STEP: u64 = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorkStep {
    Thought {
        round: u32,
    },
    SearchCall {
        round: u32,
    },
    SearchResult {
        round: u32,
    },
    PageCall {
        round: u32,
    },
    PageResult {
        round: u32,
    },
    CodeCall,
    CodeResult,
    FileCall,
    FileResult,
    ServerCall,
    ServerResult,
    PlanOutput,
    AnswerOutput,
    RoundOutput,
    ReportOutput {
        block: u32,
    },
    /// A step type no client knows.
    NeverSeen,
    /// A known step with unknown content and annotations.
    UnknownOutput,
}

impl WorkStep {
    pub(crate) fn is_output(self) -> bool {
        matches!(
            self,
            Self::PlanOutput
                | Self::AnswerOutput
                | Self::RoundOutput
                | Self::ReportOutput { .. }
                | Self::UnknownOutput
        )
    }

    pub(crate) fn json(self, interaction: &Interaction) -> Value {
        let subject = &*interaction.subject;
        match self {
            Self::Thought { round } => thought(interaction, round),
            Self::SearchCall { round } => json!({
                "type": "google_search_call",
                "id": format!("call_search_{round}"),
                "search_type": "web_search",
                "arguments": {"queries": queries(interaction, round)},
            }),
            // The live service gives no addresses here, only the suggestions it wants shown.
            Self::SearchResult { round } => json!({
                "type": "google_search_result",
                "call_id": format!("call_search_{round}"),
                "result": [{"search_suggestions": "<div/>"}],
                "signature": SIGNATURE,
            }),
            Self::PageCall { round } => json!({
                "type": "url_context_call",
                "id": format!("call_page_{round}"),
                "arguments": {"urls": pages(interaction, round).map(|(url, _)| url).collect::<Vec<String>>()},
            }),
            Self::PageResult { round } => json!({
                "type": "url_context_result",
                "call_id": format!("call_page_{round}"),
                "result": pages(interaction, round)
                    .map(|(url, status)| json!({"url": url, "status": status}))
                    .collect::<Vec<Value>>(),
            }),
            Self::CodeCall => json!({
                "type": "code_execution_call",
                "id": "call_code",
                "arguments": {"language": "python", "code": "print(1+1)"},
            }),
            Self::CodeResult => json!({
                "type": "code_execution_result", "call_id": "call_code", "result": "2\n", "is_error": false,
            }),
            Self::FileCall => json!({"type": "file_search_call", "id": "call_file"}),
            Self::FileResult => json!({"type": "file_search_result", "call_id": "call_file"}),
            Self::ServerCall => json!({
                "type": "mcp_server_tool_call",
                "id": "call_server",
                "name": "lookup",
                "server_name": "tracker",
                "arguments": {"q": subject},
            }),
            Self::ServerResult => json!({
                "type": "mcp_server_tool_result",
                "call_id": "call_server",
                "name": "lookup",
                "server_name": "tracker",
                "result": [{"type": "text", "text": "ok"}],
            }),
            Self::PlanOutput => output(vec![report::plan(interaction)]),
            Self::AnswerOutput => output(vec![report::answer(interaction)]),
            Self::RoundOutput => output(report::round(interaction)),
            Self::ReportOutput { block } => output(report::block(interaction, block)),
            Self::NeverSeen => json!({"type": "brand_new_step", "payload": {"a": 1}}),
            Self::UnknownOutput => output(vec![
                json!({"type": "hologram", "z": 1}),
                json!({"type": "text", "text": "tail ", "annotations": [{"type": "future_citation", "u": 1}]}),
            ]),
        }
    }
}

fn queries(interaction: &Interaction, round: u32) -> [String; 2] {
    let subject = &*interaction.subject;
    match &interaction.round {
        Some(scripted) => scripted.round.queries(),
        None => [format!("{subject} overview {round}"), format!("{subject} evidence {round}")],
    }
}

/// The pages that are read, and the results.
fn pages(interaction: &Interaction, round: u32) -> impl Iterator<Item = (String, &'static str)> {
    let pages = match &interaction.round {
        Some(scripted) => vec![(scripted.round.page_read(), "success")],
        None => vec![(report::page_url(round), "success"), (report::paywall_url(round), "paywall")],
    };
    pages.into_iter()
}

fn thought(interaction: &Interaction, round: u32) -> Value {
    if !interaction.summaries {
        return json!({"type": "thought", "signature": SIGNATURE});
    }
    let text = if round == 0 {
        format!("**Planning**\n\nI will search for {}.", interaction.subject)
    } else {
        format!("**Reading**\n\nRound {round} gave sources worth comparing.")
    };
    json!({"type": "thought", "signature": SIGNATURE, "summary": [{"type": "text", "text": text}]})
}

fn output(content: Vec<Value>) -> Value {
    json!({"type": "model_output", "content": content})
}
