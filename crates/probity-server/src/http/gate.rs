//! What a request passes before it reaches a handler, in this order: host and origin, path, token, pace,
//! session, body. Whoever is refused costs a header's worth of work.

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
use probity_research::principal::{Principal, Reach};
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use super::{
    Limits,
    allowed::Allowed,
    auth::Auth,
    pace::{Busy, Shares},
    sessions::Sessions,
};

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
/// Stands in for a session that is not the caller's: the answer is the one for a session that never was.
const NO_SESSION: HeaderValue = HeaderValue::from_static("none");
/// What a client is told when there is no room for another session.
const RETRY_WHEN_FULL: Duration = Duration::from_secs(30);

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

/// For the protocol's own path.
pub(super) async fn admit(State(gate): State<Arc<Gate>>, mut request: Request, next: Next) -> Response {
    let Some(reach) = gate.auth.reach(request.headers()) else { return unauthorised() };
    let caller = reach.principal().cloned();
    let permit = match &gate.auth {
        Auth::Off => None,
        Auth::Tokens(_) => match gate.shares.take(caller.as_ref(), now()) {
            Ok(permit) => Some(permit),
            Err(busy) => return too_busy(busy),
        },
    };
    own_session_only(&gate.sessions, caller.as_ref(), request.headers_mut());
    let is_call = request.method() == Method::POST;
    let request = if is_call {
        match with_whole_body(request, gate.limits).await {
            Ok((head, body))
                if wants_session(&head.headers, &body) && !gate.sessions.has_room(caller.as_ref()) =>
            {
                return refused(StatusCode::SERVICE_UNAVAILABLE, RETRY_WHEN_FULL);
            }
            Ok((head, body)) => Request::from_parts(head, Body::from(body)),
            Err(status) => return status.into_response(),
        }
    } else {
        let (head, _) = request.into_parts();
        Request::from_parts(head, Body::empty())
    };
    let counted = is_call.then(|| gate.calls.token());
    let mut request = request;
    request.extensions_mut().insert::<Reach>(reach);
    let response = next.run(request).await;
    // The frames pass through a closure that owns the permits: they end with the last frame, or with the client.
    response.map(|body| {
        Body::new(body.map_frame(move |frame| {
            let _held = (&permit, &counted);
            frame
        }))
    })
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

fn unauthorised() -> Response {
    (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")]).into_response()
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
