//! The events of a run as server-sent events. Each event shows the run as it was when it happened, computed
//! from the journal alone: a client that comes back with the last id it saw, to whichever front end, misses
//! nothing and sees nothing twice. Journal bodies never leave.

use std::{
    collections::{HashMap, VecDeque},
    convert::Infallible,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::{
    Extension,
    extract::{Path, State},
    http::{HeaderMap, HeaderName, StatusCode},
    response::{
        IntoResponse as _, Response,
        sse::{Event, KeepAlive, Sse},
    },
    routing,
};
use probity_research::{
    Code, CodedError, RunId, RunState, Sequence,
    event::{self, StoredEvent},
    principal::Principal,
    scope::KeyScope,
};
use tokio::time::Instant;

use super::{
    ApiOperation, RestApi, RouteHandler, operation::HttpVerb, problem::ApiError, starts::invalid_arguments,
    wire::RunEventBody,
};
use crate::{backend::WatchCondition, http::CallerIdentity};

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// A line this often keeps proxies and clients from giving up.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Longest wait before the journal is read again.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// A stream ends after this and its client reconnects: a revoked key then sees no more.
const STREAM_TIME_MAX: Duration = Duration::from_secs(15 * 60);
/// Events read at once.
const PAGE: usize = 200;
/// Streams of one tenant, and of all, at one front end: each is a connection and a state in memory.
const STREAMS_PER_TENANT_MAX: usize = 32;
const STREAMS_MAX: usize = 256;

pub(super) fn routes() -> Vec<(ApiOperation, RouteHandler)> {
    let operation = ApiOperation::new(
        HttpVerb::Get,
        "/v1/researches/{id}/events",
        "followResearch",
        KeyScope::Read,
        "What happens, as server-sent events until the research rests; `id` is the event's sequence",
    )
    .header("Last-Event-ID", "Go on after this event")
    .gives_as::<RunEventBody>(200, "`data` of each event", "text/event-stream")
    .gives_nothing(204, "It rests, and there is nothing after `Last-Event-ID`");
    vec![(operation, routing::get(events))]
}

/// How many streams each tenant has open.
#[derive(Debug, Clone, Default)]
pub(super) struct StreamCounter(Arc<Mutex<HashMap<Option<Principal>, usize>>>);

impl StreamCounter {
    fn take(&self, tenant: Option<Principal>) -> Result<StreamSlot, CodedError> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let total: usize = open.values().sum();
        let own = open.entry(tenant.clone()).or_default();
        if *own >= STREAMS_PER_TENANT_MAX || total >= STREAMS_MAX {
            let message = format!("at most {STREAMS_PER_TENANT_MAX} streams can be open at once");
            return Err(CodedError::new(Code::RateLimited, &message));
        }
        *own += 1;
        Ok(StreamSlot { streams: self.clone(), tenant })
    }
}

/// One open stream.
struct StreamSlot {
    streams: StreamCounter,
    tenant: Option<Principal>,
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        let mut open = self.streams.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = open.get_mut(&self.tenant) {
            *own = own.saturating_sub(1);
        }
        open.retain(|_, own| *own > 0);
    }
}

