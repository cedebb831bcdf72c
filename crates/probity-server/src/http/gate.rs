//! What a request passes before it reaches a handler, in this order: host and origin, path, token, pace,
//! session, body, scope. Whoever is refused costs a header's worth of work.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use probity_research::{
    Problem,
    principal::{Principal, Reach},
    scope::Scope,
};
use tokio::{sync::OwnedSemaphorePermit, time::Instant};
use tokio_util::task::TaskTracker;

use super::{
    Limits,
    allowed::Allowed,
    auth::{Admitted, Auth, Shown},
    pace::{Busy, Shares},
    scopes,
    sessions::Sessions,
};
use crate::{
    oauth::{Refusal, challenge},
    rest::{self, problem},
};

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
/// Stands in for a session that is not the caller's: the answer is the one for a session that never was.
const NO_SESSION: HeaderValue = HeaderValue::from_static("none");
/// What a client is told when there is no room for another session.
const RETRY_WHEN_FULL: Duration = Duration::from_secs(30);
/// And when the database or the issuer does not answer: both come back by themselves.
const RETRY_WHEN_UNSURE: Duration = Duration::from_secs(5);

/// What the checks need to know. One per server.
#[derive(Debug)]
pub(super) struct Gate {
    pub(super) allowed: Allowed,
    pub(super) auth: Auth,
    pub(super) shares: Shares,
    pub(super) sessions: Arc<Sessions>,
    pub(super) limits: Limits,
    /// Calls that have not been answered yet; standing streams are not among them.
    pub(super) calls: TaskTracker,
}

/// For every path, before anything else is looked at.
pub(super) async fn same_house(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    match gate.allowed.refusal(request.uri(), request.headers()) {
        Some(status) => {
            tracing::warn!(status = status.as_u16(), "a request with a foreign host or origin was refused");
            status.into_response()
        }
        None => next.run(request).await,
    }
}

/// What a request that may go on takes with it.
struct Entered {
    admitted: Admitted,
    permit: Option<OwnedSemaphorePermit>,
}

/// Why one may not.
enum Turned {
    Away(Refusal),
    Busy(Busy),
    /// Whether the token is valid could not be found out.
    Unsure(Problem),
}

impl Gate {
    async fn enter(&self, headers: &HeaderMap) -> Result<Entered, Turned> {
        let admitted = match self.auth.shown(headers).await.map_err(Turned::Unsure)? {
            Shown::In(admitted) => admitted,
            Shown::NoToken => return Err(Turned::Away(Refusal::NoToken)),
            Shown::BadToken => return Err(Turned::Away(Refusal::BadToken)),
        };
        let permit = match &self.auth {
            Auth::Off => None,
            Auth::Tokens(_) | Auth::Keeper(_) => {
                let taken = self.shares.take(admitted.reach.principal(), admitted.per_second, now());
                Some(taken.map_err(Turned::Busy)?)
            }
        };
        Ok(Entered { admitted, permit })
    }

    fn challenge(&self, refusal: Refusal) -> HeaderValue {
        match &self.auth {
            // What clients of a laptop know since its first release.
            Auth::Off | Auth::Tokens(_) if !matches!(refusal, Refusal::MissingScope(_)) => {
                HeaderValue::from_static("Bearer")
            }
            _ => challenge(refusal, self.auth.resource()),
        }
    }

    fn refused(&self, refusal: Refusal) -> Response {
        let status = match refusal {
            Refusal::NoToken | Refusal::BadToken => StatusCode::UNAUTHORIZED,
            Refusal::MissingScope(_) => StatusCode::FORBIDDEN,
        };
        (status, [(header::WWW_AUTHENTICATE, self.challenge(refusal))]).into_response()
    }
}

/// For the protocol's own path.
pub(super) async fn admit(State(gate): State<Arc<Gate>>, mut request: Request, next: Next) -> Response {
    let Entered { admitted, permit } = match gate.enter(request.headers()).await {
        Ok(entered) => entered,
        Err(Turned::Away(refusal)) => return gate.refused(refusal),
        Err(Turned::Busy(busy)) => return too_busy(busy),
        Err(Turned::Unsure(problem)) => return unsure(&problem),
    };
    let caller = admitted.reach.principal().cloned();
    own_session_only(&gate.sessions, caller.as_ref(), request.headers_mut());
    let is_call = request.method() == Method::POST;
    let (request, needed) = if is_call {
        match with_whole_body(request, gate.limits).await {
            Ok((head, body))
                if wants_session(&head.headers, &body) && !gate.sessions.has_room(caller.as_ref()) =>
            {
                return refused(StatusCode::SERVICE_UNAVAILABLE, RETRY_WHEN_FULL);
            }
            Ok((head, body)) => {
                let needed = scopes::of_message(&body);
                (Request::from_parts(head, Body::from(body)), needed)
            }
            Err(status) => return status.into_response(),
        }
    } else {
        let (head, _) = request.into_parts();
        (Request::from_parts(head, Body::empty()), Some(Scope::Read))
    };
    if let Some(missing) = needed.filter(|needed| !admitted.scopes.allows(*needed)) {
        return gate.refused(Refusal::MissingScope(missing));
    }
    let counted = is_call.then(|| gate.calls.token());
    let mut request = request;
    request.extensions_mut().insert::<Reach>(admitted.reach.clone());
    request.extensions_mut().insert(admitted);
    held_by_the_answer(next.run(request).await, (permit, counted))
}

