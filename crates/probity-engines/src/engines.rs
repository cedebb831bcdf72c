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

use crate::{api::ApiRounds, cli::CliRounds, prompts::Prompts, web::WebEngine};

/// The Gemini CLI, or why there is none.
pub type Cli<T> = Result<CliRounds<T>, Problem>;

/// What needs Google's key.
pub struct Google<T: Transport> {
    pub service: DeepResearch<T>,
    pub api: ApiRounds<T>,
    pub cli: Cli<T>,
}

/// Each way, or why it cannot be gone.
pub struct Engines<T: Transport> {
    pub google: Result<Google<T>, Problem>,
    pub web: Result<WebEngine<T>, Problem>,
    pub prompts: Prompts,
}

impl<T: Transport> Engine for Engines<T> {
    async fn perform(&self, research: &Research, call: &Call) -> Finding {
        if let Call::Check(asked) = call {
            return match &self.web {
                Ok(web) => Box::pin(web.check(&self.prompts, research, asked)).await,
                Err(problem) => asked.refused(problem.clone()),
            };
        }
        match (&research.plan.web, call, &self.web, &self.google) {
            (Some(plan), Call::Web(asked), Ok(web), _) => {
                Box::pin(web.perform(&self.prompts, research, plan, asked)).await
            }
            (Some(_), _, Err(problem), _) | (None, _, _, Err(problem)) => without(call, problem),
            (Some(_), _, Ok(_), _) => without(call, &not_built_for(research.plan.engine)),
            (None, _, _, Ok(google)) => Box::pin(self.google(google, research, call)).await,
        }
    }

    fn forget(&self, id: ResearchId) {
        if let Ok(google) = &self.google {
            google.service.forget(id);
            if let Ok(cli) = &google.cli {
                cli.forget(id);
            }
        }
    }
}

impl<T: Transport> Engines<T> {
    async fn google(&self, google: &Google<T>, research: &Research, call: &Call) -> Finding {
        let prompts = &self.prompts;
        match (&research.plan.rounds, research.plan.engine, &google.cli) {
            (None, ..) => google.service.perform(research, call).await,
            (Some(plan), EngineName::GeminiApi, _) => {
                google.api.perform(&google.service, prompts, research, plan, call).await
            }
            (Some(plan), EngineName::GeminiCli, Ok(cli)) => cli.perform(prompts, research, plan, call).await,
            (Some(_), EngineName::GeminiCli, Err(problem)) => without(call, problem),
            (Some(_), EngineName::Web, _) => without(call, &not_built_for(research.plan.engine)),
        }
    }
}

fn not_built_for(engine: EngineName) -> Problem {
    Problem::new(Code::UnknownEngine, &format!("the engine {} does not do this", engine.as_str()))
}

/// Nothing was asked; what was asked by an earlier process is gone.
fn without(call: &Call, problem: &Problem) -> Finding {
    match call {
        Call::Create { .. } | Call::Ask(_) => Finding::Refused(problem.clone()),
        Call::Web(call) => call.refused(problem.clone()),
        Call::Check(call) => call.refused(problem.clone()),
        // Where Google cannot be reached at all, the run is still there.
        Call::Follow { .. } | Call::Cancel { .. } | Call::Collect { .. }
            if problem.code == Code::KeyMissing =>
        {
            Finding::Unreachable(problem.clone())
        }
        Call::Cancel { .. } => Finding::CancelAccepted,
        Call::Follow { .. } | Call::Collect { .. } => {
            Finding::Lost(Problem::new(Code::RoundLost, "the process that ran this round is gone"))
        }
    }
}
