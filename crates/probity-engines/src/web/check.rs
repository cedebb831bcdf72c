//! Checking a text: fetch a cited page, examine every claim, ask the judge.

use probity_models::Transport;
use probity_research::{
    checking::{
        CheckCall, CheckTaskOutput, CheckTaskReply,
        task::{CheckRequest, ExamineRequest},
    },
    engine_call::EngineOutcome,
    error::{Code, CodedError},
    state::RunState,
    web::Bill,
};

use super::WebEngine;
use crate::prompts::Prompts;

impl<T: Transport> WebEngine<T> {
    pub async fn check(&self, prompts: &Prompts, research: &RunState, call: &CheckCall) -> EngineOutcome {
        let (brought, bill) = match &call.ask {
            CheckRequest::Page { url } => (Box::pin(self.cited_page(url)).await, Bill::NOTHING),
            CheckRequest::Examine(ask) => (examine(ask.clone()).await, Bill::NOTHING),
            CheckRequest::Judge(ask) => match &self.judge {
                Some(judge) => Box::pin(judge.ask(prompts, ask)).await,
                None => {
                    let problem = CodedError::new(Code::KeyMissing, "no judge is configured any more");
                    (CheckTaskOutput::Failed(problem), Bill::NOTHING)
                }
            },
        };
        let failed = matches!(brought, CheckTaskOutput::Failed(_));
        tracing::debug!(research = %research.id, task = ?call.task, failed);
        EngineOutcome::Check(Box::new(CheckTaskReply { task: call.task.clone(), output: brought, bill }))
    }

    /// A page that a report cites, or its copy from an archive. Never a file: the text of a report is not
    /// trusted.
    async fn cited_page(&self, url: &str) -> CheckTaskOutput {
        let page = match self.fetch(url).await {
            Ok(fetched) => self.text(fetched.record, fetched.bytes).await,
            Err(problem) => Err(problem),
        };
        page.map_or_else(CheckTaskOutput::Failed, |page| CheckTaskOutput::Page(Box::new(page)))
    }
}

/// A long report takes a moment of one core: not on a thread that other tasks wait for.
async fn examine(ask: Box<ExamineRequest>) -> CheckTaskOutput {
    let work = tokio::task::spawn_blocking(move || probity_evidence::examine::examine(&ask));
    match work.await {
        Ok(report) => CheckTaskOutput::Examined(Box::new(report)),
        Err(_) => CheckTaskOutput::Failed(CodedError::new(
            Code::ExecutionError,
            "the examination of the text failed",
        )),
    }
}
