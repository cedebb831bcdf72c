//! What a PDF is made of before any font is known: blocks of words with their look.

use std::collections::BTreeSet;

/// A colour as red, green and blue.
pub type Ink = [u8; 3];

pub const BLACK: Ink = [0x16, 0x19, 0x1F];
pub const GREY: Ink = [0x5A, 0x60, 0x6C];
pub const LINK: Ink = [0x1C, 0x57, 0x93];

/// Stands for a letter that no font has.
pub const UNKNOWN: char = '\u{FFFD}';

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PdfLink {
    Web(String),
    /// The source with this number, in the list of sources.
    Source(u32),
}

/// How words look, whatever the block around them adds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WordLook {
    pub bold: bool,
    pub italic: bool,
    pub struck: bool,
    /// Small and above the line.
    pub raised: bool,
    pub ink: Option<Ink>,
    pub link: Option<PdfLink>,
    /// Kind and colour of the line below, as word processors name them.
    pub line: Option<(&'static str, &'static str)>,
}

/// Words of a block, in pieces of one look.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words {
    pub pieces: Vec<(String, WordLook)>,
}

impl Words {
    pub fn plain(text: &str) -> Self {
        let mut words = Self::default();
        words.push(text, WordLook::default());
        words
    }

    /// Characters that draw nothing, or that no PDF may hold, become a space or nothing.
    pub fn push(&mut self, text: &str, look: WordLook) {
        let drawn = text.chars().filter_map(|letter| match letter {
            '\n' => Some('\n'),
            '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}' => None,
            letter if letter.is_control() => Some(' '),
            letter => Some(letter),
        });
        match self.pieces.last_mut() {
            Some((before, same)) if *same == look => before.extend(drawn),
            _ => self.pieces.push((drawn.collect(), look)),
        }
    }

    pub fn text(&self) -> String {
        self.pieces.iter().map(|(text, _)| text.as_str()).collect()
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.iter().all(|(text, _)| text.is_empty())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextSize {
    Body,
    Small,
    Table,
}

#[derive(Debug, Clone)]
pub enum PdfBlock {
    Heading { level: u8, words: Words },
    Paragraph { words: Words, size: TextSize },
    Code { words: Words },
    List { is_ordered: bool, items: Vec<PdfItem> },
    Quote { blocks: Vec<PdfBlock> },
    Table { head: Vec<Words>, rows: Vec<Vec<Words>> },
    Rule,
}

#[derive(Debug, Clone)]
pub struct PdfItem {
    /// `•` or `3.`
    pub label: String,
    /// The number of the source that it is.
    pub source: Option<u32>,
    pub blocks: Vec<PdfBlock>,
}

/// Every letter that is to be drawn.
pub fn letters(blocks: &[PdfBlock], into: &mut BTreeSet<char>) {
    for block in blocks {
        match block {
            PdfBlock::Heading { words, .. }
            | PdfBlock::Paragraph { words, .. }
            | PdfBlock::Code { words } => {
                letters_of(words, into);
            }
            PdfBlock::Table { head, rows } => {
                head.iter().chain(rows.iter().flatten()).for_each(|words| letters_of(words, into));
            }
            PdfBlock::List { items, .. } => {
                for item in items {
                    into.extend(item.label.chars());
                    letters(&item.blocks, into);
                }
            }
            PdfBlock::Quote { blocks } => letters(blocks, into),
            PdfBlock::Rule => {}
        }
    }
}

fn letters_of(words: &Words, into: &mut BTreeSet<char>) {
    into.extend(words.pieces.iter().flat_map(|(text, _)| text.chars()));
}
