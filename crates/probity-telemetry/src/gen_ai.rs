//! Spans of model calls and agent runs, named as the GenAI conventions of OpenTelemetry name them.
//!
//! What was asked and answered is recorded only where the operator chose [`ContentCapture::Content`].

use probity_research::cost::Usage;
use tracing::{Span, field::Empty};

/// Attribute names of the conventions; a test compares them with the published table.
pub mod attribute {
    pub const OPERATION_NAME: &str = "gen_ai.operation.name";
    pub const PROVIDER_NAME: &str = "gen_ai.provider.name";
    pub const REQUEST_MODEL: &str = "gen_ai.request.model";
    pub const RESPONSE_MODEL: &str = "gen_ai.response.model";
    pub const RESPONSE_ID: &str = "gen_ai.response.id";
    pub const AGENT_NAME: &str = "gen_ai.agent.name";
    pub const CONVERSATION_ID: &str = "gen_ai.conversation.id";
    pub const USAGE_INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
    pub const USAGE_OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
    pub const USAGE_CACHE_READ_INPUT_TOKENS: &str = "gen_ai.usage.cache_read.input_tokens";
    pub const USAGE_REASONING_OUTPUT_TOKENS: &str = "gen_ai.usage.reasoning.output_tokens";
    pub const INPUT_MESSAGES: &str = "gen_ai.input.messages";
    pub const OUTPUT_MESSAGES: &str = "gen_ai.output.messages";
    pub const ERROR_TYPE: &str = "error.type";

    pub const ALL: &[&str] = &[
        OPERATION_NAME,
        PROVIDER_NAME,
        REQUEST_MODEL,
        RESPONSE_MODEL,
        RESPONSE_ID,
        AGENT_NAME,
        CONVERSATION_ID,
        USAGE_INPUT_TOKENS,
        USAGE_OUTPUT_TOKENS,
        USAGE_CACHE_READ_INPUT_TOKENS,
        USAGE_REASONING_OUTPUT_TOKENS,
        INPUT_MESSAGES,
        OUTPUT_MESSAGES,
        ERROR_TYPE,
    ];
}

/// What the conventions call our two operations.
pub const CHAT: &str = "chat";
pub const INVOKE_AGENT: &str = "invoke_agent";

/// Most of one message that a span takes: collectors refuse records of several megabytes.
const MESSAGE_CHARACTERS_MAX: usize = 8_000;

/// Whether spans contain what was asked and answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentCapture {
    Content,
    Nothing,
}

/// The model or agent that is called, and the run it is called for.
#[derive(Debug, Clone, Copy)]
pub struct CallTarget<'a> {
    /// As the conventions name providers (`gcp.gemini`), or our own name of one.
    pub provider: &'a str,
    pub model: &'a str,
    pub research: &'a str,
}

/// The span of one call to a model.
pub fn model_call(called: CallTarget<'_>) -> Span {
    tracing::info_span!(
        "model_call",
        otel.name = format!("{CHAT} {}", called.model),
        otel.kind = "client",
        otel.status_code = Empty,
        { attribute::OPERATION_NAME } = CHAT,
        { attribute::PROVIDER_NAME } = called.provider,
        { attribute::REQUEST_MODEL } = called.model,
        { attribute::CONVERSATION_ID } = called.research,
        { attribute::RESPONSE_MODEL } = Empty,
        { attribute::RESPONSE_ID } = Empty,
        { attribute::USAGE_INPUT_TOKENS } = Empty,
        { attribute::USAGE_OUTPUT_TOKENS } = Empty,
        { attribute::USAGE_CACHE_READ_INPUT_TOKENS } = Empty,
        { attribute::USAGE_REASONING_OUTPUT_TOKENS } = Empty,
        { attribute::INPUT_MESSAGES } = Empty,
        { attribute::OUTPUT_MESSAGES } = Empty,
        { attribute::ERROR_TYPE } = Empty,
    )
}

/// The span of one call to a remote agent that works by itself: start, poll, cancel.
pub fn agent_run(called: CallTarget<'_>) -> Span {
    tracing::info_span!(
        "agent_run",
        otel.name = format!("{INVOKE_AGENT} {}", called.model),
        otel.kind = "client",
        otel.status_code = Empty,
        { attribute::OPERATION_NAME } = INVOKE_AGENT,
        { attribute::PROVIDER_NAME } = called.provider,
        { attribute::AGENT_NAME } = called.model,
        { attribute::CONVERSATION_ID } = called.research,
        { attribute::RESPONSE_MODEL } = Empty,
        { attribute::RESPONSE_ID } = Empty,
        { attribute::USAGE_INPUT_TOKENS } = Empty,
        { attribute::USAGE_OUTPUT_TOKENS } = Empty,
        { attribute::USAGE_CACHE_READ_INPUT_TOKENS } = Empty,
        { attribute::USAGE_REASONING_OUTPUT_TOKENS } = Empty,
        { attribute::INPUT_MESSAGES } = Empty,
        { attribute::OUTPUT_MESSAGES } = Empty,
        { attribute::ERROR_TYPE } = Empty,
    )
}

/// The provider's token counts.
pub fn record_usage(span: &Span, usage: &Usage) {
    // Thoughts are billed as output, and the conventions count them into it.
    let output = usage.output_tokens.saturating_add(usage.thought_tokens);
    span.record(attribute::USAGE_INPUT_TOKENS, signed_count(usage.input_tokens));
    span.record(attribute::USAGE_OUTPUT_TOKENS, signed_count(output));
    span.record(attribute::USAGE_CACHE_READ_INPUT_TOKENS, signed_count(usage.cached_tokens));
    span.record(attribute::USAGE_REASONING_OUTPUT_TOKENS, signed_count(usage.thought_tokens));
}

/// OpenTelemetry knows signed numbers only; an unsigned field would become text.
fn signed_count(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

pub fn record_response(span: &Span, id: Option<&str>, model: Option<&str>) {
    if let Some(id) = id {
        span.record(attribute::RESPONSE_ID, id);
    }
    if let Some(model) = model {
        span.record(attribute::RESPONSE_MODEL, model);
    }
}

/// `code` is one of our error codes: never the provider's message, which may repeat the question.
pub fn record_failure(span: &Span, code: &'static str) {
    span.record(attribute::ERROR_TYPE, code);
    span.record("otel.status_code", "ERROR");
}

/// The question, where the operator chose to capture it.
pub fn record_question(span: &Span, capture: ContentCapture, question: &str) {
    if capture == ContentCapture::Content {
        span.record(attribute::INPUT_MESSAGES, message("user", question));
    }
}

/// The answer, where the operator chose to capture it.
pub fn record_answer(span: &Span, capture: ContentCapture, answer: &str) {
    if capture == ContentCapture::Content {
        span.record(attribute::OUTPUT_MESSAGES, message("assistant", answer));
    }
}

/// One message in the shape of the conventions.
fn message(role: &str, content: &str) -> String {
    let content: String = content.chars().take(MESSAGE_CHARACTERS_MAX).collect();
    serde_json::json!([{ "role": role, "parts": [{ "type": "text", "content": content }] }]).to_string()
}
