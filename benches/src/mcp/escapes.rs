//! Nothing in a tool's arguments leads out of the directory for reports, and nothing in a page or a question
//! acts in a saved file or on the desktop; the checks are those of the tests, at size.

#[path = "../../../crates/probity/src/notify/tests/promise.rs"]
mod promise;
#[expect(dead_code, reason = "the program also shows several at once")]
#[path = "../../../crates/probity/src/notify/words.rs"]
mod words;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context as _;
use probity_research::{
    RunId,
    cost::Cost,
    error::{Code, CodedError},
    report::{Report, SourceLink},
    status::{RunStatus, RunSummary},
    time::Moment,
};
use probity_server::markdown::{
    MarkdownPage, MetadataVisibility, ReportTemplates, SourceListVisibility, find_active_markup,
};
use probity_store::exports::{FileExportRequest, ReportExporter};
use probity_testing::export_testbed::{ExportTestbed, HOSTILE_FOLDERS, HOSTILE_PREFIXES};

use crate::{
    figure::{Figure, MeasurementSize},
    output, rig,
    simulation::simulation_random::SimulationRandom,
};

const PATHS: &str = "reports written outside their directory, hostile folders and names";
const TEXTS: &str = "images, tags, script links and unseen characters in saved reports and notifications";
const RENDERED: &str = "a report of 200 KB as Markdown";
const RENDERED_MAX: Duration = Duration::from_millis(100);
const SEED: u64 = 7;

/// What means something to a viewer, a desktop or a parser.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "![", "!", "[", "]", "](", "]:", "](<", "[[", "]]", ")", "<", ">", "</", "<!--", "<img src=x onerror=y>", "<script>",
    "<svg/onload=x>", "javascript:", "data:text/html,", "vbscript:x", "https://a.example/", "<https://a.example>", "<br>",
    "&lt;", "&#106;", "&Tab;", "&rlm;", "&#8238;", "\\", "`", "```", "~~~", "\n", "\n\n", "\t", "---\n", "# ", "> ", "- ",
    "|", "[^1]: ", "[x]: ", "\"", "'", "\u{202e}", "\u{200b}", "\u{feff}", "\u{7}", "\u{1b}[31m", "\0", "\r", "\u{2028}", "é", "漢",
    "🜁", "a", "word ", "{{ 7*7 }}", "${x}", "x: y", "*", "_", "%s", "$(id)",
];

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let cases = size.pick(2_000, 20_000);
    Ok(vec![paths(cases)?, texts(cases)?, rendered()?])
}

fn save(root: &Path, output_dir: &str, filename_prefix: &str, markdown: &[u8]) -> Option<PathBuf> {
    let id = RunId::from_random(7);
    let wanted =
        FileExportRequest { output_dir, filename_prefix, id, at: Moment(1_794_700_000_000), markdown };
    ReportExporter::new(vec![root.to_owned()]).save(&wanted).ok().map(|saved| saved.path)
}

fn paths(cases: usize) -> anyhow::Result<Figure> {
    let memory = Path::new("/dev/shm");
    let base = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let folder = tempfile::Builder::new().prefix("probity-figures-").tempdir_in(base)?;
    let playground = ExportTestbed::new(folder.path(), save)?;
    let dice = SimulationRandom::new(SEED);
    let (mut written, mut escapes) = (0, 0);
    for _ in 0..cases {
        let folder = path(&dice, &playground.root());
        let prefix = if dice.chance(50) { "research".to_owned() } else { text(&dice, HOSTILE_PREFIXES, 2) };
        match playground.check(&folder, &prefix) {
            Ok(was_written) => written += usize::from(was_written),
            Err(broken) => {
                escapes += 1;
                output::progress(&broken);
            }
        }
    }
    let measured = format!("{escapes} escapes of {cases}");
    let note =
        format!("{written} were written, each inside and whole; the rest were refused and changed nothing");
    Ok(Figure::judged(PATHS, escapes == 0 && written > cases / 50, measured, "0 escapes").with_note(note))
}

fn texts(cases: usize) -> anyhow::Result<Figure> {
    let templates = ReportTemplates::new(None)?;
    let dice = SimulationRandom::new(SEED);
    let mut acting = 0;
    let mut told = summary()?;
    for _ in 0..cases {
        told.query = text(&dice, PIECES, 12);
        told.status = dice.pick(&RunStatus::ALL).copied().unwrap_or(RunStatus::Failed);
        let code = dice.pick(Code::ALL).copied().unwrap_or(Code::Network);
        told.problem = Some(CodedError::new(code, &text(&dice, PIECES, 12)));
        let source = |dice: &SimulationRandom| SourceLink {
            url: text(dice, PIECES, 6),
            title: text(dice, PIECES, 12),
        };
        let sources = vec![source(&dice), source(&dice)];
        let report = Report { text: text(&dice, PIECES, 60), sources, ..Report::default() };
        let found = find_active_markup(&templates.render(&page(&told, &report))?);
        for broken in found.into_iter().chain(promise::check(&told).err()) {
            acting += 1;
            output::progress(&broken);
        }
    }
    let measured = format!("{acting} in {cases} reports and {} notifications", cases * 2);
    Ok(Figure::judged(TEXTS, acting == 0, measured, "0"))
}

fn rendered() -> anyhow::Result<Figure> {
    let paragraph = "A *claim* about <b>things</b> with a [link](https://a.example/x), ![one](https://b.example/y.png) \
                     and `code<T>`.\n\n";
    let text = paragraph.repeat(200_000 / paragraph.len() + 1);
    let source = SourceLink { url: "https://a.example/sky".to_owned(), title: "Why | the sky".to_owned() };
    let report = Report { text, sources: vec![source; 300], ..Report::default() };
    let (told, templates) = (summary()?, ReportTemplates::new(None)?);
    let mut waits: Vec<Duration> = Vec::new();
    for _ in 0..20 {
        let (made, took) = rig::timed(|| templates.render(&page(&told, &report)));
        made?;
        waits.push(took);
    }
    let slowest = rig::percentile(&mut waits, 1.0);
    let middle = rig::percentile(&mut waits, 0.5);
    let measured =
        format!("{:.1} ms, slowest of 20 {:.1} ms", middle.as_secs_f64() * 1e3, slowest.as_secs_f64() * 1e3);
    Ok(Figure::judged(RENDERED, slowest < RENDERED_MAX, measured, "under 100 ms").timing())
}

fn page<'a>(summary: &'a RunSummary, report: &'a Report) -> MarkdownPage<'a> {
    let (metadata, sources) = (MetadataVisibility::Shown, SourceListVisibility::Listed);
    MarkdownPage { summary, report, metadata, sources, written_at: Moment(0) }
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

fn path(dice: &SimulationRandom, root: &Path) -> String {
    let parts: Vec<String> = (0..=dice.within(0..3)).map(|_| text(dice, HOSTILE_FOLDERS, 1)).collect();
    let folder = parts.join("/");
    if dice.chance(25) {
        PathBuf::from(root).join(folder.trim_start_matches('/')).display().to_string()
    } else {
        folder
    }
}

/// Some of the pieces, now and then with any character between them.
fn text(dice: &SimulationRandom, pieces: &[&str], count_max: u64) -> String {
    let mut text = String::new();
    for _ in 0..=dice.within(0..count_max) {
        match dice.pick(pieces) {
            Some(piece) if dice.chance(85) => text.push_str(piece),
            _ => text.extend(char::from_u32(u32::try_from(dice.within(0..0x11_0000)).unwrap_or_default())),
        }
    }
    text
}
