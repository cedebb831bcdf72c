//! Parts of the engine that a plan can be without.

use serde::{Deserialize, Serialize};

/// A part that is taken out to see what it is worth: the same worlds are researched with it and without it
/// (`just figures research`). Only a plan's value names one. There is no flag, setting or tool for it, since nobody who
/// asks something wants less; and as part of the plan it is in the journal, so that a replay decides as the run did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InquiryPart {
    /// Without: the facets are the outline, and nothing changes it.
    Outline,
    /// Without: one call writes the whole body from as many quotations as fit.
    Sections,
    /// Without: a section gets the first of its quotations, not the best.
    Bank,
    /// Without: sources that disagree are neither noticed nor searched for.
    Conflicts,
    /// Without: sentences that the check does not bear out stay as they were written.
    Patch,
}

impl InquiryPart {
    pub const ALL: [Self; 5] = [Self::Outline, Self::Sections, Self::Bank, Self::Conflicts, Self::Patch];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Outline => "outline",
            Self::Sections => "sections",
            Self::Bank => "bank",
            Self::Conflicts => "conflicts",
            Self::Patch => "patch",
        }
    }
}
