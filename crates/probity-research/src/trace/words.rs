//! Steps in words: what a row is called and what came of it. Every word from outside is made one clean line first.

use crate::{
    checking::{CheckOutcome, CheckTask},
    error::Problem,
    progress::News,
    state::Research,
    text::line,
    trace::Kind,
    web::{
        gather::{Gathering, place},
        task::{Outcome, Task},
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
    place(count)
}

pub(super) fn problem(problem: &Problem) -> String {
    short(&format!("{}: {}", problem.code, problem.message))
}

pub(super) fn task_kind(task: Task) -> Kind {
    match task {
        Task::Plan { .. } => Kind::Plan,
        Task::Search { .. } => Kind::Search,
        Task::Folder { .. } => Kind::Folder,
        Task::Choose { .. } => Kind::Choose,
        Task::Page { .. } => Kind::Fetch,
        Task::Read { .. } => Kind::Read,
        Task::Write => Kind::Write,
    }
}

pub(super) fn task_label(research: &Research, task: Task) -> String {
    let gathering = research.gathering.as_deref();
    let found = match task {
        Task::Plan { .. } => Some("what to look up".to_owned()),
        Task::Choose { .. } => Some("which pages to read".to_owned()),
        Task::Write => Some("the report".to_owned()),
        Task::Search { query, .. } => gathering
            .and_then(|gathering| gathering.queries.get(place(query)))
            .map(|asked| asked.query.clone()),
        Task::Folder { folder } => {
            research.plan.web.as_ref().and_then(|web| web.folders.get(place(folder))).cloned()
        }
        Task::Page { candidate } => gathering.and_then(|gathering| address(gathering, candidate)),
        Task::Read { page } => gathering.and_then(|gathering| title(gathering, page)),
    };
    short(&found.unwrap_or_else(|| task_kind(task).as_str().to_owned()))
}

fn address(gathering: &Gathering, candidate: u32) -> Option<String> {
    gathering.listed.get(place(candidate)).map(|listed| listed.candidate.url.clone())
}

fn title(gathering: &Gathering, page: u32) -> Option<String> {
    let read = gathering.pages.get(place(page))?;
    let title = short(&read.kept.title);
    if title.is_empty() { address(gathering, read.candidate) } else { Some(title) }
}

pub(super) fn task_result(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Planned(planned) if planned.enough && planned.queries.is_empty() => {
            "nothing left to ask".to_owned()
        }
        Outcome::Planned(planned) => counted(planned.queries.len(), "query", "queries"),
        Outcome::Found { hits, .. } => counted(hits.len(), "result", "results"),
        Outcome::Files { names } => counted(names.len(), "file", "files"),
        Outcome::Chosen { candidates } => counted(candidates.len(), "page chosen", "pages chosen"),
        Outcome::Page(kept) => format!("{} bytes kept", kept.record.bytes),
        Outcome::Noted(note) => match note.invented {
            0 => counted(note.quotes.len(), "quotation", "quotations"),
            invented => format!(
                "{}, {invented} not on the page and dropped",
                counted(note.quotes.len(), "quotation", "quotations")
            ),
        },
        Outcome::Written(draft) => {
            let sentences = draft.sections.iter().map(|section| section.sentences.len()).sum();
            counted(sentences, "sentence", "sentences")
        }
        Outcome::Failed { problem: cause } => problem(cause),
    }
}

pub(super) fn check_kind(task: &CheckTask) -> Kind {
    match task {
        CheckTask::Page { .. } => Kind::Fetch,
        CheckTask::Examine => Kind::Examine,
        CheckTask::Judge { .. } => Kind::Judge,
        CheckTask::Recall => Kind::Recall,
    }
}

pub(super) fn check_label(task: &CheckTask) -> String {
    match task {
        CheckTask::Page { url } => short(url),
        CheckTask::Examine => "every claim against its pages, by rule".to_owned(),
        CheckTask::Judge { claims } => counted(claims.len(), "open claim", "open claims"),
        CheckTask::Recall => "answers that were bought before".to_owned(),
    }
}

pub(super) fn check_result(outcome: &CheckOutcome) -> String {
    match outcome {
        CheckOutcome::Page(kept) => format!("{} bytes kept", kept.record.bytes),
        CheckOutcome::Examined { questions, .. } => {
            format!("{questions} left open by the rules")
        }
        CheckOutcome::Judged { answers } => counted(answers.len(), "answer", "answers"),
        CheckOutcome::Failed { problem: cause } => problem(cause),
    }
}

pub(super) fn news(news: &News) -> (Kind, String) {
    match news {
        News::Thought(text) => (Kind::Thought, short(text)),
        News::Search(text) => (Kind::Search, short(text)),
        News::Page(text) => (Kind::Fetch, short(text)),
        News::Writing(text) => (Kind::Write, short(text)),
    }
}

/// What a group is called and what it came to: its rows, counted.
/// Counts, or what came of the only step that nobody counts.
pub(super) fn group_result(children: &[super::TraceStep]) -> String {
    let count = |kind: Kind| children.iter().filter(|child| child.kind == kind).count();
    let parts = [
        (Kind::Search, "search", "searches"),
        (Kind::Fetch, "page", "pages"),
        (Kind::Read, "read", "read"),
        (Kind::Judge, "judge call", "judge calls"),
        (Kind::Call, "call", "calls"),
    ];
    let told: Vec<String> = parts
        .iter()
        .map(|(kind, one, many)| (count(*kind), one, many))
        .filter(|(count, _, _)| *count > 0)
        .map(|(count, one, many)| counted(count, one, many))
        .collect();
    match told.is_empty() {
        true => children.last().map(|child| child.result.clone()).unwrap_or_default(),
        false => told.join(" · "),
    }
}
