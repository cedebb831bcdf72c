//! The pages of a research as its journal tells them: which text belongs to which bytes.

use probity_research::{
    Digest, Event, Recorded,
    checking::CheckOutcome,
    web::{
        page::{Extract, PageRecord, Provenance},
        task::{KeptPage, Outcome},
    },
};

/// A page that was fetched, stored and read.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    pub record: &'a PageRecord,
    pub snapshot: Digest,
    pub extract: Digest,
}

impl Page<'_> {
    pub fn is_own_file(&self) -> bool {
        self.record.provenance == Provenance::LocalFile
    }

    /// Whether reading the page again gave the text that is stored.
    pub fn is(&self, again: &Extract, stored: &[u8]) -> bool {
        again.encode() == stored
    }
}

pub fn of(journal: &[Recorded]) -> Vec<Page<'_>> {
    journal.iter().filter_map(|recorded| kept(&recorded.event)).map(page).collect()
}

fn kept(event: &Event) -> Option<&KeptPage> {
    match event {
        Event::GatherDone { outcome: Outcome::Page(kept), .. }
        | Event::CheckDone { outcome: CheckOutcome::Page(kept), .. } => Some(kept),
        _ => None,
    }
}

fn page(kept: &KeptPage) -> Page<'_> {
    Page { record: &kept.record, snapshot: kept.snapshot, extract: kept.extract }
}