async fn events(
    State(rest): State<Arc<RestApi>>,
    Extension(admitted): Extension<CallerIdentity>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let after = last_seen(&headers)?;
    let summary = rest.find(&admitted, &id).await?;
    let place = rest.streams.take(admitted.reach.principal().cloned())?;
    let mut follow = EventFollower::of(Arc::clone(&rest), summary.id, after, place);
    follow.read_new_events().await?;
    if follow.ready.is_empty() && follow.is_at_rest() {
        // The status that makes a browser's client stop reconnecting.
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let stream = futures_util::stream::unfold(Box::new(follow), |mut follow| async move {
        let next = follow.next().await?;
        Some((Ok::<_, Infallible>(next), follow))
    });
    let kept_alive = KeepAlive::new().interval(HEARTBEAT);
    let mut response = Sse::new(stream).keep_alive(kept_alive).into_response();
    let unbuffered = (HeaderName::from_static("x-accel-buffering"), "no");
    response.headers_mut().insert(unbuffered.0, axum::http::HeaderValue::from_static(unbuffered.1));
    Ok(response)
}

fn last_seen(headers: &HeaderMap) -> Result<Sequence, ApiError> {
    let Some(sent) = headers.get(LAST_EVENT_ID) else { return Ok(Sequence(0)) };
    let number = sent.to_str().ok().and_then(|text| text.trim().parse().ok());
    number.map(Sequence).ok_or_else(|| invalid_arguments("`Last-Event-ID` is not an id of this stream"))
}

/// One client's position in one journal.
struct EventFollower {
    rest: Arc<RestApi>,
    id: RunId,
    /// Seen by the client before.
    after: Sequence,
    research: Option<RunState>,
    ready: VecDeque<(&'static str, RunEventBody)>,
    ends: Instant,
    _place: StreamSlot,
}

impl EventFollower {
    fn of(rest: Arc<RestApi>, id: RunId, after: Sequence, place: StreamSlot) -> Self {
        let ends = now() + STREAM_TIME_MAX;
        Self { rest, id, after, research: None, ready: VecDeque::new(), ends, _place: place }
    }

    fn is_at_rest(&self) -> bool {
        self.research.as_ref().is_some_and(|research| !research.is_due())
    }

    /// The next event; none when the run is at rest, the time is over, or the journal cannot be read: a
    /// client that reconnects goes on where this ended.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((kind, shown)) = self.ready.pop_front() {
                let event = Event::default().event(kind).id(shown.sequence.to_string());
                return event.json_data(&shown).ok();
            }
            if self.is_at_rest() || now() >= self.ends {
                return None;
            }
            let rest = Arc::clone(&self.rest);
            tokio::select! {
                biased;
                () = rest.stop.cancelled() => return None,
                changed = self.changed() => changed.ok()?,
            }
            if let Err(problem) = self.read_new_events().await {
                tracing::warn!(research = %self.id, code = %problem.code, "event stream broke off");
                return None;
            }
        }
    }

    async fn changed(&self) -> Result<(), CodedError> {
        let seen = self.research.as_ref().map(|research| research.updated_at).unwrap_or_default();
        self.rest
            .mcp_server
            .backend()
            .watch(self.id, WatchCondition::ChangedAfter(seen), POLL_INTERVAL)
            .await
            .map(drop)
    }

    /// Everything new in the journal.
    async fn read_new_events(&mut self) -> Result<(), CodedError> {
        loop {
            let read = self.research.as_ref().map(|research| research.sequence).unwrap_or_default();
            let page = self.rest.fleet.events_after(self.id, read, PAGE).await?;
            let whole = page.len() < PAGE;
            for recorded in &page {
                self.take(recorded)?;
            }
            if whole {
                return Ok(());
            }
        }
    }

    fn take(&mut self, recorded: &StoredEvent) -> Result<(), CodedError> {
        let applied = match &mut self.research {
            Some(research) => research.apply(recorded),
            None => RunState::replay(self.id, std::slice::from_ref(recorded))
                .map(|research| self.research = Some(research)),
        };
        applied.map_err(|error| CodedError::new(error.code(), &error.to_string()))?;
        if let Some(research) = self.research.as_ref().filter(|_| recorded.sequence > self.after) {
            let summary = research.summary();
            let shown = RunEventBody::of(recorded.sequence.0, recorded.at, &summary);
            self.ready.push_back((kind(&recorded.event), shown));
        }
        Ok(())
    }
}

/// The name of an event for clients.
fn kind(event: &event::Event) -> &'static str {
    use event::Event as E;
    match event {
        E::Asked { .. } => "asked",
        E::CreateIntended { .. } => "starting",
        E::CreateRefused { .. } => "refused",
        E::CreateUncertain { .. } => "uncertain",
        E::PayAgainAccepted => "pay_again",
        E::RemoteStarted { .. } => "started",
        E::Observed { .. } => "progress",
        E::LookFailed { .. } => "look_failed",
        E::PartialKept { .. } => "partial",
        E::CancelRequested { .. } => "cancelling",
        E::CancelAnswered { .. } => "cancel_answered",
        E::Ended { .. } => "ended",
        E::Reopened => "reopened",
        E::RoundAnswered { .. } | E::RoundStumbled { .. } => "round",
        E::GatherIntended { .. } | E::GatherDone { .. } | E::GatherStopped { .. } => "gathering",
        E::Gathered(_) => "gathered",
        E::CheckBegun { .. } | E::CheckIntended { .. } | E::CheckDone { .. } | E::Patched { .. } => {
            "checking"
        }
        E::Checked { .. } => "checked",
        E::Left => "left",
        E::Arrived => "arrived",
        E::BudgetRaised { .. } => "budget_raised",
        E::HandedOver => "handed_over",
        E::Steered { .. } => "steered",
    }
}

#[expect(clippy::disallowed_methods, reason = "a stream's time is the runtime's own")]
fn now() -> Instant {
    Instant::now()
}
