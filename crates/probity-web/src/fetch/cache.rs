//! Pages that were fetched before, on disk, so that a server can answer "not modified" instead of sending
//! them again.
//!
//! One file per address, named by its hash, readable by the user only. A file that is truncated, damaged or
//! of another version counts as missing. Files appear by rename, so that two processes and a `kill -9` leave
//! whole ones. Nothing is ever used from here without revalidation by the server.

use std::{
    fs,
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;
use probity_types::{time::Moment, web::MediaKind};
use serde::{Deserialize, Serialize};
use url::Url;

/// All files together. Some thousand pages of usual size.
const BYTES_MAX: u64 = 256 * 1024 * 1024;
const FILES_MAX: usize = 4_096;
/// Written between two scans of the whole folder; the bounds may be exceeded by this much.
const SWEEP_AFTER_BYTES: u64 = 16 * 1024 * 1024;
const SWEEP_AFTER_FILES: usize = 64;
/// What is left after a sweep, in percent, so that the next page does not sweep again.
const LEFT_PERCENT: u64 = 90;
/// An unfinished file older than this has lost its writer.
const UNFINISHED_MAX: Duration = Duration::from_secs(60 * 60);
/// The first line of a file, which says what the rest is.
const HEAD_BYTES_MAX: u64 = 16 * 1024;
/// Larger files were not written by us.
const FILE_BYTES_MAX: u64 = 32 * 1024 * 1024;
const VERSION: u32 = 1;

/// A stored page, with the validators that its server needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CachedPage {
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    pub headers: Vec<(String, String)>,
    pub media: MediaKind,
    pub bytes: Bytes,
}

#[derive(Debug, Clone)]
pub(super) struct PageCache {
    folder: Arc<PathBuf>,
    /// Files and bytes written since the last sweep. Starts full: a new process sweeps at its first page.
    written: Arc<Mutex<(usize, u64)>>,
}

/// The first line of a file.
#[derive(Serialize, Deserialize)]
struct CacheFileHeader {
    version: u32,
    url: String,
    #[serde(default)]
    etag: Option<String>,
    #[serde(default)]
    last_modified: Option<String>,
    headers: Vec<(String, String)>,
    media: MediaKind,
    digest: String,
}

impl PageCache {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder: Arc::new(folder), written: Arc::new(Mutex::new((SWEEP_AFTER_FILES, 0))) }
    }

    pub(super) async fn find(&self, url: &Url, now: Moment) -> Option<CachedPage> {
        let (path, url) = (self.path(url), url.to_string());
        let found = tokio::task::spawn_blocking(move || {
            let stored = read(&path, &url)?;
            // The newest are kept longest. A folder that forbids it only loses its order.
            if let Ok(file) = fs::File::options().append(true).open(&path) {
                file.set_modified(system_time(now)).ok();
            }
            Some(stored)
        });
        found.await.ok().flatten()
    }

    /// A cache that cannot be written costs time, not the page.
    pub(super) async fn store(&self, url: &Url, stored: CachedPage, now: Moment) {
        let (cache, path, url) = (self.clone(), self.path(url), url.to_string());
        let kept = tokio::task::spawn_blocking(move || cache.write(&path, &url, &stored, now));
        match kept.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%error, "page was not cached"),
            Err(error) => tracing::debug!(%error, "page was not cached"),
        }
    }

    fn path(&self, url: &Url) -> PathBuf {
        self.folder.join(blake3::hash(url.as_str().as_bytes()).to_hex().as_str())
    }

    fn write(&self, path: &Path, url: &str, stored: &CachedPage, now: Moment) -> std::io::Result<()> {
        let head = CacheFileHeader {
            version: VERSION,
            url: url.to_owned(),
            etag: stored.etag.clone(),
            last_modified: stored.last_modified.clone(),
            headers: stored.headers.clone(),
            media: stored.media,
            digest: blake3::hash(&stored.bytes).to_hex().to_string(),
        };
        let head = serde_json::to_string(&head)?;
        private_folder(&self.folder)?;
        let unfinished = path.with_extension(format!("{}.tmp", unique()));
        let outcome = (|| {
            let mut file = private_file(&unfinished)?;
            file.write_all(head.as_bytes())?;
            file.write_all(b"\n")?;
            file.write_all(&stored.bytes)?;
            file.set_modified(system_time(now))?;
            fs::rename(&unfinished, path)
        })();
        if outcome.is_err() {
            fs::remove_file(&unfinished).ok();
        }
        if self.is_due(stored.bytes.len() as u64) {
            sweep(&self.folder, now)?;
        }
        outcome
    }

    fn is_due(&self, bytes: u64) -> bool {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        *written = (written.0 + 1, written.1.saturating_add(bytes));
        let due = written.0 > SWEEP_AFTER_FILES || written.1 > SWEEP_AFTER_BYTES;
        if due {
            *written = (0, 0);
        }
        due
    }
}

fn read(path: &Path, url: &str) -> Option<CachedPage> {
    let file = fs::File::open(path).ok()?;
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    let end = bytes.iter().take(HEAD_BYTES_MAX as usize).position(|byte| *byte == b'\n')?;
    let head: CacheFileHeader = serde_json::from_slice(bytes.get(..end)?).ok()?;
    let body = Bytes::from(bytes).slice(end + 1..);
    let whole =
        head.version == VERSION && head.url == url && head.digest == blake3::hash(&body).to_hex().as_str();
    whole.then_some(CachedPage {
        etag: head.etag,
        last_modified: head.last_modified,
        headers: head.headers,
        media: head.media,
        bytes: body,
    })
}

/// Removes the oldest files until the folder is below its bounds, and unfinished ones whose writer is gone.
fn sweep(folder: &Path, now: Moment) -> std::io::Result<()> {
    let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder)?.flatten() {
        let Ok(metadata) = entry.metadata() else { continue };
        let (path, age) = (entry.path(), metadata.modified().unwrap_or(UNIX_EPOCH));
        if !metadata.is_file() {
            continue;
        }
        if path.extension().is_none() {
            files.push((age, metadata.len(), path));
        } else if system_time(now).duration_since(age).is_ok_and(|age| age > UNFINISHED_MAX) {
            fs::remove_file(&path).ok();
        }
    }
    let mut bytes: u64 = files.iter().map(|(_, size, _)| size).sum();
    let mut count = files.len();
    if bytes <= BYTES_MAX && count <= FILES_MAX {
        return Ok(());
    }
    files.sort();
    for (_, size, path) in files {
        if bytes <= BYTES_MAX / 100 * LEFT_PERCENT && (count as u64) <= FILES_MAX as u64 * LEFT_PERCENT / 100
        {
            break;
        }
        // Another process may have been faster.
        fs::remove_file(&path).ok();
        bytes = bytes.saturating_sub(size);
        count = count.saturating_sub(1);
    }
    Ok(())
}

fn system_time(moment: Moment) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(moment.0).unwrap_or(0))
}

/// Differs between processes and between writers within one.
fn unique() -> String {
    static COUNT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    format!("{}-{count}", std::process::id())
}

#[cfg(unix)]
fn private_folder(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(unix)]
fn private_file(path: &Path) -> std::io::Result<fs::File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    fs::File::options().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(not(unix))]
fn private_folder(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)
}

#[cfg(not(unix))]
fn private_file(path: &Path) -> std::io::Result<fs::File> {
    fs::File::options().write(true).create_new(true).open(path)
}

#[cfg(test)]
mod tests;
