//! The archive's responses: the availability API and the index, as its documentation shows them.

use std::fmt;

use probity_types::{
    error::{Code, CodedError},
    time::Moment,
};
use serde::Deserialize;

/// Digits of `YYYYMMDDhhmmss`.
const DIGITS: usize = 14;
const DAY_MS: i64 = 86_400_000;

/// When a copy was made, as the archive writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveTimestamp(String);

impl ArchiveTimestamp {
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_digit());
        (digits && Self(text.to_owned()).moment().is_some()).then(|| Self(text.to_owned()))
    }

    /// From `…/web/STAMPid_/…`.
    pub fn in_address(url: &str) -> Option<Self> {
        let (_, rest) = url.split_once("/web/")?;
        Self::parse(rest.get(..DIGITS)?)
    }

    pub fn moment(&self) -> Option<Moment> {
        let part = |from: usize, to: usize| self.0.get(from..to);
        let number = |from: usize, to: usize| part(from, to)?.parse::<i64>().ok();
        let day = Moment::of_date(&format!("{}-{}-{}", part(0, 4)?, part(4, 6)?, part(6, 8)?))?;
        let (hour, minute, second) = (number(8, 10)?, number(10, 12)?, number(12, 14)?);
        let within = ((hour * 60 + minute) * 60 + second) * 1000;
        (hour < 24 && minute < 60 && within < DAY_MS).then(|| day.plus_ms(within))
    }
}

impl fmt::Display for ArchiveTimestamp {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[derive(Deserialize)]
struct AvailabilityReply {
    archived_snapshots: ArchiveSnapshots,
}

#[derive(Deserialize)]
struct ArchiveSnapshots {
    closest: Option<ClosestSnapshot>,
}

#[derive(Deserialize)]
struct ClosestSnapshot {
    #[serde(default)]
    available: bool,
    timestamp: String,
    #[serde(default)]
    status: String,
}

/// The copy that the availability API names, if it is one of a page and not of an error.
pub fn available(body: &[u8]) -> Result<Option<ArchiveTimestamp>, CodedError> {
    let answer: AvailabilityReply = serde_json::from_slice(body).map_err(unreadable)?;
    let good = |closest: &ClosestSnapshot| closest.available && closest.status.starts_with('2');
    Ok(answer
        .archived_snapshots
        .closest
        .filter(good)
        .and_then(|closest| ArchiveTimestamp::parse(&closest.timestamp)))
}

/// The newest copy in the index: a table whose first row names the columns.
pub fn newest(body: &[u8]) -> Result<Option<ArchiveTimestamp>, CodedError> {
    // Nothing found is an empty table, or no table at all.
    if body.trim_ascii().is_empty() {
        return Ok(None);
    }
    let rows: Vec<Vec<String>> = serde_json::from_slice(body).map_err(unreadable)?;
    let Some((names, rows)) = rows.split_first() else { return Ok(None) };
    let column = names.iter().position(|name| name == "timestamp");
    let column = column.ok_or_else(|| unreadable("the index has no column `timestamp`"))?;
    let stamps = rows.iter().filter_map(|row| ArchiveTimestamp::parse(row.get(column)?));
    Ok(stamps.max_by(|one, other| one.0.cmp(&other.0)))
}

fn unreadable(error: impl fmt::Display) -> CodedError {
    CodedError::new(Code::UnreadableAnswer, &format!("the archive's answer cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::{ArchiveTimestamp, available, newest};

    fn text(stamp: Option<ArchiveTimestamp>) -> Option<String> {
        stamp.map(|stamp| stamp.to_string())
    }

    #[test]
    fn a_stamp_is_a_moment() {
        let moment = |text: &str| {
            ArchiveTimestamp::parse(text).and_then(|stamp| stamp.moment()).map(|moment| moment.to_string())
        };
        assert_eq!(moment("20130919044612").as_deref(), Some("2013-09-19T04:46:12.000Z"));
        for wrong in ["2013", "20131319044612", "20130919994612", "2013091904461x", "201309190446123"] {
            assert_eq!(moment(wrong), None, "{wrong}");
        }
        let address = "https://web.archive.org/web/20130919044612id_/http://example.org/";
        assert_eq!(text(ArchiveTimestamp::in_address(address)).as_deref(), Some("20130919044612"));
        assert_eq!(ArchiveTimestamp::in_address("https://example.org/web/é"), None);
    }

    #[test]
    fn only_a_good_copy_is_taken() {
        let answer = |more: &str| format!(r#"{{"url":"example.org","archived_snapshots":{{{more}}}}}"#);
        let closest = |available: bool, status: u16| {
            answer(&format!(
                r#""closest":{{"available":{available},"url":"http://elsewhere.test/","timestamp":"20130919044612","status":"{status}"}}"#
            ))
        };
        let found = |body: String| text(available(body.as_bytes()).unwrap());
        assert_eq!(found(closest(true, 200)).as_deref(), Some("20130919044612"));
        assert_eq!(found(closest(true, 404)), None);
        assert_eq!(found(closest(false, 200)), None);
        assert_eq!(found(answer("")), None);
        assert!(available(b"<html>busy</html>").is_err());
    }

    #[test]
    fn the_newest_of_the_index_is_taken() {
        let found = |body: &str| newest(body.as_bytes()).map(text);
        let table = r#"[["timestamp","statuscode"],["20100101000000","200"],["20130919044612","200"]]"#;
        assert_eq!(found(table).unwrap().as_deref(), Some("20130919044612"));
        for nothing in ["[]", "", "\n", r#"[["timestamp"]]"#, r#"[["timestamp"],["../../x"]]"#] {
            assert_eq!(found(nothing).unwrap(), None, "{nothing}");
        }
        assert!(found(r#"[["other"],["1"]]"#).is_err());
        assert!(found("no").is_err());
    }
}
