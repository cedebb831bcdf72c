//! Who is asking: a bearer token in, the researches within reach and what may be done with them out. Keeps
//! hashes, never tokens.

use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

use axum::http::{HeaderMap, header};
use probity_research::{
    Problem,
    principal::{Principal, Reach},
    scope::Scopes,
};

use crate::{desk::Answered, oauth::Resource};

/// Someone who got in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admitted {
    pub reach: Reach,
    pub scopes: Scopes,
    /// Key id or subject, for the audit log. Never a secret.
    pub actor: String,
    /// The caller's own pace; none is the server's.
    pub per_second: Option<u32>,
    pub files: Files,
}

/// Whether the caller may have files written on the server's disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Files {
    Offered,
    /// The disk is not the caller's: there is a fleet in between.
    NotOffered,
}

impl Admitted {
    /// This machine's own user.
    pub fn owner() -> Self {
        Self::here(Reach::Everything)
    }

    /// Someone with a token of this machine.
    fn here(reach: Reach) -> Self {
        let (scopes, actor) = match &reach {
            Reach::Everything => (Scopes::all(), "owner".to_owned()),
            Reach::Of(principal) => (Scopes::of_a_user(), principal.as_str().to_owned()),
            Reach::Nothing => (Scopes::NONE, "nobody".to_owned()),
        };
        Self { reach, scopes, actor, per_second: None, files: Files::Offered }
    }

    /// Someone who could not be told apart.
    pub fn nobody() -> Self {
        Self::here(Reach::Nothing)
    }
}

/// Says who holds a token that this process cannot know by itself: keys of a database, tokens of an issuer.
pub trait Gatekeeper: Send + Sync + 'static {
    /// `None`: the token opens nothing. An error: it could not be found out.
    fn admit<'a>(&'a self, bearer: &'a str) -> Answered<'a, Option<Admitted>>;

    /// What clients without a token are told, if tokens can be had from an issuer.
    fn resource(&self) -> Option<&Resource>;
}

/// A gatekeeper that can be passed around.
#[derive(Clone)]
pub struct Keeper(pub Arc<dyn Gatekeeper>);

impl fmt::Debug for Keeper {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Keeper")
    }
}

/// Whether a request must show a token.
#[derive(Debug, Clone)]
pub enum Auth {
    /// Everyone reaches everything and nobody is paced. Only for fixtures that hold no researches, such as
    /// the conformance suite's; the program itself never serves like this.
    Off,
    Tokens(Arc<Tokens>),
    Keeper(Keeper),
}

/// What a request showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shown {
    In(Admitted),
    NoToken,
    BadToken,
}

impl Auth {
    /// An unknown token and an expired one look the same from outside.
    pub(super) async fn shown(&self, headers: &HeaderMap) -> Result<Shown, Problem> {
        let admitted = match self {
            Self::Off => Some(Admitted::owner()),
            Self::Tokens(tokens) => {
                let Some(presented) = bearer(headers) else { return Ok(Shown::NoToken) };
                tokens.reach(presented).map(Admitted::here)
            }
            Self::Keeper(keeper) => {
                let Some(presented) = bearer(headers) else { return Ok(Shown::NoToken) };
                let presented = std::str::from_utf8(presented).ok().filter(|text| !text.is_empty());
                match presented {
                    Some(presented) => keeper.0.admit(presented).await?,
                    None => None,
                }
            }
        };
        Ok(admitted.map_or(Shown::BadToken, Shown::In))
    }

    pub(super) fn resource(&self) -> Option<&Resource> {
        match self {
            Self::Off | Self::Tokens(_) => None,
            Self::Keeper(keeper) => keeper.0.resource(),
        }
    }
}

/// The tokens that open this server. Can be replaced while it runs.
#[derive(Default)]
pub struct Tokens {
    known: RwLock<Vec<(blake3::Hash, Reach)>>,
}

impl Tokens {
    /// `owner` is the hash of the machine's own token, `named` those of others with whom they belong to.
    pub fn new(owner: blake3::Hash, named: impl IntoIterator<Item = (blake3::Hash, Principal)>) -> Self {
        let tokens = Self::default();
        tokens.replace(owner, named);
        tokens
    }

    /// Takes effect with the next request. Streams that are open stay open.
    pub fn replace(&self, owner: blake3::Hash, named: impl IntoIterator<Item = (blake3::Hash, Principal)>) {
        let named = named.into_iter().map(|(hash, principal)| (hash, Reach::Of(principal)));
        let known = std::iter::once((owner, Reach::Everything)).chain(named).collect();
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = known;
    }

    /// Compares hashes, in constant time, and looks at every one: time tells nothing about a token.
    pub fn reach(&self, presented: &[u8]) -> Option<Reach> {
        let presented = blake3::hash(presented);
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known
            .iter()
            .fold(None, |found, (hash, reach)| if *hash == presented { Some(reach) } else { found })
            .cloned()
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Tokens(hidden)")
    }
}

/// What follows `Bearer`. Two `Authorization` headers are as good as none: which of them would count?
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
        principal::{Principal, Reach},
        scope::Scope,
    };

    use super::{Auth, Shown, Tokens};

    async fn check(headers: &[&str]) -> Option<Reach> {
        let anna = Principal::parse("anna").unwrap();
        let tokens = Tokens::new(blake3::hash(b"mine"), [(blake3::hash(b"hers"), anna)]);
        let mut map = HeaderMap::new();
        for value in headers {
            map.append(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        }
        match Auth::Tokens(tokens.into()).shown(&map).await.unwrap() {
            Shown::In(admitted) => {
                let owner = admitted.reach == Reach::Everything;
                assert_eq!(admitted.scopes.allows(Scope::Admin), owner, "{admitted:?}");
                assert!(admitted.scopes.allows(Scope::Start) && admitted.scopes.allows(Scope::Cancel));
                Some(admitted.reach)
            }
            Shown::NoToken | Shown::BadToken => None,
        }
    }

    #[tokio::test]
    async fn a_token_reaches_what_is_its_own() {
        assert_eq!(check(&["Bearer mine"]).await, Some(Reach::Everything));
        assert_eq!(check(&["bearer hers"]).await, Some(Reach::Of(Principal::parse("anna").unwrap())));
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
