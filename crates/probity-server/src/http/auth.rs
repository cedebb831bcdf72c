//! Authentication: a bearer token in, the caller's access and scopes out. Keeps hashes, never tokens.

use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

use axum::http::{HeaderMap, header};
use probity_research::{
    CodedError,
    principal::{Principal, RunAccess},
    scope::KeyScopes,
};

use crate::{backend::BackendFuture, oauth::ProtectedResource};

/// An authenticated caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallerIdentity {
    pub reach: RunAccess,
    pub scopes: KeyScopes,
    /// Key id or subject, for the audit log. Never a secret.
    pub actor: String,
    /// The caller's own rate limit; none is the server's.
    pub per_second: Option<u32>,
    pub files: FileAccess,
}

/// Whether the caller may have files written on the server's disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileAccess {
    Offered,
    /// The disk is not the caller's: there is a fleet in between.
    NotOffered,
}

impl CallerIdentity {
    /// This machine's own user.
    pub fn owner() -> Self {
        Self::with_local_token(RunAccess::Everything)
    }

    /// The holder of a token of this machine.
    fn with_local_token(reach: RunAccess) -> Self {
        let (scopes, actor) = match &reach {
            RunAccess::Everything => (KeyScopes::all(), "owner".to_owned()),
            RunAccess::Of(principal) => (KeyScopes::of_a_user(), principal.as_str().to_owned()),
            RunAccess::Nothing => (KeyScopes::NONE, "nobody".to_owned()),
        };
        Self { reach, scopes, actor, per_second: None, files: FileAccess::Offered }
    }

    /// A caller that could not be identified.
    pub fn nobody() -> Self {
        Self::with_local_token(RunAccess::Nothing)
    }
}

/// Identifies the holder of a token that this process cannot know by itself: keys of a database, tokens of an
/// issuer.
pub trait Authenticator: Send + Sync + 'static {
    /// `None`: the token is refused. An error: it could not be checked.
    fn admit<'a>(&'a self, bearer: &'a str) -> BackendFuture<'a, Option<CallerIdentity>>;

    /// The metadata for clients without a token, if tokens can be had from an issuer.
    fn resource(&self) -> Option<&ProtectedResource>;
}

/// An authenticator that can be passed around.
#[derive(Clone)]
pub struct SharedAuthenticator(pub Arc<dyn Authenticator>);

impl fmt::Debug for SharedAuthenticator {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Keeper")
    }
}

/// Whether a request must show a token.
#[derive(Debug, Clone)]
pub enum AuthPolicy {
    /// Every caller can access everything without a rate limit. Only for fixtures that have no runs, such as
    /// the conformance suite's; the program itself never serves like this.
    Off,
    Tokens(Arc<TokenTable>),
    External(SharedAuthenticator),
}

/// The outcome of authenticating a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AuthOutcome {
    Authenticated(CallerIdentity),
    NoToken,
    BadToken,
}

impl AuthPolicy {
    /// An unknown token and an expired one look the same from outside.
    pub(super) async fn authenticate_headers(&self, headers: &HeaderMap) -> Result<AuthOutcome, CodedError> {
        let admitted = match self {
            Self::Off => Some(CallerIdentity::owner()),
            Self::Tokens(tokens) => {
                let Some(presented) = bearer(headers) else { return Ok(AuthOutcome::NoToken) };
                tokens.reach(presented).map(CallerIdentity::with_local_token)
            }
            Self::External(authenticator) => {
                let Some(presented) = bearer(headers) else { return Ok(AuthOutcome::NoToken) };
                let presented = std::str::from_utf8(presented).ok().filter(|text| !text.is_empty());
                match presented {
                    Some(presented) => authenticator.0.admit(presented).await?,
                    None => None,
                }
            }
        };
        Ok(admitted.map_or(AuthOutcome::BadToken, AuthOutcome::Authenticated))
    }

    pub(super) fn resource(&self) -> Option<&ProtectedResource> {
        match self {
            Self::Off | Self::Tokens(_) => None,
            Self::External(authenticator) => authenticator.0.resource(),
        }
    }
}

/// The tokens that this server accepts. Can be replaced while it runs.
#[derive(Default)]
pub struct TokenTable {
    known: RwLock<Vec<(blake3::Hash, RunAccess)>>,
}

impl TokenTable {
    /// `owner` is the hash of the machine's own token, `named` those of others with their principals.
    pub fn new(owner: blake3::Hash, named: impl IntoIterator<Item = (blake3::Hash, Principal)>) -> Self {
        let tokens = Self::default();
        tokens.replace(owner, named);
        tokens
    }

    /// Takes effect with the next request. Streams that are open stay open.
    pub fn replace(&self, owner: blake3::Hash, named: impl IntoIterator<Item = (blake3::Hash, Principal)>) {
        let named = named.into_iter().map(|(hash, principal)| (hash, RunAccess::Of(principal)));
        let known = std::iter::once((owner, RunAccess::Everything)).chain(named).collect();
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = known;
    }

    /// Compares with every hash, in constant time: the time taken reveals nothing about a token.
    pub fn reach(&self, presented: &[u8]) -> Option<RunAccess> {
        let presented = blake3::hash(presented);
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known
            .iter()
            .fold(None, |found, (hash, reach)| if *hash == presented { Some(reach) } else { found })
            .cloned()
    }
}

impl fmt::Debug for TokenTable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Tokens(hidden)")
    }
}

/// The text after `Bearer`. Two `Authorization` headers are as good as none: which of them would count?
fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (first, None) = (values.next()?, values.next()) else { return None };
    let (scheme, token) = first.as_bytes().split_at_checked("bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"bearer ").then(|| token.trim_ascii())
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue, header::AUTHORIZATION};
    use probity_research::{
        principal::{Principal, RunAccess},
        scope::KeyScope,
    };

    use super::{AuthOutcome, AuthPolicy, TokenTable};

    async fn check(headers: &[&str]) -> Option<RunAccess> {
        let anna = Principal::parse("anna").unwrap();
        let tokens = TokenTable::new(blake3::hash(b"mine"), [(blake3::hash(b"hers"), anna)]);
        let mut map = HeaderMap::new();
        for value in headers {
            map.append(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        }
        match AuthPolicy::Tokens(tokens.into()).authenticate_headers(&map).await.unwrap() {
            AuthOutcome::Authenticated(admitted) => {
                let owner = admitted.reach == RunAccess::Everything;
                assert_eq!(admitted.scopes.allows(KeyScope::Admin), owner, "{admitted:?}");
                assert!(admitted.scopes.allows(KeyScope::Start) && admitted.scopes.allows(KeyScope::Cancel));
                Some(admitted.reach)
            }
            AuthOutcome::NoToken | AuthOutcome::BadToken => None,
        }
    }

    #[tokio::test]
    async fn a_token_reaches_what_is_its_own() {
        assert_eq!(check(&["Bearer mine"]).await, Some(RunAccess::Everything));
        assert_eq!(check(&["bearer hers"]).await, Some(RunAccess::Of(Principal::parse("anna").unwrap())));
    }

    #[tokio::test]
    async fn anything_else_reaches_nothing() {
        for headers in [
            &[][..],
            &[""],
            &["Bearer"],
            &["Bearer "],
            &["Bearer Mine"],
            &["Bearer mine2"],
            &["Bearer min"],
            &["Basic mine"],
            &["mine"],
            &["Bearer mine", "Bearer mine"],
            &["Bearer mine", "Bearer other"],
        ] {
            assert_eq!(check(headers).await, None, "{headers:?}");
        }
    }
}
