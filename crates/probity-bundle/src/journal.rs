//! The journal as lines of JSON: sequence, time, attended time, version, and the event as it is stored.

use probity_research::{Event, Sequence, StoredEvent, time::Moment};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::error::{BundleError, JournalLineError};

pub const JOURNAL: &str = "journal.jsonl";
/// Longest journal that is taken. A deep run leaves a few megabytes; reading takes about ten times its
/// length.
pub const JOURNAL_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Events of one run that is bundled: far above the longest run, and few enough to be replayed in seconds.
pub const EVENTS_MAX: usize = 50_000;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JournalLine<'a> {
    sequence: u64,
    at: i64,
    attended_ms: u64,
    version: u32,
    #[serde(borrow)]
    event: &'a RawValue,
}

pub fn encode(journal: &[StoredEvent]) -> Result<Vec<u8>, BundleError> {
    if journal.len() > EVENTS_MAX {
        return Err(BundleError::TooMany { what: "events", limit: EVENTS_MAX });
    }
    let mut lines = Vec::new();
    for (place, recorded) in journal.iter().enumerate() {
        line(recorded, &mut lines).map_err(|error| BundleError::Journal {
            line: place + 1,
            cause: JournalLineError::NotJson(error),
        })?;
        lines.push(b'\n');
    }
    if lines.len() > JOURNAL_BYTES_MAX {
        return Err(BundleError::TooLarge { what: JOURNAL, limit: JOURNAL_BYTES_MAX });
    }
    Ok(lines)
}

fn line(recorded: &StoredEvent, into: &mut Vec<u8>) -> Result<(), serde_json::Error> {
    let event = RawValue::from_string(recorded.event.encode()?)?;
    let line = JournalLine {
        sequence: recorded.sequence.0,
        at: recorded.at.0,
        attended_ms: recorded.attended_ms,
        version: recorded.event.version(),
        event: &event,
    };
    serde_json::to_writer(into, &line)
}

pub fn decode(bytes: &[u8]) -> Result<Vec<StoredEvent>, BundleError> {
    if bytes.len() > JOURNAL_BYTES_MAX {
        return Err(BundleError::TooLarge { what: JOURNAL, limit: JOURNAL_BYTES_MAX });
    }
    let text = std::str::from_utf8(bytes).map_err(|_| BundleError::Unreadable(JOURNAL))?;
    let mut journal = Vec::new();
    for (place, line) in text.lines().enumerate() {
        if journal.len() >= EVENTS_MAX {
            return Err(BundleError::TooMany { what: "events", limit: EVENTS_MAX });
        }
        journal.push(recorded(line).map_err(|cause| BundleError::Journal { line: place + 1, cause })?);
    }
    Ok(journal)
}

fn recorded(line: &str) -> Result<StoredEvent, JournalLineError> {
    let JournalLine { sequence, at, attended_ms, version, event } =
        serde_json::from_str(line).map_err(JournalLineError::NotJson)?;
    Ok(StoredEvent {
        sequence: Sequence(sequence),
        at: Moment(at),
        attended_ms,
        event: Event::decode(version, event.get())?,
    })
}
