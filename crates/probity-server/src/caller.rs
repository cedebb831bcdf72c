//! Who calls, and what their client understands.

use std::time::Duration;

use axum::http::request::Parts;
use probity_research::{Code, Problem, principal::Reach, scope::Scope};
use rmcp::{
    RoleServer,
    model::{ProgressToken, ProtocolVersion},
    service::{Peer, RequestContext},
};

use crate::{
    http::Admitted,
    stdio::Leaving,
    withdrawn::{Withdrawn, Word},
};

/// The library stops waiting first and passes the client's word on afterwards; on a busy machine within this.
const WORD_TAKES: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How a question can be put to the person behind the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Questions {
    /// The answer asks, and the client calls again (2026-07-28).
    InTheAnswer,
    /// A request from us to the client while its call is open (2025-06-18 and 2025-11-25).
    DuringTheCall,
    Impossible,
}

/// Why nobody waits for an answer any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gone {
    /// The client said that it does not want the result.
    Cancelled,
    /// The connection ended, the client's own limit was reached, or this process is about to end: nobody
    /// decided anything.
    Lost,
}

pub struct Caller {
    pub reach: Reach,
    pub admitted: Admitted,
    context: RequestContext<RoleServer>,
    withdrawn: Withdrawn,
}

impl Caller {
    pub fn of(context: RequestContext<RoleServer>, withdrawn: Withdrawn) -> Self {
        let admitted = admitted(&context);
        Self { reach: admitted.reach.clone(), admitted, context, withdrawn }
    }

    pub fn needs(&self, scope: Scope) -> Result<(), Problem> {
        needs(&self.admitted, scope)
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

    pub fn questions(&self) -> Questions {
        let form = self
            .context
            .client_capabilities()
            .and_then(|client| client.elicitation)
            // A bare `{}` means forms: URL mode came later.
            .is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none());
        match (form, self.is_modern()) {
            (true, true) => Questions::InTheAnswer,
            (true, false) => Questions::DuringTheCall,
            (false, _) => Questions::Impossible,
        }
    }

    pub fn is_gone(&self) -> bool {
        self.context.ct.is_cancelled()
    }

    /// Returns when nobody waits any more, and says why.
    pub async fn gone(&self) -> Gone {
        let leaving = Leaving::with(&self.context.extensions);
        tokio::select! {
            biased;
            () = leaving.cancelled() => return Gone::Lost,
            () = self.context.ct.cancelled() => {}
        }
        let mut waited = Duration::ZERO;
        while waited < WORD_TAKES {
            match self.withdrawn.word(&self.context.id) {
                Some(Word::Unwanted) => return Gone::Cancelled,
                Some(Word::OutOfPatience) => return Gone::Lost,
                None if self.peer().is_transport_closed() || leaving.is_cancelled() => return Gone::Lost,
                None => tokio::time::sleep(LOOK_EVERY).await,
            }
            waited += LOOK_EVERY;
        }
        Gone::Lost
    }

    pub fn is_modern(&self) -> bool {
        self.context
            .protocol_version()
            .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
    }
}

/// Over HTTP the middleware says who it is; without its word nobody reaches anything.
pub fn admitted(context: &RequestContext<RoleServer>) -> Admitted {
    match context.extensions.get::<Parts>() {
        None => Admitted::owner(),
        Some(parts) => parts.extensions.get::<Admitted>().cloned().unwrap_or_else(Admitted::nobody),
    }
}

/// What someone who only looks may see. Whoever may not read reaches nothing.
pub fn reach(context: &RequestContext<RoleServer>) -> Reach {
    let admitted = admitted(context);
    if admitted.scopes.allows(Scope::Read) { admitted.reach } else { Reach::Nothing }
}

pub fn needs(admitted: &Admitted, scope: Scope) -> Result<(), Problem> {
    if admitted.scopes.allows(scope) {
        return Ok(());
    }
    Err(Problem::new(Code::ScopeMissing, &format!("this needs the scope {scope}")))
}
