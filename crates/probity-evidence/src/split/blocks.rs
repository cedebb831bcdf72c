//! A report's lines as blocks: what is prose, and where headings, items, rows, quotations, code and source lists are.
//!
//! Not CommonMark: reports are written by models, so a forgotten blank line or a heading in bold must not hide prose.

use super::{BlockKind, kind, script, statements};
use crate::citations::list;

pub use probity_types::report::own_list::names_sources;

/// A bold line is a heading below all that are marked as such.
const BOLD_LEVEL: usize = 7;
/// A longer paragraph is read in parts: what one part costs must not grow with the text.
const BLOCK_BYTES_MAX: usize = 64 * 1024;

/// A block: its bytes without the marks of its kind, and what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkdownBlock {
    pub kind: BlockKind,
    pub start: usize,
    pub end: usize,
    /// A table's first row, or another line that only names what follows.
    pub is_header: bool,
    /// How deep it is: the level of a heading, the bytes before the mark of an item.
    pub depth: usize,
    /// The program wrote it about its own work.
    pub is_notice: bool,
    /// Where the entry of a list of sources begins that it stands in.
    pub aside_of: Option<usize>,
}

/// The blocks of a report in their order; they do not overlap.
pub fn blocks(markdown: &str) -> Vec<MarkdownBlock> {
    let mut reader = BlockReader {
        markdown,
        found: Vec::new(),
        in_sources: false,
        fence: None,
        closing_lines: [closing_lines(markdown, '`'), closing_lines(markdown, '~')],
    };
    let mut start = front_matter(markdown);
    if start > 0 {
        reader.push(BlockKind::FrontMatter, 0, start);
    }
    while start < markdown.len() {
        let rest = markdown.get(start..).unwrap_or_default();
        let length = rest.find('\n').map_or(rest.len(), |at| at + 1);
        reader.line(start, start + length);
        start += length;
    }
    without_lone_headers(markdown, &mut reader.found);
    super::closing_list::mark_closing_list(markdown, &mut reader.found);
    super::notices::mark(markdown, &mut reader.found);
    reader.found.iter().flat_map(|block| parts(markdown, *block)).collect()
}

/// A block in parts that are read one by one, cut at the last line break or space that fits.
fn parts(markdown: &str, block: MarkdownBlock) -> impl Iterator<Item = MarkdownBlock> {
    let is_text = !matches!(block.kind, BlockKind::Code | BlockKind::FrontMatter);
    let mut open = Some(block.start);
    std::iter::from_fn(move || {
        let start = open?;
        let text = markdown.get(start..block.end).unwrap_or_default();
        if !is_text || text.len() <= BLOCK_BYTES_MAX {
            open = None;
            return Some(MarkdownBlock { start, ..block });
        }
        let fits = text.get(..text.floor_char_boundary(BLOCK_BYTES_MAX)).unwrap_or_default();
        let cut = fits.rfind('\n').or_else(|| fits.rfind(' ')).filter(|cut| *cut > 0).unwrap_or(fits.len());
        let end = start + cut;
        let behind = markdown.get(end..block.end).unwrap_or_default();
        open = Some(block.end - behind.trim_start().len()).filter(|next| *next < block.end);
        Some(MarkdownBlock { start, end, ..block })
    })
}

/// The first row of a table without others says something if it has a figure or a verb: it heads nothing.
fn without_lone_headers(markdown: &str, found: &mut [MarkdownBlock]) {
    let next: Vec<Option<(BlockKind, usize)>> =
        found.iter().skip(1).map(|block| Some((block.kind, block.start))).chain([None]).collect();
    for (block, next) in found.iter_mut().zip(next).filter(|(block, _)| block.is_header) {
        let heads = next.is_some_and(|(kind, start)| {
            // The line below a header is its rule, and the rows follow it at once.
            let between = markdown.get(block.end..start).unwrap_or_default();
            kind == BlockKind::Row && between.matches('\n').count() <= 2
        });
        let row = markdown.get(block.start..block.end).unwrap_or_default();
        let says = kind::has_number(row) || statements::heading_states(&row.replace('|', " "));
        block.is_header = heads || !says;
    }
}

struct BlockReader<'a> {
    markdown: &'a str,
    found: Vec<MarkdownBlock>,
    in_sources: bool,
    /// The character and the number of characters that opened code.
    fence: Option<(char, usize)>,
    /// The lines that can close code, for either mark.
    closing_lines: [ClosingLines; 2],
}

