//! A laptop notices nothing of the fleet: no engine, no port, no other process, and the program starts as quickly.

use std::{process::Stdio, time::Duration};

use anyhow::Context;

use crate::{
    figure::{Figure, MeasurementSize},
    rig,
    tested::{self, TestedFigure},
};

/// The first word of the program is there after this on an idle machine.
const START_GOAL: Duration = Duration::from_millis(60);
const ALONE: TestedFigure = TestedFigure {
    test: "laptop::a_research_that_runs_listens_nowhere_and_starts_nothing",
    key: "laptop",
    name: "laptop mode: ports, child processes and connections to an engine or a database while a research runs",
    goal: "0",
};
const START_RATIO_GOAL: f64 = 1.1;

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let mut figures = tested::measure(&[ALONE], size)?;
    figures.push(start(size)?);
    Ok(figures)
}

/// Time from the start of the process to its version on stdout, the middle of many; beside the release before the
/// fleet where `target/previous/probity` is one, taking turns so that both meet the same machine.
fn start(size: MeasurementSize) -> anyhow::Result<Figure> {
    let name = "laptop mode: start of the program, fleet code included";
    let binary = rig::built("probity")?;
    let before = Some(rig::repository().join("target/previous/probity")).filter(|path| path.is_file());
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..size.pick(15, 60) {
        ours.push(once(&binary)?);
        if let Some(before) = &before {
            theirs.push(once(before)?);
        }
    }
    let half = rig::percentile(&mut ours, 0.5);
    let bytes = std::fs::metadata(&binary)?.len() / 1_000_000;
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    if before.is_some() {
        let other = rig::percentile(&mut theirs, 0.5);
        let ratio = ms(half) / ms(other).max(0.001);
        let measured = format!(
            "{ratio:.2} times ({:.1} ms against {:.1} ms), a binary of {bytes} MB",
            ms(half),
            ms(other)
        );
        return Ok(Figure::judged(
            name,
            ratio <= START_RATIO_GOAL,
            measured,
            "at most 1.1 times the release before it",
        )
        .timing());
    }
    let measured = format!("{:.1} ms, a binary of {bytes} MB", ms(half));
    Ok(Figure::judged(name, half <= START_GOAL, measured, "at most 60 ms").timing())
}

fn once(binary: &std::path::Path) -> anyhow::Result<Duration> {
    let (status, time) = rig::timed(|| rig::command(binary).arg("--version").stdout(Stdio::null()).status());
    anyhow::ensure!(status.context("starting the program")?.success(), "`--version` failed");
    Ok(time)
}
