//! Lines onto pages: where each stands, and what it is a part of in the structure that screen readers follow.

use std::{collections::BTreeMap, num::NonZeroU16, rc::Rc};

use krilla::tagging::{Identifier, ListNumbering, TableHeaderScope, Tag, TagKind};

use super::{
    text::{BlockLook, SetText, TextSetter},
    words::{GREY, Ink, PdfBlock, PdfItem, TextSize, Words},
};

/// A4, in points.
pub const PAGE_WIDTH: f32 = 595.28;
pub const PAGE_HEIGHT: f32 = 841.89;
const MARGIN: f32 = 51.0;
const TOP: f32 = 48.0;
const BOTTOM: f32 = PAGE_HEIGHT - 54.0;
/// More than the longest report that a run writes, with room; it is what a document takes in memory.
pub const PAGES_MAX: usize = 600;
/// Narrower columns break words into letters: what stands beyond is told in the last one.
const COLUMNS_MAX: usize = 14;
const CELL_GAP: f32 = 6.0;
const INDENT: f32 = 14.0;
const PALE: Ink = [0xC9, 0xCD, 0xD4];

/// A line of a text at its place; without a tag it belongs to the page, not to the report.
pub struct PlacedLine {
    pub text: Rc<SetText>,
    pub line: usize,
    pub x: f32,
    pub top: f32,
    pub tag: Option<usize>,
}

/// A ruled line or bar: left, top, width, height.
pub struct PlacedBar(pub [f32; 4], pub Ink);

#[derive(Default)]
pub struct PdfPage {
    pub lines: Vec<PlacedLine>,
    pub bars: Vec<PlacedBar>,
}

pub struct TagNode {
    pub tag: TagKind,
    pub children: Vec<TagChild>,
}

pub enum TagChild {
    Node(usize),
    Leaf(Identifier),
}

/// A heading for the outline.
pub struct PlacedHeading {
    pub level: u16,
    pub title: String,
    pub page: usize,
    pub top: f32,
}

pub struct Flow {
    pub setter: TextSetter,
    pub pages: Vec<PdfPage>,
    pub tags: Vec<TagNode>,
    /// The tags that no other contains.
    pub roots: Vec<usize>,
    pub headings: Vec<PlacedHeading>,
    /// Page and height of each source.
    pub sources: BTreeMap<u32, (usize, f32)>,
    /// More pages were needed than there may be.
    pub is_full: bool,
    y: f32,
    /// Where bars of quotes stand.
    bars: Vec<f32>,
}

impl Flow {
    pub fn new(setter: TextSetter) -> Self {
        Self {
            setter,
            pages: vec![PdfPage::default()],
            tags: Vec::new(),
            roots: Vec::new(),
            headings: Vec::new(),
            sources: BTreeMap::new(),
            is_full: false,
            y: TOP,
            bars: Vec::new(),
        }
    }

    pub fn document(&mut self, blocks: &[PdfBlock], footer: &str) {
        self.blocks(blocks, MARGIN, PAGE_WIDTH - 2.0 * MARGIN, None);
        let pages = self.pages.len();
        for number in 1..=pages {
            let look = BlockLook { ink: GREY, ..BlockLook::sized(7.0) };
            let words = Words::plain(&format!("{number} / {pages} · {footer}"));
            let Some(text) = self.setter.set(&words, look, PAGE_WIDTH - 2.0 * MARGIN).into_iter().next()
            else {
                continue;
            };
            if let Some(page) = self.pages.get_mut(number - 1) {
                page.lines.push(PlacedLine { text, line: 0, x: MARGIN, top: BOTTOM + 16.0, tag: None });
            }
        }
    }

    /// As deep as the document is, which is bounded where it is built.
    fn blocks(&mut self, blocks: &[PdfBlock], x: f32, width: f32, parent: Option<usize>) {
        for (place, block) in blocks.iter().enumerate() {
            if place > 0 {
                self.gap(match block {
                    PdfBlock::Heading { .. } => 9.0,
                    PdfBlock::Paragraph { size: TextSize::Body, .. } => 4.5,
                    _ => 3.0,
                });
            }
            self.block(block, x, width, parent);
        }
    }

