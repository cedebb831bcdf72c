//! What single words do to a statement, in the languages of the reports: which way something went, which of two
//! opposites it is, how strong, how sure, whose.
//!
//! Lists only. A form that ends in `*` stands for every word that begins so. English has its own lists: half of its short
//! words mean something else in another language (`the` is tea in French, `at` a horse in Turkish).

mod fields;
mod opposites;
mod strength;

use std::sync::LazyLock;

use super::reading::{Reading, plain};
use crate::{
    hash::QuickMap,
    words::{self, classes},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Sense {
    /// One side of the pair of opposites with this number; `true` is its left side.
    Pole(u8, bool),
    /// A member of the field with this number: in the same place the members exclude each other.
    Member(u8, u8),
    /// The statement is negated.
    Not,
    /// It may be so.
    Hedge,
    /// It is to be so.
    Plan,
    /// One thing makes another.
    Cause,
    /// Two things occur together.
    Linked,
    All,
    /// Nothing else: "only".
    Only,
    /// A denial in a positive sentence: "closed", "refused", "the last".
    Lacking,
    Most,
    Some,
    /// The most of its kind.
    Superlative,
    /// At most: "up to", "maximum".
    UpTo,
    Than,
    /// A second figure that the first is measured by: "against", "down from".
    Against,
    Says,
    /// A statement turned round: "by", "von".
    Passive,
}

/// The pair of opposites that says which way a quantity goes.
pub(super) const QUANTITY: u8 = 0;
/// The pair of opposites that says which end of a scale something is at.
pub(super) const EXTREME: u8 = 13;

/// A sense with its forms: words between spaces, and parts of texts without spaces.
pub(super) type SenseRow = (Sense, &'static str, &'static [&'static str]);

#[derive(Debug, Default)]
struct Lexicon {
    english: LexiconForms,
    /// For every other language; the English forms that are no small words there are among them.
    others: LexiconForms,
    dense: Vec<(&'static str, Sense)>,
}

#[derive(Debug, Default)]
struct LexiconForms {
    whole: QuickMap<String, Vec<Sense>>,
    /// By their first letters, so that a word is looked up once and not with each of its fronts. Shorter ones first.
    fronts: QuickMap<String, Vec<FrontSenses>>,
}

#[derive(Debug)]
struct FrontSenses {
    front: String,
    letters: usize,
    senses: Vec<Sense>,
}

impl LexiconForms {
    fn put(&mut self, form: &str, sense: Sense) {
        match form.strip_suffix('*') {
            Some(front) => self.put_front(plain(front), sense),
            None => self.whole.entry(plain(form)).or_default().push(sense),
        }
    }

    fn put_front(&mut self, front: String, sense: Sense) {
        let letters = front.chars().count();
        let first = first_letters(&front, letters.min(ALIKE_LETTERS));
        let Some(first) = first.filter(|_| FRONT_LETTERS.contains(&letters)) else { return };
        let alike = self.fronts.entry(first.to_owned()).or_default();
        if let Some(known) = alike.iter_mut().find(|known| known.front == front) {
            known.senses.push(sense);
            return;
        }
        let place = alike.partition_point(|known| known.letters <= letters);
        alike.insert(place, FrontSenses { front, letters, senses: vec![sense] });
    }

    fn senses(&self, word: &str) -> Vec<Sense> {
        let mut found: Vec<Sense> = self.whole.get(word).cloned().unwrap_or_default();
        if word.ends_with("n't") {
            found.push(Sense::Not);
        }
        for letters in *FRONT_LETTERS.start()..=ALIKE_LETTERS {
            let alike = first_letters(word, letters).and_then(|first| self.fronts.get(first));
            for known in alike.into_iter().flatten().filter(|known| word.starts_with(known.front.as_str())) {
                let more = known.senses.iter().copied().filter(|sense| !found.contains(sense));
                let more: Vec<Sense> = more.collect();
                found.extend(more);
            }
        }
        found
    }
}

fn first_letters(word: &str, letters: usize) -> Option<&str> {
    let (at, letter) = word.char_indices().nth(letters.checked_sub(1)?)?;
    word.get(..at + letter.len_utf8())
}

/// The shortest and longest front that stands for words.
const FRONT_LETTERS: std::ops::RangeInclusive<usize> = 2..=12;
/// Letters by which longer fronts are found.
const ALIKE_LETTERS: usize = 3;

/// English forms that are other words elsewhere: `due` is two in Italian, `most` a bridge in Polish, `Fall` a case in German.
const ENGLISH_ONLY: &[&str] = &["due", "most", "fall", "falls", "last", "rose", "fast", "once", "fine"];

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut lexicon = Lexicon::default();
    let poles = opposites::ROWS.iter().zip(0_u8..).flat_map(|((left, right, dense), number)| {
        let parts = |side: bool| dense.iter().map(move |(one, other)| if side { *one } else { *other });
        [
            (number, true, *left, parts(true).collect::<Vec<_>>()),
            (number, false, *right, parts(false).collect()),
        ]
    });
    let mut put = |sense: Sense, words: &'static str, dense: Vec<&'static str>| {
        let (english, others) = words.split_once('|').unwrap_or((words, ""));
        for form in english.split_whitespace() {
            lexicon.english.put(form, sense);
            if !words::stop::is_small_elsewhere(form) && !ENGLISH_ONLY.contains(&form) {
                lexicon.others.put(form, sense);
            }
        }
        others.split_whitespace().for_each(|form| lexicon.others.put(form, sense));
        lexicon.dense.extend(dense.into_iter().filter(|part| !part.is_empty()).map(|part| (part, sense)));
    };
    for (number, side, words, dense) in poles {
        put(Sense::Pole(number, side), words, dense);
    }
    for (sense, words, dense) in strength::ROWS {
        put(*sense, words, dense.to_vec());
    }
    for (field, members) in (0_u8..).zip(fields::ROWS) {
        for (member, forms) in (0_u8..).zip(members.split('/')) {
            let is_dense = |form: &&str| form.chars().next().is_some_and(classes::is_dense);
            put(Sense::Member(field, member), forms, forms.split_whitespace().filter(is_dense).collect());
        }
    }
    lexicon
});

/// A sense where it stands in a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SensePlace {
    pub sense: Sense,
    /// The token, for scripts with spaces.
    pub token: Option<usize>,
    pub start: usize,
    pub end: usize,
}

/// Everything that is known of the words of a reading, in no special order.
pub(super) fn senses(reading: &Reading<'_>) -> Vec<SensePlace> {
    let mut found = Vec::new();
    for (place, token) in reading.tokens.iter().enumerate() {
        let known = if reading.is_english { &token.senses.english } else { &token.senses.others };
        for sense in known.iter().copied() {
            found.push(SensePlace { sense, token: Some(place), start: token.start, end: token.end });
        }
    }
    if !reading.is_english {
        let is_no = |place: &usize| is_spanish_no(reading, *place);
        for place in (0..reading.tokens.len()).filter(is_no) {
            found.extend(reading.tokens.get(place).map(|token| SensePlace {
                sense: Sense::Not,
                token: Some(place),
                start: token.start,
                end: token.end,
            }));
        }
    }
    if !reading.text.is_ascii()
        && reading.tokens.iter().any(|token| token.kind == crate::words::WordKind::Dense)
    {
        let text = neutral(reading.text);
        for (part, sense) in &LEXICON.dense {
            if let Some(at) = text.find(part) {
                let start = reading.base + at;
                found.push(SensePlace { sense: *sense, token: None, start, end: start + part.len() });
            }
        }
    }
    found
}

/// Begin a verb behind the Spanish `no`, and no noun behind the Portuguese one.
const BEHIND_NO: &[&str] = &[
    "se", "es", "son", "era", "eran", "fue", "fueron", "ha", "han", "habia", "hay", "hubo", "lo", "la", "le",
    "les", "los", "las", "me", "te", "nos", "esta", "estan", "estaba", "puede", "pueden", "tiene", "tienen",
    "tenia",
];

/// `No` is the negation of Spanish and a small word of Portuguese and Polish.
fn is_spanish_no(reading: &Reading<'_>, place: usize) -> bool {
    let plain = |place: usize| reading.tokens.get(place).map_or("", |token| token.plain.as_str());
    plain(place) == "no"
        && (BEHIND_NO.contains(&plain(place + 1))
            || words::stop::likely_language(reading.tokens.iter().map(|token| token.plain.as_str()))
                == Some("es"))
}

/// Whether a word says what another does, or is about it: of one pair of opposites, or the same member of a field.
pub(super) fn is_kin(one: Sense, other: Sense) -> bool {
    match (one, other) {
        (Sense::Pole(mine, _), Sense::Pole(theirs, _)) => mine == theirs && mine != QUANTITY || one == other,
        (Sense::Member(..), Sense::Member(..)) => one == other,
        _ => false,
    }
}

/// What is known of one word, in English and in the other languages.
pub(super) fn senses_of(word: &str) -> WordSenses {
    WordSenses { english: LEXICON.english.senses(word), others: LEXICON.others.senses(word) }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WordSenses {
    english: Vec<Sense>,
    others: Vec<Sense>,
}

/// Words of scripts without spaces that hold a sign of negation and negate nothing; replaced by as many bytes.
const NEUTRAL: &[&str] = &[
    "不良",
    "不足",
    "不同",
    "不断",
    "不仅",
    "不但",
    "不少",
    "不过",
    "不論",
    "不漁",
    "不況",
    "非常",
    "未来",
    "未満",
    "無線",
    "无线",
    "并不仅",
    "少ない",
    "しかない",
    "しかなかった",
    "しかいない",
    "しかありません",
    "だけでなく",
    "无偿",
    "不动产",
    "不動産",
    "不明",
    "是否",
    "能否",
    "最近",
    "最終",
    "最终",
    "最后",
    "最後",
    "最初",
];

/// Two negations of a script without spaces that cancel each other, and contrasts that deny only one of two things.
const DOUBLES: &[(&str, &str)] = &[
    ("なければ", "ない"),
    ("なければ", "ません"),
    ("なければ", "なかった"),
    ("ないと", "ない"),
    ("ないと", "ません"),
    ("なしには", "ない"),
    ("なしでは", "ない"),
    ("なくては", "ない"),
    ("なくては", "ません"),
    ("ずには", "ない"),
    ("没有", "就不"),
    ("没有", "不能"),
    ("没有", "不得"),
    ("没有", "无法"),
    ("沒有", "不能"),
    ("沒有", "不得"),
    ("未经", "不得"),
    ("未经", "不能"),
    ("未經", "不得"),
    ("不得不", ""),
    ("不能不", ""),
    ("不可不", ""),
    ("非要", "不可"),
    ("非得", "不可"),
    ("不是", "而是"),
    ("并非", "而是"),
    ("ではなく", ""),
    ("而不是", ""),
    ("而非", ""),
];
/// Characters between two negations that cancel each other.
const DOUBLE_CHARACTERS: usize = 14;

/// The bytes of negations without spaces that deny nothing, because another one cancels them.
pub(super) fn cancelled(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (first, second) in DOUBLES {
        for (start, _) in text.match_indices(first) {
            let end = start + first.len();
            let behind = text.get(end..).unwrap_or_default();
            let reach = behind.char_indices().nth(DOUBLE_CHARACTERS).map_or(behind.len(), |(at, _)| at);
            // A comma parts two statements, except before "then not".
            let ends = |letter: char| {
                matches!(letter, '。' | '；' | '\n' | '！' | '？')
                    || (letter == '，' && !second.starts_with('就'))
            };
            let stop = behind.find(ends).unwrap_or(behind.len());
            let near = behind.get(..reach.min(stop)).unwrap_or_default();
            if let Some(at) = near.find(second) {
                found.push((start, end));
                found.push((end + at, end + at + second.len()));
            }
        }
    }
    found
}

fn neutral(text: &str) -> String {
    let mut text = text.to_owned();
    for (start, end) in cancelled(&text) {
        let blank = text.get(start..end).map(|part| "　".repeat(part.chars().count()));
        if let Some(blank) = blank.filter(|blank| blank.len() == end - start) {
            text.replace_range(start..end, &blank);
        }
    }
    for word in NEUTRAL {
        if text.contains(word) {
            text = text.replace(word, &"　".repeat(word.chars().count()));
        }
    }
    text
}
