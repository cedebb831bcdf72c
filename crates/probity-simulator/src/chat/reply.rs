//! Answers in wire format: completions, whole or in frames, and refusals.

use bytes::Bytes;
use serde_json::{Value, json};

use super::request::ChatRequest;
use crate::call::{SimulatorAnswer, SimulatorCall};

/// Roughly what a token is.
const BYTES_PER_TOKEN: usize = 4;
/// Pieces of a streamed answer.
pub(super) const PIECE_BYTES_MAX: usize = 256;
const ID: &str = "chatcmpl-simulator";
/// 2026-11-14T12:00:00Z, like every other date of the simulator.
const CREATED: i64 = crate::world::EPOCH_SECONDS;

/// What the model answers.
#[derive(Debug)]
pub(super) struct ChatModelReply {
    pub(super) text: String,
    pub(super) finish: &'static str,
    pub(super) refusal: Option<&'static str>,
    pub(super) tool_calls: Vec<Value>,
    /// Whether the endpoint reports its token counts.
    pub(super) counted: bool,
    /// Input and output tokens where the model counts them itself.
    pub(super) tokens: Option<(u64, u64)>,
}

impl ChatModelReply {
    pub(super) fn text(text: String) -> Self {
        Self { text, finish: "stop", refusal: None, tool_calls: Vec::new(), counted: true, tokens: None }
    }

    pub(super) fn output_tokens(&self) -> u64 {
        let bytes = self.text.len() + self.refusal.map_or(0, str::len);
        self.tokens.map_or_else(|| tokens(bytes), |(_, written)| written)
    }

    pub(super) fn answer(&self, request: &ChatRequest) -> SimulatorAnswer {
        if request.stream { self.streamed(request) } else { json_body(200, &self.whole(request)) }
    }

    fn whole(&self, request: &ChatRequest) -> Value {
        let content = if self.refusal.is_some() { Value::Null } else { json!(self.text) };
        let mut message = json!({"role": "assistant", "content": content, "refusal": self.refusal});
        if let Some(fields) = message.as_object_mut().filter(|_| !self.tool_calls.is_empty()) {
            fields.insert("tool_calls".to_owned(), json!(self.tool_calls));
        }
        let choice = json!({"index": 0, "message": message, "logprobs": null, "finish_reason": self.finish});
        let mut body = json!({
            "id": ID, "object": "chat.completion", "created": CREATED, "model": request.model, "choices": [choice],
        });
        if let Some(fields) = body.as_object_mut().filter(|_| self.counted) {
            fields.insert("usage".to_owned(), self.usage(request));
        }
        body
    }

    fn usage(&self, request: &ChatRequest) -> Value {
        let prompt = self.tokens.map_or_else(|| input_tokens(request), |(read, _)| read);
        let written = self.output_tokens();
        json!({
            "prompt_tokens": prompt, "completion_tokens": written, "total_tokens": prompt + written,
            "prompt_tokens_details": {"cached_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0},
        })
    }

    fn streamed(&self, request: &ChatRequest) -> SimulatorAnswer {
        let frame = |delta: Value, finish: Value| {
            let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
            let chunk = json!({
                "id": ID, "object": "chat.completion.chunk", "created": CREATED, "model": request.model,
                "choices": [choice],
            });
            format!("data: {chunk}\n\n")
        };
        let mut body = frame(json!({"role": "assistant", "content": ""}), Value::Null);
        let mut rest = self.text.as_str();
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at(rest.floor_char_boundary(PIECE_BYTES_MAX));
            body.push_str(&frame(json!({"content": piece}), Value::Null));
            rest = behind;
        }
        body.push_str(&frame(json!({}), json!(self.finish)));
        body.push_str("data: [DONE]\n\n");
        let headers = vec![("content-type".to_owned(), "text/event-stream".to_owned())];
        SimulatorAnswer::Whole { status: 200, headers, body: Bytes::from(body) }
    }
}

pub(super) fn input_tokens(request: &ChatRequest) -> u64 {
    tokens(request.system.len() + request.user.len())
}

fn tokens(bytes: usize) -> u64 {
    bytes.div_ceil(BYTES_PER_TOKEN) as u64
}

pub(super) fn models() -> SimulatorAnswer {
    let models: Vec<Value> = super::Script::ALL
        .iter()
        .map(|script| {
            json!({"id": script.as_str(), "object": "model", "created": CREATED, "owned_by": "simulator"})
        })
        .collect();
    json_body(200, &json!({"object": "list", "data": models}))
}

/// The refusal for the keys that tests use for it. No key at all is fine: local servers want none.
pub(super) fn key_refusal(call: &SimulatorCall) -> Option<SimulatorAnswer> {
    let bearer = call.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    matches!(bearer, Some("invalid" | "unauthorized")).then(|| {
        error(
            401,
            "Incorrect API key provided: invalid. You can find your API key in your account.",
            "invalid_api_key",
        )
    })
}

pub(super) fn error(status: u16, message: &str, code: &str) -> SimulatorAnswer {
    let kind = if status < 500 { "invalid_request_error" } else { "server_error" };
    json_body(status, &json!({"error": {"message": message, "type": kind, "param": null, "code": code}}))
}

/// An error of this status as such endpoints word it.
pub(super) fn plain(status: u16) -> SimulatorAnswer {
    match status {
        401 => error(401, "Incorrect API key provided.", "invalid_api_key"),
        402 => error(402, "Insufficient credits.", "insufficient_credits"),
        404 => error(404, "The model does not exist.", "model_not_found"),
        429 => error(
            429,
            "You exceeded your current quota, please check your plan and billing details.",
            "insufficient_quota",
        ),
        503 => error(503, "The engine is currently overloaded, please try again later.", "overloaded"),
        _ => error(status, "The request could not be served.", "error"),
    }
}

pub(super) fn limited(seconds: u32) -> SimulatorAnswer {
    retry_after(error(429, "Rate limit reached for requests.", "rate_limit_exceeded"), seconds)
}

/// The same answer with the header that says when to come back.
pub(super) fn retry_after(answer: SimulatorAnswer, seconds: u32) -> SimulatorAnswer {
    match answer {
        SimulatorAnswer::Whole { status, mut headers, body } => {
            headers.push(("retry-after".to_owned(), seconds.to_string()));
            SimulatorAnswer::Whole { status, headers, body }
        }
        other => other,
    }
}

/// HTML where JSON was expected, as a proxy in between would send it.
pub(super) fn html() -> SimulatorAnswer {
    let headers = vec![("content-type".to_owned(), "text/html".to_owned())];
    SimulatorAnswer::Whole {
        status: 200,
        headers,
        body: Bytes::from_static(b"<!DOCTYPE html><title>Sign in</title>"),
    }
}

pub(super) fn json_body(status: u16, body: &Value) -> SimulatorAnswer {
    let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    SimulatorAnswer::Whole { status, headers, body: Bytes::from(body.to_string()) }
}
