//! Reports as DeepResearch Bench reads them: one line of JSON for each. Judging them is the benchmark's work.
//!
//! RACE compares whole articles and finds them by their prompt; FACT checks pairs of a statement and an address and
//! finds them by the number of the task. Both come from the benchmark's list of tasks, where one is given.

use std::collections::{BTreeMap, BTreeSet};

use probity_research::{ledger::ClaimKind, report::Report};
use serde::{Deserialize, Serialize};

/// Longest list of tasks that is read: the benchmark's own has 100 lines.
pub const TASKS_BYTES_MAX: usize = 4 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum BenchTaskId {
    Number(u64),
    Name(String),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BenchTask {
    pub id: BenchTaskId,
    pub prompt: String,
}

/// The benchmark's tasks, found by their prompt whatever its spacing.
#[derive(Debug, Default)]
pub struct BenchTaskList(BTreeMap<String, BenchTask>);

#[derive(Debug, thiserror::Error)]
#[error("line {line} of the tasks is not readable")]
pub struct BenchTaskError {
    line: usize,
    #[source]
    cause: serde_json::Error,
}

impl BenchTaskList {
    /// Reads `query.jsonl` of the benchmark.
    pub fn read(text: &str) -> Result<Self, BenchTaskError> {
        let mut tasks = BTreeMap::new();
        for (place, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let task: BenchTask =
                serde_json::from_str(line).map_err(|cause| BenchTaskError { line: place + 1, cause })?;
            tasks.insert(spaced(&task.prompt), task);
        }
        Ok(Self(tasks))
    }

    /// The task with this prompt; a run that is none of them keeps its own name.
    pub fn of(&self, prompt: &str, name: &str) -> BenchTask {
        let own = || BenchTask { id: BenchTaskId::Name(name.to_owned()), prompt: prompt.to_owned() };
        self.0.get(&spaced(prompt)).cloned().unwrap_or_else(own)
    }
}

fn spaced(prompt: &str) -> String {
    prompt.split_whitespace().collect::<Vec<&str>>().join(" ")
}

#[derive(Debug, Serialize)]
struct RaceLine<'a> {
    #[serde(flatten)]
    task: &'a BenchTask,
    article: String,
}

#[derive(Debug, Serialize)]
struct FactLine<'a> {
    #[serde(flatten)]
    task: &'a BenchTask,
    article: String,
    citations: Vec<CitedFact>,
}

/// One statement and one page that it cites.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct CitedFact {
    pub fact: String,
    /// Number in the list of sources.
    pub ref_idx: usize,
    pub url: String,
}

/// For `data/test_data/raw_data/NAME.jsonl`, where both parts of the benchmark begin.
pub fn race_line(task: &BenchTask, report: &Report) -> String {
    line(&RaceLine { task, article: article(report) })
}

/// What the benchmark's own extraction with a model would find, from the citations of the ledger.
pub fn fact_line(task: &BenchTask, report: &Report) -> String {
    line(&FactLine { task, article: article(report), citations: facts(report) })
}

/// Plain data: encoding it cannot fail short of memory.
fn line(document: &impl Serialize) -> String {
    serde_json::to_string(document).unwrap_or_default() + "\n"
}

/// The text with its citations visible: where it contains no addresses, numbers and a list of references are
/// added.
pub fn article(report: &Report) -> String {
    let cited: BTreeSet<usize> = report.citations.iter().map(|citation| citation.source).collect();
    let hidden = |place: &usize| {
        report.sources.get(*place).is_some_and(|source| !report.text.contains(&address(&source.url)))
    };
    if !cited.iter().any(hidden) {
        return report.text.clone();
    }
    let mut marks: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for citation in report.citations.iter().filter(|citation| citation.source < report.sources.len()) {
        marks.entry(citation.end).or_default().insert(citation.source + 1);
    }
    let mut article = String::with_capacity(report.text.len() * 5 / 4);
    let mut done = 0;
    for (end, numbers) in marks {
        let Some(part) = report.text.get(done..end) else { continue };
        article.push_str(part);
        numbers.iter().for_each(|number| article.push_str(&format!("[{number}]")));
        done = end;
    }
    article.push_str(report.text.get(done..).unwrap_or_default());
    article.push_str("\n\n## References\n\n");
    for (place, source) in report.sources.iter().enumerate().filter(|(place, _)| cited.contains(place)) {
        article.push_str(&format!("[{}] {} {}\n", place + 1, source.title, address(&source.url)));
    }
    article
}

/// Every statement with every page that it cites; from the ledger's claims where the report has one.
pub fn facts(report: &Report) -> Vec<CitedFact> {
    let mut seen = BTreeSet::new();
    let pairs = match &report.ledger {
        Some(_) => from_claims(report),
        None => from_citations(report),
    };
    pairs.into_iter().filter(|pair| !pair.fact.is_empty() && seen.insert(pair.clone())).collect()
}

fn from_claims(report: &Report) -> Vec<CitedFact> {
    let Some(ledger) = &report.ledger else { return Vec::new() };
    let mut pairs = Vec::new();
    for claim in
        ledger.claims.iter().filter(|claim| matches!(claim.kind, ClaimKind::Fact | ClaimKind::Derived))
    {
        let sources =
            claim.cites.iter().filter_map(|place| ledger.sources.get(usize::try_from(*place).ok()?));
        for source in sources {
            let url = address(&source.url);
            let listed = report.sources.iter().position(|listed| address(&listed.url) == url);
            let ref_idx = listed.map_or(0, |place| place + 1);
            pairs.push(CitedFact { fact: plain(&claim.words), ref_idx, url });
        }
    }
    pairs
}

fn from_citations(report: &Report) -> Vec<CitedFact> {
    let pair = |citation: &probity_research::report::Citation| {
        let source = report.sources.get(citation.source)?;
        let fact = plain(report.text.get(citation.start..citation.end)?);
        Some(CitedFact { fact, ref_idx: citation.source + 1, url: address(&source.url) })
    };
    report.citations.iter().filter_map(pair).collect()
}

/// An address without the words that point into the page: the benchmark cuts them too.
fn address(url: &str) -> String {
    url.split("#:~:text=").next().unwrap_or(url).to_owned()
}

/// A statement without the addresses of its links, without list marks, on one line.
fn plain(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("](") {
        let (head, shown) = before.rsplit_once('[').unwrap_or((before, ""));
        words.push_str(head);
        words.push_str(shown);
        rest = behind.split_once(')').map_or("", |(_, after)| after);
    }
    words.push_str(rest);
    let words = spaced(&words);
    words.trim_start_matches(['-', '*', '#', '>', ' ']).to_owned()
}

#[cfg(test)]
mod tests;
