//! The end of a run in rounds: the best answer, the output of all rounds, and why there is no further one.

use super::{
    RoundAnswer, RoundNote, RoundsPlan, RoundsRecord, RoundsStop, ToolEvidence,
    hints::uncheckable_in_words,
    parse_answer::{self, answers, best},
    state::{AnsweredRound, FailedRound, RoundsState},
    verify,
};
use crate::{
    cost::Usage,
    driver_state::DriverState,
    error::{Code, CodedError},
    instruction::{FinishAction, RunFinish},
    ledger::Ledger,
    model::MODEL_UNSEEN,
    report::Report,
    state::RunState,
    stop::{CancelReason, PartialResults, RunStop},
    text,
};

/// Enough of a round's answer to recognise it.
const SUMMARY_CHARACTERS_MAX: usize = 280;
/// A sentence and a few addresses.
const NOTE_CHARACTERS_MAX: usize = 800;

pub fn conclude(
    research: &RunState,
    plan: &RoundsPlan,
    course: &RoundsState,
    attention: &DriverState,
    stop: RoundsStop,
) -> RunFinish {
    let answers = answers(course, attention);
    let dropped = research.cancel.as_ref().is_some_and(|command| command.partial == PartialResults::Drop);
    let checked = parse_answer::checked(course, attention);
    let report =
        report(plan, course, &answers, checked, stop).filter(|_| !dropped || stop != RoundsStop::Cancelled);
    let spent = research.check_state.as_ref().map(|checking| checking.spent).unwrap_or_default();
    let usage = course.spent.plus(&spent.usage);
    RunFinish {
        // Its answers were checked one by one.
        action: FinishAction::End,
        stop: ending(stop, report.is_some()),
        problem: problem(course, stop, report.is_some()),
        report,
        raw: Vec::new(),
        raw_kept: course.last_raw.filter(|_| !dropped || stop != RoundsStop::Cancelled),
        usage: (usage != Usage::default()).then_some(usage),
        cost: course.cost(plan, &research.updated_at.date()).plus(spent.as_cost()),
        progress: research.progress.clone(),
    }
}

/// A limit degrades the run; it never leaves it empty.
fn ending(stop: RoundsStop, has_report: bool) -> RunStop {
    match stop {
        RoundsStop::Cancelled => RunStop::Cancelled,
        _ if has_report => RunStop::Completed,
        RoundsStop::Deadline => CancelReason::Deadline.stop(),
        RoundsStop::Budget => CancelReason::Budget.stop(),
        RoundsStop::Failure
        | RoundsStop::Limit
        | RoundsStop::Verified
        | RoundsStop::Saturated
        | RoundsStop::Uncheckable => RunStop::Failed,
        // These end attempts of the web engine only.
        RoundsStop::NotNeeded | RoundsStop::Enough | RoundsStop::Finished => RunStop::Failed,
    }
}

fn problem(course: &RoundsState, stop: RoundsStop, has_report: bool) -> Option<CodedError> {
    if has_report || stop == RoundsStop::Cancelled {
        return None;
    }
    let last = course.failed.last().map(|failed| &failed.problem);
    match (stop, last) {
        (RoundsStop::Deadline, _) => {
            Some(CodedError::new(Code::Deadline, "the research did not finish before its deadline"))
        }
        (RoundsStop::Budget, _) => {
            Some(CodedError::new(Code::Budget, "the research cost more than its budget"))
        }
        (_, Some(last)) if matches!(last.code, Code::UnusableAnswer | Code::NoEvidence) => {
            Some(exhausted(last))
        }
        (_, Some(last)) => Some(last.clone()),
        (_, None) => Some(CodedError::new(Code::ExecutionError, "no round brought an answer")),
    }
}

fn exhausted(last: &CodedError) -> CodedError {
    let message = format!("all retry and correction attempts were exhausted; the last one: {}", last.message);
    CodedError::new(Code::ExecutionError, &message)
}

fn report(
    plan: &RoundsPlan,
    course: &RoundsState,
    answers: &[(&AnsweredRound, RoundAnswer)],
    checked: Option<Report>,
    stop: RoundsStop,
) -> Option<Report> {
    let answer = best(course, answers)?;
    let shown = checked.as_ref().unwrap_or(&answer.report);
    // The best answer's own sources come first: its citations count on their places.
    let mut all = ToolEvidence { sources: shown.sources.clone(), ..ToolEvidence::default() };
    answers.iter().for_each(|(_, answer)| all.add(&answer.evidence()));
    all.queries = distinct(course.unanswered.iter().flat_map(|call| &call.queries), all.queries);
    let record = record(plan, course, answers, answer, shown.ledger.as_deref(), stop);
    let mut ledger = shown.ledger.clone();
    ledger.iter_mut().for_each(|ledger| ledger.note_writer(&record.model));
    Some(Report {
        text: shown.text.clone(),
        citations: shown.citations.clone(),
        sources: all.sources,
        queries: all.queries,
        rounds: Some(Box::new(record)),
        ledger,
        ..Report::default()
    })
}

