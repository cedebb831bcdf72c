//! A slow model with a small window, as people have it on a machine of their own: a research ends with a report, and
//! where time runs out with the quotations, grouped by question.
//!
//! The scripted model writes 30 tokens a second with a window of 8,192. So that nobody waits for half an hour, its world
//! runs faster and the time that the research is given is shorter by the same factor; the program's own work is not, so a
//! real machine has more time than this.

use std::{thread, time::Duration};

use anyhow::{Context as _, ensure};
use probity_simulator::research::ResearchWorld;
use serde_json::Value;

use super::{runs::keep, seeds};
use crate::{
    evidence::{
        labelled_data,
        test_bed::{EvidenceTestBed, JudgeSetup},
    },
    figure::{Figure, MeasurementSize},
    rig::{self, SimulatorProcess},
};

/// A real model on one machine may take the whole time that a deep research is given, and some more to end.
const PATIENCE: Duration = Duration::from_secs(45 * 60);
/// What a report without a writer says of itself.
const QUOTED: &str = "This brief is made of quotations";
const SLOW: [&str; 4] = ["--research-window", "8192", "--research-tokens-per-second", "30"];

/// How much faster the model's world runs, and how long the research may take.
#[derive(Debug, Clone, Copy)]
struct SlowCase {
    speed: u32,
    seconds: u32,
}

impl SlowCase {
    /// The time that the research is given, in the model's world.
    fn words(self) -> String {
        let seconds = self.speed * self.seconds;
        if seconds < 100 { format!("{seconds} s") } else { format!("{} min", seconds / 60) }
    }
}

/// What became of a research.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SlowEnding {
    Written,
    /// Headings over quotations.
    Quoted(usize),
    Nothing(String),
}

impl SlowEnding {
    fn of(document: &Value) -> Self {
        let report = document.get("report").and_then(Value::as_str).unwrap_or_default();
        let status = document.get("status").and_then(Value::as_str).unwrap_or("no document");
        let grouped = report.split("\n## ").filter(|part| part.contains("\n- “")).count();
        match (status, report.contains(QUOTED)) {
            ("completed", false) if !report.is_empty() => Self::Written,
            ("completed", true) => Self::Quoted(grouped),
            (other, _) => Self::Nothing(other.to_owned()),
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Written => "a written report".to_owned(),
            Self::Quoted(questions) => format!("quotations under {questions} questions"),
            Self::Nothing(status) => format!("{status}, no report"),
        }
    }
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let whole = size.pick(SlowCase { speed: 75, seconds: 20 }, SlowCase { speed: 10, seconds: 150 });
    let short = size.pick(SlowCase { speed: 15, seconds: 12 }, SlowCase { speed: 4, seconds: 45 });
    let shorter = SlowCase { speed: 4, seconds: 10 };
    let worlds = seeds(size).iter().take(size.pick(1, 3));
    let trials: Vec<(u64, SlowCase)> =
        worlds.flat_map(|seed| [whole, short, shorter].map(|case| (*seed, case))).collect();
    // Nearly all of it is waiting.
    let endings: anyhow::Result<Vec<SlowEnding>> = thread::scope(|scope| {
        let threads: Vec<_> =
            trials.iter().map(|(seed, case)| scope.spawn(move || one(*seed, *case))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().map_err(|_| anyhow::anyhow!("a run panicked"))?)
            .collect()
    });
    let endings = endings?;
    let of = |place: usize| endings.iter().skip(place).step_by(3).cloned().collect::<Vec<_>>();
    let mut figures = figures([of(0), of(1), of(2)], [whole, short, shorter]);
    figures.push(real_model(size)?);
    Ok(figures)
}

fn figures(endings: [Vec<SlowEnding>; 3], cases: [SlowCase; 3]) -> Vec<Figure> {
    let told = |endings: &[SlowEnding]| endings.iter().map(SlowEnding::words).collect::<Vec<_>>().join("; ");
    let all = |endings: &[SlowEnding], wanted: fn(&SlowEnding) -> bool| {
        !endings.is_empty() && endings.iter().all(wanted)
    };
    let is_quoted = |ending: &SlowEnding| matches!(ending, SlowEnding::Quoted(1..));
    let name = |case: SlowCase| format!("a window of 8,192 and 30 tokens a second, {}", case.words());
    let [written, quoted, hurried] = endings;
    let [whole, short, shorter] = cases;
    vec![
        Figure::judged(
            &format!("{}: a deep research ends with", name(whole)),
            all(&written, |ending| *ending == SlowEnding::Written),
            told(&written),
            "a report that the model wrote",
        )
        .aim(),
        Figure::judged(
            &format!("{}, too short to write: it ends with", name(short)),
            all(&quoted, is_quoted),
            told(&quoted),
            "quotations grouped by question",
        )
        .aim(),
        Figure::judged(
            &format!("{}, about as long as its first answer takes: it ends with", name(shorter)),
            all(&hurried, is_quoted),
            told(&hurried),
            "quotations grouped by question",
        )
        .aim(),
    ]
}

