//! The local page and the self-contained report in real Chromium: accessibility by axe-core, weight, first paint,
//! hostile content. The page is served over invented researches: a thousand of them, one with 500 claims, one that is
//! hostile in every field, one that runs.

use std::{collections::BTreeMap, process::Command, time::Duration};

use anyhow::Context;
use probity_testing::report_fixture;
use serde::{Deserialize, de::DeserializeOwned};

use crate::{
    figure::{Figure, MeasurementSize},
    output, rig,
};

/// Sixteen pages in two sizes and two themes, each looked at for a second.
const LOOKING_MAX: Duration = Duration::from_secs(420);
const BYTES_GOAL: u64 = 300 * 1024;
const PAINT_MS_GOAL: i64 = 300;
/// Claims of the large report.
const CLAIMS: usize = 500;

/// What the script found on all pages together.
#[derive(Debug, Deserialize)]
struct PagesSummary {
    pages: u32,
    looks: u32,
    grave: u32,
    bytes_most: u64,
    paint_ms_most: i64,
    overflowing: Vec<String>,
    errors: u32,
    outside: u32,
    dialogs: u32,
}

#[derive(Debug, Deserialize)]
struct PageLook {
    page: String,
    size: String,
    theme: String,
    bytes: u64,
    resources_bytes: u64,
    paint_ms: i64,
}

#[derive(Debug, Deserialize)]
struct PagesDocument {
    summary: PagesSummary,
    seen: Vec<PageLook>,
}

/// One look at one report in a file.
#[derive(Debug, Deserialize)]
struct ReportFileLook {
    file: String,
    size: String,
    theme: String,
    bytes: u64,
    paint_ms: i64,
    overflows: bool,
    dialogs: u32,
    outside: Vec<String>,
    grave: Vec<String>,
}

/// One thing that a reader does.
#[derive(Debug, Deserialize)]
struct ReaderAction {
    what: String,
    works: bool,
    seen: String,
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let tools = rig::repository().join(".tools/page/node_modules/axe-core/axe.min.js");
    if !tools.is_file() || !rig::has_program("node") {
        let why = "axe-core is not installed: run `just tools`";
        return Ok(vec![Figure::skipped("the local page: accessibility", "0 serious or critical", why)]);
    }
    let mut figures = of_pages(size)?;
    figures.extend(of_files(size)?);
    Ok(figures)
}

fn of_pages(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let (mut preview, address) = preview()?;
    let mut command = script("axe.mjs");
    let PagesDocument { summary, seen: looks } = looked(sized(command.arg(&address), size))?;
    preview.end()?;
    let heaviest = looks.iter().max_by_key(|look| look.bytes + look.resources_bytes).context("no look")?;
    let heaviest_bytes = heaviest.bytes + heaviest.resources_bytes;
    let slowest = looks.iter().max_by_key(|look| look.paint_ms).context("no look")?;
    let slowest = format!("{} {} {}", slowest.page, slowest.size, slowest.theme);
    let mut paints: Vec<i64> = looks.iter().map(|look| look.paint_ms).collect();
    paints.sort_unstable();
    let middle = paints.get(paints.len() / 2).copied().unwrap_or(-1);
    output::progress(&format!("{summary:?}"));
    Ok(vec![
        Figure::judged(
            "the local page: serious or critical findings of axe-core",
            summary.grave == 0 && summary.looks > 0,
            format!(
                "{} in {} looks at {} pages, wide and on a phone, light and dark",
                summary.grave, summary.looks, summary.pages
            ),
            "0",
        ),
        Figure::judged(
            "the local page: heaviest, with everything it loads",
            heaviest_bytes < BYTES_GOAL,
            format!(
                "{} KB ({}; the page alone at most {} KB)",
                heaviest_bytes / 1024,
                heaviest.page,
                summary.bytes_most / 1024
            ),
            "under 300 KB with 1,000 researches and a report of 500 claims",
        ),
        Figure::judged(
            "the local page: first paint",
            summary.paint_ms_most >= 0 && summary.paint_ms_most < PAINT_MS_GOAL,
            format!("{middle} ms in the middle, {} ms at most ({slowest})", summary.paint_ms_most),
            "under 300 ms on loopback",
        )
        .timing(),
        Figure::judged(
            "the local page with hostile content: executions, requests elsewhere, broken rules",
            summary.dialogs == 0 && summary.outside == 0 && summary.errors == 0,
            format!("{}, {}, {}", summary.dialogs, summary.outside, summary.errors),
            "0, 0, 0",
        ),
        Figure::judged(
            "the local page: wider than its window",
            summary.overflowing.is_empty(),
            format!("{} of {} looks", summary.overflowing.len(), summary.looks),
            "0",
        )
        .with_note(summary.overflowing.join(", ")),
        used()?,
        of_hosts()?,
    ])
}

/// What the script saw of the view that MCP hosts show.
#[derive(Debug, Deserialize)]
struct HostViewLook {
    good: bool,
    seen: BTreeMap<String, bool>,
    errors: Vec<String>,
    outside: Vec<String>,
}