impl BlockReader<'_> {
    fn line(&mut self, from: usize, to: usize) {
        let raw = self.markdown.get(from..to).unwrap_or_default();
        let line = raw.trim_end();
        let body = line.trim_start();
        let start = from + (line.len() - body.len());
        let end = from + line.len();
        if let Some((mark, length)) = self.fence {
            let run = body.chars().take_while(|c| *c == mark).count();
            if run >= length && body.chars().all(|c| c == mark) {
                self.fence = None;
            }
            self.more(BlockKind::Code, end);
            return;
        }
        if let Some(mark @ ('`' | '~')) = body.chars().next() {
            let run = body.chars().take_while(|c| *c == mark).count();
            if run >= 3 && !body.chars().skip(run).any(|c| c == '`') {
                self.fence = self.closes(to, mark, run).then_some((mark, run));
                self.push(BlockKind::Code, start, end);
                return;
            }
        }
        self.text_line(from, start, end, body);
    }

    fn text_line(&mut self, from: usize, start: usize, end: usize, body: &str) {
        if body.is_empty() {
            return;
        }
        if is_rule(body) {
            self.rule(from, body);
        } else if let Some(heading) = heading(body) {
            let level = body.bytes().take_while(|byte| *byte == b'#').count();
            let start = start + (body.len() - heading.len());
            let text = heading.trim_end_matches('#').trim_end();
            let end = if text.is_empty() { end } else { start + text.len() };
            self.heading(start, end, level);
        } else if let Some(quoted) = body.strip_prefix('>') {
            let text = quoted.trim_start_matches(['>', ' ', '\t']);
            let start = end - text.len();
            if !text.is_empty() && !self.continues(BlockKind::Quotation, from, end) {
                self.push(BlockKind::Quotation, start, end);
            }
        } else if body.starts_with('|') || self.is_row(body) {
            self.row(from, start, end, body);
        } else if let Some(text) = item(body) {
            let start = end - text.len();
            let is_entry = self.in_sources || is_labelled(text) && text.contains("http");
            // The number of an entry is its label, so its mark is kept.
            let start = if is_entry { end - body.len() } else { start };
            let before = self.found.len();
            self.push(if is_entry { BlockKind::SourceEntry } else { BlockKind::Item }, start, end);
            self.found.iter_mut().skip(before).for_each(|item| item.depth = end - body.len() - from);
        } else if is_definition(body) || self.is_entry(body, end) {
            self.push(BlockKind::SourceEntry, start, end);
        } else if is_bold_line(body) {
            let inner = body.trim_matches(['*', '_', ':', '：', ' ']);
            if names_sources(inner) || !inner.contains("http") {
                self.heading(start, end, BOLD_LEVEL);
            } else {
                self.push(BlockKind::Paragraph, start, end);
            }
        } else if is_picture(body) || self.follows_picture() || !self.grows(from, end) {
            self.push(BlockKind::Paragraph, start, end);
        }
    }

    /// Whether the line before is nothing but a picture: what stands below it is said apart.
    fn follows_picture(&self) -> bool {
        let last = self.found.last().filter(|last| last.kind == BlockKind::Paragraph);
        last.and_then(|last| self.markdown.get(last.start..last.end)).is_some_and(is_picture)
    }

    /// Whether code that was opened is closed again: models forget it, and what follows is then the rest of the
    /// report.
    fn closes(&self, from: usize, mark: char, run: usize) -> bool {
        let [ticks, tildes] = &self.closing_lines;
        let lines = if mark == '`' { ticks } else { tildes };
        lines
            .get(lines.partition_point(|(start, _)| *start < from))
            .is_some_and(|(_, longest)| *longest >= run)
    }

    /// Whether a line without a list mark is an entry of a source list: under its heading, or labelled with an address
    /// on the same or the next line.
    fn is_entry(&self, body: &str, end: usize) -> bool {
        let next = self.markdown.get(end..).unwrap_or_default().trim_start();
        let follows = self.found.last().is_some_and(|last| last.kind == BlockKind::SourceEntry);
        if self.in_sources {
            let start = end - body.len();
            let is_apart = !self.found.last().is_some_and(|last| touches(self.markdown, last.end, start));
            let is_work = list::names_work(body);
            return is_labelled(body)
                || follows && is_address(body) && !self.lacks_address()
                || has_address(body) && (!follows || is_apart || is_work)
                || is_work;
        }
        is_labelled(body) && (has_address(body) || follows || is_address(next))
    }

    /// Whether the entry before still has no address.
    fn lacks_address(&self) -> bool {
        let text = self.found.last().and_then(|last| self.markdown.get(last.start..last.end));
        text.is_some_and(|text| !has_address(text))
    }

    fn heading(&mut self, start: usize, end: usize, level: usize) {
        self.in_sources = names_sources(self.markdown.get(start..end).unwrap_or_default());
        let before = self.found.len();
        self.push(BlockKind::Heading, start, end);
        self.found.iter_mut().skip(before).for_each(|heading| heading.depth = level);
    }

    /// A line of dashes ends what is open; under a line of text it makes that line a heading.
    fn rule(&mut self, from: usize, body: &str) {
        let is_underline = body.starts_with("--") || body.starts_with("==");
        let sources = match self.found.last_mut() {
            Some(last)
                if is_underline
                    && last.kind == BlockKind::Paragraph
                    && touches(self.markdown, last.end, from) =>
            {
                let text = self.markdown.get(last.start..last.end).unwrap_or_default();
                if text.contains('\n') {
                    return;
                }
                last.kind = BlockKind::Heading;
                last.depth = if body.starts_with('=') { 1 } else { 2 };
                Some(names_sources(text))
            }
            _ => None,
        };
        if let Some(in_sources) = sources {
            self.in_sources = in_sources;
        }
    }

    /// Whether this line is a row of the table that the lines before belong to.
    fn is_row(&self, body: &str) -> bool {
        body.contains(" | ")
            && (is_separator(body) || self.found.last().is_some_and(|last| last.kind == BlockKind::Row))
    }

    fn row(&mut self, from: usize, start: usize, end: usize, body: &str) {
        if !is_separator(body) {
            self.push(BlockKind::Row, start, end);
            return;
        }
        if let Some(last) = self.found.last_mut().filter(|last| touches(self.markdown, last.end, from)) {
            if last.kind == BlockKind::Paragraph {
                last.kind = BlockKind::Row;
            }
            last.is_header = last.kind == BlockKind::Row;
        }
    }

    /// Makes the block before longer if this line belongs to it without a mark of its own.
    fn grows(&mut self, from: usize, end: usize) -> bool {
        let Some(last) = self.found.last_mut() else { return false };
        let is_text = matches!(
            last.kind,
            BlockKind::Paragraph | BlockKind::Item | BlockKind::Quotation | BlockKind::SourceEntry
        );
        if is_text && touches(self.markdown, last.end, from) {
            last.end = end;
            return true;
        }
        // An address alone under an entry of a source list belongs to it even after a blank line.
        let line = self.markdown.get(from..end).unwrap_or_default().trim();
        if last.kind == BlockKind::SourceEntry && (line.starts_with("http") || line.starts_with("<http")) {
            last.end = end;
            return true;
        }
        false
    }

    fn continues(&mut self, kind: BlockKind, from: usize, end: usize) -> bool {
        match self.found.last_mut() {
            Some(last) if last.kind == kind && touches(self.markdown, last.end, from) => {
                last.end = end;
                true
            }
            _ => false,
        }
    }

    fn more(&mut self, kind: BlockKind, end: usize) {
        if let Some(last) = self.found.last_mut().filter(|last| last.kind == kind) {
            last.end = last.end.max(end);
        }
    }

    fn push(&mut self, kind: BlockKind, start: usize, end: usize) {
        if start < end {
            self.found.push(MarkdownBlock {
                kind,
                start,
                end,
                is_header: false,
                depth: 0,
                is_notice: false,
                aside_of: None,
            });
        }
    }
}

