//! The evidence ledger of one report: its sentences and claims, the pages they cite, every check with its
//! author, and one verdict for each claim, computed from the checks.
//!
//! Checks are only ever added. A verdict is never stored by whoever checks: it is the fold of the checks, so that a
//! weaker check cannot wear a stronger label and anyone can compute it again.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

pub mod attention;
pub mod check;
pub mod claim;
pub mod judge_standing;
pub mod restatement;
pub mod second_judge;
pub mod skipped;
pub mod source;
pub mod tally;
pub mod verdict;
pub mod verification;

use serde::{Deserialize, Serialize};

use crate::{model::MODEL_UNSEEN, time::Moment};

pub use attention::AttentionGroup;
pub use check::{Check, CheckAspect, CheckAuthor, Opinion};
pub use claim::{Claim, ClaimContext, ClaimId, ClaimKind, InheritedCitation, ReportSentence};
pub use judge_standing::{JudgeExam, JudgeStanding};
pub use restatement::Restatement;
pub use second_judge::SecondJudge;
pub use skipped::{SkippedKind, SkippedParts};
pub use source::{LedgerSource, Passage, PassageContext, SourceConflict, SourceState};
pub use tally::{FactTally, VerdictTally};
pub use verdict::{ClaimVerdict, NotCheckedReason, Verdict};
pub use verification::{VerificationResult, VerificationRule};

/// Claims of one report, unless the user sets another limit: a book of a thousand pages has fewer. Claims beyond are
/// counted and said, never dropped silently.
pub const CLAIMS_DEFAULT: u32 = 10_000;
/// The most that a user may set: 20,000 claims are a ledger of some 20 MB, and all of it is in memory at once.
pub const CLAIMS_MAX: usize = 20_000;
/// Passages of a page that are found by a claim's words: five contain the evidence in 98 of 100 cases. A judge is shown
/// others beside them where the words tell little.
pub const PASSAGES_PER_CLAIM: usize = 5;

const JUDGE_CHARACTERS_MAX: usize = 80;

/// A question still to be put to a judge: one claim and the passages it most likely rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeQuestion {
    pub claim: ClaimId,
    /// Positions in `Ledger::passages`.
    pub passages: Vec<u32>,
    /// What the rules noticed, in words: remarks for the judge, who decides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub witnesses: Vec<String>,
}

/// Judgements that were bought before and used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReusedJudgements {
    pub claims: u32,
    /// Of so many judgements.
    pub of: u32,
    /// When the latest of them was given.
    pub latest: Moment,
}

impl ReusedJudgements {
    /// `judgement of 2026-11-17, reused`
    pub fn line(&self) -> String {
        let date = self.latest.date();
        match (self.claims, self.of) {
            (1, 1) => format!("judgement of {date}, reused"),
            (claims, of) if claims >= of => format!("judgements of {date} or earlier, reused"),
            (claims, of) => format!("{claims} of {of} judgements reused, of {date} or earlier"),
        }
    }
}

/// A model that judged, and whether it is the one that wrote the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgedBy<'a> {
    pub name: &'a str,
    /// It is known to be the one that wrote the text.
    pub wrote_it: bool,
    /// Whether it is known who wrote the text: an agent does not name its model, nor does a text of the user's own.
    pub knows_writer: bool,
    pub reused: Option<ReusedJudgements>,
    /// Whoever was asked about what it calls supported.
    pub second: Option<&'a SecondJudge>,
}

impl JudgedBy<'_> {
    /// Whether it wrote the text; none where nobody knows who did.
    pub fn said_to_have_written(&self) -> Option<bool> {
        self.knows_writer.then_some(self.wrote_it)
    }

    /// `gemini-3-pro (which also wrote it)`
    pub fn named(&self) -> String {
        let own = if self.wrote_it { " (which also wrote it)" } else { "" };
        format!("{}{own}", crate::text::line(self.name, JUDGE_CHARACTERS_MAX))
    }
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
    /// What of the text is not read on purpose, such as code; one entry for each kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<SkippedParts>,
    /// The judge that answered, and whether it is the model that wrote the text; none where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_wrote_it: Option<bool>,
    /// Its answers that were bought before and used again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_reused: Option<ReusedJudgements>,
    /// Whether the judge's `supported` counts as one.
    #[serde(default, skip_serializing_if = "JudgeStanding::is_trusted")]
    pub judge_standing: JudgeStanding,
    /// What was measured of the judge; none where it was neither examined nor asked about known claims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_exam: Option<JudgeExam>,
    /// Why the judge is not trusted, as half a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_doubt: Option<String>,
    /// Whoever was asked about what the judge calls supported; none where the settings name nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_judge: Option<Box<SecondJudge>>,
}

