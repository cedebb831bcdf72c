//! Figures that ordinary tests yield: runs tests by name and reads the lines `figure: KEY VALUE` that they print.
//!
//! A test prints them with `eprintln!`. `figure: KEY.note TEXT` is the note; a value `skipped: WHY` says that this
//! machine cannot measure it. What takes too long for every run of the tests is `#[ignore]`d there and run here. A figure
//! is reached if its test passed and printed a value: the test judges, not this.
//!
//! The gate runs all tests before the figures; those are not run again: their results are read (`TestRun::recorded`).

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context as _;
use quick_xml::{Reader, XmlVersion, escape::resolve_predefined_entity, events::Event};

use crate::{
    figure::{Figure, MeasurementSize},
    output,
    provenance::PROFILE,
    rig,
};

/// Tells a test how much to measure: `quick` or `full`. Without it a test is an ordinary one, and quick.
pub const SIZE_VARIABLE: &str = "FIGURES_SIZE";

/// Names the file in which a run of all tests left its results (nextest's `junit.xml`), made of the code as it is.
const RESULTS_VARIABLE: &str = "FIGURES_TEST_RESULTS";

/// Test programs, as `cargo test` chooses them.
const INTEGRATION_TESTS: &[&str] = &["--test", "it"];
const ALL_TESTS: &[&str] = &["--lib", "--bins", "--test", "it"];

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
    let recorded = TestRun::recorded(size)?.unwrap_or_default();
    let tests: BTreeSet<&str> =
        figures.iter().map(|figure| figure.test).filter(|test| !recorded.passed.contains(*test)).collect();
    let mut arguments = vec!["--exact", "--include-ignored", "--nocapture"];
    arguments.extend(&tests);
    let run = if tests.is_empty() {
        TestRun::default()
    } else {
        TestRun::start(INTEGRATION_TESTS, &arguments, size)?
    };
    let source = |figure: &TestedFigure| if tests.contains(figure.test) { &run } else { &recorded };
    Ok(figures.iter().map(|figure| source(figure).figure(figure)).collect())
}

/// What a run of tests printed.
#[derive(Debug, Default)]
pub struct TestRun {
    /// The tests that passed.
    pub passed: BTreeSet<String>,
    /// Those that did not.
    pub failed: BTreeSet<String>,
    values: BTreeMap<String, String>,
}

impl TestRun {
    /// The tests whose name holds `filter`: as recorded, or run now.
    pub fn matching(filter: &str, size: MeasurementSize) -> anyhow::Result<Self> {
        match Self::recorded(size)? {
            Some(mut run) => {
                run.passed.retain(|test| test.contains(filter));
                run.failed.retain(|test| test.contains(filter));
                Ok(run)
            }
            None => Self::start(INTEGRATION_TESTS, &[filter, "--test-threads", "2"], size),
        }
    }

    /// These tests, unit tests among them: as recorded, or run now.
    pub fn named(tests: &BTreeSet<&str>, size: MeasurementSize) -> anyhow::Result<Self> {
        if let Some(recorded) = Self::recorded(size)? {
            return Ok(recorded);
        }
        let mut arguments = vec!["--exact"];
        arguments.extend(tests);
        Self::start(ALL_TESTS, &arguments, size)
    }

    /// What a run of all tests left behind, if the gate says where; a full measurement never takes it.
    #[expect(clippy::disallowed_methods, reason = "a setting of the measurement, not of the product")]
    fn recorded(size: MeasurementSize) -> anyhow::Result<Option<Self>> {
        let Some(path) = std::env::var_os(RESULTS_VARIABLE).filter(|_| size == MeasurementSize::Quick) else {
            return Ok(None);
        };
        let text = std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        Self::of_results(&text).map(Some)
    }

    fn of_results(xml: &str) -> anyhow::Result<Self> {
        let mut run = Self::default();
        let mut reader = Reader::from_str(xml);
        let (mut test, mut failed, mut printed) = (String::new(), false, String::new());
        loop {
            match reader.read_event()? {
                Event::Start(tag) if tag.name().as_ref() == b"testcase" => {
                    let name = tag.try_get_attribute("name")?.context("a test without a name")?;
                    test = name
                        .decoded_and_normalized_value(XmlVersion::Implicit1_0, reader.decoder())?
                        .into_owned();
                    (failed, printed) = (false, String::new());
                }
                Event::Start(tag) | Event::Empty(tag)
                    if matches!(tag.name().as_ref(), b"failure" | b"error") =>
                {
                    failed = true;
                }
                // What a test wrote to stdout need not end with its line.
                Event::Start(_) => printed.push('\n'),
                Event::Text(text) => printed.push_str(&text.decode()?),
                Event::GeneralRef(name) => match name.resolve_char_ref()? {
                    Some(character) => printed.push(character),
                    None => printed.push_str(resolve_predefined_entity(&name.decode()?).unwrap_or_default()),
                },
                Event::End(tag) if tag.name().as_ref() == b"testcase" => {
                    run.values.extend(printed.lines().filter_map(value));
                    let tests = if failed { &mut run.failed } else { &mut run.passed };
                    tests.insert(std::mem::take(&mut test));
                }
                Event::Eof => return Ok(run),
                _ => {}
            }
        }
    }

    /// Runs the tests of these programs that `arguments` of theirs choose.
    fn start(programs: &[&str], arguments: &[&str], size: MeasurementSize) -> anyhow::Result<Self> {
        let run = rig::command("cargo")
            .current_dir(rig::repository())
            .env(SIZE_VARIABLE, size.pick("quick", "full"))
            // The whole workspace's, as they are built: one package alone would be built anew with fewer features.
            .args(["test", "--locked", "--workspace", "--no-fail-fast"])
            .args(programs)
            .args((PROFILE == "release").then_some("--release"))
            .arg("--")
            .args(arguments)
            .output()
            .with_context(|| format!("running the tests {arguments:?}"))?;
        let (stdout, stderr) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        if !run.status.success() {
            output::progress(&format!("{stdout}{stderr}"));
        }
        let mut read = Self::read(&stdout, &stderr);
        if !run.status.success() && read.failed.is_empty() {
            read.failed.insert("a test program that died".to_owned());
        }
        Ok(read)
    }

    pub fn read(stdout: &str, stderr: &str) -> Self {
        let ended = |how: &'static str| {
            stdout
                .lines()
                .filter_map(move |line| line.strip_prefix("test ")?.strip_suffix(how).map(str::to_owned))
                .collect()
        };
        Self {
            passed: ended(" ... ok"),
            failed: ended(" ... FAILED"),
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

/// The figure that a line of a test's output carries.
fn value(line: &str) -> Option<(String, String)> {
    let (key, value) = line.strip_prefix("figure: ")?.split_once(' ')?;
    Some((key.to_owned(), value.to_owned()))
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

    #[test]
    fn results_of_a_whole_run_are_read() {
        let run = TestRun::of_results(
            "<testsuites><testsuite name='probity::it'><testcase name='keys::hidden' classname='probity::it'>\
             <system-out>running</system-out><system-err>figure: keys 0 of 7 &lt;all&gt;\n</system-err></testcase>\
             <testcase name='keys::shown'><failure type='test failure'/><system-err>figure: shown 1</system-err></testcase>\
             </testsuite></testsuites>",
        )
        .unwrap();
        assert_eq!(run.passed.into_iter().collect::<Vec<_>>(), ["keys::hidden"]);
        assert_eq!(run.values.get("keys").map(String::as_str), Some("0 of 7 <all>"));
        assert_eq!(run.failed.into_iter().collect::<Vec<_>>(), ["keys::shown"]);
    }
}
