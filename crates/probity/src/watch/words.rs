//! What is told of a watched report whose verdicts changed: the notification, the message of the webhook, the entry of
//! the feed. Pure.

use probity_evidence::verdict_changes::VerdictChange;
use probity_research::{
    RunId,
    ledger::{NotCheckedReason, Verdict},
    text,
    time::Moment,
};
use serde::{Deserialize, Serialize};

use crate::{
    format,
    notify::{Notification, ShowQuery, inert},
};

/// Changes that one message names; it says how many there are.
const CHANGES_MAX: usize = 20;
/// Entries in the feed: a reader that looks once a month misses none of a few reports.
const ENTRIES_MAX: usize = 100;
const WORDS_MAX: usize = 300;

/// What changed in one watched report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchNews<'a> {
    pub watched: RunId,
    pub check: RunId,
    pub title: &'a str,
    pub at: Moment,
    pub changes: &'a [VerdictChange],
}

/// The body of the webhook.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct WatchMessage<'a> {
    r#type: &'static str,
    timestamp: String,
    watched: RunId,
    check: RunId,
    title: String,
    changed: usize,
    worse: usize,
    changes: Vec<MessageChange<'a>>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct MessageChange<'a> {
    claim: String,
    words: String,
    before: &'a str,
    now: &'a str,
    worse: bool,
}

/// A JSON Feed 1.1; of a foreign one only what we write is kept.
#[derive(Debug, Serialize, Deserialize)]
struct WatchFeed {
    version: String,
    title: String,
    #[serde(default)]
    items: Vec<WatchFeedEntry>,
}

#[derive(Debug, Serialize, Deserialize)]
struct WatchFeedEntry {
    id: String,
    title: String,
    content_text: String,
    date_published: String,
}

/// The changes that say something about the pages: that there was no time, no money or no judge this time does not.
pub fn told(changes: Vec<VerdictChange>) -> Vec<VerdictChange> {
    let of_the_check = [
        NotCheckedReason::Deadline,
        NotCheckedReason::Budget,
        NotCheckedReason::Limit,
        NotCheckedReason::NoJudge,
    ]
    .map(|why| Verdict::NotChecked { why }.to_string());
    let failed = Verdict::CheckFailed { why: String::new() }.to_string();
    let says_nothing = |now: &String| of_the_check.contains(now) || now.starts_with(&failed);
    changes.into_iter().filter(|change| !says_nothing(&change.now)).collect()
}

pub fn worse(changes: &[VerdictChange]) -> usize {
    changes.iter().filter(|change| change.worse).count()
}

/// `3 verdicts changed, 2 of them for the worse`
pub fn summary(changes: &[VerdictChange]) -> String {
    let all = format::count(changes.len() as u64, "verdict changed", "verdicts changed");
    match worse(changes) {
        0 => all,
        some if some == changes.len() => format!("{all} for the worse"),
        some => format!("{all}, {some} of them for the worse"),
    }
}

impl WatchNews<'_> {
    pub fn notification(&self, show_query: ShowQuery) -> Notification {
        let title = format!("Probity: {}", summary(self.changes));
        let body = match show_query {
            ShowQuery::No => format!("in a watched report. probity runs show {}", self.check),
            ShowQuery::Yes => text::line(self.title, WORDS_MAX),
        };
        Notification { title: inert(&title), body: inert(&body) }
    }

    pub fn message(&self) -> WatchMessage<'_> {
        WatchMessage {
            r#type: "watch.changed",
            timestamp: self.at.to_string(),
            watched: self.watched,
            check: self.check,
            title: text::line(self.title, WORDS_MAX),
            changed: self.changes.len(),
            worse: worse(self.changes),
            changes: self
                .changes
                .iter()
                .take(CHANGES_MAX)
                .map(|change| MessageChange {
                    claim: change.claim.to_string(),
                    words: text::line(&change.words, WORDS_MAX),
                    before: &change.before,
                    now: &change.now,
                    worse: change.worse,
                })
                .collect(),
        }
    }

    /// The feed with this entry first; `known` is the feed so far. Told twice, it stands there once.
    pub fn feed(&self, known: Option<&[u8]>) -> Vec<u8> {
        let known = known.and_then(|bytes| serde_json::from_slice::<WatchFeed>(bytes).ok());
        let id = format!("probity:{}", self.check);
        let mut lines: Vec<String> =
            self.changes.iter().take(CHANGES_MAX).map(|change| line(change).trim_end().to_owned()).collect();
        if self.changes.len() > CHANGES_MAX {
            lines.push(format!("and {} more", self.changes.len() - CHANGES_MAX));
        }
        lines.push(format!("probity runs show {}", self.check));
        let entry = WatchFeedEntry {
            id: id.clone(),
            title: format!("{}: {}", text::line(self.title, WORDS_MAX), summary(self.changes)),
            content_text: lines.join("\n\n"),
            date_published: self.at.to_string(),
        };
        let older = known.map(|feed| feed.items).unwrap_or_default().into_iter().filter(|item| item.id != id);
        let feed = WatchFeed {
            version: "https://jsonfeed.org/version/1.1".to_owned(),
            title: "Probity: watched reports".to_owned(),
            items: std::iter::once(entry).chain(older).take(ENTRIES_MAX).collect(),
        };
        // Plain text and numbers: cannot fail.
        serde_json::to_vec_pretty(&feed).unwrap_or_default()
    }
}

/// One change as people read it, with the difference of the passage.
pub fn line(change: &VerdictChange) -> String {
    let words = text::line(&change.words, WORDS_MAX);
    format!("{} {} -> {}: {words}\n{}", change.claim, change.before, change.now, change.difference)
}

/// The line that makes cron do what is due, every hour.
pub fn cron_line(program: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "/._-".contains(character);
    let program = match program.chars().all(plain) {
        true => program.to_owned(),
        false => format!("'{}'", program.replace('\'', r"'\''")),
    };
    // A percent sign is a line break to cron.
    format!("17 * * * * {} watch run", program.replace('%', r"\%"))
}

#[cfg(test)]
mod tests;
