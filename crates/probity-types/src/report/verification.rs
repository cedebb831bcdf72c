//! Whether a report is verified, and why or why not: decided here, once, from what is stored with it. Every answer,
//! file and screen shows this and decides nothing itself.

use super::Report;
use crate::{
    ledger::{
        AttentionGroup, CheckAspect, ClaimId, ClaimKind, FactTally, JudgeExam, JudgeStanding, JudgedBy,
        Ledger, NotCheckedReason, Verdict, VerificationResult, VerificationRule, skipped,
        verification::{RULE, RULE_KEY_CLAIMS},
    },
    rounds::RoundsRecord,
    status::RunStatus,
    text,
};

/// Stored where the server compared rounds and no single claim was checked.
pub const BASIS_EVIDENCE: &str = "server: true only if the model confirms it, every cited address was returned by a search \
    or a fetch, at least one page was fetched, and two consecutive rounds agree; single claims are not checked";
/// Stored where every claim was checked.
pub const BASIS_LEDGER: &str = "ledger: every factual sentence supported by a stored page (contested ones by two \
    independent origins), none uncited, nothing contradicted, by a judge that passed its exam, and the model confirms it";
/// Stored where the user chose to accept the model's statement.
pub const BASIS_MODEL: &str = "model: the model's own word (verification = \"model\")";
/// Stored where there is no second round to agree with.
pub const BASIS_ONE_ROUND: &str = "none: one round only, nothing was looked at a second time";
/// Stored with a report of the web engine until its claims are judged one by one.
pub const BASIS_QUOTATIONS: &str =
    "quotations stand word for word in stored pages; whether they support each sentence was not judged";

const NOT_ENDED: &str = "the research has not ended";
/// Claims named in a reason; the ledger names all.
const NAMED_MAX: usize = 6;
const WHY_CHARACTERS_MAX: usize = 120;
const NAME_CHARACTERS_MAX: usize = 80;

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
            _ if words.starts_with("ledger:") || words == RULE || words == RULE_KEY_CLAIMS => Self::Ledger,
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
    /// How the factual sentences stand; none where no claim was checked, or an earlier rule was applied.
    pub facts: Option<FactTally>,
    /// The rule that was applied.
    pub rule: Option<&'static str>,
    /// Who judged whether pages say what the claims say; none where nobody answered.
    pub judge: Option<JudgedBy<'a>>,
}

impl VerificationOutcome<'_> {
    pub fn word(&self) -> &'static str {
        if self.verified { "verified" } else { "not verified" }
    }

    /// `Not verified: 3 of 4 factual sentences are supported, 1 contradicted: C2 (contradicted).`
    pub fn sentence(&self) -> String {
        let word = if self.verified { "Verified" } else { "Not verified" };
        format!("{word}: {}.", self.reason)
    }

    /// `judged by gemini-3-pro (which also wrote it)`
    pub fn judge_in_words(&self) -> String {
        match self.judge {
            Some(judge) => format!("judged by {}", judge_and_age(judge)),
            None => "nothing was judged".to_owned(),
        }
    }

    /// The same beside the word `judge`.
    pub fn judge_as_value(&self) -> String {
        self.judge.map_or_else(|| "none; nothing was judged".to_owned(), judge_and_age)
    }
}

impl Report {
    /// The text of a run that goes on is a draft: whatever its claims are worth, nothing is confirmed before the end.
    pub fn of_run(mut self, status: RunStatus) -> Self {
        let result = self.ledger.as_mut().and_then(|ledger| ledger.verification.as_mut());
        if let Some(result) = result.filter(|_| !status.is_final() && self.rounds.is_none()) {
            result.verified = false;
        }
        self.is_draft = !status.is_final();
        self
    }

