//! Harm done to a bundle: bits flipped in every part of it, and contents changed by somebody who signs again.

use std::collections::BTreeMap;

use anyhow::Context as _;
use probity_bundle::{
    Bundle, BundleParts, SigningKey, make_bundle,
    manifest::digest,
    tar::{self, TarEntry},
};
use probity_research::{Digest, Event, RunId, StoredEvent, ledger::Verdict, report::Report};

/// A harmed bundle, and how it is looked at.
pub struct TamperedBundle {
    pub name: String,
    pub bytes: Vec<u8>,
    /// The right key is named.
    pub pinned: bool,
    /// A replay has to notice it too.
    pub breaks_replay: bool,
}

/// The contents of a bundle, to be packed again.
pub struct BundleContents {
    id: RunId,
    program: String,
    journal: Vec<StoredEvent>,
    blobs: BTreeMap<Digest, Vec<u8>>,
}

impl BundleContents {
    pub fn of(bytes: &[u8]) -> anyhow::Result<Self> {
        let bundle = Bundle::read(bytes)?;
        Ok(Self {
            id: bundle.manifest.research,
            program: bundle.manifest.program.clone(),
            blobs: bundle.blobs.iter().map(|(digest, bytes)| (*digest, bytes.to_vec())).collect(),
            journal: bundle.journal,
        })
    }

    fn packed(&self, journal: &[StoredEvent], blobs: &BTreeMap<Digest, Vec<u8>>) -> anyhow::Result<Vec<u8>> {
        let key = SigningKey::from_pkcs8(&SigningKey::generate()?)?;
        let prompts = BTreeMap::new();
        let parts =
            BundleParts { research: self.id, journal, blobs, prompts: &prompts, program: &self.program };
        Ok(make_bundle(&parts, &key)?)
    }

    /// The final report exchanged for an edited one, wherever it is named.
    fn with_report(&self, edit: impl FnOnce(&mut Report)) -> anyhow::Result<Vec<u8>> {
        let (mut journal, mut blobs) = (self.journal.clone(), self.blobs.clone());
        let ended = journal.iter_mut().rev().find_map(|recorded| match &mut recorded.event {
            Event::Ended { report, .. } => report.as_mut(),
            _ => None,
        });
        let ended = ended.context("the research has no report")?;
        let mut report = Report::decode(&blobs.remove(ended).context("the report is missing")?)?;
        edit(&mut report);
        let bytes = report.encode();
        *ended = digest(&bytes);
        blobs.insert(*ended, bytes);
        self.packed(&journal, &blobs)
    }
}

/// One bit, or several spread evenly, in each part: its content, its header and its padding.
pub fn damages(bytes: &[u8], flips_each: usize) -> anyhow::Result<Vec<TamperedBundle>> {
    let mut harms = Vec::new();
    let mut flip = |name: String, place: usize| {
        let mut bytes = bytes.to_vec();
        if let Some(byte) = bytes.get_mut(place) {
            *byte ^= 1 << (place % 8);
        }
        harms.push(TamperedBundle { name, bytes, pinned: false, breaks_replay: true });
    };
    for entry in tar::read(bytes)? {
        let start = entry.bytes.as_ptr().addr() - bytes.as_ptr().addr();
        for number in 0..flips_each {
            let place = entry.bytes.len() * (2 * number + 1) / (2 * flips_each);
            flip(format!("a bit of {} at {place}", entry.name), start + place);
        }
        flip(format!("a bit in the header of {}", entry.name), start - 300);
    }
    flip("a bit behind the end".to_owned(), bytes.len() - 1);
    let half = bytes.get(..bytes.len() / 2).unwrap_or_default().to_vec();
    harms.push(TamperedBundle {
        name: "cut in half".to_owned(),
        bytes: half,
        pinned: false,
        breaks_replay: true,
    });
    harms.push(TamperedBundle {
        name: "nothing left".to_owned(),
        bytes: Vec::new(),
        pinned: false,
        breaks_replay: true,
    });
    harms.push(TamperedBundle {
        name: "two blobs swapped".to_owned(),
        bytes: swapped(bytes)?,
        pinned: false,
        breaks_replay: true,
    });
    Ok(harms)
}

fn swapped(bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut entries: Vec<TarEntry<'_>> = tar::read(bytes)?;
    let blobs: Vec<usize> = (0..entries.len())
        .filter(|place| entries.get(*place).is_some_and(|entry| entry.name.starts_with("blobs/")))
        .take(2)
        .collect();
    let [first, second] = blobs.as_slice() else { anyhow::bail!("fewer than two blobs") };
    let (one, two) =
        (entries.get(*first).map(|entry| entry.bytes), entries.get(*second).map(|entry| entry.bytes));
    if let (Some(entry), Some(bytes)) = (entries.get_mut(*first), two) {
        entry.bytes = bytes;
    }
    if let (Some(entry), Some(bytes)) = (entries.get_mut(*second), one) {
        entry.bytes = bytes;
    }
    Ok(tar::write(&entries)?)
}

/// Signed again with another key: refused for its contents, or for its key where the right one is named.
pub fn forgeries(known: &BundleContents) -> anyhow::Result<Vec<TamperedBundle>> {
    let verdict = known.with_report(|report| {
        if let Some(settled) = report.ledger.as_mut().and_then(|ledger| ledger.settled.first_mut()) {
            settled.verdict = Verdict::Contradicted;
        }
    })?;
    let span = known.with_report(|report| {
        let checks = report.ledger.iter_mut().flat_map(|ledger| &mut ledger.checks);
        for (start, end) in checks.filter_map(|check| check.span.as_mut()).take(1) {
            *start += 1;
            *end += 1;
        }
    })?;
    let quotation = known.with_report(|report| {
        let notes = report.web.iter_mut().flat_map(|web| &mut web.notes);
        for quote in notes.flat_map(|note| &mut note.quotes).take(1) {
            quote.start += 1;
        }
    })?;
    let text = known.with_report(|report| {
        let figure = report.text.chars().find(char::is_ascii_digit).unwrap_or(' ');
        let other = if figure == '7' { "3" } else { "7" };
        report.text = report.text.replacen(figure, other, 1);
    })?;
    let mut fewer = known.blobs.clone();
    fewer.pop_first();
    let mut more = known.blobs.clone();
    more.insert(digest(b"smuggled"), b"smuggled".to_vec());
    let shorter = known.journal.split_last().map(|(_, rest)| rest).unwrap_or_default();
    let whole = known.packed(&known.journal, &known.blobs)?;
    let forged = |name: &str, bytes: Vec<u8>, breaks_replay: bool| TamperedBundle {
        name: format!("{name}, signed by another key"),
        bytes,
        pinned: false,
        breaks_replay,
    };
    Ok(vec![
        forged("an edited verdict", verdict, true),
        forged("an edited place of a check", span, true),
        forged("an edited place of a quotation", quotation, true),
        forged("an edited sentence", text, true),
        forged("a blob left out", known.packed(&known.journal, &fewer)?, false),
        forged("a blob smuggled in", known.packed(&known.journal, &more)?, false),
        forged("the end cut off", known.packed(shorter, &known.blobs)?, true),
        TamperedBundle {
            name: "unchanged, signed by another key while the right one is named".to_owned(),
            bytes: whole,
            pinned: true,
            breaks_replay: false,
        },
    ])
}
