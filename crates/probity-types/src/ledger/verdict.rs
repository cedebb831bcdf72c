//! One verdict per claim, from all its checks. Rules are witnesses and the judge arbitrates: its opinion decides,
//! except against what is certain without reading for meaning. Where a second judge disputes what it calls supported,
//! the claim is contested. Without a judge the strictest witness decides. A failed check is an abstention.
//! An inference is judged by the claims it rests on.

mod inference;

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{
    Check, CheckAspect, CheckAuthor, Claim, ClaimId, ClaimKind, JudgeStanding, Ledger, Opinion, SourceState,
};
use crate::{id::Digest, time::Moment};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum Verdict {
    /// A judge found it on the page, and the passage it named is there.
    Supported,
    /// A quotation in it is on the page word for word; whether that supports the rest was not judged.
    Quoted,
    Partly,
    /// The page says it with a reservation that the claim leaves out.
    Qualified,
    Contradicted,
    NotInSource,
    /// An inference: a judge found that it follows from the claims it rests on. Never `Supported`: no page says it.
    Follows,
    /// An inference that does not follow from the claims it rests on, or rests on one that does not hold.
    DoesNotFollow,
    NotChecked {
        why: NotCheckedReason,
    },
    CheckFailed {
        why: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotCheckedReason {
    /// Headings, transitions and opinions: there is nothing to check.
    OwnWords,
    Question,
    /// It cites nothing.
    Uncited,
    /// The cited page could not be fetched or read.
    Unreachable,
    /// Its page was not fetched: the report cites more than one check reads.
    Limit,
    /// Nothing decides against it, and no judge was asked whether the page says it.
    NoJudge,
    Budget,
    Deadline,
    /// A derived figure that cannot be computed again.
    NotComputable,
}

impl NotCheckedReason {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OwnWords => "own words",
            Self::Question => "a question",
            Self::Uncited => "cites nothing",
            Self::Unreachable => "unreachable",
            Self::Limit => "beyond a limit",
            Self::NoJudge => "no judge",
            Self::Budget => "budget",
            Self::Deadline => "deadline",
            Self::NotComputable => "not computable",
        }
    }
}

impl Verdict {
    /// One word for tables and flags.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::Quoted => "quoted",
            Self::Partly => "partly",
            Self::Qualified => "qualified",
            Self::Contradicted => "contradicted",
            Self::NotInSource => "not-in-source",
            Self::Follows => "follows",
            Self::DoesNotFollow => "does-not-follow",
            Self::NotChecked { .. } => "not-checked",
            Self::CheckFailed { .. } => "check-failed",
        }
    }

    /// Whether only what we hold and whom we can ask decides it: another wording of the claim changes nothing.
    pub fn is_out_of_reach(&self) -> bool {
        match self {
            // A quotation that no judge weighed.
            Self::Quoted | Self::CheckFailed { .. } => true,
            Self::NotChecked { why } => match why {
                NotCheckedReason::Unreachable
                | NotCheckedReason::Limit
                | NotCheckedReason::NoJudge
                | NotCheckedReason::Budget
                | NotCheckedReason::Deadline => true,
                NotCheckedReason::OwnWords
                | NotCheckedReason::Question
                | NotCheckedReason::Uncited
                | NotCheckedReason::NotComputable => false,
            },
            Self::Supported
            | Self::Partly
            | Self::Qualified
            | Self::Contradicted
            | Self::NotInSource
            | Self::Follows
            | Self::DoesNotFollow => false,
        }
    }

    /// Every name, as `--fail-on` takes them.
    pub const NAMES: [&'static str; 10] = [
        "supported",
        "quoted",
        "partly",
        "qualified",
        "contradicted",
        "not-in-source",
        "follows",
        "does-not-follow",
        "not-checked",
        "check-failed",
    ];
}

/// `not checked: unreachable`
impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name().replace('-', " ");
        match self {
            Self::NotChecked { why } => write!(out, "{name}: {}", why.as_str()),
            Self::CheckFailed { why } => write!(out, "{name}: {why}"),
            Self::Supported
            | Self::Quoted
            | Self::Partly
            | Self::Qualified
            | Self::Contradicted
            | Self::NotInSource
            | Self::Follows
            | Self::DoesNotFollow => out.write_str(&name),
        }
    }
}

