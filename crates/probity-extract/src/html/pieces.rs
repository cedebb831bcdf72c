//! Cuts the visible part of a page into lines of text: paragraphs, items, headings, code, rows of tables.

use probity_types::web::page::ExtractBlockKind;

use super::{
    frame_text,
    note_marks::{NoteMarks, RaisedText, in_raised},
    tag::{Key, Tag},
    tree::{HtmlTree, NodeId, NodeKind, ROOT},
};
use crate::clean::{self, TextCleaner, WhiteSpace};

/// A table whose cells hold more than this lays out a page; its cells are no row.
const CELL_BYTES_MAX: usize = 600;

#[derive(Debug, Clone, Copy)]
pub struct PagePiece {
    pub kind: ExtractBlockKind,
    /// The innermost block element around it.
    pub container: NodeId,
    pub tag: Tag,
    /// Byte range in `PagePieces::text`.
    pub start: usize,
    pub end: usize,
    /// Bytes of it inside links.
    pub link_bytes: usize,
    /// Byte range in the page.
    pub source: (usize, usize),
}

impl PagePiece {
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    pub fn link_share(&self) -> f32 {
        self.link_bytes as f32 / self.len().max(1) as f32
    }
}

#[derive(Debug, Default)]
pub struct PagePieces {
    pub text: String,
    pub list: Vec<PagePiece>,
    pub invisible: usize,
}

impl PagePieces {
    pub fn text_of(&self, piece: &PagePiece) -> &str {
        self.text.get(piece.start..piece.end).unwrap_or_default()
    }
}

/// Whether pages inside a page are read: those inside them are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frames {
    Read,
    Skipped,
}

pub fn pieces(tree: &HtmlTree<'_>, is_hidden: &[bool], frames: Frames) -> PagePieces {
    let mut cutter = PieceCutter {
        rows: rows(tree, is_hidden),
        marks: NoteMarks::of(tree),
        tree,
        cleaner: TextCleaner::default(),
        list: Vec::new(),
        blocks: vec![OpenBlock {
            id: ROOT,
            tag: Tag::Other,
            end: NodeId::MAX,
            kind: ExtractBlockKind::Paragraph,
        }],
        link_until: 0,
        raised_until: 0,
        drawing_until: 0,
        link_bytes: 0,
        source: None,
        last_break: false,
    };
    let mut id = ROOT + 1;
    let end = tree.node(ROOT).end;
    while id < end {
        if is_hidden.get(id as usize).copied().unwrap_or(false) {
            id = tree.node(id).end;
            continue;
        }
        cutter.leave(id);
        let tag = tree.node(id).tag();
        if tag == Tag::Iframe && frames == Frames::Read {
            cutter.frame(id);
        }
        if tag == Tag::Select || cutter.is_note_mark(id) || (tag == Tag::Textarea && !holds_prose(tree, id)) {
            id = tree.node(id).end;
            continue;
        }
        cutter.visit(id);
        id += 1;
    }
    cutter.flush();
    PagePieces { text: cutter.cleaner.text, list: cutter.list, invisible: cutter.cleaner.invisible }
}

/// A block element that is open.
#[derive(Debug, Clone, Copy)]
struct OpenBlock {
    id: NodeId,
    tag: Tag,
    end: NodeId,
    kind: ExtractBlockKind,
}

struct PieceCutter<'t, 'a> {
    tree: &'t HtmlTree<'a>,
    /// Per node: a `tr` that is shown as one row.
    rows: Vec<bool>,
    marks: NoteMarks,
    cleaner: TextCleaner,
    list: Vec<PagePiece>,
    blocks: Vec<OpenBlock>,
    link_until: NodeId,
    /// Numbers up to this node are written as powers.
    raised_until: NodeId,
    drawing_until: NodeId,
    link_bytes: usize,
    source: Option<(usize, usize)>,
    last_break: bool,
}

impl PieceCutter<'_, '_> {
    /// Closes the blocks that end before `id`.
    fn leave(&mut self, id: NodeId) {
        while self.blocks.last().is_some_and(|open| open.end <= id) {
            self.flush();
            self.blocks.pop();
        }
    }

