//! Why a command failed: a code, its chain of causes, and what to type next.

use std::error::Error;

use probity_research::{
    Code, CodedError, Retry, RunId,
    ports::JournalError,
    status::{RunStatus, RunSummary},
};

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
        let hint = problem.code.hint().to_owned();
        Self { problem, causes: Vec::new(), hint }
    }
}

impl From<JournalError> for CommandError {
    fn from(error: JournalError) -> Self {
        CodedError::from(error).into()
    }
}

/// A hint says `ID` where a command takes one.
pub fn hint_with_id(hint: &str, id: RunId) -> String {
    let known = id.to_string();
    ["watch", "show", "resume", "cancel"].iter().fold(hint.to_owned(), |text, verb| {
        text.replace(&format!("runs {verb} ID"), &format!("runs {verb} {known}"))
    })
}

/// The hint for a run that ended. A run that the provider never accepted cannot be resumed.
pub fn hint_for_run(summary: &RunSummary, problem: &CodedError) -> String {
    let paid_calls = summary.rounds.map_or(0, |rounds| rounds.calls);
    let never_taken = summary.status == RunStatus::Failed && summary.remote_id.is_none() && paid_calls == 0;
    if never_taken && problem.code.retry() != Retry::Never {
        return "nothing was started and nothing was paid; when it works again, ask again with \
                `probity research \"…\"`"
            .to_owned();
    }
    hint_with_id(problem.code.hint(), summary.id)
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
