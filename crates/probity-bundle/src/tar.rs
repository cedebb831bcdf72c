//! A tar archive of one fixed form: plain files, fixed metadata, nothing else. The same entries give the same bytes.
//!
//! Any tar program unpacks it. Reading is stricter than tar: a header must be, byte for byte, the one that would be
//! written for its name and size, so that links, owners, paths and other header fields do not exist here.

use std::collections::BTreeSet;

use crate::error::BundleError;

/// Header and padding unit of the format.
const BLOCK: usize = 512;
/// Offsets of the fields, as the format fixes them.
const NAME: std::ops::Range<usize> = 0..100;
const SIZE: std::ops::Range<usize> = 124..136;
const CHECKSUM: std::ops::Range<usize> = 148..156;

/// Longest name of an entry; `blobs/` and a digest take 70 bytes, a prompt's file name fewer.
pub const NAME_BYTES_MAX: usize = 99;
/// Entries of one bundle: a run of a thousand pages has two for each, and their prompts.
pub const ENTRIES_MAX: usize = 10_000;
/// Largest bundle that is made or read. It is held in memory once; a deep run takes a tenth of it.
pub const BUNDLE_BYTES_MAX: usize = 512 * 1024 * 1024;

/// A file in the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TarEntry<'a> {
    pub name: &'a str,
    pub bytes: &'a [u8],
}

pub fn write(entries: &[TarEntry<'_>]) -> Result<Vec<u8>, BundleError> {
    if entries.len() > ENTRIES_MAX {
        return Err(BundleError::TooMany { what: "entries", limit: ENTRIES_MAX });
    }
    let total = entries.iter().try_fold(2 * BLOCK, |sum: usize, entry| {
        sum.checked_add(BLOCK)?.checked_add(padded(entry.bytes.len())?)
    });
    let total = total.filter(|total| *total <= BUNDLE_BYTES_MAX);
    let total = total.ok_or(BundleError::TooLarge { what: "the bundle", limit: BUNDLE_BYTES_MAX })?;
    let mut archive = Vec::with_capacity(total);
    for entry in entries {
        archive.extend_from_slice(&header(entry.name, entry.bytes.len())?);
        archive.extend_from_slice(entry.bytes);
        archive.resize(archive.len().next_multiple_of(BLOCK), 0);
    }
    archive.resize(archive.len() + 2 * BLOCK, 0);
    Ok(archive)
}

/// The entries in their order. Nothing is copied, so that a hostile archive costs no memory.
pub fn read(archive: &[u8]) -> Result<Vec<TarEntry<'_>>, BundleError> {
    if archive.len() > BUNDLE_BYTES_MAX {
        return Err(BundleError::TooLarge { what: "the bundle", limit: BUNDLE_BYTES_MAX });
    }
    let mut entries = Vec::new();
    let mut names = BTreeSet::new();
    let mut rest = archive;
    loop {
        let (head, behind) = rest.split_at_checked(BLOCK).ok_or(BundleError::CutOff)?;
        if head.iter().all(|byte| *byte == 0) {
            return if behind == [0; BLOCK] { Ok(entries) } else { Err(BundleError::TrailingBytes) };
        }
        let (name, size) = fields(head)?;
        if entries.len() >= ENTRIES_MAX {
            return Err(BundleError::TooMany { what: "entries", limit: ENTRIES_MAX });
        }
        if !names.insert(name) {
            return Err(BundleError::Duplicate(name.to_owned()));
        }
        let (bytes, behind) = behind.split_at_checked(size).ok_or(BundleError::CutOff)?;
        let padding = padded(size).ok_or(BundleError::CutOff)? - size;
        let (filler, behind) = behind.split_at_checked(padding).ok_or(BundleError::CutOff)?;
        if filler.iter().any(|byte| *byte != 0) {
            return Err(BundleError::Form(name.to_owned()));
        }
        entries.push(TarEntry { name, bytes });
        rest = behind;
    }
}

/// Name and size, where the whole header is the one that these two give.
fn fields(head: &[u8]) -> Result<(&str, usize), BundleError> {
    let unreadable = || BundleError::Form("an entry".to_owned());
    let name =
        head.get(NAME).and_then(|field| field.split(|byte| *byte == 0).next()).ok_or_else(unreadable)?;
    let name = std::str::from_utf8(name).map_err(|_| unreadable())?;
    let digits = head.get(SIZE).and_then(|field| field.strip_suffix(&[0])).ok_or_else(unreadable)?;
    let size = std::str::from_utf8(digits).ok().and_then(|digits| usize::from_str_radix(digits, 8).ok());
    let size = size.ok_or_else(unreadable)?;
    if header(name, size)? != *head {
        return Err(BundleError::Form(name.to_owned()));
    }
    Ok((name, size))
}

fn padded(size: usize) -> Option<usize> {
    size.checked_next_multiple_of(BLOCK)
}

/// Lower-case letters, digits, `-`, `_`, single dots and slashes between words: no path out of a folder.
fn is_plain(name: &str) -> bool {
    let word = |word: &str| {
        !word.is_empty()
            && !word.starts_with('.')
            && !word.contains("..")
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
    };
    name.len() <= NAME_BYTES_MAX && name.split('/').all(word)
}

fn header(name: &str, size: usize) -> Result<[u8; BLOCK], BundleError> {
    if !is_plain(name) {
        return Err(BundleError::Name(probity_research::text::line(name, 80)));
    }
    if size > BUNDLE_BYTES_MAX {
        return Err(BundleError::TooLarge { what: "an entry", limit: BUNDLE_BYTES_MAX });
    }
    let mut head = [0; BLOCK];
    put(&mut head, NAME.start, name.as_bytes());
    put(&mut head, 100, b"0000644\0");
    put(&mut head, 108, b"0000000\0");
    put(&mut head, 116, b"0000000\0");
    put(&mut head, SIZE.start, format!("{size:011o}\0").as_bytes());
    put(&mut head, 136, b"00000000000\0");
    put(&mut head, CHECKSUM.start, b"        ");
    put(&mut head, 156, b"0");
    put(&mut head, 257, b"ustar\x0000");
    let sum: u32 = head.iter().copied().map(u32::from).sum();
    put(&mut head, CHECKSUM.start, format!("{sum:06o}\0 ").as_bytes());
    Ok(head)
}

fn put(head: &mut [u8; BLOCK], at: usize, field: &[u8]) {
    for (slot, byte) in head.iter_mut().skip(at).zip(field) {
        *slot = *byte;
    }
}

#[cfg(test)]
mod tests;
