//! The promise of a notification's text as a check that tests, fuzzing and the figures run at their sizes.

use probity_research::{status::RunSummary, text};

use super::words::{CHARACTERS_MAX, Notification, ShowQuery, notification};

/// `Err` names the promise that is broken for this run.
pub fn check(summary: &RunSummary) -> Result<(), String> {
    let hidden = notification(summary, ShowQuery::No);
    let other = RunSummary { query: "another question".to_owned(), ..summary.clone() };
    if hidden != notification(&other, ShowQuery::No) {
        return Err(format!("the question shows: {hidden:?}"));
    }
    harmless(&hidden)?;
    harmless(&notification(summary, ShowQuery::Yes))
}

fn harmless(notification: &Notification) -> Result<(), String> {
    for line in [&notification.title, &notification.body] {
        if line.chars().count() > CHARACTERS_MAX {
            return Err(format!("too long: {line:?}"));
        }
        if text::line(line, CHARACTERS_MAX) != *line {
            return Err(format!("a character acts: {line:?}"));
        }
        if line.contains(['<', '>', '&', '\\', '\n']) {
            return Err(format!("markup: {line:?}"));
        }
    }
    Ok(())
}
