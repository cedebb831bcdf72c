//! The figures of the seeds, the documents that Probity grew from: what they promise, row by row, whether it holds, and
//! the test of ours that shows it. The rows are `docs/seeds.tsv`; nobody counts them by hand.

mod tool_choice;

use std::{collections::BTreeSet, fmt};

use anyhow::{Context as _, bail, ensure};

use crate::{
    area::Measurement,
    figure::{Figure, MeasurementSize},
    mcp::tool_tokens,
    output, rig,
    tested::{self, TestRun, TestedFigure},
};

pub const MEASUREMENTS: &[Measurement] = &[
    ("rows", measure_rows),
    ("answers", |size| tested::measure(&ANSWERS, size)),
    // What the answers gained must not have made the tools larger.
    ("tools", tool_tokens::measure),
    ("choice", tool_choice::measure),
];

/// What tests of the real program print about its answers.
const ANSWERS: [TestedFigure; 10] = [
    TestedFigure {
        test: "one_answer::every_way_tells_the_same_of_a_run",
        key: "answers.differ",
        name: "facts of a run that two ways of showing it tell differently",
        goal: "0",
    },
    TestedFigure {
        test: "rest::one_answer::rest_and_mcp_tell_the_same_of_a_run",
        key: "answers.rest",
        name: "facts of a run that REST and MCP tell differently",
        goal: "0",
    },
    TestedFigure {
        test: "true_sentences::nothing_untrue_is_said_about_a_run",
        key: "sentences.untrue",
        name: "sentences about itself that the journal contradicts, over every scenario of the provider",
        goal: "0",
    },
    TestedFigure {
        test: "rest::one_answer::nothing_untrue_is_said_over_rest",
        key: "sentences.rest",
        name: "answers of REST about a run that was paid for which say something untrue of it",
        goal: "0",
    },
    TestedFigure {
        test: "tidy::one_place_decides_what_every_way_shows",
        key: "deciders",
        name: "places that decide what is verified, where a cost comes from, and numbers of sources",
        goal: "1, 1, 1",
    },
    TestedFigure {
        test: "rounds_checked::no_round_is_paid_for_whose_text_was_already_there",
        key: "rounds.paid_again",
        name: "paid rounds after one whose text was already there",
        goal: "0",
    },
    TestedFigure {
        test: "rounds_checked::honest_material_is_verified_and_costs_little_more_than_the_models_word",
        key: "rounds.verified_share",
        name: "searches on honest material, claims checked, that end verified",
        goal: "at least 95 %",
    },
    TestedFigure {
        test: "rounds_checked::honest_material_is_verified_and_costs_little_more_than_the_models_word",
        key: "rounds.cost_ratio",
        name: "their cost against the model's word alone",
        goal: "at most 1.3 times",
    },
    TestedFigure {
        test: "ways_out::every_hint_leads_out_of_the_state_that_it_is_given_in",
        key: "hints.lead_out",
        name: "failure states whose hint leads out when it is followed",
        goal: "all",
    },
    TestedFigure {
        test: "arguments::plausible_wrong_arguments_are_answered_with_name_value_allowed_and_example",
        key: "arguments.answered",
        name: "plausible wrong arguments answered with name, value, what is allowed and an example",
        goal: "45 of 45",
    },
];

pub const LIST: &str = "docs/seeds.tsv";
/// What the seeds ask for, numbered; a list with fewer rows has lost one.
const ROWS: usize = 239;
const DECISIONS: &str = "docs/decisions/";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeedVerdict {
    /// As the seed says.
    Met,
    /// Otherwise than the seed says, for a reason that is written down.
    Decided,
    /// Not, or not wholly.
    Open,
}

/// One line of the list.
#[derive(Debug, PartialEq, Eq)]
pub struct SeedRow<'a> {
    pub number: usize,
    pub requirement: &'a str,
    pub verdict: SeedVerdict,
    /// The test that shows it, as `module::test`; none for what is open.
    pub test: Option<&'a str>,
    /// The page of the decision, or why the row is open.
    pub reason: &'a str,
}

