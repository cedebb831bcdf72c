//! Scenarios: their names, their keys, and how a create asks for one.
//!
//! `[[name key=value]]` at the start of the input text, or anywhere in it when the name is known.

use std::str::FromStr;

mod bad_look;

use crate::{named_set::named, rounds};
pub use bad_look::BadLookKind;

/// How long a run takes unless a key says otherwise. Short: most tests do not care.
const DURATION_MS: u64 = 2_000;
/// Long enough that a test always finds it unfinished: the documented ten-minute stream life.
const DURATION_LONG_MS: u64 = 600_000;
/// How long temporary faults last: early 404, queueing, cancel lag, slow first byte.
const TROUBLE_MS: u64 = 1_000;
/// Search rounds in one run.
const STEPS: u32 = 3;
/// Search rounds one scenario may ask for; a step costs about a kilobyte when it is shown.
pub const STEPS_MAX: u32 = 5_000;
/// Events before a stream is dropped, as in the recorded fixture.
const EVENTS: u32 = 8;
/// Size of the `huge` report.
const BYTES: u32 = 2_000_000;
/// Size of the largest report a scenario may ask for.
pub const BYTES_MAX: u32 = 64_000_000;

named! {
    /// Every scenario there is.
    pub enum Name {
    Completed = "completed",
    Slow = "slow",
    Queued = "queued",
    Partial = "partial",
    DropAfter = "drop-after",
    NoEventId = "no-event-id",
    Stuck = "stuck",
    Early404 = "early-404",
    Early403 = "early-403",
    Expired = "expired",
    GoneAfter200 = "gone-after-200",
    CancelOk = "cancel-ok",
    Cancel400 = "cancel-400",
    Cancel404Array = "cancel-404-array",
    CancelLag = "cancel-lag",
    UsageMissing = "usage-missing",
    Plan = "plan",
    RequiresActionFinished = "requires-action-finished",
    UnknownEnums = "unknown-enums",
    EmptyReport = "empty-report",
    Error400 = "error-400",
    Error401 = "error-401",
    Error403 = "error-403",
    Error404Array = "error-404-array",
    Error429RetryAfter = "error-429-retry-after",
    Error429RetryAfterMs = "error-429-retry-after-ms",
    Error429RetryInfo = "error-429-retry-info",
    Error429Daily = "error-429-daily",
    Error500Html = "error-500-html",
    Error503Json = "error-503-json",
    CreateLost = "create-lost",
    CreateHtml = "create-html",
    CreateCutAfterId = "create-cut-after-id",
    CreateBilled = "create-billed",
    Failed = "failed",
    Incomplete = "incomplete",
    BudgetExceeded = "budget-exceeded",
    StreamError = "stream-error",
    StreamOnlyFinal = "stream-only-final",
    Crlf = "crlf",
    Hang = "hang",
    SlowFirstByte = "slow-first-byte",
    GarbageGet = "garbage-get",
    BadLook = "bad-look",
    FollowUp = "follow-up",
    Huge = "huge",
    }
}

/// Whether `get` shows the steps done so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepVisibility {
    ShownAtEnd,
    ShownEarly,
}

/// Whether a create that never answers was accepted all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CreateAcceptance {
    Accepted,
    Refused,
}

/// What the answer to a create that was accepted and billed looks like all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BilledShape {
    /// An error in the service's own words.
    Json,
    /// A proxy's page.
    Html,
}

/// How a stream ends that ends too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamEnding {
    /// The connection is cut: an error for every HTTP client.
    Cut,
    /// The body ends properly, only without a last event: an error only for a careful client.
    Clean,
}

/// One scenario with its keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scenario {
    pub name: Name,
    /// How long the run takes once it has begun.
    pub duration_ms: u64,
    /// How many search rounds it makes.
    pub steps: u32,
    /// After how many events the stream is dropped.
    pub events: u32,
    /// How long the fault of this scenario lasts.
    pub for_ms: u64,
    /// When the interaction is forgotten, counted from its create.
    pub after_ms: u64,
    /// How many times the fault of this scenario happens.
    pub times: u32,
    /// Size of a `huge` report.
    pub bytes: u32,
    pub shown: StepVisibility,
    pub acceptance: CreateAcceptance,
    pub ending: StreamEnding,
    /// The status behind which a create was accepted and billed.
    pub status: u16,
    pub billed: BilledShape,
    /// After how many bytes the body of that answer breaks off.
    pub cut: Option<u32>,
    /// What looks get in `bad-look`.
    pub look: BadLookKind,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScenarioError {
    #[error("there is no scenario `{0}`")]
    UnknownName(String),
    #[error("scenarios have no key `{0}`")]
    UnknownKey(String),
    #[error("`{value}` is not a value for the key `{key}`")]
    BadValue { key: String, value: String },
}

