//! What a failed call of the CLI means, from its exit code and its output.
//!
//! The CLI has codes of its own, ends with an HTTP status modulo 256, and sometimes says only in prose what
//! went wrong. This is the one module that reads that prose.

use std::time::Duration;

use probity_research::error::{Code, CodedError};

use crate::{gemini::error, secret::ApiKey, transport::ResponseHeaders};

/// Exit code of the supervisor when it could not start the CLI at all. No HTTP status is congruent to it.
pub const SUPERVISOR_FAILED: i32 = 125;

/// What is known of a call that did not succeed.
#[derive(Debug, Clone, Copy, Default)]
pub struct CliFailureContext<'a> {
    pub exit: Option<i32>,
    /// The HTTP status, where the CLI named one.
    pub status: Option<u16>,
    /// What the CLI gave as the reason.
    pub said: Option<&'a str>,
    /// What it printed on stderr.
    pub errors: &'a str,
}

/// Statuses that the service answers with; the CLI exits with the remainder by 256.
const STATUSES: &[u16] = &[400, 401, 403, 404, 408, 409, 413, 422, 429, 499, 500, 501, 502, 503, 504];

const POLICY_REFUSED: &str = "Policy file error";
const MODEL_NOT_FOUND: &str = "ModelNotFoundError";
const QUOTA_FOR_THE_DAY: &[&str] = &["TerminalQuotaError", "exhausted your daily quota"];
const NO_CONNECTION: &str = "fetch failed";
const NOTHING_SAID: &str = "The model returned an empty response";
/// Over the protocol the CLI reports this status for every error without a status of its own.
const STAND_IN: u16 = 500;

/// The problem behind a failed call. The key is redacted in its message.
pub fn problem(evidence: &CliFailureContext<'_>, key: &ApiKey) -> CodedError {
    let words = words(evidence);
    let mut problem = if policy_refused(evidence.errors) {
        CodedError::new(Code::CliConfiguration, "the Gemini CLI cannot read the policy that Probity gave it")
    } else if let Some(code) = behind_stand_in(evidence) {
        CodedError::new(code, &format!("the Gemini CLI reports: {words}"))
    } else if let Some(status) = evidence.status.or_else(|| status_of(evidence)) {
        by_status(status, evidence, &words)
    } else {
        CodedError::new(by_exit(evidence), &format!("the Gemini CLI {}: {words}", ended(evidence.exit)))
    };
    problem.message = key.redact(&problem.message);
    problem
}

/// The CLI goes on with its own defaults when it cannot read its policy; an answer found that way does not
/// count.
pub fn policy_refused(errors: &str) -> bool {
    errors.contains(POLICY_REFUSED)
}

/// An empty answer is an answer, and the driver handles it; in one-shot mode the CLI calls it an error and
/// exits with 0, while over the protocol it reports nothing.
pub fn is_empty_answer(exit: Option<i32>, said: &str) -> bool {
    exit == Some(0) && said.contains(NOTHING_SAID)
}

fn ended(exit: Option<i32>) -> String {
    match exit {
        None => "did not end by itself".to_owned(),
        Some(code) => format!("ended with {code}"),
    }
}

impl CliFailureContext<'_> {
    fn says(&self, needle: &str) -> bool {
        self.said.is_some_and(|said| said.contains(needle))
    }

    fn mentions(&self, needle: &str) -> bool {
        self.errors.contains(needle) || self.says(needle)
    }
}

/// Failures without a provider's answer, although they have a status. A failed connection is believed only
/// where it is the reason given: stderr also reports attempts that were retried with success.
fn behind_stand_in(evidence: &CliFailureContext<'_>) -> Option<Code> {
    if evidence.status != Some(STAND_IN) {
        return None;
    }
    let lost = evidence.says(NO_CONNECTION).then_some(Code::Network);
    lost.or_else(|| evidence.mentions(MODEL_NOT_FOUND).then_some(Code::UnknownModel))
}

fn by_exit(evidence: &CliFailureContext<'_>) -> Code {
    if evidence.mentions(MODEL_NOT_FOUND) {
        return Code::UnknownModel;
    }
    if evidence.mentions(NO_CONNECTION) {
        return Code::Network;
    }
    // Without a key the CLI ends with 0 and names its own code only in prose.
    let exit = match evidence.exit {
        None | Some(0 | 1) => code_in(evidence.errors).or(evidence.exit),
        other => other,
    };
    match exit {
        // Ended by a signal, or with 0 and without an answer: both are an end without a result.
        None | Some(0 | 130 | 137 | 143) => Code::CliNoResult,
        Some(41) => Code::CliAuth,
        Some(42) => Code::CliInput,
        Some(44 | 52) => Code::CliConfiguration,
        Some(53) => Code::CliTurnLimit,
        Some(54) => Code::CliToolFailed,
        Some(55) => Code::CliUntrusted,
        Some(_) => Code::CliFailed,
    }
}

