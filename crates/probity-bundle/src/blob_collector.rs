//! Which stored bytes belong to a run: every digest that its journal names, and those that its reports name.

use std::collections::{BTreeMap, BTreeSet};

use probity_research::{
    Digest, Event, StoredEvent,
    checking::CheckTaskOutcome,
    ledger::{Ledger, SourceState},
    report::Report,
    web::task::WebTaskOutcome,
};

use crate::pages::taken_over;

/// Asks for blobs until nothing more is named. The caller, a store or a bundle, provides them.
#[derive(Debug, Default)]
pub struct BlobCollector {
    open: BTreeSet<Digest>,
    seen: BTreeSet<Digest>,
    reports: BTreeSet<Digest>,
}

impl BlobCollector {
    pub fn of(journal: &[StoredEvent]) -> Self {
        let mut contents = Self::default();
        for recorded in journal {
            contents.name_in_event(&recorded.event);
        }
        contents
    }

    /// What is wanted next.
    pub fn next_digest(&mut self) -> Option<Digest> {
        let digest = self.open.pop_first()?;
        self.seen.insert(digest);
        Some(digest)
    }

    /// Whether its bytes may name more: those of all others need not be read.
    pub fn is_report(&self, digest: Digest) -> bool {
        self.reports.contains(&digest)
    }

    /// The bytes of a digest that `next_digest` gave. A report names more.
    pub fn take(&mut self, digest: Digest, bytes: &[u8]) {
        if self.reports.contains(&digest)
            && let Ok(report) = Report::decode(bytes)
        {
            self.name_in_report(&report);
        }
    }

    fn name(&mut self, digest: Digest) {
        if !self.seen.contains(&digest) {
            self.open.insert(digest);
        }
    }

    fn name_report(&mut self, digest: Digest) {
        self.reports.insert(digest);
        self.name(digest);
    }

    fn name_in_event(&mut self, event: &Event) {
        match event {
            Event::PartialKept { report, .. } => self.name_report(*report),
            Event::Ended { report, raw, .. } => {
                report.iter().for_each(|report| self.name_report(*report));
                raw.iter().for_each(|raw| self.name(*raw));
            }
            // An answer of a round has the form of a report.
            Event::RoundAnswered { answer, raw, .. } => {
                self.name_report(*answer);
                raw.iter().for_each(|raw| self.name(*raw));
            }
            Event::LookFailed { raw, .. } => raw.iter().for_each(|raw| self.name(*raw)),
            Event::RoundStumbled { kept, raw, .. } => {
                kept.iter().chain(raw).for_each(|kept| self.name(*kept))
            }
            Event::Gathered(ending) => {
                ending.report.iter().for_each(|report| self.name_report(*report));
                ending.raw.iter().for_each(|raw| self.name(*raw));
            }
            Event::CheckBegun { subject } | Event::Patched { subject, .. } => self.name_report(*subject),
            Event::Checked { subject, report, .. } => {
                self.name_report(*subject);
                self.name_report(*report);
            }
            Event::CheckDone { outcome: CheckTaskOutcome::Examined { draft, .. }, .. } => {
                self.name_report(*draft)
            }
            Event::GatherDone { outcome: WebTaskOutcome::Page(page), .. }
            | Event::CheckDone { outcome: CheckTaskOutcome::Page(page), .. } => {
                self.name(page.snapshot);
                self.name(page.extract);
            }
            Event::Asked { plan, .. } => taken_over(plan).for_each(|page| {
                self.name(page.snapshot);
                self.name(page.extract);
            }),
            Event::GatherDone { .. }
            | Event::CheckIntended { .. }
            | Event::CheckDone { .. }
            | Event::CreateIntended { .. }
            | Event::CreateRefused { .. }
            | Event::CreateUncertain { .. }
            | Event::PayAgainAccepted
            | Event::RemoteStarted { .. }
            | Event::Observed { .. }
            | Event::CancelRequested { .. }
            | Event::CancelAnswered { .. }
            | Event::Reopened
            | Event::GatherIntended { .. }
            | Event::GatherStopped { .. }
            | Event::Left
            | Event::Arrived
            | Event::BudgetRaised { .. }
            | Event::HandedOver
            | Event::Steered { .. } => {}
        }
    }

    fn name_in_report(&mut self, report: &Report) {
        for page in report.web.iter().flat_map(|web| &web.pages) {
            self.name(page.snapshot);
            self.name(page.extract);
        }
        if let Some(ledger) = &report.ledger {
            self.name_in_ledger(ledger);
        }
    }

    fn name_in_ledger(&mut self, ledger: &Ledger) {
        for source in &ledger.sources {
            if let SourceState::Kept { snapshot, extract, .. } = &source.state {
                self.name(*snapshot);
                self.name(*extract);
            }
        }
        let pages = ledger.checks.iter().filter_map(|check| check.page);
        pages
            .chain(ledger.settled.iter().filter_map(|settled| settled.page))
            .for_each(|page| self.name(page));
    }
}

/// Everything that is named, and what of it is missing.
pub fn named_blobs(
    journal: &[StoredEvent],
    blobs: &BTreeMap<Digest, &[u8]>,
) -> (BTreeSet<Digest>, Vec<Digest>) {
    let mut contents = BlobCollector::of(journal);
    let mut missing = Vec::new();
    while let Some(digest) = contents.next_digest() {
        match blobs.get(&digest) {
            Some(bytes) => contents.take(digest, bytes),
            None => missing.push(digest),
        }
    }
    (contents.seen, missing)
}
