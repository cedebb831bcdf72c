//! The figures of the code base itself: its names, its front page, its structure, its weight, its promises. Read from the
//! committed files in a second, without a build; two of the full run take longer.

mod circles;
mod names;
mod sources;
mod unused_items;

use std::{collections::BTreeSet, fs, io, sync::LazyLock};

use anyhow::Context;

use self::sources::{SourceRole, SourceTree};
use crate::{
    area::Measurement,
    figure::{Figure, MeasurementSize},
    pages,
    provenance::{FigureAge, FigureAges},
    rig,
};

pub const MEASUREMENTS: &[Measurement] = &[
    ("names", names),
    ("documents", documents),
    ("circles", circles),
    ("unused_items", unused_items),
    ("places", places),
    ("lines", lines),
    ("figures", figures),
    ("published", published),
    ("gate", gate),
    ("test_quick", test_quick),
];

/// A front page is read in one sitting; past this it is a manual.
const README_BYTES_MAX: usize = 8 * 1024;
/// Code that measures stays small beside what it measures.
const MEASURING_LINES_MAX: usize = 20_000;
const RUST_LINES_MAX: usize = 162_000;
/// What has to be touched to add the next provider or tool.
const PLACES_MAX: usize = 5;
/// The gate's; a contributor waits for it.
const GATE_MINUTES_MAX: f64 = 25.0;
const TEST_QUICK_MINUTES_MAX: f64 = 5.0;
const GATE: &str = "docs/figures/gate.json";
/// Sums of what clients and old journals rely on, as they were published.
const PUBLISHED: &str = "benches/src/house/published.sha256";

/// A count with a bound, and the first of what was counted.
fn counted(name: &str, found: &[String], most: usize) -> Figure {
    let goal = if most == 0 { "0".to_owned() } else { format!("at most {most}") };
    Figure::judged(name, found.len() <= most, found.len().to_string(), &goal).with_note(first_of(found))
}

fn first_of(found: &[String]) -> String {
    let more = found.len().saturating_sub(8);
    let shown: Vec<&str> = found.iter().take(8).map(String::as_str).collect();
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}

fn bounded(name: &str, value: usize, most: usize) -> Figure {
    Figure::judged(name, value <= most, value.to_string(), &format!("at most {most}"))
}

fn tree() -> anyhow::Result<&'static SourceTree> {
    static TREE: LazyLock<io::Result<SourceTree>> = LazyLock::new(|| SourceTree::load(&rig::repository()));
    TREE.as_ref().context("reading the files of the repository")
}

fn names(_: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let types = names::types(tree()?);
    let participles = names::participles(&types);
    let tenths = participles.len() * 1000 / types.len().max(1);
    let measured = format!("{}.{} % ({} of {})", tenths / 10, tenths % 10, participles.len(), types.len());
    let named = Figure::judged("past participles as type names", tenths < 20, measured, "under 2 %");
    let twice = names::twice_in_a_crate(&types);
    let faces = ["crates/probity-server", "crates/probity-runner", "crates/probity-page", "crates/probity"];
    let shared = names::shared(&types, &faces);
    Ok(vec![
        named.with_note(first_of(&participles)),
        counted("public type names defined twice inside a crate", &twice, 0),
        counted("type names that server, runner, page and program share", &shared, 0),
    ])
}

fn documents(_: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let read = |path: &str| {
        fs::read_to_string(rig::repository().join(path)).with_context(|| format!("reading {path}"))
    };
    let tree = tree()?;
    let mut texts: Vec<String> = tree.files.iter().map(|file| file.code.clone()).collect();
    let is_recipe = |path: &&String| {
        let ends = [".toml", ".py", ".mjs", ".html", "justfile", "run", "install"];
        ends.iter().any(|end| path.ends_with(end)) && !path.contains("fixtures/")
    };
    for path in tree.paths.iter().filter(is_recipe) {
        texts.push(read(path)?);
    }
    let known: BTreeSet<&str> = texts.iter().flat_map(|text| sources::words(text)).collect();
    let paths: Vec<String> = tree.paths.iter().map(|path| format!("/{path}/")).collect();
    let mut unknown = Vec::new();
    for document in ["ARCHITECTURE.md", "CONVENTIONS.md", "CONTRIBUTING.md"] {
        let names = names::unknown_names(&read(document)?, &known, &paths);
        unknown.extend(names.into_iter().map(|name| format!("{name} ({document})")));
    }
    let name =
        "names and paths in ARCHITECTURE, CONVENTIONS and CONTRIBUTING that nothing in the repository has";
    Ok(vec![
        bounded("bytes of README", read("README.md")?.len(), README_BYTES_MAX),
        counted(name, &unknown, 0).aim(),
    ])
}

fn circles(_: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let tree = tree()?;
    let pure = ["crates/probity-types", "crates/probity-research"];
    let found: Vec<String> = pure.iter().flat_map(|name| circles::files_in_circles(tree, name)).collect();
    Ok(vec![counted("files of the rules and their types in a circle of imports", &found, 0).aim()])
}

fn unused_items(_: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let reasons = fs::read_to_string(rig::repository().join(unused_items::REASONS)).unwrap_or_default();
    let report = unused_items::find(tree()?, &reasons);
    let name = "public items that no product code names, without a reason";
    let mut unexplained = counted(name, &report.unexplained, 0);
    unexplained.note = format!(
        "of {} items; {} more have their reason in {}; items with a common name are always found in use. {}",
        report.items,
        report.explained,
        unused_items::REASONS,
        unexplained.note
    );
    let outdated = counted("reasons for public items that are gone or named by now", &report.outdated, 0);
    Ok(vec![unexplained, outdated])
}

