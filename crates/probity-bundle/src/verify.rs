//! Is what a bundle holds true to itself? One finding for each promise; none of them needs a network.
//!
//! Runs the same rules on foreign data: whatever trips them refuses the bundle, never the program.

mod ledger;
mod pages;

use std::{
    collections::BTreeMap,
    error::Error,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
};

use probity_research::{
    Digest, Research,
    report::Report,
    web::page::{Extract, Media},
};

use crate::{
    bundle::Bundle,
    contents,
    replay::{NotReplayed, Outside, conclusions, is_examination, rebuild},
    signature::PublicKey,
};

/// Damaged things named in one finding; the rest is counted.
const NAMED_MAX: usize = 3;

/// Reads the text of a page again.
pub type PageReader<'a> = &'a dyn Fn(Media, &str, &[u8]) -> Result<Extract, String>;

/// What the caller can add to what the rules can check alone.
#[derive(Default, Clone, Copy)]
pub struct Means<'a> {
    /// The key that must have signed.
    pub pinned: Option<PublicKey>,
    /// Version of this program: another one than the bundle's may come to other bytes without anybody's fault.
    pub program: &'a str,
    pub outside: Outside<'a>,
    pub page: Option<PageReader<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Promise {
    Signature,
    Journal,
    Contents,
    Report,
    Replay,
    Checks,
    Verdicts,
    Quotations,
    Pages,
    Texts,
}

impl Promise {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Signature => "signature",
            Self::Journal => "journal",
            Self::Contents => "contents",
            Self::Report => "report",
            Self::Replay => "replay",
            Self::Checks => "checks",
            Self::Verdicts => "verdicts",
            Self::Quotations => "quotations",
            Self::Pages => "pages",
            Self::Texts => "texts",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    Yes,
    No,
    /// This program could not look, and says why.
    NotChecked,
    /// There is nothing of this kind in the bundle.
    Nothing,
}

impl Kept {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::NotChecked => "not-checked",
            Self::Nothing => "nothing",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub promise: Promise,
    pub kept: Kept,
    /// For people.
    pub detail: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.promise.as_str(), self.detail)
    }
}

/// All findings, in a fixed order. `Bundle::read` has seen to the container, the hashes and the signature itself.
pub fn verify(bundle: &Bundle<'_>, means: &Means<'_>) -> Vec<Finding> {
    let signature = signature(bundle, means);
    let rest = guarded(|| Look::new(bundle).findings(means));
    match rest {
        Some(findings) => [vec![signature], findings].concat(),
        None => vec![signature, tripped()],
    }
}

fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

fn tripped() -> Finding {
    no(Promise::Journal, "no research can have left such a journal: the rules fail on it".to_owned())
}

/// A bundle with what several findings need.
struct Look<'b, 'a> {
    bundle: &'b Bundle<'a>,
    research: Result<Research, probity_research::state::ReplayError>,
    report: Option<Report>,
    /// Texts of pages, by the digest of their extract.
    texts: BTreeMap<Digest, Option<Extract>>,
}

impl<'b, 'a> Look<'b, 'a> {
    fn new(bundle: &'b Bundle<'a>) -> Self {
        let report = bundle.report().and_then(|bytes| Report::decode(bytes).ok());
        let research = Research::replay(bundle.manifest.research, &bundle.journal);
        let mut look = Self { bundle, research, report, texts: BTreeMap::new() };
        look.read_texts();
        look
    }

    fn findings(&self, means: &Means<'_>) -> Vec<Finding> {
        vec![
            self.journal(),
            self.contents(),
            self.stored_report(),
            self.replay(means),
            self.checks(means),
            self.verdicts(),
            self.quotations(),
            self.pages(),
            self.again(means),
        ]
    }

    fn journal(&self) -> Finding {
        let events = self.bundle.journal.len();
        match (&self.research, self.bundle.ended()) {
            (Err(error), _) => no(Promise::Journal, format!("it does not replay: {error}")),
            (Ok(_), None) => no(Promise::Journal, "the research did not end".to_owned()),
            (Ok(_), Some(_)) => yes(Promise::Journal, format!("{events} events replay")),
        }
    }

    /// Every digest that is named is there, and nothing that is not named.
    fn contents(&self) -> Finding {
        let (named, missing) = contents::named(&self.bundle.journal, &self.bundle.blobs);
        let foreign: Vec<Digest> =
            self.bundle.blobs.keys().filter(|held| !named.contains(held)).copied().collect();
        if !missing.is_empty() {
            return no(Promise::Contents, format!("missing: {}", list(&missing)));
        }
        match foreign.is_empty() {
            true => yes(Promise::Contents, format!("{} stored files, each named and there", named.len())),
            false => no(Promise::Contents, format!("nothing names {}", list(&foreign))),
        }
    }

