//! Checking a text: fetch a cited page, examine every claim, ask the judge.

use probity_models::Transport;
use probity_research::{
    checking::{
        CheckBrought, CheckCall, CheckFinding,
        task::{CheckAsk, ExamineAsk},
    },
    error::{Code, Problem},
    finding::Finding,
    state::Research,
    web::Bill,
};

use super::WebEngine;
use crate::prompts::Prompts;

impl<T: Transport> WebEngine<T> {
    pub async fn check(&self, prompts: &Prompts, research: &Research, call: &CheckCall) -> Finding {
        let (brought, bill) = match &call.ask {
            CheckAsk::Page { url } => (Box::pin(self.cited(url)).await, Bill::NOTHING),
            CheckAsk::Examine(ask) => (examine(ask.clone()).await, Bill::NOTHING),
            CheckAsk::Judge(ask) => match &self.judge {
                Some(judge) => Box::pin(judge.ask(prompts, ask)).await,
                None => {
                    let problem = Problem::new(Code::KeyMissing, "no judge is configured any more");
                    (CheckBrought::Failed(problem), Bill::NOTHING)
                }
            },
        };
        let failed = matches!(brought, CheckBrought::Failed(_));
        tracing::debug!(research = %research.id, task = ?call.task, failed);
        Finding::Check(Box::new(CheckFinding { task: call.task.clone(), brought, bill }))
    }

    /// A page that a report cites, or its copy from an archive. Never a file: reports are strangers' words.
    async fn cited(&self, url: &str) -> CheckBrought {
        let page = match self.fetch(url).await {
            Ok(fetched) => self.text(fetched.record, fetched.bytes).await,
            Err(problem) => Err(problem),
        };
        page.map_or_else(CheckBrought::Failed, |page| CheckBrought::Page(Box::new(page)))
    }
}

/// A long report takes a moment of one core: not on a thread that others wait for.
async fn examine(ask: Box<ExamineAsk>) -> CheckBrought {
    let work = tokio::task::spawn_blocking(move || probity_evidence::examine::examine(&ask));
    match work.await {
        Ok(report) => CheckBrought::Examined(Box::new(report)),
        Err(_) => {
            CheckBrought::Failed(Problem::new(Code::ExecutionError, "the examination of the text failed"))
        }
    }
}