/// For every path of the HTTP API. What a caller may do there is each route's own.
pub(super) async fn admit_to_api(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let Entered { admitted, permit } = match gate.enter(request.headers()).await {
        Ok(entered) => entered,
        Err(Turned::Away(refusal)) => return problem::refused(refusal, gate.challenge(refusal)),
        Err(Turned::Busy(busy)) => return problem::with_body(too_busy(busy)),
        Err(Turned::Unsure(problem)) => return problem::with_body(unsure(&problem)),
    };
    let (head, body) = match with_whole_body(request, gate.limits).await {
        Ok(whole) => whole,
        Err(status) => return problem::with_body(status.into_response()),
    };
    let is_stream = head.uri.path().ends_with(rest::EVENTS_END);
    let counted = (!is_stream).then(|| gate.calls.token());
    let mut request = Request::from_parts(head, Body::from(body));
    request.extensions_mut().insert(admitted);
    held_by_the_answer(next.run(request).await, (permit, counted))
}

/// For one route of the HTTP API.
pub(super) async fn demand(
    State((gate, scope)): State<(Arc<Gate>, Scope)>,
    request: Request,
    next: Next,
) -> Response {
    match request.extensions().get::<Admitted>() {
        Some(admitted) if admitted.scopes.allows(scope) => next.run(request).await,
        _ => {
            let refusal = Refusal::MissingScope(scope);
            problem::refused(refusal, gate.challenge(refusal))
        }
    }
}

/// The frames pass through a closure that owns the permits: they end with the last frame, or with the client.
fn held_by_the_answer<T: Send + 'static>(response: Response, permits: T) -> Response {
    response.map(|body| {
        Body::new(body.map_frame(move |frame| {
            let _held = &permits;
            frame
        }))
    })
}

/// The database or the issuer cannot be asked: nobody is told which.
fn unsure(problem: &Problem) -> Response {
    tracing::warn!(code = %problem.code, message = problem.message, "a token could not be looked at");
    refused(StatusCode::SERVICE_UNAVAILABLE, RETRY_WHEN_UNSURE)
}

/// Takes away a session that another caller opened. Whoever guesses an id learns nothing.
fn own_session_only(sessions: &Sessions, caller: Option<&Principal>, headers: &mut HeaderMap) {
    let Some(sent) = headers.get(SESSION).cloned() else { return };
    let own = sent.to_str().is_ok_and(|session| sessions.belongs(session, caller));
    headers.insert(SESSION, if own { sent } else { NO_SESSION });
}

/// The whole body, or the status to refuse with: too much, too slow, or broken off.
async fn with_whole_body(
    request: Request,
    limits: Limits,
) -> Result<(axum::http::request::Parts, Bytes), StatusCode> {
    let (head, body) = request.into_parts();
    let announced =
        head.headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: usize| length > limits.body_bytes_max) {
        return Err(StatusCode::PAYLOAD_TOO_LARGE);
    }
    let reading = Limited::new(body, limits.body_bytes_max).collect();
    match tokio::time::timeout(limits.body_time_max, reading).await {
        Ok(Ok(body)) => Ok((head, body.to_bytes())),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(StatusCode::PAYLOAD_TOO_LARGE),
        Ok(Err(_)) => Err(StatusCode::BAD_REQUEST),
        Err(_) => Err(StatusCode::REQUEST_TIMEOUT),
    }
}

/// Whether this is the first message of an older client.
fn wants_session(headers: &HeaderMap, body: &Bytes) -> bool {
    #[derive(serde::Deserialize)]
    struct Named<'body> {
        #[serde(borrow)]
        method: std::borrow::Cow<'body, str>,
    }
    !headers.contains_key(SESSION)
        && serde_json::from_slice::<Named<'_>>(body).is_ok_and(|message| message.method == "initialize")
}

fn too_busy(busy: Busy) -> Response {
    match busy {
        Busy::TooFast(wait) => refused(StatusCode::TOO_MANY_REQUESTS, wait),
        Busy::TooManyOpen(wait) => refused(StatusCode::SERVICE_UNAVAILABLE, wait),
    }
}

/// `Retry-After` counts whole seconds, and zero would mean at once.
fn refused(status: StatusCode, wait: Duration) -> Response {
    let seconds = wait.as_secs_f64().ceil().max(1.0);
    (status, [(header::RETRY_AFTER, format!("{seconds:.0}"))]).into_response()
}

#[expect(clippy::disallowed_methods, reason = "the pace counts in the runtime's own time")]
fn now() -> Instant {
    Instant::now()
}
