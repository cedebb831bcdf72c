//! Other research programs on the same worlds and the same model, where they are installed (`just research-peers`).

use std::time::Duration;

use probity_simulator::research::ResearchWorld;

use super::{
    median,
    runs::{SystemRun, keep},
    seeds, shown,
};
use crate::{
    figure::{Figure, MeasurementSize},
    rig::{self, SimulatorProcess},
};

/// A peer's whole research here takes well under a minute.
const PATIENCE: Duration = Duration::from_secs(300);
/// Script below `evals/research/peers`, its mode, and the name of the row.
const PEERS: [(&str, &str, &str); 2] = [
    ("gpt_researcher_run.py", "research_report", "gpt-researcher, report"),
    ("gpt_researcher_run.py", "deep", "gpt-researcher, deep"),
];

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let python = rig::repository().join("target/research-peers/bin/python");
    let mut figures = Vec::new();
    for (script, mode, name) in PEERS {
        let name = format!("{name}: correct cited facts, tokens");
        if size == MeasurementSize::Quick || !python.exists() {
            figures.push(Figure::skipped(
                &name,
                "printed",
                "run `just research-peers` first; full size only",
            ));
            continue;
        }
        let mut runs: Vec<SystemRun> = Vec::new();
        let mut failures: Vec<String> = Vec::new();
        for seed in seeds(size) {
            let world = ResearchWorld::seeded(*seed);
            let simulator = SimulatorProcess::start(&["--research-world", &seed.to_string()])?;
            let place = tempfile::tempdir()?;
            let report = place.path().join("report.md");
            let mut command = rig::command(&python);
            command
                .arg(rig::repository().join("evals/research/peers").join(script))
                .env("RESEARCH_BASE_URL", &simulator.base_url)
                .env("RESEARCH_QUESTION", &world.request.question)
                .env("RESEARCH_REPORT", &report)
                .env("RESEARCH_MODE", mode)
                .current_dir(place.path());
            let finished = rig::run(&mut command, PATIENCE)?;
            match std::fs::read_to_string(&report) {
                Ok(text) => {
                    keep(&format!("{seed}-{mode}.md"), &text)?;
                    runs.push(SystemRun::read(mode, &world, &simulator, &text)?);
                }
                Err(_) => failures.push(finished.stderr.lines().last().unwrap_or("no report").to_owned()),
            }
        }
        figures.push(figure(&name, &runs, &failures));
    }
    Ok(figures)
}

fn figure(name: &str, runs: &[SystemRun], failures: &[String]) -> Figure {
    let facts = shown(median(runs.iter().map(|run| run.score.facts.reached)));
    let tokens = shown(median(runs.iter().map(|run| usize::try_from(run.tokens()).unwrap_or(usize::MAX))));
    let (exact, cited) = runs.iter().fold((0, 0), |(exact, cited), run| {
        (exact + run.score.citations.reached, cited + run.score.citations.of)
    });
    let words = shown(median(runs.iter().map(|run| run.score.words)));
    let traps: usize = runs.iter().map(|run| run.traps_at_writer).sum();
    let note = format!(
        "{words} words, {exact} of {cited} citations exact, {traps} prompts of its writer with a page's order in them; {} runs failed {}",
        failures.len(),
        failures.first().map_or("", String::as_str)
    );
    Figure::judged(name, !runs.is_empty(), format!("{facts} of 300, {tokens} tokens"), "printed")
        .with_note(note)
}
