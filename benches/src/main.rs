//! `figures AREA [quick|full]` measures and prints; `figures pages` rewrites the pages that show figures.

use std::process::ExitCode;

use anyhow::bail;
use clap::Parser;
use probity_benches::{
    area,
    figure::{Figure, FigureKind, FigureSheet, FigureVerdict, MeasurementSize},
    fleet, foundation, output, pages, research, web,
};

#[derive(Parser)]
#[command(about = "Measures what the pages claim")]
struct FiguresArguments {
    /// An area (foundation, mcp, rounds, web, research, evidence, fleet, people, safety, seeds, platforms, house), or `pages`.
    area: String,
    /// `quick` is the part that CI runs.
    #[arg(default_value = "full")]
    size: String,
    /// Only figures whose name contains this.
    #[arg(long)]
    only: Option<String>,
    /// Hidden helpers that a measurement starts as a process of its own.
    #[arg(last = true, hide = true)]
    rest: Vec<String>,
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = FiguresArguments::parse();
    let size = match arguments.size.as_str() {
        "quick" => MeasurementSize::Quick,
        "full" => MeasurementSize::Full,
        other => bail!("`{other}` is neither quick nor full"),
    };
    match arguments.area.as_str() {
        "pages" => pages::rewrite().map(|()| ExitCode::SUCCESS),
        "worker" if arguments.rest.first().is_some_and(|name| name == "browser") => {
            web::worker(&arguments.rest).map(|()| ExitCode::SUCCESS)
        }
        "worker" => foundation::worker(&arguments.rest).map(|()| ExitCode::SUCCESS),
        "fleet-worker" => fleet::worker(&arguments.rest).map(|()| ExitCode::SUCCESS),
        "research-worker" => research::worker(&arguments.rest).map(|()| ExitCode::SUCCESS),
        "web-worker" => web::worker(&arguments.rest).map(|()| ExitCode::SUCCESS),
        area => measure(area, size, arguments.only.as_deref()),
    }
}

fn measure(area: &str, size: MeasurementSize, only: Option<&str>) -> anyhow::Result<ExitCode> {
    let Some(measurements) = area::measurements(area) else { bail!("there are no figures for `{area}`") };
    let figures = area::measure(measurements, size, only)?;
    let sheet = FigureSheet { area: area.to_owned(), size, figures };
    if size == MeasurementSize::Full {
        publish(&sheet, &area::names(measurements))?;
    }
    let count = |verdict| sheet.figures.iter().filter(|figure| figure.verdict == verdict).count();
    output::line(&format!(
        "{area}: {} ok, {} short, {} skipped",
        count(FigureVerdict::Ok),
        count(FigureVerdict::Short),
        count(FigureVerdict::Skipped)
    ));
    let gates = |figure: &&Figure| size == MeasurementSize::Full || figure.kind == FigureKind::Promise;
    let failing: Vec<_> =
        sheet.figures.iter().filter(gates).filter(|figure| figure.verdict == FigureVerdict::Short).collect();
    // Once more at the end: who reads only the last lines of a long log learns what failed.
    for figure in &failing {
        output::line(&format!(
            "{area} fails on `{}`: {} (goal: {})",
            figure.name, figure.measured, figure.goal
        ));
    }
    Ok(if failing.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Puts what was measured into `docs/figures` and the pages, beside what was measured before.
fn publish(sheet: &FigureSheet, names: &[&str]) -> anyhow::Result<()> {
    let known = FigureSheet::load(&FigureSheet::path(&sheet.area)).unwrap_or_else(|_| sheet.clone());
    known.updated(sheet, names).save()?;
    pages::rewrite()
}
