//! Access to our own files: private modes, and writes that are complete or absent after a power cut.
//!
//! Never opens the database itself: closing a second handle would drop SQLite's own locks.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use probity_research::{
    error::CodedError,
    id::{OwnerId, RunId},
};

use crate::error::Error;

/// Creates a directory that only its owner may enter, or tightens one that is there.
pub fn private_directory(path: &Path) -> Result<(), Error> {
    create_directory(path).map_err(|source| Error::file("create the directory", path, source))?;
    if let Err(error) = tighten(path, 0o700) {
        tracing::warn!(path = %path.display(), %error, "others may be able to enter the data directory");
    }
    Ok(())
}

/// Creates a directory without changing one that is there: it may be the user's own.
pub fn make_directory(path: &Path) -> Result<(), Error> {
    create_directory(path).map_err(|source| Error::file("create the directory", path, source))
}

/// A new file that only its owner may read; fails if the name is taken, symlinks included.
pub fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).read(true).create_new(true);
    with_mode(&mut options);
    let file = options.open(path)?;
    tighten(path, 0o600)?;
    Ok(file)
}

/// Opens for reading and writing, and creates it private if it is not there.
pub fn private_file_kept(path: &Path) -> io::Result<File> {
    match private_file(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            OpenOptions::new().read(true).write(true).open(path)
        }
        other => other,
    }
}

/// Opens the file of a lock in a private directory, which is created where it is not there.
pub fn lock_file(directory: &Path, path: &Path) -> Result<File, Error> {
    private_directory(directory)?;
    private_file_kept(path).map_err(|source| Error::file("open", path, source))
}

/// Writes `bytes` to `unfinished`, syncs, renames to `target`, syncs the directory.
pub fn write_whole(target: &Path, unfinished: &Path, bytes: &[u8]) -> Result<(), Error> {
    let written = (|| {
        let mut file = private_file(unfinished)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(unfinished, target)
    })();
    if let Err(source) = written {
        remove(unfinished);
        return Err(Error::file("write", target, source));
    }
    sync_directory_of(target)
}

/// A report that its journal cannot take, as a plain file; the path of it.
pub fn rescue(directory: &Path, id: RunId, owner: OwnerId, markdown: &str) -> Result<String, CodedError> {
    let path = rescue_path(directory, id);
    let unfinished = directory.join(format!(".probity-rescue-{id}.{owner}"));
    make_directory(directory)
        .and_then(|()| write_whole(&path, &unfinished, markdown.as_bytes()))
        .map_err(|error| error.problem(&path, markdown.len()))?;
    Ok(path.display().to_string())
}

pub fn rescue_path(directory: &Path, id: RunId) -> PathBuf {
    directory.join(format!("probity-rescue-{id}.md"))
}

/// Makes names in the directory of `path` durable.
pub fn sync_directory_of(path: &Path) -> Result<(), Error> {
    let directory = path.parent().unwrap_or(path);
    if cfg!(unix) {
        File::open(directory)
            .and_then(|opened| opened.sync_all())
            .map_err(|source| Error::file("sync the directory", directory, source))?;
    }
    Ok(())
}

pub fn read(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::file("read", path, source)),
    }
}

/// Length in bytes, or `None` if there is no such file.
pub fn length(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().map(|data| data.len())
}

/// Which file has this name now: device and number of the file. `None` where the system does not tell.
#[cfg(unix)]
pub fn identity(path: &Path) -> io::Result<Option<(u64, u64)>> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).map(|found| Some((found.dev(), found.ino())))
}

#[cfg(not(unix))]
pub fn identity(path: &Path) -> io::Result<Option<(u64, u64)>> {
    fs::metadata(path).map(|_| None)
}

/// Why the files of a store cannot be written, as the system says of the database's directory and of the mark beside
/// it; the database itself is only looked at.
pub fn access_error(database: &Path) -> Option<io::Error> {
    let mark = database.with_file_name(crate::layout::MARK);
    match fs::metadata(database).and_then(|_| OpenOptions::new().write(true).open(mark)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Some(error),
        Ok(_) | Err(_) => None,
    }
}

/// Names of the files in a directory; a directory that is not there has none.
pub fn names(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Removes what is no longer needed; a failure is worth a log line, not an error.
pub fn remove(path: &Path) {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(path = %path.display(), %error, "could not remove a file");
        }
        _ => {}
    }
}

pub fn rename(from: &Path, to: &Path) -> Result<(), Error> {
    fs::rename(from, to).map_err(|source| Error::file("rename", from, source))
}

/// Replaces the first bytes of an open file in one write.
pub fn write_start(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    file.write_all(bytes)
}

/// Refuses a directory that belongs to another user, who could swap files under us.
#[cfg(unix)]
pub fn refuse_foreign(directory: &Path, ours: &File) -> Result<(), Error> {
    use std::os::unix::fs::MetadataExt;
    let failed = |source| Error::file("look at", directory, source);
    let owner = fs::metadata(directory).map_err(failed)?.uid();
    let me = ours.metadata().map_err(failed)?.uid();
    if owner != me && owner != 0 && me != 0 {
        let source = io::Error::new(io::ErrorKind::PermissionDenied, "it belongs to another user");
        return Err(Error::file("use the directory", directory, source));
    }
    Ok(())
}

#[cfg(not(unix))]
pub fn refuse_foreign(_directory: &Path, _ours: &File) -> Result<(), Error> {
    Ok(())
}

#[cfg(unix)]
fn create_directory(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(not(unix))]
fn create_directory(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

#[cfg(unix)]
fn with_mode(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600);
}

#[cfg(not(unix))]
fn with_mode(_options: &mut OpenOptions) {}

/// The mode of a file that others than its owner may use in any way; `None` for a private one.
#[cfg(unix)]
pub fn mode_for_others(path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path).ok()?.permissions().mode() & 0o777;
    (mode & 0o077 != 0).then_some(mode)
}

#[cfg(not(unix))]
pub fn mode_for_others(_path: &Path) -> Option<u32> {
    None
}

/// By path, because the database must not be opened here.
#[cfg(unix)]
pub fn tighten(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let found = fs::metadata(path)?.permissions().mode() & 0o777;
    if found == mode {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
pub fn tighten(_path: &Path, _mode: u32) -> io::Result<()> {
    Ok(())
}
