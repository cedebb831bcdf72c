//! Looks behind verdicts: what a ledger calls supported or quoted must stand in the bytes that were stored.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use anyhow::Context as _;
use probity_research::{
    ledger::{Ledger, SourceState, Verdict},
    ports::Journal as _,
    web::page::Extract,
};
use probity_runner::SystemClock;
use probity_store::{Clocks, Store, StoreOptions};

use super::verdicts::letters;
use crate::foundation::laptop::random;

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
