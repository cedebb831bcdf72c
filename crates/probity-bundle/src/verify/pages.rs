//! Which text belongs to which page, and whether the pages still give these texts.

use std::collections::BTreeSet;

use probity_research::{Digest, ledger::SourceState};

use super::{
    BundleIssue, BundlePromise, BundleVerifier, PromiseStatus, VerifyOptions, judged, list, not_checked,
    nothing, yes,
};
use crate::pages;

impl BundleVerifier<'_, '_> {
    /// A report rests on pages that the journal saw fetched, each with its own text.
    pub(super) fn pages(&self) -> BundleIssue {
        let fetched: BTreeSet<(Digest, Digest)> = pages::journal_pages(&self.bundle.journal)
            .iter()
            .map(|page| (page.snapshot, page.extract))
            .collect();
        let shown = self.shown();
        if shown.is_empty() {
            return nothing(BundlePromise::Pages, "the report rests on no stored page");
        }
        let wrong: Vec<String> = shown
            .iter()
            .filter(|(_, pair)| !fetched.contains(pair))
            .map(|(url, _)| format!("the journal never saw this page with this text: {url}"))
            .collect();
        judged(
            BundlePromise::Pages,
            &wrong,
            format!("{} pages, each fetched with the text it is shown with", shown.len()),
        )
    }

    fn shown(&self) -> Vec<(String, (Digest, Digest))> {
        let Some(report) = &self.report else { return Vec::new() };
        let of_web = report.web.iter().flat_map(|web| &web.pages);
        let mut shown: Vec<_> =
            of_web.map(|page| (page.record.final_url.clone(), (page.snapshot, page.extract))).collect();
        for source in report.ledger.iter().flat_map(|ledger| &ledger.sources) {
            if let SourceState::Kept { snapshot, extract, .. } = source.state {
                shown.push((source.url.clone(), (snapshot, extract)));
            }
        }
        shown
    }

    /// The stored bytes of every page, read once more.
    pub(super) fn reread_texts(&self, means: &VerifyOptions<'_>) -> BundleIssue {
        let fetched = pages::journal_pages(&self.bundle.journal);
        if fetched.is_empty() {
            return nothing(BundlePromise::Texts, "no page was fetched");
        }
        let Some(reader) = means.page else {
            return not_checked(BundlePromise::Texts, "nothing here reads pages".to_owned());
        };
        let mut wrong = Vec::new();
        let mut seen = BTreeSet::new();
        for page in &fetched {
            if !seen.insert((page.snapshot, page.extract)) {
                continue;
            }
            let (snapshot, stored) =
                (self.bundle.blobs.get(&page.snapshot), self.bundle.blobs.get(&page.extract));
            let (Some(snapshot), Some(stored)) = (snapshot, stored) else {
                wrong.push(format!("not there: {}", page.record.final_url));
                continue;
            };
            match reader(page.record.media, &page.record.final_url, snapshot) {
                Ok(again) if page.has_same_text(&again, stored) => {}
                Ok(_) => wrong.push(format!("another text comes out of {}", page.record.final_url)),
                Err(why) => wrong.push(format!("{} cannot be read again: {why}", page.record.final_url)),
            }
        }
        if wrong.is_empty() {
            return yes(
                BundlePromise::Texts,
                format!("{} pages give the same text when read again", seen.len()),
            );
        }
        let finding = self.by_version(means, BundlePromise::Texts, list(&wrong));
        debug_assert!(finding.kept != PromiseStatus::Yes);
        finding
    }
}