fn one(seed: u64, case: SlowCase) -> anyhow::Result<SlowEnding> {
    let (world, speed) = (ResearchWorld::seeded(seed), case.speed.to_string());
    let seed_text = seed.to_string();
    let mut arguments = vec!["--research-world", seed_text.as_str(), "--speed", speed.as_str()];
    arguments.extend(SLOW);
    let simulator = SimulatorProcess::start(&arguments)?;
    let base_url = format!("{}/v1", simulator.base_url);
    let time = format!("{}s", case.seconds);
    let document = research(&world, &simulator, &base_url, "slow-model", &time)?;
    keep(&format!("{seed}-slow-{}.json", case.speed), &document.to_string())?;
    Ok(SlowEnding::of(&document))
}

/// A deep research with a model on this machine and nobody who judges.
fn research(
    world: &ResearchWorld,
    simulator: &SimulatorProcess,
    model_url: &str,
    model: &str,
    time: &str,
) -> anyhow::Result<Value> {
    let place = tempfile::tempdir()?;
    let bed = EvidenceTestBed::open(simulator, place.path(), JudgeSetup::Nobody)?;
    let question = world.request.question.as_str();
    let mut command =
        bed.command(&["research", question, "--web", "--depth", "deep", "--max-time", time, "--json"]);
    command
        .env("PROBITY_SEARCH__PROVIDERS", "searxng")
        .env("PROBITY_SEARCH__SEARXNG_URL", format!("{}/search-api/searxng", simulator.base_url))
        .env("PROBITY_CHAT__BASE_URL", model_url)
        .env("PROBITY_CHAT__MODEL", model)
        .env_remove("PROBITY_CHAT__STANDS_FOR")
        .env_remove("OPENAI_API_KEY")
        .env_remove("PROBITY_SEARCH__BASES")
        .env_remove("TAVILY_API_KEY");
    let finished = rig::run(&mut command, PATIENCE)?;
    ensure!(finished.in_time, "the program hangs: {}", finished.stderr);
    Ok(finished.json())
}

/// The same with a real model of whoever measures, for the whole time of a deep research.
fn real_model(size: MeasurementSize) -> anyhow::Result<Figure> {
    let (name, goal) =
        ("a real model on this machine, 25 minutes: a deep research ends with", "a report or quotations");
    let url = match (size, labelled_data::local_model_url()) {
        (MeasurementSize::Full, Some(url)) => url,
        (MeasurementSize::Quick | MeasurementSize::Full, _) => {
            let why = format!("full size only, with {} set", labelled_data::LOCAL_MODEL_VARIABLE);
            return Ok(Figure::skipped(name, goal, &why));
        }
    };
    let seed = seeds(size).first().copied().context("there is no world")?;
    let world = ResearchWorld::seeded(seed);
    let simulator = SimulatorProcess::start(&["--research-world", &seed.to_string()])?;
    let document = research(&world, &simulator, &url, "local-model", "25m")?;
    keep(&format!("{seed}-real-model.json"), &document.to_string())?;
    let ending = SlowEnding::of(&document);
    let reached = matches!(ending, SlowEnding::Written | SlowEnding::Quoted(1..));
    Ok(Figure::judged(name, reached, ending.words(), goal).aim())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{SlowCase, SlowEnding, figures};
    use crate::figure::FigureVerdict;

    #[test]
    fn an_ending_is_known_by_its_report() {
        let ending =
            |status: &str, report: &str| SlowEnding::of(&json!({"status": status, "report": report}));
        let quoted = "# T\n\n> This brief is made of quotations, word for word.\n\n## How?\n\n- “a” [1]\n\n## Why?\n\n- “b” [1]\n\n## About this report\n\n- x\n";
        assert_eq!(ending("completed", "# T\n\n## A\n\nText. [1]"), SlowEnding::Written);
        assert_eq!(ending("completed", quoted), SlowEnding::Quoted(2));
        assert_eq!(ending("timed_out", ""), SlowEnding::Nothing("timed_out".to_owned()));
    }

    #[test]
    fn one_research_without_a_report_is_seen() {
        let case = SlowCase { speed: 10, seconds: 60 };
        let nothing = || vec![SlowEnding::Written, SlowEnding::Nothing("timed_out".to_owned())];
        let none = figures([nothing(), nothing(), nothing()], [case; 3]);
        assert!(none.iter().all(|figure| figure.verdict == FigureVerdict::Short));
        let quoted = || vec![SlowEnding::Quoted(3)];
        let all = figures([vec![SlowEnding::Written], quoted(), quoted()], [case; 3]);
        assert!(all.iter().all(|figure| figure.verdict == FigureVerdict::Ok));
    }
}