/// The name of a verdict, read from a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerdictName(pub &'static str);

impl FromStr for VerdictName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wanted = text.trim().to_ascii_lowercase().replace([' ', '_'], "-");
        let known = Verdict::NAMES.into_iter().find(|name| *name == wanted);
        known
            .map(Self)
            .ok_or_else(|| format!("`{text}` is no verdict; they are {}", Verdict::NAMES.join(", ")))
    }
}

/// A verdict with what it rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimVerdict {
    pub claim: ClaimId,
    #[serde(flatten)]
    pub verdict: Verdict,
    /// The author of the deciding check; none if no check was needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<CheckAuthor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aspect: Option<CheckAspect>,
    pub confidence: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<(usize, usize)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<Digest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Moment>,
    /// Independent origins that a judge found to support it.
    pub origins: u32,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

impl ClaimVerdict {
    /// The reason, where the verdict itself does not say it already.
    pub fn further_reason(&self) -> &str {
        let is_said = match &self.verdict {
            Verdict::CheckFailed { why } => *why == self.reason,
            Verdict::Supported
            | Verdict::Quoted
            | Verdict::Partly
            | Verdict::Qualified
            | Verdict::Contradicted
            | Verdict::NotInSource
            | Verdict::Follows
            | Verdict::DoesNotFollow
            | Verdict::NotChecked { .. } => false,
        };
        if is_said { "" } else { &self.reason }
    }
}

pub fn compute_verdicts(ledger: &Ledger) -> Vec<ClaimVerdict> {
    let mut by_claim: Vec<Vec<&Check>> = vec![Vec::new(); ledger.claims.len()];
    for check in &ledger.checks {
        if let Some(checks) = by_claim.get_mut(check.claim.place()) {
            checks.push(check);
        }
    }
    let mut settled: Vec<ClaimVerdict> = ledger
        .claims
        .iter()
        .zip(&by_claim)
        .map(|(claim, checks)| compute_verdict(ledger, claim, checks))
        .collect();
    inference::hold_to_premises(ledger, &mut settled);
    settled
}

fn compute_verdict(ledger: &Ledger, claim: &Claim, checks: &[&Check]) -> ClaimVerdict {
    let Some((verdict, decisive)) = decide(ledger, claim, checks) else {
        return plain(claim, nothing_to_check(claim));
    };
    let origins = if verdict == Verdict::Supported { supporting_origins(ledger, checks) } else { 0 };
    let Some(check) = decisive else { return plain(claim, verdict) };
    let reason = why_less(ledger, &verdict, check).unwrap_or_else(|| check.reason.clone());
    ClaimVerdict {
        claim: claim.id,
        verdict,
        by: Some(check.by.clone()),
        aspect: Some(check.aspect),
        confidence: check.confidence,
        source: check.source,
        span: check.span,
        page: check.page,
        at: Some(check.at),
        origins,
        reason,
    }
}

/// Why a judge's yes counts for less than that, where it does: its own reason alone would not say it.
fn why_less(ledger: &Ledger, verdict: &Verdict, check: &Check) -> Option<String> {
    if *verdict != Verdict::Partly || !is_of_judge(check) || check.opinion() != Opinion::Supports {
        return None;
    }
    let why = match ledger.judge_standing {
        JudgeStanding::Failed => {
            let doubt = ledger.judge_doubt.as_deref().unwrap_or("it failed its exam");
            format!("its judge did not pass: {doubt}, so its yes counts as partly")
        }
        JudgeStanding::Trusted | JudgeStanding::Unexamined => {
            "the second judge did not confirm it, so the yes of its judge counts as partly".to_owned()
        }
    };
    Some(match check.reason.is_empty() {
        true => why,
        false => format!("{why}; it says: {}", check.reason),
    })
}

fn plain(claim: &Claim, verdict: Verdict) -> ClaimVerdict {
    ClaimVerdict {
        claim: claim.id,
        verdict,
        by: None,
        aspect: None,
        confidence: 100,
        source: None,
        span: None,
        page: None,
        at: None,
        origins: 0,
        reason: String::new(),
    }
}

