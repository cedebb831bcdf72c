//! Sentences of the exam: for each language and kind what the page says, a claim that follows and one that does not.
//!
//! Places to fill: `{a}` and `{b}` are places, `{p}` and `{q}` people, `{n}`, `{m}`, `{k}`, `{l}` numbers on the page and
//! `{w}` one that is not, `{y}` and `{z}` years on the page and `{x}` one that is not. Whatever does not follow differs
//! from the page in exactly one thing: that is its kind.

mod eastern;
mod western;

use super::names::Script;

/// What a question of the exam is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExamKind {
    Number,
    Date,
    Name,
    Negation,
    Comparative,
    Attribution,
    WrongSubject,
    Unit,
    TableCell,
    Overstated,
}

impl ExamKind {
    pub const ALL: [Self; 10] = [
        Self::Number,
        Self::Date,
        Self::Name,
        Self::Negation,
        Self::Comparative,
        Self::Attribution,
        Self::WrongSubject,
        Self::Unit,
        Self::TableCell,
        Self::Overstated,
    ];
}

/// One kind in one language.
#[derive(Debug, Clone, Copy)]
pub struct Pattern {
    pub kind: ExamKind,
    /// What the page says.
    pub passages: &'static [&'static str],
    pub follows: &'static str,
    pub does_not_follow: &'static str,
}

/// One language with all kinds.
#[derive(Debug, Clone, Copy)]
pub struct ExamLanguage {
    pub code: &'static str,
    pub script: Script,
    /// One per kind, in their order.
    pub patterns: &'static [Pattern],
    /// Claims about `{a}` of which no page says anything.
    pub absent: &'static [&'static str],
    /// Sentences of the page that have nothing to do with it.
    pub beside: &'static [&'static str],
    /// Sentences about `{a}` with which a page begins.
    pub about: &'static [&'static str],
    /// Titles of pages about `{a}`, and of sections in a report about it.
    pub titles: &'static [&'static str],
    /// Headings on such a page.
    pub headings: &'static [&'static str],
    /// Between two sentences.
    pub space: &'static str,
}

pub const LANGUAGES: [&ExamLanguage; 7] = [
    &western::ENGLISH,
    &western::GERMAN,
    &western::FRENCH,
    &western::SPANISH,
    &eastern::CHINESE,
    &eastern::JAPANESE,
    &eastern::ARABIC,
];

/// A pattern of the kind, in the order of its fields.
const fn pattern(
    kind: ExamKind,
    passages: &'static [&'static str],
    follows: &'static str,
    does_not_follow: &'static str,
) -> Pattern {
    Pattern { kind, passages, follows, does_not_follow }
}
