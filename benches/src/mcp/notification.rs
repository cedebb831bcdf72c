//! A finished research is told on a real desktop within two seconds, without the question; and without a
//! desktop nothing waits and nothing is lost.

mod desktop;

use std::{path::Path, sync::Arc, time::Duration};

use anyhow::{Context as _, ensure};
use probity_runner::SystemClock;
use probity_store::{Clocks, OpenMode, Store, StoreOptions};

use self::desktop::TestDesktop;
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::kill_sweep::program::{ProgramInstallation, field, ids_in},
    rig::{self, SimulatorProcess},
    tested::{self, TestedFigure},
};

const SHOWN: &str = "desktop notification after the end of a research";
const NOBODY: TestedFigure = TestedFigure {
    test: "notifications::where_no_desktop_answers_the_log_is_told_once",
    key: "notifications",
    name: "researches that end where no desktop answers",
    goal: "report kept and one line in the log, each",
};
const SHOWN_MAX: Duration = Duration::from_secs(2);
/// Far above a research that takes a second in the simulator.
const LIMIT: Duration = Duration::from_secs(30);
const SECRET: &str = "xyzzy-plugh";

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let simulator = SimulatorProcess::start(&["--scenario", "completed duration_ms=700"])?;
    let mut figures = vec![measure_with_desktop(&simulator, size.pick(3, 20))?];
    figures.extend(tested::measure(&[NOBODY], size)?);
    Ok(figures)
}

fn measure_with_desktop(simulator: &SimulatorProcess, count: usize) -> anyhow::Result<Figure> {
    let goal = "all within 2 s, none with the question";
    let missing: Vec<&str> = desktop::PROGRAMS.into_iter().filter(|name| !rig::has_program(name)).collect();
    if !missing.is_empty() {
        let why = format!("needs a desktop: {} is not installed", missing.join(", "));
        return Ok(Figure::skipped(SHOWN, goal, &why));
    }
    let folder = tempfile::Builder::new().prefix("probity-figures-").tempdir()?;
    let desktop = TestDesktop::start(folder.path())?;
    let program = ProgramInstallation::new(&simulator.base_url, folder.path(), &folder.path().join("data"))?;
    let mut waits = Vec::new();
    let mut leaks = 0;
    for number in 0..count {
        let ended_at = research(&program, desktop.address(), number)?;
        let popup = desktop.next_popup(LIMIT)?;
        waits.push(popup.shown_at_ms.saturating_sub(ended_at));
        leaks += usize::from(popup.text.contains(SECRET) || !popup.text.contains("research completed"));
    }
    waits.sort_unstable();
    let slowest = waits.last().copied().unwrap_or(i64::MAX);
    let middle = waits.get(count / 2).copied().unwrap_or_default();
    let reached =
        leaks == 0 && u128::try_from(slowest.max(0)).is_ok_and(|slowest| slowest < SHOWN_MAX.as_millis());
    let measured = format!(
        "{count} of {count} shown, median {middle} ms, slowest {slowest} ms, {leaks} with the question"
    );
    let note = "dunst on Xvfb and a session bus; from the row's `ended_at` to the arrival at the daemon (±10 ms), then seen on the screen's list";
    Ok(Figure::judged(SHOWN, reached, measured, goal).with_note(note))
}

/// Runs one in the background to its end; answers when it ended, in milliseconds since 1970.
fn research(program: &ProgramInstallation, bus: &str, number: usize) -> anyhow::Result<i64> {
    let question = format!("what does {SECRET} mean, {number}?");
    let mut command = program.command(&["research", &question, "--detach"]);
    command.env("DBUS_SESSION_BUS_ADDRESS", bus).env("PROBITY_NOTIFICATIONS__ENABLED", "true");
    let started = rig::run(&mut command, LIMIT)?;
    let id = ids_in(&started.stdout).into_iter().next().with_context(|| started.stderr.clone())?;
    let until = rig::now() + LIMIT;
    loop {
        let shown = program.run(&["runs", "show", &id, "--json"])?.json();
        if field(&shown, "status") == "completed" {
            ensure!(!field(&shown, "report").is_empty(), "{id} has no report");
            return ended_at(program.data(), &id);
        }
        ensure!(rig::now() < until, "{id} did not end: {shown}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// From the row itself.
fn ended_at(data: &Path, id: &str) -> anyhow::Result<i64> {
    let clocks = Clocks::of(Arc::new(SystemClock::default()));
    let options = StoreOptions { mode: OpenMode::ReadOnly, ..StoreOptions::new(0, clocks, data) };
    let row = Store::open(data, options)?.status(id.parse()?)?;
    Ok(row.ended_at.context("a completed research has no end")?.0)
}
