//! What an outcome means in a run of rounds.

use std::time::Duration;

use super::{
    RoundsPlan,
    parse_answer::{self, RoundToStore},
    state::{CallBilling, CallWork, RoundsState},
    step::{round_timeout_error, stopped_round_error},
};
use crate::{
    driver_state::{DriverState, NOT_THERE_GRACE, NOT_THERE_POLLS_MIN},
    engine_call::EngineOutcome,
    error::{Code, CodedError},
    event::Event,
    id::Digest,
    instruction::Reaction,
    state::RunState,
};

/// An outcome that means something particular in rounds, or the same as everywhere.
pub enum RoundReaction {
    Decided(Box<Reaction>),
    Unhandled(EngineOutcome),
}

/// A run in rounds at the moment of an outcome.
pub struct RoundContext<'a> {
    pub research: &'a RunState,
    pub plan: &'a RoundsPlan,
    pub rounds_state: &'a RoundsState,
}

impl RoundContext<'_> {
    pub fn react(&self, attention: &mut DriverState, finding: EngineOutcome) -> RoundReaction {
        let reaction = match finding {
            EngineOutcome::Answered(mut reply) => {
                if let (Some(command), Some(Code::Cancelled)) =
                    (&self.research.cancel, reply.problem.as_ref().map(|problem| problem.code))
                {
                    reply.problem = Some(stopped_round_error(command.reason));
                }
                let kept = parse_answer::parse_answer(self.plan, self.rounds_state, attention, *reply);
                self.keep(attention, kept)
            }
            EngineOutcome::Refused(problem) => self.fail(attention, problem, CallBilling::Nothing),
            EngineOutcome::Uncertain(problem) | EngineOutcome::Lost(problem) => {
                self.fail(attention, problem, CallBilling::Unknown)
            }
            EngineOutcome::NotThere(_) if self.is_lost(attention) => {
                let problem = CodedError::new(Code::RoundLost, "the provider no longer knows this round");
                self.fail(attention, problem, CallBilling::Unknown)
            }
            // The user did not cancel: the round was late and is given up.
            EngineOutcome::CancelAccepted | EngineOutcome::CancelRefused(_)
                if self.research.cancel.is_none() =>
            {
                self.fail(attention, round_timeout_error(self.plan), CallBilling::Unknown)
            }
            // The text so far is the beginning of a JSON text, which no user wants to read.
            EngineOutcome::Running(mut sighting) => {
                sighting.so_far = None;
                return RoundReaction::Unhandled(EngineOutcome::Running(sighting));
            }
            EngineOutcome::Finished(finished) => {
                let empty = || CodedError::new(Code::EmptyReport, "the round has no answer");
                let billed = finished.usage.map_or(CallBilling::Unknown, CallBilling::Counted);
                self.fail(attention, finished.problem.unwrap_or_else(empty), billed)
            }
            other => return RoundReaction::Unhandled(other),
        };
        RoundReaction::Decided(Box::new(reaction))
    }

    fn keep(&self, attention: &mut DriverState, kept: RoundToStore) -> Reaction {
        // Which bytes does not matter here, only whether there are any.
        let some = (!kept.bytes.is_empty()).then_some(Digest([0; 32]));
        let pause = kept.problem().map(|problem| self.pause(problem, some));
        settle(attention, pause.unwrap_or_default());
        Reaction::KeepRound(Box::new(kept))
    }

    fn fail(&self, attention: &mut DriverState, problem: CodedError, billed: CallBilling) -> Reaction {
        settle(attention, self.pause(&problem, None));
        let work = CallWork::default();
        Reaction::Append(Event::RoundStumbled { problem, kept: None, billed, raw: None, model: None, work })
    }

    /// A user who cancelled does not wait for a retry.
    fn pause(&self, problem: &CodedError, kept: Option<Digest>) -> Duration {
        match self.research.cancel {
            Some(_) => Duration::ZERO,
            None => self.rounds_state.pause_after(self.plan, problem, kept),
        }
    }

    /// The same grace time as for any other run: a fresh one may be invisible for a while.
    fn is_lost(&self, attention: &DriverState) -> bool {
        let started = Duration::from_millis(self.research.started_attended_ms.unwrap_or(0));
        self.research.cancel.is_none()
            && attention.attended.saturating_sub(started) >= NOT_THERE_GRACE
            && attention.not_there_in_a_row + 1 >= NOT_THERE_POLLS_MIN
    }
}

/// The call is over: the next one starts with a clean memory, after a pause if this one failed.
fn settle(attention: &mut DriverState, pause: Duration) {
    attention.intent_is_fresh = false;
    attention.failures_in_a_row = 0;
    attention.not_there_in_a_row = 0;
    attention.looks = 0;
    attention.collects = 0;
    attention.recorded_at = None;
    attention.unrecorded = None;
    attention.pause = Some(pause).filter(|pause| !pause.is_zero());
}
