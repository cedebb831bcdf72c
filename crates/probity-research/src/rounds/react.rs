//! What a finding means in a research of rounds.

use std::time::Duration;

use super::{
    RoundsPlan,
    course::{Billed, Course},
    hear::{self, Kept},
    step::late,
};
use crate::{
    attention::Attention,
    error::{Code, Problem},
    event::Event,
    finding::Finding,
    id::Digest,
    react::{NOT_THERE_GRACE, NOT_THERE_LOOKS_MIN, Reaction},
    state::Research,
};

/// A finding that rounds have a meaning of their own for, or one that means the same everywhere.
pub enum Heard {
    Decided(Box<Reaction>),
    AsEver(Finding),
}

/// A research in rounds at the moment of a finding.
pub struct Round<'a> {
    pub research: &'a Research,
    pub plan: &'a RoundsPlan,
    pub course: &'a Course,
}

impl Round<'_> {
    pub fn react(&self, attention: &mut Attention, finding: Finding) -> Heard {
        let reaction = match finding {
            Finding::Answered(reply) => {
                let kept = hear::hear(self.plan, self.course, attention, *reply);
                self.keep(attention, kept)
            }
            Finding::Refused(problem) => self.fail(attention, problem, Billed::Nothing),
            Finding::Uncertain(problem) | Finding::Lost(problem) => {
                self.fail(attention, problem, Billed::Unknown)
            }
            Finding::NotThere(_) if self.is_lost(attention) => {
                let problem = Problem::new(Code::RoundLost, "the provider no longer knows this round");
                self.fail(attention, problem, Billed::Unknown)
            }
            // Nobody asked for a cancel: the round was late and is given up.
            Finding::CancelAccepted | Finding::CancelRefused(_) if self.research.cancel.is_none() => {
                self.fail(attention, late(self.plan), Billed::Unknown)
            }
            // What is written so far is the beginning of a JSON text: nobody wants to read that.
            Finding::Seen(mut sighting) => {
                sighting.so_far = None;
                return Heard::AsEver(Finding::Seen(sighting));
            }
            Finding::Finished(finished) => {
                let empty = || Problem::new(Code::EmptyReport, "the round has no answer");
                let billed = finished.usage.map_or(Billed::Unknown, Billed::Counted);
                self.fail(attention, finished.problem.unwrap_or_else(empty), billed)
            }
            other => return Heard::AsEver(other),
        };
        Heard::Decided(Box::new(reaction))
    }

    fn keep(&self, attention: &mut Attention, kept: Kept) -> Reaction {
        // Which bytes does not matter here, only whether there are any.
        let some = (!kept.bytes.is_empty()).then_some(Digest([0; 32]));
        let pause = kept.problem().map(|problem| self.pause(problem, some));
        settle(attention, pause.unwrap_or_default());
        Reaction::KeepRound(Box::new(kept))
    }

    fn fail(&self, attention: &mut Attention, problem: Problem, billed: Billed) -> Reaction {
        settle(attention, self.pause(&problem, None));
        Reaction::Append(Event::RoundStumbled { problem, kept: None, billed, raw: None })
    }

    /// Whoever cancelled does not wait for a next try.
    fn pause(&self, problem: &Problem, kept: Option<Digest>) -> Duration {
        match self.research.cancel {
            Some(_) => Duration::ZERO,
            None => self.course.pause_after(self.plan, problem, kept),
        }
    }

    /// The same patience as for any other run: a fresh one may be invisible for a while.
    fn is_lost(&self, attention: &Attention) -> bool {
        let started = Duration::from_millis(self.research.started_attended_ms.unwrap_or(0));
        self.research.cancel.is_none()
            && attention.attended.saturating_sub(started) >= NOT_THERE_GRACE
            && attention.not_there_in_a_row + 1 >= NOT_THERE_LOOKS_MIN
    }
}

/// The call is over: the next one starts with a clean memory, after a pause if this one failed.
fn settle(attention: &mut Attention, pause: Duration) {
    attention.intent_is_fresh = false;
    attention.failures_in_a_row = 0;
    attention.not_there_in_a_row = 0;
    attention.looks = 0;
    attention.collects = 0;
    attention.recorded_at = None;
    attention.pause = Some(pause).filter(|pause| !pause.is_zero());
}
