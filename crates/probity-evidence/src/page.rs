//! A page's text prepared for many queries: its sentences, words and numbers, each with its bytes.
//!
//! Built once per page. Reference marks such as `[12]` are not words of it. Words are numbered, so that a
//! query is a lookup and never a second parse.

pub mod sentences;

use std::sync::Arc;

use crate::{
    hash::QuickMap,
    words::{
        self, LetterCase, WordKind, WordRef,
        stop::{SmallWord, small_word},
    },
};

/// Digits of a reference mark. With four it may be a year, as in the names of court cases.
const MARK_BYTES_MAX: usize = 3;

/// A word's number in this page; stems have one too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(u32);

impl TermId {
    /// Its place among all terms of the page.
    pub(crate) fn place(self) -> usize {
        self.0 as usize
    }
}

/// A word with its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageWord {
    pub start: usize,
    pub end: usize,
    pub term: TermId,
    pub sentence: u32,
    pub kind: WordKind,
    pub case: LetterCase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageSentence {
    pub start: usize,
    pub end: usize,
    /// Its words: places in `IndexedPage::words`.
    pub first_word: usize,
    pub last_word: usize,
}

#[derive(Debug, Clone)]
struct TermEntry {
    folded: Arc<str>,
    stem: TermId,
    small: SmallWord,
    /// Occurs somewhere on the page in lower case.
    seen_lower: bool,
}

#[derive(Debug, Clone)]
pub struct IndexedPage {
    text: Box<str>,
    sentences: Vec<PageSentence>,
    words: Vec<PageWord>,
    /// Each text is kept once, for the map and for its entry.
    terms: QuickMap<Arc<str>, TermId>,
    entries: Vec<TermEntry>,
    occurrences: TermLists<u32>,
    /// By stem: the sentences that have it, with how often.
    postings: TermLists<(u32, u32)>,
}

impl IndexedPage {
    pub fn new(text: &str) -> Self {
        Self::with_word_observer(text, |_| {})
    }

