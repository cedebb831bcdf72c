//! The answer of a tool: structured content that is complete on its own, and the same facts as readable text.
//! Clients show the model one or the other.

use probity_research::{
    Code, CodedError, RunId, query::QUERY_BYTES_MAX, status::RunSummary, way_out::tool_way_out,
};
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, CreateTaskResult, InputRequiredResult, Resource,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::wire::{TokensUsed, usd};

/// How a call ends.
pub enum ToolReply {
    Done(ToolAnswer),
    /// The work goes on as a task that the client polls by itself.
    Task(Box<CreateTaskResult>),
    /// A question to the user of the client.
    Ask(Box<InputRequiredResult>),
}

impl ToolReply {
    /// The same answer, with a sentence before it; a question has no place for one.
    pub fn with_remark(self, remark: &str) -> Self {
        match self {
            Self::Done(answer) => Self::Done(answer.with_remark(remark)),
            Self::Task(mut created) => {
                let before = created.task.status_message.take();
                let told = before.map_or_else(|| remark.to_owned(), |before| format!("{remark} {before}"));
                created.task.status_message = Some(told);
                Self::Task(created)
            }
            Self::Ask(question) => Self::Ask(question),
        }
    }
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
    /// Why the call did nothing, for the audit log; none where it did something, however that ended.
    pub refused: Option<Code>,
}

impl ToolAnswer {
    /// `structured` is plain data: turning it into JSON cannot fail short of memory.
    pub fn new(structured: &impl Serialize, text: String) -> Self {
        let structured = serde_json::to_value(structured).unwrap_or_default();
        Self { structured, text, links: Vec::new(), outcome: ToolOutcome::Success, refused: None }
    }

    pub fn with_link(mut self, link: Resource) -> Self {
        self.links.push(link);
        self
    }

    /// Puts a sentence before the text, and into the field for such sentences: `message` beside a `mode`, else
    /// `note`.
    pub fn with_remark(mut self, remark: &str) -> Self {
        self.text = format!("{remark}\n{}", self.text);
        if let Some(object) = self.structured.as_object_mut() {
            let field = if object.contains_key("mode") { "message" } else { "note" };
            let before = object.get(field).and_then(Value::as_str);
            let told = before.map_or_else(|| remark.to_owned(), |before| format!("{remark} {before}"));
            object.insert(field.to_owned(), Value::String(told));
        }
        self
    }

    pub fn of_problem(problem: &CodedError, id: Option<RunId>) -> Self {
        Self::with_hint(problem, id, &hint(problem.code))
    }

    /// The same where the state of the run says what helps.
    pub fn of_run_problem(problem: &CodedError, run: &RunSummary) -> Self {
        Self::with_hint(problem, Some(run.id), &tool_way_out(problem.code, Some(run))).with_run(run)
    }

    /// A call about a run that did nothing.
    pub fn of_refusal(problem: &CodedError, run: &RunSummary) -> Self {
        let refused = Self::with_hint(problem, Some(run.id), &hint(problem.code)).with_run(run);
        Self { refused: Some(problem.code), ..refused }
    }

    /// Adds how the run stands and what it cost, to both forms: whoever reads one of them learns what was paid for.
    fn with_run(mut self, run: &RunSummary) -> Self {
        let tokens = run.usage.as_ref().map(TokensUsed::of);
        let counted = tokens.as_ref().map(|tokens| format!(" · {}", tokens.line())).unwrap_or_default();
        self.text = format!(
            "{}\n{} · {} · {}{counted} · model {}",
            self.text,
            run.id,
            run.status.as_str(),
            run.cost,
            run.agent
        );
        let note = run.note.as_ref().filter(|_| run.status.is_final());
        if let Some(note) = note {
            self.text = format!("{}\nnote: {note}", self.text);
        }
        if let Some(object) = self.structured.as_object_mut() {
            let facts: [(&str, Value); 5] = [
                ("status", run.status.as_str().into()),
                ("cost_usd", usd(run.cost).into()),
                ("cost_basis", run.cost.basis_in_words().into()),
                ("model", run.agent.as_str().into()),
                ("tokens_used", serde_json::to_value(tokens).unwrap_or_default()),
            ];
            object.extend(facts.map(|(name, value)| (name.to_owned(), value)));
            object.extend(note.map(|note| ("note".to_owned(), Value::String(note.clone()))));
        }
        self
    }

