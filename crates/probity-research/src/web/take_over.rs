//! Which pages and quotations of a finished research a further question on it begins with: by rule, without a model.
//!
//! A research on the web engine has quotations already; of any other, and beside them, the stored pages are searched for
//! sentences that share words with the question. Files of the user's own are never taken over: they are read again where
//! their folder is named again.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use probity_types::inquiry::{QuoteId, QuoteRole, SurveyedQuote};

use super::{
    page::{Extract, Provenance},
    parent::{FollowUpKind, ParentBank, ParentPage},
    passages,
    state::{WebState, to_count, to_index},
    task::PageMetadata,
};
use crate::{id::Digest, report::Report, state::RunState, text};

/// Stored pages that are looked at: they are written into the plan, a few kilobytes each.
const PAGES_MAX: usize = 60;
/// Quotations that one answer is written from, and that a research begins with.
const ASK_QUOTES_MAX: usize = 40;
const SEARCH_QUOTES_MAX: usize = 120;
/// The same in bytes: about 6,000 and 16,000 tokens.
const ASK_BYTES_MAX: usize = 24 * 1024;
const SEARCH_BYTES_MAX: usize = 64 * 1024;
/// Sentences of the parent's report that a writer is told not to repeat, and the longest of them.
const TOLD_MAX: usize = 24;
const TOLD_CHARACTERS_MAX: usize = 200;
const TOLD_CHARACTERS_MIN: usize = 30;
/// Shorter words are not taken for another form of a word that begins alike.
const STEM_CHARACTERS_MIN: usize = 4;

/// Pages of the run that are stored and may be shown to any model, those that were quoted first.
pub fn stored_pages(parent: &RunState) -> Vec<&PageMetadata> {
    let gathering = parent.web_state.as_deref();
    let quoted: BTreeSet<u32> =
        gathering.into_iter().flat_map(|of| &of.notes).map(|note| note.page).collect();
    let mut read: Vec<(bool, &PageMetadata)> = gathering
        .into_iter()
        .flat_map(|of| of.pages.iter().enumerate())
        .map(|(place, page)| (!quoted.contains(&to_count(place)), &page.metadata))
        .collect();
    read.sort_by_key(|(unquoted, _)| *unquoted);
    let cited = parent
        .check_state
        .as_deref()
        .into_iter()
        .flat_map(|of| &of.page_lookups)
        .filter_map(|lookup| lookup.found.as_deref().ok());
    let mut seen = BTreeSet::new();
    read.into_iter()
        .map(|(_, page)| page)
        .chain(cited)
        .filter(|page| page.record.provenance != Provenance::LocalFile)
        .filter(|page| !gathering.is_some_and(|of| of.is_page_of_banned(page)))
        .filter(|page| seen.insert(page.extract))
        .take(PAGES_MAX)
        .collect()
}

/// What a further question on `parent` begins with. `texts` are the stored texts of its pages; a page without one is
/// left out.
pub fn parent_bank(
    parent: &RunState,
    report: &Report,
    texts: &BTreeMap<Digest, Extract>,
    question: &str,
    kind: FollowUpKind,
) -> ParentBank {
    let pages: Vec<&PageMetadata> =
        stored_pages(parent).into_iter().filter(|page| texts.contains_key(&page.extract)).collect();
    let wanted = passages::words(question);
    let mut found = known_quotes(parent, report);
    // A quotation points into a text that is here; those of other pages would only take the room of these.
    found.retain(|known| {
        let is_here = pages.iter().any(|page| page.extract == known.extract);
        let text = texts.get(&known.extract).map(|extract| extract.text.as_str());
        is_here && text.is_some_and(|text| text.get(known.quote.start..known.quote.end).is_some())
    });
    for page in &pages {
        let by_rule = texts.get(&page.extract).map(|extract| passages::note(extract, question).quotes);
        for quote in by_rule.into_iter().flatten() {
            let overlaps = |known: &FoundQuote| {
                known.extract == page.extract
                    && known.quote.start < quote.end
                    && quote.start < known.quote.end
            };
            if !found.iter().any(overlaps) {
                found.push(FoundQuote {
                    extract: page.extract,
                    question: question.to_owned(),
                    is_told: false,
                    quote: surveyed(quote.start, quote.end, quote.text),
                });
            }
        }
    }
    let chosen = choose(found, &wanted, kind);
    let pages = pages.into_iter().filter_map(|page| parent_page(page, &chosen, kind, question)).collect();
    let told = match kind {
        FollowUpKind::Ask => Vec::new(),
        FollowUpKind::Search => told_sentences(report),
    };
    let gathering = parent.web_state.as_deref();
    let banned = gathering.into_iter().flat_map(WebState::banned_sites).map(str::to_owned).collect();
    ParentBank { kind, pages, told, banned }
}

/// A quotation on a stored page.
struct FoundQuote {
    /// Of the page's text.
    extract: Digest,
    /// What it was quoted for.
    question: String,
    /// The parent's report rests on it.
    is_told: bool,
    quote: SurveyedQuote,
}

fn surveyed(start: usize, end: usize, text: String) -> SurveyedQuote {
    SurveyedQuote { start, end, text, facets: Vec::new(), role: QuoteRole::default(), facts: Vec::new() }
}

