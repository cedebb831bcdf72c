//! What stands around a piece of a report: the headings above it, the sentence that announces its list or table, and the
//! sentences before it that its pronouns speak of.
//!
//! Kept as places in the list of pieces, so that a long report costs no copies.

use std::ops::Range;

use super::{BlockKind, ReportPiece, ReportPieceKind, blocks::MarkdownBlock, kind, script::is_dense};

/// Sentences that are given with one that cannot stand alone.
const BEFORE_MAX: usize = 3;

/// The neighbours of a piece, as places in `SplitReport::pieces`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PieceSurroundings {
    /// The headings above it, the outermost first.
    pub headings: Vec<usize>,
    pub stem: Option<usize>,
    pub before: Range<usize>,
}

/// A block as it was read, with its pieces.
#[derive(Debug, Clone)]
pub struct BlockTrace {
    pub kind: BlockKind,
    pub is_header: bool,
    pub pieces: Range<usize>,
    pub stem: Option<usize>,
    /// The nearest heading.
    pub heading: Option<usize>,
}

/// The state of reading, block by block.
#[derive(Debug, Default)]
pub struct SurroundingsReader {
    /// Level and piece of the open headings.
    headings: Vec<(usize, usize)>,
    /// Of the list or table that is being read.
    stem: Option<usize>,
    /// Depth and first piece of the items that the next one may be below.
    parents: Vec<(usize, usize)>,
    /// The cells of the first row of the table that is being read.
    pub headers: Vec<String>,
    pub blocks: Vec<BlockTrace>,
}

impl SurroundingsReader {
    /// A block begins; its first piece will be at `first`.
    pub fn enter(&mut self, block: &MarkdownBlock, pieces: &[ReportPiece]) {
        let first = pieces.len();
        let last = self.blocks.last();
        let goes_on = last.is_some_and(|last| last.kind == block.kind);
        let is_text = |last: &&BlockTrace| matches!(last.kind, BlockKind::Paragraph | BlockKind::Quotation);
        let last_piece = last.filter(is_text).and_then(|last| last.pieces.end.checked_sub(1));
        match block.kind {
            BlockKind::Item => {
                if !goes_on {
                    self.parents.clear();
                    self.stem = last_piece.filter(|place| pieces.get(*place).is_some_and(announces));
                }
                self.parents.retain(|(depth, _)| *depth < block.depth);
            }
            BlockKind::Row => {
                if !goes_on || block.is_header {
                    self.headers.clear();
                }
                if !goes_on {
                    self.stem = last_piece;
                }
            }
            _ => self.stem = None,
        }
        let parent = self.parents.last().map(|(_, piece)| *piece);
        let stem = match block.kind {
            BlockKind::Item => parent.or(self.stem),
            _ => self.stem,
        };
        self.blocks.push(BlockTrace {
            kind: block.kind,
            is_header: block.is_header,
            pieces: first..first,
            stem,
            heading: self.headings.last().map(|(_, piece)| *piece),
        });
    }

    /// The block is read; `pieces` is now as long as it is with it.
    pub fn leave(&mut self, block: &MarkdownBlock, pieces: &[ReportPiece]) {
        let Some(trace) = self.blocks.last_mut() else { return };
        trace.pieces.end = pieces.len();
        let first = trace.pieces.start;
        match block.kind {
            BlockKind::Heading => {
                self.headings.retain(|(level, _)| *level < block.depth.max(1));
                self.headings.push((block.depth.max(1), first));
            }
            BlockKind::Item => self.parents.push((block.depth, first)),
            _ => {}
        }
    }

    /// What stands around the next piece. `is_part`: a piece of the same sentence is before it.
    pub fn of_next(&self, words: &str, is_part: bool, pieces: &[ReportPiece]) -> PieceSurroundings {
        let next = pieces.len();
        let Some(trace) = self.blocks.last() else { return PieceSurroundings::default() };
        let is_text = matches!(trace.kind, BlockKind::Paragraph | BlockKind::Item | BlockKind::Quotation);
        let needs = is_text && (is_part || leans_on_others(words));
        PieceSurroundings {
            headings: self.headings.iter().map(|(_, piece)| *piece).collect(),
            stem: trace.stem,
            before: if needs { self.before(next, trace, words, pieces) } else { next..next },
        }
    }

    /// The sentences before, as far back as the one that names what is spoken of.
    fn before(&self, next: usize, trace: &BlockTrace, words: &str, pieces: &[ReportPiece]) -> Range<usize> {
        let mut from = next;
        let mut start = trace.pieces.start;
        // "It opened in 2019." at the beginning of a paragraph speaks of the one before.
        if start == next && trace.kind == BlockKind::Paragraph && begins_with_pronoun(words) {
            let place = self.blocks.len().checked_sub(2);
            let before = place.and_then(|place| self.blocks.get(place));
            let before = before.filter(|before| before.kind == BlockKind::Paragraph);
            start = before.map_or(next, |before| before.pieces.end.saturating_sub(1));
        }
        while from > start && next - from < BEFORE_MAX {
            from -= 1;
            let Some(piece) = pieces.get(from) else { break };
            let says =
                piece.kind != ReportPieceKind::Structure && piece.words.chars().any(char::is_alphanumeric);
            if says && !begins_with_pronoun(&piece.words) {
                break;
            }
        }
        from..next
    }
}

