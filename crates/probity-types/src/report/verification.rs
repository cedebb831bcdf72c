//! Whether a report is verified, and why or why not: decided here, once, from what is stored with it. Every answer,
//! file and screen shows this and decides nothing itself.

use super::Report;
use crate::{
    ledger::{ClaimId, JudgedBy, Ledger, Verdict, VerificationResult, verification::RULE},
    rounds::RoundsRecord,
    text,
};

/// Stored where the server compared rounds and no single claim was checked.
pub const BASIS_EVIDENCE: &str = "server: true only if the model confirms it, every cited address was returned by a search \
    or a fetch, at least one page was fetched, and two consecutive rounds agree; single claims are not checked";
/// Stored where every claim was checked.
pub const BASIS_LEDGER: &str = "ledger: every load-bearing claim supported by a stored page (contested ones by two \
    independent origins), nothing contradicted, nothing load-bearing unchecked, and the model confirms it";
/// Stored where the user chose to accept the model's statement.
pub const BASIS_MODEL: &str = "model: the model's own word (verification = \"model\")";
/// Stored where there is no second round to agree with.
pub const BASIS_ONE_ROUND: &str = "none: one round only, nothing was looked at a second time";
/// Stored with a report of the web engine until its claims are judged one by one.
pub const BASIS_QUOTATIONS: &str =
    "quotations stand word for word in stored pages; whether they support each sentence was not judged";

/// Claims named in a reason; the ledger names all.
const NAMED_MAX: usize = 6;
const WHY_CHARACTERS_MAX: usize = 120;

/// What the answer to "is it verified" rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerificationBasis {
    /// The verdict of each claim.
    Ledger,
    /// Rounds that agree, and addresses that a search returned.
    Agreement,
    ModelsWord,
    OneRound,
    Quotations,
    Nothing,
}

impl VerificationBasis {
    /// Of the words stored with a run in rounds, also of an older program.
    fn of_stored(words: &str) -> Self {
        match words {
            BASIS_ONE_ROUND => Self::OneRound,
            BASIS_QUOTATIONS => Self::Quotations,
            _ if words.starts_with("model:") => Self::ModelsWord,
            _ if words.starts_with("server:") => Self::Agreement,
            _ if words.starts_with("ledger:") || words == RULE => Self::Ledger,
            _ => Self::Nothing,
        }
    }

    /// When a report is called verified on this basis; none where it never is.
    fn rule(self) -> Option<&'static str> {
        match self {
            Self::Ledger => Some(RULE),
            Self::Agreement => Some(
                "the model confirms it, every cited address was returned by a search or a fetch, at least one page was \
                 fetched, and two consecutive rounds agree",
            ),
            Self::ModelsWord => Some("the model that wrote it says so (verification = \"model\")"),
            Self::OneRound | Self::Quotations | Self::Nothing => None,
        }
    }
}

/// Whether a report is verified, why, and who judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerificationOutcome<'a> {
    pub verified: bool,
    pub basis: VerificationBasis,
    /// Why it is verified, or why not: an outcome, never the rule. Begins with a small letter, without a full stop.
    pub reason: String,
    /// The rule that was applied.
    pub rule: Option<&'static str>,
    /// Who judged whether pages say what the claims say; none where nobody answered.
    pub judge: Option<JudgedBy<'a>>,
}

impl VerificationOutcome<'_> {
    pub fn word(&self) -> &'static str {
        if self.verified { "verified" } else { "not verified" }
    }

    /// `Not verified: 1 of 4 key claims does not hold: C2 (contradicted).`
    pub fn sentence(&self) -> String {
        let word = if self.verified { "Verified" } else { "Not verified" };
        format!("{word}: {}.", self.reason)
    }
}

impl Report {
    pub fn verification(&self) -> VerificationOutcome<'_> {
        let ledger = self.ledger.as_deref();
        let checked = ledger.and_then(|ledger| Some((ledger, ledger.verification.as_ref()?)));
        let stored =
            self.rounds.as_deref().map(|record| VerificationBasis::of_stored(&record.verification_basis));
        let (basis, verified, reason) = match (self.rounds.as_deref(), stored, checked) {
            (Some(record), Some(VerificationBasis::ModelsWord), checked) => models_word(record, checked),
            (Some(record), _, Some((ledger, result))) => by_ledger(ledger, result, Some(record)),
            (None, _, Some((ledger, result))) => by_ledger(ledger, result, None),
            (Some(record), Some(basis), None) => without_ledger(record, basis),
            (_, _, None) => (
                VerificationBasis::Nothing,
                false,
                "its claims were not checked against its sources".to_owned(),
            ),
        };
        VerificationOutcome {
            verified,
            basis,
            reason,
            rule: basis.rule(),
            judge: ledger.and_then(Ledger::judged_by),
        }
    }
}

type Decision = (VerificationBasis, bool, String);

fn models_word(record: &RoundsRecord, checked: Option<(&Ledger, &VerificationResult)>) -> Decision {
    let mut reason = match record.verified {
        true => "by the model's own word alone, as the settings allow".to_owned(),
        false => "the model does not confirm it, and the settings go by its word".to_owned(),
    };
    if let Some((ledger, result)) = checked.filter(|(_, result)| record.verified && !result.evidence_holds) {
        let (failing, _) = shortcomings(ledger, result);
        reason.push_str(&format!("; its claims were checked and do not all hold: {}", failing.join("; ")));
    }
    (VerificationBasis::ModelsWord, record.verified, reason)
}