/// Whether nothing but spaces and one line break is between two places.
fn touches(markdown: &str, end: usize, from: usize) -> bool {
    let Some(between) = markdown.get(end..from) else { return false };
    let mut lines = 0;
    !between.chars().any(|c| {
        lines += usize::from(c == '\n');
        lines > 1 || !c.is_whitespace()
    })
}

/// The bytes of front matter: between two lines of three dashes at the very beginning.
fn front_matter(markdown: &str) -> usize {
    /// Front matter is a few settings; a rule far below is a rule.
    const FRONT_MATTER_BYTES_MAX: usize = 16 * 1024;
    if !markdown.starts_with("---\n") && !markdown.starts_with("---\r\n") {
        return 0;
    }
    let mut at = 0;
    for (number, line) in markdown.split_inclusive('\n').enumerate() {
        at += line.len();
        let text = line.trim_end();
        if number > 0 && (text == "---" || text == "...") {
            return at;
        }
        let is_setting = text.is_empty() || text.contains(':') || text.starts_with([' ', '-', '#', '\t']);
        if at > FRONT_MATTER_BYTES_MAX || (number > 0 && !is_setting) {
            return 0;
        }
    }
    0
}

/// Where the lines of nothing but one mark start, each with the length of the longest from there on.
type ClosingLines = Vec<(usize, usize)>;

