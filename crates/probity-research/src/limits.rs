//! How long a run may take and what it may cost: part of its plan.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::cost::MicroUsd;

/// The provider ends a Deep Research run after 60 minutes; five more let its last answer arrive.
pub const DEADLINE_MAX: Duration = Duration::from_secs(65 * 60);

/// A create may be refused and tried again this often; every refusal is proof that nothing was billed.
pub const CREATE_ATTEMPTS_MAX: u32 = 5;

/// Limits of this research, each with its effective value; what was asked for stands beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLimits {
    pub deadline_ms: u64,
    /// What the caller asked for, when it was more than the provider can give.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_asked_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<MicroUsd>,
    pub create_attempts_max: u32,
    /// Limits that a project's settings file made stricter, in words: whoever pays must know who cut a run short.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set_by_project: Vec<String>,
}

impl RunLimits {
    pub fn new(deadline_asked: Duration, budget: Option<MicroUsd>) -> Self {
        let asked_ms = u64::try_from(deadline_asked.as_millis()).unwrap_or(u64::MAX);
        let max_ms = u64::try_from(DEADLINE_MAX.as_millis()).unwrap_or(u64::MAX);
        Self {
            deadline_ms: asked_ms.clamp(1_000, max_ms),
            deadline_asked_ms: (asked_ms > max_ms).then_some(asked_ms),
            budget,
            create_attempts_max: CREATE_ATTEMPTS_MAX,
            set_by_project: Vec::new(),
        }
    }

    pub fn deadline(&self) -> Duration {
        Duration::from_millis(self.deadline_ms)
    }

    /// What a user must know of these limits: where they are not what was asked for, and why.
    pub fn note(&self) -> Option<String> {
        let notes: Vec<String> =
            self.deadline_note().into_iter().chain(self.set_by_project.clone()).collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }

    /// Why the deadline is shorter than asked for, if it is.
    fn deadline_note(&self) -> Option<String> {
        let asked = self.deadline_asked_ms? / 60_000;
        let given = self.deadline_ms / 60_000;
        Some(format!(
            "asked for {asked} min; the provider ends every run after 60 min, so Probity waits {given} min"
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::RunLimits;

    #[test]
    fn eight_hours_are_clamped_and_the_reason_is_kept() {
        let limits = RunLimits::new(Duration::from_secs(8 * 3600), None);
        assert_eq!(limits.deadline(), Duration::from_secs(65 * 60));
        let note = "asked for 480 min; the provider ends every run after 60 min, so Probity waits 65 min";
        assert_eq!(limits.deadline_note().as_deref(), Some(note));
        assert_eq!(RunLimits::new(Duration::from_secs(600), None).deadline_note(), None);
    }
}
