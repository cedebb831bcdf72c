//! The benchmark's tasks: reading them, and drawing some of them evenly over the languages. Same seed, same tasks.

use std::{collections::BTreeMap, path::Path};

use probity_bundle::bench::{BenchTask, BenchTaskId, TASKS_BYTES_MAX};
use probity_research::{Code, web::strategy::StrategyLevel};
use serde::Deserialize;
use serde_json::json;

use crate::{command_error::CommandError, format};

/// Where the clone keeps them.
pub const QUERIES: &str = "data/prompt_data/query.jsonl";

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct DrbTask {
    pub id: BenchTaskId,
    pub prompt: String,
    #[serde(default)]
    pub language: String,
}

impl DrbTask {
    /// Its number as text, for files and lists.
    pub fn key(&self) -> String {
        key(&self.id)
    }

    pub fn as_task(&self) -> BenchTask {
        BenchTask { id: self.id.clone(), prompt: self.prompt.clone() }
    }
}

pub fn key(id: &BenchTaskId) -> String {
    match id {
        BenchTaskId::Number(number) => number.to_string(),
        BenchTaskId::Name(name) => name.clone(),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskCount {
    All,
    AtMost(usize),
}

impl TaskCount {
    pub fn parse(text: &str) -> Result<Self, CommandError> {
        match (text, text.parse()) {
            ("all", _) => Ok(Self::All),
            (_, Ok(count)) if count > 0 => Ok(Self::AtMost(count)),
            _ => Err(wrong("--tasks", text, "a number from 1, or `all`", "--tasks 10")),
        }
    }
}

/// Any depth that plans know.
pub fn depth(text: &str) -> Result<StrategyLevel, CommandError> {
    serde_json::from_value(json!(text))
        .map_err(|_| wrong("--depth", text, "none, shallow, medium or deep", "--depth deep"))
}

pub fn read(clone: &Path) -> Result<Vec<DrbTask>, CommandError> {
    let path = clone.join(QUERIES);
    let failed = |message: &str| {
        CommandError::new(Code::InvalidArguments, &format!("{} {message}", path.display())).with_hint(
            "clone DeepResearch Bench (`git clone https://github.com/Ayanami0730/deep_research_bench`) and name that \
             folder with `--dir`",
        )
    };
    let bytes = std::fs::read(&path).map_err(|error| failed("cannot be read").with_cause(&error))?;
    if bytes.len() > TASKS_BYTES_MAX {
        return Err(failed("is too long for a list of tasks"));
    }
    let text = String::from_utf8_lossy(&bytes);
    let tasks: Vec<DrbTask> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()
        .map_err(|error| failed("is no list of tasks").with_cause(&error))?;
    if tasks.is_empty() {
        return Err(failed("holds no task"));
    }
    Ok(tasks)
}

/// As many of each language as its share of all tasks, in the order of the benchmark.
pub fn choose(tasks: &[DrbTask], count: TaskCount, seed: u64) -> Vec<DrbTask> {
    let wanted = match count {
        TaskCount::All => tasks.len(),
        TaskCount::AtMost(count) => count.min(tasks.len()),
    };
    let mut languages: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, task) in tasks.iter().enumerate() {
        languages.entry(&task.language).or_default().push(place);
    }
    // Each draw goes to the language that is furthest behind its share; of a tie, to the first by name.
    let mut drawn: Vec<usize> = Vec::new();
    let mut pools: Vec<(usize, Vec<usize>)> = Vec::new();
    for places in languages.into_values() {
        let mut shuffled = places;
        shuffled.sort_by_key(|place| tasks.get(*place).map(|task| order(task, seed)));
        pools.push((0, shuffled));
    }
    while drawn.len() < wanted {
        // Half a task is the point at which one more is owed; a thousandth is fine enough for a hundred tasks.
        let owed = |(taken, pool): &(usize, Vec<usize>)| (2 * *taken + 1) * 1_000 / pool.len().max(1);
        let next = pools.iter_mut().filter(|(taken, pool)| *taken < pool.len()).min_by_key(|one| owed(one));
        let Some((taken, pool)) = next else { break };
        drawn.extend(pool.get(*taken));
        *taken += 1;
    }
    drawn.sort_unstable();
    drawn.into_iter().filter_map(|place| tasks.get(place).cloned()).collect()
}

/// `5 en, 5 zh`
pub fn by_language(tasks: &[DrbTask]) -> String {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for task in tasks {
        *counts.entry(&task.language).or_default() += 1;
    }
    let shown = |(language, count): (&str, u64)| {
        format!("{count} {}", if language.is_empty() { "of no language" } else { language })
    };
    counts.into_iter().map(shown).collect::<Vec<_>>().join(", ")
}

fn order(task: &DrbTask, seed: u64) -> [u8; 32] {
    *blake3::hash(format!("{seed} {}", task.key()).as_bytes()).as_bytes()
}

fn wrong(flag: &str, text: &str, known: &str, example: &str) -> CommandError {
    let message = format!("{flag} is `{}`; known: {known}", format::fit(text, 40));
    CommandError::new(Code::InvalidArguments, &message).with_hint(format!("write it like `{example}`"))
}

#[cfg(test)]
mod tests {
    use super::{BenchTaskId, DrbTask, TaskCount, by_language, choose, depth};

    fn task(number: u64, language: &str) -> DrbTask {
        DrbTask {
            id: BenchTaskId::Number(number),
            prompt: format!("p{number}"),
            language: language.to_owned(),
        }
    }

    fn hundred() -> Vec<DrbTask> {
        (1..=100).map(|number| task(number, if number <= 50 { "zh" } else { "en" })).collect()
    }

    #[track_caller]
    fn check(tasks: &[DrbTask], count: usize, expected: &str) {
        let drawn = choose(tasks, TaskCount::AtMost(count), 1);
        assert_eq!(by_language(&drawn), expected);
    }

    #[test]
    fn languages_have_their_share() {
        check(&hundred(), 10, "5 en, 5 zh");
        check(&hundred(), 7, "4 en, 3 zh");
        check(&hundred(), 1, "1 en");
        check(&hundred(), 1_000, "50 en, 50 zh");
        let few = [task(1, "zh"), task(2, "en"), task(3, "en")];
        check(&few, 2, "1 en, 1 zh");
        check(&few, 3, "2 en, 1 zh");
        assert_eq!(choose(&few, TaskCount::All, 9), few);
    }

    #[test]
    fn the_same_seed_draws_the_same_tasks_and_another_draws_others() {
        let drawn = |seed| choose(&hundred(), TaskCount::AtMost(10), seed);
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
        // More tasks keep those that were drawn before: a run of ten is the beginning of a run of twenty.
        let twenty = choose(&hundred(), TaskCount::AtMost(20), 1);
        assert!(drawn(1).iter().all(|task| twenty.contains(task)));
    }

    #[test]
    fn what_is_typed_is_a_count_and_a_depth() {
        assert_eq!(TaskCount::parse("all").unwrap(), TaskCount::All);
        for wrong in ["0", "-1", "ten", ""] {
            assert!(TaskCount::parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(depth("deep").unwrap().as_str(), "deep");
        assert!(depth("Deep").is_err());
    }
}
