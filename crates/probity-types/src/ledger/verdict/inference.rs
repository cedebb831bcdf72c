//! The verdict of an inference: whether it follows from the claims it rests on. No page has to say it, so nothing makes it
//! supported.

use super::{abstained, strongest};
use crate::ledger::{
    Check, CheckAspect, CheckAuthor, ClaimId, ClaimVerdict, JudgeStanding, Ledger, Opinion, Verdict,
};

const JUDGE_FAILED: &str = "its judge did not pass, so its yes counts for nothing";

/// The verdict and the check that decided it; none where nobody was asked.
pub(super) fn decide<'a>(ledger: &Ledger, checks: &[&'a Check]) -> Option<(Verdict, Option<&'a Check>)> {
    let own = || checks.iter().copied().filter(|check| check.aspect == CheckAspect::Inference);
    // What speaks against it decides: a number that none of its claims has, or the judge.
    let against = [Opinion::Contradicts, Opinion::Absent, Opinion::Qualifies, Opinion::Partly];
    if let Some(check) = against.into_iter().find_map(|opinion| strongest(own(), opinion)) {
        return Some((Verdict::DoesNotFollow, Some(check)));
    }
    let of_model = |check: &&Check| match check.by {
        CheckAuthor::Model { .. } => true,
        CheckAuthor::Rules { .. } => false,
    };
    if let Some(check) = strongest(own().filter(of_model), Opinion::Agrees) {
        return Some(match ledger.judge_standing {
            JudgeStanding::Trusted | JudgeStanding::Unexamined => (Verdict::Follows, Some(check)),
            // There is no half of following, so its yes is worth nothing.
            JudgeStanding::Failed => (Verdict::CheckFailed { why: JUDGE_FAILED.to_owned() }, Some(check)),
        });
    }
    let silent = strongest(own().filter(of_model), Opinion::Abstains)?;
    Some((abstained(silent), Some(silent)))
}

/// What follows from claims that do not hold does not stand: it is said of each inference which of its claims fails it.
pub(super) fn hold_to_premises(ledger: &Ledger, settled: &mut [ClaimVerdict]) {
    let refused: Vec<bool> = settled.iter().map(|one| is_refused(&one.verdict)).collect();
    let fails = |id: ClaimId| refused.get(id.place()).copied().unwrap_or(true);
    for (claim, one) in ledger.claims.iter().zip(settled) {
        if one.verdict != Verdict::Follows {
            continue;
        }
        if let Some(premise) = claim.rests_on.iter().find(|id| fails(**id)) {
            one.verdict = Verdict::DoesNotFollow;
            one.reason = format!("it rests on {premise}, which does not hold");
        }
    }
}

fn is_refused(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Contradicted | Verdict::NotInSource | Verdict::DoesNotFollow => true,
        Verdict::Supported
        | Verdict::Quoted
        | Verdict::Partly
        | Verdict::Qualified
        | Verdict::Follows
        | Verdict::NotChecked { .. }
        | Verdict::CheckFailed { .. } => false,
    }
}

#[cfg(test)]
mod tests;
