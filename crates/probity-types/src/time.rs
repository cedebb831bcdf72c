//! Points in time as stored. Reading the clock is up to the driver (`ports::Clock`).

use std::fmt;

use serde::{Deserialize, Serialize};

/// Milliseconds since 1970 in UTC, from the machine's clock: good for showing, never for deadlines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Default)]
#[serde(transparent)]
pub struct Moment(pub i64);

impl Moment {
    pub fn plus_ms(self, milliseconds: i64) -> Self {
        Self(self.0.saturating_add(milliseconds))
    }

    /// Milliseconds from `earlier` to this; never negative, whatever the clock did.
    pub fn since_ms(self, earlier: Self) -> u64 {
        u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0)
    }

    /// The first moment of a day in UTC; `YYYY-MM-DD`.
    pub fn of_date(date: &str) -> Option<Self> {
        let day: jiff::civil::Date = date.parse().ok()?;
        let zoned = day.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        Some(Self(zoned.timestamp().as_millisecond()))
    }

    /// `YYYY-MM-DD`, for choosing the price row.
    pub fn date(self) -> String {
        self.to_string().chars().take(10).collect()
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(stamp) => write!(out, "{stamp:.3}"),
            Err(_) => write!(out, "{} ms", self.0),
        }
    }
}