fn places(_: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let tree = tree()?;
    let provider = tree.product_files_naming(&["Exa", "exa", "EXA_API_KEY"]);
    let tool = tree.product_files_naming(&["list_research", "ListResearch"]);
    Ok(vec![
        counted("product files that name one paid search provider (Exa)", &provider, PLACES_MAX).aim(),
        counted("product files that name one MCP tool (list_research)", &tool, PLACES_MAX),
    ])
}

fn lines(_: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let tree = tree()?;
    let roles = [SourceRole::Product, SourceRole::Test, SourceRole::Simulated, SourceRole::Measuring];
    let counts = roles.map(|role| tree.lines(role));
    let [product, tests, simulated, measuring] = counts;
    let all: usize = counts.iter().sum();
    let measured = format!(
        "{all}: product {product}, tests {tests}, simulated outside {simulated}, measuring {measuring}"
    );
    let whole = Figure { measured, ..bounded("lines of Rust in all", all, RUST_LINES_MAX) };
    Ok(vec![bounded("lines of measuring code", measuring, MEASURING_LINES_MAX).aim(), whole.aim()])
}

/// Whether the committed page says of each figure that it is stale, and on which build it was measured.
fn figures(_: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let committed = fs::read_to_string(rig::repository().join(pages::FIGURES)).unwrap_or_default();
    let mut ages = FigureAges::default();
    let (mut silent, mut stale, mut slower, mut all) = (Vec::new(), 0, 0, 0);
    for sheet in pages::sheets()? {
        for figure in sheet.figures.iter().filter(|figure| figure.goal != "shown") {
            let is_stale = ages.of(&sheet.area, &figure.commit) != FigureAge::Current;
            let is_slower = figure.profile != "release";
            all += 1;
            stale += usize::from(is_stale);
            slower += usize::from(is_slower);
            let mark = pages::mark(&sheet.area, figure, &mut ages);
            let row = format!("| {mark} | {} |", pages::cell(&figure.name));
            let says_so = committed.contains(&row) && committed.contains(&pages::build(figure));
            if (is_stale || is_slower) && !says_so {
                silent.push(format!("{}: {}", sheet.area, figure.name));
            }
        }
    }
    let name = "published figures that are stale or not of a release build without saying so";
    let mut figure = counted(name, &silent, 0).aim();
    figure.note =
        format!("{stale} of {all} stale or of unknown age, {slower} not of a release build. {}", figure.note);
    Ok(vec![figure])
}

/// Old events replay and clients find the same shapes as long as these files are the same; other tests hold the code
/// against them.
fn published(_: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let mut question = rig::command("sha256sum");
    question.args(["--check", PUBLISHED]).current_dir(rig::repository());
    let checked = question.output().context("running sha256sum")?;
    let lines = String::from_utf8(checked.stdout)?;
    anyhow::ensure!(!lines.is_empty(), "{PUBLISHED} could not be read");
    let differing = lines.lines().filter(|line| !line.ends_with(": OK"));
    let differing: Vec<String> = differing.map(str::to_owned).collect();
    let figure = counted("published schemas and event fixtures that are not what they were", &differing, 0);
    Ok(vec![Figure { measured: format!("{} of {}", differing.len(), lines.lines().count()), ..figure }])
}

/// What the gate wrote about its last run on a machine without a build; it cannot be run from here.
fn gate(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    if size == MeasurementSize::Quick {
        return Ok(Vec::new());
    }
    let (name, goal) = ("the gate, nothing built before", format!("at most {GATE_MINUTES_MAX} minutes"));
    let Ok(text) = fs::read_to_string(rig::repository().join(GATE)) else {
        let why = "`GATE_FIGURE=1 .ci/run` in a fresh clone writes it";
        return Ok(vec![Figure::skipped(name, &goal, why).timing()]);
    };
    let run: serde_json::Value = serde_json::from_str(&text).with_context(|| format!("parsing {GATE}"))?;
    let field = |name: &str| run.get(name).with_context(|| format!("{GATE} has no {name}"));
    let minutes = field("seconds")?.as_f64().unwrap_or(f64::INFINITY) / 60.0;
    let is_cold = field("cold")?.as_bool() == Some(true);
    let measured = format!("{minutes:.1} minutes");
    let figure = Figure::judged(name, is_cold && minutes <= GATE_MINUTES_MAX, measured, &goal).timing();
    Ok(vec![figure.with_note(format!("on {}, nothing built: {is_cold}", field("commit")?))])
}

/// The second run in a row: what a contributor waits for after a change of nothing.
fn test_quick(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    if size == MeasurementSize::Quick {
        return Ok(Vec::new());
    }
    let run = || rig::command("just").arg("test-quick").current_dir(rig::repository()).output();
    let first = run().context("running `just test-quick`")?;
    let (second, time) = rig::timed(run);
    let (minutes, passes) = (time.as_secs_f64() / 60.0, first.status.success() && second?.status.success());
    let goal = format!("passes in at most {TEST_QUICK_MINUTES_MAX} minutes");
    let measured = format!("{minutes:.1} minutes, {}", if passes { "passing" } else { "failing" });
    let reached = passes && minutes <= TEST_QUICK_MINUTES_MAX;
    Ok(vec![Figure::judged("`just test-quick` on a tree that is built", reached, measured, &goal).timing()])
}
