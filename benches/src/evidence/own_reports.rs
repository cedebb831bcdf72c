//! Our own reports on the prompts of DeepResearch Bench, audited by the code that audits the published ones.

use anyhow::Context as _;
use probity_evidence::{
    audit::{CitationAudit, audit},
    split::split,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    audit::audit_summary,
    frozen_web::{FrozenArticle, FrozenWeb},
    labelled_data as data,
    test_bed::{EvidenceTestBed, JudgeSetup, simulated_world},
};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::{kill_sweep::memory_folder, parallel_trials::run_in_parallel},
    rig::SimulatorProcess,
};

const FAULTS: &str = "our own reports: dangling, duplicate, malformed and front-page addresses";
const CITED: &str = "our own reports: sentences with a number that cite a source";
const CITED_MIN: f64 = 95.0;
const SIDE_BY_SIDE: usize = 3;
/// Pages about one prompt, and sentences with a number on each.
const PAGES: usize = 3;
const SENTENCES: usize = 6;
/// Words of a prompt that a sentence carries, so that it is found and quoted.
const TOPIC_WORDS: usize = 3;
const WORD_LETTERS_MIN: usize = 5;

#[derive(Deserialize)]
struct BenchmarkPrompt {
    id: u64,
    prompt: String,
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let skipped =
        |why: &str| vec![Figure::skipped(FAULTS, "0", why), Figure::skipped(CITED, "at least 95 %", why)];
    let (Some(frozen), Some(folder)) = (FrozenWeb::load()?, data::folder()) else {
        return Ok(skipped(data::ABSENT));
    };
    let mut prompts: Vec<BenchmarkPrompt> =
        data::lines(&folder.join("reports/deep_research_bench_queries.jsonl"))?;
    // Half of the prompts are Chinese and stand first: a quick run takes some of each.
    let step = prompts.len().div_ceil(size.pick(10, prompts.len()));
    prompts = prompts.into_iter().step_by(step.max(1)).collect();
    let pages: Vec<Value> =
        prompts.iter().enumerate().flat_map(|(place, prompt)| pages(&frozen, place, prompt)).collect();
    let place = memory_folder()?;
    let simulator = simulated_world(place.path(), &pages, None)?;
    let audits = run_in_parallel("prompt", SIDE_BY_SIDE, &prompts, place.path(), |prompt, place| {
        one(&simulator, prompt, place).with_context(|| format!("prompt {}", prompt.id))
    })?;
    let mut sum = CitationAudit::default();
    let without = audits.iter().filter(|audit| audit.sources == 0).count();
    audits.iter().for_each(|audit| sum += *audit);
    let faults = sum.dangling + sum.duplicates + sum.roots + sum.malformed;
    let share = 100.0 * sum.numeric_cited as f64 / sum.numeric.max(1) as f64;
    let note = format!("{}; {without} reports without a source", audit_summary(&sum, audits.len()));
    Ok(vec![
        Figure::judged(
            FAULTS,
            faults == 0 && sum.sources > 0,
            format!("{} dangling, {} duplicate, {} malformed, {} front pages in {} reports", sum.dangling, sum.duplicates, sum.malformed, sum.roots, audits.len()),
            "0",
        )
        .with_note(format!("{note}; the prompts of DeepResearch Bench on the web engine before a simulated model and a made web: how it cites is measured, not what it finds")),
        Figure::judged(
            CITED,
            sum.numeric > 0 && share >= CITED_MIN,
            format!("{share:.1} % ({} of {})", sum.numeric_cited, sum.numeric),
            "at least 95 %",
        )
        .with_note("in the same sentence; published reports of others are in the rows above by the same code"),
    ])
}

fn one(
    simulator: &SimulatorProcess,
    prompt: &BenchmarkPrompt,
    place: &std::path::Path,
) -> anyhow::Result<CitationAudit> {
    let stand = EvidenceTestBed::open(simulator, place, JudgeSetup::Simulated)?;
    let checked = stand.research(&prompt.prompt, &["--rounds", "--engine", "web"])?;
    Ok(audit(&split(&format!("{}\n\n## Sources\n\n{}", checked.text, listed(&checked.document)), &[], &[])))
}

/// The list that belongs to the text: the document has it apart.
fn listed(document: &Value) -> String {
    let sources = document.get("sources").and_then(Value::as_array);
    let line = |source: &Value| {
        let (number, url) = (source.get("number")?.as_u64()?, source.get("url")?.as_str()?);
        Some(format!("{number}. {url}\n"))
    };
    sources.into_iter().flatten().filter_map(line).collect()
}

/// Pages that say something with numbers about what a prompt asks.
fn pages(frozen: &FrozenWeb, place: usize, prompt: &BenchmarkPrompt) -> Vec<Value> {
    let topic = topic(&prompt.prompt);
    let with_number = |sentence: &&String| sentence.chars().any(|letter| letter.is_ascii_digit());
    let usable = |article: &&FrozenArticle| article.usable.iter().filter(with_number).count() >= SENTENCES;
    let articles: Vec<&FrozenArticle> = frozen.articles.iter().filter(usable).collect();
    let page = |number: usize| {
        let article = articles.get((place * PAGES + number) % articles.len().max(1))?;
        let said: Vec<String> = article
            .usable
            .iter()
            .filter(with_number)
            .take(SENTENCES)
            .map(|sentence| format!("{topic}: {sentence}"))
            .collect();
        let url = format!("http://www.site{number}-of-{place}.org/page");
        Some(json!({"url": url, "title": topic, "text": said.join("\n\n")}))
    };
    (0..PAGES).filter_map(page).collect()
}

/// The first words of a prompt that say what it is about.
fn topic(prompt: &str) -> String {
    let words = prompt.split(|letter: char| !letter.is_alphanumeric());
    let long = |word: &&str| word.chars().count() >= WORD_LETTERS_MIN;
    words.filter(long).take(TOPIC_WORDS).collect::<Vec<_>>().join(" ")
}
