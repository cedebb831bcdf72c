//! Which verdict counts as having caught which fault, what a ledger says about a planted sentence, and
//! what stands behind verdicts: supported or quoted words must stand in the bytes that were stored.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use anyhow::Context as _;
use probity_research::{
    ledger::{ClaimVerdict, Ledger, NotCheckedReason, SourceState, Verdict},
    ports::Journal as _,
    web::page::Extract,
};
use probity_runner::SystemClock;
use probity_store::{Clocks, Store, StoreOptions};

use super::{cases::PlantedCase, faults::SentenceFault, judged_verify::speaks_against};
use crate::foundation::laptop::random;

/// Share of a sentence's letters that a claim must have to be called that sentence's, in percent.
const SAME_PERCENT: usize = 40;

/// The verdict's words where the report has no such sentence.
pub const NO_CLAIM: &str = "no claim";

/// What became of one planted sentence.
#[derive(Debug, Clone)]
pub struct PlantedSentenceOutcome {
    pub fault: SentenceFault,
    /// Its verdict in words, of the claim that decides.
    pub verdict: String,
    pub caught: bool,
    /// Caught, or a rule speaks against it: without a judge it is left open, with the reason beside it.
    pub objected: bool,
    /// Called contradicted or not in source.
    pub refuted: bool,
    /// Called supported or quoted.
    pub passed: bool,
    /// It cites nothing in the report that was checked.
    pub uncited: bool,
}

/// What counts as caught, in words.
pub fn definition(fault: SentenceFault) -> &'static str {
    match fault {
        SentenceFault::InventedAddress | SentenceFault::DeadAddress => {
            "not checked: unreachable; in a report of ours, taken out and told, so that it cites nothing"
        }
        SentenceFault::DanglingLabel => {
            "not supported, and named among the faults of citing or not in the report at all"
        }
        SentenceFault::UncitedNumber => "not checked: cites nothing",
        SentenceFault::Copies => "one origin, counted once",
        SentenceFault::PoisonedCopy => "contradicted, or both versions shown side by side",
        SentenceFault::Verbatim | SentenceFault::TrueQuotation | SentenceFault::Reworded => {
            "a false alarm: contradicted or not in source"
        }
        _ => "contradicted, not in source, qualified or partly",
    }
}

/// `text` is the report as it was checked.
pub fn sentence_outcome(text: &str, ledger: &Ledger, case: &PlantedCase) -> PlantedSentenceOutcome {
    let claims: Vec<&ClaimVerdict> = ledger
        .claims
        .iter()
        .zip(&ledger.settled)
        .filter(|(claim, _)| is_of(&claim.words, &case.sentence, SAME_PERCENT))
        .map(|(_, settled)| settled)
        .collect();
    let any = |wanted: &dyn Fn(&Verdict) -> bool| claims.iter().any(|settled| wanted(&settled.verdict));
    let refuted = any(&|verdict| matches!(verdict, Verdict::Contradicted | Verdict::NotInSource));
    let doubted = refuted || any(&|verdict| matches!(verdict, Verdict::Qualified | Verdict::Partly));
    let passed = any(&|verdict| matches!(verdict, Verdict::Supported | Verdict::Quoted));
    let why = |wanted: NotCheckedReason| any(&|verdict| *verdict == Verdict::NotChecked { why: wanted });
    let caught = match case.fault {
        SentenceFault::InventedAddress | SentenceFault::DeadAddress => {
            let this = |told: &String| case.cites.iter().any(|url| told.contains(url.as_str()));
            let taken_out = ledger.mended.iter().any(this);
            why(NotCheckedReason::Unreachable) || (taken_out && why(NotCheckedReason::Uncited))
        }
        SentenceFault::DanglingLabel => {
            let told = ledger.mended.iter().any(|fault| fault.contains("97"));
            // Our own writer names notes, not labels: what is no note never gets into its report.
            let stands = text.contains("[97]");
            !claims.is_empty() && !passed && (told || !stands)
        }
        SentenceFault::UncitedNumber => why(NotCheckedReason::Uncited),
        SentenceFault::Copies => {
            !claims.is_empty() && claims.iter().all(|settled| one_origin(ledger, settled))
        }
        SentenceFault::PoisonedCopy => {
            let shown = |settled: &&ClaimVerdict| {
                ledger.conflicts.iter().any(|conflict| conflict.claim == settled.claim)
            };
            doubted || claims.iter().any(shown)
        }
        SentenceFault::Verbatim | SentenceFault::TrueQuotation | SentenceFault::Reworded => refuted,
        _ => doubted,
    };
    let verdict = claims.first().map_or_else(|| NO_CLAIM.to_owned(), |settled| told(settled));
    PlantedSentenceOutcome {
        fault: case.fault,
        verdict,
        caught,
        objected: caught || claims.iter().any(|settled| ledger.checks_of(settled.claim).any(speaks_against)),
        refuted,
        passed,
        uncited: why(NotCheckedReason::Uncited),
    }
}

