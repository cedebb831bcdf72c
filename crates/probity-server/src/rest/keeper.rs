//! Who gets into a fleet: holders of an API key, of a token of the issuer, and the operator.

use std::sync::Arc;

use probity_research::{principal::Reach, scope::Scopes, time::Moment};

use crate::{
    desk::{
        Answered, Desk,
        fleet::{FleetDesk, KeyHolder},
    },
    http::{Admitted, Files, Gatekeeper},
    oauth::{Resource, Verifier, Vouched},
};

/// How every API key begins.
pub const KEY_PREFIX: &str = "prb_";
/// Longest API key looked at.
const KEY_BYTES_MAX: usize = 200;

pub struct FleetKeeper {
    desk: Arc<dyn Desk>,
    fleet: Arc<dyn FleetDesk>,
    verifier: Option<Verifier>,
    operator: Option<blake3::Hash>,
}

impl FleetKeeper {
    /// API keys only, until told otherwise.
    pub fn new(desk: Arc<dyn Desk>, fleet: Arc<dyn FleetDesk>) -> Self {
        Self { desk, fleet, verifier: None, operator: None }
    }

    pub fn with_tokens_of(mut self, verifier: Verifier) -> Self {
        self.verifier = Some(verifier);
        self
    }

    /// The operator's own token reaches every tenant. Only its hash is kept.
    pub fn with_operator(mut self, token: blake3::Hash) -> Self {
        self.operator = Some(token);
        self
    }

    fn now(&self) -> Moment {
        self.desk.now()
    }

    async fn of_key(&self, presented: &str) -> Result<Option<Admitted>, probity_research::Problem> {
        if presented.len() > KEY_BYTES_MAX {
            return Ok(None);
        }
        let holder = self.fleet.key_holder(presented).await?;
        Ok(holder.map(|KeyHolder { tenant, scopes, key_id, door }| Admitted {
            reach: Reach::Of(tenant),
            scopes,
            actor: format!("key:{key_id}"),
            per_second: Some(door.requests_per_second),
            files: Files::NotOffered,
        }))
    }

    async fn of_token(&self, presented: &str) -> Result<Option<Admitted>, probity_research::Problem> {
        let Some(verifier) = &self.verifier else { return Ok(None) };
        let vouched = verifier.verify(presented, self.now()).await?;
        let Some(Vouched { tenant, scopes, subject }) = vouched else { return Ok(None) };
        let door = self.fleet.door(&tenant).await?;
        Ok(door.map(|door| Admitted {
            reach: Reach::Of(tenant),
            scopes,
            actor: format!("sub:{subject}"),
            per_second: Some(door.requests_per_second),
            files: Files::NotOffered,
        }))
    }
}

impl Gatekeeper for FleetKeeper {
    fn admit<'a>(&'a self, bearer: &'a str) -> Answered<'a, Option<Admitted>> {
        Box::pin(async move {
            // Compared as hashes, in constant time.
            if self.operator.is_some_and(|known| known == blake3::hash(bearer.as_bytes())) {
                return Ok(Some(Admitted {
                    reach: Reach::Everything,
                    scopes: Scopes::all(),
                    actor: "operator".to_owned(),
                    per_second: None,
                    files: Files::NotOffered,
                }));
            }
            if bearer.starts_with(KEY_PREFIX) {
                return self.of_key(bearer).await;
            }
            self.of_token(bearer).await
        })
    }

    fn resource(&self) -> Option<&Resource> {
        self.verifier.as_ref().map(Verifier::resource)
    }
}
