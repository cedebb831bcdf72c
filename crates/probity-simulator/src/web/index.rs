//! Keyword search over the pages: more of the asked words is better, a word in the title counts three times,
//! and equals stay in the order they were added. Same question, same ranking.

use std::collections::BTreeSet;

use super::page::SmallWebPage;

/// Stop words.
const STOP_WORDS: [&str; 44] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "did", "do", "does", "for", "from", "has",
    "have", "how", "in", "is", "it", "its", "many", "much", "not", "of", "on", "or", "that", "the", "their",
    "this", "to", "was", "were", "what", "when", "where", "which", "who", "why", "will", "with", "than",
    "you",
];
const TITLE_WEIGHT: usize = 3;
const SNIPPET_CHARACTERS_MAX: usize = 300;

#[derive(Debug)]
pub(super) struct IndexEntry {
    pub(super) page: SmallWebPage,
    title_words: BTreeSet<String>,
    text_words: BTreeSet<String>,
}

impl IndexEntry {
    pub(super) fn new(page: SmallWebPage) -> Self {
        Self { title_words: words(&page.title).collect(), text_words: words(&page.text).collect(), page }
    }
}

/// What a search is for, whichever API asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct IndexQuery {
    pub(super) query: String,
    pub(super) count: usize,
    /// `YYYY-MM-DD`, both ends included.
    pub(super) after: Option<String>,
    pub(super) before: Option<String>,
    pub(super) domains: Vec<String>,
    pub(super) domains_excluded: Vec<String>,
    pub(super) language: Option<String>,
}

#[derive(Debug)]
pub(super) struct IndexHit<'web> {
    pub(super) page: &'web SmallWebPage,
    /// Place among all pages: numbers that APIs give to their records.
    pub(super) place: usize,
    pub(super) snippet: String,
    /// Between 0 and 1.
    pub(super) score: f64,
}

impl IndexQuery {
    /// The same with `site:` operators of the query applied.
    pub(super) fn with_operators(mut self) -> Self {
        let mut kept = Vec::new();
        for word in self.query.split_whitespace() {
            if let Some(domain) = word.strip_prefix("-site:") {
                self.domains_excluded.push(domain.to_owned());
            } else if let Some(domain) = word.trim_start_matches('(').strip_prefix("site:") {
                self.domains.push(domain.trim_end_matches(')').to_owned());
            } else if word != "OR" && word != "AND" {
                kept.push(word);
            }
        }
        self.query = kept.join(" ");
        self
    }

    fn matches_filters(&self, page: &SmallWebPage, provider: &str) -> bool {
        let listed =
            !page.unlisted && (page.known_to.is_empty() || page.known_to.iter().any(|name| name == provider));
        let host = page.place().map(|(host, _)| host).unwrap_or_default();
        let inside = |domain: &String| host == *domain || host.ends_with(&format!(".{domain}"));
        let published = page.published.as_deref();
        listed
            && (self.domains.is_empty() || self.domains.iter().any(inside))
            && !self.domains_excluded.iter().any(inside)
            && self.after.as_deref().is_none_or(|after| published.is_some_and(|date| date >= after))
            && self.before.as_deref().is_none_or(|before| published.is_some_and(|date| date <= before))
            && self
                .language
                .as_deref()
                .is_none_or(|wanted| page.language.as_deref().unwrap_or("en") == wanted)
    }
}

/// The matching pages, best first.
pub(super) fn search<'web>(
    entries: &'web [IndexEntry],
    asked: &IndexQuery,
    provider: &str,
) -> Vec<IndexHit<'web>> {
    let wanted: BTreeSet<String> = words(&asked.query).collect();
    let best = wanted.len().saturating_mul(TITLE_WEIGHT).max(1);
    let mut scored: Vec<(usize, usize, &IndexEntry)> = entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| asked.matches_filters(&entry.page, provider))
        .map(|(place, entry)| (score(entry, &wanted), place, entry))
        .filter(|(score, ..)| *score > 0)
        .collect();
    scored.sort_by_key(|(score, place, _)| (std::cmp::Reverse(*score), *place));
    scored.truncate(asked.count);
    scored
        .into_iter()
        .map(|(score, place, entry)| IndexHit {
            page: &entry.page,
            place,
            snippet: snippet(&entry.page, &wanted),
            score: score as f64 / best as f64,
        })
        .collect()
}

fn score(entry: &IndexEntry, wanted: &BTreeSet<String>) -> usize {
    let one = |word: &String| {
        if entry.title_words.contains(word) {
            TITLE_WEIGHT
        } else {
            usize::from(entry.text_words.contains(word))
        }
    };
    wanted.iter().map(one).sum()
}

/// The paragraph with most of the asked words, cut to a snippet's length.
fn snippet(page: &SmallWebPage, wanted: &BTreeSet<String>) -> String {
    let hits = |paragraph: &&str| words(paragraph).filter(|word| wanted.contains(word)).count();
    let paragraphs: Vec<&str> = page.text.split("\n\n").collect();
    // The first of equals: `max_by_key` takes the last.
    let best = paragraphs.iter().rev().max_by_key(|paragraph| hits(paragraph)).copied().unwrap_or_default();
    best.chars().take(SNIPPET_CHARACTERS_MAX).collect()
}

/// Lower-case words without plural endings and without those that say nothing.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .filter(|word| !STOP_WORDS.contains(&word.as_str()))
        .map(|word| match word.strip_suffix('s') {
            Some(stem) if stem.len() > 3 => stem.to_owned(),
            _ => word,
        })
}
