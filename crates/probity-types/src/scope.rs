//! What the holder of a key or token may do. Pure: the gate knows the holder.
//!
//! No scope contains another: a key that may administer cannot start a run unless it says so too.

use std::fmt;

use crate::error::{Code, CodedError};

/// One thing that can be allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyScope {
    Read,
    Start,
    Cancel,
    /// Tenants, keys and everything that belongs to the operator.
    Admin,
}

impl KeyScope {
    pub const ALL: [Self; 4] = [Self::Read, Self::Start, Self::Cancel, Self::Admin];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "research:read",
            Self::Start => "research:start",
            Self::Cancel => "research:cancel",
            Self::Admin => "research:admin",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == text)
    }

    fn bit(self) -> u8 {
        match self {
            Self::Read => 1,
            Self::Start => 2,
            Self::Cancel => 4,
            Self::Admin => 8,
        }
    }
}

impl fmt::Display for KeyScope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// A set of scopes; empty until something is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct KeyScopes(u8);

impl KeyScopes {
    pub const NONE: Self = Self(0);

    pub fn all() -> Self {
        Self::of(&KeyScope::ALL)
    }

    /// What a user of the service gets: everything but the operator's part.
    pub fn of_a_user() -> Self {
        Self::of(&[KeyScope::Read, KeyScope::Start, KeyScope::Cancel])
    }

    pub fn of(scopes: &[KeyScope]) -> Self {
        Self(scopes.iter().fold(0, |set, scope| set | scope.bit()))
    }

    pub fn allows(self, scope: KeyScope) -> bool {
        self.0 & scope.bit() != 0
    }

    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// What both allow.
    pub fn within(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub fn iter(self) -> impl Iterator<Item = KeyScope> {
        KeyScope::ALL.into_iter().filter(move |scope| self.allows(*scope))
    }

    /// As a user typed them, separated by blanks or commas: an unknown scope is an error.
    pub fn parse(text: &str) -> Result<Self, CodedError> {
        let words = text.split([' ', ',']).filter(|word| !word.is_empty());
        let known = words.map(|word| KeyScope::parse(word).ok_or_else(|| unknown(word)));
        Ok(Self::of(&known.collect::<Result<Vec<_>, _>>()?))
    }

    /// As a token lists them: those of other services are ignored.
    pub fn known_in(text: &str) -> Self {
        Self::of(&text.split_whitespace().filter_map(KeyScope::parse).collect::<Vec<_>>())
    }
}

impl fmt::Display for KeyScopes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.iter().map(KeyScope::as_str).collect();
        out.write_str(&words.join(" "))
    }
}

fn unknown(word: &str) -> CodedError {
    let known: Vec<&str> = KeyScope::ALL.into_iter().map(KeyScope::as_str).collect();
    let message = format!("`{}` is not a scope; there are {}", crate::text::line(word, 40), known.join(", "));
    CodedError::new(Code::InvalidArguments, &message)
}

#[cfg(test)]
mod tests {
    use super::{KeyScope, KeyScopes};

    #[test]
    fn a_set_allows_what_was_put_in_and_nothing_else() {
        for scope in KeyScope::ALL {
            let only = KeyScopes::of(&[scope]);
            let allowed: Vec<KeyScope> =
                KeyScope::ALL.into_iter().filter(|other| only.allows(*other)).collect();
            assert_eq!(allowed, [scope]);
            assert!(KeyScopes::all().allows(scope) && !KeyScopes::NONE.allows(scope));
        }
        assert!(!KeyScopes::of_a_user().allows(KeyScope::Admin));
    }

    #[test]
    fn what_is_shown_is_read_again() {
        for bits in 0..16 {
            let set = KeyScopes(bits);
            assert_eq!(KeyScopes::parse(&set.to_string()), Ok(set));
            assert_eq!(KeyScopes::known_in(&set.to_string()), set);
        }
    }

    #[test]
    fn a_stranger_is_refused_when_typed_and_ignored_in_a_token() {
        let problem = KeyScopes::parse("research:read,research:everything").unwrap_err();
        let expected = "`research:everything` is not a scope; there are research:read, research:start, \
                        research:cancel, research:admin";
        assert_eq!(problem.message, expected);
        assert_eq!(
            KeyScopes::known_in("openid research:read RESEARCH:ADMIN"),
            KeyScopes::of(&[KeyScope::Read])
        );
    }
}
