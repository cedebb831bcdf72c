//! All engines as one: each run is served by the engine its plan names.

use probity_models::{DeepResearch, Transport};
use probity_research::{
    engine_call::{EngineCall, EngineOutcome},
    error::{Code, CodedError},
    id::RunId,
    plan::EngineName,
    ports::Engine,
    state::RunState,
};

use crate::{api::ApiRounds, cli::CliRounds, prompts::Prompts, web::WebEngine};

/// The Gemini CLI, or why there is none.
pub type CliRoundsResult<T> = Result<CliRounds<T>, CodedError>;

/// The engines that need a key for Google: ours, or for the CLI its own.
pub struct GoogleEngines<T: Transport> {
    /// What the API serves; an error where only the CLI has a key.
    pub service: Result<DeepResearch<T>, CodedError>,
    pub api: ApiRounds<T>,
    pub cli: CliRoundsResult<T>,
}

/// Each engine, or why it is not available.
pub struct EngineDispatcher<T: Transport> {
    pub google: Result<GoogleEngines<T>, CodedError>,
    pub web: Result<WebEngine<T>, CodedError>,
    pub prompts: Prompts,
}

impl<T: Transport> Engine for EngineDispatcher<T> {
    async fn perform(&self, research: &RunState, call: &EngineCall) -> EngineOutcome {
        if let EngineCall::Check(asked) = call {
            return match &self.web {
                Ok(web) => Box::pin(web.check(&self.prompts, research, asked)).await,
                Err(problem) => asked.refused(problem.clone()).into(),
            };
        }
        match (&research.plan.web, call, &self.web, &self.google) {
            (Some(plan), EngineCall::Web(asked), Ok(web), _) => {
                Box::pin(web.perform(&self.prompts, research, plan, asked)).await
            }
            (Some(_), _, Err(problem), _) | (None, _, _, Err(problem)) => unavailable_outcome(call, problem),
            (Some(_), _, Ok(_), _) => unavailable_outcome(call, &unsupported_call(research.plan.engine)),
            (None, _, _, Ok(google)) => Box::pin(self.google(google, research, call)).await,
        }
    }

    fn release_run(&self, id: RunId) {
        if let Ok(google) = &self.google {
            if let Ok(service) = &google.service {
                service.release_run(id);
            }
            if let Ok(cli) = &google.cli {
                cli.forget(id);
            }
        }
    }
}

impl<T: Transport> EngineDispatcher<T> {
    async fn google(
        &self,
        google: &GoogleEngines<T>,
        research: &RunState,
        call: &EngineCall,
    ) -> EngineOutcome {
        let prompts = &self.prompts;
        match (&research.plan.rounds, research.plan.engine, &google.service, &google.cli) {
            (None, _, Ok(service), _) => service.perform(research, call).await,
            (Some(plan), EngineName::GeminiApi, Ok(service), _) => {
                google.api.perform(service, prompts, research, plan, call).await
            }
            (Some(plan), EngineName::GeminiCli, _, Ok(cli)) => {
                cli.perform(prompts, research, plan, call).await
            }
            (None, _, Err(problem), _)
            | (Some(_), EngineName::GeminiApi, Err(problem), _)
            | (Some(_), EngineName::GeminiCli, _, Err(problem)) => unavailable_outcome(call, problem),
            (Some(_), EngineName::Web, ..) => {
                unavailable_outcome(call, &unsupported_call(research.plan.engine))
            }
        }
    }
}

fn unsupported_call(engine: EngineName) -> CodedError {
    CodedError::new(Code::UnknownEngine, &format!("the engine {} does not do this", engine.as_str()))
}

/// No call was made; a call of an earlier process is lost.
fn unavailable_outcome(call: &EngineCall, problem: &CodedError) -> EngineOutcome {
    match call {
        EngineCall::Create { .. } | EngineCall::Ask(_) => EngineOutcome::Refused(problem.clone()),
        EngineCall::Web(call) => call.refused(problem.clone()).into(),
        EngineCall::Check(call) => call.refused(problem.clone()).into(),
        // Where Google cannot be reached at all, the run is still there.
        EngineCall::Follow { .. } | EngineCall::Cancel { .. } | EngineCall::Collect { .. }
            if problem.code == Code::KeyMissing =>
        {
            EngineOutcome::Unreachable(problem.clone())
        }
        EngineCall::Cancel { .. } => EngineOutcome::CancelAccepted,
        EngineCall::Follow { .. } | EngineCall::Collect { .. } => {
            EngineOutcome::Lost(CodedError::new(Code::RoundLost, "the process that ran this round is gone"))
        }
    }
}
