//! The steps of a research as a few rows: one for each sort of work that the newest step consists of, one for each step
//! before it. Pure, and the same while it runs and after its end.

use probity_research::{
    time::Moment,
    trace::{Kind, Outcome, Trace, TraceStep},
};

use super::super::Tone;
use crate::words;

/// Rows under the counters: they fit under any prompt without pushing it off the screen.
pub const ROWS_MAX: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub sign: &'static str,
    pub tone: Tone,
    pub text: String,
}

pub fn rows(trace: &Trace, now: Moment) -> Vec<Row> {
    let Some((newest, before)) = trace.steps.split_last() else { return Vec::new() };
    let mut rows: Vec<Row> = before.iter().map(|step| whole(step, now)).collect();
    match newest.children.is_empty() {
        true => rows.push(whole(newest, now)),
        false => rows.extend(kinds(&newest.children).iter().map(|kind| group(*kind, &newest.children, now))),
    }
    let surplus = rows.len().saturating_sub(ROWS_MAX);
    rows.split_off(surplus)
}

/// In the order in which they came first.
fn kinds(steps: &[TraceStep]) -> Vec<Kind> {
    let mut kinds = Vec::new();
    for step in steps {
        if !kinds.contains(&step.kind) {
            kinds.push(step.kind);
        }
    }
    kinds
}

/// A step in one row, however much it did.
fn whole(step: &TraceStep, now: Moment) -> Row {
    let said = if step.result.is_empty() { &step.label } else { &step.result };
    row(step.outcome, name(step.kind), &[said.as_str(), &took(step.elapsed_ms(now))])
}

/// All steps of one sort: how many, how many failed, and what the newest is about.
fn group(kind: Kind, steps: &[TraceStep], now: Moment) -> Row {
    let steps: Vec<&TraceStep> = steps.iter().filter(|step| step.kind == kind).collect();
    let count = |outcome: Outcome| steps.iter().filter(|step| step.outcome == outcome).count();
    let (open, failed) = (count(Outcome::Open), count(Outcome::Failed));
    let outcome = match (open, failed) {
        (0, failed) if failed == steps.len() => Outcome::Failed,
        (0, _) => Outcome::Done,
        _ => Outcome::Open,
    };
    let newest = steps.iter().rev().find(|step| step.outcome == Outcome::Open).or(steps.last());
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

/// From the first beginning to the last end: steps run beside each other.
fn together_ms(steps: &[&TraceStep], now: Moment) -> u64 {
    let first = steps.iter().map(|step| step.started).min();
    let last = steps.iter().map(|step| step.ended.unwrap_or(now)).max();
    first.zip(last).map_or(0, |(first, last)| last.since_ms(first))
}

fn row(outcome: Outcome, name: &str, parts: &[&str]) -> Row {
    let (sign, tone) = match outcome {
        Outcome::Open => ("●", Tone::Strong),
        Outcome::Done => ("✓", Tone::Good),
        Outcome::Failed => ("✗", Tone::Bad),
    };
    let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    Row { sign, tone, text: format!("{name:<8} {}", parts.join(" · ")) }
}

/// In one short word each, so that the rows stand under each other.
fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::AgentRun => "agent",
        Kind::Fetch => "fetch",
        Kind::Thought => "think",
        Kind::Folder => "folder",
        Kind::Choose => "choose",
        Kind::Examine => "check",
        Kind::Recall => "recall",
        Kind::Attempt
        | Kind::Round
        | Kind::Check
        | Kind::Plan
        | Kind::Search
        | Kind::Read
        | Kind::Write
        | Kind::Call
        | Kind::Judge => kind.as_str(),
    }
}

/// Moments are not worth a figure.
fn took(milliseconds: u64) -> String {
    match milliseconds {
        0..100 => String::new(),
        100..10_000 => format!("{}.{} s", milliseconds / 1_000, milliseconds % 1_000 / 100),
        _ => words::span(std::time::Duration::from_millis(milliseconds)),
    }
}

#[cfg(test)]
mod tests {
    use probity_research::{
        cost::{Cost, Usage},
        time::Moment,
        trace::{Kind, Outcome, Trace, TraceStep},
    };

    use super::rows;

    fn step(kind: Kind, label: &str, outcome: Outcome, from: i64, until: i64) -> TraceStep {
        TraceStep {
            kind,
            label: label.to_owned(),
            provider: None,
            started: Moment(from),
            ended: (outcome != Outcome::Open).then_some(Moment(until)),
            outcome,
            usage: Usage::NONE,
            cost: Cost::Nothing,
            refusals: 0,
            result: if outcome == Outcome::Open { String::new() } else { "3 results".to_owned() },
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
        let first = step(Kind::Attempt, "attempt 1", Outcome::Done, 0, 2_500);
        let mut second = step(Kind::Attempt, "attempt 2", Outcome::Open, 2_500, 0);
        second.children = vec![
            step(Kind::Plan, "what to look up", Outcome::Done, 2_500, 3_000),
            step(Kind::Search, "tower height", Outcome::Done, 3_000, 4_000),
            step(Kind::Search, "tower age", Outcome::Failed, 3_000, 4_500),
            step(Kind::Fetch, "https://a.example/", Outcome::Done, 4_500, 5_000),
            step(Kind::Fetch, "https://b.example/", Outcome::Open, 4_500, 0),
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
