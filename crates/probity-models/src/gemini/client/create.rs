//! The paid call. Ends at the first byte that contains the run's id, and never sends twice.

use bytes::Bytes;
use probity_research::error::{Code, CodedError};
use tokio::time::timeout;

use super::{BodyEnd, ERROR_BYTES_MAX, InteractionsClient, is_usable_id, read_whole, timeout_error};
use crate::{
    gemini::{
        error::{self, StartProof},
        sse::SseFrameParser,
        wire::{
            CreateInteractionRequest, Interaction, InteractionEvent, InteractionEventKind, InteractionStatus,
            readable,
        },
    },
    transport::{
        ConnectionReuse, HeaderText, HttpMethod, HttpResponse, ResponseBody, ResponseHeaders, SendState,
        Transport, TransportError,
    },
};

/// Timeout from the first byte sent to the run's id. Google answers within a second or two; past this the
/// connection is taken to be dead.
pub const FIRST_FRAME_MAX: std::time::Duration = std::time::Duration::from_secs(60);
/// Time for an answer that has arrived already: in a process that was stopped, or on a machine that slept, the timeout
/// is over before the connection was read.
const ARRIVED_READ_MAX: std::time::Duration = std::time::Duration::from_secs(2);
/// Bytes read in search of an id.
const BEFORE_ID_BYTES_MAX: usize = 1024 * 1024;
/// Bytes in which the id of an answer that is not over is looked for, anew with each piece that arrives.
const EARLY_BYTES_MAX: usize = 16 * 1024;
/// Timeout for the body of a refusal whose status is already known.
const REFUSAL_BODY_MAX: std::time::Duration = std::time::Duration::from_secs(10);
/// Timeout for each further piece of a stream that began with an error: an id may still follow.
const AFTER_ERROR_MAX: std::time::Duration = std::time::Duration::from_secs(5);
/// Where an event that is not over may have the run's id.
const EVENT_ID_PLACES: &[&[&str]] =
    &[&["interaction", "id"], &["interaction_id"], &["data", "interaction", "id"]];

#[derive(Debug)]
pub enum CreateReply<B> {
    Started {
        remote_id: String,
        cursor: Option<String>,
        /// The rest of the stream, where the answer was one.
        rest: Option<(B, SseFrameParser)>,
    },
    /// Provably not accepted.
    Refused(CodedError),
    /// Perhaps accepted.
    Uncertain(CodedError),
}

impl<T: Transport> InteractionsClient<T> {
    pub async fn create(&self, create: &CreateInteractionRequest<'_>) -> CreateReply<T::Body> {
        let body = match serde_json::to_vec(create) {
            Ok(body) => body,
            Err(_) => {
                return CreateReply::Refused(CodedError::new(
                    Code::BadRequest,
                    "the request cannot be written",
                ));
            }
        };
        let mut request =
            self.request(HttpMethod::Post, format!("{}/interactions", self.base), "text/event-stream");
        request.headers.push(("content-type", HeaderText::Plain("application/json".into())));
        request.body = Bytes::from(body);
        request.connection = ConnectionReuse::Fresh;
        let _admitted = self.admit().await;
        let mut created = std::pin::pin!(async {
            match self.transport.send(request).await {
                Ok(response) => self.created(response).await,
                Err(error) => self.not_answered(error),
            }
        });
        if let Ok(reply) = timeout(FIRST_FRAME_MAX, &mut created).await {
            return reply;
        }
        let arrived = timeout(ARRIVED_READ_MAX, created).await;
        arrived.unwrap_or_else(|_| uncertain(&timeout_error("an id", FIRST_FRAME_MAX)))
    }

    fn not_answered(&self, error: TransportError) -> CreateReply<T::Body> {
        let problem = self.redact_key(error.problem);
        match error.reached {
            SendState::NotSent => CreateReply::Refused(problem),
            SendState::MaybeSent => uncertain(&problem),
        }
    }

