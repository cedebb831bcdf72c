//! What travels through the engine's journal: small, versionless JSON that older and newer workers both read.

use std::{pin::Pin, time::Duration};

use probity_research::{RunId, Sequence, driver_state::DriverState, time::Moment};
use serde::{Deserialize, Serialize};

/// Longest time between two turns that counts as attended beyond the pause that was asked for: a worker's
/// clock that jumped must not end a run.
const UNATTENDED_MAX: Duration = Duration::from_secs(600);

/// What a driver keeps from one turn to the next.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CarriedState {
    #[serde(skip_serializing_if = "is_default")]
    pub attention: DriverState,
    /// When the last turn was over; none before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_at: Option<Moment>,
    /// The pause that the last turn asked for.
    #[serde(skip_serializing_if = "is_default")]
    pub pause_ms: u64,
}

impl CarriedState {
    /// The time since the last turn counts as attended: on a fleet some worker or timer always watches the
    /// clock.
    pub fn into_driver_state(mut self, now: Moment) -> DriverState {
        let passed = self.left_at.map_or(0, |left| now.since_ms(left));
        let most = Duration::from_millis(self.pause_ms) + UNATTENDED_MAX;
        self.attention.attended += Duration::from_millis(passed).min(most);
        self.attention
    }
}

/// One turn of one run, as the engine hands it out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnRequest {
    pub id: RunId,
    #[serde(default)]
    pub memory: CarriedState,
    /// Turns that earlier invocations of the same submission took.
    #[serde(default)]
    pub turns: u64,
    /// The invocation that drives the run, so that others can wake it; only on the first turn of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invocation: Option<String>,
}

impl TurnRequest {
    pub fn new(id: RunId) -> Self {
        Self { id, memory: CarriedState::default(), turns: 0, invocation: None }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NextAction {
    Again,
    Wait { ms: u64 },
    Rest,
}

/// How a turn ended. It is kept in the engine's journal, so a repeated invocation does not take it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnReply {
    pub then: NextAction,
    /// The newest event that the turn knew: the append of the next one wakes a wait for it.
    pub sequence: u64,
    #[serde(default)]
    pub memory: CarriedState,
}

impl TurnReply {
    pub fn wait(pause: Duration, sequence: Sequence, mut memory: CarriedState) -> Self {
        let ms = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
        memory.pause_ms = ms;
        Self { then: NextAction::Wait { ms }, sequence: sequence.0, memory }
    }
}

/// Takes turns. Boxed, so that the engine's side is compiled once for every implementation.
pub trait TurnHandler: Send + Sync + 'static {
    fn take_turn(&self, order: TurnRequest) -> Pin<Box<dyn Future<Output = TurnReply> + Send + '_>>;
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use probity_research::{driver_state::DriverState, time::Moment};

    use super::CarriedState;

    fn memory(left_at: i64, pause_ms: u64) -> CarriedState {
        let attention = DriverState { attended: Duration::from_secs(100), ..DriverState::default() };
        CarriedState { attention, left_at: Some(Moment(left_at)), pause_ms }
    }

    #[test]
    fn the_pause_between_two_turns_is_attended() {
        let attention = memory(1_000, 30_000).into_driver_state(Moment(31_500));
        assert_eq!(attention.attended, Duration::from_millis(130_500));
    }

    #[test]
    fn a_clock_that_jumps_ends_nothing() {
        let year_ms = 400 * 24 * 3_600_000;
        assert_eq!(memory(0, 30_000).into_driver_state(Moment(year_ms)).attended, Duration::from_secs(730));
        assert_eq!(memory(year_ms, 30_000).into_driver_state(Moment(0)).attended, Duration::from_secs(100));
    }

    #[test]
    fn what_travels_is_small_and_forgets_what_must_not_travel() {
        let mut memory = memory(1_000, 0);
        memory.attention.intent_is_fresh = true;
        memory.attention.looks = 3;
        let text = serde_json::to_string(&memory).unwrap();
        assert!(text.len() < 120, "{text}");
        let back: CarriedState = serde_json::from_str(&text).unwrap();
        assert!(!back.attention.intent_is_fresh && back.attention.looks == 3);
    }
}
