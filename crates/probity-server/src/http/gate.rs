//! The checks before a request reaches a handler, in this order: host and origin, path, token, rate limit,
//! session, body, scope. A refused request costs only the reading of its headers.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use probity_research::{
    CodedError,
    principal::{Principal, RunAccess},
    scope::KeyScope,
};
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use super::{
    ConnectionLimits, ConnectionTrust,
    allow_list::AllowList,
    auth::{AuthOutcome, AuthPolicy, CallerIdentity},
    rate_limit::{CallerPermit, RateLimitError, RateLimiter},
    scopes,
    sessions::BoundedSessions,
};
use crate::{
    oauth::{TokenRefusal, challenge},
    rest::{self, problem},
};

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
/// Replaces the id of a session that is not the caller's: the answer is the one for a session that never was.
const NO_SESSION: HeaderValue = HeaderValue::from_static("none");
/// `Retry-After` when there is no room for another session.
const RETRY_WHEN_FULL: Duration = Duration::from_secs(30);
/// The same when the database or the issuer does not answer: both recover by themselves.
const RETRY_WHEN_UNSURE: Duration = Duration::from_secs(5);

/// What the checks need. One per server.
#[derive(Debug)]
pub(super) struct RequestGate {
    pub(super) allowed: AllowList,
    pub(super) auth: AuthPolicy,
    pub(super) shares: RateLimiter,
    pub(super) sessions: Arc<BoundedSessions>,
    pub(super) limits: ConnectionLimits,
    /// Calls that have not been answered yet; standing streams are not among them.
    pub(super) calls: TaskTracker,
}

/// For every path, before all other checks.
pub(super) async fn same_house(
    State(gate): State<Arc<RequestGate>>,
    request: Request,
    next: Next,
) -> Response {
    match gate.allowed.refusal(request.uri(), request.headers()) {
        Some(status) => {
            tracing::warn!(status = status.as_u16(), "request refused: host or origin not allowed");
            status.into_response()
        }
        None => next.run(request).await,
    }
}

/// What an admitted request takes with it.
struct RequestAdmission {
    admitted: CallerIdentity,
    permit: Option<CallerPermit>,
}

/// Why a request is not admitted.
enum AdmissionError {
    Denied(TokenRefusal),
    Busy(RateLimitError),
    /// Whether the token is valid could not be checked.
    Unavailable(CodedError),
}

impl RequestGate {
    async fn admit_request(&self, headers: &HeaderMap) -> Result<RequestAdmission, AdmissionError> {
        let admitted =
            match self.auth.authenticate_headers(headers).await.map_err(AdmissionError::Unavailable)? {
                AuthOutcome::Authenticated(admitted) => admitted,
                AuthOutcome::NoToken => return Err(AdmissionError::Denied(TokenRefusal::NoToken)),
                AuthOutcome::BadToken => return Err(AdmissionError::Denied(TokenRefusal::BadToken)),
            };
        let permit = match &self.auth {
            AuthPolicy::Off => None,
            AuthPolicy::Tokens(_) | AuthPolicy::External(_) => {
                let taken = self.shares.take(admitted.reach.principal(), admitted.per_second, now());
                Some(taken.map_err(AdmissionError::Busy)?)
            }
        };
        Ok(RequestAdmission { admitted, permit })
    }

    fn challenge(&self, refusal: TokenRefusal) -> HeaderValue {
        match &self.auth {
            // What clients of a laptop know since its first release.
            AuthPolicy::Off | AuthPolicy::Tokens(_) if !matches!(refusal, TokenRefusal::MissingScope(_)) => {
                HeaderValue::from_static("Bearer")
            }
            _ => challenge(refusal, self.auth.resource()),
        }
    }

    fn refusal_response(&self, refusal: TokenRefusal) -> Response {
        let status = match refusal {
            TokenRefusal::NoToken | TokenRefusal::BadToken => StatusCode::UNAUTHORIZED,
            TokenRefusal::MissingScope(_) => StatusCode::FORBIDDEN,
        };
        (status, [(header::WWW_AUTHENTICATE, self.challenge(refusal))]).into_response()
    }
}