fn by_ledger(ledger: &Ledger, result: &VerificationResult, record: Option<&RoundsRecord>) -> Decision {
    let verified = result.verified && record.is_none_or(|record| record.verified);
    let (mut shortcomings, held) = shortcomings(ledger, result);
    if result.model_says == Some(false) {
        shortcomings.push("the model that wrote it does not confirm it".to_owned());
    }
    let unresolved = record.map_or(0, |record| record.unresolved.len());
    if !verified && shortcomings.is_empty() && unresolved > 0 {
        let noun = if unresolved == 1 { "address comes" } else { "addresses come" };
        shortcomings.push(format!("{unresolved} {noun} from the model's word alone"));
    }
    let reason = match (verified, shortcomings.is_empty()) {
        (true, _) => {
            let confirmed = if result.model_says == Some(true) {
                ", and the model that wrote it confirms it"
            } else {
                ""
            };
            format!("{held}, nothing is contradicted{confirmed}")
        }
        (false, true) => "the rounds ended before it was confirmed".to_owned(),
        (false, false) => shortcomings.join("; "),
    };
    (VerificationBasis::Ledger, verified, reason)
}

/// What the claims lack, and what to say where they lack nothing.
fn shortcomings(ledger: &Ledger, result: &VerificationResult) -> (Vec<String>, String) {
    let (all, failing) = (result.load_bearing, result.failing.len());
    let mut lacks = Vec::new();
    if all == 0 {
        lacks.push("it has no key claim that a source could support".to_owned());
    }
    if failing > 0 {
        let verb = if failing == 1 { "does" } else { "do" };
        lacks.push(format!(
            "{failing} of {all} key {} {verb} not hold: {}",
            if all == 1 { "claim" } else { "claims" },
            named(&result.failing, |id| why_failing(ledger, id))
        ));
    }
    let others: Vec<ClaimId> = ledger
        .settled
        .iter()
        .filter(|settled| {
            settled.verdict == Verdict::Contradicted && !result.failing.contains(&settled.claim)
        })
        .map(|settled| settled.claim)
        .collect();
    if !others.is_empty() {
        let of = if failing > 0 { "other " } else { "" };
        let noun = if others.len() == 1 { "claim is" } else { "claims are" };
        lacks.push(format!(
            "{} {of}{noun} contradicted: {}",
            others.len(),
            named(&others, |id| id.to_string())
        ));
    }
    let held = match all {
        1 => "its one key claim is supported by a stored page".to_owned(),
        all => format!("all {all} key claims are supported by stored pages"),
    };
    (lacks, held)
}

fn why_failing(ledger: &Ledger, id: ClaimId) -> String {
    let Some(settled) = ledger.verdict(id) else { return id.to_string() };
    let why = match &settled.verdict {
        Verdict::Supported => "sources disagree".to_owned(),
        other => text::line(&other.to_string(), WHY_CHARACTERS_MAX),
    };
    format!("{id} ({why})")
}

fn named(ids: &[ClaimId], name: impl Fn(ClaimId) -> String) -> String {
    let shown: Vec<String> = ids.iter().take(NAMED_MAX).map(|id| name(*id)).collect();
    match ids.len().saturating_sub(NAMED_MAX) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn without_ledger(record: &RoundsRecord, basis: VerificationBasis) -> Decision {
    let reason = match basis {
        VerificationBasis::Agreement if record.verified => {
            "the model confirms it, every cited address was returned by a search or a fetch, and two consecutive rounds \
             agree; single claims were not checked"
                .to_owned()
        }
        VerificationBasis::Agreement => format!("{}; single claims were not checked", disagreement(record)),
        VerificationBasis::OneRound => "one round only, nothing was looked at a second time".to_owned(),
        VerificationBasis::Quotations => BASIS_QUOTATIONS.to_owned(),
        VerificationBasis::Ledger | VerificationBasis::ModelsWord | VerificationBasis::Nothing => {
            "its claims were not checked against its sources".to_owned()
        }
    };
    (basis, record.verified && basis == VerificationBasis::Agreement, reason)
}

/// Why rounds that were compared do not make the answer verified.
fn disagreement(record: &RoundsRecord) -> String {
    let mut reasons = Vec::new();
    if !record.model_says_verified {
        reasons.push("the model does not confirm it".to_owned());
    }
    if !record.unresolved.is_empty() {
        let count = record.unresolved.len();
        let noun = if count == 1 { "address comes" } else { "addresses come" };
        reasons.push(format!("{count} {noun} from the model's word alone"));
    }
    if record.rounds.iter().all(|round| round.pages_read == 0) {
        reasons.push("no page was fetched".to_owned());
    }
    if record.rounds.iter().filter(|round| round.problem.is_none()).count() < 2 {
        reasons.push("there is no second answer to compare it with".to_owned());
    }
    if reasons.is_empty() {
        reasons.push("two consecutive rounds do not agree, or it cites nothing".to_owned());
    }
    reasons.join("; ")
}

#[cfg(test)]
mod tests;
