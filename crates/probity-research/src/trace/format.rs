//! Steps as text: the label of a row and its result. Every foreign text is made one clean line first.

use crate::{
    checking::{CheckTask, CheckTaskOutcome, controls},
    error::CodedError,
    progress::ProgressLine,
    state::RunState,
    text::line,
    trace::{TraceStepKind, TraceStepStatus},
    web::{
        state::{WebState, to_index},
        task::{WebTask, WebTaskOutcome},
    },
};

/// Longest label: a row of a table and of a terminal.
const LABEL_CHARACTERS_MAX: usize = 160;

pub(super) fn short(text: &str) -> String {
    line(text, LABEL_CHARACTERS_MAX)
}

/// `1 page`, `2 pages`.
pub(super) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

pub(super) fn size(count: u32) -> usize {
    to_index(count)
}

pub(super) fn problem(problem: &CodedError) -> String {
    short(&format!("{}: {}", problem.code, problem.message))
}

pub(super) fn task_kind(task: WebTask) -> TraceStepKind {
    match task {
        WebTask::Plan { .. } | WebTask::Brief | WebTask::Line { .. } | WebTask::Outline { .. } => {
            TraceStepKind::Plan
        }
        WebTask::Search { .. } => TraceStepKind::Search,
        WebTask::Folder { .. } => TraceStepKind::Folder,
        WebTask::Choose { .. } => TraceStepKind::Choose,
        WebTask::Page { .. } => TraceStepKind::Fetch,
        WebTask::Read { .. } | WebTask::Survey { .. } => TraceStepKind::Read,
        WebTask::Write | WebTask::Section { .. } | WebTask::Synthesis | WebTask::Front => {
            TraceStepKind::Write
        }
    }
}

pub(super) fn task_label(research: &RunState, task: WebTask) -> String {
    let gathering = research.web_state.as_deref();
    let found = match task {
        WebTask::Plan { .. } => Some("what to look up".to_owned()),
        WebTask::Choose { .. } => Some("which pages to read".to_owned()),
        WebTask::Write => Some("the report".to_owned()),
        WebTask::Brief => Some("the question in parts".to_owned()),
        WebTask::Line { facet, .. } => gathering
            .and_then(|gathering| gathering.inquiry.as_ref())
            .and_then(|inquiry| inquiry.facet(facet))
            .map(|facet| facet.question.clone()),
        WebTask::Outline { round } => Some(format!("the outline, round {round}")),
        WebTask::Section { node } => gathering
            .and_then(|gathering| gathering.inquiry.as_ref())
            .and_then(|inquiry| inquiry.outline.get(node))
            .map(|node| node.heading.clone())
            .filter(|heading| !heading.is_empty()),
        WebTask::Synthesis => Some("what follows from it".to_owned()),
        WebTask::Front => Some("the answer in short".to_owned()),
        WebTask::Search { query, .. } => gathering
            .and_then(|gathering| gathering.queries.get(to_index(query)))
            .map(|asked| asked.query.clone()),
        WebTask::Folder { folder } => {
            research.plan.web.as_ref().and_then(|web| web.folders.get(to_index(folder))).cloned()
        }
        WebTask::Page { candidate } => gathering.and_then(|gathering| address(gathering, candidate)),
        WebTask::Read { page } | WebTask::Survey { page } => {
            gathering.and_then(|gathering| title(gathering, page))
        }
    };
    short(&found.unwrap_or_else(|| task_kind(task).as_str().to_owned()))
}

fn address(gathering: &WebState, candidate: u32) -> Option<String> {
    gathering.candidates.get(to_index(candidate)).map(|listed| listed.candidate.url.clone())
}

fn title(gathering: &WebState, page: u32) -> Option<String> {
    let read = gathering.pages.get(to_index(page))?;
    let title = short(&read.metadata.title);
    if title.is_empty() { address(gathering, read.candidate) } else { Some(title) }
}

