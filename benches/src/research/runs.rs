//! The real program in closed worlds, one run for each world and depth, and what its report is worth.

use std::time::Duration;

use anyhow::Context as _;
use probity_simulator::research::ResearchWorld;
use serde_json::Value;

use super::score::{ReportScore, Scorer};
use crate::{
    evidence::test_bed::{EvidenceTestBed, JudgeSetup},
    rig::{self, SimulatorProcess},
};

/// One report of one system about one world.
#[derive(Debug, Clone)]
pub struct SystemRun {
    pub system: String,
    pub seed: u64,
    pub score: ReportScore,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// Calls that write the report and had a page's order in their prompt.
    pub traps_at_writer: usize,
    /// Requests to an address that only a page's order names.
    pub addresses_of_traps: usize,
    /// Pages that were read, those of them with a fact, the facts on them, conflicts with both sides on them.
    pub read: [usize; 4],
}

impl SystemRun {
    pub fn tokens(&self) -> u64 {
        self.input_tokens + self.output_tokens
    }

    /// What the simulator saw of a system that has ended.
    pub fn read(
        system: &str,
        world: &ResearchWorld,
        simulator: &SimulatorProcess,
        report: &str,
    ) -> anyhow::Result<Self> {
        let asked = simulator.get("chat/research")?;
        let calls: Vec<&Value> = asked.get("calls").and_then(Value::as_array).into_iter().flatten().collect();
        let count = |name: &str| calls.iter().filter_map(|call| call.get(name)?.as_u64()).sum();
        let has_trap = |call: &&&Value| {
            call.get("writes") == Some(&Value::Bool(true))
                && call.get("traps").and_then(Value::as_array).is_some_and(|traps| !traps.is_empty())
        };
        let fetched = simulator.get("web/ledger")?;
        let fetches = fetched.get("fetches").and_then(Value::as_object);
        let of_trap = |url: &&String| {
            world
                .trap_markers()
                .iter()
                .any(|marker| url.contains(&marker.to_lowercase()) && !url.contains("robots.txt"))
        };
        Ok(Self {
            system: system.to_owned(),
            seed: world.seed,
            score: Scorer::new(world).score(report),
            input_tokens: count("input_tokens"),
            output_tokens: count("output_tokens"),
            traps_at_writer: calls.iter().filter(has_trap).count(),
            read: [0; 4],
            addresses_of_traps: fetches
                .into_iter()
                .flat_map(|fetches| fetches.keys())
                .filter(of_trap)
                .count(),
        })
    }
}

/// Every depth in every world, worlds side by side; and the quotations of the deep runs as a report of their own.
pub fn depth_runs(seeds: &[u64], depths: &[&str]) -> anyhow::Result<Vec<SystemRun>> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = seeds
            .iter()
            .map(|seed| {
                scope.spawn(move || {
                    let world = ResearchWorld::seeded(*seed);
                    let runs: anyhow::Result<Vec<Vec<SystemRun>>> =
                        depths.iter().map(|depth| depth_run(&world, depth)).collect();
                    runs.map(|runs| runs.concat())
                })
            })
            .collect();
        let mut runs = Vec::new();
        for thread in threads {
            runs.extend(thread.join().map_err(|_| anyhow::anyhow!("a run panicked"))??);
        }
        Ok(runs)
    })
}

