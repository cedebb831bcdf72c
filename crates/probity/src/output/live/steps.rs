//! The steps of a run as a few rows: one for each sort of work that the newest step consists of, one for each
//! step before it. Pure, and the same while it runs and after its end.

use probity_research::{
    time::Moment,
    trace::{Trace, TraceStep, TraceStepKind, TraceStepStatus},
};

use super::super::Tone;
use crate::format;

/// Rows under the counters: they fit under any prompt without pushing it off the screen.
pub const ROWS_MAX: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepRow {
    pub sign: &'static str,
    pub tone: Tone,
    pub text: String,
}

pub fn rows(trace: &Trace, now: Moment) -> Vec<StepRow> {
    let Some((newest, before)) = trace.steps.split_last() else { return Vec::new() };
    let mut rows: Vec<StepRow> = before.iter().map(|step| whole(step, now)).collect();
    match newest.children.is_empty() {
        true => rows.push(whole(newest, now)),
        false => rows.extend(kinds(&newest.children).iter().map(|kind| group(*kind, &newest.children, now))),
    }
    let surplus = rows.len().saturating_sub(ROWS_MAX);
    rows.split_off(surplus)
}

/// In the order of their first appearance.
fn kinds(steps: &[TraceStep]) -> Vec<TraceStepKind> {
    let mut kinds = Vec::new();
    for step in steps {
        if !kinds.contains(&step.kind) {
            kinds.push(step.kind);
        }
    }
    kinds
}

/// A step in one row, however much it did.
fn whole(step: &TraceStep, now: Moment) -> StepRow {
    let said = if step.result.is_empty() { &step.label } else { &step.result };
    row(step.outcome, name(step.kind), &[said.as_str(), &took(step.elapsed_ms(now))])
}

/// All steps of one sort: how many, how many failed, and what the newest is about.
fn group(kind: TraceStepKind, steps: &[TraceStep], now: Moment) -> StepRow {
    let steps: Vec<&TraceStep> = steps.iter().filter(|step| step.kind == kind).collect();
    let count = |outcome: TraceStepStatus| steps.iter().filter(|step| step.outcome == outcome).count();
    let (open, failed) = (count(TraceStepStatus::Open), count(TraceStepStatus::Failed));
    let outcome = match (open, failed) {
        (0, failed) if failed == steps.len() => TraceStepStatus::Failed,
        (0, _) => TraceStepStatus::Done,
        _ => TraceStepStatus::Open,
    };
    let newest = steps.iter().rev().find(|step| step.outcome == TraceStepStatus::Open).or(steps.last());
    let about = newest.map_or("", |step| step.label.as_str());
    let counted = match (steps.len(), open) {
        (1, _) => newest.map(|step| step.result.clone()).unwrap_or_default(),
        (all, 0) => all.to_string(),
        (all, open) => format!("{} of {all}", all - open),
    };
    let failures =
        if failed > 0 && failed < steps.len() { format!("{failed} failed") } else { String::new() };
    let ended = if open == 0 { took(together_ms(&steps, now)) } else { String::new() };
    row(outcome, name(kind), &[&counted, &failures, about, &ended])
}

/// From the first start to the last end: steps run concurrently.
fn together_ms(steps: &[&TraceStep], now: Moment) -> u64 {
    let first = steps.iter().map(|step| step.started).min();
    let last = steps.iter().map(|step| step.ended.unwrap_or(now)).max();
    first.zip(last).map_or(0, |(first, last)| last.since_ms(first))
}

fn row(outcome: TraceStepStatus, name: &str, parts: &[&str]) -> StepRow {
    let (sign, tone) = match outcome {
        TraceStepStatus::Open => ("●", Tone::Strong),
        TraceStepStatus::Done => ("✓", Tone::Good),
        TraceStepStatus::Failed => ("✗", Tone::Bad),
    };
    let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    StepRow { sign, tone, text: format!("{name:<8} {}", parts.join(" · ")) }
}

/// In one short word each, so that the rows align.
fn name(kind: TraceStepKind) -> &'static str {
    match kind {
        TraceStepKind::AgentRun => "agent",
        TraceStepKind::Fetch => "fetch",
        TraceStepKind::Thought => "think",
        TraceStepKind::Folder => "folder",
        TraceStepKind::Choose => "choose",
        TraceStepKind::Examine => "check",
        TraceStepKind::Recall => "recall",
        TraceStepKind::Attempt
        | TraceStepKind::Round
        | TraceStepKind::Check
        | TraceStepKind::Plan
        | TraceStepKind::Search
        | TraceStepKind::Read
        | TraceStepKind::Write
        | TraceStepKind::Call
        | TraceStepKind::Judge => kind.as_str(),
    }
}

/// Very short durations are not shown.
fn took(milliseconds: u64) -> String {
    match milliseconds {
        0..100 => String::new(),
        100..10_000 => format!("{}.{} s", milliseconds / 1_000, milliseconds % 1_000 / 100),
        _ => format::span(std::time::Duration::from_millis(milliseconds)),
    }
}

#[cfg(test)]
mod tests {
    use probity_research::{
        cost::{Cost, Usage},
        time::Moment,
        trace::{Trace, TraceStep, TraceStepKind, TraceStepStatus},
    };

    use super::rows;

    fn step(kind: TraceStepKind, label: &str, outcome: TraceStepStatus, from: i64, until: i64) -> TraceStep {
        TraceStep {
            kind,
            label: label.to_owned(),
            provider: None,
            started: Moment(from),
            ended: (outcome != TraceStepStatus::Open).then_some(Moment(until)),
            outcome,
            usage: Usage::NONE,
            cost: Cost::Nothing,
            refusals: 0,
            result: if outcome == TraceStepStatus::Open { String::new() } else { "3 results".to_owned() },
            children: Vec::new(),
            children_left_out: 0,
        }
    }

    fn shown(steps: Vec<TraceStep>) -> Vec<String> {
        let trace = Trace {
            started: Moment(0),
            ended: None,
            last: Moment(0),
            steps,
            cost: Cost::Nothing,
            by_kind: Vec::new(),
            by_provider: Vec::new(),
        };
        rows(&trace, Moment(9_000)).iter().map(|row| format!("{} {}", row.sign, row.text)).collect()
    }

    #[test]
    fn steps_of_a_sort_share_a_row_and_earlier_steps_have_one_each() {
        let first = step(TraceStepKind::Attempt, "attempt 1", TraceStepStatus::Done, 0, 2_500);
        let mut second = step(TraceStepKind::Attempt, "attempt 2", TraceStepStatus::Open, 2_500, 0);
        second.children = vec![
            step(TraceStepKind::Plan, "what to look up", TraceStepStatus::Done, 2_500, 3_000),
            step(TraceStepKind::Search, "tower height", TraceStepStatus::Done, 3_000, 4_000),
            step(TraceStepKind::Search, "tower age", TraceStepStatus::Failed, 3_000, 4_500),
            step(TraceStepKind::Fetch, "https://a.example/", TraceStepStatus::Done, 4_500, 5_000),
            step(TraceStepKind::Fetch, "https://b.example/", TraceStepStatus::Open, 4_500, 0),
        ];
        assert_eq!(
            shown(vec![first, second]),
            [
                "✓ attempt  3 results · 2.5 s",
                "✓ plan     3 results · what to look up · 0.5 s",
                "✓ search   2 · 1 failed · tower age · 1.5 s",
                "● fetch    1 of 2 · https://b.example/",
            ]
        );
    }
}
