//! Verdicts recomputed from their checks, and every quoted range looked up in the stored text of its page.

use probity_research::{
    Digest,
    ledger::{Check, Ledger, LedgerSource, Opinion, SourceState, Verdict},
    report::Report,
    web::page::Extract,
};

use super::{BundleIssue, BundlePromise, BundleVerifier, judged, no, nothing, yes};

impl BundleVerifier<'_, '_> {
    /// The stored verdicts follow from the stored checks.
    pub(super) fn verdicts(&self) -> BundleIssue {
        let Some(ledger) = self.report.as_ref().and_then(|report| report.ledger.as_deref()) else {
            return nothing(BundlePromise::Verdicts, "the claims of this report were not checked one by one");
        };
        let Some(stored) = &ledger.verification else {
            return no(BundlePromise::Verdicts, "the ledger was not settled".to_owned());
        };
        let mut again = ledger.clone();
        again.compute_verdicts_by(stored.rule, stored.model_says);
        // Earlier versions counted the disagreements here, not the claims that have one.
        let disagreements = u32::try_from(ledger.conflicts.len()).unwrap_or(u32::MAX);
        if let Some(result) = again.verification.as_mut().filter(|_| stored.contested == disagreements) {
            result.contested = stored.contested;
        }
        // Earlier versions gave only the judge's own reason where its yes counts for less.
        for (now, then) in again.settled.iter_mut().zip(&ledger.settled) {
            let is_own = |check: &Check| check.opinion == Opinion::Supports && check.reason == then.reason;
            if now.verdict == Verdict::Partly && ledger.checks_of(then.claim).any(is_own) {
                now.reason.clone_from(&then.reason);
            }
        }
        let differ = again.settled.iter().zip(&ledger.settled).filter(|(now, then)| now != then);
        let wrong: Vec<String> = differ
            .map(|(now, then)| {
                format!("{}: stored as {}, comes out as {}", then.claim, then.verdict, now.verdict)
            })
            .collect();
        if wrong.is_empty() && again.settled.len() != ledger.settled.len() {
            return no(BundlePromise::Verdicts, "there is not one verdict for each claim".to_owned());
        }
        if wrong.is_empty() && again.verification != ledger.verification {
            return no(BundlePromise::Verdicts, "`verified` does not follow from the verdicts".to_owned());
        }
        judged(BundlePromise::Verdicts, &wrong, format!("{}, as the checks say", ledger.tally().line()))
    }

    /// What is quoted is where the ledger says.
    pub(super) fn quotations(&self) -> BundleIssue {
        let Some(report) = &self.report else {
            return nothing(BundlePromise::Quotations, "there is no report");
        };
        let (mut wrong, mut looked_up) = (Vec::new(), 0);
        for result in self.notes(report).into_iter().chain(self.in_journal()).chain(self.in_ledger(report)) {
            match result {
                Ok(places) => looked_up += places,
                Err(why) => wrong.push(why),
            }
        }
        if looked_up == 0 && wrong.is_empty() {
            return nothing(BundlePromise::Quotations, "no page is quoted with its place");
        }
        match wrong.is_empty() {
            true => {
                yes(BundlePromise::Quotations, format!("{looked_up} quoted places, each in the stored page"))
            }
            false => judged(BundlePromise::Quotations, &wrong, String::new()),
        }
    }

    /// Quotations that the report shows as its evidence: how many places on a page each result is, or what is wrong.
    fn notes(&self, report: &Report) -> Vec<Result<usize, String>> {
        let Some(web) = &report.web else { return Vec::new() };
        let mut results = Vec::new();
        for (place, note) in web.notes.iter().enumerate() {
            let page = usize::try_from(note.page).ok().and_then(|page| web.pages.get(page));
            let text = page.and_then(|page| self.text(page.extract));
            results.extend(note.quotes.iter().map(|quote| {
                stands(text, (quote.start, quote.end), Some(&quote.text))
                    .map_err(|why| format!("note {place}: {why}"))
            }));
        }
        for sentence in &web.sentences {
            let inside = report.text.get(sentence.start..sentence.end).is_some();
            results
                .push(inside.then_some(0).ok_or_else(|| "a sentence lies outside of the report".to_owned()));
        }
        results
    }