/// The verdict that is certain without reading a page.
fn nothing_to_check(claim: &Claim) -> Verdict {
    let why = match claim.kind {
        ClaimKind::OwnWords => NotCheckedReason::OwnWords,
        ClaimKind::Question => NotCheckedReason::Question,
        ClaimKind::Derived => NotCheckedReason::NotComputable,
        ClaimKind::Inference => NotCheckedReason::NoJudge,
        ClaimKind::Fact => NotCheckedReason::Uncited,
    };
    Verdict::NotChecked { why }
}

/// The verdict and the check that decided it. None: nothing was there to check. Pages of one sentence count
/// together: what one of them lacks another may have, so `absent` counts only where no page has it.
fn decide<'a>(ledger: &Ledger, claim: &Claim, checks: &[&'a Check]) -> Option<(Verdict, Option<&'a Check>)> {
    let strongest = |opinion: Opinion| strongest(checks.iter().copied(), opinion);
    let says_nothing_of_sources = match claim.kind {
        ClaimKind::Inference => return inference::decide(ledger, checks),
        ClaimKind::OwnWords | ClaimKind::Question => true,
        ClaimKind::Fact | ClaimKind::Derived => false,
    };
    if says_nothing_of_sources && claim.cites.is_empty() && checks.is_empty() {
        return None;
    }
    // No judge can see what is not there, nor make a wrong sum right.
    let certain = checks.iter().any(|check| is_final(check));
    let found = if certain { None } else { judged(ledger, checks) };
    if let Some((verdict, check)) =
        found.or_else(|| strictest(|| checks.iter().copied().filter(decides_alone)))
    {
        // A page that the sentence only takes over from its neighbours need not say it.
        let taken_over = claim.inherited.is_some() && verdict == Verdict::NotInSource;
        let uncited = Verdict::NotChecked { why: NotCheckedReason::Uncited };
        return Some((if taken_over { uncited } else { verdict }, check));
    }
    // A derived figure that is computed correctly rests on its inputs alone.
    let holds =
        |check: &&Check| check.aspect == CheckAspect::Arithmetic && check.opinion() == Opinion::Agrees;
    if claim.kind == ClaimKind::Derived && claim.cites.is_empty() {
        return Some(match checks.iter().copied().find(|check| holds(check)) {
            Some(check) => (derived_verdict(ledger, claim), Some(check)),
            None => (Verdict::NotChecked { why: NotCheckedReason::NotComputable }, None),
        });
    }
    // A verbatim quotation needs no similarity of the rest.
    if let Some(check) = strongest(Opinion::Quoted) {
        return Some((Verdict::Quoted, Some(check)));
    }
    if claim.cites.is_empty() && checks.is_empty() {
        return None;
    }
    let readable = |place: &u32| {
        let source = usize::try_from(*place).ok().and_then(|place| ledger.sources.get(place));
        source.is_some_and(|source| match source.state {
            SourceState::Kept { .. } => true,
            SourceState::Unreachable { .. } => false,
        })
    };
    if !claim.cites.is_empty() && !claim.cites.iter().any(readable) {
        let untried = |place: &u32| {
            let source = usize::try_from(*place).ok().and_then(|place| ledger.sources.get(place));
            source.and_then(|source| source.state.why_untried())
        };
        let why = claim.cites.iter().find_map(untried).unwrap_or(NotCheckedReason::Unreachable);
        return Some((Verdict::NotChecked { why }, strongest(Opinion::Abstains)));
    }
    match strongest(Opinion::Abstains) {
        Some(check) => Some((abstained(check), Some(check))),
        None if claim.cites.is_empty() => None,
        None => {
            let against = strongest(Opinion::Contradicts).or(strongest(Opinion::Absent));
            // What decides nothing by itself is said all the same.
            let weaker = [Opinion::Qualifies, Opinion::Partly, Opinion::Doubts, Opinion::Agrees];
            let seen = against.or_else(|| weaker.into_iter().find_map(strongest));
            Some((Verdict::NotChecked { why: NotCheckedReason::NoJudge }, seen))
        }
    }
}

/// The most confident check with this opinion.
fn strongest<'a>(checks: impl Iterator<Item = &'a Check>, opinion: Opinion) -> Option<&'a Check> {
    checks.filter(|check| check.opinion() == opinion).max_by_key(|check| check.confidence)
}

