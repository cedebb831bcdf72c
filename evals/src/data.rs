//! Labelled data of others, read from where it lies; it is not part of this repository.
#![expect(clippy::disallowed_methods, reason = "where the data lies is a setting of whoever measures")]

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, de::DeserializeOwned};

/// Names the folder that holds the data.
pub const FOLDER_VARIABLE: &str = "PROBITY_EVIDENCE_DATA";

/// The folder with the data, or why there is none.
pub fn folder() -> Result<PathBuf, String> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/evidence");
    let folder = std::env::var_os(FOLDER_VARIABLE).map_or_else(beside, PathBuf::from);
    if folder.is_dir() { Ok(folder) } else { Err(format!("no labelled data here; set {FOLDER_VARIABLE}")) }
}

/// Every line of a file of JSON lines.
pub fn lines<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Vec<T>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    let read = |(number, line): (usize, &str)| {
        serde_json::from_str(line).with_context(|| format!("{} line {}", path.display(), number + 1))
    };
    text.lines().filter(|line| !line.trim().is_empty()).enumerate().map(read).collect()
}

/// WiCE: a sentence of Wikipedia, the article it cites sentence by sentence, and whether that says it.
#[derive(Debug, Clone, Deserialize)]
pub struct WiceItem {
    pub label: WiceLabel,
    #[serde(default)]
    pub supporting_sentences: Vec<Vec<usize>>,
    pub claim: String,
    pub evidence: Vec<String>,
    #[serde(default)]
    pub meta: serde_json::Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WiceLabel {
    Supported,
    PartiallySupported,
    NotSupported,
}

impl WiceItem {
    /// The article as one page: a sentence per line, as it would be stored.
    pub fn page(&self) -> String {
        self.evidence.join("\n")
    }
}

/// `claim_dev` for tuning, `claim_test` for reporting.
pub fn wice(folder: &Path, file: &str) -> anyhow::Result<Vec<WiceItem>> {
    lines(&folder.join("wice").join(format!("{file}.jsonl")))
}
