//! Folders and prefixes as bytes come: nothing is written outside the root, and nothing else on disk changes.
#![no_main]

use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
};

use libfuzzer_sys::fuzz_target;
use probity_research::{RunId, time::Moment};
use probity_store::exports::{FileExportRequest, ReportExporter};
use probity_testing::export_testbed::{ExportTestbed, HOSTILE_FOLDERS, HOSTILE_PREFIXES};

fn save(root: &Path, output_dir: &str, filename_prefix: &str, markdown: &[u8]) -> Option<PathBuf> {
    let id = RunId::from_random(7);
    let wanted = FileExportRequest { output_dir, filename_prefix, id, at: Moment(1_794_700_000_000), markdown };
    ReportExporter::new(vec![root.to_owned()]).save(&wanted).ok().map(|saved| saved.path)
}

/// Wherever `TMPDIR` says; `just fuzz` says in memory, because every case syncs a file and its directories.
fn playground() -> &'static ExportTestbed {
    static PLAYGROUND: OnceLock<ExportTestbed> = OnceLock::new();
    PLAYGROUND.get_or_init(|| {
        let area = std::env::temp_dir().join(format!("probity-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&area).expect("a directory to play in");
        ExportTestbed::new(&area, save).expect("a playground")
    })
}

/// Bytes below this choose a hostile word; all others are taken as text.
const CHOOSING: u8 = 0x20;

fn words(bytes: &[u8], known: &[&str]) -> String {
    let mut text = String::new();
    let mut rest = bytes;
    while let Some((first, behind)) = rest.split_first() {
        if *first < CHOOSING
            && let Some((second, behind)) = behind.split_first()
        {
            text.push_str(known[(usize::from(*first) * 256 + usize::from(*second)) % known.len()]);
            rest = behind;
        } else {
            let end = behind.iter().position(|byte| *byte < CHOOSING).unwrap_or(behind.len());
            text.push_str(&String::from_utf8_lossy(&rest[..=end]));
            rest = &behind[end..];
        }
    }
    text
}

fuzz_target!(|bytes: &[u8]| {
    let split = bytes.first().map_or(0, |first| usize::from(*first) % bytes.len());
    let (folder, prefix) = bytes.split_at(split);
    let mut folder = words(folder, HOSTILE_FOLDERS);
    if bytes.last().is_some_and(|last| last % 4 == 0) {
        folder = format!("{}/{folder}", playground().root().display());
    }
    for prefix in [words(prefix, HOSTILE_PREFIXES).as_str(), "research"] {
        if let Err(broken) = playground().check(&folder, prefix) {
            panic!("escape: {broken}");
        }
    }
});
