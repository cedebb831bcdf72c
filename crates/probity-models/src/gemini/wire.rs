//! The JSON of the Interactions API: what we send, what comes back.
//!
//! Every set of names is open and nothing but broken JSON is an error: what is missing is empty, what is
//! unknown is kept as it came. Values are borrowed from the response and parsed only on demand.

mod event;
mod lenient;
mod request;

use serde::Deserialize;
use serde_json::value::RawValue;

pub use event::{InteractionEvent, InteractionEventKind, InteractionStepDelta};
pub use lenient::{LenientNumber, LenientText, read_list, read_object, readable};
pub use request::{
    AgentConfig, CreateInteractionRequest, InteractionLabels, InteractionTool, ResponseFormat,
};

/// The service's status of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InteractionStatus {
    Queued,
    InProgress,
    RequiresAction,
    RequiresContinuation,
    Completed,
    Failed,
    Cancelled,
    Incomplete,
    BudgetExceeded,
    Unknown(String),
}

impl InteractionStatus {
    pub fn parse(text: &str) -> Self {
        match text {
            "queued" => Self::Queued,
            "in_progress" => Self::InProgress,
            "requires_action" => Self::RequiresAction,
            "requires_continuation" => Self::RequiresContinuation,
            "completed" => Self::Completed,
            "failed" => Self::Failed,
            "cancelled" => Self::Cancelled,
            "incomplete" => Self::Incomplete,
            "budget_exceeded" => Self::BudgetExceeded,
            unknown => Self::Unknown(unknown.to_owned()),
        }
    }

    /// Whether nothing more will come. An unknown status does not end a run.
    pub fn is_end(&self) -> bool {
        match self {
            Self::Completed
            | Self::Failed
            | Self::Cancelled
            | Self::Incomplete
            | Self::BudgetExceeded
            | Self::RequiresAction => true,
            Self::Queued | Self::InProgress | Self::RequiresContinuation | Self::Unknown(_) => false,
        }
    }
}

/// A run as `get` returns it, borrowed from the response.
#[derive(Debug)]
pub struct Interaction<'a> {
    pub id: LenientText<'a>,
    pub status: LenientText<'a>,
    pub model: LenientText<'a>,
    pub steps: Vec<InteractionStep<'a>>,
    pub usage: Option<&'a RawValue>,
    pub errors: Vec<InteractionErrorEntry<'a>>,
}

#[derive(Deserialize)]
struct RawInteraction<'a, Steps> {
    #[serde(borrow, default)]
    id: LenientText<'a>,
    #[serde(borrow, default)]
    status: LenientText<'a>,
    #[serde(borrow, default)]
    model: LenientText<'a>,
    #[serde(default = "Option::default")]
    steps: Option<Steps>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    errors: Option<&'a RawValue>,
}

impl<'a> Interaction<'a> {
    /// Parses a response. Steps of an unexpected shape are skipped, not fatal: only then is the text parsed
    /// twice.
    pub fn read(body: &'a [u8]) -> Result<Self, serde_json::Error> {
        if !lenient::is_object(body) {
            return Err(serde::de::Error::custom("not an object"));
        }
        // UTF-8 is checked once for the whole: the parser would check every text by itself, and again inside
        // raw parts.
        let body = std::str::from_utf8(body).map_err(serde::de::Error::custom)?;
        match serde_json::from_str::<RawInteraction<'a, Vec<InteractionStep<'a>>>>(body) {
            Ok(raw) => Ok(Self::from_raw(raw, Option::unwrap_or_default)),
            Err(_) => {
                let raw = serde_json::from_str::<RawInteraction<'a, &'a RawValue>>(body)?;
                Ok(Self::from_raw(raw, read_list))
            }
        }
    }

    fn from_raw<S>(
        raw: RawInteraction<'a, S>,
        steps: impl FnOnce(Option<S>) -> Vec<InteractionStep<'a>>,
    ) -> Self {
        Self {
            id: raw.id,
            status: raw.status,
            model: raw.model,
            steps: steps(raw.steps),
            usage: raw.usage,
            errors: read_list(raw.errors),
        }
    }

    pub fn status(&self) -> InteractionStatus {
        InteractionStatus::parse(&self.status)
    }
}

#[derive(Debug, Default, Deserialize)]
pub struct InteractionErrorEntry<'a> {
    #[serde(borrow, default)]
    pub code: LenientText<'a>,
    #[serde(borrow, default)]
    pub message: LenientText<'a>,
}

/// The kind of a step. Kinds that are not used here are `Unknown` too; their JSON stays in the response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InteractionStepKind<'s> {
    UserInput,
    ModelOutput,
    Thought,
    GoogleSearchCall,
    UrlContextCall,
    UrlContextResult,
    FunctionCall,
    FunctionResult,
    Unknown(&'s str),
}

