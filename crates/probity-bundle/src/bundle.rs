//! A bundle that was read: every byte of it is listed in a manifest that is signed.
//!
//! Does not check yet whether its contents agree with each other; that is `verify`.

use std::collections::BTreeMap;

use probity_research::{Digest, Event, StoredEvent};

use crate::{
    error::BundleError,
    journal::{self, JOURNAL},
    manifest::{MANIFEST, Manifest, digest},
    signature::{self, PublicKey, SIGNATURE},
    tar::{self, TarEntry},
};

pub const README: &str = "README.md";
pub const BLOBS: &str = "blobs/";
pub const PROMPTS: &str = "prompts/";

#[derive(Debug)]
pub struct Bundle<'a> {
    pub manifest: Manifest,
    pub signed_by: PublicKey,
    pub journal: Vec<StoredEvent>,
    pub blobs: BTreeMap<Digest, &'a [u8]>,
}

/// How a run ended, as its journal says.
#[derive(Debug, Clone, Copy)]
pub struct JournalEnd<'a> {
    /// Place in the journal.
    pub place: usize,
    pub event: &'a Event,
    pub report: Option<Digest>,
}

impl<'a> Bundle<'a> {
    /// Refuses whatever is not, byte for byte, a bundle as this format writes it.
    pub fn read(bytes: &'a [u8]) -> Result<Self, BundleError> {
        let entries = tar::read(bytes)?;
        let (manifest_entry, rest) = first(&entries, MANIFEST)?;
        let (signature_entry, rest) = first(rest, SIGNATURE)?;
        let manifest = Manifest::decode(manifest_entry.bytes)?;
        let signed_by = signature::check(signature_entry.bytes, manifest_entry.bytes)?;
        manifest.check(rest)?;
        let (_, rest) = first(rest, README)?;
        let (journal_entry, rest) = first(rest, JOURNAL)?;
        let mut blobs = BTreeMap::new();
        let mut before = "";
        for entry in rest {
            if entry.name <= before {
                return Err(BundleError::Form(entry.name.to_owned()));
            }
            before = entry.name;
            if let Some(named) = blob(entry)? {
                blobs.insert(named, entry.bytes);
            }
        }
        Ok(Self { manifest, signed_by, journal: journal::decode(journal_entry.bytes)?, blobs })
    }

    /// The last end; a run that was resumed after its end has several.
    pub fn end(&self) -> Option<JournalEnd<'_>> {
        journal_end(&self.journal)
    }

    /// The final report as it is stored.
    pub fn report(&self) -> Option<&'a [u8]> {
        self.blobs.get(&self.end()?.report?).copied()
    }
}

pub fn journal_end(journal: &[StoredEvent]) -> Option<JournalEnd<'_>> {
    journal.iter().enumerate().rev().find_map(|(place, recorded)| match &recorded.event {
        event @ Event::Ended { report, .. } => Some(JournalEnd { place, event, report: *report }),
        _ => None,
    })
}

fn first<'b, 'a>(
    entries: &'b [TarEntry<'a>],
    name: &'static str,
) -> Result<(&'b TarEntry<'a>, &'b [TarEntry<'a>]), BundleError> {
    match entries.split_first() {
        Some((entry, rest)) if entry.name == name => Ok((entry, rest)),
        _ => Err(BundleError::Missing(name)),
    }
}

/// The digest of a blob; none for a prompt. Anything else does not belong here.
fn blob(entry: &TarEntry<'_>) -> Result<Option<Digest>, BundleError> {
    let unknown = || BundleError::Name(entry.name.to_owned());
    if let Some(name) = entry.name.strip_prefix(PROMPTS) {
        let plain = name.ends_with(".md") && !name.contains('/');
        return if plain { Ok(None) } else { Err(unknown()) };
    }
    let name = entry.name.strip_prefix(BLOBS).ok_or_else(unknown)?;
    let found = digest(entry.bytes);
    if found.to_string() == name {
        Ok(Some(found))
    } else {
        Err(BundleError::Misnamed(entry.name.to_owned()))
    }
}
