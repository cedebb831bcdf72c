//! The answer to "how is it going", computed once per event and stored beside the journal.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

use crate::{
    checking,
    cost::{Cost, Usage},
    error::CodedError,
    model::MODEL_UNSEEN,
    price,
    progress::PERCENT_BEFORE_END_MAX,
    report::REPORT_BYTES_MAX,
    rounds::{RoundsPlan, RoundsState, state::RoundStage},
    state::{CancelAnswer, RunPhase, RunState},
    stop::RunStop,
    web::{
        plan::{NO_MODEL, WebPlan},
        record::WebStop,
        state::WebState,
    },
};

pub use probity_types::status::{RoundsStatus, RunStatus, RunSummary};

impl RunState {
    pub fn status(&self) -> RunStatus {
        match &self.phase {
            RunPhase::Ended(ending) => ending.stop.into(),
            RunPhase::Uncertain { .. } => RunStatus::Unknown,
            _ if self.cancel.is_some() => RunStatus::Cancelling,
            RunPhase::Gathered(_) => RunStatus::RunningAsync,
            // Between two rounds it is still the same work.
            _ if self.rounds_state.as_ref().is_some_and(|course| course.calls > 0) => RunStatus::RunningAsync,
            _ if self.web_state.as_ref().is_some_and(|gathering| gathering.has_begun()) => {
                RunStatus::RunningAsync
            }
            RunPhase::Asked | RunPhase::Intended { .. } | RunPhase::Refused { .. } => RunStatus::Pending,
            RunPhase::Running => RunStatus::RunningAsync,
        }
    }

    /// Everything a status answer needs.
    pub fn summary(&self) -> RunSummary {
        let status = self.status();
        let ending = self.ending();
        let of_course = self.rounds_state.as_ref().map(|course| course.spent);
        let of_gathering = self.web_state.as_ref().map(|gathering| gathering.spent.usage);
        let of_rounds = of_course.or(of_gathering).filter(|spent| *spent != Usage::default());
        let usage = ending.and_then(|ending| ending.usage).or(of_rounds).or(self.progress.usage);
        let shown_usage = shown_usage(self, usage);
        let mut counts = self.rounds_state.as_ref().map(|course| course.counts()).unwrap_or_default();
        counts.add(&self.progress);
        let ended_well = matches!(status, RunStatus::Completed);
        let cost = match (cost_of(self, usage.as_ref()), self.paid_again) {
            (cost, true) => cost.at_least(),
            (cost, false) => cost,
        };
        RunSummary {
            id: self.id,
            status,
            due: self.is_due(),
            query: self.query.as_str().to_owned(),
            engine: self.plan.engine.as_str().to_owned(),
            engine_reason: self.plan.engine_sentence(),
            agent: worker(self),
            asked_at: self.asked_at,
            updated_at: self.updated_at,
            ended_at: ending.map(|ending| ending.at),
            remote_id: self.remote_id.clone(),
            progress_percent: if ended_well { 100 } else { percent(self) },
            progress_estimated: !ended_well,
            current_action: current_action(self, status),
            steps: counts.steps,
            // An answer that was of no use was searched for all the same.
            searches: counts.searches.max(searches_said(usage.as_ref())),
            pages: counts.pages,
            news: if status.is_final() { Vec::new() } else { self.progress.news.clone() },
            attended_ms: self.attended_ms,
            usage: shown_usage,
            cost,
            problem: problem_of(self),
            report: self.report(),
            raw: ending.and_then(|ending| ending.raw).or_else(|| self.failed_look.as_ref()?.raw),
            sources: self.sources(),
            cancel_answer: cancel_answer(self),
            cancel_refused: refused_cancel(self).is_some(),
            note: note(self, cost),
            estimate: self.plan.estimate,
            reserved: self.plan.estimate.map(|_| self.reserved),
            approval: self.plan.approval,
            asked_by: self.plan.asked_by.clone(),
            follows: self.plan.follows,
            notify: self.plan.notify,
            rounds: rounds_status(self),
            given: self.plan.given.is_some(),
            handed_over: self.handed_over,
            warnings: warnings(self),
            deadline_ms: (!status.is_final()).then_some(self.plan.limits.deadline_ms),
            is_cut_short: is_cut_short(self),
            asked_flags: self.plan.web.as_deref().map(WebPlan::as_flags).unwrap_or_default(),
            model_problem: absent_model(self).cloned(),
        }
    }
}