    fn block(&mut self, block: &PdfBlock, x: f32, width: f32, parent: Option<usize>) {
        if self.is_full {
            return;
        }
        match block {
            PdfBlock::Heading { level, words } => self.heading(*level, words, x, width, parent),
            PdfBlock::Paragraph { words, size } => {
                let tag = self.tag(parent, Tag::P);
                let italic = !self.bars.is_empty();
                self.place(words, BlockLook { italic, ..BlockLook::sized(points(*size)) }, x, width, tag);
            }
            PdfBlock::Code { words } => {
                let paragraph = self.tag(parent, Tag::P);
                let tag = self.tag(Some(paragraph), Tag::Code);
                self.within_bar(x, |flow| {
                    flow.place(words, BlockLook::sized(8.0), x + 8.0, width - 8.0, tag);
                });
            }
            PdfBlock::List { is_ordered, items } => {
                let numbering = if *is_ordered { ListNumbering::Decimal } else { ListNumbering::Disc };
                let list = self.tag(parent, Tag::L(numbering));
                for (place, item) in items.iter().enumerate() {
                    if place > 0 {
                        self.gap(1.5);
                    }
                    self.item(item, x, width, list);
                }
            }
            PdfBlock::Quote { blocks } => {
                let tag = self.tag(parent, Tag::BlockQuote);
                self.within_bar(x, |flow| flow.blocks(blocks, x + 10.0, width - 10.0, Some(tag)));
            }
            PdfBlock::Table { head, rows } => self.table(head, rows, x, width, parent),
            PdfBlock::Rule => {
                self.gap(4.0);
                self.bar([x + width / 3.0, self.y, width / 3.0, 0.5]);
                self.gap(4.0);
            }
        }
    }

    fn heading(&mut self, level: u8, words: &Words, x: f32, width: f32, parent: Option<usize>) {
        let deepest = self.headings.last().map_or(1, |before| before.level + 1);
        let level = u16::from(level).clamp(1, deepest.min(6));
        let size = match level {
            1 => 17.0,
            2 => 12.5,
            3 => 10.5,
            _ => 9.5,
        };
        let title = words.text();
        if title.trim().is_empty() {
            return;
        }
        self.make_room(size * 1.3 + 26.0);
        let tag =
            self.tag(parent, Tag::Hn(NonZeroU16::new(level).unwrap_or(NonZeroU16::MIN), Some(title.clone())));
        self.headings.push(PlacedHeading { level, title, page: self.pages.len() - 1, top: self.y });
        self.place(words, BlockLook { bold: true, height: 1.25, ..BlockLook::sized(size) }, x, width, tag);
    }

    fn item(&mut self, item: &PdfItem, x: f32, width: f32, list: usize) {
        let size = match item.blocks.first() {
            Some(PdfBlock::Paragraph { size, .. }) => points(*size),
            _ => points(TextSize::Body),
        };
        let look = BlockLook::sized(size);
        self.make_room(size * look.height);
        let tag = self.tag(Some(list), Tag::LI);
        if let Some(number) = item.source {
            self.sources.insert(number, (self.pages.len() - 1, self.y));
        }
        let letters = u16::try_from(item.label.chars().count()).unwrap_or(u16::MAX);
        let indent = (f32::from(letters) * size * 0.62).clamp(INDENT, width / 3.0);
        let label = self.tag(Some(tag), Tag::Lbl);
        let top = self.y;
        self.place(&Words::plain(&item.label), look, x, indent.max(size * 4.0), label);
        self.y = top;
        let body = self.tag(Some(tag), Tag::LBody);
        self.blocks(&item.blocks, x + indent, (width - indent).max(40.0), Some(body));
        self.y = self.y.max(top + size * look.height * f32::from(u8::from(item.blocks.is_empty())));
    }

    fn table(&mut self, head: &[Words], rows: &[Vec<Words>], x: f32, width: f32, parent: Option<usize>) {
        let columns = head.len().clamp(1, COLUMNS_MAX);
        let widths = column_widths(head, rows, columns, width);
        let table = self.tag(parent, Tag::Table);
        let group = self.tag(Some(table), Tag::THead);
        self.make_room(40.0);
        self.row(head, &widths, x, group, true);
        let group = self.tag(Some(table), Tag::TBody);
        for row in rows {
            if self.is_full {
                return;
            }
            self.row(row, &widths, x, group, false);
        }
    }

    fn row(&mut self, cells: &[Words], widths: &[f32], x: f32, group: usize, is_head: bool) {
        let look = BlockLook { bold: is_head, height: 1.25, ..BlockLook::sized(points(TextSize::Table)) };
        let row = self.tag(Some(group), Tag::TR);
        let mut columns = Vec::new();
        let mut left = x;
        for (place, width) in widths.iter().enumerate() {
            let tag = match is_head {
                true => self.tag(Some(row), Tag::TH(TableHeaderScope::Column)),
                false => self.tag(Some(row), Tag::TD),
            };
            let words = cell(cells, place, widths.len());
            let lines: Vec<(Rc<SetText>, usize)> = self
                .setter
                .set(&words, look, (width - CELL_GAP).max(8.0))
                .into_iter()
                .flat_map(|text| {
                    (0..text.layout.len()).map(move |line| (Rc::clone(&text), line)).collect::<Vec<_>>()
                })
                .collect();
            columns.push((left, tag, lines.into_iter().peekable()));
            left += width;
        }
        let height = look.size * look.height;
        let longest = columns.iter().map(|(_, _, lines)| lines.len()).max().unwrap_or_default();
        let whole = height * f32::from(u16::try_from(longest).unwrap_or(u16::MAX)) + 4.0;
        if whole < BOTTOM - TOP {
            self.make_room(whole);
        }
        while !self.is_full {
            let top = self.y + 2.0;
            let mut lowest = top;
            for (left, tag, lines) in &mut columns {
                let mut y = top;
                while (y + height <= BOTTOM || y <= TOP + 2.0)
                    && let Some((text, line)) = lines.next()
                {
                    self.put(PlacedLine { text, line, x: *left, top: y, tag: Some(*tag) });
                    y += height;
                }
                lowest = lowest.max(y);
            }
            self.y = lowest + 2.0;
            let all: f32 = widths.iter().sum();
            if columns.iter_mut().all(|(_, _, lines)| lines.peek().is_none()) {
                self.bar([x, self.y, all, if is_head { 0.8 } else { 0.3 }]);
                return;
            }
            self.new_page();
        }
    }