    pub fn verification(&self) -> VerificationOutcome<'_> {
        let ledger = self.ledger.as_deref();
        let checked = ledger.and_then(|ledger| Some((ledger, ledger.verification.as_ref()?)));
        let stored =
            self.rounds.as_deref().map(|record| VerificationBasis::of_stored(&record.verification_basis));
        let (basis, verified, reason) = match (self.rounds.as_deref(), stored, checked) {
            (Some(record), Some(VerificationBasis::ModelsWord), checked) => models_word(record, checked),
            (Some(record), _, Some((ledger, result))) => by_ledger(ledger, result, Some(record)),
            (None, _, Some((ledger, result))) => by_ledger(ledger, result, None),
            // Its claims are checked before it ends.
            (_, _, None) if self.is_draft => (VerificationBasis::Nothing, false, NOT_ENDED.to_owned()),
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
            facts: checked.map(|(_, result)| result.facts).filter(|facts| facts.factual > 0),
            rule: match (basis, checked) {
                (VerificationBasis::Ledger, Some((_, result))) => Some(result.rule.in_words()),
                _ => basis.rule(),
            },
            judge: ledger.and_then(Ledger::judged_by),
        }
    }
}

type Decision = (VerificationBasis, bool, String);

fn models_word(record: &RoundsRecord, checked: Option<(&Ledger, &VerificationResult)>) -> Decision {
    let mut reason = match record.verified {
        true => "by the model's own word alone, as the settings allow".to_owned(),
        false if record.model_unasked => {
            "the settings go by the model's word, and it was not asked for it".to_owned()
        }
        false => "the model does not confirm it, and the settings go by its word".to_owned(),
    };
    if let Some((ledger, result)) = checked.filter(|(_, result)| record.verified && !result.evidence_holds) {
        let lacks = shortcomings(ledger, result);
        reason.push_str(&format!("; its claims were checked and do not all hold: {}", lacks.join("; ")));
    }
    (VerificationBasis::ModelsWord, record.verified, reason)
}

fn by_ledger(ledger: &Ledger, result: &VerificationResult, record: Option<&RoundsRecord>) -> Decision {
    let verified = result.verified && record.is_none_or(|record| record.verified);
    let mut shortcomings = shortcomings(ledger, result);
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
            format!("{}, nothing is contradicted{}{confirmed}", held(result), judged(ledger, result))
        }
        (false, true) if record.is_none() => NOT_ENDED.to_owned(),
        (false, true) => "the rounds ended before it was confirmed".to_owned(),
        (false, false) => {
            // That nobody examined the judge is said whatever its word came to.
            let is_unexamined = ledger.judge_standing == JudgeStanding::Trusted && measured(ledger).is_none();
            let judged = if is_unexamined { judged(ledger, result) } else { String::new() };
            format!("{}{judged}", shortcomings.join("; "))
        }
    };
    (VerificationBasis::Ledger, verified, reason)
}

/// What the claims and their judge lack.
fn shortcomings(ledger: &Ledger, result: &VerificationResult) -> Vec<String> {
    let mut lacks = Vec::new();
    match result.rule {
        VerificationRule::LoadBearingSupported1 => lacks.extend(key_claims_lack(ledger, result)),
        VerificationRule::EveryFactSupported2 => {
            // First: it is the reason why sentences lack support that nothing speaks against.
            lacks.extend(judge_lacks(ledger, result));
            lacks.extend(facts_lack(ledger, result));
        }
    }
    lacks.extend(others_lack(ledger, result, &Verdict::Contradicted, "contradicted"));
    match result.rule {
        VerificationRule::LoadBearingSupported1 => {}
        VerificationRule::EveryFactSupported2 => {
            lacks.extend(others_lack(ledger, result, &Verdict::NotInSource, "not in the source"));
            lacks.extend(inferences_lack(ledger, result));
            lacks.extend(ledger.unread.first().map(|unread| {
                format!("a part of the text was not examined: {}", text::line(unread, WHY_CHARACTERS_MAX))
            }));
            let skipped = skipped::in_words(ledger.skipped_sentences());
            if !skipped.is_empty() {
                lacks.push(format!("sentences stand where nothing is read: {skipped}"));
            }
        }
    }
    lacks
}

