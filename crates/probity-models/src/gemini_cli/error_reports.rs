//! The CLI's own error reports: over the protocol they are the only place that names the kind of an error.
//!
//! `gemini-client-error-….json` in its temporary directory, with the prompt after the error. Only the error
//! is read.

use std::{
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
};

use serde::Deserialize;

const PREFIX: &str = "gemini-client-error-";
/// Larger than a prompt can be with all its pages; a longer one is not read.
const REPORT_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Files read. A question that fails leaves one or two.
const FILES_MAX: usize = 100;

#[derive(Deserialize)]
struct CliErrorReport {
    error: CliErrorStack,
}

#[derive(Deserialize)]
struct CliErrorStack {
    stack: String,
}

/// The first line of every reported error, such as `ModelNotFoundError: …`.
pub fn read(temporary: &Path) -> String {
    let lines = reports(temporary).into_iter().filter_map(|report| first_line(&report));
    lines.map(|line| line + "\n").collect()
}

/// Deletes the reports of earlier questions.
pub fn clear(temporary: &Path) {
    for report in reports(temporary) {
        if let Err(error) = fs::remove_file(&report) {
            tracing::debug!(%error, "error report of the Gemini CLI not removed");
        }
    }
}

fn reports(temporary: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(temporary).into_iter().flatten().flatten().take(FILES_MAX);
    let is_report = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(PREFIX);
    entries.filter(is_report).map(|entry| entry.path()).collect()
}

fn first_line(report: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(report).ok()?.take(REPORT_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    let report: CliErrorReport = serde_json::from_slice(&bytes).ok()?;
    report.error.stack.lines().next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{clear, read};

    #[test]
    fn the_kind_of_an_error_is_read_and_the_prompt_behind_it_is_not() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(read(directory.path()), "");
        let report =
            r#"{"error":{"message":"no","stack":"ModelNotFoundError: no\n    at x"},"context":["Other: y"]}"#;
        fs::write(directory.path().join("gemini-client-error-Turn.run-1.json"), report).unwrap();
        fs::write(directory.path().join("gemini-client-error-2.json"), "not JSON").unwrap();
        fs::write(directory.path().join("other.json"), report).unwrap();
        assert_eq!(read(directory.path()), "ModelNotFoundError: no\n");
        clear(directory.path());
        assert_eq!(read(directory.path()), "");
        assert!(directory.path().join("other.json").exists());
    }
}
