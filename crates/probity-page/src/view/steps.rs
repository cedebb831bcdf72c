//! The steps of a run as rows: a tree while it is under way, a waterfall afterwards.

use minijinja::{Value, context};
use probity_research::{
    cost::Cost,
    time::Moment,
    trace::{Trace, TraceStep, TraceStepStatus, TraceTotal},
};

use super::{UNKNOWN, amount, cost, duration, link, short};

/// Rows below one step while it runs: the newest. All of them are in the trace.
const LIVE_ROWS_MAX: usize = 24;
/// Rows on one page of the trace: about 500 bytes each.
pub(crate) const TRACE_ROWS_MAX: usize = 250;
/// Bars are drawn on a scale of so many parts.
const SCALE: u64 = 1_000;
/// A bar without duration is still visible.
const BAR_MIN: u64 = 4;

/// The tree of a run under way.
pub(crate) fn step_tree(trace: &Trace, now: Moment) -> Vec<Value> {
    trace.steps.iter().map(|step| branch(step, now)).collect()
}

fn branch(step: &TraceStep, now: Moment) -> Value {
    let hidden = step.children.len().saturating_sub(LIVE_ROWS_MAX);
    let shown = step.children.iter().skip(hidden).map(|child| row(child, now));
    context! {
        row => row(step, now),
        children => shown.collect::<Vec<Value>>(),
        hidden => hidden.saturating_add(usize::try_from(step.children_left_out).unwrap_or(0)),
    }
}

fn row(step: &TraceStep, now: Moment) -> Value {
    let tokens =
        step.usage.total_tokens.max(step.usage.input_tokens.saturating_add(step.usage.output_tokens));
    context! {
        kind => step.kind.as_str(),
        // `attempt 2` needs no label.
        kind_told => !step.label.starts_with(step.kind.as_str()),
        label => short(&step.label),
        href => link(&step.label),
        provider => step.provider.as_deref().map(short),
        outcome => step.outcome.as_str(),
        open => step.outcome == TraceStepStatus::Open,
        result => short(&step.result),
        took => step.known_elapsed_ms(now).map(duration),
        tokens => told_tokens(tokens, step.cost),
        cost => (step.cost != Cost::Nothing).then(|| cost(step.cost)),
        refusals => step.refusals,
    }
}

/// Nothing where nothing was to be counted.
fn told_tokens(tokens: u64, cost: Cost) -> Option<String> {
    match (tokens, cost) {
        (0, Cost::Unknown) => Some(UNKNOWN.to_owned()),
        (0, Cost::Nothing | Cost::FromUsage(_) | Cost::AtLeast(_)) => None,
        (counted, _) => Some(amount(counted)),
    }
}

/// One page of the waterfall: rows in order, each with its bar.
pub(crate) fn waterfall(trace: &Trace, now: Moment, page: usize) -> (Vec<Value>, usize) {
    let mut rows = Vec::new();
    flatten(&trace.steps, 0, &mut rows);
    let total = rows.len();
    let span = TraceScale { start: trace.started, length: trace.elapsed_ms(now).max(1) };
    let shown = rows.into_iter().skip(page.saturating_mul(TRACE_ROWS_MAX)).take(TRACE_ROWS_MAX);
    let values =
        shown.map(|(depth, step)| context! { depth, bar => span.bar(step, now), ..row(step, now) }).collect();
    (values, total)
}

fn flatten<'a>(steps: &'a [TraceStep], depth: u32, rows: &mut Vec<(u32, &'a TraceStep)>) {
    for step in steps {
        rows.push((depth, step));
        flatten(&step.children, depth.saturating_add(1), rows);
    }
}

/// The time from the question to the end.
struct TraceScale {
    start: Moment,
    length: u64,
}

impl TraceScale {
    fn bar(&self, step: &TraceStep, now: Moment) -> Value {
        let place = |milliseconds: u64| milliseconds.min(self.length).saturating_mul(SCALE) / self.length;
        let width = place(step.elapsed_ms(now)).max(BAR_MIN);
        let start = place(step.started.since_ms(self.start)).min(SCALE - BAR_MIN);
        context! { start, width => width.min(SCALE - start), after => duration(step.started.since_ms(self.start)) }
    }
}

pub(crate) fn totals<T>(sums: &[(T, TraceTotal)], name: impl Fn(&T) -> String) -> Vec<Value> {
    let to_total = |(key, total): &(T, TraceTotal)| {
        let tokens =
            total.usage.total_tokens.max(total.usage.input_tokens.saturating_add(total.usage.output_tokens));
        context! {
            name => short(&name(key)),
            steps => total.steps,
            failed => total.failed,
            tokens => told_tokens(tokens, total.cost).unwrap_or_else(|| amount(0)),
            cost => cost(total.cost),
            took => duration(total.elapsed_ms),
        }
    };
    sums.iter().map(to_total).collect()
}
