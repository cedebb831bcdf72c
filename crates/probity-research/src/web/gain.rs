//! When another attempt is worth it: measured by what the attempts so far brought.
//!
//! Never looks at what a model thinks of its own result, nor at money and time: the plan bounds those.

use serde::{Deserialize, Serialize};

use super::strategy::{Level, Strategy};

/// An attempt that brought less than this share of what the best one before it brought, in percent, brought little.
const LITTLE_PERCENT: u64 = 20;
/// Attempts with little in a row after which questions that are still open are left open: the first may have
/// asked with the wrong words, the second asked with others.
const LITTLE_IN_A_ROW_MAX: usize = 2;

/// What one attempt brought that was not there before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Gain {
    /// Origins (`cluster::origins`) that were quoted for the first time.
    pub new_origins: u32,
    pub new_facts: u32,
    /// Facts that contradict or correct an earlier one.
    pub changed_facts: u32,
    /// Searches or pages failed so that the attempt says nothing about what is out there.
    pub failed: bool,
}

impl Gain {
    /// New origins count too: the same fact from someone else makes it firmer.
    fn worth(&self) -> u64 {
        u64::from(self.new_origins) + u64::from(self.new_facts)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// Nothing needs to be looked up.
    NotNeeded,
    /// Every sub-question has a quotation, and more was not asked for.
    Answered,
    /// The last attempt brought little compared with those before it.
    LittleNew,
    AttemptsUsed,
}

impl StopReason {
    /// For the report.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::NotNeeded => "nothing had to be looked up",
            Self::Answered => "every part of the question has a quotation",
            Self::LittleNew => "the last attempt brought little that was new",
            Self::AttemptsUsed => "all planned attempts are used",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Continue,
    Stop(StopReason),
}

/// Whether to make another attempt after these. `open_gaps`: sub-questions without any quotation.
pub fn another(strategy: &Strategy, history: &[Gain], open_gaps: u32) -> Verdict {
    if strategy.level == Level::None {
        return Verdict::Stop(StopReason::NotNeeded);
    }
    let Some(last) = history.last() else { return Verdict::Continue };
    if history.len() >= usize::try_from(strategy.max_attempts.max(1)).unwrap_or(usize::MAX) {
        return Verdict::Stop(StopReason::AttemptsUsed);
    }
    // A failure is no sign that there is nothing, and a contradiction no sign that it is settled.
    if last.failed || last.changed_facts > 0 {
        return Verdict::Continue;
    }
    if strategy.level == Level::Shallow && open_gaps == 0 {
        return Verdict::Stop(StopReason::Answered);
    }
    let enough = if open_gaps == 0 { 1 } else { LITTLE_IN_A_ROW_MAX };
    if little_in_a_row(history) >= enough { Verdict::Stop(StopReason::LittleNew) } else { Verdict::Continue }
}

/// How many attempts at the end brought little; failed ones are passed over.
fn little_in_a_row(history: &[Gain]) -> usize {
    let worked: Vec<&Gain> = history.iter().filter(|gain| !gain.failed).collect();
    let brought_little = |place: usize, gain: &Gain| {
        let best_before = worked.iter().take(place).map(|gain| gain.worth()).max().unwrap_or(0);
        gain.changed_facts == 0 && gain.worth() * 100 <= best_before * LITTLE_PERCENT
    };
    let from_the_end = worked.iter().enumerate().rev();
    from_the_end.take_while(|(place, gain)| brought_little(*place, gain)).count()
}

#[cfg(test)]
mod tests;
