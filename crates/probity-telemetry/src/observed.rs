//! An engine that is watched: every call becomes a span and is counted. Changes nothing about the call.

use std::time::Duration;

use probity_research::{
    error::{Code, Problem},
    finding::{Call, Finding},
    id::ResearchId,
    plan::EngineName,
    rounds::course::Billed,
    seams::{Clock, Engine, Upcoming},
    state::Research,
};
use tracing::{Instrument as _, Span};

use crate::{
    gen_ai::{self, Called, Capture},
    record::{self, Answer},
};

pub struct Observed<E, C> {
    engine: E,
    clock: C,
    capture: Capture,
}

impl<E: Engine, C: Clock> Observed<E, C> {
    pub fn new(engine: E, clock: C, capture: Capture) -> Self {
        Self { engine, clock, capture }
    }

    fn note(&self, span: &Span, research: &Research, call: &Call, finding: &Finding, took: Duration) {
        record::step(record::kind_of(call), record::outcome_of(finding), took);
        if let Some(answer) = answer_of(finding) {
            record::provider_call(research.plan.engine.as_str(), answer, took);
        }
        if let Some(problem) = problem_of(finding) {
            gen_ai::record_failure(span, problem.code.as_str());
        }
        match finding {
            Finding::Started { remote_id, .. } => gen_ai::record_response(span, Some(remote_id), None),
            Finding::Finished(finished) => {
                if let Some(usage) = &finished.usage {
                    gen_ai::record_usage(span, usage);
                }
                gen_ai::record_answer(span, self.capture, &finished.report.text);
            }
            Finding::Answered(reply) => {
                gen_ai::record_response(span, None, reply.model.as_deref());
                if let Billed::Counted(usage) | Billed::AtLeast(usage) = &reply.billed {
                    gen_ai::record_usage(span, usage);
                }
                gen_ai::record_answer(span, self.capture, &reply.text);
            }
            _ => {}
        }
    }
}

impl<E: Engine, C: Clock> Engine for Observed<E, C> {
    async fn perform(&self, research: &Research, call: &Call) -> Finding {
        let span = span_of(research, call);
        if matches!(call, Call::Create { .. } | Call::Ask(_)) {
            gen_ai::record_question(&span, self.capture, research.query.as_str());
        }
        let began = self.clock.monotonic();
        let finding = Box::pin(self.engine.perform(research, call)).instrument(span.clone()).await;
        let took = self.clock.monotonic().saturating_sub(began);
        self.note(&span, research, call, &finding, took);
        finding
    }

    fn ready(&self, research: &Research, upcoming: Upcoming<'_>) -> Option<Duration> {
        self.engine.ready(research, upcoming)
    }

    fn forget(&self, id: ResearchId) {
        self.engine.forget(id);
    }
}

fn span_of(research: &Research, call: &Call) -> Span {
    let id = research.id.to_string();
    let called =
        Called { provider: provider_of(research.plan.engine), model: research.plan.worker(), research: &id };
    match call {
        Call::Create { .. } | Call::Follow { .. } | Call::Cancel { .. } | Call::Collect { .. } => {
            gen_ai::agent_run(called)
        }
        Call::Ask(_) => gen_ai::model_call(called),
        // Searching, fetching and checking call models within; the step itself is ours.
        Call::Web(_) | Call::Check(_) => tracing::info_span!(
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

fn problem_of(finding: &Finding) -> Option<&Problem> {
    match finding {
        Finding::Refused(problem)
        | Finding::Uncertain(problem)
        | Finding::Lost(problem)
        | Finding::NotThere(problem)
        | Finding::Unreachable(problem)
        | Finding::CancelRefused(problem) => Some(problem),
        Finding::Finished(finished) => finished.problem.as_ref(),
        Finding::Answered(reply) => reply.problem.as_ref(),
        Finding::Started { .. }
        | Finding::Seen(_)
        | Finding::Web(_)
        | Finding::Check(_)
        | Finding::CancelAccepted => None,
    }
}

/// How the provider answered; none where a step may have asked several or nobody.
fn answer_of(finding: &Finding) -> Option<Answer> {
    match finding {
        Finding::Web(_) | Finding::Check(_) => None,
        Finding::Uncertain(_) | Finding::Lost(_) => Some(Answer::Uncertain),
        _ => Some(problem_of(finding).map_or(Answer::Good, |problem| match problem.code {
            Code::RateLimited | Code::ProviderUnavailable => Answer::Throttled,
            _ => Answer::Failed,
        })),
    }
}
