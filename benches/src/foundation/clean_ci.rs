//! How long the gate takes in a fresh clone: nothing built, no tools installed.

use std::process::Stdio;

use anyhow::Context;

use crate::{
    figure::{Figure, MeasurementSize},
    output, rig,
};

const MINUTES_GOAL: f64 = 25.0;
const NAME: &str = "CI from a clean clone on two cores";
const GOAL: &str = "under 25 minutes";

/// Only in a full run: CI cannot run itself.
pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    if size == MeasurementSize::Quick {
        return Ok(Vec::new());
    }
    let directory = tempfile::tempdir()?;
    let clone = directory.path().join("clone");
    let cloned = rig::command("git")
        .args(["clone", "--quiet"])
        .arg(rig::repository())
        .arg(&clone)
        .status()
        .context("cloning the repository")?;
    anyhow::ensure!(cloned.success(), "the repository could not be cloned");
    let log = directory.path().join("log");
    output::progress("the gate runs in a clean clone; this takes a while");
    let (run, time) = rig::timed(|| {
        rig::command("bash")
            .arg(".ci/run")
            .current_dir(&clone)
            .env("CI", "true")
            .env_remove("CARGO_TARGET_DIR")
            .stdin(Stdio::null())
            .stdout(std::fs::File::create(&log)?)
            .stderr(Stdio::null())
            .status()
    });
    let passed = run?.success();
    let minutes = time.as_secs_f64() / 60.0;
    let stages: Vec<String> = std::fs::read_to_string(&log)?
        .lines()
        .filter_map(|line| line.strip_prefix("== "))
        .map(|line| line.replace(" s since start)", " s").replace('(', "from "))
        .collect();
    let passing = if passed { "passing" } else { "failing" };
    Ok(vec![
        Figure::judged(
            NAME,
            passed && minutes < MINUTES_GOAL,
            format!("{minutes:.1} minutes, {passing}"),
            GOAL,
        )
        .with_note(format!("packages already downloaded; {}", stages.join(", "))),
    ])
}
