//! The real Gemini CLI behind the real program, against the simulator: what it finds, how it fails, how it is
//! stopped. Each case names its code and the number of times that the provider was asked.

pub mod network_scope;
mod scripted_cases;
mod stop_cases;
pub mod test_bed;

use std::path::{Path, PathBuf};

use self::{
    network_scope::{NetworkScope, run_isolated},
    scripted_cases::{CASES, CliCaseRun, ScriptedCase},
    stop_cases::StopCase,
};
use super::real_cli;
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::{kill_sweep::memory_folder, parallel_trials::run_in_parallel},
    output,
    rig::SimulatorProcess,
};

const NAME: &str = "the real Gemini CLI behind the real program: cases that end as they must";
const GOAL: &str = "all";
/// Most of a case is waiting for the pauses between tries; a process of the CLI takes 250 MB.
const SIDE_BY_SIDE: usize = 6;

/// Cases with three tries that differ from others only in what the model said.
const ONLY_FULL: &[&str] = &["lost", "silent", "prose", "unsearched"];

/// One case with one way to run the CLI.
#[derive(Debug, Clone, Copy)]
struct CliTrial {
    what: CliTrialCase,
    /// `pool` or `spawn`.
    reuse: &'static str,
}

#[derive(Debug, Clone, Copy)]
enum CliTrialCase {
    Scripted(&'static ScriptedCase),
    Stopped(StopCase),
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let Some(cli) = program() else {
        output::progress(real_cli::WHY_NOT);
        return Ok(vec![Figure::skipped(NAME, GOAL, real_cli::WHY_NOT)]);
    };
    run_isolated(|network| within(size, &cli, network)).map(|figure| vec![figure])
}

/// The CLI as its makers publish it.
pub fn program() -> Option<PathBuf> {
    real_cli::installed().map(|found| found.program().to_owned())
}

fn within(size: MeasurementSize, cli: &Path, network: NetworkScope) -> anyhow::Result<Figure> {
    let simulator = SimulatorProcess::start(&[])?;
    let folder = memory_folder()?;
    let plan = plan(size);
    let told = run_in_parallel("case", SIDE_BY_SIDE, &plan, folder.path(), |trial, place| {
        let case = CliCaseRun { cli, simulator: &simulator, place, reuse: trial.reuse };
        let wrong = match trial.what {
            CliTrialCase::Scripted(scripted) => case.run(scripted),
            CliTrialCase::Stopped(stopped) => case.stop(stopped),
        };
        // A case that cannot be carried out is one that failed.
        Ok((trial.name(), wrong.unwrap_or_else(|error| vec![format!("{error:#}")])))
    })?;
    let failed = told.iter().filter(|(_, wrong)| !wrong.is_empty()).count();
    for (name, wrong) in &told {
        wrong.iter().for_each(|line| output::progress(&format!("{name}: {line}")));
    }
    let control = scripted_cases::control()?;
    let measured = format!("{} of {}", told.len() - failed, told.len());
    let note = format!("{}; {}; {control}", version(cli), network.words());
    Ok(Figure::judged(NAME, failed == 0, measured, GOAL).with_note(note))
}

/// Quick runs share a process per research, as users do; full ones also start one per question.
fn plan(size: MeasurementSize) -> Vec<CliTrial> {
    let what = || {
        // The longest first, so that nobody waits for one at the end.
        let stops = StopCase::ALL.iter().map(|stopped| CliTrialCase::Stopped(*stopped));
        let cases =
            CASES.iter().filter(|case| size == MeasurementSize::Full || !ONLY_FULL.contains(&case.name));
        stops.chain(cases.map(CliTrialCase::Scripted))
    };
    let reuses: &[&'static str] = size.pick(&["pool"], &["pool", "spawn"]);
    reuses.iter().flat_map(|reuse| what().map(|what| CliTrial { what, reuse })).collect()
}

impl CliTrial {
    fn name(&self) -> String {
        match self.what {
            CliTrialCase::Scripted(scripted) => format!("{} ({})", scripted.name, self.reuse),
            CliTrialCase::Stopped(stopped) => format!("{stopped:?} ({})", self.reuse),
        }
    }
}

/// From its package: asking the program itself would let it write to the user's home.
fn version(cli: &Path) -> String {
    let package = cli.ancestors().nth(2).map(|modules| modules.join("@google/gemini-cli/package.json"));
    let text = package.and_then(|package| std::fs::read_to_string(package).ok()).unwrap_or_default();
    let package: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    format!("version {}", package.get("version").and_then(|version| version.as_str()).unwrap_or("unknown"))
}
