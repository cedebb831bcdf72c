//! A written section as it is taken: sentences without evidence are bound to it by rule, replaced by the quotation or left
//! out, inferences bring nothing new, both sides of a conflict stand.

use std::collections::BTreeSet;

use probity_types::inquiry::{
    Block, NodeId, QuoteId, SectionAnswer, Sentence, SentenceKind, Table, TableCell, TableRow,
    answer::BLOCKS_MAX,
};

use super::{
    bank::{Bank, BankQuote, PageFacts, normalized},
    conflict::{Conflict, ConflictValue},
    figures,
    window::word_count,
    witness::{Binding, QUOTES_PER_SENTENCE_MAX, Witnesses},
    written::{WritingContext, WrittenSection},
};
use crate::{report::ReportPhrases, text, web::passages};

/// Longest sentence taken from a writer, in characters.
pub const SENTENCE_CHARACTERS_MAX: usize = 1_200;
/// Sentences and cells of one section; a writer that goes on without end is cut.
const SENTENCES_MAX: usize = 120;
const ROWS_MAX: usize = 40;
const COLUMNS_MAX: usize = 8;
const CELL_CHARACTERS_MAX: usize = 200;
/// A sentence that leads over states nothing: it is short.
const LINK_WORDS_MAX: usize = 25;
/// Conclusions of a section that rest on one page and on nothing that its facts do not tell: they stand side by side there
/// already.
const ONE_PAGE_CONCLUSIONS_MAX: usize = 1;
/// Left-over quotations that are worth another call after an answer was cut off.
const LEFT_OVER_MIN: usize = 2;
const LEFT_OVER_WORDS_MIN: u32 = 60;
/// A page so many years older than the newest one does not speak of now.
const OLD_YEARS: i32 = 2;
/// Words that speak of the day of writing.
const NOW_WORDS: &[&str] = &[
    "currently",
    "now",
    "today",
    "at present",
    "derzeit",
    "aktuell",
    "zurzeit",
    "heute",
    "actuellement",
    "aujourd'hui",
    "actualmente",
    "hoy",
    "目前",
    "现在",
    "当前",
];
/// Says that there is nothing, in a table.
pub const NOT_FOUND: &str = "not found";

/// What of an answer can stand; nothing where that is not a single stated fact.
pub fn accept(context: WritingContext<'_>, node: NodeId, answer: &SectionAnswer) -> Option<WrittenSection> {
    let own = &context.outline.get(node)?.quotes;
    let witnesses = context.looks_up.then(|| Witnesses::of(context));
    let editor = SectionEditor { context, own, witnesses };
    let mut blocks: Vec<Block> = Vec::new();
    let mut told = ToldSoFar::default();
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
    leave_told_quotations(&mut blocks, &mut told);
    if context.spreads_conclusions {
        leave_repeating_conclusions(context.bank, &mut blocks);
    }
    let kept = without_bare_headings(blocks);
    let thin = answer.thin.iter().take(5).map(|line| text::line(line, 240)).collect();
    let replaced = u32::try_from(told.instead.len()).unwrap_or(u32::MAX);
    let mut written =
        WrittenSection { blocks: kept, is_quoted: false, thin, replaced, left_out: told.left_out };
    if written.cited().is_empty() {
        return None;
    }
    add_conflicts(context, own, &mut written);
    Some(written)
}

/// A heading with nothing under it says nothing.
pub fn without_bare_headings(blocks: Vec<Block>) -> Vec<Block> {
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
    kept
}

/// The quotations of a node, word for word.
pub fn quoted(context: WritingContext<'_>, node: NodeId) -> WrittenSection {
    let quotes = context.outline.get(node).map(|node| node.quotes.clone()).unwrap_or_default();
    let items = quotes.iter().filter_map(|id| quotation(context.bank, *id)).collect();
    let blocks = vec![Block::List { items }];
    let mut quoted = WrittenSection { blocks, is_quoted: true, ..WrittenSection::default() };
    if context.tells_every_conflict {
        add_conflicts(context, &quotes, &mut quoted);
    }
    quoted
}

