//! One event of a stream.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    Arguments, Content, ErrorEntry, Number, PageResult, Step, Text, lenient::is_object, list, object,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind<'e> {
    Created,
    StatusUpdate,
    StepStart,
    StepDelta,
    StepStop,
    Completed,
    Error,
    Unknown(&'e str),
}

#[derive(Debug, Default, Deserialize)]
pub struct Event<'a> {
    #[serde(borrow, default)]
    event_type: Text<'a>,
    #[serde(borrow, default)]
    pub event_id: Text<'a>,
    #[serde(borrow, default)]
    interaction_id: Text<'a>,
    #[serde(borrow, default)]
    interaction: Option<&'a RawValue>,
    #[serde(borrow, default)]
    status: Text<'a>,
    #[serde(default)]
    pub index: Number,
    #[serde(borrow, default)]
    step: Option<&'a RawValue>,
    #[serde(borrow, default)]
    delta: Option<&'a RawValue>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    metadata: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

/// What events say of the run as a whole.
#[derive(Debug, Default, Deserialize)]
struct Head<'a> {
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default)]
    status: Text<'a>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
struct Metadata<'a> {
    #[serde(borrow, default)]
    total_usage: Option<&'a RawValue>,
}

impl<'a> Event<'a> {
    /// `None` for `[DONE]` and for what is no JSON object: a stream goes on behind it.
    pub fn read(data: &'a [u8]) -> Option<Self> {
        is_object(data).then(|| serde_json::from_slice(data).ok()).flatten()
    }

    pub fn kind(&self) -> EventKind<'_> {
        match &*self.event_type {
            "interaction.created" => EventKind::Created,
            "interaction.status_update" => EventKind::StatusUpdate,
            "step.start" => EventKind::StepStart,
            "step.delta" => EventKind::StepDelta,
            "step.stop" => EventKind::StepStop,
            "interaction.completed" => EventKind::Completed,
            "error" => EventKind::Error,
            unknown => EventKind::Unknown(unknown),
        }
    }

    /// The run's id, wherever this event has it.
    pub fn interaction_id(&self) -> Option<String> {
        let head: Head<'_> = object(self.interaction);
        head.id.filled().or(self.interaction_id.filled()).map(str::to_owned)
    }

    pub fn status(&self) -> Option<String> {
        let head: Head<'_> = object(self.interaction);
        head.status.filled().or(self.status.filled()).map(str::to_owned)
    }

    /// Usage up to now, where the event has it.
    pub fn usage(&self) -> Option<&'a RawValue> {
        let head: Head<'a> = object(self.interaction);
        let metadata: Metadata<'a> = object(self.metadata);
        head.usage.or(self.usage).or(metadata.total_usage)
    }

    pub fn step(&self) -> Step<'a> {
        object(self.step)
    }

    pub fn delta(&self) -> Delta<'a> {
        object(self.delta)
    }

    pub fn error(&self) -> ErrorEntry<'a> {
        object(self.error)
    }
}

/// A piece of a step; its kind is the step's kind, or what was added.
#[derive(Debug, Default, Deserialize)]
pub struct Delta<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: Text<'a>,
    #[serde(borrow, default)]
    pub text: Text<'a>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub annotations: Option<&'a RawValue>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
}

impl<'a> Delta<'a> {
    pub fn content(&self) -> Content<'a> {
        object(self.content)
    }

    pub fn arguments(&self) -> Arguments<'a> {
        object(self.arguments)
    }

    pub fn pages(&self) -> Vec<PageResult<'a>> {
        list(self.result)
    }
}