    fn stored_report(&self) -> Finding {
        match (self.bundle.ended().map(|ended| ended.report), &self.report) {
            (Some(None), _) => nothing(Promise::Report, "the research ended without a report"),
            (Some(Some(digest)), Some(report)) => {
                let length = report.text.len();
                yes(Promise::Report, format!("{length} bytes of text, stored as {digest}"))
            }
            (Some(Some(digest)), None) => no(Promise::Report, format!("{digest} is missing or unreadable")),
            (None, _) => no(Promise::Report, "the journal names no end".to_owned()),
        }
    }

    /// The end and its report follow from everything before it.
    fn replay(&self, means: &Means<'_>) -> Finding {
        let Some(ended) = self.bundle.ended() else {
            return no(Promise::Replay, NotReplayed::NotEnded.to_string());
        };
        match self.conclude_again(means, Promise::Replay, |place| !self.is_examination(place)) {
            Ok(_) if ended.report.is_none() => nothing(Promise::Replay, "there is no report to rebuild"),
            Ok(_) => {
                yes(Promise::Replay, "the report comes out again from the journal, byte for byte".to_owned())
            }
            Err(finding) => finding,
        }
    }

    /// What the rules saw in the cited pages they see again.
    fn checks(&self, means: &Means<'_>) -> Finding {
        match self.conclude_again(means, Promise::Checks, |place| self.is_examination(place)) {
            Ok(0) => nothing(Promise::Checks, "no text was examined by rule"),
            Ok(count) => yes(Promise::Checks, format!("{count} examined, with the same result again")),
            Err(finding) => finding,
        }
    }

    fn is_examination(&self, place: usize) -> bool {
        self.bundle.journal.get(place).is_some_and(|recorded| is_examination(&recorded.event))
    }

    fn conclude_again(
        &self,
        means: &Means<'_>,
        promise: Promise,
        wanted: impl Fn(usize) -> bool,
    ) -> Result<usize, Finding> {
        let places: Vec<usize> =
            conclusions(&self.bundle.journal).into_iter().filter(|place| wanted(*place)).collect();
        for place in &places {
            match rebuild(self.bundle, *place, means.outside) {
                Ok(_) => {}
                Err(error @ NotReplayed::NoReader(_)) => return Err(not_checked(promise, error.to_string())),
                Err(error) => return Err(self.by_version(means, promise, with_causes(&error))),
            }
        }
        Ok(places.len())
    }

    /// A difference that another version may have made without anybody's fault is not called damage.
    fn by_version(&self, means: &Means<'_>, promise: Promise, what: String) -> Finding {
        let made_by = probity_research::text::line(&self.bundle.manifest.program, 40);
        if made_by == means.program {
            return no(promise, what);
        }
        not_checked(
            promise,
            format!("{what}; it was made by Probity {made_by}, and this is {}", means.program),
        )
    }
}

fn signature(bundle: &Bundle<'_>, means: &Means<'_>) -> Finding {
    let found = bundle.signed_by;
    match means.pinned {
        Some(wanted) if wanted == found => {
            yes(Promise::Signature, format!("signed by the key you named, {found}"))
        }
        Some(_) => no(Promise::Signature, format!("signed by another key than the one you named: {found}")),
        None => yes(
            Promise::Signature,
            format!("unchanged since {found} signed it; whose key that is you must know: pass it with --key"),
        ),
    }
}

fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}

fn list(items: &[impl fmt::Display]) -> String {
    let mut named: Vec<String> = items.iter().take(NAMED_MAX).map(ToString::to_string).collect();
    if let Some(more) = items.len().checked_sub(NAMED_MAX).filter(|more| *more > 0) {
        named.push(format!("and {more} more"));
    }
    named.join(", ")
}

fn yes(promise: Promise, detail: String) -> Finding {
    Finding { promise, kept: Kept::Yes, detail }
}

fn no(promise: Promise, detail: String) -> Finding {
    Finding { promise, kept: Kept::No, detail }
}

fn not_checked(promise: Promise, detail: String) -> Finding {
    Finding { promise, kept: Kept::NotChecked, detail }
}

fn nothing(promise: Promise, detail: &str) -> Finding {
    Finding { promise, kept: Kept::Nothing, detail: detail.to_owned() }
}

/// A list of what is wrong as one finding.
fn judged(promise: Promise, wrong: &[String], fine: String) -> Finding {
    if wrong.is_empty() { yes(promise, fine) } else { no(promise, list(wrong)) }
}
