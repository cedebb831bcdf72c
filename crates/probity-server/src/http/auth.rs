//! Who is asking: a bearer token in, the researches within reach out. Keeps hashes, never tokens.

use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

use axum::http::{HeaderMap, header};
use probity_research::principal::{Principal, Reach};

/// Whether a request must show a token.
#[derive(Debug, Clone)]
pub enum Auth {
    /// Everyone reaches everything and nobody is paced. Only for fixtures that hold no researches, such as
    /// the conformance suite's; the program itself never serves like this.
    Off,
    Tokens(Arc<Tokens>),
}

impl Auth {
    /// `None`: there is no token, or not a known one. Both look the same from outside.
    pub(super) fn reach(&self, headers: &HeaderMap) -> Option<Reach> {
        match self {
            Self::Off => Some(Reach::Everything),
            Self::Tokens(tokens) => tokens.reach(bearer(headers)?),
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
    use probity_research::principal::{Principal, Reach};

    use super::{Auth, Tokens};

    fn check(headers: &[&str]) -> Option<Reach> {
        let anna = Principal::parse("anna").unwrap();
        let tokens = Tokens::new(blake3::hash(b"mine"), [(blake3::hash(b"hers"), anna)]);
        let mut map = HeaderMap::new();
        for value in headers {
            map.append(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        }
        Auth::Tokens(tokens.into()).reach(&map)
    }

    #[test]
    fn a_token_reaches_what_is_its_own() {
        assert_eq!(check(&["Bearer mine"]), Some(Reach::Everything));
        assert_eq!(check(&["bearer hers"]), Some(Reach::Of(Principal::parse("anna").unwrap())));
    }

    #[test]
    fn anything_else_reaches_nothing() {
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
            assert_eq!(check(headers), None, "{headers:?}");
        }
    }
}