pub(super) fn task_result(outcome: &WebTaskOutcome) -> String {
    match outcome {
        WebTaskOutcome::Planned(planned) if planned.enough && planned.queries.is_empty() => {
            "nothing left to ask".to_owned()
        }
        WebTaskOutcome::Planned(planned) => counted(planned.queries.len(), "query", "queries"),
        WebTaskOutcome::Found { hits, .. } => counted(hits.len(), "result", "results"),
        WebTaskOutcome::Files { names } => counted(names.len(), "file", "files"),
        WebTaskOutcome::Chosen { candidates } => counted(candidates.len(), "page chosen", "pages chosen"),
        WebTaskOutcome::Page(kept) => format!("{} bytes kept", kept.record.bytes),
        WebTaskOutcome::Noted(note) => match note.invented {
            0 => counted(note.quotes.len(), "quotation", "quotations"),
            invented => format!(
                "{}, {invented} not on the page and dropped",
                counted(note.quotes.len(), "quotation", "quotations")
            ),
        },
        WebTaskOutcome::Written(draft) => {
            let sentences = draft.sections.iter().map(|section| section.sentences.len()).sum();
            counted(sentences, "sentence", "sentences")
        }
        WebTaskOutcome::Briefed(answer) => counted(answer.facets.len(), "facet", "facets"),
        WebTaskOutcome::Lined(answer) if answer.done && answer.queries.is_empty() => {
            "nothing left to ask".to_owned()
        }
        WebTaskOutcome::Lined(answer) => counted(answer.queries.len(), "query", "queries"),
        WebTaskOutcome::Surveyed(note) => match note.invented {
            0 => counted(note.quotes.len(), "quotation", "quotations"),
            invented => format!(
                "{}, {invented} not on the page and dropped",
                counted(note.quotes.len(), "quotation", "quotations")
            ),
        },
        WebTaskOutcome::Outlined(answer) => counted(answer.operations.len(), "change", "changes"),
        WebTaskOutcome::Sectioned(answer) => counted(answer.blocks.len(), "block", "blocks"),
        WebTaskOutcome::Synthesized(answer) => counted(answer.points.len(), "conclusion", "conclusions"),
        WebTaskOutcome::Fronted(answer) => counted(answer.key_points.len(), "key point", "key points"),
        WebTaskOutcome::Failed { problem: cause } => problem(cause),
    }
}

pub(super) fn check_kind(task: &CheckTask) -> TraceStepKind {
    match task {
        CheckTask::Page { .. } => TraceStepKind::Fetch,
        CheckTask::Examine => TraceStepKind::Examine,
        CheckTask::Judge { .. } | CheckTask::Exam { .. } => TraceStepKind::Judge,
        CheckTask::Recall => TraceStepKind::Recall,
        CheckTask::Second { task } => check_kind(task),
    }
}

pub(super) fn check_label(task: &CheckTask) -> String {
    match task {
        CheckTask::Page { url } => short(url),
        CheckTask::Examine => "every claim against its pages, by rule".to_owned(),
        CheckTask::Judge { claims } => counted(claims.len(), "open claim", "open claims"),
        CheckTask::Exam { batch } => format!("exam of the judge, part {}", batch + 1),
        CheckTask::Recall => "answers that were bought before".to_owned(),
        CheckTask::Second { task } => format!("second judge: {}", check_label(task)),
    }
}

pub(super) fn check_result(outcome: &CheckTaskOutcome) -> String {
    match outcome {
        CheckTaskOutcome::Page(kept) => format!("{} bytes kept", kept.record.bytes),
        CheckTaskOutcome::Examined { questions, .. } => {
            format!("{questions} left open by the rules")
        }
        CheckTaskOutcome::Judged { answers } => {
            let known = answers.iter().filter(|answer| controls::truth(answer.claim).is_some()).count();
            counted(answers.len() - known, "answer", "answers")
        }
        CheckTaskOutcome::Failed { problem: cause } => problem(cause),
    }
}

pub(super) fn news(news: &ProgressLine) -> (TraceStepKind, String) {
    match news {
        ProgressLine::Thought(text) => (TraceStepKind::Thought, short(text)),
        ProgressLine::Search(text) => (TraceStepKind::Search, short(text)),
        ProgressLine::Page(text) => (TraceStepKind::Fetch, short(text)),
        ProgressLine::Writing(text) => (TraceStepKind::Write, short(text)),
    }
}

/// The result of a group: its rows, counted; or the result of its last step where nothing is counted. A search, a page or
/// a reading that failed brought nothing and counts as little as in the run's own counts; a call was made however it
/// ended.
pub(super) fn group_result(children: &[super::TraceStep]) -> String {
    let counts = |child: &super::TraceStep| {
        let made = matches!(child.kind, TraceStepKind::Call | TraceStepKind::Judge);
        made || child.outcome == TraceStepStatus::Done
    };
    let count =
        |kind: TraceStepKind| children.iter().filter(|child| child.kind == kind && counts(child)).count();
    let parts = [
        (TraceStepKind::Search, "search", "searches"),
        (TraceStepKind::Fetch, "page", "pages"),
        (TraceStepKind::Read, "read", "read"),
        (TraceStepKind::Judge, "judge call", "judge calls"),
        (TraceStepKind::Call, "call", "calls"),
    ];
    let counts: Vec<String> = parts
        .iter()
        .map(|(kind, one, many)| (count(*kind), one, many))
        .filter(|(count, _, _)| *count > 0)
        .map(|(count, one, many)| counted(count, one, many))
        .collect();
    match counts.is_empty() {
        true => children.last().map(|child| child.result.clone()).unwrap_or_default(),
        false => counts.join(" · "),
    }
}
