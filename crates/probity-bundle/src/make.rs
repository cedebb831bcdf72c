//! Makes a bundle of one finished run. The same run, key and program give the same bytes.

use std::collections::BTreeMap;

use probity_research::{Digest, RunId, StoredEvent, report::Report};

use crate::{
    bundle::{BLOBS, PROMPTS, README, journal_end},
    error::BundleError,
    journal::{self, JOURNAL},
    manifest::{FORMAT, FORMAT_VERSION, MANIFEST, Manifest, ManifestEntry},
    readme,
    signature::{SIGNATURE, SigningKey},
    tar::{self, TarEntry},
};

/// Everything that goes into a bundle.
#[derive(Debug, Clone, Copy)]
pub struct BundleParts<'a> {
    pub research: RunId,
    pub journal: &'a [StoredEvent],
    /// As `BlobCollector` asked for them.
    pub blobs: &'a BTreeMap<Digest, Vec<u8>>,
    /// Texts of the prompts, by file name.
    pub prompts: &'a BTreeMap<String, String>,
    pub program: &'a str,
}

impl BundleParts<'_> {
    pub fn report(&self) -> Option<Report> {
        let digest = journal_end(self.journal)?.report?;
        Report::decode(self.blobs.get(&digest)?).ok()
    }
}

pub fn make_bundle(parts: &BundleParts<'_>, key: &SigningKey) -> Result<Vec<u8>, BundleError> {
    let journal = journal::encode(parts.journal)?;
    let report = parts.report();
    let readme = readme::text(parts, report.as_ref(), &key.public());
    let blobs: Vec<(String, &[u8])> =
        parts.blobs.iter().map(|(digest, bytes)| (format!("{BLOBS}{digest}"), bytes.as_slice())).collect();
    let prompts: Vec<(String, &[u8])> =
        parts.prompts.iter().map(|(name, text)| (format!("{PROMPTS}{name}"), text.as_bytes())).collect();
    let mut entries = vec![
        TarEntry { name: README, bytes: readme.as_bytes() },
        TarEntry { name: JOURNAL, bytes: &journal },
    ];
    entries.extend(blobs.iter().chain(&prompts).map(|(name, bytes)| TarEntry { name, bytes }));
    let manifest = Manifest {
        format: FORMAT.to_owned(),
        version: FORMAT_VERSION,
        research: parts.research,
        program: parts.program.to_owned(),
        checker: report.and_then(|report| report.ledger).map(|ledger| ledger.checker),
        entries: entries.iter().map(ManifestEntry::of).collect(),
    };
    let manifest = manifest.encode();
    let signature = key.sign(&manifest);
    let head =
        [TarEntry { name: MANIFEST, bytes: &manifest }, TarEntry { name: SIGNATURE, bytes: &signature }];
    tar::write(&[head.as_slice(), &entries].concat())
}