/// What speaks against the claim, from the strictest to the mildest.
fn strictest<'a, Checks: Iterator<Item = &'a Check>>(
    checks: impl Fn() -> Checks,
) -> Option<(Verdict, Option<&'a Check>)> {
    let order = [
        (Opinion::Contradicts, Verdict::Contradicted),
        (Opinion::Absent, Verdict::NotInSource),
        (Opinion::Qualifies, Verdict::Qualified),
        (Opinion::Partly, Verdict::Partly),
    ];
    let mut found = order
        .into_iter()
        .filter_map(|(opinion, verdict)| Some((verdict, Some(strongest(checks(), opinion)?))));
    found.next()
}

/// What the judges decided, if the first gave an opinion. The second is heard about what would be supported.
fn judged<'a>(ledger: &Ledger, checks: &[&'a Check]) -> Option<(Verdict, Option<&'a Check>)> {
    let (verdict, decisive) = judged_by_first(ledger, checks)?;
    if verdict != Verdict::Supported {
        return Some((verdict, decisive));
    }
    let seconds = || checks.iter().copied().filter(|check| check.aspect == CheckAspect::SecondOpinion);
    // Two judges that disagree: neither its yes nor its no is the last word.
    if let Some((_, dispute)) = strictest(seconds) {
        return Some((Verdict::Partly, dispute));
    }
    let agrees = strongest(seconds(), Opinion::Supports).is_some();
    let is_needed = ledger.second_judge.as_ref().is_some_and(|second| second.is_needed);
    Some((if is_needed && !agrees { Verdict::Partly } else { verdict }, decisive))
}

/// What the first judge decided, if it gave an opinion. How much its `supports` is worth depends on its standing.
fn judged_by_first<'a>(ledger: &Ledger, checks: &[&'a Check]) -> Option<(Verdict, Option<&'a Check>)> {
    let opinions = || checks.iter().copied().filter(|check| is_of_judge(check));
    let witnesses = || checks.iter().copied().filter(|check| is_strong_witness(check));
    if let Some((verdict, check)) = strictest(opinions) {
        // The judge does not find it, and a rule knows what stands there instead.
        let instead =
            strongest(witnesses(), Opinion::Contradicts).filter(|_| verdict == Verdict::NotInSource);
        return Some(instead.map_or((verdict, check), |rule| (Verdict::Contradicted, Some(rule))));
    }
    let supports = strongest(opinions(), Opinion::Supports)?;
    let witness = witnesses().max_by_key(|check| check.confidence);
    // Who passed an exam may still obey the page: where a rule saw another figure, name or a denial in its place, two
    // witnesses disagree. One that nobody examined faces every rule that would decide without it.
    let was_examined = ledger.judge_exam.is_some_and(|exam| exam.total > 0);
    let least = if was_examined { STRONG_CONTRADICTION_PERCENT } else { RULE_DECIDES_PERCENT };
    let rules = || checks.iter().copied().filter(|check| is_of_rules(check));
    let contradicts = strongest(rules(), Opinion::Contradicts).filter(|check| check.confidence >= least);
    Some(match (ledger.judge_standing, witness) {
        (JudgeStanding::Trusted, _) if contradicts.is_some() => (Verdict::Partly, contradicts),
        (JudgeStanding::Trusted, _) | (JudgeStanding::Unexamined, None) => {
            (Verdict::Supported, Some(supports))
        }
        (JudgeStanding::Unexamined, Some(witness)) => (Verdict::Partly, Some(witness)),
        // The yes of a judge that did not pass takes nothing away from what the rules found without it.
        (JudgeStanding::Failed, witness) => {
            let alone = strictest(|| rules().filter(decides_alone));
            alone.unwrap_or((Verdict::Partly, Some(witness.unwrap_or(supports))))
        }
    })
}

fn is_of_rules(check: &Check) -> bool {
    match check.by {
        CheckAuthor::Rules { .. } => true,
        CheckAuthor::Model { .. } => false,
    }
}

fn is_of_judge(check: &Check) -> bool {
    match check.by {
        CheckAuthor::Model { .. } => check.aspect == CheckAspect::Meaning,
        CheckAuthor::Rules { .. } => false,
    }
}

