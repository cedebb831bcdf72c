//! The answer of a tool: structured content that is complete on its own, and the same facts as readable text.
//! Clients show the model one or the other.

use probity_research::{Code, CodedError, RunId, query::QUERY_BYTES_MAX};
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, CreateTaskResult, InputRequiredResult, Resource,
};
use serde::Serialize;
use serde_json::{Value, json};

/// How a call ends.
pub enum ToolReply {
    Done(ToolAnswer),
    /// The work goes on as a task that the client polls by itself.
    Task(Box<CreateTaskResult>),
    /// A question to the user of the client.
    Ask(Box<InputRequiredResult>),
}

impl From<ToolAnswer> for ToolReply {
    /// For tools that answer at once and never ask.
    fn from(answer: ToolAnswer) -> Self {
        Self::Done(answer)
    }
}

/// Whether the call did what was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolOutcome {
    Success,
    Failure,
}

#[derive(Debug, Clone)]
pub struct ToolAnswer {
    pub structured: Value,
    pub text: String,
    pub links: Vec<Resource>,
    pub outcome: ToolOutcome,
}

impl ToolAnswer {
    /// `structured` is plain data: turning it into JSON cannot fail short of memory.
    pub fn new(structured: &impl Serialize, text: String) -> Self {
        let structured = serde_json::to_value(structured).unwrap_or_default();
        Self { structured, text, links: Vec::new(), outcome: ToolOutcome::Success }
    }

    pub fn with_link(mut self, link: Resource) -> Self {
        self.links.push(link);
        self
    }

    pub fn failed(mut self) -> Self {
        self.outcome = ToolOutcome::Failure;
        self
    }

    pub fn of_problem(problem: &CodedError, id: Option<RunId>) -> Self {
        let hint = hint(problem.code);
        let mut structured = json!({
            "success": false,
            "error": { "code": problem.code.as_str(), "message": problem.message, "hint": hint },
        });
        if let (Some(id), Some(object)) = (id, structured.as_object_mut()) {
            object.insert("task_id".to_owned(), Value::String(id.to_string()));
        }
        let text = format!("{}: {}\n{hint}", problem.code, problem.message);
        Self { structured, text, links: Vec::new(), outcome: ToolOutcome::Failure }
    }
}

impl From<ToolAnswer> for CallToolResult {
    fn from(answer: ToolAnswer) -> Self {
        let mut content = vec![ContentBlock::text(answer.text)];
        content.extend(answer.links.into_iter().map(ContentBlock::resource_link));
        let mut result = match answer.outcome {
            ToolOutcome::Success => Self::success(content),
            ToolOutcome::Failure => Self::error(content),
        };
        result.structured_content = Some(answer.structured);
        result
    }
}

impl From<ToolReply> for CallToolResponse {
    fn from(reply: ToolReply) -> Self {
        match reply {
            ToolReply::Done(answer) => Self::Complete(answer.into()),
            ToolReply::Task(task) => Self::Task(*task),
            ToolReply::Ask(question) => Self::InputRequired(*question),
        }
    }
}

/// The next step as an agent can take it: a tool where there is one, else a command for its user.
pub fn hint(code: Code) -> String {
    match code {
        Code::NotFound => "call list_research to see the task ids".to_owned(),
        Code::InvalidQuery => format!("call again with one question of at most {QUERY_BYTES_MAX} bytes"),
        Code::InvalidArguments => "mend the arguments and call again".to_owned(),
        Code::AlreadyEnded => "call get_research_results to read it".to_owned(),
        Code::NotFinished => "call check_research_status with wait_seconds, then try again".to_owned(),
        Code::UnknownAgent => "call again with one of the known names, or without `model`".to_owned(),
        other => format!("for the user: {}", other.hint()),
    }
}
