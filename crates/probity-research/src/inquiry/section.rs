//! A written section as it is taken: sentences without evidence are bound to it by rule or left out, inferences bring
//! nothing new, both sides of a conflict stand.

use std::collections::BTreeSet;

use probity_types::inquiry::{
    Block, NodeId, QuoteId, SectionAnswer, Sentence, SentenceKind, Table, TableCell, TableRow,
    answer::BLOCKS_MAX,
};

use super::{
    bank::{Bank, normalized},
    conflict::Conflict,
    figures,
    window::word_count,
    written::{WritingContext, WrittenSection},
};
use crate::{text, web::passages};

/// Longest sentence taken from a writer, in characters.
pub const SENTENCE_CHARACTERS_MAX: usize = 1_200;
/// Sentences and cells of one section; a writer that goes on without end is cut.
const SENTENCES_MAX: usize = 120;
const ROWS_MAX: usize = 40;
const COLUMNS_MAX: usize = 8;
const CELL_CHARACTERS_MAX: usize = 200;
/// A sentence that leads over states nothing: it is short.
const LINK_WORDS_MAX: usize = 25;
/// Citations of one sentence.
const QUOTES_PER_SENTENCE_MAX: usize = 5;
/// Left-over quotations that are worth another call after an answer was cut off.
const LEFT_OVER_MIN: usize = 2;
const LEFT_OVER_WORDS_MIN: u32 = 60;
/// Says that there is nothing, in a table.
pub const NOT_FOUND: &str = "not found";

/// What of an answer can stand; nothing where that is not a single stated fact.
pub fn accept(context: WritingContext<'_>, node: NodeId, answer: &SectionAnswer) -> Option<WrittenSection> {
    let own = &context.outline.get(node)?.quotes;
    let editor = SectionEditor { context, own };
    let mut blocks: Vec<Block> = Vec::new();
    let mut told: BTreeSet<String> = BTreeSet::new();
    for block in answer.blocks.iter().take(BLOCKS_MAX) {
        match block {
            Block::Heading { text } => {
                let text = text::line(text, 120);
                if !text.is_empty() {
                    blocks.push(Block::Heading { text });
                }
            }
            Block::Paragraph { sentences } => {
                let sentences = editor.sentences(sentences, &mut told);
                if !sentences.is_empty() {
                    blocks.push(Block::Paragraph { sentences });
                }
            }
            Block::List { items } => {
                let items = editor.sentences(items, &mut told);
                if !items.is_empty() {
                    blocks.push(Block::List { items });
                }
            }
            Block::Table(table) => blocks.extend(editor.table(table).map(Block::Table)),
        }
    }
    // A heading with nothing under it says nothing.
    let mut kept: Vec<Block> = Vec::new();
    for block in blocks {
        if matches!(block, Block::Heading { .. }) && matches!(kept.last(), Some(Block::Heading { .. })) {
            kept.pop();
        }
        kept.push(block);
    }
    if matches!(kept.last(), Some(Block::Heading { .. })) {
        kept.pop();
    }
    let thin = answer.thin.iter().take(5).map(|line| text::line(line, 240)).collect();
    let mut written = WrittenSection { blocks: kept, is_quoted: false, thin };
    if written.cited().is_empty() {
        return None;
    }
    add_conflicts(context, own, &mut written);
    Some(written)
}

/// The quotations of a node, word for word.
pub fn quoted(context: WritingContext<'_>, node: NodeId) -> WrittenSection {
    let quotes = context.outline.get(node).map(|node| node.quotes.clone()).unwrap_or_default();
    let items = quotes.iter().filter_map(|id| quotation(context.bank, *id)).collect();
    WrittenSection { blocks: vec![Block::List { items }], is_quoted: true, thin: Vec::new() }
}

fn quotation(bank: &Bank, id: QuoteId) -> Option<Sentence> {
    let quote = bank.get(id)?;
    let text = format!("“{}”", text::line(&quote.text, SENTENCE_CHARACTERS_MAX));
    Some(Sentence { text, quotes: vec![id], kind: SentenceKind::Fact })
}

