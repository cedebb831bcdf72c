//! A fetched page on its way to the store, and the event that names it there.

use super::{
    bill::Bill,
    canonical,
    cluster::Fingerprint,
    markdown::neutralize_markdown,
    page::{Extract, PageRecord},
    search::TITLE_CHARACTERS_MAX,
    task::{PageMetadata, WebTask, WebTaskOutcome},
};
use crate::{
    checking::{CheckTask, CheckTaskOutcome},
    error::{Code, CodedError},
    event::Event,
    id::Digest,
};

/// Links of a page that a reader may name.
pub const READ_LINKS_MAX: usize = 30;

/// What a page was fetched for.
#[derive(Debug, Clone, PartialEq)]
pub enum PagePurpose {
    Gather(WebTask),
    Check(CheckTask),
}

/// A page on its way to the store: bytes and text first, then the event that names them.
#[derive(Debug, Clone, PartialEq)]
pub struct PageToStore {
    pub of: PagePurpose,
    pub bill: Bill,
    pub record: PageRecord,
    pub snapshot: Vec<u8>,
    pub extract: Extract,
}

impl PageToStore {
    pub fn event(&self, snapshot: Option<Digest>, extract: Option<Digest>) -> Event {
        let kept = match (snapshot, extract) {
            (Some(snapshot), Some(extract)) => Ok(Box::new(PageMetadata {
                record: self.record.clone(),
                snapshot,
                extract,
                title: self.title(),
                published: self.extract.published.clone(),
                language: self.extract.language.clone(),
                fingerprint: Fingerprint::of(&self.extract.text),
                signs: self.extract.signs.clone(),
                links: self.extract.links.iter().take(READ_LINKS_MAX).cloned().collect(),
            })),
            _ => Err(CodedError::new(Code::PageUnreadable, "the page has no bytes")),
        };
        let bill = self.bill;
        match &self.of {
            PagePurpose::Gather(task) => {
                let outcome =
                    kept.map_or_else(|problem| WebTaskOutcome::Failed { problem }, WebTaskOutcome::Page);
                Event::GatherDone { task: *task, outcome, bill }
            }
            PagePurpose::Check(task) => {
                let outcome =
                    kept.map_or_else(|problem| CheckTaskOutcome::Failed { problem }, CheckTaskOutcome::Page);
                Event::CheckDone { task: task.clone(), outcome, bill }
            }
        }
    }

    fn title(&self) -> String {
        let title =
            self.extract.title.as_deref().map(|title| neutralize_markdown(title, TITLE_CHARACTERS_MAX));
        let site =
            || canonical::site(&self.record.final_url).unwrap_or_else(|| "a page without a title".to_owned());
        title.filter(|title| !title.is_empty()).unwrap_or_else(site)
    }
}
