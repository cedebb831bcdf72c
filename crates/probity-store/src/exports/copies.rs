//! Finds the files that were saved of one run, by the id in their names.

use std::{
    fs,
    path::{Path, PathBuf},
};

use probity_research::RunId;

use super::ReportExporter;
use crate::files;

/// Folders below a root: as deep as `output_dir` and the month can be.
const DEPTH_MAX: usize = 17;
/// Files and folders looked at. The user's own folder may be a root; nobody waits for a walk through a whole disk.
const ENTRIES_MAX: usize = 100_000;

impl ReportExporter {
    /// Links are not followed.
    pub fn find(&self, id: RunId) -> Vec<PathBuf> {
        let mark = format!("_{id}_");
        let mut waiting: Vec<(PathBuf, usize)> = self.roots().iter().map(|root| (root.clone(), 0)).collect();
        let mut found = Vec::new();
        let mut looked_at = 0;
        while let Some((folder, depth)) = waiting.pop() {
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries.flatten() {
                looked_at += 1;
                if looked_at > ENTRIES_MAX {
                    tracing::warn!("not every folder for reports was searched for saved files");
                    return found;
                }
                let Ok(kind) = entry.file_type() else { continue };
                let path = entry.path();
                if kind.is_dir() && depth < DEPTH_MAX {
                    waiting.push((path, depth + 1));
                } else if kind.is_file() && is_export(&path, &mark) {
                    found.push(path);
                }
            }
        }
        found.sort();
        found.dedup();
        found
    }

    /// Removes them; which they were.
    pub fn remove(&self, id: RunId) -> Vec<PathBuf> {
        let found = self.find(id);
        for path in &found {
            files::remove(path);
        }
        found
    }
}

fn is_export(path: &Path, mark: &str) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.contains(mark) && path.extension().is_some_and(|extension| extension == "md")
}
