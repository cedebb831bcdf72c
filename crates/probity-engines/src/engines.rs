//! The ways to gather behind one door: each research is carried out by the engine its plan names.

use probity_models::{DeepResearch, Transport};
use probity_research::{
    error::{Code, Problem},
    finding::{Call, Finding},
    id::ResearchId,
    plan::EngineName,
    seams::Engine,
    state::Research,
};

use crate::{api::ApiRounds, cli::CliRounds, prompts::Prompts};

/// The Gemini CLI, or why there is none.
pub type Cli<T> = Result<CliRounds<T>, Problem>;

pub struct Engines<T: Transport> {
    pub service: DeepResearch<T>,
    pub api: ApiRounds<T>,
    pub cli: Cli<T>,
    pub prompts: Prompts,
}

impl<T: Transport> Engine for Engines<T> {
    async fn perform(&self, research: &Research, call: &Call) -> Finding {
        let prompts = &self.prompts;
        match (&research.plan.rounds, research.plan.engine, &self.cli) {
            (None, ..) => self.service.perform(research, call).await,
            (Some(plan), EngineName::GeminiApi, _) => {
                self.api.perform(&self.service, prompts, research, plan, call).await
            }
            (Some(plan), EngineName::GeminiCli, Ok(cli)) => cli.perform(prompts, research, plan, call).await,
            (Some(_), EngineName::GeminiCli, Err(problem)) => without(call, problem),
            (Some(_), EngineName::Web, _) => {
                without(call, &Problem::new(Code::UnknownEngine, "the web engine is not built in"))
            }
        }
    }

    fn forget(&self, id: ResearchId) {
        self.service.forget(id);
        if let Ok(cli) = &self.cli {
            cli.forget(id);
        }
    }
}

/// Nothing was asked; what was asked by an earlier process is gone.
fn without(call: &Call, problem: &Problem) -> Finding {
    match call {
        Call::Create { .. } | Call::Ask(_) => Finding::Refused(problem.clone()),
        Call::Web(call) => call.refused(problem.clone()),
        Call::Cancel { .. } => Finding::CancelAccepted,
        Call::Follow { .. } | Call::Collect { .. } => {
            Finding::Lost(Problem::new(Code::RoundLost, "the process that ran this round is gone"))
        }
    }
}