impl Scenario {
    /// The scenario with its default keys.
    pub fn named(name: Name) -> Self {
        let always = matches!(
            name,
            Name::Error400
                | Name::Error401
                | Name::Error403
                | Name::Error404Array
                | Name::Error429Daily
                | Name::Hang
                | Name::CreateBilled
                | Name::BadLook
        );
        let long = matches!(
            name,
            Name::Slow
                | Name::CancelOk
                | Name::Cancel400
                | Name::Cancel404Array
                | Name::CancelLag
                | Name::GoneAfter200
        );
        let early = matches!(
            name,
            Name::Partial | Name::CancelOk | Name::Cancel400 | Name::Cancel404Array | Name::CancelLag
        );
        Self {
            name,
            duration_ms: if long { DURATION_LONG_MS } else { DURATION_MS },
            steps: STEPS,
            events: EVENTS,
            for_ms: TROUBLE_MS,
            after_ms: 2 * DURATION_MS,
            times: match name {
                _ if always => u32::MAX,
                Name::GarbageGet => 3,
                _ => 1,
            },
            bytes: BYTES,
            shown: if early { StepVisibility::ShownEarly } else { StepVisibility::ShownAtEnd },
            acceptance: CreateAcceptance::Refused,
            ending: StreamEnding::Cut,
            status: 503,
            billed: BilledShape::Json,
            cut: None,
            look: BadLookKind::Html,
        }
    }

    /// The scenario an input text asks for, and `None` when it asks for none.
    pub fn in_text(text: &str) -> Result<Option<Self>, ScenarioError> {
        let mut rest = text.trim_start();
        let mut leading = true;
        while let Some((before, after)) = rest.split_once("[[") {
            leading = leading && before.is_empty();
            let Some((inside, behind)) = after.split_once("]]") else { return Ok(None) };
            rest = behind;
            // The script of a model is beside a scenario, never instead of one.
            if inside.split_whitespace().next() == Some(rounds::TAG) {
                rest = behind.trim_start();
                continue;
            }
            match inside.parse() {
                Ok(scenario) => return Ok(Some(scenario)),
                Err(error) if leading => return Err(error),
                Err(ScenarioError::UnknownName(_)) => {}
                Err(error) => return Err(error),
            }
            leading = false;
        }
        Ok(None)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), ScenarioError> {
        let bad = || ScenarioError::BadValue { key: key.to_owned(), value: value.to_owned() };
        let number = || value.parse::<u32>().map_err(|_| bad());
        let milliseconds = || value.parse::<u64>().map_err(|_| bad());
        let yes = || value.parse::<bool>().map_err(|_| bad());
        match key {
            "duration_ms" => self.duration_ms = milliseconds()?,
            "steps" => self.steps = number()?.min(STEPS_MAX),
            "events" => self.events = number()?,
            "for_ms" => self.for_ms = milliseconds()?,
            "after_ms" => self.after_ms = milliseconds()?,
            "times" => self.times = number()?,
            "bytes" => self.bytes = number()?.min(BYTES_MAX),
            "partial" => {
                self.shown = if yes()? { StepVisibility::ShownEarly } else { StepVisibility::ShownAtEnd }
            }
            "accepted" => {
                self.acceptance = if yes()? { CreateAcceptance::Accepted } else { CreateAcceptance::Refused }
            }
            "status" => {
                self.status =
                    value.parse().ok().filter(|status| (300..600).contains(status)).ok_or_else(bad)?;
            }
            "html" => self.billed = if yes()? { BilledShape::Html } else { BilledShape::Json },
            "cut" => self.cut = Some(number()?),
            "look" => self.look = BadLookKind::parse(value).ok_or_else(bad)?,
            "clean" => self.ending = if yes()? { StreamEnding::Clean } else { StreamEnding::Cut },
            _ => return Err(ScenarioError::UnknownKey(key.to_owned())),
        }
        Ok(())
    }
}

impl Default for Scenario {
    fn default() -> Self {
        Self::named(Name::Completed)
    }
}

/// `name key=value key=value`, without the brackets.
impl FromStr for Scenario {
    type Err = ScenarioError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut words = text.split_whitespace();
        let name = words.next().unwrap_or_default();
        let known = Name::parse(name).ok_or_else(|| ScenarioError::UnknownName(name.to_owned()))?;
        let mut scenario = Self::named(known);
        for word in words {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            scenario.set(key, value)?;
        }
        Ok(scenario)
    }
}

#[cfg(test)]
mod tests;
