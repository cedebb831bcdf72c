//! The few files of an archive that a document needs. Knows stored and deflated entries; nothing is written anywhere.
//!
//! Everything is bounded: an archive that unpacks to much more than its size is a bomb, not a document.

use std::io::Read as _;

use probity_types::CodedError;

use super::unreadable;

/// Entries read. A document with pictures has some hundreds.
const ENTRIES_MAX: usize = 10_000;
/// What one file may unpack to: a book's text with all its markup has a tenth of it.
const UNPACKED_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// How many times larger than packed a file may be, beyond a first megabyte; text packs to a twentieth at best.
const RATIO_MAX: u64 = 200;
const FREE_BYTES: u64 = 1024 * 1024;

/// An archive whose list of entries was read.
#[derive(Debug)]
pub struct ZipArchive<'a> {
    bytes: &'a [u8],
    entries: Vec<ZipEntry>,
}

#[derive(Debug)]
struct ZipEntry {
    name: String,
    method: u16,
    packed: usize,
    at: usize,
}

impl<'a> ZipArchive<'a> {
    pub fn open(bytes: &'a [u8]) -> Result<Self, CodedError> {
        let end = end_record(bytes).ok_or_else(|| unreadable("the archive has no list of its files"))?;
        let count = usize::from(u16_at(bytes, end + 10).unwrap_or(0)).min(ENTRIES_MAX);
        let mut at = u32_at(bytes, end + 16).unwrap_or(u32::MAX) as usize;
        let mut entries = Vec::new();
        for _ in 0..count {
            let Some(entry) = entry(bytes, &mut at) else { break };
            entries.push(entry);
        }
        Ok(Self { bytes, entries })
    }

    /// The text of a file; nothing if it is not there.
    pub fn text(&self, name: &str) -> Result<Option<String>, CodedError> {
        let Some(entry) = self.entries.iter().find(|entry| entry.name == name) else { return Ok(None) };
        let data = self.data(entry).ok_or_else(|| unreadable("the archive is cut short"))?;
        let bytes = match entry.method {
            0 => data.to_vec(),
            8 => inflate(data)?,
            _ => return Err(unreadable("the archive is packed in a way that is not read")),
        };
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// The packed bytes after the entry's own header, whose length only it knows.
    fn data(&self, entry: &ZipEntry) -> Option<&'a [u8]> {
        let head = self.bytes.get(entry.at..)?;
        head.starts_with(b"PK\x03\x04").then_some(())?;
        let start = 30 + usize::from(u16_at(head, 26)?) + usize::from(u16_at(head, 28)?);
        head.get(start..start.checked_add(entry.packed)?)
    }
}

fn inflate(data: &[u8]) -> Result<Vec<u8>, CodedError> {
    let bytes_max = (FREE_BYTES + RATIO_MAX * data.len() as u64).min(UNPACKED_BYTES_MAX);
    let mut bytes = Vec::new();
    flate2::read::DeflateDecoder::new(data)
        .take(bytes_max + 1)
        .read_to_end(&mut bytes)
        .map_err(|_| unreadable("the archive is damaged"))?;
    if bytes.len() as u64 > bytes_max {
        Err(unreadable("the archive unpacks to too much"))
    } else {
        Ok(bytes)
    }
}

/// Where the last record begins: at the very end, before a comment of at most 64 KiB.
fn end_record(bytes: &[u8]) -> Option<usize> {
    const RECORD_BYTES: usize = 22;
    let last = bytes.len().checked_sub(RECORD_BYTES)?;
    let first = last.saturating_sub(usize::from(u16::MAX));
    (first..=last).rev().find(|at| bytes.get(*at..).is_some_and(|rest| rest.starts_with(b"PK\x05\x06")))
}

fn entry(bytes: &[u8], at: &mut usize) -> Option<ZipEntry> {
    let head = bytes.get(*at..)?;
    head.starts_with(b"PK\x01\x02").then_some(())?;
    let lengths = [u16_at(head, 28)?, u16_at(head, 30)?, u16_at(head, 32)?].map(usize::from);
    let [name_bytes, extra_bytes, comment_bytes] = lengths;
    let name = String::from_utf8_lossy(head.get(46..46 + name_bytes)?).into_owned();
    let found = ZipEntry {
        name,
        method: u16_at(head, 10)?,
        packed: u32_at(head, 20)? as usize,
        at: u32_at(head, 42)? as usize,
    };
    *at += 46 + name_bytes + extra_bytes + comment_bytes;
    Some(found)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}
