//! Which code a figure was measured on, and whether that code has changed since. Asks git, and says so when git cannot
//! tell.

use std::{collections::BTreeMap, process::Stdio};

use crate::{area::AREAS, rig};

/// How this program was built, and with it everything it measures.
pub const PROFILE: &str = if cfg!(debug_assertions) { "dev" } else { "release" };

/// Written by measuring, or from what was measured: a difference here is no difference of the code.
const WRITTEN_FROM_FIGURES: [&str; 5] =
    [".", ":!docs/figures", ":!BENCHMARKS.md", ":!README.md", ":!docs/book/explanation/where-it-fails.md"];

/// Whether the code that a figure measures is still the code it was measured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigureAge {
    Current,
    Stale,
    /// No git here, or a clone without the history.
    Unknown,
}

/// The commit that is measured, with `-dirty` if tracked files differ from it.
pub fn head() -> String {
    let Some((0, commit)) = git(&["rev-parse", "HEAD"]) else { return "unknown".to_owned() };
    let mut question = vec!["status", "--porcelain", "--untracked-files=no", "--"];
    question.extend(WRITTEN_FROM_FIGURES);
    match git(&question) {
        Some((0, changes)) if changes.trim().is_empty() => commit.trim().to_owned(),
        _ => format!("{}-dirty", commit.trim()),
    }
}

/// The commit as pages show it.
pub fn short(commit: &str) -> String {
    let (hash, dirty) = commit.strip_suffix("-dirty").map_or((commit, ""), |hash| (hash, "-dirty"));
    format!("{}{dirty}", hash.get(..7).unwrap_or(hash))
}

/// Ages of figures; git is asked once for each commit and area.
#[derive(Default)]
pub struct FigureAges {
    known: BTreeMap<(String, String), FigureAge>,
}

impl FigureAges {
    pub fn of(&mut self, area: &str, commit: &str) -> FigureAge {
        let key = (area.to_owned(), commit.to_owned());
        *self.known.entry(key).or_insert_with(|| age(area, commit))
    }
}

/// Compares commits, not files: what is not committed yet has no figures yet.
fn age(area: &str, commit: &str) -> FigureAge {
    if commit.ends_with("-dirty") {
        // Nobody can build that code again.
        return FigureAge::Stale;
    }
    let folders = code(area);
    let mut question = vec!["diff", "--quiet", commit, "HEAD", "--"];
    question.extend(folders.iter().map(String::as_str));
    match git(&question) {
        Some((0, _)) => FigureAge::Current,
        Some((1, _)) => FigureAge::Stale,
        _ => FigureAge::Unknown,
    }
}

/// The code that an area measures, and its own measurements.
fn code(area: &str) -> Vec<String> {
    let measured = AREAS.iter().find(|summary| summary.name == area).map_or(&[][..], |summary| summary.code);
    let own = [format!("benches/src/{area}"), format!("benches/src/{area}.rs")];
    measured.iter().map(ToString::to_string).chain(own).collect()
}

/// The exit code and what was printed, or nothing where there is no git.
fn git(arguments: &[&str]) -> Option<(i32, String)> {
    let output = rig::command("git")
        .args(arguments)
        .current_dir(rig::repository())
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    Some((output.status.code()?, String::from_utf8_lossy(&output.stdout).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::{FigureAge, FigureAges, short};

    #[test]
    fn a_figure_of_no_known_commit_has_no_known_age() {
        let mut ages = FigureAges::default();
        assert_eq!(ages.of("web", "0000000000000000000000000000000000000000"), FigureAge::Unknown);
        assert_eq!(ages.of("web", ""), FigureAge::Unknown);
        assert_eq!(ages.of("web", "2725f60-dirty"), FigureAge::Stale);
    }

    #[test]
    fn pages_show_seven_digits() {
        assert_eq!(short("2725f60aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-dirty"), "2725f60-dirty");
        assert_eq!(short("unknown"), "unknown");
    }
}
