//! Every promised scenario of search in rounds has a test by its name; the page that lists them is read, and the
//! tests are run.

use std::collections::BTreeSet;

use anyhow::{Context as _, ensure};

use crate::{
    figure::{Figure, MeasurementSize},
    rig,
};

const NAME: &str = "promised scenarios of search in rounds, each with a test of the real program that passes";
const PAGE: &str = "docs/generated/scenarios.md";
const GOAL: &str = "all";
/// 14 scenarios of deep search, 18 of models and corrections, 4 decisions and 3 answers to open questions: a page
/// with fewer rows has lost one.
const PROMISED: usize = 39;

/// A row of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ScenarioRow {
    scenario: String,
    test: String,
}

/// They take half a minute, so CI runs all of them.
pub fn measure(_: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let page =
        std::fs::read_to_string(rig::repository().join(PAGE)).with_context(|| format!("reading {PAGE}"))?;
    let rows = rows(&page);
    ensure!(rows.len() >= PROMISED, "{PAGE} lists {} of {PROMISED} promises", rows.len());
    let run = rig::command("cargo")
        .current_dir(rig::repository())
        // The whole workspace's, as they are built: one package alone would be built anew with fewer features.
        .args(["test", "--locked", "--workspace", "--test", "it", "--no-fail-fast"])
        .args(["--", "rounds", "--test-threads", "2"])
        .output()
        .context("running the tests of the scenarios")?;
    let passed = passed(&String::from_utf8_lossy(&run.stdout));
    let control = control(&rows)?;
    Ok(vec![figure(&rows, &passed, &control)])
}

fn figure(rows: &[ScenarioRow], passed: &BTreeSet<String>, control: &str) -> Figure {
    let missing = missing(rows, passed);
    let tests: BTreeSet<&str> = rows.iter().map(|row| row.test.as_str()).collect();
    let measured = format!("{} of {}", rows.len() - missing.len(), rows.len());
    let note = if missing.is_empty() {
        format!("{} tests over MCP, listed in {PAGE}; {control}", tests.len())
    } else {
        format!("missing or failing: {}", missing.join(", "))
    };
    Figure::judged(NAME, missing.is_empty(), measured, GOAL).with_note(note)
}

/// `| scenario | `module::test` |`, wherever it stands.
fn rows(page: &str) -> Vec<ScenarioRow> {
    let row = |line: &str| {
        let (scenario, rest) = line.strip_prefix("| ")?.split_once(" | `")?;
        let test = rest.strip_suffix("` |")?;
        Some(ScenarioRow { scenario: scenario.to_owned(), test: test.to_owned() })
    };
    page.lines().filter_map(row).collect()
}

/// The tests that a run calls passed.
fn passed(printed: &str) -> BTreeSet<String> {
    let name = |line: &str| line.strip_prefix("test ")?.strip_suffix(" ... ok").map(str::to_owned);
    printed.lines().filter_map(name).collect()
}

fn missing(rows: &[ScenarioRow], passed: &BTreeSet<String>) -> Vec<String> {
    rows.iter().filter(|row| !passed.contains(&row.test)).map(|row| row.scenario.clone()).collect()
}

/// A test that fails, one that was not run and one that was left out must be missed.
fn control(rows: &[ScenarioRow]) -> anyhow::Result<String> {
    let all: String = rows.iter().map(|row| format!("test {} ... ok\n", row.test)).collect();
    ensure!(missing(rows, &passed(&all)).is_empty(), "a run in which all pass is refused");
    let first = rows.first().map(|row| row.test.clone()).unwrap_or_default();
    let seen = ["FAILED", "ignored"].iter().filter(|word| {
        let run = all.replace(&format!("test {first} ... ok"), &format!("test {first} ... {word}"));
        !missing(rows, &passed(&run)).is_empty()
    });
    let seen = seen.count() + usize::from(missing(rows, &BTreeSet::new()).len() == rows.len());
    ensure!(seen == 3, "the check is blind: {seen} of 3");
    Ok("control: a failing, an ignored and a missing test are seen".to_owned())
}
