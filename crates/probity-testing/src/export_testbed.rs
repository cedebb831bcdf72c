//! The promise of an export as a check that can be run at any size: by tests, by fuzzing, by the figures.
//!
//! "Inside the root, whole, and nothing else on disk changed." Looks at the disk itself and shares no code
//! with what it judges.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

/// Folders that tried to get out of other programs.
pub const HOSTILE_FOLDERS: &[&str] = &[
    "",
    ".",
    "./",
    "/",
    "//",
    "..",
    "../",
    "../outside",
    "../../outside",
    "a/../../outside",
    "a/./../..",
    "..\\outside",
    "....//outside",
    "..;/outside",
    "%2e%2e/outside",
    "%2e%2e%2foutside",
    "..%2foutside",
    "..%c0%afoutside",
    "‥/outside",
    "․․/outside",
    "．．/outside",
    "..\u{2215}outside",
    "..\u{ff0f}outside",
    "~",
    "~/x",
    "~root/x",
    "$HOME/x",
    "${HOME}",
    "`id`",
    "$(id)",
    "/etc",
    "/tmp",
    "/proc/self/cwd",
    "/dev/fd/1",
    "//server/share",
    "\\\\server\\share",
    "C:\\x",
    "C:/x",
    "C:",
    "file:///tmp",
    "leaves",
    "leaves/x",
    "leaves_absolute",
    "leaves_absolute/x",
    "leaves_twice",
    "circle",
    "circle/x",
    "dangling",
    "dangling/x",
    "stays",
    "stays/x",
    "occupied",
    "occupied/x",
    "a\0b",
    "\0",
    "a\nb",
    "a\rb",
    "\u{1b}[2J",
    "\u{202e}fdp",
    "a\u{200b}b",
    "CON",
    "nul",
    "aux.txt",
    "COM1",
    "LPT9.md",
    "com¹",
    "trailing.",
    "trailing ",
    " leading",
    "a/ /b",
    "a//b",
    "-rf",
    "--help",
    ".hidden",
    ".git/hooks",
    "a*b",
    "a?b",
    "a|b",
    "a;b",
    "a&b",
    "a>b",
    "é",
    "漢字",
    "🜁",
];

/// The same for the beginnings of file names.
pub const HOSTILE_PREFIXES: &[&str] = &[
    "research",
    "",
    ".",
    "..",
    "../x",
    "/x",
    "x/y",
    "x\\y",
    "-x",
    "--",
    ".x",
    "x.",
    "x..y",
    "x\0y",
    "x\ny",
    "CON",
    "nul.txt",
    "lpt1",
    "~",
    "%2e%2e%2f",
    "$(id)",
    "`id`",
    "a b",
    "é",
    "x:y",
    "x*",
    "a'b",
    "a\"b",
    "_",
    "a-b_c.d",
    "\u{202e}",
    "leaves",
    ".probity-1-0.unfinished",
];

/// Saves a report below this root, in this folder, with a name that begins so; tells where, if it was written.
pub type SaveReport =
    fn(root: &Path, output_dir: &str, filename_prefix: &str, markdown: &[u8]) -> Option<PathBuf>;

const MARKDOWN: &[u8] = b"# A report\n";
const WITNESS: &[u8] = b"must stay as it is";

/// A root with traps in it, and things outside that must not change.
#[derive(Debug)]
pub struct ExportTestbed {
    area: PathBuf,
    save: SaveReport,
    resting: BTreeMap<PathBuf, PathEntry>,
}

/// What a path is, without following it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PathEntry {
    Directory,
    Link(PathBuf),
    File(Vec<u8>),
}

impl ExportTestbed {
    /// Builds it in an empty directory of the caller's.
    pub fn new(directory: &Path, save: SaveReport) -> io::Result<Self> {
        let area = directory.canonicalize()?;
        let (root, outside) = (area.join("root"), area.join("outside"));
        for folder in [root.join("stays_here"), outside.clone()] {
            fs::create_dir_all(folder)?;
        }
        fs::write(outside.join("witness.md"), WITNESS)?;
        fs::write(root.join("occupied"), WITNESS)?;
        for (name, target) in [
            ("leaves", Path::new("../outside")),
            ("leaves_absolute", outside.as_path()),
            ("leaves_twice", Path::new("leaves")),
            ("circle", Path::new("circle")),
            ("dangling", Path::new("../nothing/there")),
            ("stays", Path::new("stays_here")),
        ] {
            link(target, &root.join(name))?;
        }
        let resting = listing(&area)?;
        Ok(Self { save, resting, area })
    }

    pub fn root(&self) -> PathBuf {
        self.area.join("root")
    }

    pub fn outside(&self) -> PathBuf {
        self.area.join("outside")
    }

    /// One export. `Ok` says whether a file was written; `Err` says which promise was broken.
    pub fn check(&self, output_dir: &str, filename_prefix: &str) -> Result<bool, String> {
        let saved = (self.save)(&self.root(), output_dir, filename_prefix, MARKDOWN);
        let now = listing(&self.area).map_err(|error| format!("the area cannot be read: {error}"))?;
        let judged = self.check_promises(&now, saved.as_deref());
        self.tidy(&now).map_err(|error| format!("the area cannot be tidied: {error}"))?;
        judged
            .map(|()| saved.is_some())
            .map_err(|broken| format!("{broken} ({output_dir:?}, {filename_prefix:?})"))
    }

    fn check_promises(&self, now: &BTreeMap<PathBuf, PathEntry>, told: Option<&Path>) -> Result<(), String> {
        let root = self.root();
        for (path, kind) in &self.resting {
            if now.get(path) != Some(kind) {
                return Err(format!("{} changed", path.display()));
            }
        }
        let mut files = Vec::new();
        for (path, kind) in now.iter().filter(|(path, _)| !self.resting.contains_key(*path)) {
            match kind {
                _ if !path.starts_with(&root) => return Err(format!("{} is outside", path.display())),
                PathEntry::Directory => {}
                PathEntry::File(bytes) if bytes == MARKDOWN => files.push(path.clone()),
                PathEntry::File(_) | PathEntry::Link(_) => {
                    return Err(format!("{} was left behind", path.display()));
                }
            }
        }
        let real =
            told.map(|told| told.canonicalize().map_err(|error| format!("{}: {error}", told.display())));
        let expected: Vec<PathBuf> = real.transpose()?.into_iter().collect();
        if files == expected { Ok(()) } else { Err(format!("told {expected:?}, found {files:?}")) }
    }

    /// Back to what it was, so that cases do not lean on each other.
    fn tidy(&self, now: &BTreeMap<PathBuf, PathEntry>) -> io::Result<()> {
        for (path, kind) in now.iter().rev().filter(|(path, _)| !self.resting.contains_key(*path)) {
            if *kind == PathEntry::Directory { fs::remove_dir(path)? } else { fs::remove_file(path)? }
        }
        Ok(())
    }
}

/// Everything below `area`, links not followed.
fn listing(area: &Path) -> io::Result<BTreeMap<PathBuf, PathEntry>> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![area.to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(directory)? {
            let path = entry?.path();
            let about = path.symlink_metadata()?;
            let kind = if about.is_dir() {
                waiting.push(path.clone());
                PathEntry::Directory
            } else if about.is_symlink() {
                PathEntry::Link(path.read_link()?)
            } else {
                PathEntry::File(fs::read(&path)?)
            };
            found.insert(path, kind);
        }
    }
    Ok(found)
}

#[cfg(unix)]
fn link(target: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, at)
}

#[cfg(not(unix))]
fn link(_target: &Path, _at: &Path) -> io::Result<()> {
    Ok(())
}
