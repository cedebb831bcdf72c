//! The CLI's own record of a session: the only place that names the links of a search and the model that wrote.
//!
//! Read leniently and within bounds; a record that is missing or invalid gives an empty answer.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
};

use probity_research::{cost::Usage, report::SourceLink, text};
use serde_json::Value;
use url::Url;

use super::prompt;

/// Largest record read. A session with thirty long pages has a few megabytes.
const RECORD_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Files searched for the one of a session. A process answers a handful of questions.
const FILES_MAX: usize = 1_000;
/// Links kept of one question.
pub const SOURCES_MAX: usize = 1_000;
/// Longest title kept.
const TITLE_CHARACTERS_MAX: usize = 200;
/// Longest address kept; redirects of a search have about 300 characters.
pub const ADDRESS_BYTES_MAX: usize = 4_096;

/// The contents of a record.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionRecord {
    pub model: Option<String>,
    pub models: BTreeSet<String>,
    pub queries: Vec<String>,
    pub sources: Vec<SourceLink>,
    pub pages: Vec<String>,
    /// Tokens of the model that answers; the calls inside a search are not in the record.
    pub usage: Option<Usage>,
}

/// The record of a session, from the home of the process.
pub fn read_record(home: &Path, session_id: &str) -> SessionRecord {
    let Some(file) = find(home, session_id) else { return SessionRecord::default() };
    let mut bytes = Vec::new();
    match File::open(&file).and_then(|file| file.take(RECORD_BYTES_MAX).read_to_end(&mut bytes)) {
        Ok(_) => parse(&String::from_utf8_lossy(&bytes)),
        Err(error) => {
            tracing::warn!(%error, "session record of the Gemini CLI was not read");
            SessionRecord::default()
        }
    }
}

/// `.gemini/tmp/PROJECT/chats/session-TIME-ID.jsonl`, where ID is the start of the session's id.
fn find(home: &Path, session_id: &str) -> Option<PathBuf> {
    let short: String = session_id.chars().take(8).filter(char::is_ascii_alphanumeric).collect();
    let suffix = format!("-{short}.jsonl");
    let projects = fs::read_dir(home.join(".gemini/tmp")).ok()?.flatten().take(FILES_MAX);
    let chats = projects.filter_map(|project| fs::read_dir(project.path().join("chats")).ok());
    let mut files = chats.flat_map(|chat| chat.flatten().take(FILES_MAX));
    let matches = |name: &str| short.len() == 8 && name.starts_with("session-") && name.ends_with(&suffix);
    files.find(|file| matches(&file.file_name().to_string_lossy())).map(|file| file.path())
}

/// Each message is appended again whenever it grows; the last version of each counts.
pub fn parse(lines: &str) -> SessionRecord {
    let mut order: Vec<String> = Vec::new();
    let mut messages: BTreeMap<String, Value> = BTreeMap::new();
    for line in lines.lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else { continue };
        if message.get("type").and_then(Value::as_str) != Some("gemini") {
            continue;
        }
        let Some(id) = message.get("id").and_then(Value::as_str).map(str::to_owned) else { continue };
        if messages.insert(id.clone(), message).is_none() {
            order.push(id);
        }
    }
    let mut record = SessionRecord::default();
    for message in order.iter().filter_map(|id| messages.get(id)) {
        record.take(message);
    }
    record
}

impl SessionRecord {
    fn take(&mut self, message: &Value) {
        if let Some(model) = message.get("model").and_then(Value::as_str).filter(|model| !model.is_empty()) {
            self.model = Some(model.to_owned());
            self.models.insert(model.to_owned());
        }
        if let Some(tokens) = message.get("tokens").filter(|tokens| tokens.is_object()) {
            self.count(tokens);
        }
        for call in message.get("toolCalls").and_then(Value::as_array).into_iter().flatten() {
            self.take_call(call);
        }
    }

    fn count(&mut self, tokens: &Value) {
        let of = |name: &str| tokens.get(name).and_then(Value::as_u64).unwrap_or(0);
        let usage = self.usage.get_or_insert_default();
        for (sum, name) in [
            (&mut usage.input_tokens, "input"),
            (&mut usage.cached_tokens, "cached"),
            (&mut usage.output_tokens, "output"),
            (&mut usage.thought_tokens, "thoughts"),
            (&mut usage.tool_use_tokens, "tool"),
            (&mut usage.total_tokens, "total"),
        ] {
            *sum = sum.saturating_add(of(name));
        }
    }

