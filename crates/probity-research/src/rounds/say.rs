//! The log lines of a deep search, word for word as users know them.

use super::{Manner, course::Stage};
use crate::{error::Code, event::Event, state::Research, stop::Stop};

/// Log target of these lines: the program prints them bare, as `[INFO] …` and `[ERROR] …`.
pub const TARGET: &str = "probity::rounds";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    Info(String),
    Error(String),
}

/// What to say when `event` has been appended to `before`.
pub fn lines(before: &Research, event: &Event) -> Vec<Line> {
    let (Some(plan), Some(course)) = (&before.plan.rounds, &before.course) else { return Vec::new() };
    let place = course.place;
    let deep = plan.manner == Manner::DeepSearch;
    let line = match event {
        Event::CreateIntended { .. } if deep && place.cycle == 1 && place.stage == Stage::Main => {
            Line::Info(format!("Deep search round {}/{}...", place.round, plan.rounds_max))
        }
        // With checks, a round is over when its claims are checked; the same words were checked before.
        Event::RoundAnswered { answer, facts, .. } if deep => {
            let known = course.answered.iter().find(|answered| answered.answer == *answer);
            let verified = match (course.checks, known.and_then(|answered| answered.checked)) {
                (false, _) => facts.verified,
                (true, None) => return Vec::new(),
                (true, Some(checked)) => {
                    facts.model_says_verified && (checked.standing.evidence_holds || !course.ledger_decides)
                }
            };
            Line::Info(format!("Round {} completed, verified: {verified}", place.round))
        }
        Event::Checked { subject, standing, .. } if deep => {
            let answered = course.answered.iter().find(|answered| answered.answer == *subject);
            let says = answered.is_some_and(|answered| answered.facts.model_says_verified);
            let verified = if course.ledger_decides { says && standing.evidence_holds } else { says };
            let round = answered.map_or(place.round, |answered| answered.round);
            Line::Info(format!("Round {round} completed, verified: {verified}"))
        }
        Event::RoundStumbled { problem, kept, .. } => {
            let what = match (place.stage, problem.code, kept) {
                (Stage::Correction, Code::UnusableAnswer, _) => "JSON correction failed".to_owned(),
                (Stage::Main, Code::UnusableAnswer, Some(_)) => {
                    format!("Round {} needs JSON correction", place.round)
                }
                _ => format!("Round {} failed", place.round),
            };
            Line::Error(format!("{what} (cycle {}): {}: {}", place.cycle, problem.code, problem.message))
        }
        Event::Ended { stop: Stop::Completed, .. } if deep => {
            let verified = course.best().is_some_and(|best| best.facts.verified);
            Line::Info(format!("Deep search completed: {} rounds, verified: {verified}", course.iterations()))
        }
        Event::Ended { problem: Some(problem), .. } => {
            Line::Error(format!("{} failed: {}: {}", plan.manner.as_str(), problem.code, problem.message))
        }
        _ => return Vec::new(),
    };
    vec![line]
}
