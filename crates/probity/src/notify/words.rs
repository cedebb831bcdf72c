//! The text of a notification. Pure. Short, one line each, and without a character that a desktop could act
//! on.

use probity_research::{
    cost::Cost,
    status::{RunStatus, RunSummary},
    text,
};

/// Longest title and longest body, in characters. Desktops cut near there, each in its own way.
pub const CHARACTERS_MAX: usize = 120;

/// Whether the question may be shown on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShowQuery {
    Yes,
    No,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    pub title: String,
    pub body: String,
}

/// For one run that came to rest.
pub fn notification(summary: &RunSummary, show_query: ShowQuery) -> Notification {
    let title = format!("Probity: research {}", outcome(summary.status));
    let facts = facts(summary);
    let body = match show_query {
        ShowQuery::No => format!("{facts}. probity runs show {}", summary.id),
        ShowQuery::Yes => {
            let room = CHARACTERS_MAX.saturating_sub(facts.chars().count() + 3);
            format!("{} ({facts})", text::line(&summary.query, room))
        }
    };
    Notification { title: inert(&title), body: inert(&body) }
}

/// For many that came to rest together.
pub fn several(count: usize) -> Notification {
    Notification { title: format!("Probity: {count} researches ended"), body: "probity runs list".to_owned() }
}

fn outcome(status: RunStatus) -> &'static str {
    match status {
        RunStatus::Completed => "completed",
        RunStatus::Incomplete => "ended early",
        RunStatus::Failed => "failed",
        RunStatus::Cancelled => "cancelled",
        RunStatus::Expired => "expired",
        RunStatus::TimedOut => "timed out",
        RunStatus::OverBudget => "stopped at its budget",
        RunStatus::Unknown => "needs a look",
        RunStatus::Pending | RunStatus::RunningAsync | RunStatus::Cancelling => "goes on",
    }
}

fn facts(summary: &RunSummary) -> String {
    let mut facts = Vec::new();
    if let Some(ended) = summary.ended_at {
        facts.push(match ended.since_ms(summary.asked_at) / 60_000 {
            0 => "under 1 min".to_owned(),
            minutes => format!("{minutes} min"),
        });
    }
    if summary.status == RunStatus::Completed {
        let noun = if summary.sources == 1 { "source" } else { "sources" };
        facts.push(format!("{} {noun}", summary.sources));
    }
    facts.push(match summary.cost {
        Cost::Unknown => "cost unknown".to_owned(),
        Cost::FromUsage(_) | Cost::AtLeast(_) | Cost::Nothing => summary.cost.to_string(),
    });
    if let Some(problem) = &summary.problem {
        facts.push(problem.code.as_str().to_owned());
    }
    facts.join(", ")
}

/// One short line. Some desktops read markup in what they are given, so markup characters become their
/// lookalikes.
pub fn inert(foreign: &str) -> String {
    let lookalike = |character| match character {
        '<' => '‹',
        '>' => '›',
        '&' => '＆',
        '\\' => '⧵',
        other => other,
    };
    text::line(foreign, CHARACTERS_MAX).chars().map(lookalike).collect()
}