    /// Quotations as the journal recorded them.
    fn in_journal(&self) -> Vec<Result<usize, String>> {
        let Some(gathering) = self.research.as_ref().ok().and_then(|research| research.web_state.as_deref())
        else {
            return Vec::new();
        };
        let mut results = Vec::new();
        for taken in &gathering.notes {
            let page = usize::try_from(taken.page).ok().and_then(|page| gathering.pages.get(page));
            let text = page.and_then(|page| self.text(page.metadata.extract));
            results.extend(taken.note.quotes.iter().map(|quote| {
                stands(text, (quote.start, quote.end), Some(&quote.text))
                    .map_err(|why| format!("the journal: {why}"))
            }));
        }
        results
    }

    fn in_ledger(&self, report: &Report) -> Vec<Result<usize, String>> {
        let Some(ledger) = &report.ledger else { return Vec::new() };
        let mut results = Vec::new();
        for check in &ledger.checks {
            results.push(self.check(ledger, check).map_err(|why| format!("{}: {why}", check.claim)));
        }
        for (place, passage) in ledger.passages.iter().enumerate() {
            let text = source(ledger, passage.source).and_then(|source| self.text_of(source));
            let found = stands(text, (passage.start, passage.end), Some(&passage.text));
            results.push(found.map_err(|why| format!("passage {place}: {why}")));
        }
        for source in &ledger.sources {
            let text = self.text_of(source);
            let places = source.quoted.iter().map(|place| stands(text, *place, None));
            results.extend(places.map(|found| found.map_err(|why| format!("{}: {why}", source.url))));
        }
        for claim in &ledger.claims {
            let inside = report.text.get(claim.start..claim.end).is_some();
            results
                .push(inside.then_some(0).ok_or_else(|| format!("{} lies outside of the report", claim.id)));
        }
        results
    }

    fn check(&self, ledger: &Ledger, check: &Check) -> Result<usize, String> {
        ledger.claim(check.claim).ok_or("there is no such claim")?;
        // A judge that supports without a place on a page does not count, and is treated so.
        let rests = matches!(check.opinion(), Opinion::Quoted | Opinion::Supports);
        let Some(place) = check.source else {
            return if rests || check.span.is_some() { Err("it names no page".to_owned()) } else { Ok(0) };
        };
        let source = source(ledger, place).ok_or("it names a page that is not listed")?;
        if let Some(page) = check.page
            && !belongs(source, page)
        {
            return Err("it names other bytes than its page has".to_owned());
        }
        match check.span {
            Some(span) => stands(self.text_of(source), span, None),
            None if rests => Err("it names no place on its page".to_owned()),
            None => Ok(0),
        }
    }

    fn text_of(&self, source: &LedgerSource) -> Option<&str> {
        self.text(source.state.extract()?)
    }

    fn text(&self, extract: Digest) -> Option<&str> {
        self.texts.get(&extract)?.as_ref().map(|extract| extract.text.as_str())
    }

    pub(super) fn read_texts(&mut self) {
        let mut wanted: Vec<Digest> =
            crate::pages::journal_pages(&self.bundle.journal).iter().map(|page| page.extract).collect();
        if let Some(report) = &self.report {
            wanted.extend(report.web.iter().flat_map(|web| &web.pages).map(|page| page.extract));
            let sources = report.ledger.iter().flat_map(|ledger| &ledger.sources);
            wanted.extend(sources.filter_map(|source| source.state.extract()));
        }
        for digest in wanted {
            let stored = self.bundle.blobs.get(&digest);
            self.texts.entry(digest).or_insert_with(|| stored.and_then(|bytes| Extract::decode(bytes).ok()));
        }
    }
}

fn source(ledger: &Ledger, place: u32) -> Option<&LedgerSource> {
    ledger.sources.get(usize::try_from(place).ok()?)
}

fn belongs(source: &LedgerSource, page: Digest) -> bool {
    match &source.state {
        SourceState::Kept { snapshot, extract, .. } => page == *snapshot || page == *extract,
        SourceState::Unreachable { .. } => false,
    }
}

/// A range is inside of the text, is not empty, and has the words that the ledger gives for it: one place.
fn stands(text: Option<&str>, (start, end): (usize, usize), words: Option<&str>) -> Result<usize, String> {
    let text = text.ok_or("the text of its page is not there")?;
    let found = text.get(start..end).filter(|found| !found.is_empty());
    let found = found.ok_or_else(|| format!("{start}..{end} is no place in the text of its page"))?;
    match words {
        Some(words) if words != found => Err(format!("other words stand at {start}..{end} of its page")),
        _ => Ok(1),
    }
}