fn record(
    plan: &RoundsPlan,
    course: &RoundsState,
    answers: &[(&AnsweredRound, RoundAnswer)],
    best: &RoundAnswer,
    ledger: Option<&Ledger>,
    stop: RoundsStop,
) -> RoundsRecord {
    let facts = course.best().map(|best| best.facts.clone()).unwrap_or_default();
    let configured = plan.model.as_ref().map(|model| model.as_str().to_owned());
    let mut unresolved = best.unresolved.clone();
    for claimed in &best.claimed {
        if !unresolved.contains(claimed) {
            unresolved.push(claimed.clone());
        }
    }
    RoundsRecord {
        manner: plan.manner,
        iterations: course.iterations(),
        rounds_max: plan.rounds_max,
        verified: facts.verified,
        model_says_verified: facts.model_says_verified,
        model_unasked: course.best().is_some_and(|best| course.model_says(best.round, &best.facts).is_none()),
        verification_basis: verify::basis(plan.verification, plan.rounds_max, course.checks).to_owned(),
        stop,
        note: note(plan, course, ledger, stop, facts.verified),
        model: configured
            .or_else(|| course.model_seen().map(str::to_owned))
            .unwrap_or_else(|| MODEL_UNSEEN.to_owned()),
        unresolved,
        calls: course.calls,
        calls_uncounted: course.calls_uncounted,
        rounds: notes(course, answers),
    }
}

fn notes(course: &RoundsState, answers: &[(&AnsweredRound, RoundAnswer)]) -> Vec<RoundNote> {
    let answered = answers.iter().map(|(answered, answer)| RoundNote {
        round_number: answered.round,
        verified: answered.facts.verified,
        model_says_verified: answered.facts.model_says_verified,
        sources_visited: answer.report.sources.iter().map(|source| source.url.clone()).collect(),
        search_queries: searched(course, answered.round, &answer.report.queries),
        pages_read: answered.facts.pages.saturating_add(pages_unanswered(course, answered.round)),
        intermediate_result_summary: text::line(&answer.report.text, SUMMARY_CHARACTERS_MAX),
        problem: None,
    });
    let failed = course.failed.iter().map(|round| failed(course, round));
    let mut notes: Vec<RoundNote> = answered.chain(failed).collect();
    notes.sort_by_key(|note| note.round_number);
    notes
}

/// What a round searched for, tries without an answer among it.
fn searched(course: &RoundsState, round: u32, answered: &[String]) -> Vec<String> {
    let tries = course.unanswered.iter().filter(|call| call.round == round);
    distinct(tries.flat_map(|call| &call.queries).chain(answered), Vec::new())
}

fn pages_unanswered(course: &RoundsState, round: u32) -> u32 {
    let tries = course.unanswered.iter().filter(|call| call.round == round);
    tries.fold(0, |sum, call| sum.saturating_add(call.counts.pages))
}

/// The list with what is new to it.
fn distinct<'a>(more: impl IntoIterator<Item = &'a String>, mut list: Vec<String>) -> Vec<String> {
    for query in more {
        if !list.contains(query) {
            list.push(query.clone());
        }
    }
    list
}

fn failed(course: &RoundsState, failed: &FailedRound) -> RoundNote {
    RoundNote {
        round_number: failed.round,
        verified: false,
        model_says_verified: false,
        sources_visited: Vec::new(),
        search_queries: searched(course, failed.round, &[]),
        pages_read: pages_unanswered(course, failed.round),
        intermediate_result_summary: String::new(),
        problem: Some(failed.problem.clone()),
    }
}

/// Note for the reader on how the run ended.
fn note(
    plan: &RoundsPlan,
    course: &RoundsState,
    ledger: Option<&Ledger>,
    stop: RoundsStop,
    verified: bool,
) -> Option<String> {
    let shown = course.best().map_or(0, |best| best.round);
    let why = match stop {
        RoundsStop::Verified | RoundsStop::NotNeeded | RoundsStop::Enough => return None,
        RoundsStop::Saturated => "the last round brought nothing new".to_owned(),
        RoundsStop::Uncheckable => {
            let what = ledger.map_or_else(|| "claims could not be checked".to_owned(), uncheckable_in_words);
            format!("{what}, and another round would not change that")
        }
        RoundsStop::Limit if plan.rounds_max < 2 => return None,
        RoundsStop::Limit => format!("all {} rounds were used", plan.rounds_max),
        RoundsStop::Budget => "another round might have gone over the budget".to_owned(),
        RoundsStop::Deadline => "the deadline was reached".to_owned(),
        RoundsStop::Failure => {
            let last = course.failed.last().map(|failed| failed.problem.clause()).unwrap_or_default();
            format!("a round failed for good: {last}")
        }
        RoundsStop::Cancelled => "it was cancelled".to_owned(),
        RoundsStop::Finished => "its user wanted no more searching".to_owned(),
    };
    let state = if verified { "" } else { "Verification was not completed: " };
    Some(text::line(
        &format!("{state}{why}; this is the best result obtained, from round {shown}."),
        NOTE_CHARACTERS_MAX,
    ))
}