/// A quotation as a sentence, in quotation marks.
pub fn quotation(bank: &Bank, id: QuoteId) -> Option<Sentence> {
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

/// What stands in a section already, and what of its answer does not.
#[derive(Default)]
struct ToldSoFar {
    sentences: BTreeSet<String>,
    /// Quotations in the place of sentences that nothing bears out.
    instead: BTreeSet<QuoteId>,
    left_out: u32,
}

/// Paragraphs and lists whose sentences are all left out.
fn drop_empty(blocks: &mut Vec<Block>) {
    blocks.retain(|block| match block {
        Block::Paragraph { sentences } | Block::List { items: sentences } => !sentences.is_empty(),
        Block::Heading { .. } | Block::Table(_) => true,
    });
}

/// A quotation stands for a sentence only where no other sentence tells it.
fn leave_told_quotations(blocks: &mut Vec<Block>, told: &mut ToldSoFar) {
    let mut cited: BTreeSet<QuoteId> = BTreeSet::new();
    let is_instead = |sentence: &Sentence, instead: &BTreeSet<QuoteId>| match sentence.quotes.as_slice() {
        [id] => instead.contains(id) && sentence.text.starts_with('“'),
        _ => false,
    };
    for block in blocks.iter() {
        if let Block::Paragraph { sentences } | Block::List { items: sentences } = block {
            let plain = sentences.iter().filter(|sentence| !is_instead(sentence, &told.instead));
            cited.extend(plain.flat_map(|sentence| sentence.quotes.iter().copied()));
        }
    }
    let twice: BTreeSet<QuoteId> = told.instead.intersection(&cited).copied().collect();
    for block in blocks.iter_mut() {
        if let Block::Paragraph { sentences } | Block::List { items: sentences } = block {
            sentences.retain(|sentence| !is_instead(sentence, &twice));
        }
    }
    drop_empty(blocks);
    told.left_out = told.left_out.saturating_add(u32::try_from(twice.len()).unwrap_or(u32::MAX));
    told.instead.retain(|id| !twice.contains(id));
}

/// Few conclusions set side by side what one page sets side by side and the section has told.
fn leave_repeating_conclusions(bank: &Bank, blocks: &mut Vec<Block>) {
    let mut told: BTreeSet<QuoteId> = BTreeSet::new();
    for block in blocks.iter() {
        if let Block::Paragraph { sentences } | Block::List { items: sentences } = block {
            let facts = sentences.iter().filter(|sentence| sentence.kind == SentenceKind::Fact);
            told.extend(facts.flat_map(|sentence| sentence.quotes.iter().copied()));
        }
    }
    let repeats = |sentence: &Sentence| {
        let pages: BTreeSet<u32> =
            sentence.quotes.iter().filter_map(|id| bank.get(*id)).map(|quote| quote.page).collect();
        sentence.kind == SentenceKind::Inference
            && pages.len() == 1
            && sentence.quotes.iter().all(|id| told.contains(id))
    };
    let mut kept = 0;
    for block in blocks.iter_mut() {
        if let Block::Paragraph { sentences } | Block::List { items: sentences } = block {
            sentences.retain(|sentence| {
                let is_counted = repeats(sentence);
                kept += usize::from(is_counted);
                !is_counted || kept <= ONE_PAGE_CONCLUSIONS_MAX
            });
        }
    }
    drop_empty(blocks);
}

struct SectionEditor<'a> {
    context: WritingContext<'a>,
    own: &'a [QuoteId],
    /// None for a run of earlier rules.
    witnesses: Option<Witnesses<'a>>,
}

