//! Each package installed and used on a machine that has nothing: an empty root, no network, an empty home.
//!
//! Builds nothing: without `just package` before it, every figure is skipped.

use std::{path::Path, time::Duration};

use crate::{
    figure::{Figure, MeasurementSize},
    rig,
};

/// What a person downloads at most.
const PROGRAM_BYTES_MAX: u64 = 25_000_000;
/// npm and venv take seconds; a busy machine takes many times as long.
const LIMIT: Duration = Duration::from_secs(240);
const GOAL: &str = "installs offline into an empty root, starts, doctor and MCP answer";
const WAYS: [&str; 5] = ["archive", "installer", "npm", "pypi", "mcpb"];

pub fn measure(_size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let packages = rig::repository().join("target/packages");
    if let Some(why) = missing(&packages) {
        return Ok(vec![Figure::skipped("packages in an empty root", GOAL, why)]);
    }
    let mut figures = vec![size(&packages)?];
    for way in WAYS {
        figures.push(tried(way, &packages)?);
    }
    figures.push(validated()?);
    Ok(figures)
}

pub fn missing(packages: &Path) -> Option<&'static str> {
    if !packages.join("SHA256SUMS").is_file() {
        return Some("run `just package` first");
    }
    if !rig::is_root() || !rig::has_program("unshare") || !rig::has_program("busybox") {
        return Some("needs root, unshare and busybox");
    }
    None
}

fn size(packages: &Path) -> anyhow::Result<Figure> {
    let bytes = std::fs::metadata(packages.join("container/amd64/probity"))?.len();
    let packed = std::fs::read_dir(packages)?
        .filter_map(Result::ok)
        .filter(|file| file.file_name().to_string_lossy().ends_with(".tar.gz"))
        .find_map(|file| Some(file.metadata().ok()?.len()))
        .unwrap_or_default();
    let measured = format!("{:.1} MB ({:.1} MB to download)", bytes as f64 / 1e6, packed as f64 / 1e6);
    Ok(Figure::judged(
        "the static program, everything in it",
        bytes <= PROGRAM_BYTES_MAX,
        measured,
        "at most 25 MB",
    )
    .with_note(
        "19 MB of code from laptop, fleet, simulator and page, of it 1.5 MB cryptography; 4 MB of tables for unwinding, \
         without which a panic over one page would end the server",
    ))
}

fn tried(way: &str, packages: &Path) -> anyhow::Result<Figure> {
    let script = rig::repository().join("packaging/checks/empty-root.sh");
    let done = rig::run(rig::command("sh").arg(script).arg(way).arg(packages), LIMIT)?;
    let said: Vec<&str> = done.stdout.lines().map(str::trim).collect();
    let reached = done.status.success() && said.iter().any(|line| line.starts_with("mcp: "));
    let figure = Figure::judged(&format!("package in an empty root: {way}"), reached, said.join("; "), GOAL);
    Ok(if reached { figure } else { figure.with_note(done.stderr.lines().last().unwrap_or_default()) })
}

/// By the tools and schemas of those who read them.
fn validated() -> anyhow::Result<Figure> {
    let (name, goal) = ("packages held against their readers' tools and schemas", "all checks");
    let python = rig::repository().join(".tools/packages/venv/bin/python");
    if !python.is_file() {
        return Ok(Figure::skipped(name, goal, "run packaging/checks/install first"));
    }
    let script = rig::repository().join("packaging/checks/validate.py");
    let done = rig::run(rig::command(python).arg(script), LIMIT)?;
    let count = |word: &str| done.stdout.lines().filter(|line| line.starts_with(word)).count();
    let measured = format!("{} ok, {} short", count("ok"), count("short"));
    let note: Vec<&str> = done.stdout.lines().filter(|line| line.starts_with("short")).collect();
    Ok(Figure::judged(name, done.status.success(), measured, goal).with_note(note.join("; ")))
}