    fn block(&self) -> OpenBlock {
        let nothing =
            OpenBlock { id: ROOT, tag: Tag::Other, end: NodeId::MAX, kind: ExtractBlockKind::Paragraph };
        self.blocks.last().copied().unwrap_or(nothing)
    }

    /// Whether it is the mark of a note, which is no word of the text. What else is raised is told from the line.
    fn is_note_mark(&mut self, id: NodeId) -> bool {
        if self.block().kind == ExtractBlockKind::Code {
            return false;
        }
        match self.marks.read(self.tree, id, self.cleaner.joined()) {
            Some(RaisedText::NoteMark) => return true,
            Some(RaisedText::Power | RaisedText::Number) => self.raised_until = self.tree.node(id).end,
            Some(RaisedText::Fraction) => self.cleaner.pause(),
            Some(RaisedText::Word) | None => {}
        }
        false
    }

    fn visit(&mut self, id: NodeId) {
        let node = *self.tree.node(id);
        match node.what {
            NodeKind::Text(text) => self.text(id, text, node.at as usize),
            NodeKind::Element { tag, .. } => self.element(id, tag, node.end),
        }
    }

    fn element(&mut self, id: NodeId, tag: Tag, end: NodeId) {
        let in_row = self.block().kind == ExtractBlockKind::TableRow;
        match tag {
            Tag::A => self.link_until = end,
            Tag::Br if self.block().tag == Tag::Pre => self.cleaner.text.push('\n'),
            Tag::Br if in_row || !self.last_break => {
                self.last_break = true;
                self.cleaner.pause();
                return;
            }
            Tag::Br => self.flush(),
            Tag::Td | Tag::Th if in_row && !self.cleaner.is_empty() => {
                self.cleaner.text.push_str(" |");
                self.cleaner.pause();
            }
            Tag::Svg => self.drawing_until = self.drawing_until.max(end),
            Tag::Tspan => self.cleaner.pause(),
            Tag::Textarea if !in_row => self.open(id, tag, end),
            Tag::SvgText if id < self.drawing_until && !in_row => self.open(id, tag, end),
            Tag::SvgText | Tag::Textarea if in_row => self.cleaner.pause(),
            _ if tag.is_block() && in_row => self.cleaner.pause(),
            _ if tag.is_block() && self.block().tag != Tag::Pre => self.open(id, tag, end),
            Tag::Img | Tag::Wbr => {}
            _ => return,
        }
        self.last_break = false;
    }

    /// The page that an element holds as a whole, line by line.
    fn frame(&mut self, id: NodeId) {
        let Some(page) = self.tree.attribute(id, Key::Srcdoc) else { return };
        let at = self.tree.node(id).at as usize;
        self.flush();
        for line in frame_text(page).lines() {
            self.cleaner.push(line, WhiteSpace::Collapsed);
            self.source = Some((at, at));
            self.flush();
        }
    }

    fn open(&mut self, id: NodeId, tag: Tag, end: NodeId) {
        self.flush();
        let outer = self.block().kind;
        let kind = match tag {
            _ if tag.is_heading() => ExtractBlockKind::Heading,
            Tag::Tr if self.rows.get(id as usize).copied().unwrap_or(false) => ExtractBlockKind::TableRow,
            Tag::Li | Tag::Dd | Tag::Dt => ExtractBlockKind::ListItem,
            Tag::Blockquote => ExtractBlockKind::Quote,
            Tag::Pre | Tag::Xmp => ExtractBlockKind::Code,
            Tag::Table | Tag::Section | Tag::Article | Tag::Main | Tag::Td | Tag::Th => {
                ExtractBlockKind::Paragraph
            }
            _ if matches!(
                outer,
                ExtractBlockKind::Heading | ExtractBlockKind::ListItem | ExtractBlockKind::Quote
            ) =>
            {
                outer
            }
            _ => ExtractBlockKind::Paragraph,
        };
        self.blocks.push(OpenBlock { id, tag, end, kind });
    }

