//! Every promised scenario of search in rounds has a test by its name; the page that lists them is read, and the
//! tests are run.

use std::collections::BTreeSet;

use anyhow::{Context as _, ensure};

use crate::{
    figure::{Figure, MeasurementSize},
    rig,
    tested::TestRun,
};

const NAME: &str = "promised scenarios of search in rounds, each with a test of the real program that passes";
const PAGE: &str = "docs/generated/scenarios.md";
/// 14 scenarios of deep search, 18 of models and corrections, 4 decisions and 3 answers to open questions: a page
/// with fewer rows has lost one.
const PROMISED: usize = 39;

/// They take half a minute, so CI runs all of them.
pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let page =
        std::fs::read_to_string(rig::repository().join(PAGE)).with_context(|| format!("reading {PAGE}"))?;
    let rows: Vec<(&str, &str)> = page.lines().filter_map(row).collect();
    ensure!(rows.len() >= PROMISED, "{PAGE} lists {} of {PROMISED} promises", rows.len());
    let run = TestRun::matching("rounds", size)?;
    let control = control(&rows)?;
    let missing = run.missing(rows.iter().copied());
    let tests: BTreeSet<&str> = rows.iter().map(|(_, test)| *test).collect();
    let measured = format!("{} of {}", rows.len() - missing.len(), rows.len());
    let note = if missing.is_empty() {
        format!("{} tests over MCP, listed in {PAGE}; {control}", tests.len())
    } else {
        format!("missing or failing: {}", missing.join(", "))
    };
    Ok(vec![Figure::judged(NAME, missing.is_empty(), measured, "all").with_note(note)])
}

/// `| scenario | `module::test` |`, wherever it stands.
fn row(line: &str) -> Option<(&str, &str)> {
    let (scenario, rest) = line.strip_prefix("| ")?.split_once(" | `")?;
    Some((scenario, rest.strip_suffix("` |")?))
}

/// A test that fails, one that was not run and one that was left out must be missed.
fn control(rows: &[(&str, &str)]) -> anyhow::Result<&'static str> {
    let missing = |printed: &str| TestRun::read(printed, "").missing(rows.iter().copied()).len();
    let all: String = rows.iter().map(|(_, test)| format!("test {test} ... ok\n")).collect();
    ensure!(missing(&all) == 0, "a run in which all pass is refused");
    let first = rows.first().map_or("", |(_, test)| *test);
    let with = |word: &str| {
        missing(&all.replace(&format!("test {first} ... ok"), &format!("test {first} ... {word}")))
    };
    let seen = [with("FAILED") > 0, with("ignored") > 0, missing("") == rows.len()];
    ensure!(seen == [true; 3], "the check is blind: {seen:?}");
    Ok("control: a failing, an ignored and a missing test are seen")
}
