//! Who calls, and what the caller's client supports.

use std::time::Duration;

use axum::http::request::Parts;
use probity_research::{Code, CodedError, principal::RunAccess, scope::KeyScope};
use rmcp::{
    RoleServer,
    model::{ClientCapabilities, ProgressToken, ProtocolVersion},
    service::{Peer, RequestContext},
};

use crate::{
    cancellations::{CallCancelReason, CancellationLog},
    http::CallerIdentity,
    stdio::ShutdownSignal,
};

/// The library stops waiting first and passes on the client's cancel reason afterwards; on a busy machine
/// within this.
const WORD_TAKES: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How a question can be put to the user of the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionChannel {
    /// The answer asks, and the client calls again (2026-07-28).
    InTheAnswer,
    /// A request from us to the client while its call is open (2025-06-18 and 2025-11-25).
    DuringTheCall,
    Impossible,
}

/// Why no client waits for an answer any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AbandonReason {
    /// The client said that it does not want the result.
    Cancelled,
    /// The connection ended, the client's own timeout was reached, or this process is about to end: no user
    /// decided anything.
    Lost,
}

pub struct Caller {
    pub reach: RunAccess,
    pub admitted: CallerIdentity,
    context: RequestContext<RoleServer>,
    withdrawn: CancellationLog,
}

impl Caller {
    pub fn of(context: RequestContext<RoleServer>, withdrawn: CancellationLog) -> Self {
        let admitted = caller_identity(&context);
        Self { reach: admitted.reach.clone(), admitted, context, withdrawn }
    }

    pub fn require_scope(&self, scope: KeyScope) -> Result<(), CodedError> {
        require_scope(&self.admitted, scope)
    }

    /// Whether its files are the ones of this machine: it speaks over pipes or the local socket.
    pub fn is_on_this_machine(&self) -> bool {
        self.context.extensions.get::<Parts>().is_none()
    }

    pub fn capabilities(&self) -> Option<ClientCapabilities> {
        self.context.client_capabilities()
    }

    pub fn peer(&self) -> &Peer<RoleServer> {
        &self.context.peer
    }

    pub fn progress_token(&self) -> Option<ProgressToken> {
        self.context.meta.get_progress_token()
    }

    /// Tasks exist from 2026-07-28 on. A client that declares them in an older session must not get one:
    /// it would show an empty answer.
    pub fn takes_tasks(&self) -> bool {
        self.is_modern() && self.context.client_capabilities().is_some_and(|client| client.supports_tasks())
    }

    pub fn questions(&self) -> QuestionChannel {
        let form = self
            .context
            .client_capabilities()
            .and_then(|client| client.elicitation)
            // A bare `{}` means forms: URL mode came later.
            .is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none());
        match (form, self.is_modern()) {
            (true, true) => QuestionChannel::InTheAnswer,
            (true, false) => QuestionChannel::DuringTheCall,
            (false, _) => QuestionChannel::Impossible,
        }
    }

    pub fn is_gone(&self) -> bool {
        self.context.ct.is_cancelled()
    }

    /// Returns when no client waits any more, and says why.
    pub async fn wait_until_gone(&self) -> AbandonReason {
        let leaving = ShutdownSignal::token_from(&self.context.extensions);
        tokio::select! {
            biased;
            () = leaving.cancelled() => return AbandonReason::Lost,
            () = self.context.ct.cancelled() => {}
        }
        let mut waited = Duration::ZERO;
        while waited < WORD_TAKES {
            match self.withdrawn.reason(&self.context.id) {
                Some(CallCancelReason::Unwanted) => return AbandonReason::Cancelled,
                Some(CallCancelReason::ClientTimeout) => return AbandonReason::Lost,
                None if self.peer().is_transport_closed() || leaving.is_cancelled() => {
                    return AbandonReason::Lost;
                }
                None => tokio::time::sleep(LOOK_EVERY).await,
            }
            waited += LOOK_EVERY;
        }
        AbandonReason::Lost
    }

    pub fn is_modern(&self) -> bool {
        self.context
            .protocol_version()
            .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
    }
}

/// Over HTTP the middleware sets the identity; without it the caller can access nothing.
pub fn caller_identity(context: &RequestContext<RoleServer>) -> CallerIdentity {
    match context.extensions.get::<Parts>() {
        None => CallerIdentity::owner(),
        Some(parts) => {
            parts.extensions.get::<CallerIdentity>().cloned().unwrap_or_else(CallerIdentity::nobody)
        }
    }
}

/// The runs that a caller with read access may see. A caller without the read scope sees none.
pub fn reach(context: &RequestContext<RoleServer>) -> RunAccess {
    let admitted = caller_identity(context);
    if admitted.scopes.allows(KeyScope::Read) { admitted.reach } else { RunAccess::Nothing }
}

pub fn require_scope(admitted: &CallerIdentity, scope: KeyScope) -> Result<(), CodedError> {
    if admitted.scopes.allows(scope) {
        return Ok(());
    }
    Err(CodedError::new(Code::ScopeMissing, &format!("this needs the scope {scope}")))
}
