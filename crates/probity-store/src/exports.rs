//! Reports written as files where the user wants them, and nowhere else: below the configured roots.
//!
//! The operating system keeps the promise, not the check of the text: every step is taken relative to an open
//! directory that cannot be left, whatever is swapped in between. Never overwrites, never leaves half a file.

mod copies;
mod names;

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use cap_std::{
    ambient_authority,
    fs::{Dir, DirBuilder, File, OpenOptions},
};
use probity_research::{
    RunId,
    error::{Code, CodedError},
    time::Moment,
};

use crate::files;

pub use names::{checked_folder, checked_prefix};

/// Files of one run in one second before the next is refused.
const SAME_NAME_MAX: u32 = 100;
/// Tries to find a name for the unfinished file; more than one is needed only after a crash.
const UNFINISHED_TRIES_MAX: u32 = 8;

/// The directories below which reports may be written. The first is where relative folders lie.
#[derive(Debug, Clone)]
pub struct ReportExporter {
    roots: Vec<PathBuf>,
}

/// One file that a client asked for.
#[derive(Debug, Clone, Copy)]
pub struct FileExportRequest<'a> {
    /// Relative to the first root, or absolute and inside one of them.
    pub output_dir: &'a str,
    pub filename_prefix: &'a str,
    pub id: RunId,
    pub at: Moment,
    pub markdown: &'a [u8],
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedFile {
    pub path: PathBuf,
    pub filename: String,
    pub bytes: u64,
}

impl ReportExporter {
    pub fn new(roots: Vec<PathBuf>) -> Self {
        Self { roots }
    }

    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// Writes `{output_dir}/{YYYY-MM}/{prefix}_{task_id}_{YYYYMMDD_HHMMSS}.md`, whole or not at all, and makes
    /// it durable. A name that is taken gets `-2`, `-3` and so on.
    pub fn save(&self, wanted: &FileExportRequest<'_>) -> Result<ExportedFile, CodedError> {
        let prefix = checked_prefix(wanted.filename_prefix)?;
        let (root, below) = self.resolve_folder(wanted.output_dir)?;
        let (month, second) = names::stamps(wanted.at)?;
        let folder = below.join(month);
        let shown = root.join(&folder);
        files::make_directory(root).map_err(|error| error.problem(root, wanted.markdown.len()))?;
        let failed = |error: io::Error| problem(&shown, wanted.markdown.len(), &error);
        let opened = Dir::open_ambient_dir(root, ambient_authority()).map_err(failed)?;
        let directory = descend(&opened, &folder).map_err(failed)?;
        let name = format!("{prefix}_{}_{second}", wanted.id);
        let filename = write(&directory, &name, wanted.markdown).map_err(failed)?;
        let bytes = u64::try_from(wanted.markdown.len()).unwrap_or(u64::MAX);
        Ok(ExportedFile { path: shown.join(&filename), filename, bytes })
    }

    /// The root and the folder below it.
    fn resolve_folder(&self, output_dir: &str) -> Result<(&Path, PathBuf), CodedError> {
        let path = Path::new(output_dir);
        if !path.is_absolute() {
            let first =
                self.roots.first().ok_or_else(|| names::refused("no directory for reports is configured"))?;
            return Ok((first, checked_folder(output_dir)?));
        }
        for root in &self.roots {
            // The user may name a root by its real path, or by the path that the settings have.
            let real = root.canonicalize().ok();
            let inside = [Some(root), real.as_ref()]
                .into_iter()
                .flatten()
                .find_map(|root| path.strip_prefix(root).ok());
            if let Some(inside) = inside {
                return Ok((root, checked_folder(&inside.to_string_lossy())?));
            }
        }
        let roots: Vec<String> = self.roots.iter().map(|root| format!("`{}`", root.display())).collect();
        Err(names::refused(&format!(
            "`{output_dir}` is outside the directories for reports: {}",
            roots.join(", ")
        )))
    }
}

/// Opens `folder` below `root`, making what is missing. The names of new directories are durable.
fn descend(root: &Dir, folder: &Path) -> io::Result<Dir> {
    let mut reached = PathBuf::new();
    for part in folder.components() {
        let parent = reached.clone();
        reached.push(part);
        match root.create_dir_with(&reached, &private_directory()) {
            Ok(()) => sync(root, &parent)?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    root.open_dir(folder)
}

/// The file appears under its name with all its bytes, or it does not appear.
fn write(directory: &Dir, name: &str, bytes: &[u8]) -> io::Result<String> {
    let (unfinished, mut file) = unfinished(directory)?;
    let written = (|| {
        file.write_all(bytes)?;
        file.sync_all()?;
        publish(directory, &unfinished, name)
    })();
    // After a rename there is nothing left under the first name.
    if let Err(error) = directory.remove_file(&unfinished)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(name = unfinished, %error, "could not remove an unfinished file");
    }
    let filename = written?;
    sync(directory, Path::new(""))?;
    Ok(filename)
}

/// A new file that no other process has open: never through a link, never one that is there.
fn unfinished(directory: &Dir) -> io::Result<(String, File)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut tries = 0;
    loop {
        tries += 1;
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!(".probity-{}-{count}.unfinished", std::process::id());
        match directory.open_with(&name, &private_file()) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < UNFINISHED_TRIES_MAX => {}
            opened => return opened.map(|file| (name, file)),
        }
    }
}

/// Gives the finished file the first free name.
fn publish(directory: &Dir, unfinished: &str, name: &str) -> io::Result<String> {
    for number in 1..=SAME_NAME_MAX {
        let filename = if number == 1 { format!("{name}.md") } else { format!("{name}-{number}.md") };
        match give_name(directory, unfinished, &filename) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            given => return given.map(|()| filename),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "too many files of this name"))
}

/// A second name for a file fails if that name is taken; a rename would overwrite. File systems that know only
/// one name per file get the name reserved first.
fn give_name(directory: &Dir, unfinished: &str, filename: &str) -> io::Result<()> {
    match directory.hard_link(unfinished, directory, filename) {
        Err(error) if names_are_single(&error) => {
            directory.open_with(filename, &private_file())?;
            let renamed = directory.rename(unfinished, directory, filename);
            if renamed.is_err() {
                directory.remove_file(filename)?;
            }
            renamed
        }
        given => given,
    }
}

fn names_are_single(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied)
}

/// Makes the names in a directory durable. The handles themselves are only good for finding the way.
fn sync(from: &Dir, path: &Path) -> io::Result<()> {
    if cfg!(unix) { from.open(Path::new(".").join(path))?.sync_all() } else { Ok(()) }
}

fn private_directory() -> DirBuilder {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    {
        use cap_std::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.recursive(false);
    builder
}

fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options
}

fn problem(shown: &Path, bytes: usize, error: &io::Error) -> CodedError {
    let place = shown.display();
    let (code, message) = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            (Code::StoreFull, format!("no room for {bytes} bytes in `{place}`"))
        }
        // The system has a number for what it refuses; this refusal is ours.
        io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
            (Code::OutputPath, format!("a link leads from `{place}` out of the directory for reports"))
        }
        io::ErrorKind::PermissionDenied
        | io::ErrorKind::ReadOnlyFilesystem
        | io::ErrorKind::NotADirectory
        | io::ErrorKind::InvalidFilename
        | io::ErrorKind::AlreadyExists => (Code::OutputPath, format!("`{place}` cannot be written: {error}")),
        _ => (Code::StoreFailed, format!("`{place}` could not be written: {error}")),
    };
    CodedError::new(code, &message)
}

#[cfg(test)]
mod tests;
