//! What the CLI prints, in its two ways of printing.

use std::io::{self, Write as _};

use serde_json::json;

const SESSION: &str = "00000000-fake-4000-8000-000000000000";

/// How an answer reaches the caller.
pub trait AnswerWriter {
    fn write_text(&self, text: &str) -> anyhow::Result<()>;
    fn finish(&self) -> anyhow::Result<()>;
}

/// One question, lines of JSON.
pub struct JsonLinesWriter;

impl AnswerWriter for JsonLinesWriter {
    fn write_text(&self, text: &str) -> anyhow::Result<()> {
        write_line(
            &json!({"type": "message", "role": "assistant", "content": text, "delta": true}).to_string(),
        )
    }

    fn finish(&self) -> anyhow::Result<()> {
        let stats = json!({"total_tokens": 15, "input_tokens": 10, "output_tokens": 5, "cached": 0,
            "models": {"fake-model": {"total_tokens": 15}}});
        write_line(&json!({"type": "result", "status": "success", "stats": stats}).to_string())
    }
}

pub fn write_start(prompt: &str) -> anyhow::Result<()> {
    write_line(&json!({"type": "init", "session_id": SESSION, "model": "auto"}).to_string())?;
    write_line(&json!({"type": "message", "role": "user", "content": prompt}).to_string())
}

pub fn write_line(text: &str) -> anyhow::Result<()> {
    write_bytes(text.as_bytes())?;
    write_bytes(b"\n")
}

pub fn write_bytes(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(())
}
