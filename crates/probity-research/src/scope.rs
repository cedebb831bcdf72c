//! What the holder of a key or token may do. Pure: who holds which is the gate's business.
//!
//! No scope contains another: a key that may administer cannot start a research unless it says so too.

use std::fmt;

use crate::error::{Code, Problem};

/// One thing that can be allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    Read,
    Start,
    Cancel,
    /// Tenants, keys and everything that belongs to the operator.
    Admin,
}

impl Scope {
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

impl fmt::Display for Scope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// A set of scopes; empty until something is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Scopes(u8);

impl Scopes {
    pub const NONE: Self = Self(0);

    pub fn all() -> Self {
        Self::of(&Scope::ALL)
    }

    /// What a user of the service gets: everything but the operator's part.
    pub fn of_a_user() -> Self {
        Self::of(&[Scope::Read, Scope::Start, Scope::Cancel])
    }

    pub fn of(scopes: &[Scope]) -> Self {
        Self(scopes.iter().fold(0, |set, scope| set | scope.bit()))
    }

    pub fn allows(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// What both allow.
    pub fn within(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.into_iter().filter(move |scope| self.allows(*scope))
    }

    /// As somebody typed them, apart by blanks or commas: a word that is no scope is an error.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let words = text.split([' ', ',']).filter(|word| !word.is_empty());
        let known = words.map(|word| Scope::parse(word).ok_or_else(|| unknown(word)));
        Ok(Self::of(&known.collect::<Result<Vec<_>, _>>()?))
    }

    /// As a token lists them: those of other services stand beside ours and mean nothing here.
    pub fn known_in(text: &str) -> Self {
        Self::of(&text.split_whitespace().filter_map(Scope::parse).collect::<Vec<_>>())
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.iter().map(Scope::as_str).collect();
        out.write_str(&words.join(" "))
    }
}

fn unknown(word: &str) -> Problem {
    let known: Vec<&str> = Scope::ALL.into_iter().map(Scope::as_str).collect();
    let message = format!("`{}` is not a scope; there are {}", crate::text::line(word, 40), known.join(", "));
    Problem::new(Code::InvalidArguments, &message)
}

#[cfg(test)]
mod tests {
    use super::{Scope, Scopes};

    #[test]
    fn a_set_allows_what_was_put_in_and_nothing_else() {
        for scope in Scope::ALL {
            let only = Scopes::of(&[scope]);
            let allowed: Vec<Scope> = Scope::ALL.into_iter().filter(|other| only.allows(*other)).collect();
            assert_eq!(allowed, [scope]);
            assert!(Scopes::all().allows(scope) && !Scopes::NONE.allows(scope));
        }
        assert!(!Scopes::of_a_user().allows(Scope::Admin));
    }

    #[test]
    fn what_is_shown_is_read_again() {
        for bits in 0..16 {
            let set = Scopes(bits);
            assert_eq!(Scopes::parse(&set.to_string()), Ok(set));
            assert_eq!(Scopes::known_in(&set.to_string()), set);
        }
    }

    #[test]
    fn a_stranger_is_refused_when_typed_and_ignored_in_a_token() {
        let problem = Scopes::parse("research:read,research:everything").unwrap_err();
        let expected = "`research:everything` is not a scope; there are research:read, research:start, \
                        research:cancel, research:admin";
        assert_eq!(problem.message, expected);
        assert_eq!(Scopes::known_in("openid research:read RESEARCH:ADMIN"), Scopes::of(&[Scope::Read]));
    }
}