/// The parent's own quotations that may be written from.
fn known_quotes(parent: &RunState, report: &Report) -> Vec<FoundQuote> {
    let Some(gathering) = parent.web_state.as_deref() else { return Vec::new() };
    let told: BTreeSet<u32> = report
        .web
        .iter()
        .flat_map(|record| record.sentences.iter())
        .flat_map(|sentence| sentence.notes.iter().copied())
        .collect();
    let usable = usable(gathering);
    let mut known = Vec::new();
    for (place, of) in gathering.notes.iter().enumerate() {
        let Some(page) = gathering.pages.get(to_index(of.page)) else { continue };
        if usable.as_ref().is_some_and(|usable| !usable.contains(&QuoteId::at(place))) {
            continue;
        }
        let typed = gathering.inquiry.as_ref().and_then(|inquiry| inquiry.bank.quotes.get(place));
        for quote in &of.note.quotes {
            let plain = surveyed(quote.start, quote.end, quote.text.clone());
            let quote = match typed {
                Some(typed) => SurveyedQuote { role: typed.role, facts: typed.facts.clone(), ..plain },
                None => plain,
            };
            known.push(FoundQuote {
                extract: page.metadata.extract,
                question: of.question.clone(),
                is_told: told.contains(&to_count(place)),
                quote,
            });
        }
    }
    known
}

/// Quotations of a bank that are neither copies nor in doubt; none without a bank.
fn usable(gathering: &WebState) -> Option<BTreeSet<QuoteId>> {
    let inquiry = gathering.inquiry.as_ref()?;
    Some(inquiry.bank.usable().map(|(id, _)| id).collect())
}

/// The ones that bear on the question, best first, as many as are worth it. A search also begins with what the parent
/// found and its report did not tell.
fn choose(found: Vec<FoundQuote>, wanted: &BTreeSet<String>, kind: FollowUpKind) -> Vec<FoundQuote> {
    let (most, mut bytes_left) = match kind {
        FollowUpKind::Ask => (ASK_QUOTES_MAX, ASK_BYTES_MAX),
        FollowUpKind::Search => (SEARCH_QUOTES_MAX, SEARCH_BYTES_MAX),
    };
    // One shared word is enough for an answer that says itself what it does not find. What was told is told again only
    // where the question is about it.
    let about_it = if wanted.len() > 2 { 2 } else { 1 };
    let needed = |quote: &FoundQuote| match (kind, quote.is_told) {
        (FollowUpKind::Ask, _) => 1,
        (FollowUpKind::Search, true) => about_it,
        (FollowUpKind::Search, false) => 0,
    };
    let mut ranked: Vec<(usize, FoundQuote)> = found
        .into_iter()
        .map(|quote| (shared(wanted, &quote.quote.text), quote))
        .filter(|(score, quote)| *score >= needed(quote))
        .collect();
    ranked.sort_by_key(|(score, _)| Reverse(*score));
    let mut chosen = Vec::new();
    for (_, quote) in ranked {
        let bytes = quote.quote.text.len();
        if chosen.len() < most && bytes <= bytes_left {
            bytes_left -= bytes;
            chosen.push(quote);
        }
    }
    chosen
}

/// Words of the question that a text has, in any form that begins alike: `cost` and `costs`.
fn shared(wanted: &BTreeSet<String>, text: &str) -> usize {
    let words = passages::words(text);
    let is_long = |word: &str| word.chars().count() >= STEM_CHARACTERS_MIN;
    let alike = |one: &str, other: &str| {
        is_long(one) && is_long(other) && (one.starts_with(other) || other.starts_with(one))
    };
    let has = |word: &&String| {
        words.contains(word.as_str()) || words.iter().any(|other| alike(word.as_str(), other.as_str()))
    };
    wanted.iter().filter(has).count()
}

/// An answer needs the pages that it quotes; a search knows all of them, so that none is fetched again.
fn parent_page(
    page: &PageMetadata,
    chosen: &[FoundQuote],
    kind: FollowUpKind,
    question: &str,
) -> Option<ParentPage> {
    let of_page: Vec<&FoundQuote> = chosen.iter().filter(|quote| quote.extract == page.extract).collect();
    if of_page.is_empty() && kind == FollowUpKind::Ask {
        return None;
    }
    let read_for = of_page.first().map_or(question, |quote| quote.question.as_str());
    let mut quotes: Vec<SurveyedQuote> = of_page.iter().map(|quote| quote.quote.clone()).collect();
    quotes.sort_by_key(|quote| quote.start);
    // Links are for readers of pages, and this one is read.
    let metadata = PageMetadata { links: Vec::new(), ..page.clone() };
    Some(ParentPage { metadata, question: read_for.to_owned(), quotes })
}

/// What the parent's report told. Sentences that rest on files of the user's own are not among them: a writer elsewhere
/// would see them.
fn told_sentences(report: &Report) -> Vec<String> {
    let ranges: Vec<(usize, usize)> = match &report.web {
        Some(record) => {
            let is_own = |note: &u32| {
                let page = record.notes.get(to_index(*note)).map(|note| to_index(note.page));
                let page = page.and_then(|page| record.pages.get(page));
                page.is_none_or(|page| page.record.provenance == Provenance::LocalFile)
            };
            let shown = record.sentences.iter().filter(|sentence| !sentence.notes.iter().any(is_own));
            shown.filter(|sentence| !sentence.notes.is_empty()).map(|of| (of.start, of.end)).collect()
        }
        None => passages::sentences(&report.text),
    };
    ranges
        .into_iter()
        .filter_map(|(start, end)| report.text.get(start..end))
        .filter(|sentence| !sentence.starts_with(['#', '>', '|', '[']))
        .map(|sentence| text::line(sentence, TOLD_CHARACTERS_MAX))
        .filter(|sentence| sentence.chars().count() >= TOLD_CHARACTERS_MIN)
        .take(TOLD_MAX)
        .collect()
}