/// With the host library of the MCP Apps project.
fn of_hosts() -> anyhow::Result<Figure> {
    let view: HostViewLook = looked(&mut script("app.mjs"))?;
    let wrong: Vec<&str> =
        view.seen.iter().filter(|(_, seen)| !**seen).map(|(what, _)| what.as_str()).collect();
    Ok(Figure::judged(
        "the view for MCP hosts that show interfaces: handshake, cost approval, progress, claims, hostile answers",
        view.good,
        format!("{} of {}, {} errors", view.seen.len() - wrong.len(), view.seen.len(), view.errors.len()),
        "all; 0 serious or critical findings of axe-core, 0 requests elsewhere",
    )
    .with_note(wrong.into_iter().map(str::to_owned).chain(view.outside).collect::<Vec<_>>().join(", ")))
}

/// Serves the invented researches. Its address opens it once, for one browser.
fn preview() -> anyhow::Result<(rig::ProcessGroup, String)> {
    let mut command = rig::command(rig::built("page-preview")?);
    let mut preview = rig::ProcessGroup::spawn_talking(command.stdout(std::process::Stdio::piped()))?;
    let out = preview.child.stdout.take().context("the preview has no stdout")?;
    let address = rig::first_line_with(out, "http://")?.trim().to_owned();
    Ok((preview, address))
}

/// By keyboard and pointer, as a reader does.
fn used() -> anyhow::Result<Figure> {
    let (mut preview, address) = preview()?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("report.html");
    std::fs::write(
        &file,
        probity_report::html::page(&report_fixture::document(&report_fixture::research())),
    )?;
    let tried: Vec<ReaderAction> = looked(script("use.mjs").arg(&address).arg(&file))?;
    preview.end()?;
    let fails: Vec<String> =
        tried.iter().filter(|one| !one.works).map(|one| format!("{} ({})", one.what, one.seen)).collect();
    Ok(Figure::judged(
        "the local page and the report used by keyboard; live updates without reload",
        fails.is_empty() && !tried.is_empty(),
        format!("{} of {}", tried.len() - fails.len(), tried.len()),
        "all: evidence opens and closes, filters hide, a running research moves on its page",
    )
    .with_note(fails.join("; ")))
}

fn of_files(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let folder = tempfile::tempdir()?;
    let fixtures = [
        ("report", report_fixture::research()),
        ("large-report", report_fixture::large(CLAIMS)),
        ("hostile-report", report_fixture::hostile()),
    ];
    let mut command = script("files.mjs");
    for (name, fixture) in &fixtures {
        let file = folder.path().join(format!("{name}.html"));
        std::fs::write(&file, probity_report::html::page(&report_fixture::document(fixture)))?;
        command.arg(file);
    }
    let seen: Vec<ReportFileLook> = looked(sized(&mut command, size))?;
    let grave: Vec<&String> = seen.iter().flat_map(|look| &look.grave).collect();
    let acts: u32 = seen.iter().map(|look| look.dialogs).sum();
    let outside = seen.iter().map(|look| look.outside.len()).sum::<usize>();
    let wide: Vec<String> = seen
        .iter()
        .filter(|look| look.overflows)
        .map(|look| format!("{} {} {}", look.file, look.size, look.theme))
        .collect();
    let large = seen.iter().filter(|look| look.file.starts_with("large")).map(|look| look.bytes).max();
    let paint = seen.iter().map(|look| look.paint_ms).max().unwrap_or(-1);
    Ok(vec![
        Figure::judged(
            "the report as one HTML file: serious or critical findings of axe-core",
            grave.is_empty() && !seen.is_empty(),
            format!("{} in {} looks", grave.len(), seen.len()),
            "0",
        )
        .with_note(grave.first().map(|first| (*first).clone()).unwrap_or_default()),
        Figure::judged(
            "the report as one HTML file with hostile content: executions, requests elsewhere",
            acts == 0 && outside == 0,
            format!("{acts}, {outside}"),
            "0, 0",
        )
        .with_note(wide.join(", ")),
        Figure::judged(
            "the report as one HTML file with 500 claims",
            large.is_some(),
            format!("{} KB, the passages with their surroundings in it", large.unwrap_or(0) / 1024),
            "printed; the local page loads evidence when it is asked for",
        ),
        Figure::judged(
            "the report as one HTML file: first paint at most",
            (0..PAINT_MS_GOAL).contains(&paint),
            format!("{paint} ms"),
            "under 300 ms",
        )
        .timing(),
    ])
}

fn script(name: &str) -> Command {
    let mut command = rig::command("node");
    command.arg(rig::repository().join("benches/checks/page").join(name));
    command
}

/// What a script saw, which it says in one document.
fn looked<T: DeserializeOwned>(command: &mut Command) -> anyhow::Result<T> {
    let finished = rig::run(command, LOOKING_MAX)?;
    serde_json::from_str(&finished.stdout)
        .with_context(|| format!("{command:?} said: {}{}", finished.stdout, finished.stderr))
}

/// Everything and with pictures, or the part that CI can afford.
fn sized(command: &mut Command, size: MeasurementSize) -> &mut Command {
    match size {
        MeasurementSize::Full => command.arg("--pictures").arg(rig::repository().join("docs/pictures")),
        MeasurementSize::Quick => command.arg("--quick"),
    }
}
