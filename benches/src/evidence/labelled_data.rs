//! Labelled data of others, read from where it lies; it is not part of this repository.
#![expect(clippy::disallowed_methods, reason = "where the data lies is a setting of whoever measures")]

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, de::DeserializeOwned};

use crate::{figure::Figure, rig};

/// Names the folder that holds the data.
const FOLDER_VARIABLE: &str = "PROBITY_EVIDENCE_DATA";
/// Names the endpoint of a model on this machine.
pub const LOCAL_MODEL_VARIABLE: &str = "PROBITY_LOCAL_MODEL_URL";
pub const ABSENT: &str = "no labelled data here; set PROBITY_EVIDENCE_DATA";

/// The folder with the data, if it is on this machine.
pub fn folder() -> Option<PathBuf> {
    let beside = || rig::repository().join("../shared/data/evidence");
    Some(std::env::var_os(FOLDER_VARIABLE).map_or_else(beside, PathBuf::from))
        .filter(|folder| folder.is_dir())
}

/// In place of figures that need the data.
pub fn absent(name: &str, goal: &str) -> anyhow::Result<Vec<Figure>> {
    Ok(vec![Figure::skipped(name, goal, ABSENT)])
}

/// An endpoint with a model of whoever measures, such as `http://127.0.0.1:8080/v1`.
pub fn local_model_url() -> Option<String> {
    std::env::var(LOCAL_MODEL_VARIABLE).ok().filter(|url| !url.is_empty())
}

/// Per-item results lie in `target/evals`, so that a figure can be traced to its claims.
pub fn save(name: &str, text: &str) -> anyhow::Result<()> {
    let folder = rig::repository().join("target/evals");
    std::fs::create_dir_all(&folder).context("making target/evals")?;
    std::fs::write(folder.join(format!("{name}.jsonl")), text).with_context(|| format!("writing {name}"))
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