    fn take_call(&mut self, call: &Value) {
        let text_of = |pointer: &str| call.pointer(pointer).and_then(Value::as_str);
        let succeeded = text_of("/status") == Some("success");
        let output = text_of("/result/0/functionResponse/response/output").unwrap_or_default();
        match text_of("/name") {
            Some("google_web_search") => {
                if let Some(query) = text_of("/args/query") {
                    self.queries.push(prompt::restore_at_signs(query));
                }
                if succeeded {
                    self.take_sources(output);
                }
            }
            // Over the protocol a failed fetch is recorded as a success whose text says that it failed.
            Some("web_fetch") if succeeded && !output.starts_with("Error:") => {
                let asked = text_of("/args/prompt").or(text_of("/args/url")).unwrap_or_default();
                let skipped = skipped_in(output);
                let pages = addresses_in(asked).into_iter().filter(|page| !skipped.contains(page));
                let room = SOURCES_MAX.saturating_sub(self.pages.len());
                self.pages.extend(pages.take(room));
                self.take_sources(output);
            }
            Some(name) if succeeded => match firecrawl_tool(name) {
                Some(FirecrawlTool::Search) => {
                    self.queries.extend(text_of("/args/query").map(prompt::restore_at_signs));
                    self.take_links(output);
                }
                Some(FirecrawlTool::Scrape) => {
                    let room = SOURCES_MAX.saturating_sub(self.pages.len());
                    let asked = text_of("/args/url").map(addresses_in).unwrap_or_default();
                    self.pages.extend(asked.into_iter().take(room));
                }
                None => {}
            },
            _ => {}
        }
    }

    /// The addresses of a list of results in JSON.
    fn take_links(&mut self, output: &str) {
        // The CLI puts what an MCP server returns between two marks.
        let output = output.trim().trim_start_matches("<untrusted_context>");
        let output = output.trim_end_matches("</untrusted_context>");
        let Ok(results) = serde_json::from_str::<Value>(output) else { return };
        let listed = ["/web", "/data/web", "/data", ""]
            .into_iter()
            .find_map(|place| results.pointer(place)?.as_array());
        for result in listed.into_iter().flatten().take(SOURCES_MAX) {
            let Some(url) = result.get("url").and_then(Value::as_str).and_then(address_of) else { continue };
            let title = result.get("title").and_then(Value::as_str).unwrap_or_default();
            let known = self.sources.iter().any(|known| known.url == url);
            if !known && self.sources.len() < SOURCES_MAX {
                self.sources.push(SourceLink { url, title: text::line(title, TITLE_CHARACTERS_MAX) });
            }
        }
    }

    /// `[1] title (address)` below `Sources:`.
    fn take_sources(&mut self, output: &str) {
        let Some((_, list)) = output.rsplit_once("\nSources:\n") else { return };
        for line in list.lines() {
            let Some(source) = source_in(line) else { continue };
            let known = self.sources.iter().any(|known| known.url == source.url);
            if !known && self.sources.len() < SOURCES_MAX {
                self.sources.push(source);
            }
        }
    }
}

/// A tool of Firecrawl's MCP server whose call says what was searched or read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirecrawlTool {
    Search,
    Scrape,
}

/// The CLI calls it `mcp_SERVER_firecrawl_search`.
pub fn firecrawl_tool(name: &str) -> Option<FirecrawlTool> {
    let tools = [("_firecrawl_search", FirecrawlTool::Search), ("_firecrawl_scrape", FirecrawlTool::Scrape)];
    let is_it = |(ending, _): &(&str, FirecrawlTool)| name.starts_with("mcp_") && name.ends_with(ending);
    tools.into_iter().find(is_it).map(|(_, tool)| tool)
}

fn source_in(line: &str) -> Option<SourceLink> {
    let (number, rest) = line.trim().strip_prefix('[')?.split_once("] ")?;
    number.parse::<u32>().ok()?;
    let (title, address) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    Some(SourceLink { url: address_of(address)?, title: text::line(title, TITLE_CHARACTERS_MAX) })
}

/// The addresses in the text that a fetch was called with, as the CLI finds them.
pub fn addresses_in(words: &str) -> Vec<String> {
    words.split_whitespace().filter_map(address_of).take(SOURCES_MAX).collect()
}

/// A web address that can be shown and stored.
fn address_of(word: &str) -> Option<String> {
    if word.len() > ADDRESS_BYTES_MAX || !word.contains("://") {
        return None;
    }
    let address = Url::parse(&prompt::restore_at_signs(word)).ok()?;
    matches!(address.scheme(), "http" | "https").then(|| address.into())
}

/// `[Blocked Host] address` in the warning that a fetch begins with.
fn skipped_in(output: &str) -> BTreeSet<String> {
    let Some((_, rest)) = output.split_once("URLs were skipped:\n") else { return BTreeSet::new() };
    rest.lines()
        .take_while(|line| line.starts_with('['))
        .filter_map(|line| address_of(line.rsplit_once(' ')?.1))
        .collect()
}

#[cfg(test)]
mod tests;
