//! Which provider a call goes to, and what its outcome says about that provider.
//!
//! Starting and looking are counted apart: a provider limits what it is paid for otherwise than what is free, and
//! many good looks must not hide that every start is refused.

use std::{collections::BTreeMap, time::Duration};

use crate::{
    checking::{CheckBrought, CheckTask},
    error::{Code, Problem},
    event::Event,
    finding::{Call, Finding},
    seams::Upcoming,
    state::Research,
    web::task::{Brought, Task},
};

/// What one call taught about its provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It answered, whatever it said.
    Answered,
    /// It lives and says that it is too much, and perhaps for how long.
    Throttled(Option<Duration>),
    Failed,
    /// Nothing: the call was not made, or was given up.
    Unknown,
}

/// How many calls each provider gets from what is about to be done. Providers that need no limit are not named.
pub fn of_upcoming(research: &Research, upcoming: Upcoming<'_>) -> BTreeMap<String, u32> {
    let mut counted = BTreeMap::new();
    let mut count = |provider: Option<String>| {
        if let Some(provider) = provider {
            *counted.entry(provider).or_insert(0) += 1;
        }
    };
    match upcoming {
        Upcoming::Intent(Event::CreateIntended { .. }) => count(Some(pay(research))),
        Upcoming::Intent(Event::GatherIntended { tasks }) => {
            tasks.iter().for_each(|task| count(of_task(research, task)));
        }
        Upcoming::Intent(Event::CheckIntended { tasks }) => {
            tasks.iter().for_each(|task| count(of_check(research, task)));
        }
        Upcoming::Intent(_) => {}
        Upcoming::Calls(calls) => calls.iter().for_each(|call| count(of_call(research, call))),
    }
    counted
}

pub fn of_call(research: &Research, call: &Call) -> Option<String> {
    match call {
        Call::Create { .. } | Call::Ask(_) => Some(pay(research)),
        Call::Follow { .. } | Call::Collect { .. } => Some(format!("{}/look", research.plan.engine.as_str())),
        // Stops what costs money: never held up.
        Call::Cancel { .. } => None,
        Call::Web(call) => of_task(research, &call.task),
        Call::Check(call) => of_check(research, &call.task),
    }
}

fn pay(research: &Research) -> String {
    format!("{}/start", research.plan.engine.as_str())
}

fn of_task(research: &Research, task: &Task) -> Option<String> {
    match task {
        Task::Search { provider, .. } => Some(format!("search/{}", provider.as_str())),
        Task::Plan { .. } | Task::Choose { .. } | Task::Read { .. } | Task::Write => {
            let model = research.plan.web.as_ref()?.model.as_ref()?;
            (!model.local).then(|| format!("model/{}", model.name))
        }
        // Foreign sites are asked at their own pace, by the fetcher.
        Task::Page { .. } | Task::Folder { .. } => None,
    }
}

fn of_check(research: &Research, task: &CheckTask) -> Option<String> {
    match task {
        CheckTask::Judge { .. } => {
            let judge = research.plan.checks.as_ref()?.judge.as_ref()?;
            (!judge.local).then(|| format!("model/{}", judge.name))
        }
        CheckTask::Page { .. } | CheckTask::Examine | CheckTask::Recall => None,
    }
}

pub fn outcome(finding: &Finding) -> Outcome {
    match finding {
        Finding::Started { .. }
        | Finding::Seen(_)
        | Finding::Finished(_)
        | Finding::NotThere(_)
        | Finding::CancelAccepted => Outcome::Answered,
        Finding::Refused(problem)
        | Finding::Uncertain(problem)
        | Finding::Lost(problem)
        | Finding::Unreachable(problem)
        | Finding::CancelRefused(problem) => of_problem(problem),
        Finding::Answered(reply) => reply.problem.as_ref().map_or(Outcome::Answered, of_problem),
        Finding::Web(found) => match &found.brought {
            Brought::Failed(problem) => of_problem(problem),
            _ => Outcome::Answered,
        },
        Finding::Check(found) => match &found.brought {
            CheckBrought::Failed(problem) => of_problem(problem),
            _ => Outcome::Answered,
        },
    }
}

fn of_problem(problem: &Problem) -> Outcome {
    let wait = problem.retry_after_ms.map(Duration::from_millis);
    match (problem.http_status, problem.code) {
        // 529 is how some providers say that they are overloaded.
        (Some(429 | 503 | 529), _) | (_, Code::RateLimited | Code::QuotaExhausted) => {
            Outcome::Throttled(wait)
        }
        (Some(408 | 500..), _) => Outcome::Failed,
        (Some(_), _) => Outcome::Answered,
        (None, Code::Network | Code::Timeout | Code::ProviderUnavailable | Code::CreateUncertain) => {
            Outcome::Failed
        }
        (None, Code::UnusableAnswer | Code::NoEvidence | Code::EmptyReport | Code::ProviderFailed) => {
            Outcome::Answered
        }
        (None, _) => Outcome::Unknown,
    }
}
