//! The pages of a run as its journal records them: which text belongs to which bytes.

use probity_research::{
    Digest, Event, StoredEvent,
    checking::CheckTaskOutcome,
    plan::Plan,
    web::{
        origin::PageOrigin,
        page::{Extract, PageRecord, Provenance},
        task::{PageMetadata, WebTaskOutcome},
    },
};

/// A page that was fetched, stored and read.
#[derive(Debug, Clone, Copy)]
pub struct JournalPage<'a> {
    pub record: &'a PageRecord,
    pub snapshot: Digest,
    pub extract: Digest,
}

impl JournalPage<'_> {
    pub fn is_own_file(&self) -> bool {
        self.record.provenance == Provenance::LocalFile
    }

    /// Whether parsing the page again gave the text that is stored.
    pub fn has_same_text(&self, again: &Extract, stored: &[u8]) -> bool {
        again.encode() == stored
    }
}

/// Where each page came from, each once, the least trustworthy first.
pub fn page_origins(journal: &[StoredEvent]) -> Vec<(PageOrigin, &PageRecord)> {
    let mut origins: Vec<(PageOrigin, &PageRecord)> =
        journal_pages(journal).iter().map(|page| (PageOrigin::of(page.record), page.record)).collect();
    origins.sort_by(|(left, one), (right, other)| {
        right.cmp(left).then_with(|| one.final_url.cmp(&other.final_url))
    });
    origins.dedup_by(|(left, one), (right, other)| {
        left == right && one.final_url == other.final_url && one.address == other.address
    });
    origins
}

pub fn journal_pages(journal: &[StoredEvent]) -> Vec<JournalPage<'_>> {
    journal.iter().flat_map(|recorded| kept(&recorded.event)).map(page).collect()
}

fn kept(event: &Event) -> Vec<&PageMetadata> {
    match event {
        Event::GatherDone { outcome: WebTaskOutcome::Page(kept), .. }
        | Event::CheckDone { outcome: CheckTaskOutcome::Page(kept), .. } => vec![kept],
        // A follow-up has the pages of the research that it continues from the beginning.
        Event::Asked { plan, .. } => taken_over(plan).collect(),
        _ => Vec::new(),
    }
}

/// Pages that a follow-up did not fetch itself.
pub(crate) fn taken_over(plan: &Plan) -> impl Iterator<Item = &PageMetadata> {
    let bank = plan.web.as_ref().and_then(|web| web.parent.as_deref());
    bank.into_iter().flat_map(|bank| &bank.pages).map(|page| &page.metadata)
}

fn page(kept: &PageMetadata) -> JournalPage<'_> {
    JournalPage { record: &kept.record, snapshot: kept.snapshot, extract: kept.extract }
}
