//! Stored pages and texts that a research names and that are gone: what rests on them cannot be looked at again.

use probity_bundle::BlobCollector;
use probity_research::{
    CodedError, RunId,
    list::{LIST_MAX, ListFilter},
    shelf::ShelfPart,
};
use probity_store::Store;

use crate::format;

/// How many of its stored pages and texts are gone.
pub fn missing_of(store: &Store, id: RunId) -> Result<u64, CodedError> {
    let mut named = BlobCollector::of(&store.journal_even_removed(id)?);
    let mut missing = 0;
    while let Some(digest) = named.next_digest() {
        if !store.has_blob(digest)? {
            missing += 1;
        } else if named.is_report(digest) {
            named.take(digest, &store.read_blob(digest)?);
        }
    }
    Ok(missing)
}

/// All researches of which something is gone, those in the trash too.
pub fn missing_by_run(store: &Store) -> Result<Vec<(RunId, u64)>, CodedError> {
    let mut found = Vec::new();
    let mut offset = 0;
    loop {
        let filter = ListFilter { part: ShelfPart::All, limit: LIST_MAX, offset, ..ListFilter::default() };
        let page = store.list(&filter)?;
        for summary in &page {
            let missing = missing_of(store, summary.id)?;
            found.extend((missing > 0).then_some((summary.id, missing)));
        }
        if page.len() < LIST_MAX {
            return Ok(found);
        }
        offset += page.len();
    }
}

/// What to say of a research of which something is gone. A journal that cannot be read is told of elsewhere.
pub fn missing_note(store: &Store, id: RunId) -> Option<String> {
    let missing = missing_of(store, id).ok().filter(|missing| *missing > 0)?;
    let words = missing_words(missing);
    Some(format!("{words}: what rests on them cannot be looked at again; see `probity doctor`"))
}

/// `2 stored pages or texts are missing`.
pub fn missing_words(count: u64) -> String {
    format!("{} missing", format::count(count, "stored page or text is", "stored pages or texts are"))
}
