//! Watching a report: when its cited pages are read again, and what is kept of that. Pure; who starts the check and
//! whom it tells is the program's.

use std::time::Duration;

use probity_types::{error::Code, id::RunId, time::Moment};
use serde::{Deserialize, Serialize};

/// Reports that are watched on one machine: each costs its pages a request every few days.
pub const WATCHES_MAX: usize = 200;
/// No page is asked more often for a report that is only watched.
pub const EVERY_MIN: Duration = Duration::from_secs(3_600);
/// Longer than this is forgotten, not watched.
pub const EVERY_MAX: Duration = Duration::from_secs(366 * 86_400);
/// A check that could not be made is tried again after this, unless it is due earlier.
const RETRY_AFTER: Duration = Duration::from_secs(6 * 3_600);
/// How long a check may take before somebody else may begin it: longer than any deadline of a run.
const CLAIM: Duration = Duration::from_secs(2 * 3_600);

/// A report that is checked again and again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watch {
    /// The run whose report it is.
    pub id: RunId,
    pub title: String,
    pub every_ms: u64,
    pub added_at: Moment,
    pub due_at: Moment,
    /// The check whose verdicts the next one is compared with; the run itself at first.
    pub newest: RunId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked_at: Option<Moment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<WatchOutcome>,
}

/// How the last check of a watched report ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum WatchOutcome {
    Unchanged,
    /// Claims with another verdict than before, and those among them whose verdict was better.
    Changed {
        changes: u32,
        worse: u32,
    },
    NotDone {
        code: Code,
        why: String,
    },
}

impl Watch {
    pub fn new(id: RunId, title: &str, every: Duration, now: Moment) -> Self {
        let every_ms = span_ms(every.clamp(EVERY_MIN, EVERY_MAX));
        Self {
            id,
            title: title.to_owned(),
            every_ms: u64::try_from(every_ms).unwrap_or(0),
            added_at: now,
            due_at: now.plus_ms(every_ms),
            newest: id,
            checked_at: None,
            last: None,
        }
    }

    pub fn every(&self) -> Duration {
        Duration::from_millis(self.every_ms).clamp(EVERY_MIN, EVERY_MAX)
    }

    pub fn is_due(&self, now: Moment) -> bool {
        self.due_at <= now
    }

    /// The same while its check is under way: nobody else begins it, and if this process ends it is due again.
    pub fn claimed(&self, now: Moment) -> Self {
        Self { due_at: now.plus_ms(span_ms(CLAIM)), ..self.clone() }
    }

    /// The same after a check; `newest` is that check where it came to verdicts.
    pub fn after(&self, now: Moment, newest: Option<RunId>, outcome: WatchOutcome) -> Self {
        let wait = match &outcome {
            WatchOutcome::Unchanged | WatchOutcome::Changed { .. } => self.every(),
            WatchOutcome::NotDone { .. } => self.every().min(RETRY_AFTER),
        };
        Self {
            due_at: now.plus_ms(span_ms(wait)),
            newest: newest.unwrap_or(self.newest),
            checked_at: newest.map(|_| now).or(self.checked_at),
            last: Some(outcome),
            ..self.clone()
        }
    }
}

/// What is due, the longest waiting first.
pub fn due(watches: &[Watch], now: Moment) -> Vec<&Watch> {
    let mut due: Vec<&Watch> = watches.iter().filter(|watch| watch.is_due(now)).collect();
    due.sort_by_key(|watch| watch.due_at);
    due
}

fn span_ms(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use probity_types::{error::Code, id::RunId, time::Moment};

    use super::{EVERY_MIN, Watch, WatchOutcome, due};

    const DAY: i64 = 86_400_000;

    fn watch(number: u128, days: u64) -> Watch {
        Watch::new(RunId::from_random(number), "a report", Duration::from_secs(days * 86_400), Moment(0))
    }

    fn due_at(watches: &[Watch], day: i64) -> Vec<RunId> {
        due(watches, Moment(day * DAY)).iter().map(|watch| watch.id).collect()
    }

    #[test]
    fn the_longest_waiting_is_due_first_and_nothing_early() {
        let watches = [watch(1, 7), watch(2, 3)];
        assert_eq!(due_at(&watches, 2), []);
        assert_eq!(due_at(&watches, 3), [watches[1].id]);
        assert_eq!(due_at(&watches, 8), [watches[1].id, watches[0].id]);
    }

    #[test]
    fn a_check_moves_the_date_and_what_the_next_is_compared_with() {
        let first = watch(1, 7);
        let (check, now) = (RunId::from_random(9), Moment(8 * DAY));
        let after = first.after(now, Some(check), WatchOutcome::Unchanged);
        assert_eq!((after.due_at, after.newest, after.checked_at), (Moment(15 * DAY), check, Some(now)));
        // Two processes do not begin the same check, and one that ended is made up for.
        assert!(!first.claimed(now).is_due(now) && first.claimed(now).is_due(Moment(9 * DAY)));
    }

    #[test]
    fn what_could_not_be_checked_is_tried_again_soon_against_the_same_verdicts() {
        let first = watch(1, 7);
        let failed = WatchOutcome::NotDone { code: Code::PageUnreachable, why: "no network".to_owned() };
        let after = first.after(Moment(8 * DAY), None, failed);
        assert_eq!((after.newest, after.checked_at), (first.id, None));
        assert!(after.is_due(Moment(8 * DAY + DAY / 4)) && !after.is_due(Moment(8 * DAY)));
    }

    #[test]
    fn nobody_is_asked_more_often_than_every_hour() {
        let eager = Watch::new(RunId::from_random(1), "", Duration::from_secs(1), Moment(0));
        assert_eq!(eager.every(), EVERY_MIN);
    }
}
