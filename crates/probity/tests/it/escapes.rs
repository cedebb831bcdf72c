//! Nothing in a tool's arguments leads out of the directory for reports, and nothing in a page or a question acts in a
//! saved file or on the desktop; the checks are those of the unit tests, at size.

#[path = "../../src/notify/tests/promise.rs"]
mod promise;
#[expect(dead_code, reason = "the program also shows several at once")]
#[path = "../../src/notify/words.rs"]
mod words;

use std::path::{Path, PathBuf};

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
use serde_json::json;

use crate::{
    harness::{figure, sized},
    seeded_random::SeededRandom,
};

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

/// Some of the pieces, now and then with any character between them.
fn text(dice: &mut SeededRandom, pieces: &[&str], count_max: usize) -> String {
    let mut text = String::new();
    for _ in 0..=dice.below(count_max) {
        if dice.below(100) < 85 {
            text.push_str(pieces[dice.below(pieces.len())]);
        } else {
            text.extend(char::from_u32(u32::try_from(dice.below(0x11_0000)).unwrap()));
        }
    }
    text
}

fn save(root: &Path, output_dir: &str, filename_prefix: &str, markdown: &[u8]) -> Option<PathBuf> {
    let id = RunId::from_random(7);
    let wanted =
        FileExportRequest { output_dir, filename_prefix, id, at: Moment(1_794_700_000_000), markdown };
    ReportExporter::new(vec![root.to_owned()]).save(&wanted).ok().map(|saved| saved.path)
}

fn path(dice: &mut SeededRandom, root: &Path) -> String {
    let parts: Vec<String> = (0..=dice.below(3)).map(|_| text(dice, HOSTILE_FOLDERS, 1)).collect();
    let folder = parts.join("/");
    match dice.below(4) {
        0 => root.join(folder.trim_start_matches('/')).display().to_string(),
        _ => folder,
    }
}

#[test]
fn no_report_is_written_outside_its_directory() {
    let cases = sized(2_000, 20_000);
    let memory = Path::new("/dev/shm");
    let base = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let folder = tempfile::tempdir_in(base).unwrap();
    let playground = ExportTestbed::new(folder.path(), save).unwrap();
    let (mut dice, mut written) = (SeededRandom(SEED), 0);
    for _ in 0..cases {
        let folder = path(&mut dice, &playground.root());
        let prefix =
            if dice.below(2) == 0 { "research".to_owned() } else { text(&mut dice, HOSTILE_PREFIXES, 2) };
        written += usize::from(playground.check(&folder, &prefix).unwrap());
    }
    assert!(written > cases / 50, "{written}");
    figure("escapes.paths", &format!("0 escapes of {cases}"));
    figure(
        "escapes.paths.note",
        &format!(
            "{written} were written, each inside and whole; the rest were refused and changed \
         nothing"
        ),
    );
}

#[test]
fn nothing_acts_in_saved_reports_and_notifications() {
    let cases = sized(2_000, 20_000);
    let templates = ReportTemplates::new(None).unwrap();
    let mut dice = SeededRandom(SEED);
    let mut told: RunSummary = serde_json::from_value(json!({
        "id": RunId::from_random(7), "status": "completed", "due": false, "query": "why?",
        "engine": "gemini-api", "agent": "deep-research-preview-04-2026", "asked_at": 0, "updated_at": 0,
        "ended_at": 1_110_000, "progress_percent": 100, "progress_estimated": false, "current_action": "",
        "steps": 0, "searches": 0, "pages": 0, "attended_ms": 0, "cost": Cost::Unknown, "sources": 2,
    }))
    .unwrap();
    for _ in 0..cases {
        told.query = text(&mut dice, PIECES, 12);
        told.status = RunStatus::ALL[dice.below(RunStatus::ALL.len())];
        told.problem =
            Some(CodedError::new(Code::ALL[dice.below(Code::ALL.len())], &text(&mut dice, PIECES, 12)));
        let mut source =
            || SourceLink { url: text(&mut dice, PIECES, 6), title: text(&mut dice, PIECES, 12) };
        let sources = vec![source(), source()];
        let report = Report { text: text(&mut dice, PIECES, 60), sources, ..Report::default() };
        let page = MarkdownPage {
            summary: &told,
            report: &report,
            metadata: MetadataVisibility::Shown,
            sources: SourceListVisibility::Listed,
            written_at: Moment(0),
        };
        assert_eq!(find_active_markup(&templates.render(&page).unwrap()), None);
        promise::check(&told).unwrap();
    }
    figure("escapes.texts", &format!("0 in {cases} reports and {} notifications", cases * 2));
}