/// A sentence that ends with a colon.
pub fn announces(piece: &ReportPiece) -> bool {
    piece.words.trim_end().ends_with([':', '：'])
}

/// Whether a sentence needs those before it: it has a pronoun, it begins with "the …", or it names nobody.
fn leans_on_others(words: &str) -> bool {
    begins_with_pronoun(words)
        || !kind::has_name(words)
        || words.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() <= 8).any(is_pronoun)
}

fn begins_with_pronoun(words: &str) -> bool {
    let words = words.trim_start_matches(|c: char| !c.is_alphabetic());
    let first = words.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    if first.starts_with(is_dense) {
        return DENSE_POINTERS.iter().any(|pointer| words.starts_with(pointer));
    }
    let lower = first.to_lowercase();
    is_pronoun(&lower) || is_article(&lower)
}

/// Chinese and Japanese words that point back.
const DENSE_POINTERS: &[&str] = &[
    "它", "他", "她", "该", "該", "这", "這", "此", "其", "那", "上述", "前者", "后者", "後者", "本项",
    "同年", "同时", "これ", "それ", "この", "その", "同", "彼", "当該", "ここ", "そこ", "前者", "両", "また",
];

/// A small word that stands for something said elsewhere.
pub(crate) fn is_pronoun(word: &str) -> bool {
    matches!(
        word,
        "it" | "its"
            | "they"
            | "them"
            | "their"
            | "theirs"
            | "he"
            | "him"
            | "his"
            | "she"
            | "her"
            | "this"
            | "these"
            | "that"
            | "those"
            | "such"
            | "both"
            | "there"
            | "here"
            | "it's"
            | "one"
            | "another"
            | "former"
            | "latter"
            | "er"
            | "sie"
            | "es"
            | "ihm"
            | "ihr"
            | "ihre"
            | "ihren"
            | "ihrer"
            | "sein"
            | "seine"
            | "seinen"
            | "dies"
            | "diese"
            | "dieser"
            | "dieses"
            | "diesem"
            | "jene"
            | "dort"
            | "damit"
            | "dabei"
            | "davon"
            | "il"
            | "elle"
            | "ils"
            | "elles"
            | "ce"
            | "cet"
            | "cette"
            | "ces"
            | "cela"
            | "celui"
            | "celle"
            | "leur"
            | "leurs"
            | "son"
            | "sa"
            | "ses"
            | "él"
            | "ella"
            | "ellos"
            | "ellas"
            | "este"
            | "esta"
            | "estos"
            | "estas"
            | "ese"
            | "esa"
            | "eso"
            | "esto"
            | "su"
            | "sus"
            | "dicho"
            | "dicha"
            | "essa"
            | "esse"
            | "isso"
            | "questo"
            | "questa"
            | "suo"
            | "sua"
            | "deze"
            | "dit"
            | "hun"
            | "он"
            | "она"
            | "оно"
            | "они"
            | "это"
            | "этот"
            | "эта"
            | "эти"
            | "его"
            | "её"
            | "их"
            | "هو"
            | "هي"
            | "هم"
            | "هذا"
            | "هذه"
            | "ذلك"
            | "تلك"
            | "وهو"
            | "وهي"
            | "كما"
            | "bu"
            | "이는"
            | "그는"
            | "이것은"
            | "它"
    )
}

/// Begins what is spoken of as known.
fn is_article(word: &str) -> bool {
    matches!(
        word,
        "the"
            | "der"
            | "die"
            | "das"
            | "den"
            | "dem"
            | "le"
            | "la"
            | "les"
            | "l"
            | "el"
            | "los"
            | "las"
            | "lo"
            | "o"
            | "os"
            | "as"
            | "i"
            | "gli"
            | "de"
            | "het"
    ) || word.starts_with("ال")
}

#[cfg(test)]
mod tests {
    use super::{begins_with_pronoun, leans_on_others};

    #[test]
    fn sentences_that_speak_of_others_are_known_in_every_language() {
        for words in [
            "It cost 940 million kronor.",
            "The company employs 9,300 people.",
            "Er fasst 45 Millionen Kubikmeter.",
            "Diese Zahl stieg 2019 auf 12 Prozent.",
            "Elle a ouvert en 2019.",
            "Este aumento fue del 5 %.",
            "该公司在六个国家有员工。",
            "その橋は1998年に完成した。",
            "هذا السد يخزن المياه.",
        ] {
            assert!(begins_with_pronoun(words) && leans_on_others(words), "{words}");
        }
        assert!(!begins_with_pronoun("Halvorsen Steel employs people."));
        assert!(!leans_on_others("Revenue of Halvorsen Steel fell."));
        assert!(leans_on_others("Revenue fell to 180 million."), "names nobody");
    }
}
