//! What a finding means in a research of rounds.

use std::time::Duration;

use super::{
    RoundsPlan,
    course::{Billed, Course},
    hear::{self, Kept},
    step::{late, stumble},
};
use crate::{
    attention::Attention,
    error::{Code, Problem},
    event::Event,
    finding::Finding,
    react::{NOT_THERE_GRACE, NOT_THERE_LOOKS_MIN, Reaction},
    state::Research,
};

/// Nothing for what both kinds of research share; that is decided where it always was.
pub enum Heard {
    Decided(Box<Reaction>),
    AsEver(Finding),
}

pub fn react(
    research: &Research,
    plan: &RoundsPlan,
    course: &Course,
    attention: &mut Attention,
    finding: Finding,
) -> Heard {
    match finding {
        Finding::Answered(reply) => {
            let kept = hear::hear(plan, course, attention, *reply);
            decided(keep(research, course, attention, kept))
        }
        Finding::Refused(problem) => decided(fail(research, course, attention, problem, Billed::Nothing)),
        Finding::Uncertain(problem) | Finding::Lost(problem) => {
            decided(fail(research, course, attention, problem, Billed::Unknown))
        }
        Finding::NotThere(_) if is_lost(research, attention) => {
            let problem = Problem::new(Code::RoundLost, "the provider no longer knows this round");
            decided(fail(research, course, attention, problem, Billed::Unknown))
        }
        // Nobody asked for a cancel: the round was late and is given up.
        Finding::CancelAccepted | Finding::CancelRefused(_) if research.cancel.is_none() => {
            let event = late(plan);
            let problem = Problem::new(Code::Timeout, "");
            settle(research, course, attention, Some(&problem));
            decided(Reaction::Append(event))
        }
        // What is written so far is the beginning of a JSON text: nobody wants to read that.
        Finding::Seen(mut sighting) => {
            sighting.so_far = None;
            Heard::AsEver(Finding::Seen(sighting))
        }
        Finding::Finished(finished) => {
            let problem = finished
                .problem
                .unwrap_or_else(|| Problem::new(Code::EmptyReport, "the round has no answer"));
            decided(fail(
                research,
                course,
                attention,
                problem,
                finished.usage.map_or(Billed::Unknown, Billed::Counted),
            ))
        }
        other => Heard::AsEver(other),
    }
}

fn decided(reaction: Reaction) -> Heard {
    Heard::Decided(Box::new(reaction))
}

fn keep(research: &Research, course: &Course, attention: &mut Attention, kept: Kept) -> Reaction {
    settle(research, course, attention, kept.problem());
    Reaction::KeepRound(Box::new(kept))
}

fn fail(
    research: &Research,
    course: &Course,
    attention: &mut Attention,
    problem: Problem,
    billed: Billed,
) -> Reaction {
    settle(research, course, attention, Some(&problem));
    let mut event = stumble(problem.code, "", billed);
    if let Event::RoundStumbled { problem: told, .. } = &mut event {
        *told = problem;
    }
    Reaction::Append(event)
}

/// The call is over: the next one starts with a clean memory, after a pause if this one failed.
fn settle(research: &Research, course: &Course, attention: &mut Attention, problem: Option<&Problem>) {
    attention.intent_is_fresh = false;
    attention.failures_in_a_row = 0;
    attention.not_there_in_a_row = 0;
    attention.looks = 0;
    attention.collects = 0;
    attention.recorded_at = None;
    // Whoever cancelled does not wait for a next try.
    attention.pause = problem
        .filter(|_| research.cancel.is_none())
        .map(|problem| course.pause_after(problem))
        .filter(|pause| !pause.is_zero());
}

/// The same patience as for any other run: a fresh one may be invisible for a while.
fn is_lost(research: &Research, attention: &Attention) -> bool {
    let started = Duration::from_millis(research.started_attended_ms.unwrap_or(0));
    research.cancel.is_none()
        && attention.attended.saturating_sub(started) >= NOT_THERE_GRACE
        && attention.not_there_in_a_row + 1 >= NOT_THERE_LOOKS_MIN
}
