//! Reads what a CLI that answers one question prints: one JSON object per line, read leniently.

use probity_research::cost::Usage;
use serde_json::Value;

use super::{
    answer_collector::AnswerCollector,
    session_record::{FirecrawlTool, firecrawl_tool},
};

/// How a question ended, as the CLI reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CliResult {
    Success,
    Failed(String),
}

/// The reader of one run.
#[derive(Debug, Default)]
pub struct JsonStreamReader {
    pub session_id: Option<String>,
    pub verdict: Option<CliResult>,
    /// The last error that was reported before the end.
    complaint: Option<String>,
}

impl JsonStreamReader {
    /// Parses a line. What is no JSON or has an unknown shape is skipped.
    pub fn read_line(&mut self, line: &str, account: &mut AnswerCollector) {
        let Ok(event) = serde_json::from_str::<Value>(line) else { return };
        let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str);
        let call = text("/tool_id").unwrap_or_default();
        match text("/type") {
            Some("init") => self.session_id = text("/session_id").map(str::to_owned),
            Some("message") if text("/role") == Some("assistant") => {
                account.record_text(text("/content").unwrap_or_default());
            }
            Some("tool_use") => match text("/tool_name") {
                Some("google_web_search") => {
                    account.record_search(text("/parameters/query").unwrap_or_default())
                }
                Some("web_fetch") => {
                    let asked = text("/parameters/prompt").or(text("/parameters/url"));
                    account.record_fetch(call, asked.unwrap_or_default());
                }
                name => match name.and_then(firecrawl_tool) {
                    Some(FirecrawlTool::Search) => {
                        account.record_search(text("/parameters/query").unwrap_or_default())
                    }
                    Some(FirecrawlTool::Scrape) => {
                        account.record_fetch(call, text("/parameters/url").unwrap_or_default())
                    }
                    None => account.record_tool_use(),
                },
            },
            Some("tool_result") if text("/status") == Some("success") => account.record_tool_success(call),
            Some("error") => self.complaint = text("/message").map(str::to_owned),
            Some("result") => {
                self.verdict = Some(match text("/status") {
                    Some("success") => CliResult::Success,
                    _ => CliResult::Failed(self.reason(text("/error/message"))),
                });
                count(&event, account);
            }
            _ => {}
        }
    }

    fn reason(&mut self, said: Option<&str>) -> String {
        said.map(str::to_owned).or_else(|| self.complaint.take()).unwrap_or_default()
    }
}

fn count(event: &Value, account: &mut AnswerCollector) {
    let Some(stats) = event.get("stats").filter(|stats| stats.is_object()) else { return };
    let of = |name: &str| stats.get(name).and_then(Value::as_u64);
    let Some(total_tokens) = of("total_tokens") else { return };
    let usage = Usage {
        input_tokens: of("input_tokens").unwrap_or(0),
        cached_tokens: of("cached").unwrap_or(0),
        output_tokens: of("output_tokens").unwrap_or(0),
        total_tokens,
        ..Usage::default()
    };
    let models = stats.get("models").and_then(Value::as_object).into_iter().flatten();
    let worked = models.filter(|(_, counted)| counted.get("total_tokens").and_then(Value::as_u64) != Some(0));
    let names: Vec<String> = worked.map(|(name, _)| name.clone()).collect();
    if total_tokens > 0 {
        account.counted(usage, names.into_iter());
    }
}

#[cfg(test)]
mod tests;