    fn text(&mut self, id: NodeId, text: &str, at: usize) {
        let before = self.cleaner.text.len();
        let space = if self.block().kind == ExtractBlockKind::Code {
            WhiteSpace::Kept
        } else {
            WhiteSpace::Collapsed
        };
        if id < self.raised_until {
            self.cleaner.push(&in_raised(&clean::line(text)), space);
            if text.ends_with(char::is_whitespace) {
                self.cleaner.pause();
            }
        } else {
            self.cleaner.push_html(text, space);
        }
        let added = self.cleaner.text.len() - before;
        if added == 0 {
            return;
        }
        self.last_break = false;
        if id < self.link_until {
            self.link_bytes += added;
        }
        let lead = text.len() - text.trim_start().len();
        let (from, to) = (at + lead, at + text.trim_end().len());
        self.source = Some((self.source.map_or(from, |(from, _)| from), to.max(from)));
    }

    /// Ends the line that is being written.
    fn flush(&mut self) {
        let block = self.block();
        let start = self.cleaner.line;
        let line = self.cleaner.text.get(start..).unwrap_or_default();
        let trimmed = if block.kind == ExtractBlockKind::Code {
            line.trim_matches('\n').trim_end()
        } else {
            line.trim_end()
        };
        let trimmed = if block.kind == ExtractBlockKind::TableRow {
            trimmed.trim_end_matches([' ', '|'])
        } else {
            trimmed
        };
        let lead = line.len() - line.trim_start_matches('\n').len();
        let lead = if block.kind == ExtractBlockKind::Code { lead } else { 0 };
        let (start, end) = (start + lead, start + lead + trimmed.len());
        if !trimmed.trim().is_empty()
            && let Some(source) = self.source
        {
            self.list.push(PagePiece {
                kind: block.kind,
                container: block.id,
                tag: block.tag,
                start,
                end,
                link_bytes: self.link_bytes.min(end - start),
                source,
            });
        }
        self.cleaner.begin();
        self.link_bytes = 0;
        self.source = None;
        self.last_break = false;
    }
}

/// Whether a text to be edited is prose, not code to be copied.
fn holds_prose(tree: &HtmlTree<'_>, id: NodeId) -> bool {
    /// Fewer words are a label.
    const WORDS_MIN: usize = 4;
    let words: usize = tree.texts(id).map(|text| text.split_whitespace().count()).sum();
    words >= WORDS_MIN && !tree.texts(id).any(|text| text.contains('<') || text.contains("&lt;"))
}

/// Which `tr` are rows of data: no table inside, at least two cells somewhere, and no cell as long as a page.
fn rows(tree: &HtmlTree<'_>, is_hidden: &[bool]) -> Vec<bool> {
    let mut is_row = vec![false; tree.len()];
    for (table, tag) in tree.elements() {
        if tag != Tag::Table || is_hidden.get(table as usize).copied().unwrap_or(false) {
            continue;
        }
        let inside = table + 1..tree.node(table).end;
        let tags = || inside.clone().map(|id| (id, tree.node(id)));
        let mut cells_of_row = 0_usize;
        let mut most_cells = 0;
        let mut is_data = true;
        for (_, node) in tags() {
            match node.tag() {
                Tag::Table | Tag::H1 | Tag::Article | Tag::Form => is_data = false,
                Tag::Tr => cells_of_row = 0,
                Tag::Td | Tag::Th => {
                    cells_of_row += 1;
                    most_cells = most_cells.max(cells_of_row);
                }
                _ => {}
            }
            if !is_data {
                break;
            }
        }
        let is_long = |id: NodeId| {
            matches!(tree.node(id).tag(), Tag::Td | Tag::Th)
                && tree.texts(id).map(|text| text.trim().len()).sum::<usize>() > CELL_BYTES_MAX
        };
        if is_data && most_cells >= 2 && !inside.clone().any(is_long) {
            for (id, node) in tags().filter(|(_, node)| node.tag() == Tag::Tr) {
                debug_assert_eq!(node.tag(), Tag::Tr);
                if let Some(row) = is_row.get_mut(id as usize) {
                    *row = true;
                }
            }
        }
    }
    is_row
}