impl fmt::Display for SeedVerdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Met => "met",
            Self::Decided => "decided",
            Self::Open => "open",
        })
    }
}

impl fmt::Display for SeedRow<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, requirement, verdict, test, reason } = self;
        write!(formatter, "{number:3} {verdict:7} {requirement}: {}", test.unwrap_or("no test"))?;
        if reason.is_empty() { Ok(()) } else { write!(formatter, " [{reason}]") }
    }
}

/// Prints every row, runs the tests behind them and counts.
fn measure_rows(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let text =
        std::fs::read_to_string(rig::repository().join(LIST)).with_context(|| format!("reading {LIST}"))?;
    let rows = read_rows(&text)?;
    for row in &rows {
        output::line(&row.to_string());
    }
    let tests: BTreeSet<&str> = rows.iter().filter_map(|row| row.test).collect();
    let run = TestRun::named(&tests, size)?;
    let not_passed: Vec<&str> = tests.iter().copied().filter(|test| !run.passed.contains(*test)).collect();
    let passed = Figure::judged(
        "tests behind the rows of the seeds that pass",
        not_passed.is_empty(),
        format!("{} of {}", tests.len() - not_passed.len(), tests.len()),
        "all",
    );
    Ok(vec![
        verdicts(&rows),
        if not_passed.is_empty() {
            passed
        } else {
            passed.with_note(format!("missing or failing: {}", not_passed.join(", ")))
        },
    ])
}

/// A row that is open keeps the area short; it breaks nobody's build until the last one is closed.
fn verdicts(rows: &[SeedRow<'_>]) -> Figure {
    let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    let (met, decided, open) =
        (count(SeedVerdict::Met), count(SeedVerdict::Decided), count(SeedVerdict::Open));
    let measured = format!("{met} met, {decided} decided otherwise, {open} open");
    let goal = format!("all {ROWS} met or decided, 0 open");
    let figure = Figure::judged("rows of the seeds", open == 0, measured, &goal);
    if open == 0 {
        return figure;
    }
    let numbers: Vec<String> = rows
        .iter()
        .filter(|row| row.verdict == SeedVerdict::Open)
        .map(|row| row.number.to_string())
        .collect();
    figure.aim().with_note(format!("open: {}; the reasons are in {LIST}", numbers.join(", ")))
}

/// The whole list; a line that says less than it must is refused.
pub fn read_rows(text: &str) -> anyhow::Result<Vec<SeedRow<'_>>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let rows: Vec<SeedRow<'_>> = lines
        .enumerate()
        .map(|(place, line)| read_row(place + 1, line).with_context(|| format!("{LIST}: {line}")))
        .collect::<anyhow::Result<_>>()?;
    ensure!(rows.len() == ROWS, "{LIST} has {} of {ROWS} rows", rows.len());
    Ok(rows)
}

