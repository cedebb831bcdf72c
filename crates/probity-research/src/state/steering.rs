//! What the user says to a research under way.

use probity_types::inquiry::SteeringNote;

use super::{ReplayError, RunPhase, RunState};
use crate::{
    error::{Code, CodedError},
    inquiry::steering::FacetView,
};

impl RunState {
    /// Why a note cannot be used any more, or not here; none where it can.
    pub fn steering_refusal(&self, note: &SteeringNote) -> Option<CodedError> {
        let ended = |message: &str| Some(CodedError::new(Code::AlreadyEnded, message));
        match &self.phase {
            RunPhase::Ended(_) => return ended("this research has ended; nothing of it can be changed now"),
            RunPhase::Gathered(_) => {
                return ended("the report of this research is written and being checked");
            }
            RunPhase::Asked
            | RunPhase::Intended { .. }
            | RunPhase::Refused { .. }
            | RunPhase::Uncertain { .. }
            | RunPhase::Running => {}
        }
        if self.cancel.is_some() {
            return ended("this research is being cancelled");
        }
        if self.moved_away {
            return ended("this research was moved to another store");
        }
        match &self.web_state {
            Some(gathering) => gathering.steering_refusal(note),
            None => {
                let message =
                    "the engine of this research takes no notes while it works; only the web engine does";
                Some(CodedError::new(Code::InvalidArguments, message))
            }
        }
    }

    /// Whether there is something left that a note could change.
    pub fn takes_notes(&self) -> bool {
        let is_gathering = self.web_state.as_ref().is_some_and(|gathering| gathering.is_gathering());
        self.is_due() && self.cancel.is_none() && is_gathering
    }

    /// The parts of the question, as far as they are known.
    pub fn facets(&self) -> Vec<FacetView> {
        let inquiry = self.web_state.as_ref().and_then(|gathering| gathering.inquiry.as_ref());
        inquiry.map(|inquiry| FacetView::all(inquiry)).unwrap_or_default()
    }

    /// The user's notes so far, in order.
    pub fn steering_notes(&self) -> &[SteeringNote] {
        self.web_state.as_ref().map(|gathering| gathering.steered.as_slice()).unwrap_or_default()
    }

    /// Whether a note could be used was decided before it was appended; here it only has to be possible.
    pub(super) fn steer(&mut self, note: &SteeringNote, misfit: ReplayError) -> Result<(), ReplayError> {
        let (Some(plan), Some(gathering)) = (&self.plan.web, &mut self.web_state) else { return Err(misfit) };
        if gathering.inquiry.is_none() || matches!(self.phase, RunPhase::Ended(_)) {
            return Err(misfit);
        }
        gathering.steer(plan, self.query.as_str(), note);
        self.progress.advance(&gathering.progress());
        Ok(())
    }
}