/// What a user should know beside the status: a deadline that was cut, a report that was.
fn note(research: &RunState, cost: Cost) -> Option<String> {
    let cut = research.progress.report_bytes_sent.map(|sent| {
        format!(
            "the provider's report has {sent} bytes; the first {REPORT_BYTES_MAX} are kept as the report, and all of \
             them in the raw answer"
        )
    });
    let notes: Vec<String> = (research.plan.limits.note().into_iter())
        .chain(cut)
        .chain(beyond_budget(research, cost))
        .chain(refused_cancel(research))
        .chain(limit_that_cut(research))
        .chain(absent_model(research).map(without_model))
        .chain(warnings(research))
        .collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

/// Until there is a report, which tells of it in its own words.
fn warnings(research: &RunState) -> Vec<String> {
    match (&research.web_state, research.status().is_final()) {
        (Some(gathering), false) => gathering.model_warnings(),
        (Some(_), true) | (None, _) => Vec::new(),
    }
}

/// A report that the deadline ended. The time that a depth takes anyway is none, and a budget makes the plan smaller
/// before it begins: what fits into it is whole.
fn is_cut_short(research: &RunState) -> bool {
    let (Some(plan), Some(gathering)) = (&research.plan.web, &research.web_state) else { return false };
    let is_completed = research.ending().is_some_and(|ending| ending.stop == RunStop::Completed);
    let was_late = gathering.stop == Some(WebStop::Deadline) && plan.ends_by_deadline(&research.plan.limits);
    is_completed && (was_late || gathering.was_late_to_write())
}

/// Which limit a report that was cut short met, and what it cost: the exit code alone says neither.
fn limit_that_cut(research: &RunState) -> Option<String> {
    let gathering = research.web_state.as_ref().filter(|_| is_cut_short(research))?;
    let seconds = research.plan.limits.deadline_ms / 1_000;
    let lost = match gathering.was_late_to_write() {
        true => "the model had not written all of the report by then",
        false => "the search was not done by then",
    };
    Some(format!("its time limit of {seconds} s cut it short: {lost}"))
}

/// Why the planned model wrote nothing, where the report had to do without it.
fn absent_model(research: &RunState) -> Option<&CodedError> {
    let gathering = research.web_state.as_ref().filter(|gathering| !gathering.is_written())?;
    let is_completed = research.ending().is_some_and(|ending| ending.stop == RunStop::Completed);
    let is_planned = research.plan.web.as_ref().is_some_and(|plan| plan.model.is_some());
    gathering.why_unwritten().filter(|_| is_completed && is_planned)
}

fn without_model(problem: &CodedError) -> String {
    format!("the model did not write the report ({}); it is made of quotations", problem.clause())
}

/// What was cancelled here and not there.
fn refused_cancel(research: &RunState) -> Option<String> {
    let is_cancelled = research.ending().is_some_and(|ending| ending.stop == RunStop::Cancelled);
    let refused = matches!(research.cancel.as_ref()?.answer, CancelAnswer::Refused(_));
    cancel_answer(research).filter(|_| is_cancelled && refused)
}

/// A call is made if its expected price fits; what it costs is known only after it.
fn beyond_budget(research: &RunState, cost: Cost) -> Option<String> {
    let (Cost::FromUsage(cost) | Cost::AtLeast(cost)) = cost else { return None };
    let ended = research.ending().is_some();
    let budget = research.budget().filter(|budget| ended && cost > *budget)?;
    Some(format!(
        "it cost {cost}, more than its budget of {budget}: what a call costs is known only after it"
    ))
}

fn rounds_status(research: &RunState) -> Option<RoundsStatus> {
    let plan = research.plan.rounds.as_ref()?;
    match (&research.plan.web, &research.web_state, &research.rounds_state) {
        (Some(web), Some(gathering), _) => Some(attempts_as_rounds(plan, web, gathering)),
        (_, _, Some(course)) => Some(rounds_so_far(&research.phase, plan, course)),
        _ => None,
    }
}

/// Attempts of the web engine, told as rounds.
fn attempts_as_rounds(plan: &RoundsPlan, web: &WebPlan, gathering: &WebState) -> RoundsStatus {
    RoundsStatus {
        manner: plan.manner,
        round: gathering.attempt,
        // What the user says on the way may add one.
        rounds_max: web.attempts_max().max(gathering.attempt),
        verified: false,
        calls: gathering.spent.calls,
        calls_uncounted: gathering.spent.uncounted,
    }
}

fn rounds_so_far(phase: &RunPhase, plan: &RoundsPlan, course: &RoundsState) -> RoundsStatus {
    RoundsStatus {
        manner: plan.manner,
        round: round_under_way(phase, course).min(plan.rounds_max),
        rounds_max: plan.rounds_max,
        verified: course.best().is_some_and(|best| best.facts.verified),
        calls: course.calls,
        calls_uncounted: course.calls_uncounted,
    }
}

/// A round goes on until its claims are judged, and the next one begins with its call: whether there is one is not
/// decided before.
fn round_under_way(phase: &RunPhase, course: &RoundsState) -> u32 {
    let begins = course.position.cycle == 1 && course.position.stage == RoundStage::Main;
    match phase {
        RunPhase::Intended { .. }
        | RunPhase::Refused { .. }
        | RunPhase::Uncertain { .. }
        | RunPhase::Running => course.position.round,
        RunPhase::Asked if course.over.is_none() && (!begins || course.iterations() == 0) => {
            course.position.round
        }
        RunPhase::Asked | RunPhase::Gathered(_) | RunPhase::Ended(_) => course.iterations(),
    }
}

/// The model that was seen at work, else the one that the plan names; at the end of a check, only one that was asked.
fn worker(research: &RunState) -> String {
    let seen = research.rounds_state.as_ref().and_then(|course| course.model_seen());
    let names_none = research.plan.web.is_none()
        && research.plan.rounds.as_ref().is_some_and(|rounds| rounds.model.is_none());
    let unseen = match research.ending() {
        Some(_) if is_check_without_judge(research) => NO_MODEL,
        Some(_) if names_none => MODEL_UNSEEN,
        Some(_) | None => research.plan.model_or_agent(),
    };
    seen.unwrap_or(unseen).to_owned()
}

/// Whether a check of a given text came to its end without asking its judge: there was nothing to judge, or all of it was
/// judged before.
fn is_check_without_judge(research: &RunState) -> bool {
    let is_over = research.plan.given.is_some() && research.ending().is_some();
    is_over && research.check_state.as_ref().is_none_or(|checking| !checking.was_judge_asked())
}

/// Rounds that are over, of all that there may be; else the share of the agent's typical searches.
fn percent(research: &RunState) -> u32 {
    if let (Some(web), Some(gathering)) = (&research.plan.web, &research.web_state) {
        return gathering.percent(web).min(PERCENT_BEFORE_END_MAX);
    }
    match (&research.plan.rounds, &research.rounds_state) {
        (Some(plan), Some(course)) => {
            (course.iterations().saturating_mul(100) / plan.rounds_max.max(1)).min(PERCENT_BEFORE_END_MAX)
        }
        _ => research.progress.percent_estimated(research.plan.agent.facts()),
    }
}

fn running_action(research: &RunState) -> String {
    if let (RunPhase::Running, Some(look)) = (&research.phase, &research.failed_look) {
        return format!("looking again: {}", look.problem.message);
    }
    if let (Some(_), Some(checking)) = (checking::step::subject(research), &research.check_state) {
        return checking.action();
    }
    let action = research.progress.action();
    let word = if research.web_state.is_some() { "attempt" } else { "round" };
    match rounds_status(research).filter(|shown| shown.rounds_max > 1) {
        Some(shown) => format!("{word} {}/{}: {action}", shown.round, shown.rounds_max),
        None => action,
    }
}

fn current_action(research: &RunState, status: RunStatus) -> String {
    match status {
        RunStatus::Pending => match &research.phase {
            RunPhase::Refused { attempt, problem } if research.is_tried_again(*attempt, problem) => {
                format!("trying again: {}", problem.message)
            }
            RunPhase::Refused { problem, .. } => format!("refused: {}", problem.message),
            RunPhase::Asked
            | RunPhase::Intended { .. }
            | RunPhase::Uncertain { .. }
            | RunPhase::Running
            | RunPhase::Gathered(_)
            | RunPhase::Ended(_) => "starting".to_owned(),
        },
        RunStatus::RunningAsync => running_action(research),
        RunStatus::Cancelling => "cancelling".to_owned(),
        RunStatus::Completed
        | RunStatus::Incomplete
        | RunStatus::Failed
        | RunStatus::Cancelled
        | RunStatus::Expired
        | RunStatus::TimedOut
        | RunStatus::OverBudget
        | RunStatus::Unknown => status.as_str().replace('_', " "),
    }
}

fn searches_said(usage: Option<&Usage>) -> u32 {
    usage.map_or(0, |usage| u32::try_from(usage.searches).unwrap_or(u32::MAX))
}

/// At the end the judge's tokens are among those of the run; until then they are added, as its cost is.
fn shown_usage(research: &RunState, usage: Option<Usage>) -> Option<Usage> {
    let judge = research.check_state.as_ref().map(|checking| checking.spent.usage).unwrap_or_default();
    match &research.phase {
        // Nobody was asked, so nobody counted: that is none, not unknown.
        RunPhase::Ended(_) if is_check_without_judge(research) => usage.or(Some(Usage::NONE)),
        RunPhase::Ended(_) => usage,
        RunPhase::Gathered(gathered) => Usage::with_judge(usage.or(gathered.usage), gathered.cost, judge),
        RunPhase::Asked
        | RunPhase::Intended { .. }
        | RunPhase::Refused { .. }
        | RunPhase::Uncertain { .. }
        | RunPhase::Running => usage.map(|usage| usage.plus(&judge)),
    }
}

fn cost_of(research: &RunState, usage: Option<&Usage>) -> Cost {
    let checks = research.check_state.as_ref().map_or(Cost::Nothing, |checking| checking.spent.as_cost());
    match &research.phase {
        RunPhase::Ended(ending) => ending.cost,
        RunPhase::Gathered(ending) => unless_open(research, ending.cost.plus(checks)),
        RunPhase::Uncertain { .. } => {
            let known = match research.interrupted_in.as_deref() {
                Some(RunPhase::Gathered(ending)) => ending.cost,
                Some(_) | None => gathering_cost(research, usage),
            };
            known.plus(checks).at_least()
        }
        RunPhase::Asked | RunPhase::Intended { .. } | RunPhase::Refused { .. } | RunPhase::Running => {
            unless_open(research, gathering_cost(research, usage).plus(checks))
        }
    }
}

/// While the first paid call is out, nobody knows what it costs: that is not nothing.
fn unless_open(research: &RunState, cost: Cost) -> Cost {
    match cost {
        Cost::Nothing if has_open_paid_call(research) => Cost::Unknown,
        Cost::Nothing | Cost::FromUsage(_) | Cost::AtLeast(_) | Cost::Unknown => cost,
    }
}

/// Whether a call is out that may be billed.
fn has_open_paid_call(research: &RunState) -> bool {
    let round = match &research.phase {
        RunPhase::Intended { .. } | RunPhase::Uncertain { .. } | RunPhase::Running => {
            research.rounds_state.is_some()
        }
        RunPhase::Asked | RunPhase::Refused { .. } | RunPhase::Gathered(_) | RunPhase::Ended(_) => false,
    };
    let gathering = research.plan.web.as_ref().zip(research.web_state.as_ref());
    let checking = research.plan.checks.as_ref().zip(research.check_state.as_ref());
    round
        || gathering.is_some_and(|(plan, state)| state.open.iter().any(|task| plan.is_paid(task)))
        || checking.is_some_and(|(plan, state)| state.open.iter().any(|task| plan.is_paid(task)))
}

fn gathering_cost(research: &RunState, usage: Option<&Usage>) -> Cost {
    if let Some(gathering) = &research.web_state {
        return gathering.spent.as_cost();
    }
    if let (Some(plan), Some(course)) = (&research.plan.rounds, &research.rounds_state) {
        return course.cost(plan, &research.updated_at.date());
    }
    match (&research.phase, &research.remote_id) {
        (RunPhase::Asked | RunPhase::Refused { .. }, None) => Cost::Nothing,
        (RunPhase::Asked | RunPhase::Refused { .. }, Some(_))
        | (
            RunPhase::Intended { .. }
            | RunPhase::Uncertain { .. }
            | RunPhase::Running
            | RunPhase::Gathered(_)
            | RunPhase::Ended(_),
            _,
        ) => price::cost(usage, &research.updated_at.date()),
    }
}

fn problem_of(research: &RunState) -> Option<CodedError> {
    match &research.phase {
        RunPhase::Ended(ending) => ending.problem.clone(),
        RunPhase::Refused { problem, .. } | RunPhase::Uncertain { problem, .. } => Some(problem.clone()),
        RunPhase::Running => research.failed_look.as_ref().map(|look| look.problem.clone()),
        RunPhase::Asked | RunPhase::Intended { .. } | RunPhase::Gathered(_) => None,
    }
}

fn cancel_answer(research: &RunState) -> Option<String> {
    match &research.cancel.as_ref()?.answer {
        CancelAnswer::NotAsked => None,
        CancelAnswer::Accepted => Some("the provider accepted the cancel".to_owned()),
        CancelAnswer::Refused(problem) => Some(format!(
            "the provider refused the cancel: {}; it may go on there and be billed",
            problem.clause()
        )),
    }
}