/// Claims with this verdict that are none of those counted: `1 other claim is contradicted: C2`.
fn others_lack(
    ledger: &Ledger,
    result: &VerificationResult,
    verdict: &Verdict,
    word: &str,
) -> Option<String> {
    let others: Vec<ClaimId> = ledger
        .settled
        .iter()
        .filter(|settled| settled.verdict == *verdict && !result.failing.contains(&settled.claim))
        .map(|settled| settled.claim)
        .collect();
    let of = if result.failing.is_empty() { "" } else { "other " };
    let noun = if others.len() == 1 { "claim is" } else { "claims are" };
    (!others.is_empty())
        .then(|| format!("{} {of}{noun} {word}: {}", others.len(), named(&others, |id| id.to_string())))
}

/// `1 of 3 inferences is not shown to follow: C7 (does not follow)`
fn inferences_lack(ledger: &Ledger, result: &VerificationResult) -> Option<String> {
    let inferences = ledger.claims.iter().filter(|claim| claim.kind == ClaimKind::Inference);
    let follows = |id: ClaimId| ledger.verdict(id).is_some_and(|settled| settled.verdict == Verdict::Follows);
    let open: Vec<ClaimId> = inferences.map(|claim| claim.id).filter(|id| !follows(*id)).collect();
    let noun = if result.facts.inferences == 1 { "inference" } else { "inferences" };
    let verb = if open.len() == 1 { "is" } else { "are" };
    (!open.is_empty()).then(|| {
        let whys = named(&open, |id| why_failing(ledger, id));
        format!("{} of {} {noun} {verb} not shown to follow: {whys}", open.len(), result.facts.inferences)
    })
}

fn key_claims_lack(ledger: &Ledger, result: &VerificationResult) -> Option<String> {
    let (all, failing) = (result.load_bearing, result.failing.len());
    if all == 0 {
        return Some("it has no key claim that a source could support".to_owned());
    }
    let verb = if failing == 1 { "does" } else { "do" };
    let noun = if all == 1 { "claim" } else { "claims" };
    let whys = named(&result.failing, |id| why_failing(ledger, id));
    (failing > 0).then(|| format!("{failing} of {all} key {noun} {verb} not hold: {whys}"))
}

/// `23 of 25 factual sentences are supported, 1 contradicted, 1 uncited: C3 (contradicted), C9 (uncited)`
fn facts_lack(ledger: &Ledger, result: &VerificationResult) -> Option<String> {
    let facts = &result.facts;
    if facts.factual == 0 {
        return Some("it has no factual sentence that a source could support".to_owned());
    }
    if facts.all_hold() {
        return None;
    }
    let mut worst = result.failing.clone();
    let groups = ledger.attention();
    worst.sort_by_key(|id| groups.get(id.place()).copied().flatten().unwrap_or(AttentionGroup::Supported));
    let (noun, verb) = match (facts.factual, facts.supported) {
        (1, _) => ("sentence", "is"),
        (_, 1) => ("sentences", "is"),
        _ => ("sentences", "are"),
    };
    // Sentences whose own page says so and another does not are supported too, and stand among the contested.
    let undisputed = if facts.contested > 0 { " and undisputed" } else { "" };
    Some(format!(
        "{} of {} factual {noun} {verb} supported{undisputed}, {}: {}",
        facts.supported,
        facts.factual,
        facts.shortfall(),
        named(&worst, |id| why_failing(ledger, id))
    ))
}

/// What to say where the claims lack nothing.
fn held(result: &VerificationResult) -> String {
    match result.rule {
        VerificationRule::LoadBearingSupported1 => match result.load_bearing {
            1 => "its one key claim is supported by a stored page (an earlier rule, which counted key claims only)"
                .to_owned(),
            2 => "both key claims are supported by stored pages (an earlier rule, which counted key claims only)"
                .to_owned(),
            all => format!(
                "all {all} key claims are supported by stored pages (an earlier rule, which counted key claims only)"
            ),
        },
        VerificationRule::EveryFactSupported2 => {
            let restated = match result.facts.restated {
                0 => String::new(),
                1 => " (1 says again what others say)".to_owned(),
                more => format!(" ({more} say again what others say)"),
            };
            let inferences = match result.facts.inferences {
                0 => String::new(),
                1 => ", 1 inference follows from them".to_owned(),
                more => format!(", {more} inferences follow from them"),
            };
            match result.facts.factual {
                1 => format!("its one factual sentence is supported by a stored page{inferences}"),
                2 => format!("both factual sentences are supported by stored pages{restated}{inferences}"),
                all => {
                    format!("all {all} factual sentences are supported by stored pages{restated}{inferences}")
                }
            }
        }
    }
}

