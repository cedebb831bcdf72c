//! One question to a language model, one answer: any OpenAI-compatible endpoint, Gemini, or Anthropic.
//!
//! Never repeats a call that may have been paid for. A request that was refused without being billed is asked
//! once more in the endpoint's own dialect, and what was learned is remembered. No tools, no memory.

mod answer;
mod anthropic;
mod dialect;
mod gemini;
mod openai;
pub mod price;
mod refusal;

use std::{
    fmt,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use bytes::Bytes;
use probity_research::{
    cost::MicroUsd,
    error::{Code, CodedError},
    text,
    time::Moment,
    web::bill::Bill,
};
use serde_json::Value;
use tokio::{
    sync::Semaphore,
    time::{Instant, timeout_at},
};

use crate::{
    secret::ApiKey,
    transport::{
        ConnectionReuse, HeaderText, HttpMethod, HttpRequest, HttpResponse, ResponseBody, SendState,
        Transport,
        http::{self, HttpTransport},
    },
};
use dialect::{EndpointDialect, KeyHeader, RequestStyleMemory};
use price::PriceSource;
use refusal::{CallAcceptance, ChatRefusal};

pub const OPENAI_BASE_URL: &str = "https://api.openai.com/v1";
pub const ANTHROPIC_BASE_URL: &str = "https://api.anthropic.com/v1";
pub const GEMINI_BASE_URL: &str = "https://generativelanguage.googleapis.com/v1beta";
/// Concurrent calls; what hosted endpoints allow a new account.
pub const CALLS_IN_FLIGHT_MAX: usize = 16;
/// Concurrent calls to a model on this machine that has shown that it is fast.
const LOCAL_CALLS_IN_FLIGHT_MAX: usize = 4;
/// An answer within this time shows it. A slower model works on one call while the others wait at its door, until their
/// time is over.
const LOCAL_FAST_ANSWER_MAX: Duration = Duration::from_secs(15);
/// Longest wait for a turn at a model on this machine; it is not counted as time of the call.
const LOCAL_TURN_WAIT_MAX: Duration = Duration::from_secs(3_600);
/// Largest answer read. The longest report is a hundredth of it.
const ANSWER_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Of a model's name in a message.
const MODEL_CHARACTERS_MAX: usize = 100;
/// Largest error body read; its message is cut to a line anyway.
const ERROR_BYTES_MAX: usize = 256 * 1024;
/// Timeout for reading the body of a refusal whose status is already known.
const REFUSAL_BODY_MAX: Duration = Duration::from_secs(10);

/// Which API an endpoint speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatKind {
    /// `/v1/chat/completions`: OpenAI, OpenRouter, Ollama, llama.cpp, vLLM and many more.
    OpenAi,
    /// Google's `generateContent`.
    Gemini,
    /// `/v1/messages`: Anthropic, and servers that speak it too.
    Anthropic,
}

#[derive(Debug, Clone)]
pub struct ChatSettings {
    pub kind: ChatKind,
    /// `https`, or `http` on this machine. A bare host gets the usual version appended.
    pub base_url: String,
    pub key: Option<ApiKey>,
    pub model: String,
    /// A proxy on this machine that forwards everything: whose price list applies, such as `openai`.
    pub stands_for: Option<String>,
}

impl ChatSettings {
    pub fn new(kind: ChatKind, model: &str) -> Self {
        let base_url = kind.facts().base_url.to_owned();
        Self { kind, base_url, key: None, model: model.to_owned(), stands_for: None }
    }
}

#[derive(Clone)]
pub struct ChatCall {
    pub system: String,
    pub user: String,
    /// JSON schema of the answer. An endpoint that supports none gets it as text in the prompt: validate what
    /// comes back.
    pub schema: Option<Value>,
    /// A short name for the schema.
    pub schema_name: &'static str,
    pub output_tokens_max: u32,
    /// Timeout for everything, from the wait for a free slot to the last byte.
    pub deadline: Duration,
}

