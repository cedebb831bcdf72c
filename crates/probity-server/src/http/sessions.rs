//! Sessions of clients that speak a revision before 2026-07-28: a bounded number, each bound to the caller
//! that opened it. The newer revision has none.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::http::request::Parts;
use futures_util::{StreamExt as _, future::Either, stream};
use probity_research::principal::{Principal, RunAccess};
use rmcp::{
    model::{ClientJsonRpcMessage, GetExtensions as _, ServerJsonRpcMessage},
    transport::streamable_http_server::session::{
        ServerSseMessage, SessionId, SessionManager,
        local::{LocalSessionManager, LocalSessionManagerError},
    },
};

use crate::open_requests::{OpenRequests, RequestIdState, refusal};

/// A session ends after this long without a message, also while a call is silent. Longer than any run.
const SILENT_MAX: Duration = Duration::from_secs(3_600);

/// An answer that was sent stays in memory this long for a client whose connection broke. At two hundred
/// requests a second each second more is megabytes.
const SENT_ANSWERS_KEPT: Duration = Duration::from_secs(2);

/// How many sessions there may be. An editor has one; those that end without a close stay for an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionLimits {
    pub total: usize,
    pub per_caller: usize,
}

impl Default for SessionLimits {
    /// About 20 kB each, so 10 MB when full.
    fn default() -> Self {
        Self { total: 512, per_caller: 128 }
    }
}

#[derive(Debug)]
pub(super) struct BoundedSessions {
    inner: LocalSessionManager,
    max: SessionLimits,
    open: Mutex<HashMap<SessionId, OpenSession>>,
}

#[derive(Debug, Default)]
struct OpenSession {
    /// `None` until the first message has identified the caller.
    owner: Option<SessionOwner>,
    requests: Arc<OpenRequests>,
}

/// The machine's own user has no name.
type SessionOwner = Option<Principal>;

#[derive(Debug, thiserror::Error)]
pub(super) enum SessionError {
    #[error("there are too many sessions")]
    Full,
    #[error(transparent)]
    Inner(#[from] LocalSessionManagerError),
}

impl BoundedSessions {
    pub(super) fn new(max: SessionLimits) -> Self {
        let mut inner = LocalSessionManager::default();
        inner.session_config.keep_alive = Some(SILENT_MAX);
        inner.session_config.completed_cache_ttl = SENT_ANSWERS_KEPT;
        Self { inner, max, open: Mutex::new(HashMap::new()) }
    }

    /// Whether this caller opened that session. Unknown and foreign are the same answer.
    pub(super) fn belongs(&self, session: &str, caller: Option<&Principal>) -> bool {
        let owner = self.with_open(|open| open.get(session).and_then(|known| known.owner.clone()));
        owner.is_some_and(|owner| owner.as_ref() == caller)
    }

    pub(super) fn has_room(&self, caller: Option<&Principal>) -> bool {
        self.with_open(|open| {
            let owners = open.values().filter_map(|known| known.owner.as_ref());
            let own = owners.filter(|owner| owner.as_ref() == caller).count();
            open.len() < self.max.total && own < self.max.per_caller
        })
    }

    /// Ends every session.
    pub(super) async fn close_all(&self) {
        let open: Vec<SessionId> = self.with_open(|open| open.keys().cloned().collect());
        for session in open {
            if let Err(error) = self.close_session(&session).await {
                tracing::debug!(%error, "session not closed");
            }
        }
    }

    fn with_open<Out>(&self, look: impl FnOnce(&mut HashMap<SessionId, OpenSession>) -> Out) -> Out {
        look(&mut self.open.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The requests of this session; of one that is gone, none.
    fn requests(&self, id: &SessionId) -> Arc<OpenRequests> {
        self.with_open(|open| open.get(id).map(|known| Arc::clone(&known.requests)).unwrap_or_default())
    }
}

/// The same messages; an answer among them frees the id of its request. A client that leaves does not: the answer is
/// still to come, and must not be taken for that of a later request.
fn noting(
    requests: Arc<OpenRequests>,
    messages: impl futures_core::Stream<Item = ServerSseMessage> + Send + Sync + 'static,
) -> impl futures_core::Stream<Item = ServerSseMessage> + Send + Sync + 'static {
    messages.inspect(move |sent| {
        if let Some(message) = &sent.message {
            requests.was_sent(message);
        }
    })
}

/// The gate puts the caller's access into every request that passes; without it no caller owns the session.
fn owner(message: &ClientJsonRpcMessage) -> Option<SessionOwner> {
    let ClientJsonRpcMessage::Request(request) = message else { return None };
    let parts = request.request.extensions().get::<Parts>()?;
    Some(parts.extensions.get::<RunAccess>()?.principal().cloned())
}

impl SessionManager for BoundedSessions {
    type Error = SessionError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), SessionError> {
        let (session, transport) = self.inner.create_session().await?;
        let total = self.max.total;
        let taken = self.with_open(|open| {
            let room = open.len() < total;
            if room {
                open.insert(Arc::clone(&session), OpenSession::default());
            }
            room
        });
        if !taken {
            self.inner.close_session(&session).await?;
            return Err(SessionError::Full);
        }
        Ok((session, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionError> {
        let owner = owner(&message);
        self.with_open(|open| {
            if let Some(known) = open.get_mut(id) {
                known.owner = owner;
            }
        });
        Ok(self.inner.initialize_session(id, message).await?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionError> {
        Ok(self.inner.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionError> {
        self.with_open(|open| open.remove(id));
        Ok(self.inner.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl futures_core::Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError>
    {
        let requests = self.requests(id);
        if let ClientJsonRpcMessage::Request(request) = &message
            && requests.take(&request.id) == RequestIdState::Taken
        {
            let refused = ServerSseMessage::from_message(refusal(request.id.clone()));
            return Ok(Either::Left(stream::iter([refused])));
        }
        Ok(Either::Right(noting(requests, self.inner.create_stream(id, message).await?)))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), SessionError> {
        Ok(self.inner.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl futures_core::Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError>
    {
        Ok(noting(self.requests(id), self.inner.create_standalone_stream(id).await?))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl futures_core::Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError>
    {
        Ok(noting(self.requests(id), self.inner.resume(id, last_event_id).await?))
    }
}