fn told(settled: &ClaimVerdict) -> String {
    format!("{} ({})", settled.verdict, settled.reason)
}

/// All pages that it cites are one origin.
fn one_origin(ledger: &Ledger, settled: &ClaimVerdict) -> bool {
    let cites = ledger.claim(settled.claim).map(|claim| claim.cites.clone()).unwrap_or_default();
    let origins: Vec<u32> = cites
        .iter()
        .filter_map(|place| ledger.sources.get(usize::try_from(*place).ok()?))
        .map(|source| source.origin)
        .collect();
    origins.len() > 1 && origins.windows(2).all(|pair| pair.first() == pair.last()) && settled.origins <= 1
}

/// Whether a claim is this sentence, or as large a part of it.
pub fn is_of(claim: &str, sentence: &str, percent_min: usize) -> bool {
    let (claim, sentence) = (letters(claim), letters(sentence));
    let long = claim.len() * 100 >= sentence.len() * percent_min;
    (long && sentence.contains(&claim)) || claim.contains(&sentence)
}

pub fn letters(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Counts over many ledgers.
#[derive(Debug, Clone, Default)]
pub struct VerdictSupport {
    pub sentences: usize,
    pub without_verdict: usize,
    pub supported: usize,
    pub quoted: usize,
    /// Places behind `supported` and `quoted`, and those that are not what they should be.
    pub places: usize,
    pub missing: Vec<String>,
}

impl VerdictSupport {
    pub fn add(&mut self, other: Self) {
        self.sentences += other.sentences;
        self.without_verdict += other.without_verdict;
        self.supported += other.supported;
        self.quoted += other.quoted;
        self.places += other.places;
        self.missing.extend(other.missing);
    }
}

/// Reads the stored text of every page that a ledger names.
pub fn texts(ledger: &Ledger, data: &Path) -> anyhow::Result<BTreeMap<u32, String>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let clocks = Clocks::of(Arc::new(SystemClock::default()));
    let store = Store::open(data, StoreOptions::new(random(), clocks, data.join("rescue")))?;
    let mut texts = BTreeMap::new();
    for (place, source) in ledger.sources.iter().enumerate() {
        if let SourceState::Kept { extract, .. } = &source.state {
            let bytes = runtime
                .block_on(store.fetch_blob(*extract))
                .with_context(|| format!("reading {}", source.url))?;
            texts.insert(u32::try_from(place)?, Extract::decode(&bytes)?.text);
        }
    }
    Ok(texts)
}

pub fn verdict_support(ledger: &Ledger, texts: &BTreeMap<u32, String>) -> VerdictSupport {
    let mut behind = VerdictSupport { sentences: ledger.sentences.len(), ..VerdictSupport::default() };
    for sentence in &ledger.sentences {
        let has =
            !sentence.claims.is_empty() && sentence.claims.iter().all(|id| ledger.verdict(*id).is_some());
        behind.without_verdict += usize::from(!has);
    }
    for (claim, settled) in ledger.claims.iter().zip(&ledger.settled) {
        match settled.verdict {
            Verdict::Supported => behind.supported += 1,
            Verdict::Quoted => behind.quoted += 1,
            _ => continue,
        }
        behind.places += 1;
        let text = settled.source.and_then(|place| texts.get(&place));
        let words = text.zip(settled.span).and_then(|(text, (start, end))| text.get(start..end));
        let stands = match (words, settled.verdict == Verdict::Quoted) {
            // The words of the report, letter by letter.
            (Some(words), true) => {
                let page = letters(words);
                let quotations = claim.quotations.iter().map(|quotation| letters(quotation));
                quotations.chain([letters(&claim.words)]).any(|quotation| quotation == page)
            }
            (Some(words), false) => words.chars().any(char::is_alphanumeric),
            (None, _) => false,
        };
        if !stands {
            behind.missing.push(format!("{:?}: {} / page: {words:?}", settled.verdict, claim.words));
        }
    }
    for passage in &ledger.passages {
        let text = texts.get(&passage.source).and_then(|text| text.get(passage.start..passage.end));
        behind.places += 1;
        if text != Some(passage.text.as_str()) {
            behind.missing.push(format!("a passage: {}", passage.text));
        }
    }
    behind
}
