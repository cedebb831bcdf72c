//! Nothing in a tool's arguments leads out of the directory for reports, and nothing in a page or a question acts in a
//! saved file or on the desktop: tests of the program, at size. And how long a large report takes to render.

use std::time::Duration;

use anyhow::Context as _;
use probity_research::{
    RunId,
    cost::Cost,
    report::{Report, SourceLink},
    status::RunSummary,
    time::Moment,
};
use probity_server::markdown::{MarkdownPage, MetadataVisibility, ReportTemplates, SourceListVisibility};

use crate::{
    figure::{Figure, MeasurementSize},
    rig,
    tested::{self, TestedFigure},
};

const TESTED: [TestedFigure; 2] = [
    TestedFigure {
        test: "escapes::no_report_is_written_outside_its_directory",
        key: "escapes.paths",
        name: "reports written outside their directory, hostile folders and names",
        goal: "0 escapes",
    },
    TestedFigure {
        test: "escapes::nothing_acts_in_saved_reports_and_notifications",
        key: "escapes.texts",
        name: "images, tags, script links and unseen characters in saved reports and notifications",
        goal: "0",
    },
];
const RENDERED: &str = "a report of 200 KB as Markdown";
const RENDERED_MAX: Duration = Duration::from_millis(100);

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let mut figures = tested::measure(&TESTED, size)?;
    figures.push(rendered()?);
    Ok(figures)
}

fn rendered() -> anyhow::Result<Figure> {
    let paragraph = "A *claim* about <b>things</b> with a [link](https://a.example/x), ![one](https://b.example/y.png) \
                     and `code<T>`.\n\n";
    let text = paragraph.repeat(200_000 / paragraph.len() + 1);
    let source = SourceLink { url: "https://a.example/sky".to_owned(), title: "Why | the sky".to_owned() };
    let report = Report { text, sources: vec![source; 300], ..Report::default() };
    let (summary, templates) = (summary()?, ReportTemplates::new(None)?);
    let page = MarkdownPage {
        summary: &summary,
        report: &report,
        metadata: MetadataVisibility::Shown,
        sources: SourceListVisibility::Listed,
        written_at: Moment(0),
    };
    let mut waits: Vec<Duration> = Vec::new();
    for _ in 0..20 {
        let (made, took) = rig::timed(|| templates.render(&page));
        made?;
        waits.push(took);
    }
    let slowest = rig::percentile(&mut waits, 1.0);
    let middle = rig::percentile(&mut waits, 0.5);
    let measured =
        format!("{:.1} ms, slowest of 20 {:.1} ms", middle.as_secs_f64() * 1e3, slowest.as_secs_f64() * 1e3);
    Ok(Figure::judged(RENDERED, slowest < RENDERED_MAX, measured, "under 100 ms").timing())
}

fn summary() -> anyhow::Result<RunSummary> {
    let told = serde_json::json!({
        "id": RunId::from_random(7), "status": "completed", "due": false, "query": "why?",
        "engine": "gemini-api", "agent": "deep-research-preview-04-2026", "asked_at": 0, "updated_at": 0,
        "ended_at": 1_110_000, "progress_percent": 100, "progress_estimated": false, "current_action": "",
        "steps": 0, "searches": 0, "pages": 0, "attended_ms": 0, "cost": Cost::Unknown, "sources": 2,
    });
    serde_json::from_value(told).context("a summary")
}