fn by_status(status: u16, evidence: &CliFailureContext<'_>, words: &str) -> CodedError {
    let for_the_day =
        QUOTA_FOR_THE_DAY.iter().any(|sign| words.contains(sign) || evidence.errors.contains(sign));
    let body = evidence.said.and_then(json_in);
    let read = error::read(status, &ResponseHeaders::default(), body.unwrap_or_default().as_bytes()).problem;
    let code = match (status, read.code) {
        (404, _) => Code::UnknownModel,
        (429, _) if for_the_day => Code::QuotaExhausted,
        (_, code) => code,
    };
    let message = format!("the provider answered the Gemini CLI with {status}: {words}");
    let stated = || evidence.said.and_then(wait_in).or_else(|| wait_in(evidence.errors));
    let wait = read.retry_after_ms.map(Duration::from_millis).or_else(stated);
    CodedError::new(code, &message).with_status(status).with_retry_after(wait)
}

/// The status that the exit code stands for, or that the provider's own message contains.
fn status_of(evidence: &CliFailureContext<'_>) -> Option<u16> {
    let by_exit = STATUSES.iter().copied().find(|status| evidence.exit == Some(i32::from(status % 256)));
    by_exit.or_else(|| {
        let body: serde_json::Value = serde_json::from_str(evidence.said.and_then(json_in)?).ok()?;
        let code = body.get("error")?.get("code")?.as_u64()?;
        u16::try_from(code).ok().filter(|code| (400..600).contains(code))
    })
}

/// The JSON object inside a sentence such as `[API Error: {…}]`.
fn json_in(text: &str) -> Option<&str> {
    let (start, end) = (text.find('{')?, text.rfind('}')?);
    text.get(start..=end)
}

/// The CLI's message, or else its last complaint on stderr.
fn words(evidence: &CliFailureContext<'_>) -> String {
    if let Some(said) = evidence.said.filter(|said| !said.trim().is_empty()) {
        return message_in(said).unwrap_or_else(|| said.to_owned());
    }
    let object = last_error_object(evidence.errors);
    if let Some(message) = object.as_ref().and_then(|error| error.get("message")?.as_str()) {
        return message_in(message).unwrap_or_else(|| message.to_owned());
    }
    let telling = evidence.errors.lines().rev().map(str::trim).find(|line| is_telling(line));
    telling.unwrap_or("it gave no reason").to_owned()
}

fn message_in(said: &str) -> Option<String> {
    let body: serde_json::Value = serde_json::from_str(json_in(said)?).ok()?;
    body.get("error")?.get("message")?.as_str().map(str::to_owned)
}

/// `{"session_id": …, "error": {"type", "message", "code"}}`, which the CLI prints last on stderr, over several
/// lines and maybe twice.
fn last_error_object(errors: &str) -> Option<serde_json::Value> {
    let (start, _) = errors.rmatch_indices("\"error\": {").next()?;
    let (_, object) = errors.get(start..)?.split_once(": ")?;
    serde_json::Deserializer::from_str(object).into_iter().next()?.ok()
}

fn code_in(errors: &str) -> Option<i32> {
    last_error_object(errors)?.get("code")?.as_i64()?.try_into().ok()
}

/// Not one of the lines that are always there, nor a part of a stack trace.
fn is_telling(line: &str) -> bool {
    const NOISE: &[&str] =
        &["Warning: 256-color", "Ripgrep is not available", "[STARTUP]", "at ", "}", "{", "(node:"];
    !line.is_empty() && !NOISE.iter().any(|noise| line.starts_with(noise))
}

/// `Suggested retry after 2s.`
fn wait_in(errors: &str) -> Option<Duration> {
    let (_, rest) = errors.rsplit_once("retry after ")?;
    let number = rest.split('s').next()?.trim();
    let wait = Duration::try_from_secs_f64(number.parse().ok()?).ok()?;
    Some(wait.min(error::WAIT_MAX))
}

#[cfg(test)]
mod tests;
