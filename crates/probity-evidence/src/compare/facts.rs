//! Properties of a page, independent of any claim: its values, spellings without diacritics, and acronyms.

use std::sync::{Arc, OnceLock};

use super::{header_units, reading::Lexeme};
use crate::{
    hash::QuickSet,
    names,
    page::{IndexedPage, TermId},
    value::{self, TextValues, scan},
    word_set::WordSet,
    words::{LetterCase, WordKind, stop::LanguageCounts},
};

/// Letters that two words must share at their front to count as related (`America`, `American`).
pub(super) const FRONT_LETTERS: usize = 5;
/// Words of the long form of an acronym.
const LONG_FORM_WORDS_MAX: usize = 7;

/// A table has a header and two rows.
const TABLE_ROWS_MIN: usize = 3;

/// Made once per page, used for every claim that cites it.
#[derive(Debug, Clone)]
pub struct PageFacts {
    pub(super) values: TextValues,
    /// Every word without diacritics.
    plain: WordSet,
    /// The first letters of every longer word.
    fronts: WordSet,
    /// Acronyms that capitalised runs of the page would have.
    initials: WordSet,
    /// Stems that are neighbours, small words left out.
    neighbours: QuickSet<(TermId, TermId)>,
    /// Sentences that are the rows of one table: the first, and the one behind the last.
    tables: Vec<(usize, usize)>,
    /// Most of its small words are English.
    pub(super) is_english: bool,
    /// By term, found when a sentence with it is first read.
    lexemes: Vec<OnceLock<Arc<Lexeme>>>,
}

impl PageFacts {
    pub fn of(page: &IndexedPage) -> Self {
        let room = page.words().len() / 4;
        let mut facts = Self {
            values: value::values(page.text()),
            plain: WordSet::with_room(room),
            fronts: WordSet::with_room(room),
            initials: WordSet::default(),
            neighbours: QuickSet::with_capacity_and_hasher(page.words().len(), Default::default()),
            tables: tables(page),
            is_english: false,
            lexemes: vec![OnceLock::new(); page.term_count()],
        };
        let mut spelled = vec![false; page.term_count()];
        let mut languages = LanguageCounts::default();
        let mut run = AcronymRun::default();
        let mut before: Option<TermId> = None;
        let mut last_end = 0;
        for word in page.words() {
            let folded = page.folded(word.term);
            if word.kind == WordKind::Plain
                && let Some(known) = spelled.get_mut(word.term.place())
                && !std::mem::replace(known, true)
            {
                facts.spelling(folded);
                languages.add(page.languages_of(word.term));
            }
            facts.long_form(&mut run, folded, word.case);
            // A hyphen between two words of a long form is one more letter boundary: nothing to do. A full stop ends it.
            let between = page.text().as_bytes().get(last_end..word.start).unwrap_or_default();
            if between.iter().any(|byte| matches!(byte, b'.' | b';' | b':' | b'\n')) {
                run.clear();
                if word.case != LetterCase::Lower {
                    run.push(folded);
                }
            }
            last_end = word.end;
            if page.is_stop_word(word.term) {
                continue;
            }
            let stem = page.stem_of(word.term);
            if let Some(before) = before {
                facts.neighbours.insert((before, stem));
            }
            before = Some(stem);
        }
        facts.is_english = languages.most(1) == Some("en");
        header_units::join(page, &facts.tables, &mut facts.values.numbers);
        facts
    }

    fn spelling(&mut self, folded: &str) {
        let plain = names::as_plain_token(folded);
        if let Some(front) = front(&plain) {
            self.fronts.insert(front);
        }
        self.plain.insert(&plain);
    }

    /// Collects the initials of capitalised words in a row; small words may be between.
    fn long_form(&mut self, run: &mut AcronymRun, folded: &str, case: LetterCase) {
        if case == LetterCase::Lower {
            if !run.begins.is_empty()
                && !matches!(
                    folded,
                    "of" | "the" | "and" | "for" | "de" | "la" | "für" | "der" | "des" | "du" | "et" | "y"
                )
            {
                run.clear();
            }
            return;
        }
        run.push(folded);
        // From the last two words on.
        for begin in run.begins.iter().rev().skip(1).take(LONG_FORM_WORDS_MAX - 1) {
            self.initials.insert(run.letters.get(*begin..).unwrap_or_default());
        }
    }

    /// What is known of a word of this page.
    pub(super) fn lexeme(&self, page: &IndexedPage, term: TermId) -> Arc<Lexeme> {
        let read = || Arc::new(Lexeme::of(page.folded(term)));
        self.lexemes.get(term.place()).map_or_else(read, |known| Arc::clone(known.get_or_init(read)))
    }

    /// The tables of its text, as places of sentences.
    pub(super) fn tables(&self) -> &[(usize, usize)] {
        &self.tables
    }

    /// Its numbers and dates.
    pub(crate) fn values(&self) -> &TextValues {
        &self.values
    }

    /// The page has these two stems side by side.
    pub(super) fn are_neighbours(&self, left: TermId, right: TermId) -> bool {
        self.neighbours.contains(&(left, right))
    }

    /// The page has a word spelled so, diacritics apart.
    pub(crate) fn has_plain(&self, plain: &str) -> bool {
        self.plain.contains(plain)
    }

    /// The page has a longer word that begins alike.
    pub(super) fn has_front(&self, plain: &str) -> bool {
        front(plain).is_some_and(|front| self.fronts.contains(front))
    }

    /// The page has capitalised words with these initials.
    pub(super) fn has_initials(&self, acronym: &str) -> bool {
        self.initials.contains(acronym)
    }
}

/// Runs of sentences that have cells.
fn tables(page: &IndexedPage) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (place, sentence) in page.sentences().iter().enumerate() {
        if !page.sentence_text(sentence).contains(" | ") {
            continue;
        }
        match found.last_mut() {
            Some((_, end)) if *end == place => *end += 1,
            _ => found.push((place, place + 1)),
        }
    }
    found.retain(|(first, last)| last - first >= TABLE_ROWS_MIN);
    found
}

/// The first letters of a word that is long enough to be told by them.
fn front(plain: &str) -> Option<&str> {
    let (place, letter) = plain.char_indices().nth(FRONT_LETTERS - 1)?;
    plain.get(..place + letter.len_utf8())
}

/// The first letters of capitalised words in a row, as an acronym would have them.
#[derive(Debug, Default)]
struct AcronymRun {
    letters: String,
    /// Where each word's letter begins.
    begins: Vec<usize>,
}

impl AcronymRun {
    fn push(&mut self, folded: &str) {
        if let Some(first) = folded.chars().next() {
            self.begins.push(self.letters.len());
            self.letters.push_str(&scan::folded(first.encode_utf8(&mut [0; 4])));
        }
    }

    fn clear(&mut self) {
        self.letters.clear();
        self.begins.clear();
    }
}