fn depth_run(world: &ResearchWorld, depth: &str) -> anyhow::Result<Vec<SystemRun>> {
    let place = tempfile::tempdir()?;
    let simulator = SimulatorProcess::start(&["--research-world", &world.seed.to_string()])?;
    let bed = EvidenceTestBed::open(&simulator, place.path(), JudgeSetup::Simulated)?;
    let mut arguments = vec!["research", world.request.question.as_str(), "--web", "--json"];
    arguments.extend(flags(&bed, depth)?);
    let mut command = bed.command(&arguments);
    command
        .env("PROBITY_SEARCH__PROVIDERS", "searxng")
        .env("PROBITY_SEARCH__SEARXNG_URL", format!("{}/search-api/searxng", simulator.base_url))
        .env_remove("PROBITY_SEARCH__BASES")
        .env_remove("TAVILY_API_KEY");
    let finished = bed.run(&mut command)?;
    let document = finished.json();
    let report = document
        .get("report")
        .and_then(Value::as_str)
        .with_context(|| format!("no report: {}", finished.stderr))?;
    let report = &with_sources(report, &document);
    keep(&format!("{}-{depth}.md", world.seed), report)?;
    keep(&format!("{}-{depth}.json", world.seed), &document.to_string())?;
    keep(&format!("{}-{depth}-calls.json", world.seed), &simulator.get("chat/research")?.to_string())?;
    let read = document.pointer("/web/pages").and_then(Value::as_array).into_iter().flatten();
    let read = read.filter_map(|page| page.pointer("/record/final_url")?.as_str());
    let scorer = Scorer::new(world);
    let read = scorer.facts_on(read);
    let run = SystemRun { read, ..SystemRun::read(depth, world, &simulator, report)? };
    let mut runs = vec![run.clone()];
    if depth == "deep" {
        let score = scorer.score(&quotations(&document));
        runs.push(SystemRun { system: "quotations of deep".to_owned(), score, ..run });
    }
    Ok(runs)
}

/// How a depth is asked for: by its own flag, or by the words that the first engine understands.
fn flags(bed: &EvidenceTestBed<'_>, depth: &str) -> anyhow::Result<Vec<&'static str>> {
    let help = rig::run(&mut bed.command(&["research", "--help"]), Duration::from_secs(40))?;
    let has_flag = help.stdout.contains("--depth");
    Ok(match (has_flag, depth) {
        (true, "shallow") => vec!["--depth", "shallow"],
        // As somebody asks who has a few cents: fifty thousand tokens of this model cost three.
        (true, "medium-5-cents") => vec!["--depth", "medium", "--budget", "0.05"],
        (true, "medium-9-cents") => vec!["--depth", "medium", "--budget", "0.09"],
        (true, "medium") => vec!["--depth", "medium"],
        (true, "exhaustive") => vec!["--depth", "exhaustive"],
        (true, _) => vec!["--depth", "deep"],
        (false, "shallow") => vec!["--scope", "tiny"],
        (false, "medium" | "medium-5-cents" | "medium-9-cents") => Vec::new(),
        (false, _) => vec!["--scope", "large", "--type", "research"],
    })
}

/// The report with the numbered list of sources, which the document keeps apart.
fn with_sources(report: &str, document: &Value) -> String {
    let sources = document.get("sources").and_then(Value::as_array).into_iter().flatten();
    let address = |source: &Value| source.get("url").and_then(Value::as_str).unwrap_or_default().to_owned();
    with_addresses(report, sources.map(address))
}

pub fn with_addresses(report: &str, addresses: impl Iterator<Item = String>) -> String {
    let lines = addresses.enumerate().map(|(place, address)| format!("{}. {address}", place + 1));
    format!("{report}\n\n## Sources\n\n{}\n", lines.collect::<Vec<_>>().join("\n"))
}

/// Everything that was quoted, with its page.
fn quotations(document: &Value) -> String {
    let mut text = String::new();
    let notes = document.pointer("/web/notes").and_then(Value::as_array);
    for note in notes.into_iter().flatten() {
        let page = note.get("page").and_then(Value::as_u64).unwrap_or_default();
        let url = document.pointer(&format!("/web/pages/{page}/record/final_url")).and_then(Value::as_str);
        let url = url.unwrap_or_default();
        for quote in note.get("quotes").and_then(Value::as_array).into_iter().flatten() {
            let words = quote.get("text").and_then(Value::as_str).unwrap_or_default();
            text.push_str(&format!("{words} ({url})\n\n"));
        }
    }
    text
}

/// Reports are kept beside the build, so that they can be read.
pub fn keep(name: &str, report: &str) -> anyhow::Result<()> {
    let folder = rig::repository().join("target/research");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join(name), report).with_context(|| format!("writing {name}"))
}