fn read_row(number: usize, line: &str) -> anyhow::Result<SeedRow<'_>> {
    let fields: Vec<&str> = line.split('\t').collect();
    let &[numbered, requirement, verdict, test, reason] = fields.as_slice() else {
        bail!("{} fields instead of 5", fields.len());
    };
    ensure!(numbered == number.to_string(), "row {number} is missing");
    ensure!(!requirement.is_empty(), "no requirement");
    let verdict = match verdict {
        "met" => SeedVerdict::Met,
        "decided" => SeedVerdict::Decided,
        "open" => SeedVerdict::Open,
        _ => bail!("`{verdict}` is no verdict"),
    };
    let test = (!test.is_empty()).then_some(test);
    ensure!(test.is_some() || verdict == SeedVerdict::Open, "no test");
    match verdict {
        SeedVerdict::Met => ensure!(reason.is_empty(), "what is met needs no reason"),
        SeedVerdict::Decided => ensure!(reason.starts_with(DECISIONS), "no decision"),
        SeedVerdict::Open => ensure!(!reason.is_empty(), "no reason"),
    }
    Ok(SeedRow { number, requirement, verdict, test, reason })
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, path::Path};

    use super::{LIST, SeedVerdict, read_row, read_rows};
    use crate::rig;

    /// The crates in whose sources a test of this name stands.
    fn crates_with(test: &str, repository: &Path) -> Vec<String> {
        let mut found = Vec::new();
        for folder in std::fs::read_dir(repository.join("crates")).unwrap().flatten() {
            for root in ["src", "tests/it"] {
                if is_in(test, &folder.path().join(root)) {
                    found.push(format!("{}/{root}", folder.file_name().to_string_lossy()));
                }
            }
        }
        found
    }

    /// Whether the file of the test's module below `root` has a test of this name, in a module of its own or not.
    fn is_in(test: &str, root: &Path) -> bool {
        let Some((module, name)) = test.rsplit_once("::") else { return false };
        let has = |module: &str, inner: Option<&str>| {
            let path = root.join(module.replace("::", "/")).with_extension("rs");
            let text = std::fs::read_to_string(path).unwrap_or_default();
            let is_test = |at: usize| {
                let before = text.get(..at).unwrap_or_default();
                before.lines().rev().take(4).any(|line| line.contains("test]") || line.contains("::test("))
            };
            let inside = inner.is_none_or(|inner| text.contains(&format!("mod {inner} {{")));
            inside && text.match_indices(&format!("fn {name}(")).any(|(at, _)| is_test(at))
        };
        has(module, None) || module.rsplit_once("::").is_some_and(|(outer, inner)| has(outer, Some(inner)))
    }

    #[test]
    fn every_row_has_a_verdict_a_test_that_exists_and_a_page_that_exists() {
        let repository = rig::repository();
        let text = std::fs::read_to_string(repository.join(LIST)).unwrap();
        let rows = read_rows(&text).unwrap();
        let tests: BTreeSet<&str> = rows.iter().filter_map(|row| row.test).collect();
        for test in tests {
            let crates = crates_with(test, &repository);
            assert_eq!(crates.len(), 1, "`{test}` is in {crates:?}");
        }
        for row in &rows {
            let is_page = row.verdict != SeedVerdict::Decided || repository.join(row.reason).is_file();
            assert!(is_page, "row {}: {} is not there", row.number, row.reason);
            let words = row.requirement.split_whitespace().chain(row.reason.split_whitespace());
            let outside: Vec<&str> = words
                .map(|word| word.trim_matches(['(', ')', '`', ',', ';', '"']))
                .filter(|word| word.starts_with(['/', '~']) || word.contains("../"))
                .collect();
            assert_eq!(outside, Vec::<&str>::new(), "row {} names what is not ours", row.number);
        }
    }

    #[test]
    fn a_line_that_says_too_little_is_refused() {
        let refused = |line: &str| read_row(1, line).unwrap_err().to_string();
        assert_eq!(refused("2\tx\tmet\ta::b\t"), "row 1 is missing");
        assert_eq!(refused("1\tx\tmet\t\t"), "no test");
        assert_eq!(refused("1\tx\tpartly\ta::b\t"), "`partly` is no verdict");
        assert_eq!(refused("1\tx\tdecided\ta::b\tit is better"), "no decision");
        assert_eq!(refused("1\tx\topen\t\t"), "no reason");
        assert_eq!(refused("1\tx\tmet\ta::b"), "4 fields instead of 5");
        assert!(read_row(1, "1\tx\tmet\ta::b\t").is_ok());
    }

    #[test]
    fn a_test_is_found_by_its_whole_name_and_nothing_else_is() {
        let repository = rig::repository();
        let found = |test: &str| crates_with(test, &repository);
        assert_eq!(found("mcp::a_day_has_its_limit"), ["probity/tests/it"]);
        assert_eq!(
            found("limits::tests::eight_hours_are_clamped_and_the_reason_is_kept"),
            ["probity-research/src"]
        );
        for nothing in
            ["mcp::a_day", "a_day_has_its_limit", "harness::finish", "limits::tests::deadline_note"]
        {
            assert_eq!(found(nothing), Vec::<String>::new(), "{nothing}");
        }
    }
}