    async fn created(&self, response: HttpResponse<T::Body>) -> CreateReply<T::Body> {
        let HttpResponse { status, headers, mut body } = response;
        if (200..=299).contains(&status) {
            return self.first_id(body).await;
        }
        let mut words = Vec::new();
        let read = timeout(REFUSAL_BODY_MAX, read_whole(&mut body, ERROR_BYTES_MAX, &mut words)).await;
        let end =
            read.unwrap_or_else(|_| BodyEnd::Broken(timeout_error("its whole refusal", REFUSAL_BODY_MAX)));
        self.refused(status, &headers, &words, &end)
    }

    /// What is not proof that nothing was started is uncertain; what names its interaction can be looked up. An id
    /// beside an error and without a status stays uncertain: proxies name their own requests so, and a run that the
    /// provider does not know would be called expired.
    fn refused(
        &self,
        status: u16,
        headers: &ResponseHeaders,
        body: &[u8],
        end: &BodyEnd,
    ) -> CreateReply<T::Body> {
        if let Some(remote_id) = id_beside_status(&String::from_utf8_lossy(body)) {
            return CreateReply::Started { remote_id, cursor: None, rest: None };
        }
        let refusal = error::read(status, headers, body);
        let mut problem = self.redact_key(refusal.problem);
        // It is the address or the agent that the provider does not know; no research was looked for.
        if problem.code == Code::NotFound {
            problem.code = Code::BadRequest;
        }
        match (refusal.proof, end) {
            (StartProof::NothingStarted, BodyEnd::Whole) => CreateReply::Refused(problem),
            // Whatever would have followed may have taken it back.
            (StartProof::NothingStarted, BodyEnd::Broken(_)) | (StartProof::None, _) => uncertain(&problem),
        }
    }

    /// Reads until the id is found. The response is a stream, or one interaction as JSON.
    async fn first_id(&self, mut body: T::Body) -> CreateReply<T::Body> {
        let mut start = Vec::new();
        let mut frames = SseFrameParser::default();
        let mut cause = CodedError::new(Code::UnreadableAnswer, "the provider's answer carries no id");
        let mut failed = false;
        while start.len() <= BEFORE_ID_BYTES_MAX {
            let next = if failed {
                timeout(AFTER_ERROR_MAX, body.chunk()).await.unwrap_or(Ok(None))
            } else {
                body.chunk().await
            };
            let chunk = match next {
                Ok(Some(chunk)) => chunk,
                Ok(None) => break,
                Err(_) if failed => break,
                Err(error) => {
                    cause = self.redact_key(error.problem);
                    break;
                }
            };
            start.extend_from_slice(&chunk);
            if looks_like_json(&start) {
                match early_id(&start, &[&["id"]]) {
                    Some(remote_id) => {
                        return CreateReply::Started { remote_id, cursor: None, rest: None };
                    }
                    None => continue,
                }
            }
            frames.push(&chunk);
            while let Ok(Some(frame)) = frames.next_frame() {
                match first_event(&frame) {
                    FirstFrame::Id { remote_id, cursor } => {
                        return CreateReply::Started { remote_id, cursor, rest: Some((body, frames)) };
                    }
                    FirstFrame::Failure(problem) if !failed => {
                        cause = self.redact_key(problem);
                        failed = true;
                    }
                    FirstFrame::Failure(_) | FirstFrame::Nothing => {}
                }
            }
            if let Some(remote_id) = early_id(frames.open_data(), EVENT_ID_PLACES) {
                return CreateReply::Started { remote_id, cursor: None, rest: Some((body, frames)) };
            }
        }
        match whole_answer(&start, &mut frames) {
            FirstFrame::Id { remote_id, cursor } => CreateReply::Started { remote_id, cursor, rest: None },
            FirstFrame::Failure(problem) => uncertain(&problem),
            FirstFrame::Nothing => uncertain(&cause),
        }
    }
}

enum FirstFrame {
    Id { remote_id: String, cursor: Option<String> },
    Failure(CodedError),
    Nothing,
}

