//! One event of a stream.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    InteractionErrorEntry, InteractionStep, LenientNumber, LenientText, StepContent, ToolArguments,
    UrlContextPage, lenient::is_object, read_list, read_object,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InteractionEventKind<'e> {
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
pub struct InteractionEvent<'a> {
    #[serde(borrow, default)]
    event_type: LenientText<'a>,
    #[serde(borrow, default)]
    pub event_id: LenientText<'a>,
    #[serde(borrow, default)]
    interaction_id: LenientText<'a>,
    #[serde(borrow, default)]
    interaction: Option<&'a RawValue>,
    /// In the event that tells of the creation perhaps the run's; in others of anything.
    #[serde(borrow, default)]
    id: LenientText<'a>,
    /// What some services wrap an event in.
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
    #[serde(borrow, default)]
    status: LenientText<'a>,
    #[serde(default)]
    pub index: LenientNumber,
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

/// What events report of the run as a whole.
#[derive(Debug, Default, Deserialize)]
struct InteractionHead<'a> {
    #[serde(borrow, default)]
    id: LenientText<'a>,
    #[serde(borrow, default)]
    status: LenientText<'a>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
}

/// An event inside another.
#[derive(Debug, Default, Deserialize)]
struct WrappedEvent<'a> {
    #[serde(borrow, default)]
    interaction_id: LenientText<'a>,
    #[serde(borrow, default)]
    interaction: Option<&'a RawValue>,
    #[serde(borrow, default)]
    id: LenientText<'a>,
}

#[derive(Debug, Default, Deserialize)]
struct InteractionEventMetadata<'a> {
    #[serde(borrow, default)]
    total_usage: Option<&'a RawValue>,
}

impl<'a> InteractionEvent<'a> {
    /// `None` for `[DONE]` and for what is no JSON object: the stream goes on after it.
    pub fn read(data: &'a [u8]) -> Option<Self> {
        is_object(data).then(|| serde_json::from_slice(data).ok()).flatten()
    }

    pub fn kind(&self) -> InteractionEventKind<'_> {
        match &*self.event_type {
            "interaction.created" => InteractionEventKind::Created,
            "interaction.status_update" => InteractionEventKind::StatusUpdate,
            "step.start" => InteractionEventKind::StepStart,
            "step.delta" => InteractionEventKind::StepDelta,
            "step.stop" => InteractionEventKind::StepStop,
            "interaction.completed" => InteractionEventKind::Completed,
            "error" => InteractionEventKind::Error,
            unknown => InteractionEventKind::Unknown(unknown),
        }
    }

    /// The run's id, wherever this event has it.
    pub fn interaction_id(&self) -> Option<String> {
        let is_creation = self.kind() == InteractionEventKind::Created;
        let wrapped: WrappedEvent<'_> = read_object(self.data);
        let outer = (self.interaction, &self.interaction_id, &self.id);
        let inner = (wrapped.interaction, &wrapped.interaction_id, &wrapped.id);
        [outer, inner].into_iter().find_map(|(interaction, named, own)| {
            let head: InteractionHead<'_> = read_object(interaction);
            let own = own.non_empty().filter(|_| is_creation);
            head.id.non_empty().or(named.non_empty()).or(own).map(str::to_owned)
        })
    }

    pub fn status(&self) -> Option<String> {
        let head: InteractionHead<'_> = read_object(self.interaction);
        head.status.non_empty().or(self.status.non_empty()).map(str::to_owned)
    }

    /// Usage up to now, where the event has it.
    pub fn usage(&self) -> Option<&'a RawValue> {
        let head: InteractionHead<'a> = read_object(self.interaction);
        let metadata: InteractionEventMetadata<'a> = read_object(self.metadata);
        head.usage.or(self.usage).or(metadata.total_usage)
    }

    pub fn step(&self) -> InteractionStep<'a> {
        read_object(self.step)
    }

    pub fn delta(&self) -> InteractionStepDelta<'a> {
        read_object(self.delta)
    }

    pub fn error(&self) -> InteractionErrorEntry<'a> {
        read_object(self.error)
    }
}

/// A delta of a step; its kind is the step's kind, or what was added.
#[derive(Debug, Default, Deserialize)]
pub struct InteractionStepDelta<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: LenientText<'a>,
    #[serde(borrow, default)]
    pub text: LenientText<'a>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub annotations: Option<&'a RawValue>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
}

impl<'a> InteractionStepDelta<'a> {
    pub fn content(&self) -> StepContent<'a> {
        read_object(self.content)
    }

    pub fn arguments(&self) -> ToolArguments<'a> {
        read_object(self.arguments)
    }

    pub fn pages(&self) -> Vec<UrlContextPage<'a>> {
        read_list(self.result)
    }
}
