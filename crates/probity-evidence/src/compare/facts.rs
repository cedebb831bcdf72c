//! What belongs to a page whatever is asked of it: its values, spellings without diacritics, and acronyms.

use std::collections::HashSet;

use crate::{
    names,
    page::Page,
    value::{self, Values, scan::fold},
    words::{Case, Kind},
};

/// Letters that two words must share at their front to be taken for relatives (`America`, `American`).
pub(super) const FRONT_LETTERS: usize = 5;
/// Words of a long form behind an acronym.
const LONG_FORM_WORDS_MAX: usize = 7;

/// Made once per page, used for every claim that cites it.
#[derive(Debug, Clone)]
pub struct PageFacts {
    pub(super) values: Values,
    /// Every word without diacritics.
    plain: HashSet<Box<str>>,
    /// The first letters of every longer word.
    fronts: HashSet<Box<str>>,
    /// Acronyms that capitalised runs of the page would have.
    initials: HashSet<Box<str>>,
    /// Neighbouring words, both stems, as one number each.
    pub(super) neighbours: HashSet<u64>,
}

impl PageFacts {
    pub fn of(page: &Page) -> Self {
        let mut facts = Self {
            values: value::values(page.text()),
            plain: HashSet::with_capacity(page.words().len() / 2),
            fronts: HashSet::with_capacity(page.words().len() / 2),
            initials: HashSet::new(),
            neighbours: HashSet::with_capacity(page.words().len()),
        };
        let mut run: Vec<char> = Vec::new();
        let mut before: Option<&str> = None;
        let mut last_end = 0;
        for word in page.words() {
            let folded = page.folded(word.term);
            facts.spelling(folded, word.kind);
            facts.long_form(&mut run, folded, word.case);
            // A hyphen between two words of a long form is one more letter boundary: nothing to do. A full stop ends it.
            if page
                .text()
                .get(last_end..word.start)
                .is_some_and(|between| between.contains(['.', ';', ':', '\n']))
            {
                run.clear();
                if word.case != Case::Lower {
                    run.extend(folded.chars().next());
                }
            }
            last_end = word.end;
            if page.is_stop_word(word.term) {
                continue;
            }
            let stem = page.folded(page.stem_of(word.term));
            if let Some(before) = before {
                facts.neighbours.insert(pair(before, stem));
            }
            before = Some(stem);
        }
        facts
    }

    fn spelling(&mut self, folded: &str, kind: Kind) {
        if kind != Kind::Plain || self.plain.contains(folded) {
            return;
        }
        let plain = names::plain_token(folded);
        if let Some(front) = front(&plain) {
            self.fronts.insert(front.into());
        }
        self.plain.insert(plain.into());
    }

    /// Collects the initials of capitalised words in a row; small words may stand between.
    fn long_form(&mut self, run: &mut Vec<char>, folded: &str, case: Case) {
        if case == Case::Lower {
            if !matches!(
                folded,
                "of" | "the" | "and" | "for" | "de" | "la" | "für" | "der" | "des" | "du" | "et" | "y"
            ) {
                run.clear();
            }
            return;
        }
        run.extend(folded.chars().next());
        let length = run.len();
        for words in 2..=LONG_FORM_WORDS_MAX.min(length) {
            let initials: String = run.iter().skip(length - words).collect();
            self.initials.insert(fold(&initials).into());
        }
    }

    /// The page has a word spelled so, diacritics apart.
    pub(super) fn has_plain(&self, plain: &str) -> bool {
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

/// The first letters of a word that is long enough to be told by them.
fn front(plain: &str) -> Option<&str> {
    let (place, letter) = plain.char_indices().nth(FRONT_LETTERS - 1)?;
    plain.get(..place + letter.len_utf8())
}

/// Two stems as one number; a collision makes one pair more, which only ever excuses a claim.
pub(super) fn pair(left: &str, right: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in left.bytes().chain([0]).chain(right.bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }
    hash
}
