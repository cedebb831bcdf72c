//! What the command keeps in the clone: the reports where the benchmark looks for them, and beside them which
//! research belongs to which task. A line is on disk before the next step is taken.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write as _,
    path::{Path, PathBuf},
};

use probity_bundle::bench::BenchTaskId;
use probity_research::{Code, RunId};
use serde::{Deserialize, Serialize};

use super::tasks::key;
use crate::command_error::CommandError;

/// Where the benchmark reads reports.
pub const RAW_DATA: &str = "data/test_data/raw_data";
/// Ours alone: no script of the benchmark looks there.
const OWN: &str = "results/probity";

#[derive(Debug)]
pub struct BenchFiles {
    pub name: String,
    articles: PathBuf,
    runs: PathBuf,
    pub log: PathBuf,
}

/// One line of our own record. The newest of a task counts.
#[derive(Debug, Serialize, Deserialize)]
struct RunRecord {
    id: BenchTaskId,
    run: RunId,
}

#[derive(Debug, Deserialize)]
struct ArticleId {
    id: BenchTaskId,
}

impl BenchFiles {
    pub fn open(clone: &Path, name: &str) -> Self {
        let own = clone.join(OWN);
        Self {
            articles: clone.join(RAW_DATA).join(format!("{name}.jsonl")),
            runs: own.join(format!("{name}.runs.jsonl")),
            log: own.join(format!("{name}.log")),
            name: name.to_owned(),
        }
    }

    pub fn articles_path(&self) -> &Path {
        &self.articles
    }

    /// The tasks whose reports are written.
    pub fn written(&self) -> Result<BTreeSet<String>, CommandError> {
        Ok(lines::<ArticleId>(&self.articles)?.iter().map(|line| key(&line.id)).collect())
    }

    /// The newest research of each task.
    pub fn runs(&self) -> Result<BTreeMap<String, RunId>, CommandError> {
        Ok(lines::<RunRecord>(&self.runs)?.into_iter().map(|line| (key(&line.id), line.run)).collect())
    }

    /// Before the research is started: a crash in between leaves an id that nobody knows, not a paid run.
    pub fn record_run(&self, id: &BenchTaskId, run: RunId) -> Result<(), CommandError> {
        let line = serde_json::to_string(&RunRecord { id: id.clone(), run })
            .map_err(|error| unwritten(&self.runs).with_cause(&error))?;
        append(&self.runs, &line)
    }

    pub fn write_article(&self, line: &str) -> Result<(), CommandError> {
        append(&self.articles, line)
    }
}

/// The whole lines of a file; one that a crash cut off is none.
fn lines<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<Vec<T>, CommandError> {
    match std::fs::read_to_string(path) {
        Ok(text) => {
            let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
            Ok(whole.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(CommandError::new(Code::OutputPath, &format!("could not read {}", path.display()))
            .with_cause(&error)
            .with_hint("look at that file, or write under another name: `--name NAME`")),
    }
}

/// One line more, on disk. What a crash cut off before is taken away first.
fn append(path: &Path, line: &str) -> Result<(), CommandError> {
    let written = || -> std::io::Result<()> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut file =
            std::fs::File::options().create(true).read(true).append(true).truncate(false).open(path)?;
        let before = std::fs::read(path)?;
        let whole = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |place| place + 1);
        if whole < before.len() {
            file.set_len(whole as u64)?;
        }
        file.write_all(line.trim_end().as_bytes())?;
        file.write_all(b"\n")?;
        file.sync_data()
    };
    written().map_err(|error| unwritten(path).with_cause(&error))
}

fn unwritten(path: &Path) -> CommandError {
    CommandError::new(Code::OutputPath, &format!("could not write {}", path.display()))
        .with_hint("the clone must be yours to write: name another with `--dir CLONE`")
}

#[cfg(test)]
mod tests {
    use probity_bundle::bench::BenchTaskId;
    use probity_research::RunId;

    use super::BenchFiles;

    #[test]
    fn a_line_that_was_cut_off_is_none_and_is_replaced() {
        let clone = tempfile::tempdir().unwrap();
        let files = BenchFiles::open(clone.path(), "n");
        assert!(files.written().unwrap().is_empty() && files.runs().unwrap().is_empty());
        files.write_article("{\"id\":1,\"prompt\":\"p\",\"article\":\"a\"}\n").unwrap();
        let path = files.articles_path().to_owned();
        let whole = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{whole}{{\"id\":2,\"pro")).unwrap();
        assert_eq!(files.written().unwrap().len(), 1);
        files.write_article("{\"id\":3,\"prompt\":\"q\",\"article\":\"b\"}").unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, format!("{whole}{{\"id\":3,\"prompt\":\"q\",\"article\":\"b\"}}\n"));
        for bits in [7, 9] {
            files.record_run(&BenchTaskId::Number(1), RunId::from_random(bits)).unwrap();
        }
        assert_eq!(files.runs().unwrap().get("1"), Some(&RunId::from_random(9)));
    }
}
