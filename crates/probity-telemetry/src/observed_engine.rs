//! An engine that is observed: every call becomes a span and is counted. Changes nothing about the call.

use std::time::Duration;

use probity_research::{
    engine_call::{EngineCall, EngineOutcome},
    error::{Code, CodedError},
    id::RunId,
    plan::EngineName,
    ports::{Clock, Engine, UpcomingCalls},
    rounds::state::CallBilling,
    state::RunState,
};
use tracing::{Instrument as _, Span};

use crate::{
    gen_ai::{self, CallTarget, ContentCapture},
    record::{self, ProviderCallOutcome},
};

pub struct ObservedEngine<E, C> {
    engine: E,
    clock: C,
    capture: ContentCapture,
}

impl<E: Engine, C: Clock> ObservedEngine<E, C> {
    pub fn new(engine: E, clock: C, capture: ContentCapture) -> Self {
        Self { engine, clock, capture }
    }

    fn record_call(
        &self,
        span: &Span,
        research: &RunState,
        call: &EngineCall,
        finding: &EngineOutcome,
        took: Duration,
    ) {
        record::step(record::kind_of(call), record::outcome_of(finding), took);
        if let Some(answer) = provider_outcome(finding) {
            record::provider_call(research.plan.engine.as_str(), answer, took);
        }
        if let Some(problem) = problem_of(finding) {
            gen_ai::record_failure(span, problem.code.as_str());
        }
        match finding {
            EngineOutcome::Started { remote_id, .. } => gen_ai::record_response(span, Some(remote_id), None),
            EngineOutcome::Finished(finished) => {
                if let Some(usage) = &finished.usage {
                    gen_ai::record_usage(span, usage);
                }
                gen_ai::record_answer(span, self.capture, &finished.report.text);
            }
            EngineOutcome::Answered(reply) => {
                gen_ai::record_response(span, None, reply.model.as_deref());
                if let CallBilling::Counted(usage) | CallBilling::AtLeast(usage) = &reply.billed {
                    gen_ai::record_usage(span, usage);
                }
                gen_ai::record_answer(span, self.capture, &reply.text);
            }
            _ => {}
        }
    }
}

impl<E: Engine, C: Clock> Engine for ObservedEngine<E, C> {
    async fn perform(&self, research: &RunState, call: &EngineCall) -> EngineOutcome {
        let span = span_of(research, call);
        if matches!(call, EngineCall::Create { .. } | EngineCall::Ask(_)) {
            gen_ai::record_question(&span, self.capture, research.query.as_str());
        }
        let began = self.clock.monotonic();
        let finding = Box::pin(self.engine.perform(research, call)).instrument(span.clone()).await;
        let took = self.clock.monotonic().saturating_sub(began);
        self.record_call(&span, research, call, &finding, took);
        finding
    }

    fn ready(&self, research: &RunState, upcoming: UpcomingCalls<'_>) -> Option<Duration> {
        self.engine.ready(research, upcoming)
    }

    fn release_run(&self, id: RunId) {
        self.engine.release_run(id);
    }
}

fn span_of(research: &RunState, call: &EngineCall) -> Span {
    let id = research.id.to_string();
    let called = CallTarget {
        provider: provider_of(research.plan.engine),
        model: research.plan.model_or_agent(),
        research: &id,
    };
    match call {
        EngineCall::Create { .. }
        | EngineCall::Follow { .. }
        | EngineCall::Cancel { .. }
        | EngineCall::Collect { .. } => gen_ai::agent_run(called),
        EngineCall::Ask(_) => gen_ai::model_call(called),
        // Searching, fetching and checking call models within; the step itself is ours.
        EngineCall::Web(_) | EngineCall::Check(_) => tracing::info_span!(
            "step",
            otel.name = format!("step {}", record::kind_of(call)),
            otel.status_code = tracing::field::Empty,
            { gen_ai::attribute::CONVERSATION_ID } = id.as_str(),
            { gen_ai::attribute::ERROR_TYPE } = tracing::field::Empty,
        ),
    }
}

/// As the conventions name it.
fn provider_of(engine: EngineName) -> &'static str {
    match engine {
        EngineName::GeminiApi | EngineName::GeminiCli => "gcp.gemini",
        EngineName::Web => "probity.web",
    }
}

fn problem_of(finding: &EngineOutcome) -> Option<&CodedError> {
    match finding {
        EngineOutcome::Refused(problem)
        | EngineOutcome::Uncertain(problem)
        | EngineOutcome::Lost(problem)
        | EngineOutcome::NotThere(problem)
        | EngineOutcome::Unreachable(problem)
        | EngineOutcome::CancelRefused(problem) => Some(problem),
        EngineOutcome::Unreadable(answer) => Some(&answer.problem),
        EngineOutcome::Finished(finished) => finished.problem.as_ref(),
        EngineOutcome::Answered(reply) => reply.problem.as_ref(),
        EngineOutcome::Started { .. }
        | EngineOutcome::Running(_)
        | EngineOutcome::Web(_)
        | EngineOutcome::Check(_)
        | EngineOutcome::CancelAccepted => None,
    }
}

/// How the provider answered; none where a step may have called several providers or none.
fn provider_outcome(finding: &EngineOutcome) -> Option<ProviderCallOutcome> {
    match finding {
        EngineOutcome::Web(_) | EngineOutcome::Check(_) => None,
        EngineOutcome::Uncertain(_) | EngineOutcome::Lost(_) => Some(ProviderCallOutcome::Uncertain),
        _ => Some(problem_of(finding).map_or(ProviderCallOutcome::Good, |problem| match problem.code {
            Code::RateLimited | Code::ProviderUnavailable => ProviderCallOutcome::Throttled,
            _ => ProviderCallOutcome::Failed,
        })),
    }
}
