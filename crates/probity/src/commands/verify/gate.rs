//! `--fail-on`: what a check must not find, what of it was found, and the exit code that follows. Every form of the output
//! is told the same.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use probity_evidence::output::junit::FailedGate;
use probity_research::{
    Code,
    checking::judge::{BESIDE, INVENTED, TOO_SHORT},
    ledger::{
        AttentionGroup, Check, CheckAspect, CheckAuthor, ClaimId, ClaimVerdict, Ledger, Opinion, Verdict,
        verdict::{NOT_ASKED_BUDGET, NOT_ASKED_CANCELLED, NOT_ASKED_DEADLINE, VerdictName},
    },
    report::Report,
    text,
};

use crate::{command_error::CommandError, exit::Exit};

const REASON_CHARACTERS_MAX: usize = 300;

/// What the caller rules out; nothing for `none`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate(Vec<FailOn>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FailOn {
    Verdict(VerdictName),
    /// A group of the list that is no verdict of its own.
    Group(AttentionGroup),
    /// The text as a whole is not verified.
    Unverified,
}

/// How a text stands at the gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateOutcome {
    pub exit: Exit,
    /// What made this exit code, and nothing else.
    pub failed: FailedGate,
}

impl Gate {
    pub fn parse(names: &[String]) -> Result<Self, CommandError> {
        let names: Vec<&str> = names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()).collect();
        if names.is_empty() {
            let why = "--fail-on is empty, as a variable that is not set leaves it";
            return Err(CommandError::new(Code::InvalidArguments, why)
                .with_hint("write `--fail-on none` if no verdict should fail it"));
        }
        let wanted = names.into_iter().filter(|name| !name.eq_ignore_ascii_case("none"));
        Ok(Self(wanted.map(FailOn::parse).collect::<Result<_, _>>()?))
    }

    /// A claim or a text that is ruled out comes first, then a judge that was set up and did not answer, then a limit
    /// that left something out. `none` rules out the first two.
    pub fn outcome(&self, report: &Report, ledger: &Ledger) -> GateOutcome {
        let mut failed = FailedGate { claims: self.claims(ledger), whole: Vec::new() };
        let verification = report.verification();
        if self.0.contains(&FailOn::Unverified) && !verification.verified {
            failed.whole.push(("unverified", verification.reason));
        }
        if !failed.is_empty() {
            return GateOutcome { exit: Exit::Contradicted, failed };
        }
        let silence = silence(ledger).filter(|_| !self.0.is_empty());
        let (exit, whole) = match (silence, limit(ledger)) {
            (Some(silence), _) => (Exit::ProviderDown, Some(("no-answer", silence))),
            (None, Some(limit)) => (Exit::Capped, Some(("limit", limit.to_owned()))),
            (None, None) => (Exit::Done, None),
        };
        failed.whole.extend(whole);
        GateOutcome { exit, failed }
    }

    /// Claims that are ruled out. Own words, questions and repeats fail nothing: there is nothing in them to check.
    fn claims(&self, ledger: &Ledger) -> BTreeSet<ClaimId> {
        let groups = ledger.attention();
        let listed =
            ledger.settled.iter().zip(&groups).filter_map(|(settled, group)| Some((settled, (*group)?)));
        listed
            .filter(|(settled, group)| self.0.iter().any(|one| one.fits(settled, *group)))
            .map(|(settled, _)| settled.claim)
            .collect()
    }
}

impl FailOn {
    fn parse(name: &str) -> Result<Self, CommandError> {
        match name.to_ascii_lowercase().as_str() {
            "uncited" => Ok(Self::Group(AttentionGroup::Uncited)),
            "unreachable" => Ok(Self::Group(AttentionGroup::Unreachable)),
            "contested" => Ok(Self::Group(AttentionGroup::Contested)),
            "unverified" | "not-verified" => Ok(Self::Unverified),
            _ => name.parse().map(Self::Verdict).map_err(|why: String| {
                let why = format!("--fail-on: {why}, uncited, unreachable, contested, unverified, none");
                CommandError::new(Code::InvalidArguments, &why)
                    .with_hint("write it like `--fail-on contradicted,not-in-source`")
            }),
        }
    }

    fn fits(self, settled: &ClaimVerdict, group: AttentionGroup) -> bool {
        match self {
            Self::Unverified => false,
            Self::Group(AttentionGroup::Contested) => {
                // Between sources, or between judges.
                let by_judges =
                    settled.verdict == Verdict::Partly && settled.aspect == Some(CheckAspect::SecondOpinion);
                group == AttentionGroup::Contested || by_judges
            }
            Self::Group(wanted) => group == wanted,
            Self::Verdict(name) => settled.verdict.name() == name.0 && group != AttentionGroup::Restated,
        }
    }
}

/// That a judge was set up and did not answer; none where it answered with what counts as nothing, or was not asked.
fn silence(ledger: &Ledger) -> Option<String> {
    let silent: Vec<&Check> = ledger.checks.iter().filter(|check| is_silent(check)).collect();
    let why = text::line(&silent.first()?.reason, REASON_CHARACTERS_MAX);
    let claims = match silent.len() {
        1 => "1 claim".to_owned(),
        more => format!("{more} claims"),
    };
    Some(format!("the judge did not answer about {claims}: {why}"))
}

fn is_silent(check: &Check) -> bool {
    let of_judge = match check.by {
        CheckAuthor::Model { .. } => {
            matches!(check.aspect, CheckAspect::Meaning | CheckAspect::Inference)
        }
        CheckAuthor::Rules { .. } => false,
    };
    let told_otherwise =
        [INVENTED, TOO_SHORT, BESIDE, NOT_ASKED_BUDGET, NOT_ASKED_DEADLINE, NOT_ASKED_CANCELLED];
    of_judge && check.opinion == Opinion::Abstains && !told_otherwise.contains(&check.reason.as_str())
}

/// That something of the text or its pages was not checked; then nobody may take the rest for the whole.
fn limit(ledger: &Ledger) -> Option<&'static str> {
    if super::ran_out_of_time(ledger) {
        Some("the deadline was reached before everything was checked")
    } else if super::is_cut(ledger) {
        Some("a limit left a part of the text or of its pages out")
    } else {
        None
    }
}
