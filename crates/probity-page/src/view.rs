//! Values as pages show them: money, time, counts, states and addresses in words. Nothing here is escaped: templates do.

pub(crate) mod document;
pub(crate) mod steps;

use minijinja::{Value, context};
use probity_research::{
    cost::{Cost, MicroUsd},
    status::{RunStatus, RunSummary},
    time::Moment,
    way_out::way_out,
};

/// Longest foreign line in a list; the whole text is on its own page.
pub(crate) const LINE_CHARACTERS_MAX: usize = 240;
/// What the provider did not tell; never 0.
pub(crate) const UNKNOWN: &str = "unknown";
/// Longest question shown in full.
const QUESTION_CHARACTERS_MAX: usize = 4_000;

/// `0.4 s`, `12 s`, `3 min 05 s`, `2 h 04 min`.
pub(crate) fn duration(milliseconds: u64) -> String {
    let seconds = milliseconds / 1_000;
    match seconds {
        0..10 => format!("{}.{} s", seconds, milliseconds % 1_000 / 100),
        10..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3_600, seconds % 3_600 / 60),
    }
}

/// `950`, `12.4 k`, `1.2 M`.
pub(crate) fn amount(count: u64) -> String {
    match count {
        0..10_000 => count.to_string(),
        10_000..1_000_000 => format!("{}.{} k", count / 1_000, count % 1_000 / 100),
        _ => format!("{}.{} M", count / 1_000_000, count % 1_000_000 / 100_000),
    }
}

/// A moment for people and for machines.
pub(crate) fn moment(at: Moment) -> Value {
    let exact = at.to_string();
    let shown: String = exact.chars().take(16).collect();
    context! { exact, shown => shown.replace('T', " ") }
}

pub(crate) fn cost(cost: Cost) -> String {
    match cost {
        Cost::Unknown => UNKNOWN.to_owned(),
        other => other.to_string(),
    }
}

/// Only addresses of the web become links.
pub(crate) fn link(address: &str) -> Option<&str> {
    let scheme = |name: &str| address.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    (scheme("https://") || scheme("http://")).then_some(address)
}

pub(crate) fn short(text: &str) -> String {
    probity_research::text::line(text, LINE_CHARACTERS_MAX)
}

/// A label, and the class that gives it its shape and colour.
pub(crate) fn status(status: RunStatus) -> Value {
    let (word, class) = match status {
        RunStatus::Pending => ("starting", "running"),
        RunStatus::RunningAsync => ("running", "running"),
        RunStatus::Cancelling => ("cancelling", "running"),
        RunStatus::Completed => ("completed", "good"),
        RunStatus::Incomplete => ("incomplete", "fair"),
        RunStatus::Cancelled => ("cancelled", "fair"),
        RunStatus::Expired => ("expired", "poor"),
        RunStatus::TimedOut => ("timed out", "fair"),
        RunStatus::OverBudget => ("over budget", "fair"),
        RunStatus::Failed => ("failed", "poor"),
        RunStatus::Unknown => ("unknown", "poor"),
    };
    context! { word, class, name => status.as_str() }
}

/// What bounds a run, called what it is: nobody set an amount that only guards what is spent unasked.
pub(crate) fn bound(amount: MicroUsd, is_set: bool) -> String {
    match is_set {
        true => format!("Budget, now {amount}"),
        false => format!("No budget set, spending guard {amount}"),
    }
}

/// How much of a budget is used, in thousandths of it.
pub(crate) fn share(used: MicroUsd, limit: MicroUsd) -> u64 {
    used.0.saturating_mul(1_000).checked_div(limit.0).unwrap_or(1_000).min(1_000)
}

/// The header of every page about one run.
pub(crate) fn summary(summary: &RunSummary, now: Moment) -> Value {
    let took = summary.over_at().unwrap_or(now.max(summary.asked_at)).since_ms(summary.asked_at);
    context! {
        id => summary.id.to_string(),
        question => probity_research::text::short(&summary.query, QUESTION_CHARACTERS_MAX),
        headline => short(&summary.query),
        status => status(summary.status),
        over => summary.status.is_final(),
        asked => moment(summary.asked_at),
        took => duration(took),
        took_ms => took,
        cost => cost(summary.cost),
        engine => short(&summary.engine),
        engine_reason => summary.engine_reason.as_deref().map(short),
        given => summary.given,
        follows => summary.follows.map(|id| id.to_string()),
        agent => short(&summary.agent),
        action => short(&summary.current_action),
        percent => summary.clone().seen_at(now).progress_percent.min(100),
        estimated => summary.progress_estimated,
        searches => amount(u64::from(summary.searches)),
        pages => amount(u64::from(summary.pages)),
        sources => amount(u64::from(summary.sources)),
        tokens => match (summary.usage, summary.cost) {
            (Some(usage), _) => Some(amount(usage.total_tokens)),
            // Where nothing was billed, nothing was there to count.
            (None, Cost::Nothing) => None,
            (None, Cost::FromUsage(_) | Cost::AtLeast(_) | Cost::Unknown) => Some(UNKNOWN.to_owned()),
        },
        note => summary.note.as_deref().map(short),
        problem => summary.problem.as_ref().map(|problem| context! {
            message => short(&problem.message),
            code => problem.code.as_str(),
            hint => way_out(problem.code, Some(summary)),
        }),
        has_report => summary.report.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::{amount, bound, duration, link, share};
    use probity_research::cost::MicroUsd;

    #[test]
    fn times_and_counts_are_short() {
        let times = [0, 450, 9_999, 12_000, 185_000, 7_440_000].map(duration);
        assert_eq!(times, ["0.0 s", "0.4 s", "9.9 s", "12 s", "3 min 05 s", "2 h 04 min"]);
        assert_eq!([950, 12_400, 1_230_000].map(amount), ["950", "12.4 k", "1.2 M"]);
    }

    #[test]
    fn what_nobody_set_is_not_called_a_budget() {
        let dollar = MicroUsd(1_000_000);
        assert_eq!(bound(dollar, true), "Budget, now $1.00");
        assert_eq!(bound(dollar, false), "No budget set, spending guard $1.00");
    }

    #[test]
    fn only_the_web_is_linked() {
        assert_eq!(link("https://a.example/"), Some("https://a.example/"));
        assert_eq!(link("HTTP://a.example"), Some("HTTP://a.example"));
        for other in
            ["javascript:alert(1)", " https://a", "data:text/html,x", "file:///etc/passwd", "//a", "", "日本"]
        {
            assert_eq!(link(other), None, "{other}");
        }
    }

    #[test]
    fn a_share_is_never_more_than_all_of_it() {
        assert_eq!(share(MicroUsd(5), MicroUsd(10)), 500);
        assert_eq!(share(MicroUsd(11), MicroUsd(10)), 1_000);
        assert_eq!(share(MicroUsd(0), MicroUsd(0)), 1_000);
    }
}
