//! Short names of the parts of an inquiry, as prompts and answers spell them: `F1`, `Q7`, `N3`.
//!
//! Numbers count from 1. A model's spelling is read generously; whether there is such a part is for the state to say.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! short_ids {
    ($($(#[$about:meta])* $name:ident = $letter:literal;)*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            pub const LETTER: char = $letter;

            /// The id of the part at this position of its list.
            pub fn at(index: usize) -> Self {
                Self(u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1))
            }

            /// Position in its list; none for the number 0, which names nothing.
            pub fn index(self) -> Option<usize> {
                self.0.checked_sub(1).and_then(|index| usize::try_from(index).ok())
            }

            /// Reads `Q7`, `q7`, `[Q7]`, `Q 7` and the bare number.
            pub fn parse(text: &str) -> Option<Self> {
                let bare = text.trim().trim_matches(['[', ']', '(', ')', '"', '\'', '.', ',']);
                let digits = bare.trim_start_matches([$letter, $letter.to_ascii_lowercase()]).trim();
                digits.parse().ok().filter(|number| *number > 0).map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(out, "{}{}", Self::LETTER, self.0)
            }
        }
    )*};
}

short_ids! {
    /// One part of the question that is looked into on its own.
    FacetId = 'F';
    /// One quotation in the bank.
    QuoteId = 'Q';
    /// One heading of the outline.
    NodeId = 'N';
    /// One thing that the question demands of its answer.
    RequirementId = 'R';
    /// Two sources that give different values for the same thing.
    ConflictId = 'K';
    /// One written sentence that states a fact.
    ClaimId = 'C';
}

#[cfg(test)]
mod tests {
    use super::{FacetId, QuoteId};

    #[test]
    fn ids_are_read_as_models_spell_them() {
        for spelling in ["Q7", "q7", "[Q7]", " Q 7 ", "7", "\"Q7\","] {
            assert_eq!(QuoteId::parse(spelling), Some(QuoteId(7)), "{spelling}");
        }
        for spelling in ["", "Q", "Q0", "F7", "Q7x", "-7"] {
            assert_eq!(QuoteId::parse(spelling), None, "{spelling}");
        }
        assert_eq!((FacetId::at(0).to_string(), FacetId(3).index()), ("F1".to_owned(), Some(2)));
    }
}
