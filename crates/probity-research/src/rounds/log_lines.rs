//! The log lines of a deep search, word for word as users know them.

use super::{
    Mode,
    state::{AnswerFacts, RoundStage, RoundsState},
    step::stopped_round_error,
};
use crate::{error::Code, event::Event, state::RunState, stop::RunStop};

/// Log target of these lines: the program prints them bare, as `[INFO] …` and `[ERROR] …`.
pub const TARGET: &str = "probity::rounds";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogLine {
    Info(String),
    Error(String),
}

/// The lines to log when `event` has been appended to `before`.
pub fn lines(before: &RunState, event: &Event) -> Vec<LogLine> {
    let (Some(plan), Some(course)) = (&before.plan.rounds, &before.rounds_state) else { return Vec::new() };
    let place = course.position;
    let deep = plan.manner == Mode::DeepSearch;
    let line = match event {
        Event::CreateIntended { .. } if deep && place.cycle == 1 && place.stage == RoundStage::Main => {
            LogLine::Info(format!("Deep search round {}/{}...", place.round, plan.rounds_max))
        }
        // With checks, a round is over when its claims are checked; an unchanged text was checked before.
        Event::RoundAnswered { answer, facts, .. } if deep => {
            let known = course.answered.iter().find(|answered| answered.answer == *answer);
            let verified = match (course.checks, known.and_then(|answered| answered.checked)) {
                (false, _) => facts.verified,
                (true, None) => return Vec::new(),
                (true, Some(checked)) => {
                    verified_by(course, place.round, facts, checked.standing.evidence_holds)
                }
            };
            LogLine::Info(format!("Round {} completed, verified: {verified}", place.round))
        }
        Event::Checked { subject, standing, .. } if deep => {
            let answered = course.answered.iter().find(|answered| answered.answer == *subject);
            let verified = answered.is_some_and(|answered| {
                verified_by(course, answered.round, &answered.facts, standing.evidence_holds)
            });
            let round = answered.map_or(place.round, |answered| answered.round);
            LogLine::Info(format!("Round {round} completed, verified: {verified}"))
        }
        // Our own stop is no failure of a round.
        Event::RoundStumbled { problem, .. } if stopped_by(before) == Some(problem.code) => {
            LogLine::Info(format!("Round {} stopped: {}", place.round, problem.message))
        }
        Event::RoundStumbled { problem, kept, .. } => {
            let what = match (place.stage, problem.code, kept) {
                (RoundStage::Correction, Code::UnusableAnswer, _) => "JSON correction failed".to_owned(),
                (RoundStage::Main, Code::UnusableAnswer, Some(_)) => {
                    format!("Round {} needs JSON correction", place.round)
                }
                _ => format!("Round {} failed", place.round),
            };
            LogLine::Error(format!("{what} (cycle {}): {}: {}", place.cycle, problem.code, problem.message))
        }
        Event::Ended { stop: RunStop::Completed, .. } if deep => {
            let verified = course.best().is_some_and(|best| best.facts.verified);
            let made = course.iterations();
            LogLine::Info(format!("Deep search completed: {made} rounds, verified: {verified}"))
        }
        Event::Ended { problem: Some(problem), .. } => {
            LogLine::Error(format!("{} failed: {}: {}", plan.manner.as_str(), problem.code, problem.message))
        }
        _ => return Vec::new(),
    };
    vec![line]
}

fn verified_by(course: &RoundsState, round: u32, facts: &AnswerFacts, evidence_holds: bool) -> bool {
    match course.ledger_decides {
        true => course.may_be_verified(round, facts) && evidence_holds,
        false => facts.model_says_verified,
    }
}

/// The code of a round that ends because the run is being stopped.
fn stopped_by(before: &RunState) -> Option<Code> {
    before.cancel.as_ref().map(|command| stopped_round_error(command.reason).code)
}