/// Quotations that an answer which was cut off did not come to, and the words that are left for them.
pub fn left_over(
    context: WritingContext<'_>,
    node: NodeId,
    written: &WrittenSection,
    answer: &SectionAnswer,
) -> Option<(Vec<QuoteId>, u32)> {
    let asked = context.outline.get(node).filter(|_| answer.cut)?;
    let cited = written.cited();
    let rest: Vec<QuoteId> = asked.quotes.iter().copied().filter(|id| !cited.contains(id)).collect();
    let words =
        asked.words.saturating_sub(u32::try_from(written.words()).unwrap_or(u32::MAX)).min(asked.words / 2);
    (rest.len() >= LEFT_OVER_MIN && words >= LEFT_OVER_WORDS_MIN).then_some((rest, words))
}

struct SectionEditor<'a> {
    context: WritingContext<'a>,
    own: &'a [QuoteId],
}

impl SectionEditor<'_> {
    fn sentences(&self, written: &[Sentence], told: &mut BTreeSet<String>) -> Vec<Sentence> {
        let kept = written.iter().take(SENTENCES_MAX).filter_map(|sentence| self.sentence(sentence));
        kept.filter(|sentence| told.insert(normalized(&sentence.text))).collect()
    }

    fn sentence(&self, written: &Sentence) -> Option<Sentence> {
        let text = text::line(&written.text, SENTENCE_CHARACTERS_MAX);
        if text.is_empty() {
            return None;
        }
        let mut quotes = self.known(&written.quotes);
        match written.kind {
            SentenceKind::Fact => {
                let unsaid = self.numbers_unsaid(&text, &quotes);
                if quotes.is_empty() || unsaid {
                    match self.rebound(&text) {
                        Some(better) if !quotes.contains(&better) => quotes.push(better),
                        Some(_) => {}
                        None if quotes.is_empty() => return None,
                        None => {}
                    }
                }
            }
            SentenceKind::Inference => {
                let brings_new =
                    figures::brings_new(&text, &self.evidence(&quotes), self.context.nouns_are_capitals);
                if quotes.is_empty() || brings_new {
                    return None;
                }
            }
            SentenceKind::Link => {
                let states = text.chars().any(char::is_numeric) || word_count(&text) > LINK_WORDS_MAX;
                if states {
                    return None;
                }
                quotes.clear();
            }
        }
        Some(Sentence { text, quotes, kind: written.kind })
    }

    /// Ids that name a quotation which a model may have been shown, each once.
    fn known(&self, ids: &[QuoteId]) -> Vec<QuoteId> {
        let mut kept: Vec<QuoteId> = Vec::new();
        for id in ids.iter().filter(|id| self.context.bank.may_be_shown(**id)) {
            if !kept.contains(id) && kept.len() < QUOTES_PER_SENTENCE_MAX {
                kept.push(*id);
            }
        }
        kept
    }

    fn evidence(&self, quotes: &[QuoteId]) -> String {
        let texts: Vec<&str> = quotes
            .iter()
            .filter_map(|id| self.context.bank.get(*id))
            .map(|quote| quote.text.as_str())
            .collect();
        texts.join(" ")
    }

    fn numbers_unsaid(&self, text: &str, quotes: &[QuoteId]) -> bool {
        let said = figures::number_keys(&self.evidence(quotes));
        figures::number_keys(text).iter().any(|number| !said.contains(number))
    }

    /// The section's own quotation that says it best: all its numbers, and half of its words.
    fn rebound(&self, text: &str) -> Option<QuoteId> {
        let wanted = passages::words(text);
        let numbers = figures::number_keys(text);
        let needed = wanted.len().div_ceil(2).max(1);
        let score = |id: &QuoteId| {
            let quote = self.context.bank.get(*id)?;
            let shared = passages::shared(&wanted, &quote.text);
            let says = numbers.is_subset(&figures::number_keys(&quote.text));
            (says && shared >= needed).then_some(shared)
        };
        let best = self.own.iter().filter_map(|id| Some((score(id)?, *id)));
        best.max_by_key(|(shared, id)| (*shared, std::cmp::Reverse(*id))).map(|(_, id)| id)
    }

    /// A cell stays where a quotation holds its figures or one of its words; a table without any stays out.
    fn table(&self, table: &Table) -> Option<Table> {
        let columns: Vec<_> = table.columns.iter().take(COLUMNS_MAX).cloned().collect();
        let cells_wanted = columns.len().checked_sub(1).filter(|count| *count > 0)?;
        let rows: Vec<TableRow> = table
            .rows
            .iter()
            .take(ROWS_MAX)
            .map(|row| TableRow {
                name: text::line(&row.name, CELL_CHARACTERS_MAX),
                cells: (0..cells_wanted).map(|place| self.cell(row.cells.get(place))).collect(),
            })
            .filter(|row| !row.name.is_empty() && row.cells.iter().any(|cell| !cell.quotes.is_empty()))
            .collect();
        let caption = text::line(&table.caption, CELL_CHARACTERS_MAX);
        (!rows.is_empty()).then_some(Table { caption, columns, rows })
    }

    fn cell(&self, cell: Option<&TableCell>) -> TableCell {
        let empty = || TableCell { text: NOT_FOUND.to_owned(), quotes: Vec::new() };
        let Some(cell) = cell else { return empty() };
        let text = text::line(&cell.text, CELL_CHARACTERS_MAX);
        let says = |id: &QuoteId| {
            let Some(quote) = self.context.bank.get(*id) else { return false };
            let numbers = figures::number_keys(&text);
            let said = figures::number_keys(&quote.text);
            match numbers.is_empty() {
                true => passages::shared(&passages::words(&text), &quote.text) > 0,
                false => numbers.is_subset(&said),
            }
        };
        let quotes: Vec<QuoteId> = self.known(&cell.quotes).into_iter().filter(says).collect();
        if quotes.is_empty() || text.is_empty() { empty() } else { TableCell { text, quotes } }
    }
}

