//! What a run in rounds is allowed to do; part of its plan.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Mode;
use crate::model::ModelName;

/// One round finds, a second one verifies: fewer is not a deep search.
pub const ROUNDS_MIN: u32 = 2;
/// Each round is paid for; beyond this many a loop that never agrees would only burn money.
pub const ROUNDS_MAX: u32 = 20;
/// Tries of one round, main call and correction together.
pub const CYCLES_MAX: u32 = 3;
/// Waits after the first, second and third failed cycle; the last one lies before the next round.
pub const CYCLE_PAUSES: [Duration; 3] =
    [Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(5)];
/// Longest wait that a provider can impose between two cycles: the search has a deadline of its own.
pub const CYCLE_PAUSE_MAX: Duration = Duration::from_secs(60);
/// One call of one round. A model that searches ten times and reads as many pages needs a minute or two.
pub const ROUND_DEADLINE: Duration = Duration::from_secs(5 * 60);

/// So many rounds' time is given to one prompt that iterates by itself.
const ROUNDS_IN_ONE_PROMPT: u32 = 3;

/// What makes `verified` true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerificationMode {
    /// The model's statement, and what the server can compute.
    #[default]
    Evidence,
    /// The model's statement alone.
    Model,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundsPlan {
    pub manner: Mode,
    pub rounds_max: u32,
    #[serde(default)]
    pub verification: VerificationMode,
    /// None lets the engine choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction_model: Option<ModelName>,
    pub round_deadline_ms: u64,
}

impl RoundsPlan {
    /// The first round whose prompt asks the model whether it verified its text: a single search is never asked, and the
    /// first round of a deep search is told that nothing is verified yet.
    pub fn asks_model_from(&self) -> Option<u32> {
        match self.manner {
            Mode::Search => None,
            Mode::DeepSearch => Some(2),
            Mode::DeepResearch => Some(1),
        }
    }

    /// `rounds_asked` counts for a deep search only, and never below its floor.
    pub fn new(manner: Mode, rounds_asked: u32) -> Self {
        let rounds_max = match manner {
            Mode::Search | Mode::DeepResearch => 1,
            Mode::DeepSearch => rounds_asked.clamp(ROUNDS_MIN, ROUNDS_MAX),
        };
        Self {
            manner,
            rounds_max,
            verification: VerificationMode::default(),
            model: None,
            correction_model: None,
            round_deadline_ms: u64::try_from(ROUND_DEADLINE.as_millis()).unwrap_or(u64::MAX),
        }
    }

    /// How long one call may take. A prompt that iterates by itself does the work of several rounds.
    pub fn round_deadline(&self) -> Duration {
        let once = Duration::from_millis(self.round_deadline_ms);
        match self.manner {
            Mode::Search | Mode::DeepSearch => once,
            Mode::DeepResearch => once.saturating_mul(ROUNDS_IN_ONE_PROMPT),
        }
    }

    /// The name of the model before it is known which one answers.
    pub fn model_name(&self) -> &str {
        self.model.as_ref().map_or("auto", ModelName::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::{Mode, RoundsPlan};

    #[test]
    fn a_deep_search_has_at_least_two_rounds_and_the_others_one() {
        let rounds = |manner, asked| RoundsPlan::new(manner, asked).rounds_max;
        assert_eq!(rounds(Mode::DeepSearch, 5), 5);
        assert_eq!(rounds(Mode::DeepSearch, 0), 2);
        assert_eq!(rounds(Mode::DeepSearch, 1), 2);
        assert_eq!(rounds(Mode::DeepSearch, 9), 9);
        assert_eq!(rounds(Mode::DeepSearch, u32::MAX), 20);
        assert_eq!(rounds(Mode::Search, 9), 1);
        assert_eq!(rounds(Mode::DeepResearch, 9), 1);
    }
}