/// Whether two names are those of one model.
pub fn is_same_model(one: &str, other: &str) -> bool {
    one.strip_prefix("models/").unwrap_or(one) == other.strip_prefix("models/").unwrap_or(other)
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

    /// Everything of the text that was not examined, in words: every face of a check tells these lines.
    pub fn not_examined(&self) -> Vec<String> {
        let mut told = self.unread.clone();
        if !self.skipped.is_empty() {
            told.push(format!("not read on purpose: {}", skipped::in_words(&self.skipped)));
        }
        told
    }

    /// Skipped parts that hold sentences.
    pub fn skipped_sentences(&self) -> impl Iterator<Item = &SkippedParts> {
        self.skipped.iter().filter(|parts| parts.with_sentences > 0)
    }

    /// Folds all checks into verdicts, and the verdicts into `verified`.
    pub fn compute_verdicts(&mut self, model_says: Option<bool>) {
        self.settled = verdict::compute_verdicts(self);
        self.verification = Some(verification::verify(self, model_says));
    }

    /// The same by the rule that a stored ledger names: bundles outlive rules.
    pub fn compute_verdicts_by(&mut self, rule: VerificationRule, model_says: Option<bool>) {
        self.settled = verdict::compute_verdicts(self);
        self.verification = Some(verification::verify_by(rule, self, model_says));
    }

    /// The verdicts of the claims that a reader looks at, which every list, file and screen counts alike: own words and
    /// questions without a source, and repeats that their own source does not refuse, are left out.
    pub fn tally(&self) -> VerdictTally {
        let claims = self.claims.iter().zip(&self.settled);
        let listed = claims.zip(self.attention()).filter(|(_, group)| group.is_some());
        VerdictTally::of(listed.map(|(claim, _)| claim))
    }

    /// Compares the judge with the model that in fact wrote the text; an unknown one changes nothing.
    pub fn note_writer(&mut self, model: &str) {
        if let Some(judge) = self.judge.as_deref().filter(|_| !model.is_empty() && model != MODEL_UNSEEN) {
            self.judge_wrote_it = Some(is_same_model(judge, model));
        }
    }

    /// Without a judge that was planned and never answered, as ledgers from before name one.
    pub fn without_unasked_judge(mut self) -> Self {
        if self.judged_by().is_none() {
            (self.judge, self.judge_wrote_it) = (None, None);
        }
        self
    }

    /// The judge, if it answered any question at all: one that was planned and never answered judged nothing.
    pub fn judged_by(&self) -> Option<JudgedBy<'_>> {
        let answered = |check: &Check| {
            matches!(check.by, CheckAuthor::Model { .. })
                && (check.opinion != Opinion::Abstains || check.confidence > 0)
        };
        let name = self.judge.as_deref().filter(|_| self.checks.iter().any(answered))?;
        let wrote_it = self.judge_wrote_it;
        let (knows_writer, reused) = (wrote_it.is_some(), self.judge_reused);
        let second = self.second_judge.as_deref();
        Some(JudgedBy { name, wrote_it: wrote_it == Some(true), knows_writer, reused, second })
    }
}

#[cfg(test)]
mod tests {
    use super::{Check, CheckAspect, CheckAuthor, ClaimId, Ledger, Opinion};
    use crate::{ledger::ReusedJudgements, model::MODEL_UNSEEN, time::Moment};

    #[test]
    fn a_judgement_that_is_used_again_has_its_date() {
        let line = |claims, of| ReusedJudgements { claims, of, latest: Moment(1_794_700_000_000) }.line();
        assert_eq!(line(1, 1), "judgement of 2026-11-14, reused");
        assert_eq!(line(3, 3), "judgements of 2026-11-14 or earlier, reused");
        assert_eq!(line(1, 3), "1 of 3 judgements reused, of 2026-11-14 or earlier");
    }

    fn judged(opinion: Opinion, confidence: u8) -> Ledger {
        let check = Check {
            claim: ClaimId::at(0),
            aspect: CheckAspect::Meaning,
            opinion,
            by: CheckAuthor::Model { name: "m".to_owned(), version: "1".to_owned() },
            confidence,
            source: None,
            span: None,
            page: None,
            at: Moment(0),
            reason: String::new(),
        };
        Ledger { judge: Some("m".to_owned()), checks: vec![check], ..Ledger::default() }
    }

    #[test]
    fn the_judge_is_compared_with_the_model_that_wrote() {
        for (model, expected) in [
            ("m", Some(true)),
            ("models/m", Some(true)),
            ("other", Some(false)),
            (MODEL_UNSEEN, None),
            ("", None),
        ] {
            let mut ledger = judged(Opinion::Supports, 90);
            ledger.note_writer(model);
            let judge = ledger.judged_by().unwrap();
            assert_eq!(judge.said_to_have_written(), expected, "{model}");
            assert_eq!(judge.named().ends_with("(which also wrote it)"), expected == Some(true), "{model}");
        }
    }

    #[test]
    fn a_judge_that_answered_nothing_is_not_named() {
        assert_eq!(judged(Opinion::Supports, 90).without_unasked_judge().judge.as_deref(), Some("m"));
        let unasked = judged(Opinion::Abstains, 0).without_unasked_judge();
        assert_eq!((unasked.judge, unasked.judge_wrote_it), (None, None));
    }
}