/// `, judged by m (38 of 40 in the exam)`
fn judged(ledger: &Ledger, result: &VerificationResult) -> String {
    let Some(judge) = ledger.judged_by() else { return String::new() };
    if result.rule == VerificationRule::LoadBearingSupported1 {
        return String::new();
    }
    let record = match measured(ledger) {
        Some(exam) => exam.line(),
        None => "trusted by the settings without an exam".to_owned(),
    };
    let second = judge.second.map(|second| format!("; {}", second.line())).unwrap_or_default();
    format!(", judged by {} ({record}){second}", judge_name(judge))
}

fn measured(ledger: &Ledger) -> Option<JudgeExam> {
    ledger.judge_exam.filter(|exam| exam.total > 0 || exam.controls_total > 0)
}

/// Why the judge's word does not suffice. Where nobody answered, the claims themselves say so.
fn judge_lacks(ledger: &Ledger, result: &VerificationResult) -> Option<String> {
    let judge = ledger.judged_by();
    let named = judge.map_or("its judge".to_owned(), |judge| {
        let end = if judge.wrote_it { "," } else { "" };
        format!("its judge {}{end}", judge_name(judge))
    });
    // What failed may be the known claims of this report, whatever came out of the exam.
    let of_controls =
        measured(ledger).filter(|exam| ledger.judge_doubt.as_deref() == Some(exam.controls_doubt().as_str()));
    let lacks = match ledger.judge_standing {
        JudgeStanding::Trusted => return None,
        JudgeStanding::Unexamined => "was not examined".to_owned(),
        JudgeStanding::Failed => {
            of_controls.map_or_else(|| "failed its exam".to_owned(), |exam| exam.controls_in_words())
        }
    };
    let doubt = ledger.judge_doubt.as_deref().filter(|_| of_controls.is_none());
    let doubt = doubt.map(|doubt| text::line(doubt, WHY_CHARACTERS_MAX));
    let record = measured(ledger).map(|exam| {
        let false_support = match exam.false_support {
            0 => String::new(),
            more => format!(", {more} false called supported"),
        };
        format!("{}{false_support}", exam.line())
    });
    let details: Vec<String> = [doubt, record].into_iter().flatten().collect();
    let details = if details.is_empty() { String::new() } else { format!(" ({})", details.join("; ")) };
    (judge.is_some() || result.facts.all_hold()).then(|| format!("{named} {lacks}{details}"))
}

fn judge_and_age(judge: JudgedBy<'_>) -> String {
    let reused = judge.reused.map(|reused| format!(" ({})", reused.line())).unwrap_or_default();
    let second = judge.second.map(|second| format!("; {}", second.line())).unwrap_or_default();
    format!("{}{reused}{second}", judge.named())
}

/// `m, which also wrote it`
fn judge_name(judge: JudgedBy<'_>) -> String {
    let own = if judge.wrote_it { ", which also wrote it" } else { "" };
    format!("{}{own}", text::line(judge.name, NAME_CHARACTERS_MAX))
}

fn why_failing(ledger: &Ledger, id: ClaimId) -> String {
    let Some(settled) = ledger.verdict(id) else { return id.to_string() };
    let why = match &settled.verdict {
        Verdict::Supported => "sources disagree".to_owned(),
        Verdict::NotChecked { why: NotCheckedReason::Uncited } => "cites nothing".to_owned(),
        Verdict::Partly if settled.aspect == Some(CheckAspect::SecondOpinion) => {
            "contested: its judges disagree".to_owned()
        }
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
    if record.model_says() == Some(false) {
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
