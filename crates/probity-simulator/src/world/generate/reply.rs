//! Answers of generateContent: a whole body, or the same in the frames of a stream.

use bytes::Bytes;
use serde_json::{Value, json};

use super::{GenerateAction, grounding, request::Conversation};
use crate::{call::SimulatorAnswer, world::errors};

/// A text of a stream is at most this long; longer ones arrive in pieces.
const PIECE_BYTES_MAX: usize = 1_024;
/// Roughly what a token is.
const BYTES_PER_TOKEN: usize = 4;
const THOUGHT_TOKENS: usize = 30;
/// What one search brings into the prompt.
const SEARCH_TOKENS: usize = 900;
/// Signatures are opaque; this is base64 for "sig".
const SIGNATURE: &str = "c2ln";
const RESPONSE_ID: &str = "resp-simulator";

/// 14 dollars per thousand searches.
pub(super) const SEARCH_MICRO_USD: u64 = 14_000;
/// About what reading one page costs in input tokens.
pub(super) const FETCH_MICRO_USD: u64 = 2_000;
/// About what one request of a conversation costs.
pub(super) const REQUEST_MICRO_USD: u64 = 6_000;

/// A function the model wants called.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ModelFunctionCall {
    pub(super) name: String,
    pub(super) arguments: Value,
}

/// One answer of the model.
#[derive(Debug, Default)]
pub(super) struct GenerateReply {
    pub(super) text: String,
    pub(super) wanted: Vec<ModelFunctionCall>,
    pub(super) finish: FinishReason,
    pub(super) grounding: Option<Value>,
    /// Pages that were read for it.
    pub(super) pages: Vec<String>,
    pub(super) searches: usize,
    pub(super) thought: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum FinishReason {
    #[default]
    Stop,
    /// The limit on output tokens was reached.
    MaxTokens,
}

impl GenerateReply {
    pub(super) fn text(text: String) -> Self {
        Self { text, ..Self::default() }
    }

    pub(super) fn calls(wanted: Vec<ModelFunctionCall>) -> Self {
        Self { wanted, thought: Some("**Looking things up**\n\nI need sources for this."), ..Self::default() }
    }

    pub(super) fn answer(
        &self,
        conversation: &Conversation,
        model: &str,
        action: GenerateAction,
    ) -> SimulatorAnswer {
        let usage = self.usage(conversation);
        match action {
            GenerateAction::Generate | GenerateAction::Count => {
                let mut parts = self.thought_parts();
                parts.extend(self.text_parts(usize::MAX));
                parts.extend(self.call_parts());
                errors::json_body(self.body(parts, ChunkPosition::Last, &usage, model).to_string())
            }
            GenerateAction::Stream => self.stream(&usage, model),
        }
    }

    fn stream(&self, usage: &Value, model: &str) -> SimulatorAnswer {
        let mut frames: Vec<Vec<Value>> = Vec::new();
        frames.extend(self.thought_parts().into_iter().map(|part| vec![part]));
        frames.extend(self.text_parts(PIECE_BYTES_MAX).into_iter().map(|part| vec![part]));
        let calls = self.call_parts();
        if !calls.is_empty() || frames.is_empty() {
            frames.push(calls);
        }
        let last = frames.len().saturating_sub(1);
        let mut body = String::new();
        for (index, parts) in frames.into_iter().enumerate() {
            let end = if index == last { ChunkPosition::Last } else { ChunkPosition::NotYet };
            body.push_str(&format!("data: {}\r\n\r\n", self.body(parts, end, usage, model)));
        }
        let headers = vec![("content-type".to_owned(), "text/event-stream".to_owned())];
        SimulatorAnswer::Whole { status: 200, headers, body: Bytes::from(body) }
    }

    fn body(&self, parts: Vec<Value>, end: ChunkPosition, usage: &Value, model: &str) -> Value {
        let content = if parts.is_empty() {
            json!({"role": "model"})
        } else {
            json!({"parts": parts, "role": "model"})
        };
        let mut candidate = json!({"content": content, "index": 0});
        if let Some(fields) = candidate.as_object_mut().filter(|_| end == ChunkPosition::Last) {
            let finish = match self.finish {
                FinishReason::Stop => "STOP",
                FinishReason::MaxTokens => "MAX_TOKENS",
            };
            fields.insert("finishReason".to_owned(), json!(finish));
            if let Some(grounding) = &self.grounding {
                fields.insert("groundingMetadata".to_owned(), grounding.clone());
            }
            if !self.pages.is_empty() {
                fields.insert("urlContextMetadata".to_owned(), grounding::pages(&self.pages));
            }
        }
        json!({
            "candidates": [candidate], "usageMetadata": usage, "modelVersion": model, "responseId": RESPONSE_ID,
        })
    }

    fn thought_parts(&self) -> Vec<Value> {
        self.thought.iter().map(|thought| json!({"text": thought, "thought": true})).collect()
    }

    fn text_parts(&self, bytes_max: usize) -> Vec<Value> {
        let mut parts = Vec::new();
        let mut rest = self.text.as_str();
        while !rest.is_empty() {
            let end = rest.floor_char_boundary(bytes_max);
            let (piece, behind) = rest.split_at(end);
            parts.push(json!({"text": piece}));
            rest = behind;
        }
        parts
    }

    /// The first call carries the signature of the thought that led to all of them.
    fn call_parts(&self) -> Vec<Value> {
        let mut parts: Vec<Value> = self
            .wanted
            .iter()
            .map(|wanted| json!({"functionCall": {"name": wanted.name, "args": wanted.arguments}}))
            .collect();
        if let Some(fields) = parts.first_mut().and_then(Value::as_object_mut) {
            fields.insert("thoughtSignature".to_owned(), json!(SIGNATURE));
        }
        parts
    }

    fn usage(&self, conversation: &Conversation) -> Value {
        let prompt = tokens(conversation.bytes);
        let calls: usize = self.wanted.iter().map(|wanted| wanted.arguments.to_string().len()).sum();
        let written = tokens(self.text.len() + calls);
        let thoughts = if self.thought.is_some() { THOUGHT_TOKENS } else { 0 };
        let tools = self.searches * SEARCH_TOKENS;
        let mut usage = json!({
            "promptTokenCount": prompt,
            "candidatesTokenCount": written,
            "totalTokenCount": prompt + written + thoughts + tools,
            "thoughtsTokenCount": thoughts,
            "promptTokensDetails": [{"modality": "TEXT", "tokenCount": prompt}],
        });
        if let Some(fields) = usage.as_object_mut().filter(|_| tools > 0) {
            fields.insert("toolUsePromptTokenCount".to_owned(), json!(tools));
        }
        usage
    }
}

/// Whether more of the answer follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChunkPosition {
    NotYet,
    Last,
}

/// The answer to `countTokens`.
pub(super) fn count(conversation: &Conversation) -> SimulatorAnswer {
    let total = tokens(conversation.bytes);
    let body =
        json!({"totalTokens": total, "promptTokensDetails": [{"modality": "TEXT", "tokenCount": total}]});
    errors::json_body(body.to_string())
}

fn tokens(bytes: usize) -> usize {
    bytes.div_ceil(BYTES_PER_TOKEN)
}