    /// The same, with every word passed to a second consumer, so that a text is parsed once. Reference marks
    /// are passed too.
    pub fn with_word_observer(text: &str, also: impl FnMut(WordRef<'_>)) -> Self {
        let ranges = sentences::sentences(text);
        let mut page = Self {
            text: text.into(),
            sentences: Vec::with_capacity(ranges.len()),
            words: Vec::with_capacity(text.len() / 6),
            terms: QuickMap::with_capacity_and_hasher(text.len() / 16, Default::default()),
            entries: Vec::with_capacity(text.len() / 16),
            occurrences: TermLists::default(),
            postings: TermLists::default(),
        };
        page.read_words(text, &ranges, also);
        page.list_sentences(&ranges);
        page.occurrences = page.list_places();
        page.postings = page.count_stems();
        page
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn sentences(&self) -> &[PageSentence] {
        &self.sentences
    }

    pub fn words(&self) -> &[PageWord] {
        &self.words
    }

    pub fn words_of(&self, sentence: &PageSentence) -> &[PageWord] {
        self.words.get(sentence.first_word..sentence.last_word).unwrap_or_default()
    }

    pub fn sentence_text(&self, sentence: &PageSentence) -> &str {
        self.text.get(sentence.start..sentence.end).unwrap_or_default()
    }

    /// The number of a folded word, if the page has it (or has a word of that stem).
    pub fn term(&self, folded: &str) -> Option<TermId> {
        self.terms.get(folded).copied()
    }

    pub fn has_word(&self, folded: &str) -> bool {
        self.term(folded).is_some_and(|term| !self.occurrences(term).is_empty())
    }

    /// How many terms it has, stems among them.
    pub(crate) fn term_count(&self) -> usize {
        self.entries.len()
    }

    pub fn folded(&self, term: TermId) -> &str {
        self.entry(term).map_or("", |entry| &entry.folded)
    }

    pub fn is_stop_word(&self, term: TermId) -> bool {
        self.entry(term).is_some_and(|entry| entry.small.is_stop_word)
    }

    /// The languages that have the word as a small one, one bit each.
    pub(crate) fn languages_of(&self, term: TermId) -> u8 {
        self.entry(term).map_or(0, |entry| entry.small.languages)
    }

    pub fn seen_lower(&self, term: TermId) -> bool {
        self.entry(term).is_some_and(|entry| entry.seen_lower)
    }

    pub fn stem_of(&self, term: TermId) -> TermId {
        self.entry(term).map_or(term, |entry| entry.stem)
    }

    /// Where a word occurs: places in `words`, ascending.
    pub fn occurrences(&self, term: TermId) -> &[u32] {
        self.occurrences.get(term)
    }

    /// Sentences with a word of this stem (the number of the stem itself), and how often they have it.
    pub fn postings(&self, stem: TermId) -> &[(u32, u32)] {
        self.postings.get(stem)
    }

    /// Every different number on the page, folded.
    pub fn numbers(&self) -> impl Iterator<Item = &str> {
        let standing = self.entries.iter().zip(0_u32..).filter(|(_, place)| {
            let first = self.occurrences(TermId(*place)).first();
            first
                .and_then(|word| self.words.get(*word as usize))
                .is_some_and(|word| word.kind == WordKind::Number)
        });
        standing.map(|(entry, _)| &*entry.folded)
    }

    fn entry(&self, term: TermId) -> Option<&TermEntry> {
        self.entries.get(term.0 as usize)
    }

    fn read_words(&mut self, text: &str, ranges: &[(usize, usize)], mut also: impl FnMut(WordRef<'_>)) {
        let mut sentence = 0_usize;
        words::each_word(text, |seen| {
            also(seen);
            if is_reference_mark(text, seen.start, seen.end) {
                return;
            }
            while ranges.get(sentence).is_some_and(|(_, end)| *end <= seen.start) {
                sentence += 1;
            }
            let term = self.intern(seen.folded);
            if seen.case == LetterCase::Lower
                && let Some(entry) = self.entries.get_mut(term.0 as usize)
            {
                entry.seen_lower = true;
            }
            self.words.push(PageWord {
                start: seen.start,
                end: seen.end,
                term,
                sentence: u32::try_from(sentence).unwrap_or(u32::MAX),
                kind: seen.kind,
                case: seen.case,
            });
        });
    }

    fn intern(&mut self, folded: &str) -> TermId {
        if let Some(term) = self.terms.get(folded) {
            return *term;
        }
        let term = self.add_term(folded);
        let stem = words::stem(folded);
        // A stem's own stem is itself: the chain has one link.
        let stem = if stem == folded { term } else { self.intern_stem(stem) };
        if let Some(entry) = self.entries.get_mut(term.0 as usize) {
            entry.stem = stem;
        }
        term
    }

    fn intern_stem(&mut self, stem: &str) -> TermId {
        if let Some(term) = self.terms.get(stem) {
            return *term;
        }
        self.add_term(stem)
    }

    /// A term that the page did not have so far; its own stem until another is known.
    fn add_term(&mut self, folded: &str) -> TermId {
        let term = TermId(u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
        let text: Arc<str> = folded.into();
        self.terms.insert(Arc::clone(&text), term);
        let small = small_word(folded);
        self.entries.push(TermEntry { folded: text, stem: term, small, seen_lower: false });
        term
    }

    fn list_sentences(&mut self, ranges: &[(usize, usize)]) {
        let mut word = 0_usize;
        for (start, end) in ranges {
            let first_word = word;
            while self.words.get(word).is_some_and(|word| word.start < *end) {
                word += 1;
            }
            self.sentences.push(PageSentence { start: *start, end: *end, first_word, last_word: word });
        }
    }

    fn count_stems(&self) -> TermLists<(u32, u32)> {
        // Words come sentence by sentence: a stem's last sentence is all that must be known.
        let mut last: Vec<Option<(u32, usize)>> = vec![None; self.entries.len()];
        let mut counted: Vec<(TermId, (u32, u32))> = Vec::with_capacity(self.words.len());
        for word in &self.words {
            let stem = self.stem_of(word.term);
            let Some(last) = last.get_mut(stem.0 as usize) else { continue };
            match *last {
                Some((sentence, place)) if sentence == word.sentence => {
                    counted.get_mut(place).into_iter().for_each(|(_, (_, count))| *count += 1);
                }
                _ => {
                    *last = Some((word.sentence, counted.len()));
                    counted.push((stem, (word.sentence, 1)));
                }
            }
        }
        TermLists::of(self.entries.len(), &counted)
    }

    fn list_places(&self) -> TermLists<u32> {
        let pairs: Vec<(TermId, u32)> = self.words.iter().map(|word| word.term).zip(0_u32..).collect();
        TermLists::of(self.entries.len(), &pairs)
    }
}

/// `[12]`, `[a]`: refers to a note and says nothing.
fn is_reference_mark(text: &str, start: usize, end: usize) -> bool {
    let enclosed = text.as_bytes().get(end) == Some(&b']')
        && start.checked_sub(1).and_then(|before| text.as_bytes().get(before)) == Some(&b'[');
    let inside = text.get(start..end).unwrap_or_default();
    let number = inside.len() <= MARK_BYTES_MAX && inside.bytes().all(|byte| byte.is_ascii_digit());
    enclosed && (number || (inside.len() == 1 && inside.bytes().all(|byte| byte.is_ascii_lowercase())))
}

/// A list for each term, all in one allocation.
#[derive(Debug, Clone)]
struct TermLists<T> {
    /// Where each term's list ends.
    ends: Vec<u32>,
    items: Vec<T>,
}

impl<T> Default for TermLists<T> {
    fn default() -> Self {
        Self { ends: Vec::new(), items: Vec::new() }
    }
}

impl<T: Copy + Default> TermLists<T> {
    /// Each list in the order of the pairs. Counts first, so that nothing has to be sorted.
    fn of(terms: usize, pairs: &[(TermId, T)]) -> Self {
        let mut ends = vec![0_u32; terms];
        for (term, _) in pairs {
            ends.get_mut(term.0 as usize).into_iter().for_each(|count| *count += 1);
        }
        // Where each list begins; filling it moves that to where it ends.
        let mut begin = 0;
        for end in &mut ends {
            begin += std::mem::replace(end, begin);
        }
        let mut items = vec![T::default(); pairs.len()];
        for (term, item) in pairs {
            let Some(end) = ends.get_mut(term.0 as usize) else { continue };
            items.get_mut(*end as usize).into_iter().for_each(|place| *place = *item);
            *end += 1;
        }
        Self { ends, items }
    }

    fn get(&self, term: TermId) -> &[T] {
        let place = term.0 as usize;
        let start = place.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(place).copied().unwrap_or(0);
        self.items.get(start as usize..end as usize).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
