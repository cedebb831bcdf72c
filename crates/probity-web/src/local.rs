//! Files of a folder that the user named: listed, ranked for a question, and read. They never leave the machine: this
//! module knows no address and opens no connection.
//!
//! Everything goes through a handle on the folder, so that no name and no link leads out of it.

mod rank;

use std::{io::Read as _, path::Path};

use bytes::Bytes;
use cap_std::{
    ambient_authority,
    fs::{Dir, ReadDir},
};
use probity_types::{
    error::{Code, CodedError},
    time::Moment,
    web::page::{MediaKind, PageRecord, Provenance},
};

pub use self::rank::{RankedText, rank};
use crate::fetch::{PageFetch, sniff};

/// File extensions, and their formats.
const KINDS: [(&str, MediaKind); 8] = [
    ("md", MediaKind::Markdown),
    ("markdown", MediaKind::Markdown),
    ("txt", MediaKind::Text),
    ("text", MediaKind::Text),
    ("html", MediaKind::Html),
    ("htm", MediaKind::Html),
    ("xhtml", MediaKind::Html),
    ("pdf", MediaKind::Pdf),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalLimits {
    pub files: usize,
    /// Entries scanned; a folder with more is a disk, not a collection.
    pub entries: usize,
    pub bytes_each: u64,
    /// Depth of nested folders.
    pub depth: usize,
}

impl Default for LocalLimits {
    fn default() -> Self {
        // A thesis with its sources: hundreds of files; a scanned book has twenty megabytes.
        Self { files: 2_000, entries: 50_000, bytes_each: 32 * 1024 * 1024, depth: 16 }
    }
}

/// A file below the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalFile {
    /// Relative to the folder, with `/`.
    pub name: String,
    /// From its name; reading it may correct this.
    pub media: MediaKind,
    pub bytes: u64,
}

/// What is in a folder, by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FolderListing {
    pub files: Vec<LocalFile>,
    /// Of a kind that is read, but too large, too deep, too many or unreadable.
    pub left_out: u32,
}

#[derive(Debug)]
pub struct LocalFolder {
    directory: Dir,
}

impl LocalFolder {
    pub fn open(path: &Path) -> Result<Self, CodedError> {
        let directory = Dir::open_ambient_dir(path, ambient_authority())
            .map_err(|error| trouble(&path.display().to_string(), &error))?;
        Ok(Self { directory })
    }

    /// All files that can be read. Hidden ones are skipped, and so are folders behind links.
    pub fn files(&self, limits: &LocalLimits) -> Result<FolderListing, CodedError> {
        let mut walk =
            FolderWalk { directory: &self.directory, limits, listing: FolderListing::default(), entries: 0 };
        let entries = self.directory.entries().map_err(|error| trouble("the folder", &error))?;
        walk.folder(entries, "", 0);
        let FolderWalk { mut listing, .. } = walk;
        listing.files.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(listing)
    }

    /// The bytes of a file, as if it were a page. Its address is its name below the folder, nothing more.
    pub fn read(&self, file: &LocalFile, limits: &LocalLimits, now: Moment) -> Result<PageFetch, CodedError> {
        let opened = self.directory.open(&file.name).map_err(|error| trouble(&file.name, &error))?;
        let found = opened.metadata().map_err(|error| trouble(&file.name, &error))?;
        if !found.is_file() {
            return Err(CodedError::new(Code::SourceFolder, &format!("`{}` is not a file", file.name)));
        }
        let mut bytes = Vec::new();
        let taken = opened.take(limits.bytes_each.saturating_add(1)).read_to_end(&mut bytes);
        taken.map_err(|error| trouble(&file.name, &error))?;
        if bytes.len() as u64 > limits.bytes_each {
            let message = format!("`{}` has more than {} bytes", file.name, limits.bytes_each);
            return Err(CodedError::new(Code::PageTooLarge, &message));
        }
        let address = format!("file:{}", file.name);
        let modified = found.modified().ok().and_then(|time| {
            let since = time.into_std().duration_since(std::time::UNIX_EPOCH).ok()?;
            i64::try_from(since.as_millis()).ok()
        });
        let headers = modified.map(|time| ("last-modified".to_owned(), Moment(time).to_string()));
        let record = PageRecord {
            asked_url: address.clone(),
            final_url: address,
            redirects: Vec::new(),
            address: None,
            fetched_at: now,
            status: 200,
            headers: headers.into_iter().collect(),
            media: sniff(&bytes, None, &file.name),
            bytes: bytes.len() as u64,
            provenance: Provenance::LocalFile,
            revalidated: false,
            overridden: false,
        };
        Ok(PageFetch { record, bytes: Bytes::from(bytes) })
    }
}

/// The traversal of a folder. Names are always resolved from the top, inside it.
struct FolderWalk<'a> {
    directory: &'a Dir,
    limits: &'a LocalLimits,
    listing: FolderListing,
    entries: usize,
}

impl FolderWalk<'_> {
    fn folder(&mut self, entries: ReadDir, above: &str, depth: usize) {
        for entry in entries.flatten() {
            self.entries += 1;
            if self.entries > self.limits.entries {
                self.leave_out();
                return;
            }
            let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else { continue };
            if name.starts_with('.') {
                continue;
            }
            let path = if above.is_empty() { name } else { format!("{above}/{name}") };
            if kind.is_dir() {
                self.below(&path, depth + 1);
            } else if kind.is_file() || kind.is_symlink() {
                self.file(path);
            }
        }
    }

    fn below(&mut self, path: &str, depth: usize) {
        match self.directory.read_dir(path) {
            Ok(entries) if depth <= self.limits.depth => self.folder(entries, path, depth),
            Ok(_) | Err(_) => self.leave_out(),
        }
    }

    fn file(&mut self, name: String) {
        let Some(media) = media_of(&name) else { return };
        // Follows a link, unless it leads out.
        let found = self.directory.metadata(&name).ok().filter(|found| found.is_file());
        match found.map(|found| found.len()) {
            Some(bytes)
                if bytes <= self.limits.bytes_each && self.listing.files.len() < self.limits.files =>
            {
                self.listing.files.push(LocalFile { name, media, bytes });
            }
            Some(_) | None => self.leave_out(),
        }
    }

    fn leave_out(&mut self) {
        self.listing.left_out = self.listing.left_out.saturating_add(1);
    }
}

fn media_of(name: &str) -> Option<MediaKind> {
    let (_, ending) = name.rsplit_once('.')?;
    KINDS.iter().find(|(known, _)| ending.eq_ignore_ascii_case(known)).map(|(_, media)| *media)
}

fn trouble(name: &str, error: &std::io::Error) -> CodedError {
    CodedError::new(Code::SourceFolder, &format!("could not read `{name}`: {error}"))
}

#[cfg(test)]
mod tests;