/// For the protocol's own path.
pub(super) async fn admit(
    State(gate): State<Arc<RequestGate>>,
    mut request: Request,
    next: Next,
) -> Response {
    let RequestAdmission { admitted, mut permit } = match gate.admit_request(request.headers()).await {
        Ok(entered) => entered,
        Err(AdmissionError::Denied(refusal)) => return gate.refusal_response(refusal),
        Err(AdmissionError::Busy(busy)) => return rate_limit_response(busy),
        Err(AdmissionError::Unavailable(problem)) => return unavailable_response(&problem),
    };
    trust_connection(&request);
    let caller = admitted.reach.principal().cloned();
    strip_foreign_session(&gate.sessions, caller.as_ref(), request.headers_mut());
    let is_call = request.method() == Method::POST;
    let (request, needed) = if is_call {
        match with_whole_body(request, gate.limits, permit.as_mut()).await {
            Ok((head, body))
                if wants_session(&head.headers, &body) && !gate.sessions.has_room(caller.as_ref()) =>
            {
                return retry_later_response(StatusCode::SERVICE_UNAVAILABLE, RETRY_WHEN_FULL);
            }
            Ok((head, body)) => {
                let needed = scopes::required_scope(&body);
                (Request::from_parts(head, Body::from(body)), needed)
            }
            Err(refusal) => return refusal.into_response(),
        }
    } else {
        let (head, _) = request.into_parts();
        (Request::from_parts(head, Body::empty()), Some(KeyScope::Read))
    };
    if let Some(missing) = needed.filter(|needed| !admitted.scopes.allows(*needed)) {
        return gate.refusal_response(TokenRefusal::MissingScope(missing));
    }
    let counted = is_call.then(|| gate.calls.token());
    let mut request = request;
    request.extensions_mut().insert::<RunAccess>(admitted.reach.clone());
    request.extensions_mut().insert(admitted);
    hold_until_body_ends(next.run(request).await, (permit, counted))
}

/// For every path of the HTTP API. Scopes are checked by each route.
pub(super) async fn gate_api_request(
    State(gate): State<Arc<RequestGate>>,
    request: Request,
    next: Next,
) -> Response {
    let RequestAdmission { admitted, mut permit } = match gate.admit_request(request.headers()).await {
        Ok(entered) => entered,
        Err(AdmissionError::Denied(refusal)) => {
            return problem::refusal_response(refusal, gate.challenge(refusal));
        }
        Err(AdmissionError::Busy(busy)) => return problem::add_problem_body(rate_limit_response(busy)),
        Err(AdmissionError::Unavailable(problem)) => {
            return problem::add_problem_body(unavailable_response(&problem));
        }
    };
    trust_connection(&request);
    let (head, body) = match with_whole_body(request, gate.limits, permit.as_mut()).await {
        Ok(whole) => whole,
        Err(refusal) => return problem::add_problem_body(refusal.into_response()),
    };
    let is_stream = head.uri.path().ends_with(rest::EVENTS_END);
    let counted = (!is_stream).then(|| gate.calls.token());
    let mut request = Request::from_parts(head, Body::from(body));
    request.extensions_mut().insert(admitted);
    hold_until_body_ends(next.run(request).await, (permit, counted))
}

/// For one route of the HTTP API.
pub(super) async fn require_route_scope(
    State((gate, scope)): State<(Arc<RequestGate>, KeyScope)>,
    request: Request,
    next: Next,
) -> Response {
    match request.extensions().get::<CallerIdentity>() {
        Some(admitted) if admitted.scopes.allows(scope) => next.run(request).await,
        _ => {
            let refusal = TokenRefusal::MissingScope(scope);
            problem::refusal_response(refusal, gate.challenge(refusal))
        }
    }
}

/// A caller with a good token keeps its connection when places run out.
fn trust_connection(request: &Request) {
    if let Some(trust) = request.extensions().get::<ConnectionTrust>() {
        trust.grant();
    }
}

/// The frames pass through a closure that owns the permits: they are dropped with the last frame, or with the
/// client.
fn hold_until_body_ends<T: Send + 'static>(response: Response, permits: T) -> Response {
    response.map(|body| {
        Body::new(body.map_frame(move |frame| {
            let _held = &permits;
            frame
        }))
    })
}

