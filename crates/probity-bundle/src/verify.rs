//! Do the contents of a bundle agree with each other? One finding for each promise; none of them needs a
//! network.
//!
//! Runs the same rules on foreign data: an error in them refuses the bundle, never ends the program.

mod ledger;
mod pages;

use std::{
    collections::BTreeMap,
    error::Error,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
};

use probity_research::{
    Digest, RunState,
    report::Report,
    web::page::{Extract, MediaKind},
};

use crate::{
    blob_collector,
    bundle::Bundle,
    replay::{BundleReplayError, ReplayReaders, conclusions, is_examination, rebuild},
    signature::PublicKey,
};

/// Damaged things named in one finding; the rest is counted.
const NAMED_MAX: usize = 3;

/// Parses the text of a page again.
pub type PageReader<'a> = &'a dyn Fn(MediaKind, &str, &[u8]) -> Result<Extract, String>;

/// What the caller can add to what the rules can check alone.
#[derive(Default, Clone, Copy)]
pub struct VerifyOptions<'a> {
    /// The key that must have signed.
    pub pinned: Option<PublicKey>,
    /// Version of this program: another one than the bundle's may give other bytes without any damage.
    pub program: &'a str,
    pub outside: ReplayReaders<'a>,
    pub page: Option<PageReader<'a>>,
    pub private_pages: PrivatePages,
}

/// What is said of pages that came from a private network, or from an address that the maker chose.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum PrivatePages {
    #[default]
    Refused,
    /// The caller knows of them.
    Accepted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BundlePromise {
    Signature,
    Journal,
    Contents,
    Report,
    Replay,
    Checks,
    Verdicts,
    Quotations,
    Pages,
    Origins,
    Texts,
}

impl BundlePromise {
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
            Self::Origins => "origins",
            Self::Texts => "texts",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromiseStatus {
    Yes,
    No,
    /// This program could not check, and says why.
    NotChecked,
    /// There is nothing of this kind in the bundle.
    Nothing,
}

impl PromiseStatus {
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
pub struct BundleIssue {
    pub promise: BundlePromise,
    pub kept: PromiseStatus,
    /// For people.
    pub detail: String,
}

impl fmt::Display for BundleIssue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.promise.as_str(), self.detail)
    }
}

/// All findings, in a fixed order. `Bundle::read` has checked the container, the hashes and the signature
/// itself.
pub fn verify(bundle: &Bundle<'_>, means: &VerifyOptions<'_>) -> Vec<BundleIssue> {
    let signature = signature(bundle, means);
    let rest = guarded(|| BundleVerifier::new(bundle).findings(means));
    match rest {
        Some(findings) => [vec![signature], findings].concat(),
        None => vec![signature, tripped()],
    }
}

fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

fn tripped() -> BundleIssue {
    no(BundlePromise::Journal, "no research can have left such a journal: the rules fail on it".to_owned())
}

/// A bundle with what several findings need.
struct BundleVerifier<'b, 'a> {
    bundle: &'b Bundle<'a>,
    research: Result<RunState, probity_research::state::ReplayError>,
    report: Option<Report>,
    /// Texts of pages, by the digest of their extract.
    texts: BTreeMap<Digest, Option<Extract>>,
}

impl<'b, 'a> BundleVerifier<'b, 'a> {
    fn new(bundle: &'b Bundle<'a>) -> Self {
        let report = bundle.report().and_then(|bytes| Report::decode(bytes).ok());
        let research = RunState::replay(bundle.manifest.research, &bundle.journal);
        let mut look = Self { bundle, research, report, texts: BTreeMap::new() };
        look.read_texts();
        look
    }

    fn findings(&self, means: &VerifyOptions<'_>) -> Vec<BundleIssue> {
        vec![
            self.journal(),
            self.contents(),
            self.stored_report(),
            self.replay(means),
            self.checks(means),
            self.verdicts(),
            self.quotations(),
            self.pages(),
            self.origins(means),
            self.reread_texts(means),
        ]
    }

    fn journal(&self) -> BundleIssue {
        let events = self.bundle.journal.len();
        match (&self.research, self.bundle.end()) {
            (Err(error), _) => no(BundlePromise::Journal, format!("it does not replay: {error}")),
            (Ok(_), None) => no(BundlePromise::Journal, "the research did not end".to_owned()),
            (Ok(_), Some(_)) => yes(BundlePromise::Journal, format!("{events} events replay")),
        }
    }

