//! Five rounds on the real Gemini CLI: one process that stays against a process for each round.
//!
//! The scripted model answers at once, so the whole time of a search is what lies outside the API.

use std::time::Duration;

use anyhow::ensure;
use serde_json::Value;

use crate::{
    figure::{Figure, MeasurementSize},
    foundation::kill_sweep::{
        installed, memory_folder,
        program::{ProgramInstallation, field},
    },
    output,
    rig::{self, SimulatorProcess},
    rounds::real_cli::{self, RealCli},
};

const NAME: &str =
    "five rounds on the Gemini CLI, time outside the API: one process that stays against one per round";
const GOAL: &str = "at least 3 times faster";
const RATIO_MIN: f64 = 3.0;
const ROUNDS: u64 = 5;
/// Five starts of Node on a crowded machine.
const SEARCH_MAX: Duration = Duration::from_secs(180);

/// How `gemini_cli.reuse` is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProcessReuse {
    Pool,
    Spawn,
}

impl ProcessReuse {
    fn word(self) -> &'static str {
        match self {
            Self::Pool => "pool",
            Self::Spawn => "spawn",
        }
    }
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let Some(cli) = real_cli::installed() else {
        return Ok(vec![Figure::skipped(NAME, GOAL, real_cli::WHY_NOT).timing()]);
    };
    let simulator = SimulatorProcess::start(&[])?;
    let folder = memory_folder()?;
    let mut lab = PoolTestBed { cli, program: installed(&simulator, folder.path())?, asked: 0 };
    let searches = size.pick(1, 10);
    let (mut pool, mut spawn) = (Vec::new(), Vec::new());
    for search in 0..=searches {
        output::progress(&format!("search {search} of {searches}"));
        let (staying, starting) = (lab.search(ProcessReuse::Pool)?, lab.search(ProcessReuse::Spawn)?);
        // The first one of each only brings the CLI into the disk's cache.
        if search > 0 {
            pool.push(staying);
            spawn.push(starting);
        }
    }
    let again = lab.search(ProcessReuse::Pool)?;
    Ok(vec![figure(&mut pool, &mut spawn, again)])
}

fn figure(pool: &mut [Duration], spawn: &mut [Duration], again: Duration) -> Figure {
    let searches = pool.len();
    let (pool, spawn) = (rig::percentile(pool, 0.5), rig::percentile(spawn, 0.5));
    let ratio = |slow: Duration, fast: Duration| slow.as_secs_f64() / fast.as_secs_f64().max(1e-9);
    let faster = ratio(spawn, pool);
    let measured =
        format!("{faster:.1} times ({:.2} s against {:.2} s)", pool.as_secs_f64(), spawn.as_secs_f64());
    Figure::judged(NAME, faster >= RATIO_MIN, measured, GOAL).timing().with_note(format!(
        "medians of {searches} searches each, in turns; the scripted model answers at once, so the whole search counts, \
         with the start of the one process in it; control: the staying process against itself is {:.1} times faster",
        ratio(again, pool)
    ))
}

struct PoolTestBed {
    cli: RealCli,
    program: ProgramInstallation,
    asked: u32,
}

impl PoolTestBed {
    /// A whole search of five rounds, from the question to the report.
    fn search(&mut self, reuse: ProcessReuse) -> anyhow::Result<Duration> {
        self.asked += 1;
        let turns = "draft,unsure,unsure,unsure,unsure";
        let question = format!("Why? [[rounds key=pool-{} turns={turns} pages=numeric]]", self.asked);
        let words = ["research", "--rounds", "--engine", "gemini-cli", &question, "--json"];
        let mut command = self.cli.known_to(self.program.command(&words));
        command.env("PROBITY_GEMINI_CLI__REUSE", reuse.word());
        let (finished, took) = rig::timed(|| rig::run(&mut command, SEARCH_MAX));
        let finished = finished?;
        let document = finished.json();
        let rounds = document.pointer("/rounds/iterations").and_then(Value::as_u64);
        let completed = field(&document, "status") == "completed" && rounds == Some(ROUNDS);
        ensure!(completed, "a search of five rounds ended as {document}: {}", finished.stderr);
        Ok(took)
    }
}
