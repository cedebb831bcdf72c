//! Who asked, on a server that several people share. A laptop's own user needs no name.

use serde::{Deserialize, Serialize};

use crate::error::{Code, CodedError};

/// Longest name; it is shown in lists and kept with every run.
const NAME_BYTES_MAX: usize = 32;

/// Name of a holder of a token of their own. Runs belong to the principal that asked.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Principal(String);

impl Principal {
    pub fn parse(text: &str) -> Result<Self, CodedError> {
        let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let fits = (1..=NAME_BYTES_MAX).contains(&text.len()) && text.bytes().all(allowed);
        if !fits || text.starts_with('-') {
            let message = format!(
                "`{}` is not a name; use 1 to {NAME_BYTES_MAX} of a-z, 0-9 and -",
                crate::text::line(text, 40)
            );
            return Err(CodedError::new(Code::Settings, &message));
        }
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Which runs a caller may see and change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunAccess {
    /// The machine's own user: command line, stdio, the local token.
    Everything,
    Of(Principal),
    /// A caller that could not be identified.
    Nothing,
}

impl RunAccess {
    /// Whether a run asked by `asked_by` may be accessed.
    pub fn covers(&self, asked_by: Option<&Principal>) -> bool {
        match self {
            Self::Everything => true,
            Self::Of(principal) => asked_by == Some(principal),
            Self::Nothing => false,
        }
    }

    /// Who may be asked for, if it is one person. None says nothing: neither everybody's runs nor nobody's have one, so
    /// whoever filters by it asks for `Nothing` first.
    pub fn principal(&self) -> Option<&Principal> {
        match self {
            Self::Everything | Self::Nothing => None,
            Self::Of(principal) => Some(principal),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Principal, RunAccess};

    #[test]
    fn a_name_is_short_and_plain() {
        for name in ["anna", "team-7", "0"] {
            assert!(Principal::parse(name).is_ok(), "{name}");
        }
        for name in ["", "-a", "Anna", "a b", "a/../b", "é", &"x".repeat(33)] {
            assert!(Principal::parse(name).is_err(), "{name}");
        }
    }

    #[test]
    fn one_principal_reaches_only_its_own() {
        let (anna, ben) = (Principal::parse("anna").unwrap(), Principal::parse("ben").unwrap());
        assert!(RunAccess::Everything.covers(None) && RunAccess::Everything.covers(Some(&anna)));
        assert!(RunAccess::Of(anna.clone()).covers(Some(&anna)));
        assert!(!RunAccess::Of(anna.clone()).covers(Some(&ben)) && !RunAccess::Of(anna).covers(None));
    }
}