    /// Every digest that is named is there, and nothing that is not named.
    fn contents(&self) -> BundleIssue {
        let (named, missing) = blob_collector::named_blobs(&self.bundle.journal, &self.bundle.blobs);
        let foreign: Vec<Digest> =
            self.bundle.blobs.keys().filter(|held| !named.contains(held)).copied().collect();
        if !missing.is_empty() {
            return no(BundlePromise::Contents, format!("missing: {}", list(&missing)));
        }
        match foreign.is_empty() {
            true => {
                let files = if named.len() == 1 { "stored file" } else { "stored files, each" };
                yes(BundlePromise::Contents, format!("{} {files} named and there", named.len()))
            }
            false => no(BundlePromise::Contents, format!("nothing names {}", list(&foreign))),
        }
    }

    fn stored_report(&self) -> BundleIssue {
        match (self.bundle.end().map(|ended| ended.report), &self.report) {
            (Some(None), _) => nothing(BundlePromise::Report, "the research ended without a report"),
            (Some(Some(digest)), Some(report)) => {
                let length = report.text.len();
                yes(BundlePromise::Report, format!("{length} bytes of text, stored as {digest}"))
            }
            (Some(Some(digest)), None) => {
                no(BundlePromise::Report, format!("{digest} is missing or unreadable"))
            }
            (None, _) => no(BundlePromise::Report, "the journal names no end".to_owned()),
        }
    }

    /// The end and its report follow from everything before it.
    fn replay(&self, means: &VerifyOptions<'_>) -> BundleIssue {
        let Some(ended) = self.bundle.end() else {
            return no(BundlePromise::Replay, BundleReplayError::NotEnded.to_string());
        };
        match self.conclude_again(means, BundlePromise::Replay, |place| !self.is_examination(place)) {
            Ok(_) if ended.report.is_none() => {
                nothing(BundlePromise::Replay, "there is no report to rebuild")
            }
            Ok(_) => yes(
                BundlePromise::Replay,
                "the report comes out again from the journal, byte for byte".to_owned(),
            ),
            Err(finding) => finding,
        }
    }

    /// What the rules found in the cited pages they find again.
    fn checks(&self, means: &VerifyOptions<'_>) -> BundleIssue {
        match self.conclude_again(means, BundlePromise::Checks, |place| self.is_examination(place)) {
            Ok(0) => nothing(BundlePromise::Checks, "no text was examined by rule"),
            Ok(count) => yes(BundlePromise::Checks, format!("{count} examined, with the same result again")),
            Err(finding) => finding,
        }
    }

    fn is_examination(&self, place: usize) -> bool {
        self.bundle.journal.get(place).is_some_and(|recorded| is_examination(&recorded.event))
    }

    fn conclude_again(
        &self,
        means: &VerifyOptions<'_>,
        promise: BundlePromise,
        wanted: impl Fn(usize) -> bool,
    ) -> Result<usize, BundleIssue> {
        let places: Vec<usize> =
            conclusions(&self.bundle.journal).into_iter().filter(|place| wanted(*place)).collect();
        for place in &places {
            match rebuild(self.bundle, *place, means.outside) {
                Ok(_) => {}
                Err(error @ BundleReplayError::NoReader(_)) => {
                    return Err(not_checked(promise, error.to_string()));
                }
                Err(error) => return Err(self.by_version(means, promise, with_causes(&error))),
            }
        }
        Ok(places.len())
    }

    /// A difference that another version may have made is not called damage.
    fn by_version(&self, means: &VerifyOptions<'_>, promise: BundlePromise, what: String) -> BundleIssue {
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

fn signature(bundle: &Bundle<'_>, means: &VerifyOptions<'_>) -> BundleIssue {
    let found = bundle.signed_by;
    match means.pinned {
        Some(wanted) if wanted == found => {
            yes(BundlePromise::Signature, format!("signed by the key you named, {found}"))
        }
        Some(_) => {
            no(BundlePromise::Signature, format!("signed by another key than the one you named: {found}"))
        }
        None => yes(
            BundlePromise::Signature,
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

fn yes(promise: BundlePromise, detail: String) -> BundleIssue {
    BundleIssue { promise, kept: PromiseStatus::Yes, detail }
}

fn no(promise: BundlePromise, detail: String) -> BundleIssue {
    BundleIssue { promise, kept: PromiseStatus::No, detail }
}

fn not_checked(promise: BundlePromise, detail: String) -> BundleIssue {
    BundleIssue { promise, kept: PromiseStatus::NotChecked, detail }
}

fn nothing(promise: BundlePromise, detail: &str) -> BundleIssue {
    BundleIssue { promise, kept: PromiseStatus::Nothing, detail: detail.to_owned() }
}

/// A list of what is wrong as one finding.
fn judged(promise: BundlePromise, wrong: &[String], fine: String) -> BundleIssue {
    if wrong.is_empty() { yes(promise, fine) } else { no(promise, list(wrong)) }
}
