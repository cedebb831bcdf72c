//! Where the CLI is installed, which version it has, and what it must be able to read.
//!
//! Searches PATH itself: the result is absolute, and an entry that is relative is never used.

use std::{
    ffi::OsStr,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use probity_research::error::{Code, CodedError};
use serde::Deserialize;

use super::CliVersion;

/// The first version whose sandboxing and trust checks are sound.
pub const VERSION_MIN: CliVersion = CliVersion { major: 0, minor: 39, patch: 1 };

const PROGRAM: &str = "gemini";
const PACKAGE: &str = "@google/gemini-cli";

/// `bundle/gemini.js` in its package, and a folder or two more for other layouts.
const PARENTS_MAX: usize = 4;
/// A package file has a few kilobytes.
const PACKAGE_BYTES_MAX: u64 = 256 * 1024;

const NOT_FOUND: &str = "the Gemini CLI was not found";
const HOW_TO_INSTALL: &str = "install it with `npm install -g @google/gemini-cli`. It needs an API key in \
                              GEMINI_API_KEY: log-ins with a Google account no longer work";

/// A CLI that can be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CliInstallation {
    /// Absolute, as it was found: links are followed by the system.
    pub program: PathBuf,
    /// What the CLI reads besides the system: its package, and the runtime that executes it.
    pub reads: Vec<PathBuf>,
    /// From the package beside the program, where there is one.
    pub packaged: Option<CliVersion>,
}

/// Looks for the CLI: at the configured path, or along PATH.
pub fn find(program: Option<&Path>, path: &OsStr) -> Result<CliInstallation, CodedError> {
    let found = match program {
        Some(program) => is_program(program).then(|| program.to_owned()),
        None => find_on_path(path, PROGRAM),
    };
    let Some(program) = found.and_then(|found| std::path::absolute(found).ok()) else {
        return Err(not_found(program));
    };
    let target = fs::canonicalize(&program).unwrap_or_else(|_| program.clone());
    let mut reads = vec![program.clone(), readable_root(&target)];
    reads.extend(runtime(path));
    let packaged = packaged_version(&target);
    Ok(CliInstallation { program, reads, packaged })
}

/// Where a path is configured, PATH is not searched: installing alone would not help.
fn not_found(program: Option<&Path>) -> CodedError {
    let message = match program {
        None => format!("{NOT_FOUND}; {HOW_TO_INSTALL}"),
        Some(program) => format!(
            "{NOT_FOUND} at {}, where `gemini_cli.program` says it is: correct that setting, or remove it and \
             {HOW_TO_INSTALL}",
            program.display()
        ),
    };
    CodedError::new(Code::CliNotFound, &message)
}

/// The version, if it is new enough.
pub fn check_version(version: CliVersion) -> Result<CliVersion, CodedError> {
    if version >= VERSION_MIN {
        return Ok(version);
    }
    let message = format!("the Gemini CLI has version {version}; Probity needs {VERSION_MIN} or newer");
    Err(CodedError::new(Code::CliTooOld, &message))
}

/// The first three numbers in what `--version` prints.
pub fn version_in(text: &str) -> Option<CliVersion> {
    text.split_whitespace().find_map(|word| {
        let word = word.trim_start_matches('v');
        let core = word.split(['-', '+']).next()?;
        let mut numbers = core.split('.').map(|part| part.parse::<u32>().ok());
        let (major, minor, patch) = (numbers.next()??, numbers.next()??, numbers.next()??);
        numbers.next().is_none().then_some(CliVersion { major, minor, patch })
    })
}

/// A program as a settings file names it: an absolute path, or a name to look for along PATH.
pub fn find_program(program: &Path, path: &OsStr) -> Option<PathBuf> {
    if program.is_absolute() {
        return is_program(program).then(|| program.to_owned());
    }
    let is_name = program.components().count() == 1;
    program.to_str().filter(|_| is_name).and_then(|name| find_on_path(path, name))
}

/// What a program reads of itself: the file, and the package that it is part of.
pub fn reads_of_program(program: &Path) -> Vec<PathBuf> {
    let target = fs::canonicalize(program).unwrap_or_else(|_| program.to_owned());
    vec![program.to_owned(), readable_root(&target)]
}

fn find_on_path(path: &OsStr, name: &str) -> Option<PathBuf> {
    let directories = std::env::split_paths(path).filter(|directory| directory.is_absolute());
    directories.map(|directory| directory.join(name)).find(|candidate| is_program(candidate))
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// The outermost `node_modules` above the program: its dependencies are beside it. Otherwise its own folder,
/// unless that is a shared one for programs.
fn readable_root(target: &Path) -> PathBuf {
    let modules =
        target.ancestors().filter(|parent| parent.file_name() == Some(OsStr::new("node_modules"))).last();
    modules.map_or_else(|| target.to_owned(), Path::to_owned)
}

/// The Node that runs it, with the libraries beside it.
fn runtime(path: &OsStr) -> Vec<PathBuf> {
    let Some(node) = find_on_path(path, "node") else { return Vec::new() };
    let target = fs::canonicalize(&node).unwrap_or_else(|_| node.clone());
    let beside = target.parent().and_then(Path::parent).map(|prefix| prefix.join("lib"));
    let beside = beside.filter(|library| library.join("node_modules").is_dir());
    [Some(node), Some(target), beside].into_iter().flatten().collect()
}

#[derive(Deserialize)]
struct PackageManifest {
    name: String,
    version: String,
}

fn packaged_version(target: &Path) -> Option<CliVersion> {
    target.ancestors().skip(1).take(PARENTS_MAX).find_map(|parent| {
        let file = parent.join("package.json");
        let small = fs::metadata(&file).is_ok_and(|found| found.len() <= PACKAGE_BYTES_MAX);
        let text = small.then(|| fs::read(&file).ok()).flatten()?;
        let package: PackageManifest = serde_json::from_slice(&text).ok()?;
        (package.name == PACKAGE).then(|| version_in(&package.version)).flatten()
    })
}

#[cfg(test)]
mod tests;
