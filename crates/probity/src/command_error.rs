//! Why a command failed: a code, its chain of causes, and what to type next.

use std::error::Error;

use probity_research::{Code, CodedError, RunId, ports::JournalError, status::RunSummary, way_out::way_out};

use crate::exit::Exit;

/// Everything that `output` needs to print the failure, once.
#[derive(Debug)]
pub struct CommandError {
    pub problem: CodedError,
    /// Outermost first; the problem's own message is not repeated.
    pub causes: Vec<String>,
    pub hint: String,
}

impl CommandError {
    pub fn new(code: Code, message: &str) -> Self {
        CodedError::new(code, message).into()
    }

    /// The same with the chain below `cause`, and `cause` itself.
    pub fn with_cause(mut self, cause: &(dyn Error + 'static)) -> Self {
        let mut next = Some(cause);
        while let Some(error) = next {
            self.causes.push(error.to_string());
            next = error.source();
        }
        self
    }

    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// Puts the id into the hint's command, so that it can be copied unchanged.
    pub fn with_run_id(mut self, id: RunId) -> Self {
        self.hint = hint_with_id(&self.hint, id);
        self
    }

    pub fn exit(&self) -> Exit {
        Exit::of_problem(&self.problem)
    }
}

impl From<CodedError> for CommandError {
    fn from(problem: CodedError) -> Self {
        let hint = way_out(problem.code, None);
        Self { problem, causes: Vec::new(), hint }
    }
}

impl From<JournalError> for CommandError {
    fn from(error: JournalError) -> Self {
        CodedError::from(error).into()
    }
}

/// A hint says `ID` where a command takes one.
fn hint_with_id(hint: &str, id: RunId) -> String {
    let known = id.to_string();
    ["watch", "show", "resume", "cancel"].iter().fold(hint.to_owned(), |text, verb| {
        text.replace(&format!("runs {verb} ID"), &format!("runs {verb} {known}"))
    })
}

/// Why a run has no report, and what helps.
pub fn without_report(summary: &RunSummary) -> CommandError {
    let status = summary.status.as_str().replace('_', " ");
    if !summary.status.is_final() {
        let message = format!("this research is {status}; it has no report yet");
        return CommandError::new(Code::NotFinished, &message).with_run_id(summary.id);
    }
    let code = summary.why_no_report().map_or(Code::EmptyReport, |problem| problem.code);
    let why = summary.problem.as_ref().map(|problem| format!(": {}", problem.message)).unwrap_or_default();
    let state = summary.status.predicate();
    CommandError::new(code, &format!("this research {state} and has no report{why}"))
        .with_hint(way_out(code, Some(summary)))
}

/// Where the page of a code is found, in the repository and in the packaged documentation.
pub fn error_page_path(code: Code) -> String {
    format!("docs/errors/{code}.md")
}

#[cfg(test)]
mod tests {
    use probity_research::{Code, RunId};

    use super::CommandError;

    #[test]
    fn a_hint_about_a_known_research_can_be_copied_as_it_stands() {
        let failure = CommandError::new(Code::CreateUncertain, "x").with_run_id(RunId::from_random(7));
        assert!(
            failure.hint.contains("`probity runs resume res_00000000000000000000000000000007 --pay-again`"),
            "{}",
            failure.hint
        );
    }
}
