//! Which text belongs to which page, and whether the pages still give these texts.

use std::collections::BTreeSet;

use probity_research::{Digest, ledger::SourceState, web::origin::PageOrigin};

use super::{
    BundleIssue, BundlePromise, BundleVerifier, PrivatePages, PromiseStatus, VerifyOptions, judged, list, no,
    not_checked, nothing, yes,
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

    /// Where the pages came from, as the journal says. Never more than that: whoever signs can write any address.
    pub(super) fn origins(&self, means: &VerifyOptions<'_>) -> BundleIssue {
        let promise = BundlePromise::Origins;
        let origins = pages::page_origins(&self.bundle.journal);
        let named = |wanted: &dyn Fn(PageOrigin) -> bool| -> Vec<String> {
            let found = origins.iter().filter(|(origin, _)| wanted(*origin));
            found
                .map(|(origin, record)| {
                    let address = record.address.as_deref().unwrap_or("an address that was not recorded");
                    format!("{} from {address} ({})", record.final_url, origin.as_str())
                })
                .collect()
        };
        let private = named(&PageOrigin::is_private);
        match (private.is_empty(), means.private_pages) {
            (false, PrivatePages::Refused) => return no(promise, list(&private)),
            (false, PrivatePages::Accepted) => {
                return nothing(promise, &format!("accepted as you asked: {}", list(&private)));
            }
            (true, PrivatePages::Refused | PrivatePages::Accepted) => {}
        }
        let unsure = named(&|origin| {
            matches!(
                origin,
                PageOrigin::PlainWeb | PageOrigin::Proxy | PageOrigin::Service | PageOrigin::NotRecorded
            )
        });
        if !unsure.is_empty() {
            return not_checked(promise, list(&unsure));
        }
        match origins.iter().filter(|(origin, _)| *origin == PageOrigin::Web).count() {
            0 => nothing(promise, "no page came from the web"),
            count => yes(
                promise,
                format!("{count} pages by https from public addresses, as whoever signed this wrote down"),
            ),
        }
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