/// The database or the issuer does not answer: the client is not told which.
fn unavailable_response(problem: &CodedError) -> Response {
    tracing::warn!(code = %problem.code, cause = problem.message, "token could not be checked");
    retry_later_response(StatusCode::SERVICE_UNAVAILABLE, RETRY_WHEN_UNSURE)
}

/// Removes the id of a session that another caller opened. A client that guesses an id learns nothing.
fn strip_foreign_session(sessions: &BoundedSessions, caller: Option<&Principal>, headers: &mut HeaderMap) {
    let Some(sent) = headers.get(SESSION).cloned() else { return };
    let own = sent.to_str().is_ok_and(|session| sessions.belongs(session, caller));
    headers.insert(SESSION, if own { sent } else { NO_SESSION });
}

/// Why a body is not read to its end.
enum BodyRefusal {
    TooLong,
    TooSlow,
    BrokenOff,
    /// The caller has too many bytes in open requests.
    Busy(RateLimitError),
}

impl IntoResponse for BodyRefusal {
    fn into_response(self) -> Response {
        match self {
            Self::TooLong => StatusCode::PAYLOAD_TOO_LARGE.into_response(),
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT.into_response(),
            Self::BrokenOff => StatusCode::BAD_REQUEST.into_response(),
            Self::Busy(busy) => rate_limit_response(busy),
        }
    }
}

/// The complete body. Its bytes count among the caller's until the permit is dropped.
async fn with_whole_body(
    request: Request,
    limits: ConnectionLimits,
    permit: Option<&mut CallerPermit>,
) -> Result<(axum::http::request::Parts, Bytes), BodyRefusal> {
    let (head, body) = request.into_parts();
    let announced =
        head.headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: usize| length > limits.body_bytes_max) {
        return Err(BodyRefusal::TooLong);
    }
    let reading = read_body(body, limits.body_bytes_max, permit);
    match tokio::time::timeout(limits.body_time_max, reading).await {
        Ok(body) => Ok((head, body?)),
        Err(_) => Err(BodyRefusal::TooSlow),
    }
}

async fn read_body(
    mut body: Body,
    bytes_max: usize,
    mut permit: Option<&mut CallerPermit>,
) -> Result<Bytes, BodyRefusal> {
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(bytes) = frame.map_err(|_| BodyRefusal::BrokenOff)?.into_data() else { continue };
        if whole.len() + bytes.len() > bytes_max {
            return Err(BodyRefusal::TooLong);
        }
        if let Some(permit) = &mut permit {
            permit.add_body(bytes.len()).map_err(BodyRefusal::Busy)?;
        }
        whole.extend_from_slice(&bytes);
    }
    Ok(whole.freeze())
}

/// Whether this is the first message of an older client.
fn wants_session(headers: &HeaderMap, body: &Bytes) -> bool {
    #[derive(serde::Deserialize)]
    struct MethodProbe<'body> {
        #[serde(borrow)]
        method: std::borrow::Cow<'body, str>,
    }
    !headers.contains_key(SESSION)
        && serde_json::from_slice::<MethodProbe<'_>>(body).is_ok_and(|message| message.method == "initialize")
}

fn rate_limit_response(busy: RateLimitError) -> Response {
    match busy {
        RateLimitError::TooFast(wait) => retry_later_response(StatusCode::TOO_MANY_REQUESTS, wait),
        RateLimitError::TooManyOpen(wait) => retry_later_response(StatusCode::SERVICE_UNAVAILABLE, wait),
    }
}

/// `Retry-After` counts whole seconds, and zero would mean at once.
fn retry_later_response(status: StatusCode, wait: Duration) -> Response {
    let seconds = wait.as_secs_f64().ceil().max(1.0);
    (status, [(header::RETRY_AFTER, format!("{seconds:.0}"))]).into_response()
}

#[expect(clippy::disallowed_methods, reason = "the pace counts in the runtime's own time")]
fn now() -> Instant {
    Instant::now()
}
