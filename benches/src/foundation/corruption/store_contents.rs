//! Everything a store answers, before the damage and after it.

use std::{collections::BTreeMap, path::Path};

use anyhow::Context;
use probity_research::{
    Digest, RunId, StoredEvent,
    error::{Code, CodedError},
    ports::{Journal, JournalError},
    status::{RunStatus, RunSummary},
};
use probity_store::{ListFilter, Store};
use tokio::runtime::Runtime;

use super::RESEARCHES;
use crate::foundation::{kill_sweep::program::ProgramInstallation, power_cuts::worker};

/// Researches whose answers by the program itself are compared; starting it costs more than reading.
const SHOWN: usize = 4;

/// What was written.
pub struct StoreContents {
    summaries: BTreeMap<RunId, RunSummary>,
    journals: BTreeMap<RunId, Vec<StoredEvent>>,
    /// Reports and raw answers.
    kept: BTreeMap<Digest, Vec<u8>>,
    counts: Vec<(RunStatus, u64)>,
    runtime: Runtime,
}

/// How a damaged store answered.
#[derive(Debug, Default)]
pub struct StoreAnswers {
    pub given: usize,
    pub errors: usize,
    pub wrong: Vec<String>,
}

impl StoreAnswers {
    pub fn add(&mut self, other: Self) {
        self.given += other.given;
        self.errors += other.errors;
        self.wrong.extend(other.wrong);
    }

    fn take<T: PartialEq>(&mut self, what: &str, answer: Result<T, CodedError>, truth: &T) {
        self.given += 1;
        match answer {
            Ok(answer) if answer == *truth => {}
            Ok(_) => self.wrong.push(format!("{what} is not what was written")),
            // "It is not there" is an answer, and a wrong one.
            Err(problem) if problem.code == Code::NotFound => self.wrong.push(format!("{what}: {problem}")),
            Err(_) => self.errors += 1,
        }
    }
}

impl StoreContents {
    pub fn read(directory: &Path) -> anyhow::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let store = worker::open(directory, 1)?;
        let (mut summaries, mut journals, mut kept) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for summary in store.list(&everything())? {
            let digests = [summary.report, summary.raw].into_iter().flatten();
            for digest in digests {
                kept.insert(digest, runtime.block_on(store.fetch_blob(digest))?);
            }
            journals.insert(summary.id, runtime.block_on(store.load(summary.id))?);
            summaries.insert(summary.id, summary);
        }
        let counts = store.counts()?;
        let complete = counts.contains(&(RunStatus::Completed, RESEARCHES)) && kept.len() > journals.len();
        complete.then_some(()).context("the store was not filled")?;
        Ok(Self { summaries, journals, kept, counts, runtime })
    }

    /// Asks a damaged store for everything.
    pub fn compare(&self, directory: &Path, seed: u64) -> StoreAnswers {
        let mut answers = StoreAnswers::default();
        match worker::open(directory, 1_000 + seed) {
            Ok(store) => self.ask(&store, &mut answers),
            Err(_) => answers.errors += 1,
        }
        answers
    }

    fn ask(&self, store: &Store, answers: &mut StoreAnswers) {
        // Lists come first: what they say must not rest on a look that another question has taken.
        let listed = store.list(&everything());
        let listed = listed
            .map(|rows| rows.into_iter().map(|summary| (summary.id, summary)).collect::<BTreeMap<_, _>>());
        answers.take("the list", listed, &self.summaries);
        answers.take("the counts", store.counts(), &self.counts);
        for (id, summary) in &self.summaries {
            answers.take(&format!("the status of {id}"), store.status(*id), summary);
            let prefix: String = id.to_string().chars().take(20).collect();
            answers.take(&format!("the id of {prefix}"), store.find_by_prefix(&prefix), id);
        }
        for (id, journal) in &self.journals {
            let loaded = self.runtime.block_on(store.load(*id)).map_err(problem);
            answers.take(&format!("the journal of {id}"), loaded, journal);
        }
        for (digest, bytes) in &self.kept {
            let fetched = self.runtime.block_on(store.fetch_blob(*digest)).map_err(problem);
            answers.take(&format!("the bytes of {digest}"), fetched, bytes);
        }
        let nobody = RunId::from_random(worker::bits(99, 99));
        answers.given += 1;
        match store.status(nobody) {
            Ok(_) => answers.wrong.push("a research that never was".to_owned()),
            Err(problem) if problem.code == Code::NotFound => {}
            Err(_) => answers.errors += 1,
        }
    }

    /// Asks the program as a person would.
    pub fn compare_program(&self, program: &ProgramInstallation) -> anyhow::Result<StoreAnswers> {
        let mut answers = StoreAnswers { given: 1, ..StoreAnswers::default() };
        let listed = program.run(&["runs", "list", "--json", "--limit", "1000"])?;
        let rows = listed.json().get("researches").and_then(serde_json::Value::as_array).map(Vec::len);
        match (listed.status.success(), rows) {
            (true, Some(rows)) if rows == self.summaries.len() => {}
            (true, _) => answers.wrong.push(format!("`runs list` shows {rows:?} rows")),
            (false, _) => answers.errors += 1,
        }
        for (id, summary) in self.summaries.iter().take(SHOWN) {
            answers.given += 1;
            let shown = program.run(&["runs", "show", &id.to_string(), "--json"])?;
            let document = shown.json();
            let report = summary.report.and_then(|digest| self.kept.get(&digest));
            let report = report.and_then(|bytes| probity_research::report::Report::decode(bytes).ok());
            let text = document.get("report").and_then(serde_json::Value::as_str);
            let right = report.is_some_and(|report| Some(report.text.as_str()) == text)
                && document.get("query").and_then(serde_json::Value::as_str) == Some(&summary.query);
            let not_found = shown.stdout.contains("NOT_FOUND") || shown.stderr.contains("NOT_FOUND");
            match (shown.status.success(), right) {
                (true, true) => {}
                (true, false) => answers.wrong.push(format!("`runs show {id}` is not what was written")),
                (false, _) if not_found => answers.wrong.push(format!("`runs show {id}` does not find it")),
                (false, _) => answers.errors += 1,
            }
        }
        Ok(answers)
    }

    /// The texts of all events and the kept bytes, for the control.
    pub fn texts(&self) -> (Vec<String>, &BTreeMap<Digest, Vec<u8>>) {
        let events = self.journals.values().flatten();
        let mut texts: Vec<String> =
            events.map(|recorded| recorded.event.encode().unwrap_or_default()).collect();
        texts.sort();
        (texts, &self.kept)
    }
}

fn everything() -> ListFilter {
    ListFilter { limit: probity_store::LIST_MAX, ..ListFilter::default() }
}

fn problem(error: JournalError) -> CodedError {
    match error {
        JournalError::Refused(problem) => problem,
        other @ (JournalError::Conflict | JournalError::Fenced) => {
            CodedError::new(other.code(), &other.to_string())
        }
    }
}