impl<'s> InteractionStepKind<'s> {
    pub fn parse(text: &'s str) -> Self {
        match text {
            "user_input" => Self::UserInput,
            "model_output" => Self::ModelOutput,
            "thought" => Self::Thought,
            "google_search_call" => Self::GoogleSearchCall,
            "url_context_call" => Self::UrlContextCall,
            "url_context_result" => Self::UrlContextResult,
            "function_call" => Self::FunctionCall,
            "function_result" => Self::FunctionResult,
            unknown => Self::Unknown(unknown),
        }
    }
}

/// One step; its parts are parsed on demand.
#[derive(Debug, Default, Deserialize)]
pub struct InteractionStep<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: LenientText<'a>,
    #[serde(borrow, default)]
    pub id: LenientText<'a>,
    #[serde(borrow, default)]
    pub call_id: LenientText<'a>,
    #[serde(borrow, default)]
    pub content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub summary: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub error: Option<&'a RawValue>,
}

impl<'a> InteractionStep<'a> {
    pub fn kind(&self) -> InteractionStepKind<'_> {
        InteractionStepKind::parse(&self.kind)
    }

    pub fn content(&self) -> Vec<StepContent<'a>> {
        read_list(self.content)
    }

    pub fn summary(&self) -> Vec<StepContent<'a>> {
        read_list(self.summary)
    }

    pub fn arguments(&self) -> ToolArguments<'a> {
        read_object(self.arguments)
    }

    pub fn pages(&self) -> Vec<UrlContextPage<'a>> {
        read_list(self.result)
    }

    pub fn error(&self) -> InteractionErrorEntry<'a> {
        read_object(self.error)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepContentKind<'c> {
    Text,
    Unknown(&'c str),
}

#[derive(Debug, Default, Deserialize)]
pub struct StepContent<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: LenientText<'a>,
    #[serde(borrow, default)]
    pub text: LenientText<'a>,
    #[serde(borrow, default)]
    pub annotations: Option<&'a RawValue>,
}

impl<'a> StepContent<'a> {
    pub fn kind(&self) -> StepContentKind<'_> {
        match &*self.kind {
            "text" => StepContentKind::Text,
            unknown => StepContentKind::Unknown(unknown),
        }
    }

    pub fn annotations(&self) -> Vec<TextAnnotation<'a>> {
        read_list(self.annotations)
    }
}

/// An annotation of a range of text. Offsets are UTF-8 bytes within one block.
#[derive(Debug, Default, Deserialize)]
pub struct TextAnnotation<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: LenientText<'a>,
    #[serde(borrow, default)]
    pub url: LenientText<'a>,
    #[serde(borrow, default)]
    pub title: LenientText<'a>,
    #[serde(borrow, default)]
    pub name: LenientText<'a>,
    /// Missing where it is zero, as this service writes its numbers.
    #[serde(default)]
    pub start_index: LenientNumber,
    #[serde(default)]
    pub end_index: LenientNumber,
}

#[derive(Debug, Default, Deserialize)]
pub struct ToolArguments<'a> {
    #[serde(borrow, default)]
    queries: Option<&'a RawValue>,
}

impl<'a> ToolArguments<'a> {
    pub fn queries(&self) -> Vec<LenientText<'a>> {
        read_list(self.queries)
    }
}

/// One fetched page. Only `success` means that it was read.
#[derive(Debug, Default, Deserialize)]
pub struct UrlContextPage<'a> {
    #[serde(borrow, default)]
    pub url: LenientText<'a>,
    #[serde(borrow, default)]
    pub status: LenientText<'a>,
}

impl UrlContextPage<'_> {
    pub fn was_read(&self) -> bool {
        &*self.status == "success"
    }
}

#[derive(Debug, Default, Deserialize)]
pub struct InteractionUsage<'a> {
    #[serde(default)]
    pub total_input_tokens: LenientNumber,
    #[serde(default)]
    pub total_cached_tokens: LenientNumber,
    #[serde(default)]
    pub total_output_tokens: LenientNumber,
    #[serde(default)]
    pub total_thought_tokens: LenientNumber,
    #[serde(default)]
    pub total_tool_use_tokens: LenientNumber,
    #[serde(default)]
    pub total_tokens: LenientNumber,
    #[serde(borrow, default)]
    pub grounding_tool_count: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
pub struct GroundingToolCount<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: LenientText<'a>,
    #[serde(default)]
    pub count: LenientNumber,
}

#[cfg(test)]
mod tests;
