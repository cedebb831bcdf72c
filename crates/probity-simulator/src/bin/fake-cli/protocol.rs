//! The Agent Client Protocol, as little of it as a client notices.

use std::io::{self, BufRead as _};

use serde_json::{Value, json};

use crate::{
    answer_writer::{self, AnswerWriter},
    misbehaviour,
};

struct ProtocolSession {
    name: String,
    request: Value,
}

impl AnswerWriter for ProtocolSession {
    fn write_text(&self, text: &str) -> anyhow::Result<()> {
        let update =
            json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}});
        answer_writer::write_line(
            &json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": self.name, "update": update}})
                .to_string(),
        )
    }

    fn finish(&self) -> anyhow::Result<()> {
        answer(&self.request, &json!({"stopReason": "end_turn"}))
    }
}

pub fn serve() -> anyhow::Result<()> {
    let mut sessions = 0_u32;
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let id = message.get("id").cloned().unwrap_or_default();
        match message.get("method").and_then(Value::as_str) {
            Some("initialize") => answer(&id, &json!({"protocolVersion": 1, "agentCapabilities": {}}))?,
            Some("session/new") => {
                sessions += 1;
                answer(&id, &json!({"sessionId": format!("session-{sessions}-of-{}", std::process::id())}))?;
            }
            Some("session/prompt") => {
                let text =
                    message.pointer("/params/prompt/0/text").and_then(Value::as_str).unwrap_or_default();
                let name = message.pointer("/params/sessionId").and_then(Value::as_str).unwrap_or_default();
                misbehaviour::misbehave(text, &ProtocolSession { name: name.to_owned(), request: id })?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn answer(id: &Value, result: &Value) -> anyhow::Result<()> {
    answer_writer::write_line(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string())
}