/// Certain without reading for meaning: quoted words that stand nowhere, an address that is dead, a sum that is wrong.
pub fn is_final(check: &Check) -> bool {
    is_of_rules(check)
        && match check.aspect {
            CheckAspect::Quotation => check.opinion() == Opinion::Absent,
            CheckAspect::Citation => speaks_against(check.opinion()),
            CheckAspect::Arithmetic => check.opinion() == Opinion::Contradicts,
            CheckAspect::Number
            | CheckAspect::Unit
            | CheckAspect::Date
            | CheckAspect::Name
            | CheckAspect::Polarity
            | CheckAspect::Comparison
            | CheckAspect::Hedge
            | CheckAspect::Scope
            | CheckAspect::Attribution
            | CheckAspect::Freshness
            | CheckAspect::Coverage
            | CheckAspect::Meaning
            | CheckAspect::SecondOpinion
            | CheckAspect::Inference => false,
        }
}

/// From here on a rule that speaks against a claim decides where no judge does. Below it, the claim is worded otherwise
/// than the page, and nobody but a judge can tell another wording from another statement.
pub const RULE_DECIDES_PERCENT: u8 = 60;

fn decides_alone(check: &&Check) -> bool {
    !is_of_rules(check) || is_final(check) || check.confidence >= RULE_DECIDES_PERCENT
}

/// From here on a contradiction, or something missing, contests the word of a judge that nobody examined.
const STRONG_CONTRADICTION_PERCENT: u8 = 70;
const STRONG_ABSENCE_PERCENT: u8 = 90;

/// A rule that is seldom wrong speaks against the claim.
pub fn is_strong_witness(check: &Check) -> bool {
    is_of_rules(check)
        && match check.opinion() {
            Opinion::Contradicts => check.confidence >= STRONG_CONTRADICTION_PERCENT,
            Opinion::Absent => check.confidence >= STRONG_ABSENCE_PERCENT,
            Opinion::Agrees
            | Opinion::Quoted
            | Opinion::Supports
            | Opinion::Partly
            | Opinion::Qualifies
            | Opinion::Doubts
            | Opinion::Abstains => false,
        }
}

/// Why it was not judged, as the check says it.
fn abstained(check: &Check) -> Verdict {
    match check.reason.as_str() {
        NOT_ASKED_BUDGET => Verdict::NotChecked { why: NotCheckedReason::Budget },
        NOT_ASKED_DEADLINE => Verdict::NotChecked { why: NotCheckedReason::Deadline },
        reason => Verdict::CheckFailed { why: reason.to_owned() },
    }
}

/// The judge was not asked because of the budget.
pub const NOT_ASKED_BUDGET: &str = "the budget did not carry this check";
/// The judge was not asked because of the time.
pub const NOT_ASKED_DEADLINE: &str = "there was no time left for this check";
/// The judge was not asked because the run was cancelled.
pub const NOT_ASKED_CANCELLED: &str = "it was cancelled before this check";

/// A correct computation is as good as the weakest claim among its inputs.
fn derived_verdict(ledger: &Ledger, claim: &Claim) -> Verdict {
    let inputs = claim.derived.iter().flat_map(|derived| &derived.inputs);
    let supported = |id: ClaimId| {
        let checks: Vec<&Check> = ledger.checks_of(id).collect();
        let stands = matches!(judged(ledger, &checks), Some((Verdict::Supported, _)));
        stands && !checks.iter().any(|check| is_final(check))
    };
    let mut any = false;
    for input in inputs {
        any = true;
        // An input without a claim of its own is in the same sentence and was checked with nothing.
        if !input.claim.is_some_and(supported) {
            return Verdict::NotChecked { why: NotCheckedReason::NotComputable };
        }
    }
    if any { Verdict::Supported } else { Verdict::NotChecked { why: NotCheckedReason::NotComputable } }
}

pub fn speaks_against(opinion: Opinion) -> bool {
    match opinion {
        Opinion::Contradicts | Opinion::Absent | Opinion::Qualifies | Opinion::Partly => true,
        Opinion::Agrees | Opinion::Quoted | Opinion::Supports | Opinion::Doubts | Opinion::Abstains => false,
    }
}

fn supporting_origins(ledger: &Ledger, checks: &[&Check]) -> u32 {
    let mut origins: Vec<u32> = checks
        .iter()
        .filter(|check| is_of_judge(check) && check.opinion() == Opinion::Supports)
        .filter_map(|check| ledger.sources.get(usize::try_from(check.source?).ok()?))
        .map(|source| source.origin)
        .collect();
    origins.sort_unstable();
    origins.dedup();
    u32::try_from(origins.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
