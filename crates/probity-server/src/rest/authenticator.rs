//! Authentication of a fleet: holders of an API key, of a token of the issuer, and the operator.

use std::sync::Arc;

use probity_research::{principal::RunAccess, scope::KeyScopes, time::Moment};

use crate::{
    backend::{
        Backend, BackendFuture,
        admin::{AdminBackend, KeyHolder},
    },
    http::{Authenticator, CallerIdentity, FileAccess},
    oauth::{ProtectedResource, TokenIdentity, TokenVerifier},
};

/// How every API key begins.
pub const KEY_PREFIX: &str = "prb_";
/// Longest API key that is checked.
const KEY_BYTES_MAX: usize = 200;

pub struct FleetAuthenticator {
    backend: Arc<dyn Backend>,
    fleet: Arc<dyn AdminBackend>,
    verifier: Option<TokenVerifier>,
    operator: Option<blake3::Hash>,
}

impl FleetAuthenticator {
    /// API keys only, unless other tokens are configured.
    pub fn new(backend: Arc<dyn Backend>, fleet: Arc<dyn AdminBackend>) -> Self {
        Self { backend, fleet, verifier: None, operator: None }
    }

    pub fn with_tokens_of(mut self, verifier: TokenVerifier) -> Self {
        self.verifier = Some(verifier);
        self
    }

    /// The operator's own token can access every tenant. Only its hash is kept.
    pub fn with_operator(mut self, token: blake3::Hash) -> Self {
        self.operator = Some(token);
        self
    }

    fn now(&self) -> Moment {
        self.backend.now()
    }

    async fn identity_of_key(
        &self,
        presented: &str,
    ) -> Result<Option<CallerIdentity>, probity_research::CodedError> {
        if presented.len() > KEY_BYTES_MAX {
            return Ok(None);
        }
        let holder = self.fleet.key_holder(presented).await?;
        Ok(holder.map(|KeyHolder { tenant, scopes, key_id, limits: door }| CallerIdentity {
            reach: RunAccess::Of(tenant),
            scopes,
            actor: format!("key:{key_id}"),
            per_second: Some(door.requests_per_second),
            files: FileAccess::NotOffered,
        }))
    }

    async fn identity_of_token(
        &self,
        presented: &str,
    ) -> Result<Option<CallerIdentity>, probity_research::CodedError> {
        let Some(verifier) = &self.verifier else { return Ok(None) };
        let vouched = verifier.verify(presented, self.now()).await?;
        let Some(TokenIdentity { tenant, scopes, subject }) = vouched else { return Ok(None) };
        let door = self.fleet.tenant_limits(&tenant).await?;
        Ok(door.map(|door| CallerIdentity {
            reach: RunAccess::Of(tenant),
            scopes,
            actor: format!("sub:{subject}"),
            per_second: Some(door.requests_per_second),
            files: FileAccess::NotOffered,
        }))
    }
}

impl Authenticator for FleetAuthenticator {
    fn admit<'a>(&'a self, bearer: &'a str) -> BackendFuture<'a, Option<CallerIdentity>> {
        Box::pin(async move {
            // Compared as hashes, in constant time.
            if self.operator.is_some_and(|known| known == blake3::hash(bearer.as_bytes())) {
                return Ok(Some(CallerIdentity {
                    reach: RunAccess::Everything,
                    scopes: KeyScopes::all(),
                    actor: "operator".to_owned(),
                    per_second: None,
                    files: FileAccess::NotOffered,
                }));
            }
            if bearer.starts_with(KEY_PREFIX) {
                return self.identity_of_key(bearer).await;
            }
            self.identity_of_token(bearer).await
        })
    }

    fn resource(&self) -> Option<&ProtectedResource> {
        self.verifier.as_ref().map(TokenVerifier::resource)
    }
}