    fn within_bar(&mut self, x: f32, inside: impl FnOnce(&mut Self)) {
        self.bars.push(x + 2.0);
        inside(self);
        self.bars.pop();
    }

    fn place(&mut self, words: &Words, look: BlockLook, x: f32, width: f32, tag: usize) {
        let height = look.size * look.height;
        for text in self.setter.set(words, look, width.max(20.0)) {
            for line in 0..text.layout.len() {
                self.make_room(height);
                let bars: Vec<f32> = self.bars.clone();
                bars.into_iter().for_each(|left| self.bar([left, self.y, 1.5, height]));
                self.put(PlacedLine { text: Rc::clone(&text), line, x, top: self.y, tag: Some(tag) });
                self.y += height;
            }
        }
    }

    fn put(&mut self, line: PlacedLine) {
        if let Some(page) = self.pages.last_mut().filter(|_| !self.is_full) {
            page.lines.push(line);
        }
    }

    fn bar(&mut self, at: [f32; 4]) {
        if let Some(page) = self.pages.last_mut().filter(|_| !self.is_full) {
            page.bars.push(PlacedBar(at, PALE));
        }
    }

    fn tag(&mut self, parent: Option<usize>, tag: impl Into<TagKind>) -> usize {
        let node = self.tags.len();
        self.tags.push(TagNode { tag: tag.into(), children: Vec::new() });
        match parent.and_then(|parent| self.tags.get_mut(parent)) {
            Some(parent) => parent.children.push(TagChild::Node(node)),
            None => self.roots.push(node),
        }
        node
    }

    /// Nothing at the top of a page.
    fn gap(&mut self, height: f32) {
        if self.y > TOP {
            self.y += height;
        }
    }

    fn make_room(&mut self, height: f32) {
        if self.y + height > BOTTOM && self.y > TOP {
            self.new_page();
        }
    }

    fn new_page(&mut self) {
        self.y = TOP;
        match self.pages.len() < PAGES_MAX {
            true => self.pages.push(PdfPage::default()),
            false => self.is_full = true,
        }
    }
}

fn points(size: TextSize) -> f32 {
    match size {
        TextSize::Body => 9.5,
        TextSize::Small => 8.5,
        TextSize::Table => 7.5,
    }
}

/// A cell of a row; the last column tells those beyond it too, and an empty cell is a space, so that it stays a cell.
fn cell(cells: &[Words], place: usize, columns: usize) -> Words {
    let mut words = cells.get(place).cloned().unwrap_or_default();
    if place + 1 == columns {
        for more in cells.iter().skip(columns) {
            words.pieces.push((" | ".to_owned(), super::words::WordLook::default()));
            words.pieces.extend(more.pieces.iter().cloned());
        }
    }
    if words.is_empty() { Words::plain("\u{A0}") } else { words }
}

/// By the longest cell of each column, and never narrower than its longest usual word.
fn column_widths(head: &[Words], rows: &[Vec<Words>], columns: usize, width: f32) -> Vec<f32> {
    /// Letters of a word that a column leaves whole, and of a cell that count for its width.
    const WORD_MAX: usize = 14;
    const CELL_MAX: usize = 60;
    /// A wide letter, in points.
    const LETTER: f32 = 4.6;
    let mut least = vec![0_u8; columns];
    let mut weights = vec![1_u8; columns];
    let fitted = |letters: usize, most: usize| u8::try_from(letters.min(most)).unwrap_or(u8::MAX);
    for row in rows.iter().map(Vec::as_slice).chain([head]) {
        for ((least, weight), words) in least.iter_mut().zip(&mut weights).zip(row) {
            let text = words.text();
            let word = text.split_whitespace().map(|word| word.chars().count()).max().unwrap_or_default();
            *least = (*least).max(fitted(word, WORD_MAX));
            *weight = (*weight).max(fitted(text.chars().count(), CELL_MAX));
        }
    }
    let least: Vec<f32> = least.into_iter().map(|letters| f32::from(letters) * LETTER + CELL_GAP).collect();
    let taken: f32 = least.iter().sum();
    if taken > width {
        return least.into_iter().map(|least| width * least / taken).collect();
    }
    let all: f32 = weights.iter().copied().map(f32::from).sum();
    let share = |weight: u8| (width - taken) * f32::from(weight) / all;
    least.into_iter().zip(weights).map(|(least, weight)| least + share(weight)).collect()
}