/// Both sides of a conflict that has a home here must stand: what the writer left out is quoted.
fn add_conflicts(context: WritingContext<'_>, own: &[QuoteId], written: &mut WrittenSection) {
    let mut added: Vec<Sentence> = Vec::new();
    let first_home =
        |conflict: &Conflict| conflict.sides.first().is_some_and(|side| own.contains(&side.quote));
    for conflict in context.conflicts.iter().filter(|conflict| first_home(conflict)) {
        let stands = |value: &str| {
            let wanted = figures::number_keys(value);
            written.sentences().any(|sentence| wanted.is_subset(&figures::number_keys(&sentence.text)))
        };
        let sides = conflict.sides.iter().take(2);
        if sides.clone().all(|side| stands(&side.value)) {
            continue;
        }
        let newer = conflict.newer(context.bank);
        for (place, side) in sides.enumerate() {
            let Some(quote) = context.bank.get(side.quote) else { continue };
            let date = context.bank.page(side.quote).and_then(|page| page.published.clone());
            let date = date.map(|date| format!(" ({date})")).unwrap_or_default();
            let lead = match (place, newer == Some(side.quote)) {
                (0, true) => format!(
                    "Sources differ on {} of {}; the newer one{date}",
                    conflict.attribute, conflict.entity
                ),
                (0, false) => {
                    format!("Sources differ on {} of {}; one{date}", conflict.attribute, conflict.entity)
                }
                (_, true) => format!("The other, newer one{date}"),
                (_, false) => format!("The other{date}"),
            };
            let words = text::line(&quote.text, SENTENCE_CHARACTERS_MAX);
            added.push(Sentence {
                text: format!("{lead} says: “{words}”"),
                quotes: vec![side.quote],
                kind: SentenceKind::Fact,
            });
        }
    }
    if !added.is_empty() {
        written.blocks.push(Block::Paragraph { sentences: added });
    }
}
