//! Cache of the issuer's keys. Fetched when they are old or when a token names an unknown key, one fetch at a
//! time and seldom: clients that invent key names cannot make us ask the issuer more often.

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use probity_research::{Code, CodedError};
use serde::Deserialize;
use tokio::{sync::Mutex, time::Instant};

use super::{
    IssuerClient,
    key::{IssuerKey, SigningAlgorithm, parse_set, select_key},
    parse_issuer_url,
};

/// A key that the issuer has withdrawn is accepted for this long at most, while the issuer answers.
const FRESH_FOR: Duration = Duration::from_secs(600);
/// After this long without an answer of the issuer its keys are no longer accepted.
const USABLE_FOR: Duration = Duration::from_secs(24 * 3600);
/// Shortest time between two fetches for an unknown key.
const ASK_EVERY: Duration = Duration::from_secs(60);
/// The same without any key: no token can be verified, so the issuer is asked more often.
const ASK_EVERY_WITHOUT: Duration = Duration::from_secs(5);
/// A document of an issuer has some kilobytes.
const DOCUMENT_BYTES_MAX: usize = 256 * 1024;
const FETCH_TIME_MAX: Duration = Duration::from_secs(5);

pub(super) struct IssuerKeyCache {
    issuer: String,
    /// Where the issuer describes itself (RFC 8414, then OpenID Connect Discovery).
    descriptions: [String; 2],
    fetch: Arc<dyn IssuerClient>,
    held: RwLock<IssuerKeys>,
    /// When the issuer was asked last; the task that has the lock is asking.
    asked: Mutex<Option<Instant>>,
}

#[derive(Clone, Default)]
struct IssuerKeys {
    keys: Arc<[IssuerKey]>,
    at: Option<Instant>,
}

#[derive(Deserialize)]
struct IssuerDocument {
    issuer: String,
    jwks_uri: String,
}

impl IssuerKeyCache {
    pub(super) fn of(issuer: &str, fetch: Arc<dyn IssuerClient>) -> Result<Self, CodedError> {
        let uri = parse_issuer_url(issuer, "the issuer")?;
        let authority = uri.authority().map(ToString::to_string).unwrap_or_default();
        let path = uri.path().trim_end_matches('/');
        let scheme = uri.scheme_str().unwrap_or("https");
        let descriptions = [
            format!("{scheme}://{authority}/.well-known/oauth-authorization-server{path}"),
            format!("{scheme}://{authority}{path}/.well-known/openid-configuration"),
        ];
        Ok(Self {
            issuer: issuer.to_owned(),
            descriptions,
            fetch,
            held: RwLock::default(),
            asked: Mutex::const_new(None),
        })
    }

    /// The key of this name and kind; none if the issuer has no such key.
    pub(super) async fn find(
        &self,
        id: Option<&str>,
        algorithm: SigningAlgorithm,
    ) -> Result<Option<IssuerKey>, CodedError> {
        let held = self.held();
        let known = select_key(&held.keys, id, algorithm).cloned();
        if known.is_some() && held.younger_than(FRESH_FOR) {
            return Ok(known);
        }
        self.renew().await;
        let held = self.held();
        if !held.younger_than(USABLE_FOR) {
            let message = "the issuer of tokens cannot be asked for its keys just now";
            return Err(CodedError::new(Code::Network, message));
        }
        Ok(select_key(&held.keys, id, algorithm).cloned())
    }

    fn held(&self) -> IssuerKeys {
        self.held.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn renew(&self) {
        let mut asked = self.asked.lock().await;
        let has_keys = self.held().younger_than(USABLE_FOR);
        let pause = if has_keys { ASK_EVERY } else { ASK_EVERY_WITHOUT };
        if asked.is_some_and(|at| at.elapsed() < pause) {
            return;
        }
        *asked = Some(now());
        match self.fetch_keys().await {
            Ok(keys) => {
                tracing::info!(keys = keys.len(), "token issuer keys fetched");
                let held = IssuerKeys { keys: keys.into(), at: Some(now()) };
                *self.held.write().unwrap_or_else(PoisonError::into_inner) = held;
            }
            Err(problem) => tracing::warn!(cause = problem.message, "token issuer keys not fetched"),
        }
    }

    async fn fetch_keys(&self) -> Result<Vec<IssuerKey>, CodedError> {
        let mut last = None;
        for place in &self.descriptions {
            match self.fetch_key_address(place).await {
                Ok(keys_at) => {
                    let bytes = self.get(&keys_at).await?;
                    return parse_set(&bytes).ok_or_else(|| unreadable(&keys_at));
                }
                Err(problem) => last = Some(problem),
            }
        }
        Err(last.unwrap_or_else(|| unreadable(&self.issuer)))
    }

    /// The address of the keys, from an issuer document that names the issuer we trust.
    async fn fetch_key_address(&self, place: &str) -> Result<String, CodedError> {
        let bytes = self.get(place).await?;
        let described: IssuerDocument = serde_json::from_slice(&bytes).map_err(|_| unreadable(place))?;
        if described.issuer != self.issuer {
            return Err(unreadable(place));
        }
        parse_issuer_url(&described.jwks_uri, "the address of the issuer's keys")?;
        Ok(described.jwks_uri)
    }

    async fn get(&self, url: &str) -> Result<Vec<u8>, CodedError> {
        let fetching = self.fetch.fetch(url, DOCUMENT_BYTES_MAX);
        let bytes = tokio::time::timeout(FETCH_TIME_MAX, fetching)
            .await
            .map_err(|_| CodedError::new(Code::Timeout, "the issuer did not answer in time"))??;
        if bytes.len() > DOCUMENT_BYTES_MAX {
            return Err(unreadable(url));
        }
        Ok(bytes)
    }
}

impl IssuerKeys {
    fn younger_than(&self, age: Duration) -> bool {
        self.at.is_some_and(|at| at.elapsed() < age)
    }
}

fn unreadable(place: &str) -> CodedError {
    CodedError::new(Code::UnreadableAnswer, &format!("{place} is not what an issuer publishes there"))
}

#[expect(clippy::disallowed_methods, reason = "ages are counted in the runtime's own time")]
fn now() -> Instant {
    Instant::now()
}
