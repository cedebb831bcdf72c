//! The paid call. Ends at the first byte that carries the run's id, and never sends twice.

use bytes::Bytes;
use probity_research::error::{Code, Problem};
use tokio::time::timeout;

use super::{Client, ERROR_BYTES_MAX, late, read_start, usable_id};
use crate::{
    gemini::{
        error::{self, ErrorBody},
        sse::Frames,
        wire::{Create, Event, EventKind, Interaction},
    },
    transport::{
        Connection, HeaderText, HttpResponse, Method, Reached, ResponseBody, ResponseHeaders, Transport,
        TransportError,
    },
};

/// From the first byte sent to the run's id. Google answers within a second or two; past this the
/// connection is taken to be dead.
pub const FIRST_FRAME_MAX: std::time::Duration = std::time::Duration::from_secs(60);
/// Bytes read in search of an id.
const BEFORE_ID_BYTES_MAX: usize = 1024 * 1024;
/// For the words of a refusal whose status is already known.
const REFUSAL_BODY_MAX: std::time::Duration = std::time::Duration::from_secs(10);

#[derive(Debug)]
pub enum Created<B> {
    Started {
        remote_id: String,
        cursor: Option<String>,
        /// The rest of the stream, where the answer was one.
        rest: Option<(B, Frames)>,
    },
    /// Provably not accepted.
    Refused(Problem),
    /// Perhaps accepted.
    Uncertain(Problem),
}

impl<T: Transport> Client<T> {
    pub async fn create(&self, create: &Create<'_>) -> Created<T::Body> {
        let body = match serde_json::to_vec(create) {
            Ok(body) => body,
            Err(_) => {
                return Created::Refused(Problem::new(Code::BadRequest, "the request cannot be written"));
            }
        };
        let mut request =
            self.request(Method::Post, format!("{}/interactions", self.base), "text/event-stream");
        request.headers.push(("content-type", HeaderText::Plain("application/json".into())));
        request.body = Bytes::from(body);
        request.connection = Connection::Fresh;
        let _admitted = self.admitted().await;
        let created = timeout(FIRST_FRAME_MAX, async {
            match self.transport.send(request).await {
                Ok(response) => self.created(response).await,
                Err(error) => self.not_answered(error),
            }
        });
        created.await.unwrap_or_else(|_| uncertain(&late("an id", FIRST_FRAME_MAX)))
    }

    fn not_answered(&self, error: TransportError) -> Created<T::Body> {
        let problem = self.cleaned(error.problem);
        match error.reached {
            Reached::NotSent => Created::Refused(problem),
            Reached::MaybeSent => uncertain(&problem),
        }
    }

    async fn created(&self, response: HttpResponse<T::Body>) -> Created<T::Body> {
        let HttpResponse { status, headers, mut body } = response;
        if (200..=299).contains(&status) {
            return self.first_id(body).await;
        }
        let words = timeout(REFUSAL_BODY_MAX, read_start(&mut body, ERROR_BYTES_MAX)).await;
        self.refused(status, &headers, &words.unwrap_or_default())
    }

    /// Only these are proof that nothing was started: 429, and a 4xx or 503 in the service's own words.
    fn refused(&self, status: u16, headers: &ResponseHeaders, body: &[u8]) -> Created<T::Body> {
        let refusal = error::read(status, headers, body);
        let problem = self.cleaned(refusal.problem);
        match (status, refusal.body) {
            (429, _) | (400..=499 | 503, ErrorBody::Json) => Created::Refused(problem),
            _ => uncertain(&problem),
        }
    }

    /// Reads until something carries the id. The answer is a stream, or one interaction as JSON.
    async fn first_id(&self, mut body: T::Body) -> Created<T::Body> {
        let mut start = Vec::new();
        let mut frames = Frames::default();
        let mut cause = Problem::new(Code::UnreadableAnswer, "the provider's answer carries no id");
        while start.len() <= BEFORE_ID_BYTES_MAX {
            let chunk = match body.chunk().await {
                Ok(Some(chunk)) => chunk,
                Ok(None) => break,
                Err(error) => {
                    cause = self.cleaned(error.problem);
                    break;
                }
            };
            start.extend_from_slice(&chunk);
            if looks_like_json(&start) {
                continue;
            }
            frames.push(&chunk);
            while let Ok(Some(frame)) = frames.next_frame() {
                match first_event(&frame) {
                    First::Id { remote_id, cursor } => {
                        return Created::Started { remote_id, cursor, rest: Some((body, frames)) };
                    }
                    First::Failure(problem) => return uncertain(&self.cleaned(problem)),
                    First::Nothing => {}
                }
            }
        }
        match whole_answer(&start, &mut frames) {
            Some((remote_id, cursor)) => Created::Started { remote_id, cursor, rest: None },
            None => uncertain(&cause),
        }
    }
}

enum First {
    Id { remote_id: String, cursor: Option<String> },
    Failure(Problem),
    Nothing,
}

fn first_event(frame: &[u8]) -> First {
    let Some(event) = Event::read(frame) else { return First::Nothing };
    if let Some(remote_id) = event.interaction_id().filter(|id| usable_id(id)) {
        let cursor = event.event_id.filled().filter(|id| usable_id(id)).map(str::to_owned);
        return First::Id { remote_id, cursor };
    }
    match event.kind() {
        EventKind::Error => {
            let words = event.error().message.to_string();
            First::Failure(Problem::new(
                Code::ProviderFailed,
                &format!("the stream began with an error: {words}"),
            ))
        }
        _ => First::Nothing,
    }
}

/// The id in an answer that has ended: JSON, or a stream cut right behind its first frame.
fn whole_answer(answer: &[u8], frames: &mut Frames) -> Option<(String, Option<String>)> {
    if looks_like_json(answer) {
        let interaction = Interaction::read(answer).ok()?;
        return interaction.id.filled().filter(|id| usable_id(id)).map(|id| (id.to_owned(), None));
    }
    match first_event(&frames.finish().ok()??) {
        First::Id { remote_id, cursor } => Some((remote_id, cursor)),
        First::Failure(_) | First::Nothing => None,
    }
}

fn looks_like_json(answer: &[u8]) -> bool {
    answer.trim_ascii_start().first().is_none_or(|byte| matches!(byte, b'{' | b'['))
}

fn uncertain<B>(cause: &Problem) -> Created<B> {
    let message =
        format!("the start may have been accepted, but its answer did not arrive: {}", cause.message);
    let mut problem = Problem::new(Code::CreateUncertain, &message);
    problem.http_status = cause.http_status;
    Created::Uncertain(problem)
}

#[cfg(test)]
mod tests;