fn closing_lines(markdown: &str, mark: char) -> ClosingLines {
    let mut found: ClosingLines = Vec::new();
    let mut start = 0;
    for line in markdown.split_inclusive('\n') {
        let marks = line.trim();
        if marks.starts_with(mark) && marks.bytes().all(|byte| char::from(byte) == mark) {
            found.push((start, marks.len()));
        }
        start += line.len();
    }
    let mut longest = 0;
    for line in found.iter_mut().rev() {
        longest = longest.max(line.1);
        line.1 = longest;
    }
    found
}

pub fn is_rule(body: &str) -> bool {
    let Some(mark @ ('-' | '*' | '_' | '=')) = body.chars().next() else { return false };
    let marks = body.chars().filter(|c| *c == mark).count();
    marks >= 3 && body.chars().all(|c| c == mark || c == ' ')
}

fn is_separator(body: &str) -> bool {
    body.contains('-')
        && body.contains('|')
        && body.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '+' | '='))
}

fn heading(body: &str) -> Option<&str> {
    let hashes = body.bytes().take_while(|byte| *byte == b'#').count();
    let text = body.get(hashes..)?;
    ((1..=6).contains(&hashes) && text.starts_with([' ', '\t'])).then(|| text.trim_start())
}

/// `![…](…)` and nothing else.
fn is_picture(body: &str) -> bool {
    /// A longer line says more than a picture shows.
    const PICTURE_BYTES_MAX: usize = 2_000;
    if body.len() > PICTURE_BYTES_MAX {
        return false;
    }
    let shown = body.trim().strip_prefix("![").and_then(|rest| rest.split_once("]("));
    shown.is_some_and(|(words, rest)| {
        !words.contains("![") && rest.find(')').is_some_and(|close| close + 1 == rest.len())
    })
}

/// The text of a list item after its mark.
pub fn item(body: &str) -> Option<&str> {
    let mut characters = body.chars();
    let first = characters.next()?;
    let after = if matches!(first, '-' | '*' | '+' | '•' | '–' | '◦' | '▪' | '‣' | '·') {
        body.get(first.len_utf8()..)?
    } else {
        let digits = body.bytes().take_while(u8::is_ascii_digit).count();
        if !(1..=3).contains(&digits) {
            return None;
        }
        let after = body.get(digits..)?;
        after
            .strip_prefix(['.', ')'])
            .or_else(|| after.strip_prefix('、').map(|_| after.trim_start_matches('、')))?
    };
    let text = after.trim_start();
    let is_tight = matches!(first, '•' | '◦' | '▪' | '‣') || body.contains('、') && after.len() == text.len();
    ((after.len() > text.len() || is_tight) && !text.is_empty()).then_some(text)
}

/// `[id]: address`, `[id]: path/of/a/file` or `[^id]: a note`.
pub fn is_definition(body: &str) -> bool {
    let Some((label, rest)) = body.strip_prefix('[').and_then(|rest| rest.split_once("]:")) else {
        return false;
    };
    let rest = rest.trim_start();
    let is_path = rest.contains(['/', '.']) && !rest.trim_end().contains(char::is_whitespace);
    let is_address = rest.starts_with("http") || rest.starts_with("<http") || is_path;
    !label.contains(['[', ']']) && (label.starts_with('^') || is_address)
}

/// A line of its own that is bold from end to end, as models write small headings.
fn is_bold_line(body: &str) -> bool {
    /// Longer bold lines are emphasised sentences.
    const BOLD_BYTES_MAX: usize = 120;
    let inner = body.trim_end_matches([':', '：', ' ']);
    let Some(inner) = inner.strip_prefix("**").and_then(|inner| inner.strip_suffix("**")) else {
        return false;
    };
    let last = inner.trim_end().chars().last();
    inner.len() <= BOLD_BYTES_MAX && !inner.contains("**") && !last.is_none_or(script::ends_sentence)
}

/// `[12] …`, `【12】…`: a line that begins with a label.
pub fn is_labelled(body: &str) -> bool {
    let body = body.trim_start_matches(['*', '_', '\\']);
    let Some(label) = body.strip_prefix(['[', '【', '［']) else { return false };
    let label = label.trim_start_matches('^');
    let digits = label.bytes().take_while(u8::is_ascii_digit).count();
    let after = label.get(digits..).unwrap_or_default();
    (1..=4).contains(&digits) && after.trim_start_matches('\\').starts_with([']', '】', '］'])
}

pub fn has_address(text: &str) -> bool {
    text.contains("http://") || text.contains("https://")
}

fn is_address(text: &str) -> bool {
    let text = text.trim_start_matches(['<', '(', '*', '-', ' ']);
    text.starts_with("http://") || text.starts_with("https://")
}
