//! The evidence ledger of one report: its sentences and claims, the pages they cite, every check with its
//! author, and one verdict for each claim, computed from the checks.
//!
//! Checks are only ever added. A verdict is never stored by whoever checks: it is the fold of the checks, so that a
//! weaker check cannot wear a stronger label and anyone can compute it again.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

pub mod check;
pub mod claim;
pub mod source;
pub mod tally;
pub mod verdict;
pub mod verification;

use serde::{Deserialize, Serialize};

pub use check::{Check, CheckAspect, CheckAuthor, Opinion};
pub use claim::{Claim, ClaimId, ClaimKind, ReportSentence};
pub use source::{LedgerSource, Passage, SourceConflict, SourceState};
pub use tally::VerdictTally;
pub use verdict::{ClaimVerdict, NotCheckedReason, Verdict};
pub use verification::{VerificationResult, VerificationRule};

/// Claims of one report: a book of a thousand pages has fewer. Claims beyond are named, never dropped
/// silently.
pub const CLAIMS_MAX: usize = 5_000;
/// Passages of a page that a judge is shown for one claim: five contain the evidence in 98 of 100 cases.
pub const PASSAGES_PER_CLAIM: usize = 5;

/// A question still to be put to a judge: one claim and the passages it most likely rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeQuestion {
    pub claim: ClaimId,
    /// Positions in `Ledger::passages`.
    pub passages: Vec<u32>,
}

/// A model that judged, and whether it is the one that wrote the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgedBy<'a> {
    pub name: &'a str,
    pub wrote_it: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Ledger {
    /// Version of the rules that split and checked: another one may split differently.
    pub checker: String,
    pub sentences: Vec<ReportSentence>,
    pub claims: Vec<Claim>,
    pub sources: Vec<LedgerSource>,
    pub passages: Vec<Passage>,
    pub checks: Vec<Check>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<SourceConflict>,
    /// Pairs of sources that have the same text with other numbers: one of them is wrong, or was made to be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub altered: Vec<(u32, u32)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<JudgeQuestion>,
    /// One per claim, in the order of the claims; empty until everything is checked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settled: Vec<ClaimVerdict>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<VerificationResult>,
    /// What had to be repaired in the report's citations before it could be checked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mended: Vec<String>,
    /// What of the text was not examined, because it is longer than a text may be; empty for nearly all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<String>,
    /// The judge, and whether it is the model that wrote the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    #[serde(default)]
    pub judge_wrote_it: bool,
}

impl Ledger {
    pub fn claim(&self, id: ClaimId) -> Option<&Claim> {
        self.claims.get(id.place())
    }

    pub fn verdict(&self, id: ClaimId) -> Option<&ClaimVerdict> {
        self.settled.get(id.place())
    }

    pub fn checks_of(&self, id: ClaimId) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(move |check| check.claim == id)
    }

    /// Folds all checks into verdicts, and the verdicts into `verified`.
    pub fn compute_verdicts(&mut self, model_says: Option<bool>) {
        self.settled = verdict::compute_verdicts(self);
        self.verification = Some(verification::verify(self, model_says));
    }

    pub fn tally(&self) -> VerdictTally {
        VerdictTally::of(&self.settled)
    }

    /// The judge, if it answered any question at all: one that was planned and never answered judged nothing.
    pub fn judged_by(&self) -> Option<JudgedBy<'_>> {
        let answered = |check: &Check| {
            matches!(check.by, CheckAuthor::Model { .. })
                && (check.opinion != Opinion::Abstains || check.confidence > 0)
        };
        let name = self.judge.as_deref().filter(|_| self.checks.iter().any(answered))?;
        Some(JudgedBy { name, wrote_it: self.judge_wrote_it })
    }
}
