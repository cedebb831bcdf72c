//! One measured line: its name, what was measured, the goal, and whether it is reached.

/// How much is measured: everything, or the part that CI can afford.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvalExtent {
    Quick,
    Full,
}

impl EvalExtent {
    pub fn pick<T>(self, quick: T, full: T) -> T {
        match self {
            Self::Quick => quick,
            Self::Full => full,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoalStatus {
    Reached,
    Short,
    /// Could not be measured here; the note says why.
    Skipped,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvalOutcome {
    pub standing: GoalStatus,
    /// Depends on how busy the machine is.
    pub timing: bool,
    pub name: String,
    pub measured: String,
    pub goal: String,
    pub note: String,
}

impl EvalOutcome {
    pub fn new(
        name: impl Into<String>,
        reached: bool,
        measured: impl Into<String>,
        goal: impl Into<String>,
    ) -> Self {
        Self {
            standing: if reached { GoalStatus::Reached } else { GoalStatus::Short },
            timing: false,
            name: name.into(),
            measured: measured.into(),
            goal: goal.into(),
            note: String::new(),
        }
    }

    pub fn skipped(name: impl Into<String>, goal: impl Into<String>, why: impl Into<String>) -> Self {
        Self {
            standing: GoalStatus::Skipped,
            note: why.into(),
            ..Self::new(name, false, "not measured", goal)
        }
    }

    /// An outcome that a busy machine can spoil.
    pub fn timing(mut self) -> Self {
        self.timing = true;
        self
    }

    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}