impl fmt::Debug for ChatCall {
    /// Debug output: the texts are the user's question and foreign pages, so only their length is shown.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ChatCall")
            .field("schema_name", &self.schema_name)
            .field("system_bytes", &self.system.len())
            .field("user_bytes", &self.user.len())
            .field("output_tokens_max", &self.output_tokens_max)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatReply {
    /// Never empty.
    pub text: String,
    /// The answer ended at its limit of output tokens; only `ask_or_cut` returns one that did.
    pub cut: bool,
    /// The model that answered, as the endpoint names it.
    pub model: Option<String>,
    pub bill: Bill,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct ChatError {
    pub problem: CodedError,
    /// `NOTHING` if the call was provably not accepted, or costs nothing anyway.
    pub bill: Bill,
}

/// A chat model at one endpoint.
pub struct ChatClient<T: Transport> {
    transport: T,
    dialect: EndpointDialect,
    key: Option<ApiKey>,
    model: String,
    prices: PriceSource,
    learned: RequestStyleMemory,
    calls: Semaphore,
    /// Calls that may be in flight at once; grows for a fast model on this machine.
    calls_allowed: AtomicUsize,
    now: Box<dyn Fn() -> Moment + Send + Sync>,
}

impl ChatClient<HttpTransport> {
    /// The model over the network. `now` dates the prices.
    pub fn connect(
        settings: ChatSettings,
        now: impl Fn() -> Moment + Send + Sync + 'static,
    ) -> Result<Self, CodedError> {
        let transport = HttpTransport::new(&settings.base_url)?;
        Self::new(transport, settings, now)
    }
}

impl<T: Transport> ChatClient<T> {
    /// Refuses an endpoint to which prompts and key must not be sent, and a model without a name.
    pub fn new(
        transport: T,
        settings: ChatSettings,
        now: impl Fn() -> Moment + Send + Sync + 'static,
    ) -> Result<Self, CodedError> {
        http::check_base(&settings.base_url)?;
        let model = settings.model.trim();
        if model.is_empty() || model.chars().any(char::is_control) {
            return Err(CodedError::new(Code::UnknownModel, "the chat model has no name"));
        }
        let dialect = EndpointDialect::of(settings.kind, &settings.base_url)?;
        dialect.address(model).ok_or_else(|| no_address(model))?;
        if settings.key.is_none() && dialect.needs_key() && settings.stands_for.is_none() {
            return Err(CodedError::new(
                Code::KeyMissing,
                "the chat endpoint needs an API key and there is none",
            ));
        }
        let prices = PriceSource::at(&dialect, settings.stands_for);
        let calls_allowed = if prices.are_free() { 1 } else { CALLS_IN_FLIGHT_MAX };
        Ok(Self {
            prices,
            dialect,
            transport,
            key: settings.key,
            model: model.to_owned(),
            learned: RequestStyleMemory::default(),
            calls: Semaphore::new(calls_allowed),
            calls_allowed: AtomicUsize::new(calls_allowed),
            now: Box::new(now),
        })
    }

    /// Whether nothing leaves the machine: an endpoint on loopback that is no proxy.
    pub fn is_local(&self) -> bool {
        self.prices.are_free()
    }

    pub fn model(&self) -> &str {
        &self.model
    }

    /// What a call of this size would cost today; `None` if this model's price is unknown.
    pub fn expected_cost(&self, input_tokens: u64, output_tokens: u64) -> Option<MicroUsd> {
        self.prices.expected(&self.model, input_tokens, output_tokens, (self.now)())
    }

    /// A whole answer; one that was cut at its limit is an error.
    pub async fn ask(&self, call: ChatCall) -> Result<ChatReply, ChatError> {
        let reply = Box::pin(self.ask_or_cut(call)).await?;
        match reply.cut {
            true => Err(ChatError { problem: answer::truncation_error(), bill: reply.bill }),
            false => Ok(reply),
        }
    }

    /// The same for those who can use the whole items of an answer that was cut.
    #[tracing::instrument(level = "debug", skip_all, fields(asked = call.schema_name))]
    pub async fn ask_or_cut(&self, call: ChatCall) -> Result<ChatReply, ChatError> {
        let late = || self.failed(CallAcceptance::Perhaps, timeout_error(call.deadline));
        let turn = if self.is_local() { LOCAL_TURN_WAIT_MAX } else { call.deadline };
        let asked = deadline(call.deadline);
        let Ok(admitted) = timeout_at(deadline(turn), self.calls.acquire()).await else {
            let problem = CodedError::new(Code::Timeout, "too many calls to the chat model were waiting");
            return Err(ChatError { problem, bill: Bill::NOTHING });
        };
        let fast_until = deadline(LOCAL_FAST_ANSWER_MAX);
        let until = if self.is_local() { deadline(call.deadline) } else { asked };
        let manner = self.learned.style();
        let first = timeout_at(until, self.send_once(&call, manner)).await.map_err(|_| late())?;
        let answer = match first {
            Err(refused) => match manner.fallback_after(&refused, &self.dialect, &call) {
                // Only reached if the call was provably not billed.
                Some(other) => {
                    let second = timeout_at(until, self.send_once(&call, other)).await.map_err(|_| late())?;
                    if second.is_ok() {
                        self.learned.remember(other);
                    }
                    second
                }
                None => Err(refused),
            },
            answered => answered,
        };
        drop(admitted);
        if answer.is_ok() && deadline(Duration::ZERO) <= fast_until {
            self.allow_one_more();
        }
        let body = answer.map_err(|refused| self.failed(refused.accepted, refused.problem))?;
        self.read(&body, &call)
    }

    /// A model on this machine that answers fast is asked more at once, up to a few calls.
    fn allow_one_more(&self) {
        let more = |allowed: usize| (allowed < LOCAL_CALLS_IN_FLIGHT_MAX).then_some(allowed + 1);
        if self.calls_allowed.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok() {
            self.calls.add_permits(1);
        }
    }

    /// One request, and the body of its success.
    async fn send_once(
        &self,
        call: &ChatCall,
        manner: dialect::RequestStyle,
    ) -> Result<Vec<u8>, ChatRefusal> {
        let request = self.request(call, manner)?;
        let HttpResponse { status, headers, mut body } =
            self.transport.send(request).await.map_err(|error| {
                let accepted = match error.reached {
                    SendState::NotSent => CallAcceptance::No,
                    SendState::MaybeSent => CallAcceptance::Perhaps,
                };
                ChatRefusal { accepted, problem: refusal::connection_error(error.problem, &self.dialect) }
            })?;
        if (200..=299).contains(&status) {
            return read_whole(&mut body).await;
        }
        let words = tokio::time::timeout(REFUSAL_BODY_MAX, read_start(&mut body)).await;
        Err(refusal::read(status, &headers, &words.unwrap_or_default()))
    }

    fn request(&self, call: &ChatCall, manner: dialect::RequestStyle) -> Result<HttpRequest, ChatRefusal> {
        let body = match self.dialect.kind {
            ChatKind::OpenAi => openai::body(&self.model, call, manner, &self.dialect),
            ChatKind::Gemini => gemini::body(call, manner),
            ChatKind::Anthropic => anthropic::body(&self.model, call, manner, &self.dialect),
        };
        let mut headers = vec![
            ("accept", HeaderText::Plain("application/json".into())),
            ("content-type", HeaderText::Plain("application/json".into())),
        ];
        if let Some((name, version)) = self.dialect.kind.facts().version_header {
            headers.push((name, HeaderText::Plain(version.into())));
        }
        if let Some(key) = &self.key {
            headers.push(match self.dialect.kind.facts().key {
                KeyHeader::Bearer => ("authorization", HeaderText::Bearer(key.clone())),
                KeyHeader::Named(header) => (header, HeaderText::Secret(key.clone())),
            });
        }
        let url = self
            .dialect
            .address(&self.model)
            .ok_or_else(|| ChatRefusal { accepted: CallAcceptance::No, problem: no_address(&self.model) })?;
        // A connection of its own: a pooled one may turn out dead after the bytes were sent.
        let connection = ConnectionReuse::Fresh;
        Ok(HttpRequest {
            method: HttpMethod::Post,
            url,
            headers,
            body: Bytes::from(body.to_string()),
            connection,
        })
    }

    fn read(&self, body: &[u8], call: &ChatCall) -> Result<ChatReply, ChatError> {
        let heard = match self.dialect.kind {
            ChatKind::OpenAi => openai::read(body),
            ChatKind::Gemini => gemini::read(body),
            ChatKind::Anthropic => anthropic::read(body, call.schema_name),
        };
        let model = heard.model.as_deref().unwrap_or(&self.model);
        let bill = self.prices.bill(model, &self.model, &heard.count, (self.now)());
        let cut = || answer::cut_text(body);
        match heard.text {
            Ok(text) => Ok(ChatReply { text, cut: false, model: heard.model, bill }),
            Err(problem) => match (problem.code == Code::Incomplete).then(cut).flatten() {
                Some(text) => Ok(ChatReply { text, cut: true, model: heard.model, bill }),
                None => Err(ChatError { problem: self.redact_key(problem), bill }),
            },
        }
    }

    fn failed(&self, accepted: CallAcceptance, problem: CodedError) -> ChatError {
        let bill = match accepted {
            CallAcceptance::No => Bill::NOTHING,
            CallAcceptance::Perhaps if self.prices.are_free() => Bill::NOTHING,
            CallAcceptance::Perhaps => Bill::UNKNOWN,
        };
        ChatError { problem: self.redact_key(problem), bill }
    }

    /// A provider's problem with our key redacted.
    fn redact_key(&self, mut problem: CodedError) -> CodedError {
        if let Some(key) = &self.key {
            problem.message = key.redact(&problem.message);
        }
        problem
    }
}

#[expect(clippy::disallowed_methods, reason = "a timer's deadline counts from the runtime's own now")]
fn deadline(after: Duration) -> Instant {
    Instant::now() + after
}

fn no_address(model: &str) -> CodedError {
    let shown = text::line(model, MODEL_CHARACTERS_MAX);
    let message = format!("the chat model's name `{shown}` cannot stand in an address");
    CodedError::new(Code::UnknownModel, &message)
}

fn timeout_error(limit: Duration) -> CodedError {
    let message = format!("the chat model did not answer within {} s", limit.as_secs());
    CodedError::new(Code::Timeout, &message)
}

/// The whole body; a success may have been billed, however its body ends.
async fn read_whole<B: ResponseBody>(body: &mut B) -> Result<Vec<u8>, ChatRefusal> {
    let broken = |problem| ChatRefusal { accepted: CallAcceptance::Perhaps, problem };
    let mut bytes = Vec::new();
    while let Some(chunk) = body.chunk().await.map_err(|error| broken(error.problem))? {
        if bytes.len() + chunk.len() > ANSWER_BYTES_MAX {
            let message = format!("the chat model's answer has more than {ANSWER_BYTES_MAX} bytes");
            return Err(broken(CodedError::new(Code::UnreadableAnswer, &message)));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// As much of the body as arrives, up to a bound.
async fn read_start<B: ResponseBody>(body: &mut B) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Ok(Some(chunk)) = body.chunk().await {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > ERROR_BYTES_MAX {
            break;
        }
    }
    bytes
}

#[cfg(test)]
mod tests;
