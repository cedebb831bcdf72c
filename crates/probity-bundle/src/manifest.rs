//! The list of everything in a bundle: names, sizes, hashes. Its bytes are what is signed.

use probity_research::{Digest, RunId};
use serde::{Deserialize, Serialize};

use crate::{error::BundleError, tar::TarEntry};

pub const FORMAT: &str = "probity-bundle";
pub const FORMAT_VERSION: u32 = 1;
/// Longest manifest that is read: the most entries at their longest.
const MANIFEST_BYTES_MAX: usize = 4 * 1024 * 1024;

pub const MANIFEST: &str = "manifest.json";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub format: String,
    pub version: u32,
    pub research: RunId,
    /// Version of the program that made it. Another one may extract, check and conclude differently.
    pub program: String,
    /// Version of the rules that split and checked the report; none if it was not checked.
    pub checker: Option<String>,
    pub entries: Vec<ManifestEntry>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestEntry {
    pub name: String,
    pub bytes: usize,
    pub blake3: Digest,
}

impl ManifestEntry {
    pub fn of(entry: &TarEntry<'_>) -> Self {
        Self { name: entry.name.to_owned(), bytes: entry.bytes.len(), blake3: digest(entry.bytes) }
    }
}

impl Manifest {
    pub fn encode(&self) -> Vec<u8> {
        lines(self)
    }

    /// Reads what `encode` writes and nothing else, so that two readers cannot see two manifests in one.
    pub fn decode(bytes: &[u8]) -> Result<Self, BundleError> {
        let manifest: Self = decode(bytes, MANIFEST, MANIFEST_BYTES_MAX)?;
        if manifest.format != FORMAT {
            return Err(BundleError::Format(probity_research::text::line(&manifest.format, 80)));
        }
        match manifest.version {
            FORMAT_VERSION if manifest.encode() == bytes => Ok(manifest),
            FORMAT_VERSION => Err(BundleError::NotCanonical(MANIFEST)),
            found => Err(BundleError::Newer { found, known: FORMAT_VERSION }),
        }
    }

    /// Exactly these entries, in this order, with these bytes.
    pub fn check(&self, entries: &[TarEntry<'_>]) -> Result<(), BundleError> {
        for (place, entry) in entries.iter().enumerate() {
            match self.entries.get(place) {
                Some(listed) if listed.name != entry.name => {
                    return Err(BundleError::NotListed(entry.name.to_owned()));
                }
                Some(listed) if *listed == ManifestEntry::of(entry) => {}
                Some(_) => return Err(BundleError::Changed(entry.name.to_owned())),
                None => return Err(BundleError::NotListed(entry.name.to_owned())),
            }
        }
        match self.entries.get(entries.len()) {
            Some(absent) => Err(BundleError::NotListed(probity_research::text::line(&absent.name, 80))),
            None => Ok(()),
        }
    }
}

pub fn digest(bytes: &[u8]) -> Digest {
    Digest(*blake3::hash(bytes).as_bytes())
}

/// JSON that people can read, ended by a line break. Plain data: encoding it cannot fail short of memory.
pub fn lines(document: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(document).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

pub fn decode<T: for<'a> Deserialize<'a>>(
    bytes: &[u8],
    name: &'static str,
    limit: usize,
) -> Result<T, BundleError> {
    if bytes.len() > limit {
        return Err(BundleError::TooLarge { what: name, limit });
    }
    serde_json::from_slice(bytes).map_err(|_| BundleError::Unreadable(name))
}