    /// The same where the call itself says what helps.
    pub(crate) fn with_hint(problem: &CodedError, id: Option<RunId>, hint: &str) -> Self {
        let mut structured = json!({
            "success": false,
            "error": { "code": problem.code.as_str(), "message": problem.message, "hint": hint },
        });
        if let (Some(id), Some(object)) = (id, structured.as_object_mut()) {
            object.insert("task_id".to_owned(), Value::String(id.to_string()));
        }
        let text = format!("{}: {}\n{hint}", problem.code, problem.message);
        Self { structured, text, links: Vec::new(), outcome: ToolOutcome::Failure, refused: None }
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
        Code::InvalidQuery => {
            format!("call again with one question of at most {QUERY_BYTES_MAX} bytes, such as `Why is the sky blue?`")
        }
        Code::InvalidArguments => "nothing was done; correct these arguments and call again".to_owned(),
        Code::AlreadyEnded => "call get_research_results to read what it left".to_owned(),
        Code::NotFinished => "call check_research_status with wait_seconds, then try again".to_owned(),
        Code::UnknownAgent => "call again with one of the known names, or without `model`".to_owned(),
        Code::OutputPath => "call again with output_dir='./research_reports'".to_owned(),
        Code::DayLimit => {
            "if the message says when there is room, start nothing paid until then; else ask for less, or the user \
             raises budget.per_day_usd. Reading, listing and estimating stay free"
                .to_owned()
        }
        Code::Budget => {
            "ask something smaller, or the user raises budget.max_usd; a higher confirmed_cost_usd, if the user agrees \
             to it, helps below that limit only"
                .to_owned()
        }
        other => tool_way_out(other, None),
    }
}

#[cfg(test)]
mod tests {
    use probity_research::{
        Code, CodedError, RunId,
        cost::{Cost, MicroUsd},
        status::{RunStatus, RunSummary},
    };
    use serde_json::json;

    use super::ToolAnswer;

    fn paid(status: RunStatus, note: Option<&str>) -> RunSummary {
        let summary: RunSummary = serde_json::from_value(json!({
            "id": RunId::from_random(7), "status": "failed", "due": false, "query": "why?",
            "engine": "gemini-api", "agent": "some-model", "asked_at": 0, "updated_at": 9, "ended_at": 9,
            "progress_percent": 100, "progress_estimated": false, "current_action": "", "steps": 0,
            "searches": 0, "pages": 0, "attended_ms": 0, "cost": { "basis": "unknown" }, "sources": 0,
        }))
        .unwrap();
        let cost = Cost::FromUsage(MicroUsd(590_000));
        RunSummary { status, cost, note: note.map(str::to_owned), ..summary }
    }

    #[test]
    fn both_forms_of_a_failure_say_which_run_it_is_how_it_ended_and_what_it_cost() {
        let run = paid(RunStatus::Failed, None);
        let answer = ToolAnswer::of_run_problem(&CodedError::new(Code::ExecutionError, "no answer"), &run);
        let line = format!("{} · failed · $0.59 · model some-model", run.id);
        assert!(answer.text.lines().any(|told| told == line), "{}", answer.text);
        assert_eq!(
            (&answer.structured["task_id"], &answer.structured["status"], &answer.structured["cost_usd"]),
            (&json!(run.id.to_string()), &json!("failed"), &json!(0.59))
        );
    }

    #[test]
    fn what_a_reader_must_know_beside_a_cancel_is_in_both_forms() {
        let note = "the provider refused the cancel: no; it may go on there and be billed";
        let run = paid(RunStatus::Cancelled, Some(note));
        let answer = ToolAnswer::of_run_problem(&run.why_no_report().unwrap(), &run);
        assert_eq!(answer.structured["error"]["code"], "CANCELLED");
        assert_eq!(answer.structured["note"], note);
        assert!(answer.text.contains(&format!("note: {note}")), "{}", answer.text);
    }

    #[test]
    fn a_refused_call_names_its_run_and_is_known_to_the_audit() {
        let problem = CodedError::new(Code::AlreadyEnded, "this research is already failed");
        let answer = ToolAnswer::of_refusal(&problem, &paid(RunStatus::Failed, None));
        assert_eq!(
            (answer.refused, &answer.structured["status"]),
            (Some(Code::AlreadyEnded), &json!("failed"))
        );
    }
}
