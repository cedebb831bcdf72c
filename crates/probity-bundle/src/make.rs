//! Makes a bundle of one finished research. The same research, key and program give the same bytes.

use std::collections::BTreeMap;

use probity_research::{Digest, Recorded, ResearchId, report::Report};

use crate::{
    bundle::{BLOBS, PROMPTS, README, ended},
    journal::{self, JOURNAL},
    manifest::{FORMAT, FORMAT_VERSION, Listed, MANIFEST, Manifest},
    readme,
    refused::Refused,
    signature::{SIGNATURE, SigningKey},
    tar::{self, Entry},
};

/// Everything that goes into a bundle.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    pub research: ResearchId,
    pub journal: &'a [Recorded],
    /// As `Contents` asked for them.
    pub blobs: &'a BTreeMap<Digest, Vec<u8>>,
    /// Texts of the prompts, by file name.
    pub prompts: &'a BTreeMap<String, String>,
    pub program: &'a str,
}

impl Parts<'_> {
    pub fn report(&self) -> Option<Report> {
        let digest = ended(self.journal)?.report?;
        Report::decode(self.blobs.get(&digest)?).ok()
    }
}

pub fn make(parts: &Parts<'_>, key: &SigningKey) -> Result<Vec<u8>, Refused> {
    let journal = journal::encode(parts.journal)?;
    let report = parts.report();
    let readme = readme::text(parts, report.as_ref(), &key.public());
    let blobs: Vec<(String, &[u8])> =
        parts.blobs.iter().map(|(digest, bytes)| (format!("{BLOBS}{digest}"), bytes.as_slice())).collect();
    let prompts: Vec<(String, &[u8])> =
        parts.prompts.iter().map(|(name, text)| (format!("{PROMPTS}{name}"), text.as_bytes())).collect();
    let mut entries =
        vec![Entry { name: README, bytes: readme.as_bytes() }, Entry { name: JOURNAL, bytes: &journal }];
    entries.extend(blobs.iter().chain(&prompts).map(|(name, bytes)| Entry { name, bytes }));
    let manifest = Manifest {
        format: FORMAT.to_owned(),
        version: FORMAT_VERSION,
        research: parts.research,
        program: parts.program.to_owned(),
        checker: report.and_then(|report| report.ledger).map(|ledger| ledger.checker),
        entries: entries.iter().map(Listed::of).collect(),
    };
    let manifest = manifest.encode();
    let signature = key.sign(&manifest);
    let head = [Entry { name: MANIFEST, bytes: &manifest }, Entry { name: SIGNATURE, bytes: &signature }];
    tar::write(&[head.as_slice(), &entries].concat())
}