fn first_event(frame: &[u8]) -> FirstFrame {
    let frame = readable(frame);
    let Some(event) = InteractionEvent::read(&frame) else { return FirstFrame::Nothing };
    if let Some(remote_id) = event.interaction_id().filter(|id| is_usable_id(id)) {
        let cursor = event.event_id.non_empty().filter(|id| is_usable_id(id)).map(str::to_owned);
        return FirstFrame::Id { remote_id, cursor };
    }
    match event.kind() {
        InteractionEventKind::Error => {
            let words = event.error().message.to_string();
            FirstFrame::Failure(CodedError::new(
                Code::ProviderFailed,
                &format!("the stream began with an error: {words}"),
            ))
        }
        InteractionEventKind::Created
        | InteractionEventKind::StatusUpdate
        | InteractionEventKind::StepStart
        | InteractionEventKind::StepDelta
        | InteractionEventKind::StepStop
        | InteractionEventKind::Completed
        | InteractionEventKind::Unknown(_) => FirstFrame::Nothing,
    }
}

/// The id in a response that has ended: JSON, whole or broken after its id, or a stream cut right after its first frame.
fn whole_answer(answer: &[u8], frames: &mut SseFrameParser) -> FirstFrame {
    if !looks_like_json(answer) {
        return match frames.finish() {
            Ok(Some(frame)) => match first_event(&frame) {
                FirstFrame::Failure(_) => FirstFrame::Nothing,
                found => found,
            },
            Ok(None) | Err(_) => FirstFrame::Nothing,
        };
    }
    let told = match Interaction::read(answer) {
        Ok(interaction) => interaction.id.non_empty().map(str::to_owned),
        Err(_) => id_of_broken_json(&String::from_utf8_lossy(answer)),
    };
    match told {
        Some(remote_id) if is_usable_id(&remote_id) => FirstFrame::Id { remote_id, cursor: None },
        Some(_) => FirstFrame::Failure(CodedError::new(
            Code::UnreadableAnswer,
            "the provider's answer carries an id that cannot be used",
        )),
        None => FirstFrame::Nothing,
    }
}

/// An id that is there although its answer is not over.
fn early_id(start: &[u8], places: &[&[&str]]) -> Option<String> {
    let text = String::from_utf8_lossy(start.get(..EARLY_BYTES_MAX).unwrap_or(start));
    places.iter().find_map(|place| string_at(&text, place)).filter(|id| is_usable_id(id))
}

/// The id of an error answer that is an interaction: it has one of the interactions' words for its status.
fn id_beside_status(body: &str) -> Option<String> {
    let status = string_at(body, &["status"])?;
    let is_interaction = !matches!(InteractionStatus::parse(&status), InteractionStatus::Unknown(_));
    string_at(body, &["id"]).filter(|id| is_interaction && is_usable_id(id))
}

/// The `id` of the outermost object of a text that was cut or damaged behind it.
fn id_of_broken_json(text: &str) -> Option<String> {
    string_at(text, &["id"])
}

/// The string under these names in a text that may be cut or damaged behind it: an object, or the first one of a list.
fn string_at(text: &str, names: &[&str]) -> Option<String> {
    let text = text.trim_start();
    let mut rest = text.strip_prefix('[').unwrap_or(text).trim_start().strip_prefix('{')?;
    // The last name in each object that is open.
    let mut open = vec![""];
    while let Some(at) = rest.find(['"', '{', '}', '[', ']']) {
        let (sign, after) = rest.get(at..)?.split_at(1);
        match sign {
            "{" | "[" => open.push(""),
            "}" | "]" => drop(open.pop()),
            _ => {
                // Ids and the names of fields hold no escapes.
                let end = after.find('"')?;
                let (inside, behind) = (after.get(..end)?, after.get(end + 1..)?);
                if inside.ends_with('\\') {
                    return None;
                }
                let is_value = rest.get(..at)?.trim() == ":";
                if is_value && open == names {
                    return Some(inside.to_owned());
                }
                if !is_value {
                    *open.last_mut()? = inside;
                }
                rest = behind;
                continue;
            }
        }
        rest = after;
    }
    None
}

fn looks_like_json(answer: &[u8]) -> bool {
    answer.trim_ascii_start().first().is_none_or(|byte| matches!(byte, b'{' | b'['))
}

fn uncertain<B>(cause: &CodedError) -> CreateReply<B> {
    let message = format!("the start may have been accepted and billed: {}", cause.message);
    let mut problem = CodedError::new(Code::CreateUncertain, &message);
    problem.http_status = cause.http_status;
    problem.retry_after_ms = cause.retry_after_ms;
    CreateReply::Uncertain(problem)
}

#[cfg(test)]
mod tests;
