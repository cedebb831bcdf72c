//! The Interactions API as it is spoken: what we send, what comes back.
//!
//! Every set of names is open and nothing but broken JSON is an error: what is missing is empty, what is
//! unknown is kept as it came. Values are borrowed from the answer and read only where someone needs them.

mod event;
mod lenient;
mod request;

use serde::Deserialize;
use serde_json::value::RawValue;

pub use event::{Delta, Event, EventKind};
pub use lenient::{Number, Text, list, object};
pub use request::{AgentConfig, Create, Labels, ResponseFormat, Tool};

/// The service's word for where a run stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
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

impl Status {
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

    /// Whether nothing more will come. A word nobody knows does not end a run.
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

/// A run as `get` shows it, borrowed from the answer.
#[derive(Debug)]
pub struct Interaction<'a> {
    pub id: Text<'a>,
    pub status: Text<'a>,
    pub model: Text<'a>,
    pub steps: Vec<Step<'a>>,
    pub usage: Option<&'a RawValue>,
    pub errors: Vec<ErrorEntry<'a>>,
}

#[derive(Deserialize)]
struct RawInteraction<'a, Steps> {
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default)]
    status: Text<'a>,
    #[serde(borrow, default)]
    model: Text<'a>,
    #[serde(default = "Option::default")]
    steps: Option<Steps>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    errors: Option<&'a RawValue>,
}

impl<'a> Interaction<'a> {
    /// Reads an answer. Steps of an unexpected shape are skipped, not fatal: only then is the text read twice.
    pub fn read(body: &'a [u8]) -> Result<Self, serde_json::Error> {
        if !lenient::is_object(body) {
            return Err(serde::de::Error::custom("not an object"));
        }
        // Checked as a whole, once: the reader would check every text by itself, and again inside raw parts.
        let body = std::str::from_utf8(body).map_err(serde::de::Error::custom)?;
        match serde_json::from_str::<RawInteraction<'a, Vec<Step<'a>>>>(body) {
            Ok(raw) => Ok(Self::from_raw(raw, Option::unwrap_or_default)),
            Err(_) => {
                let raw = serde_json::from_str::<RawInteraction<'a, &'a RawValue>>(body)?;
                Ok(Self::from_raw(raw, list))
            }
        }
    }

    fn from_raw<S>(raw: RawInteraction<'a, S>, steps: impl FnOnce(Option<S>) -> Vec<Step<'a>>) -> Self {
        Self {
            id: raw.id,
            status: raw.status,
            model: raw.model,
            steps: steps(raw.steps),
            usage: raw.usage,
            errors: list(raw.errors),
        }
    }

    pub fn status(&self) -> Status {
        Status::parse(&self.status)
    }
}

#[derive(Debug, Default, Deserialize)]
pub struct ErrorEntry<'a> {
    #[serde(borrow, default)]
    pub code: Text<'a>,
    #[serde(borrow, default)]
    pub message: Text<'a>,
}

/// What a step is. Kinds nobody here reads are `Unknown` too; their JSON stays in the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepKind<'s> {
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

impl<'s> StepKind<'s> {
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

/// One step; its parts are read on demand.
#[derive(Debug, Default, Deserialize)]
pub struct Step<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: Text<'a>,
    #[serde(borrow, default)]
    pub id: Text<'a>,
    #[serde(borrow, default)]
    pub call_id: Text<'a>,
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

impl<'a> Step<'a> {
    pub fn kind(&self) -> StepKind<'_> {
        StepKind::parse(&self.kind)
    }

    pub fn content(&self) -> Vec<Content<'a>> {
        list(self.content)
    }

    pub fn summary(&self) -> Vec<Content<'a>> {
        list(self.summary)
    }

    pub fn arguments(&self) -> Arguments<'a> {
        object(self.arguments)
    }

    pub fn pages(&self) -> Vec<PageResult<'a>> {
        list(self.result)
    }

    pub fn error(&self) -> ErrorEntry<'a> {
        object(self.error)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentKind<'c> {
    Text,
    Unknown(&'c str),
}

#[derive(Debug, Default, Deserialize)]
pub struct Content<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: Text<'a>,
    #[serde(borrow, default)]
    pub text: Text<'a>,
    #[serde(borrow, default)]
    pub annotations: Option<&'a RawValue>,
}

impl<'a> Content<'a> {
    pub fn kind(&self) -> ContentKind<'_> {
        match &*self.kind {
            "text" => ContentKind::Text,
            unknown => ContentKind::Unknown(unknown),
        }
    }

    pub fn annotations(&self) -> Vec<Annotation<'a>> {
        list(self.annotations)
    }
}

/// Anything that points from a range of text to something. Offsets are UTF-8 bytes within one block.
#[derive(Debug, Default, Deserialize)]
pub struct Annotation<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: Text<'a>,
    #[serde(borrow, default)]
    pub url: Text<'a>,
    #[serde(borrow, default)]
    pub title: Text<'a>,
    #[serde(borrow, default)]
    pub name: Text<'a>,
    /// Missing where it is zero, as this service writes its numbers.
    #[serde(default)]
    pub start_index: Number,
    #[serde(default)]
    pub end_index: Number,
}

#[derive(Debug, Default, Deserialize)]
pub struct Arguments<'a> {
    #[serde(borrow, default)]
    queries: Option<&'a RawValue>,
    #[serde(borrow, default)]
    urls: Option<&'a RawValue>,
}

impl<'a> Arguments<'a> {
    pub fn queries(&self) -> Vec<Text<'a>> {
        list(self.queries)
    }

    pub fn urls(&self) -> Vec<Text<'a>> {
        list(self.urls)
    }
}

/// One fetched page. Only `success` means that it was read.
#[derive(Debug, Default, Deserialize)]
pub struct PageResult<'a> {
    #[serde(borrow, default)]
    pub url: Text<'a>,
    #[serde(borrow, default)]
    pub status: Text<'a>,
}

impl PageResult<'_> {
    pub fn was_read(&self) -> bool {
        &*self.status == "success"
    }
}

#[derive(Debug, Default, Deserialize)]
pub struct Usage<'a> {
    #[serde(default)]
    pub total_input_tokens: Number,
    #[serde(default)]
    pub total_cached_tokens: Number,
    #[serde(default)]
    pub total_output_tokens: Number,
    #[serde(default)]
    pub total_thought_tokens: Number,
    #[serde(default)]
    pub total_tool_use_tokens: Number,
    #[serde(default)]
    pub total_tokens: Number,
    #[serde(borrow, default)]
    pub grounding_tool_count: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
pub struct ToolCount<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: Text<'a>,
    #[serde(default)]
    pub count: Number,
}

#[cfg(test)]
mod tests;
