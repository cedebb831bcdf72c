//! Sums over the rows that did the work: a group is only its rows together, and what a call or an agent told on its way is
//! its progress. Neither is counted beside them.

use std::collections::BTreeMap;

use super::{TraceStep, TraceStepKind};
use crate::{
    cost::{Cost, Usage},
    time::Moment,
};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TraceTotal {
    pub steps: u32,
    pub failed: u32,
    pub refusals: u32,
    pub usage: Usage,
    pub cost: Cost,
    /// Of steps that are over; those that ran beside each other both count.
    pub elapsed_ms: u64,
}

impl Default for TraceTotal {
    fn default() -> Self {
        Self { steps: 0, failed: 0, refusals: 0, usage: Usage::NONE, cost: Cost::Nothing, elapsed_ms: 0 }
    }
}

impl TraceTotal {
    fn add(&mut self, step: &TraceStep) {
        self.steps = self.steps.saturating_add(1);
        self.failed = self.failed.saturating_add(u32::from(step.outcome == super::TraceStepStatus::Failed));
        self.refusals = self.refusals.saturating_add(step.refusals);
        self.usage = self.usage.plus(&step.usage);
        self.cost = self.cost.plus(step.cost);
        let elapsed = step.ended.map_or(0, |ended: Moment| ended.since_ms(step.started));
        self.elapsed_ms = self.elapsed_ms.saturating_add(elapsed);
    }
}

pub(super) fn by_kind<'a>(rows: impl Iterator<Item = &'a TraceStep>) -> Vec<(TraceStepKind, TraceTotal)> {
    let mut sums: BTreeMap<TraceStepKind, TraceTotal> = BTreeMap::new();
    rows.for_each(|step| sums.entry(step.kind).or_default().add(step));
    sums.into_iter().collect()
}

pub(super) fn by_provider<'a>(rows: impl Iterator<Item = &'a TraceStep>) -> Vec<(String, TraceTotal)> {
    let mut sums: BTreeMap<String, TraceTotal> = BTreeMap::new();
    for step in rows {
        if let Some(provider) = &step.provider {
            sums.entry(provider.clone()).or_default().add(step);
        }
    }
    sums.into_iter().collect()
}
