//! What became of sentences that the check did not bear out, as it stands in the journal.

use probity_types::inquiry::QuoteId;
use serde::{Deserialize, Serialize};

/// What a check says of a sentence, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SentenceStanding {
    Contradicted,
    /// Its page does not have it, or it cites none.
    Absent,
    /// Nothing speaks against it, and nobody could say more.
    Unknown,
    /// A part of it is there, or with a reservation.
    Partly,
    Quoted,
    Supported,
}

/// How a sentence was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "kebab-case")]
pub enum PatchKind {
    Removed,
    /// The quotation stands in its place.
    Quoted {
        quote: QuoteId,
    },
    /// The same words with another quotation behind them.
    Rebound {
        quote: QuoteId,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentencePatch {
    /// As it was written.
    pub text: String,
    pub was: SentenceStanding,
    pub patch: PatchKind,
}

/// Sentences that were changed after a check, counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PatchTally {
    pub removed: u32,
    pub quoted: u32,
    pub rebound: u32,
}

impl PatchTally {
    pub fn of(patches: &[SentencePatch]) -> Self {
        let mut tally = Self::default();
        for patch in patches {
            let count = match patch.patch {
                PatchKind::Removed => &mut tally.removed,
                PatchKind::Quoted { .. } => &mut tally.quoted,
                PatchKind::Rebound { .. } => &mut tally.rebound,
            };
            *count = count.saturating_add(1);
        }
        tally
    }

    /// The same in other words than English, with `{removed}`, `{quoted}` and `{rebound}`.
    pub fn remark_in(&self, words: &str) -> Option<String> {
        (*self != Self::default()).then(|| {
            words
                .replace("{removed}", &self.removed.to_string())
                .replace("{quoted}", &self.quoted.to_string())
                .replace("{rebound}", &self.rebound.to_string())
        })
    }

    /// For the reader of the report; none where nothing was changed.
    pub fn remark(&self) -> Option<String> {
        let sentences = |count: u32, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 sentence {one}")),
            count => Some(format!("{count} sentences {many}")),
        };
        let told: Vec<String> = [
            sentences(
                self.removed,
                "that its source did not bear out was removed",
                "that their sources did not bear out were removed",
            ),
            sentences(self.quoted, "was replaced by its quotation", "were replaced by their quotations"),
            sentences(self.rebound, "got another source", "got other sources"),
        ]
        .into_iter()
        .flatten()
        .collect();
        (!told.is_empty()).then(|| format!("After the check, {}.", told.join("; ")))
    }
}

#[cfg(test)]
mod tests {
    use super::PatchTally;

    #[test]
    fn a_reader_is_told_what_was_changed() {
        let told = |removed, quoted, rebound| PatchTally { removed, quoted, rebound }.remark();
        assert_eq!(told(0, 0, 0), None);
        let tally = PatchTally { removed: 2, quoted: 0, rebound: 1 };
        let words = "{removed} weg, {quoted} zitiert, {rebound} neu";
        assert_eq!(tally.remark_in(words).unwrap(), "2 weg, 0 zitiert, 1 neu");
        assert_eq!(PatchTally::default().remark_in(words), None);
        assert_eq!(
            told(3, 0, 0).unwrap(),
            "After the check, 3 sentences that their sources did not bear out were removed."
        );
        assert_eq!(
            told(1, 1, 2).unwrap(),
            "After the check, 1 sentence that its source did not bear out was removed; 1 sentence was replaced by its \
             quotation; 2 sentences got other sources."
        );
    }
}
