//! When another attempt is worth it: measured by the gain of the attempts so far.
//!
//! Never uses a model's opinion of its own result, nor money and time: the plan bounds those.

use serde::{Deserialize, Serialize};

use super::strategy::{Strategy, StrategyLevel};

/// New facts in percent of an attempt's average gain until then: at most this is little, and at most the
/// second is not much. A page that only repeats known facts still has a value that looks new now and then.
const LITTLE_PERCENT: u64 = 10;
const NOT_MUCH_PERCENT: u64 = 20;
/// Little counts twice, not much once, in a row. An open question is given another attempt with other words.
const STALENESS_MAX: u32 = 2;
const STALENESS_WITH_GAPS_MAX: u32 = 3;

/// What one attempt added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AttemptGain {
    /// Origins (`cluster::origins`) that were quoted for the first time.
    pub new_origins: u32,
    /// Values inside quotations that are on a stored page and were not known before.
    pub new_facts: u32,
    /// Facts that contradict or correct an earlier one.
    pub changed_facts: u32,
    /// So many searches or pages failed that the attempt says nothing about what exists.
    pub failed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AttemptsStop {
    /// Nothing needs to be looked up.
    NotNeeded,
    /// Every sub-question has a quotation, and more was not asked for.
    Answered,
    /// The last attempts added little compared with those before them.
    LittleNew,
    AttemptsUsed,
}

impl AttemptsStop {
    /// For the report.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::NotNeeded => "nothing had to be looked up",
            Self::Answered => "every part of the question has a quotation",
            Self::LittleNew => "the last attempts brought little that was new",
            Self::AttemptsUsed => "all planned attempts are used",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AttemptDecision {
    Continue,
    Stop(AttemptsStop),
}

/// Whether to make another attempt after these. `open_gaps`: sub-questions without any quotation.
pub fn decide_next_attempt(strategy: &Strategy, history: &[AttemptGain], open_gaps: u32) -> AttemptDecision {
    if strategy.level == StrategyLevel::None {
        return AttemptDecision::Stop(AttemptsStop::NotNeeded);
    }
    let Some(last) = history.last() else { return AttemptDecision::Continue };
    if history.len() >= usize::try_from(strategy.max_attempts.max(1)).unwrap_or(usize::MAX) {
        return AttemptDecision::Stop(AttemptsStop::AttemptsUsed);
    }
    // A failure is no sign that there is nothing, and a contradiction no sign that it is settled.
    if last.failed || last.changed_facts > 0 {
        return AttemptDecision::Continue;
    }
    if strategy.level == StrategyLevel::Shallow && open_gaps == 0 {
        return AttemptDecision::Stop(AttemptsStop::Answered);
    }
    let staleness_max = if open_gaps == 0 { STALENESS_MAX } else { STALENESS_WITH_GAPS_MAX };
    if staleness(history) >= staleness_max {
        AttemptDecision::Stop(AttemptsStop::LittleNew)
    } else {
        AttemptDecision::Continue
    }
}

/// How stale the attempts at the end are; failed ones are passed over.
fn staleness(history: &[AttemptGain]) -> u32 {
    let (mut stale, mut attempts, mut facts, mut origins) = (0_u32, 0_u64, 0_u64, 0_u64);
    for gain in history.iter().filter(|gain| !gain.failed) {
        let new_facts = u64::from(gain.new_facts);
        let at_most = |percent: u64| new_facts * 100 * attempts.max(1) <= facts * percent;
        // A second source that says the same makes a fact firmer, once: a fifth one is no reason to go on.
        let is_second_voice = origins == 1 && gain.new_origins > 0;
        stale = if gain.changed_facts > 0 || is_second_voice || !at_most(NOT_MUCH_PERCENT) {
            0
        } else {
            stale + if at_most(LITTLE_PERCENT) { 2 } else { 1 }
        };
        attempts += 1;
        facts += new_facts;
        origins += u64::from(gain.new_origins);
    }
    stale
}

#[cfg(test)]
mod tests;
