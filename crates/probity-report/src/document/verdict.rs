//! Verdicts with their labels and shapes for people. The rules that award them are elsewhere.

use probity_types::ledger;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Verdict")]
pub enum DisplayVerdict {
    Supported,
    Quoted,
    Partly,
    Qualified,
    Contradicted,
    NotInSource,
    /// Of an inference: it follows from the claims it rests on.
    Follows,
    DoesNotFollow,
    NotChecked,
    CheckFailed,
}

impl DisplayVerdict {
    pub const ALL: [Self; 10] = [
        Self::Supported,
        Self::Quoted,
        Self::Partly,
        Self::Qualified,
        Self::Contradicted,
        Self::NotInSource,
        Self::Follows,
        Self::DoesNotFollow,
        Self::NotChecked,
        Self::CheckFailed,
    ];

    /// Whether inferences alone have it: a report without any does not name it.
    pub fn is_of_inferences(self) -> bool {
        matches!(self, Self::Follows | Self::DoesNotFollow)
    }

    /// As in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::Quoted => "quoted",
            Self::Partly => "partly",
            Self::Qualified => "qualified",
            Self::Contradicted => "contradicted",
            Self::NotInSource => "not-in-source",
            Self::Follows => "follows",
            Self::DoesNotFollow => "does-not-follow",
            Self::NotChecked => "not-checked",
            Self::CheckFailed => "check-failed",
        }
    }

    /// Two or three words.
    pub fn label(self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::Quoted => "quoted",
            Self::Partly => "partly supported",
            Self::Qualified => "true with a reservation",
            Self::Contradicted => "contradicted",
            Self::NotInSource => "not in its source",
            Self::Follows => "inference that follows",
            Self::DoesNotFollow => "inference that does not follow",
            Self::NotChecked => "not checked",
            Self::CheckFailed => "check failed",
        }
    }

    /// What it means, as a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Supported => "A judge found it on the cited page, and the passage it named stands there.",
            Self::Quoted => {
                "Its quotation stands on the page word for word; whether the page says the rest nobody judged."
            }
            Self::Partly => "A part of it is on the cited page, another part is not.",
            Self::Qualified => "The page says it with a reservation that the sentence leaves out.",
            Self::Contradicted => "The cited page says otherwise.",
            Self::NotInSource => "The cited page does not say it.",
            Self::Follows => "An inference: a judge found that it follows from the claims it rests on.",
            Self::DoesNotFollow => "An inference that does not follow from the claims it rests on.",
            Self::NotChecked => "Nobody checked it.",
            Self::CheckFailed => "It should have been checked, and the check did not work.",
        }
    }

    /// A shape of its own for each, so that no verdict is shown by colour alone.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Supported => "✓",
            Self::Quoted => "”",
            Self::Partly => "◐",
            Self::Qualified => "~",
            Self::Contradicted => "✗",
            Self::NotInSource => "⊘",
            Self::Follows => "∴",
            Self::DoesNotFollow => "⊬",
            Self::NotChecked => "◌",
            Self::CheckFailed => "⚠",
        }
    }

    /// Kind and colour of the line below a sentence, as word processors name them; none for a supported one.
    pub(crate) fn underline(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Supported | Self::Quoted | Self::Follows => None,
            Self::Partly | Self::Qualified => Some(("dotted", "8A5700")),
            Self::Contradicted => Some(("thick", "B02318")),
            Self::NotInSource | Self::DoesNotFollow => Some(("dash", "8C3486")),
            Self::NotChecked | Self::CheckFailed => Some(("dotted", "AAAAAA")),
        }
    }

    /// The strictest first.
    pub fn rank(self) -> u8 {
        match self {
            Self::Contradicted => 0,
            Self::NotInSource => 1,
            Self::DoesNotFollow => 2,
            Self::Partly => 3,
            Self::Qualified => 4,
            Self::CheckFailed => 5,
            Self::NotChecked => 6,
            Self::Quoted => 7,
            Self::Follows => 8,
            Self::Supported => 9,
        }
    }
}

impl From<&ledger::Verdict> for DisplayVerdict {
    fn from(verdict: &ledger::Verdict) -> Self {
        match verdict {
            ledger::Verdict::Supported => Self::Supported,
            ledger::Verdict::Quoted => Self::Quoted,
            ledger::Verdict::Partly => Self::Partly,
            ledger::Verdict::Qualified => Self::Qualified,
            ledger::Verdict::Contradicted => Self::Contradicted,
            ledger::Verdict::NotInSource => Self::NotInSource,
            ledger::Verdict::Follows => Self::Follows,
            ledger::Verdict::DoesNotFollow => Self::DoesNotFollow,
            ledger::Verdict::NotChecked { .. } => Self::NotChecked,
            ledger::Verdict::CheckFailed { .. } => Self::CheckFailed,
        }
    }
}
