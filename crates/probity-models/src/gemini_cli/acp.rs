//! The messages of the Agent Client Protocol: requests, and how an answer is parsed. No pipes here.

use serde_json::{Value, json};

use super::answer_collector::AnswerCollector;

/// Version 1 is the only one there is.
const PROTOCOL: u32 = 1;

/// A message from the CLI.
#[derive(Debug, Clone, PartialEq)]
pub enum AcpMessage {
    /// The answer to the request with this id.
    Answer(u64, Result<Value, AcpError>),
    /// An update of a session.
    Update { session: String, update: Value },
    /// A request of the CLI, with our answer: nothing is ever allowed.
    Asked { reply: String },
    /// Not relevant here.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcpError {
    pub code: i64,
    pub message: String,
}

impl AcpError {
    /// The provider's status, where the number is one.
    pub fn status(&self) -> Option<u16> {
        u16::try_from(self.code).ok().filter(|code| (400..600).contains(code))
    }
}

pub fn initialize(id: u64) -> String {
    request(
        id,
        "initialize",
        &json!({
            "protocolVersion": PROTOCOL,
            "clientCapabilities": { "fs": { "readTextFile": false, "writeTextFile": false } },
            "clientInfo": { "name": "probity", "version": env!("CARGO_PKG_VERSION") },
        }),
    )
}

pub fn new_session(id: u64, directory: &str) -> String {
    request(id, "session/new", &json!({ "cwd": directory, "mcpServers": [] }))
}

pub fn prompt(id: u64, session: &str, text: &str) -> String {
    request(
        id,
        "session/prompt",
        &json!({ "sessionId": session, "prompt": [{ "type": "text", "text": text }] }),
    )
}

pub fn cancel(session: &str) -> String {
    let message = json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": session } });
    format!("{message}\n")
}

fn request(id: u64, method: &str, parameters: &Value) -> String {
    format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }))
}

pub fn parse_message(line: &str) -> AcpMessage {
    let Ok(message) = serde_json::from_str::<Value>(line) else { return AcpMessage::Other };
    let method = message.get("method").and_then(Value::as_str);
    match (method, message.get("id")) {
        (Some(method), Some(id)) => AcpMessage::Asked { reply: reply(method, id) },
        (Some("session/update"), None) => {
            let session = message.pointer("/params/sessionId").and_then(Value::as_str).unwrap_or_default();
            let update = message.pointer("/params/update").cloned().unwrap_or_default();
            AcpMessage::Update { session: session.to_owned(), update }
        }
        (None, Some(id)) => match id.as_u64() {
            Some(id) => AcpMessage::Answer(id, answer(&message)),
            None => AcpMessage::Other,
        },
        _ => AcpMessage::Other,
    }
}

fn answer(message: &Value) -> Result<Value, AcpError> {
    match message.get("error") {
        None => Ok(message.get("result").cloned().unwrap_or_default()),
        Some(error) => Err(AcpError {
            code: error.get("code").and_then(Value::as_i64).unwrap_or(0),
            message: error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned(),
        }),
    }
}

/// A request for permission is denied; any other request is for something we do not offer.
fn reply(method: &str, id: &Value) -> String {
    let message = if method == "session/request_permission" {
        json!({ "jsonrpc": "2.0", "id": id, "result": { "outcome": { "outcome": "cancelled" } } })
    } else {
        json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": "not offered" } })
    };
    format!("{message}\n")
}

/// Adds an update of a session to the collector.
pub fn record_update(update: &Value, account: &mut AnswerCollector) {
    let text = |pointer: &str| update.pointer(pointer).and_then(Value::as_str);
    let call = text("/toolCallId").unwrap_or_default();
    match text("/sessionUpdate") {
        Some("agent_message_chunk") => account.record_text(text("/content/text").unwrap_or_default()),
        Some("agent_thought_chunk") => account.record_thought(text("/content/text").unwrap_or_default()),
        Some("tool_call") => match text("/kind") {
            Some("search") => account.record_search(quoted(text("/title").unwrap_or_default())),
            Some("fetch") => account.record_fetch(call, quoted(text("/title").unwrap_or_default())),
            _ => account.record_tool_use(),
        },
        Some("tool_call_update") if text("/status") == Some("completed") => account.record_tool_success(call),
        _ => {}
    }
}

/// The part in quotation marks of `Searching the web for: "…"`.
fn quoted(title: &str) -> &str {
    let inner = title.split_once('"').and_then(|(_, rest)| rest.rsplit_once('"'));
    inner.map_or(title, |(inner, _)| inner)
}

#[cfg(test)]
mod tests;