impl SectionEditor<'_> {
    fn sentences(&self, written: &[Sentence], told: &mut ToldSoFar) -> Vec<Sentence> {
        let mut kept = Vec::new();
        for sentence in written.iter().take(SENTENCES_MAX) {
            let taken = self.sentence(sentence, told);
            kept.extend(taken.filter(|sentence| told.sentences.insert(normalized(&sentence.text))));
        }
        kept
    }

    fn sentence(&self, written: &Sentence, told: &mut ToldSoFar) -> Option<Sentence> {
        let text = text::line(&written.text, SENTENCE_CHARACTERS_MAX);
        if text.is_empty() {
            return None;
        }
        let mut quotes = self.known(&written.quotes);
        match written.kind {
            SentenceKind::Fact => {
                if let Some(witnesses) = &self.witnesses {
                    return self.looked_up(witnesses, text, &quotes, told);
                }
                let unsaid = self.numbers_unsaid(&text, &quotes);
                if quotes.is_empty() || unsaid {
                    match self.rebound(&text) {
                        Some(better) if !quotes.contains(&better) => quotes.push(better),
                        Some(_) => {}
                        None if quotes.is_empty() => return None,
                        None => {}
                    }
                }
                self.leave_those_that_say_it(&text, &mut quotes);
                let text = self.dated(text, &quotes);
                return Some(Sentence { text, quotes, kind: written.kind });
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

    /// A fact with the quotations that bear it out, else the nearest quotation in its place, else nothing.
    fn looked_up(
        &self,
        witnesses: &Witnesses<'_>,
        text: String,
        quotes: &[QuoteId],
        told: &mut ToldSoFar,
    ) -> Option<Sentence> {
        match witnesses.bind(&text, quotes, self.own) {
            Binding::Stands(quotes) => {
                let text = self.dated(text, &quotes);
                Some(Sentence { text, quotes, kind: SentenceKind::Fact })
            }
            Binding::Quote(id) if told.instead.insert(id) => quotation(self.context.bank, id),
            Binding::Quote(_) | Binding::Nothing => {
                told.left_out = told.left_out.saturating_add(1);
                None
            }
        }
    }

    /// "Now" of an old page is not now: the year of the page takes its place.
    fn dated(&self, text: String, quotes: &[QuoteId]) -> String {
        let bank = self.context.bank;
        let said = quotes.iter().map(|id| bank.page(*id)?.year()).collect::<Option<Vec<i32>>>();
        let newest = bank.pages.iter().filter_map(PageFacts::year).max();
        let (Some(said), Some(newest)) = (said.and_then(|years| years.into_iter().max()), newest) else {
            return text;
        };
        if said + OLD_YEARS > newest || has_year(&text) {
            return text;
        }
        match without_now(&text) {
            Some(plain) => with_year(&plain, said),
            None => text,
        }
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

    /// Where one quotation has all numbers of a sentence, those that have not are no evidence for it.
    fn leave_those_that_say_it(&self, text: &str, quotes: &mut Vec<QuoteId>) {
        let numbers = figures::number_keys(text);
        let says = |id: &QuoteId| self.context.bank.get(*id).is_some_and(|quote| has_all(quote, &numbers));
        if !numbers.is_empty() && quotes.iter().any(says) {
            quotes.retain(says);
        }
    }

    /// The section's own quotation that says it best: all its numbers, and half of its words.
    fn rebound(&self, text: &str) -> Option<QuoteId> {
        let wanted = passages::words(text);
        let numbers = figures::number_keys(text);
        let needed = wanted.len().div_ceil(2).max(1);
        let score = |id: &QuoteId| {
            let quote = self.context.bank.get(*id)?;
            let shared = passages::shared(&wanted, &quote.text);
            (has_all(quote, &numbers) && shared >= needed).then_some(shared)
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
                cells: (0..cells_wanted).map(|place| self.cell(&row.name, row.cells.get(place))).collect(),
            })
            .filter(|row| !row.name.is_empty() && row.cells.iter().any(|cell| !cell.quotes.is_empty()))
            .collect();
        let caption = text::line(&table.caption, CELL_CHARACTERS_MAX);
        (!rows.is_empty()).then_some(Table { caption, columns, rows })
    }

    fn cell(&self, row: &str, cell: Option<&TableCell>) -> TableCell {
        let empty = || TableCell { text: NOT_FOUND.to_owned(), quotes: Vec::new() };
        let Some(cell) = cell else { return empty() };
        let text = text::line(&cell.text, CELL_CHARACTERS_MAX);
        let says = |id: &QuoteId| {
            let Some(quote) = self.context.bank.get(*id) else { return false };
            let numbers = figures::number_keys(&text);
            match numbers.is_empty() {
                true => passages::shared(&passages::words(&text), &quote.text) > 0,
                false => has_all(quote, &numbers),
            }
        };
        let quotes: Vec<QuoteId> = self.known(&cell.quotes).into_iter().filter(says).collect();
        let quotes = match &self.witnesses {
            Some(witnesses) => witnesses.bind_cell(row, &text, &quotes, self.own),
            None => quotes,
        };
        if quotes.is_empty() || text.is_empty() { empty() } else { TableCell { text, quotes } }
    }
}

/// Whether a quotation has all these numbers.
fn has_all(quote: &BankQuote, numbers: &BTreeSet<String>) -> bool {
    numbers.is_subset(&figures::number_keys(&quote.text))
}

/// Whether a text names a year.
fn has_year(text: &str) -> bool {
    let digits = text.split(|c: char| !c.is_ascii_digit());
    digits.filter(|run| run.len() == 4).any(|run| run.starts_with("19") || run.starts_with("20"))
}

/// A text without its word for now; none if it has none.
fn without_now(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    // Another script may change its length in small letters: then places do not agree, and nothing is cut.
    let found = NOW_WORDS.iter().filter(|_| lower.len() == text.len()).find_map(|word| {
        let start = lower.find(word)?;
        let end = start + word.len();
        let stands_alone = |c: Option<char>| c.is_none_or(|c| !c.is_alphabetic() || !word.is_ascii());
        let before = lower.get(..start)?.chars().next_back();
        let after = lower.get(end..)?.chars().next();
        (stands_alone(before) && stands_alone(after)).then_some((start, end))
    });
    let (start, end) = found?;
    let plain = format!("{}{}", text.get(..start)?, text.get(end..)?);
    Some(plain.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn with_year(text: &str, year: i32) -> String {
    let stops = ['.', '。', '!', '?'];
    let body = text.trim_end_matches(stops);
    format!("{body} ({year}){}", text.get(body.len()..).unwrap_or_default())
}

/// Both sides of a conflict that has a home here must stand in one sentence: two figures far from each other, each as if it
/// were the only one, tell no reader that they disagree. What the writer did not say is quoted, the later word first.
fn add_conflicts(context: WritingContext<'_>, own: &[QuoteId], written: &mut WrittenSection) {
    let mut added: Vec<Sentence> = Vec::new();
    let has_home = |side: &&ConflictValue| {
        !context.tells_every_conflict
            || context.bank.get(side.quote).is_some_and(|quote| quote.home.is_some())
    };
    // A side that no section took leaves the word to the other.
    let is_home = |conflict: &Conflict| {
        let mut sides = conflict.sides.iter().take(2).filter(has_home);
        sides.next().is_some_and(|side| own.contains(&side.quote))
    };
    for conflict in context.conflicts.iter().filter(|conflict| is_home(conflict)) {
        let values: BTreeSet<String> =
            conflict.sides.iter().take(2).flat_map(|side| figures::number_keys(&side.value)).collect();
        let tells = |sentence: &Sentence| values.is_subset(&figures::number_keys(&sentence.text));
        if !written.sentences().any(tells) {
            added.extend(conflict_sentences(context, conflict));
        }
    }
    if !added.is_empty() {
        written.blocks.push(Block::Paragraph { sentences: added });
    }
}

/// The two sides of a conflict in the words of their pages.
fn conflict_sentences(context: WritingContext<'_>, conflict: &Conflict) -> Vec<Sentence> {
    let phrases = ReportPhrases::of(context.language);
    let newer = conflict.newer(context.bank);
    let mut sides: Vec<&ConflictValue> = conflict.sides.iter().take(2).collect();
    sides.sort_by_key(|side| newer != Some(side.quote));
    let mut told = Vec::new();
    for (place, side) in sides.into_iter().enumerate() {
        let Some(quote) = context.bank.get(side.quote) else { continue };
        let date = context.bank.page(side.quote).and_then(|page| page.published.clone());
        let words = text::line(&quote.text, SENTENCE_CHARACTERS_MAX);
        // What it is about is said where the quotation does not say it.
        let about = match words.contains(&conflict.entity) {
            true => String::new(),
            false => format!(" ({}, {})", conflict.entity, conflict.attribute),
        };
        let lead = match place {
            0 => format!("{}{about}: ", phrases.sources_differ),
            _ => format!("{}{about}: ", phrases.other_source),
        };
        let newer = if newer == Some(side.quote) { format!(", {}", phrases.newer) } else { String::new() };
        // A date that stands between two sentences belongs to the first.
        let tail = date.map(|date| format!(" ({} {date}{newer}).", phrases.page_of)).unwrap_or_default();
        told.push(Sentence {
            text: format!("{lead}“{words}”{tail}"),
            quotes: vec![side.quote],
            kind: SentenceKind::Fact,
        });
    }
    told
}

#[cfg(test)]
mod tests {
    use super::{has_year, with_year, without_now};

    #[test]
    fn now_is_taken_out_and_the_year_put_in() {
        let dated = |text: &str| without_now(text).map(|plain| with_year(&plain, 2015));
        assert_eq!(dated("The toll is currently 5 crowns.").unwrap(), "The toll is 5 crowns (2015).");
        assert_eq!(dated("Als Zoll gelten derzeit 5 Kronen.").unwrap(), "Als Zoll gelten 5 Kronen (2015).");
        assert_eq!(dated("目前通行费为五元。").unwrap(), "通行费为五元 (2015)。");
        assert_eq!(dated("Nobody knows the toll."), None);
        assert!(has_year("in 2019 it was 5") && !has_year("it was 2500 or 35"));
    }
}
