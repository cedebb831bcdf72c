//! Figures that ordinary tests yield: runs tests by name and reads the lines `figure: KEY VALUE` that they print.
//!
//! A test prints them with `eprintln!`. `figure: KEY.note TEXT` is the note; a value `skipped: WHY` says that this
//! machine cannot measure it. What takes too long for every run of the tests is `#[ignore]`d there and run here. A figure
//! is reached if its test passed and printed a value: the test judges, not this.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context as _;

use crate::{
    figure::{Figure, MeasurementSize},
    output,
    provenance::PROFILE,
    rig,
};

/// Tells a test how much to measure: `quick` or `full`. Without it a test is an ordinary one, and quick.
pub const SIZE_VARIABLE: &str = "FIGURES_SIZE";

/// A figure and the test that yields it.
pub struct TestedFigure {
    /// The whole name of the test, as `module::test`.
    pub test: &'static str,
    pub key: &'static str,
    pub name: &'static str,
    pub goal: &'static str,
}

/// The figures of these tests, each of which is run once.
pub fn measure(figures: &[TestedFigure], size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let tests: BTreeSet<&str> = figures.iter().map(|figure| figure.test).collect();
    let mut arguments = vec!["--exact", "--include-ignored", "--nocapture"];
    arguments.extend(tests);
    let run = TestRun::start(&arguments, size)?;
    Ok(figures.iter().map(|figure| run.figure(figure)).collect())
}

/// What a run of tests printed.
#[derive(Debug, Default)]
pub struct TestRun {
    /// The tests that passed.
    pub passed: BTreeSet<String>,
    pub all_passed: bool,
    values: BTreeMap<String, String>,
}

impl TestRun {
    /// Runs the integration tests that `arguments` of the test programs choose.
    pub fn start(arguments: &[&str], size: MeasurementSize) -> anyhow::Result<Self> {
        let run = rig::command("cargo")
            .current_dir(rig::repository())
            .env(SIZE_VARIABLE, size.pick("quick", "full"))
            // The whole workspace's, as they are built: one package alone would be built anew with fewer features.
            .args(["test", "--locked", "--workspace", "--test", "it", "--no-fail-fast"])
            .args((PROFILE == "release").then_some("--release"))
            .arg("--")
            .args(arguments)
            .output()
            .with_context(|| format!("running the tests {arguments:?}"))?;
        let (stdout, stderr) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        if !run.status.success() {
            output::progress(&format!("{stdout}{stderr}"));
        }
        Ok(Self { all_passed: run.status.success(), ..Self::read(&stdout, &stderr) })
    }

    pub fn read(stdout: &str, stderr: &str) -> Self {
        let passed = |line: &str| line.strip_prefix("test ")?.strip_suffix(" ... ok").map(str::to_owned);
        let value = |line: &str| {
            let (key, value) = line.strip_prefix("figure: ")?.split_once(' ')?;
            Some((key.to_owned(), value.to_owned()))
        };
        Self {
            passed: stdout.lines().filter_map(passed).collect(),
            all_passed: false,
            values: stderr.lines().filter_map(value).collect(),
        }
    }

    /// What of these is without a test that passed, each with the name of its test.
    pub fn missing<'a>(&self, promises: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<&'a str> {
        promises.filter(|(_, test)| !self.passed.contains(*test)).map(|(promise, _)| promise).collect()
    }

    fn figure(&self, figure: &TestedFigure) -> Figure {
        let TestedFigure { test, key, name, goal } = figure;
        let value = self.values.get(*key).map_or("the test printed nothing", String::as_str);
        if let Some(why) = value.strip_prefix("skipped: ") {
            return Figure::skipped(name, goal, why);
        }
        let reached = self.passed.contains(*test) && self.values.contains_key(*key);
        let note = self.values.get(&format!("{key}.note")).cloned().unwrap_or_default();
        Figure::judged(name, reached, value.to_owned(), goal).with_note(note)
    }
}

#[cfg(test)]
mod tests {
    use super::{TestRun, TestedFigure};
    use crate::figure::FigureVerdict;

    #[track_caller]
    fn check(stdout: &str, stderr: &str, verdict: FigureVerdict, measured: &str, note: &str) {
        let figure = TestedFigure { test: "keys::hidden", key: "keys", name: "keys seen", goal: "0" };
        let figure = TestRun::read(stdout, stderr).figure(&figure);
        assert_eq!((figure.verdict, &*figure.measured, &*figure.note), (verdict, measured, note));
    }

    #[test]
    fn a_figure_needs_a_test_that_passed_and_a_value() {
        let (passed, failed) =
            ("running 1 test\ntest keys::hidden ... ok\n", "test keys::hidden ... FAILED\n");
        let value = "noise\nfigure: keys 0 of 7\nfigure: keys.note 3 looks\n";
        check(passed, value, FigureVerdict::Ok, "0 of 7", "3 looks");
        check(failed, value, FigureVerdict::Short, "0 of 7", "3 looks");
        check(passed, "", FigureVerdict::Short, "the test printed nothing", "");
        check("test keys::hidden_too ... ok\n", value, FigureVerdict::Short, "0 of 7", "3 looks");
        let skipped = "figure: keys skipped: no such program\n";
        check(passed, skipped, FigureVerdict::Skipped, "not measured", "no such program");
    }
}
