//! Which provider a call goes to, and what its outcome says about that provider.
//!
//! Starting and looking are counted apart: a provider limits what it is paid for otherwise than what is free, and
//! many good looks must not hide that every start is refused.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

use std::{collections::BTreeMap, time::Duration};

use crate::{
    checking::{CheckTask, CheckTaskOutput},
    engine_call::{EngineCall, EngineOutcome},
    error::{Code, CodedError},
    event::Event,
    ports::UpcomingCalls,
    state::RunState,
    web::task::{WebTask, WebTaskOutput},
};

/// What one call showed about its provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    /// It answered, whatever it said.
    Answered,
    /// It is up and answers with a rate limit, perhaps with a retry time.
    Throttled(Option<Duration>),
    Failed,
    /// Nothing: the call was not made, or was given up.
    Unknown,
}

/// How many calls each provider gets from the upcoming calls. Providers that need no limit are not named.
pub fn of_upcoming(research: &RunState, upcoming: UpcomingCalls<'_>) -> BTreeMap<String, u32> {
    let mut counted = BTreeMap::new();
    let mut count = |provider: Option<String>| {
        if let Some(provider) = provider {
            *counted.entry(provider).or_insert(0) += 1;
        }
    };
    match upcoming {
        UpcomingCalls::Intent(Event::CreateIntended { .. }) => count(Some(pay(research))),
        UpcomingCalls::Intent(Event::GatherIntended { tasks }) => {
            tasks.iter().for_each(|task| count(of_task(research, task)));
        }
        UpcomingCalls::Intent(Event::CheckIntended { tasks }) => {
            tasks.iter().for_each(|task| count(of_check(research, task)));
        }
        UpcomingCalls::Intent(_) => {}
        UpcomingCalls::Calls(calls) => calls.iter().for_each(|call| count(of_call(research, call))),
    }
    counted
}

pub fn of_call(research: &RunState, call: &EngineCall) -> Option<String> {
    match call {
        EngineCall::Create { .. } | EngineCall::Ask(_) => Some(pay(research)),
        EngineCall::Follow { .. } | EngineCall::Collect { .. } => {
            Some(format!("{}/look", research.plan.engine.as_str()))
        }
        // Stops what costs money: never delayed.
        EngineCall::Cancel { .. } => None,
        EngineCall::Web(call) => of_task(research, &call.task),
        EngineCall::Check(call) => of_check(research, &call.task),
    }
}

fn pay(research: &RunState) -> String {
    format!("{}/start", research.plan.engine.as_str())
}

fn of_task(research: &RunState, task: &WebTask) -> Option<String> {
    match task {
        WebTask::Search { provider, .. } => Some(format!("search/{}", provider.as_str())),
        WebTask::Plan { .. }
        | WebTask::Choose { .. }
        | WebTask::Read { .. }
        | WebTask::Write
        | WebTask::Brief
        | WebTask::Line { .. }
        | WebTask::Survey { .. }
        | WebTask::Outline { .. }
        | WebTask::Section { .. }
        | WebTask::Synthesis
        | WebTask::Front => {
            let model = research.plan.web.as_ref()?.model.as_ref()?;
            (!model.local).then(|| format!("model/{}", model.name))
        }
        // Web sites have their own rate limit, in the fetcher.
        WebTask::Page { .. } | WebTask::Folder { .. } => None,
    }
}

fn of_check(research: &RunState, task: &CheckTask) -> Option<String> {
    let judge = research.plan.checks.as_ref()?.asked_by(task)?;
    (!judge.local).then(|| format!("model/{}", judge.name))
}

pub fn call_outcome(finding: &EngineOutcome) -> CallOutcome {
    match finding {
        EngineOutcome::Started { .. }
        | EngineOutcome::Running(_)
        | EngineOutcome::Finished(_)
        | EngineOutcome::NotThere(_)
        | EngineOutcome::CancelAccepted => CallOutcome::Answered,
        EngineOutcome::Refused(problem)
        | EngineOutcome::Uncertain(problem)
        | EngineOutcome::Lost(problem)
        | EngineOutcome::Unreachable(problem)
        | EngineOutcome::CancelRefused(problem) => of_problem(problem),
        EngineOutcome::Unreadable(answer) => of_problem(&answer.problem),
        EngineOutcome::Answered(reply) => reply.problem.as_ref().map_or(CallOutcome::Answered, of_problem),
        EngineOutcome::Web(found) => match &found.output {
            WebTaskOutput::Failed(problem) => of_problem(problem),
            WebTaskOutput::Planned(_)
            | WebTaskOutput::Found(_)
            | WebTaskOutput::Files(_)
            | WebTaskOutput::Chosen(_)
            | WebTaskOutput::Page(_)
            | WebTaskOutput::Read(_)
            | WebTaskOutput::Written(_)
            | WebTaskOutput::Briefed(_)
            | WebTaskOutput::Lined(_)
            | WebTaskOutput::Surveyed(_)
            | WebTaskOutput::Outlined(_)
            | WebTaskOutput::Sectioned(_)
            | WebTaskOutput::Synthesized(_)
            | WebTaskOutput::Fronted(_) => CallOutcome::Answered,
        },
        EngineOutcome::Check(found) => match &found.output {
            CheckTaskOutput::Failed(problem) => of_problem(problem),
            CheckTaskOutput::Page(_) | CheckTaskOutput::Examined(_) | CheckTaskOutput::Judged(_) => {
                CallOutcome::Answered
            }
        },
    }
}

fn of_problem(problem: &CodedError) -> CallOutcome {
    let wait = problem.retry_after_ms.map(Duration::from_millis);
    match (problem.http_status, problem.code) {
        // 529 is how some providers say that they are overloaded.
        (Some(429 | 503 | 529), _) | (_, Code::RateLimited | Code::QuotaExhausted) => {
            CallOutcome::Throttled(wait)
        }
        (Some(408 | 500..), _) => CallOutcome::Failed,
        (Some(_), _) => CallOutcome::Answered,
        (None, Code::Network | Code::Timeout | Code::ProviderUnavailable | Code::CreateUncertain) => {
            CallOutcome::Failed
        }
        (None, Code::UnusableAnswer | Code::NoEvidence | Code::EmptyReport | Code::ProviderFailed) => {
            CallOutcome::Answered
        }
        (None, _) => CallOutcome::Unknown,
    }
}
