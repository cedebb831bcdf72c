//! HTML as Markdown: links, notes, headings, lists and tables in place. Keeps all that is shown but
//! navigation.

use std::collections::HashMap;

use probity_types::web::page::Extract;
use url::Url;

use crate::{
    clean::{self, TextCleaner, WhiteSpace},
    html::{
        Key, Tag, frame_text,
        links::absolute,
        metadata,
        note_marks::{NoteMarks, RaisedText, in_raised},
        tree::{HtmlTree, NodeId, NodeKind, ROOT},
        visible,
    },
};

/// A mark of a note is no longer ("[12]", "†", "a").
const NOTE_CHARACTERS_MAX: usize = 6;
/// Fewer words are a label, even with a full stop.
const SENTENCE_WORDS_MIN: usize = 4;
/// The base address of a document without one, so that its links are absolute or dropped.
const NOWHERE: &str = "file:///document";

pub fn markdown(page: &str, url: &str) -> Extract {
    let tree = HtmlTree::of(page);
    let hidden = visible::find_hidden(&tree);
    let about = metadata::page_metadata(&tree, url);
    let here = Url::parse(url).or_else(|_| Url::parse(NOWHERE)).ok();
    let base = here
        .as_ref()
        .and_then(|here| about.base.as_deref().and_then(|base| here.join(base).ok()).or(Some(here.clone())));
    let mut writer = HtmlMarkdownWriter {
        notes: notes(&tree),
        marks: NoteMarks::of(&tree),
        raised_until: ROOT,
        tree: &tree,
        here,
        base,
        out: String::new(),
        line: TextCleaner::default(),
        prefix: String::new(),
        opened: Vec::new(),
        lists: Vec::new(),
        flushes: 0,
        cells: 0,
        is_cell_begun: false,
        in_code: false,
        pictures: Vec::new(),
    };
    let (mut menus, mut prose_end) = (0_u32, 0);
    let mut id = ROOT + 1;
    let end = tree.node(ROOT).end;
    while id < end {
        writer.leave(id);
        let node = tree.node(id);
        let is_left_out =
            hidden.is_hidden.get(id as usize).copied().unwrap_or(false) || is_way_back(&tree, id);
        // Sentences are shown to readers wherever they stand; links and labels to click on are not the text.
        let may_be_menu =
            !is_left_out && id >= prose_end && matches!(node.tag(), Tag::Nav | Tag::Button | Tag::Select);
        let is_menu = may_be_menu && !has_sentence(&tree, id);
        if may_be_menu && !is_menu {
            prose_end = node.end;
        }
        let is_labelled = is_menu && !tree.line(id).trim().is_empty();
        menus = menus.saturating_add(u32::from(is_labelled || is_button_field(&tree, id)));
        if !is_left_out && node.tag() == Tag::Textarea && writer.area(id) {
            id = node.end;
            continue;
        }
        if is_left_out || is_menu {
            id = node.end.max(id + 1);
            continue;
        }
        writer.visit(id);
        id += 1;
    }
    writer.leave(NodeId::MAX);
    writer.flush();
    writer.write_pictures();
    Extract {
        text: writer.out,
        title: about.title,
        author: about.author,
        published: about.published,
        modified: about.modified,
        language: about.language,
        truncated: tree.truncated,
        menus: (menus > 0).then_some(menus),
        ..Extract::default()
    }
}

/// `<input type=submit value=Send>`
fn is_button_field(tree: &HtmlTree<'_>, id: NodeId) -> bool {
    let kind = || tree.attribute(id, Key::Type).unwrap_or_default().trim();
    tree.node(id).tag() == Tag::Input
        && ["submit", "button", "reset"].iter().any(|button| kind().eq_ignore_ascii_case(button))
        && tree.attribute(id, Key::Value).is_some_and(|label| !label.trim().is_empty())
}

/// Whether one of the texts below a node is a sentence.
fn has_sentence(tree: &HtmlTree<'_>, id: NodeId) -> bool {
    tree.texts(id).any(|text| {
        let text = text.trim();
        let is_dense = |c: &char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
        let is_long = text.split_whitespace().count() >= SENTENCE_WORDS_MIN
            || text.chars().filter(is_dense).count() >= 2 * SENTENCE_WORDS_MIN;
        is_long && text.ends_with(['.', '!', '。', '！'])
    })
}

/// Ids that a mark further up points at: the notes of the document, by their place.
fn notes(tree: &HtmlTree<'_>) -> HashMap<String, NodeId> {
    let mut places: HashMap<&str, NodeId> = HashMap::new();
    for (id, _) in tree.elements() {
        if let Some(name) = tree.attribute(id, Key::Id) {
            places.entry(name).or_insert(id);
        }
    }
    let mut found = HashMap::new();
    for (id, tag) in tree.elements().filter(|(_, tag)| *tag == Tag::A) {
        let target = tree.attribute(id, Key::Href).and_then(|href| href.strip_prefix('#'));
        let Some((name, place)) = target.and_then(|name| places.get_key_value(name)) else { continue };
        let label = tree.line(id);
        let is_mark = !label.is_empty() && label.chars().count() <= NOTE_CHARACTERS_MAX;
        // A note that links back to its mark comes after it.
        if is_mark && *place > id && tag == Tag::A {
            found.insert((*name).to_owned(), *place);
        }
    }
    found
}

/// The arrow after a note that links back to its mark: it would end up in the note's address.
fn is_way_back(tree: &HtmlTree<'_>, id: NodeId) -> bool {
    let leads_inside = || tree.attribute(id, Key::Href).is_some_and(|href| href.starts_with('#'));
    let is_arrow = |text: &str| {
        !text.is_empty()
            && text.chars().all(|c| matches!(c, '↩' | '↑' | '^' | '⏎' | '↵' | '\u{fe0e}' | '\u{fe0f}'))
    };
    tree.node(id).tag() == Tag::A && leads_inside() && is_arrow(tree.line(id).trim())
}

/// What has to be done when an element ends.
#[derive(Debug)]
enum ElementEnd {
    Block,
    /// A heading or an item: its prefix is not for what follows.
    Marked,
    /// The mark of a note: its own words are left out.
    Mark {
        start: usize,
    },
    /// Where its text began, in which line, and its target.
    Link {
        start: usize,
        flush: usize,
        url: String,
    },
    List,
    Row {
        is_header: bool,
    },
    Code,
    Raised,
}

struct HtmlMarkdownWriter<'t, 'a> {
    tree: &'t HtmlTree<'a>,
    notes: HashMap<String, NodeId>,
    marks: NoteMarks,
    /// Numbers up to this node are written as powers.
    raised_until: NodeId,
    here: Option<Url>,
    base: Option<Url>,
    out: String,
    /// The line that is being written.
    line: TextCleaner,
    /// What its block begins with.
    prefix: String,
    opened: Vec<(NodeId, ElementEnd)>,
    /// The next number of each open list; none for one without numbers.
    lists: Vec<Option<u32>>,
    flushes: usize,
    /// Cells of the row so far, one more than there are; zero outside of rows.
    cells: usize,
    /// The row has a cell.
    is_cell_begun: bool,
    in_code: bool,
    /// Pictures of the line that is being written: what they show is said apart from it.
    pictures: Vec<String>,
}

impl HtmlMarkdownWriter<'_, '_> {
    /// Ends the elements that end before `id`.
    fn leave(&mut self, id: NodeId) {
        while self.opened.last().is_some_and(|(end, _)| *end <= id) {
            if let Some((_, close)) = self.opened.pop() {
                self.close(close);
            }
        }
    }

    fn close(&mut self, close: ElementEnd) {
        match close {
            ElementEnd::Block => self.flush(),
            ElementEnd::Marked => {
                self.flush();
                self.prefix.clear();
            }
            ElementEnd::Mark { start } => self.line.text.truncate(start),
            ElementEnd::List => {
                self.flush();
                self.lists.pop();
            }
            ElementEnd::Link { start, flush, url } => self.link(start, flush, &url),
            ElementEnd::Row { is_header } => {
                let cells = std::mem::take(&mut self.cells);
                self.line.text.push_str(" |");
                self.flush();
                if is_header {
                    self.out.truncate(self.out.trim_end().len());
                    self.out.push('\n');
                    self.out.push_str(&"|---".repeat(cells.max(1)));
                    self.out.push_str("|\n");
                }
            }
            ElementEnd::Code => {
                self.in_code = false;
                let code = std::mem::take(&mut self.line).text;
                if !code.trim().is_empty() {
                    self.out.push_str(&format!("```\n{}\n```\n\n", code.trim_matches('\n')));
                }
            }
            ElementEnd::Raised => self.line.text.push_str("</sup>"),
        }
    }

    fn link(&mut self, start: usize, flush: usize, url: &str) {
        let url = url.replace(' ', "%20").replace('(', "%28").replace(')', "%29");
        let words = self.line.text.get(start..).unwrap_or_default();
        let lead = words.len() - words.trim_start().len();
        if flush != self.flushes || words.trim().is_empty() {
            return;
        }
        if words.trim() == url {
            return;
        }
        self.line.text.insert(start + lead, '[');
        self.line.text.push_str(&format!("]({url})"));
    }

    fn visit(&mut self, id: NodeId) {
        let node = *self.tree.node(id);
        match node.what {
            NodeKind::Text(text) if id < self.raised_until => {
                self.line.push(&in_raised(&clean::line(text)), WhiteSpace::Collapsed);
            }
            NodeKind::Text(text) => {
                self.line
                    .push_html(text, if self.in_code { WhiteSpace::Kept } else { WhiteSpace::Collapsed });
            }
            NodeKind::Element { tag, .. } => self.element(id, tag, node.end),
        }
    }

    fn element(&mut self, id: NodeId, tag: Tag, end: NodeId) {
        if tag.is_block() && self.cells > 0 && !matches!(tag, Tag::Td | Tag::Th) {
            self.line.pause();
            return;
        }
        if tag == Tag::Sup && !self.in_code {
            match self.marks.read(self.tree, id, self.line.joined()) {
                Some(RaisedText::Power) => {
                    self.raised_until = end;
                    return self.note(id);
                }
                Some(RaisedText::Fraction) => {
                    self.line.pause();
                    return self.note(id);
                }
                Some(RaisedText::Word) => return self.note(id),
                // A number that may be the mark of a note is told by the sources of the text.
                Some(RaisedText::NoteMark | RaisedText::Number) | None => {}
            }
        }
        match tag {
            Tag::A => self.anchor(id, end),
            Tag::Img => self.picture(id),
            Tag::Input => self.field(id),
            Tag::Iframe => self.frame(id),
            Tag::Tspan => self.line.pause(),
            Tag::SvgText if self.cells == 0 => self.block(id, tag, end),
            Tag::Br if self.in_code => self.line.text.push('\n'),
            Tag::Br if self.cells > 0 || self.line.is_empty() => self.line.pause(),
            Tag::Br => self.line.text.push_str("  \n"),
            Tag::Sup
                if self.tree.line(id).chars().count() <= NOTE_CHARACTERS_MAX && !self.holds_link(id, end) =>
            {
                self.line.text.push_str("<sup>");
                self.opened.push((end, ElementEnd::Raised));
            }
            Tag::Ol | Tag::Ul | Tag::Menu | Tag::Dir => {
                self.flush();
                self.lists.push((tag == Tag::Ol).then_some(1));
                self.opened.push((end, ElementEnd::List));
            }
            Tag::Pre | Tag::Xmp => {
                self.flush();
                self.in_code = true;
                self.opened.push((end, ElementEnd::Code));
            }
            Tag::Tr if self.is_row(id, end) => {
                self.flush();
                let is_header = (id + 1..end).any(|cell| self.tree.node(cell).tag() == Tag::Th)
                    && !self.out.ends_with("|\n");
                self.cells = 1;
                self.is_cell_begun = false;
                self.line.begin();
                self.line.text.push('|');
                self.opened.push((end, ElementEnd::Row { is_header }));
            }
            Tag::Td | Tag::Th if self.cells > 0 => {
                // An empty cell keeps its column: what stands below it belongs to no other header.
                if self.is_cell_begun {
                    self.line.text.push_str(" |");
                    self.cells += 1;
                }
                self.is_cell_begun = true;
                self.line.text.push(' ');
            }
            _ if tag.is_block() || tag == Tag::Textarea => self.block(id, tag, end),
            _ => {}
        }
        self.note(id);
    }

    fn block(&mut self, id: NodeId, tag: Tag, end: NodeId) {
        self.flush();
        let level = match tag {
            Tag::H1 => 1,
            Tag::H2 => 2,
            Tag::H3 => 3,
            Tag::H4 => 4,
            Tag::H5 => 5,
            Tag::H6 => 6,
            _ => 0,
        };
        if level > 0 {
            self.prefix = format!("{} ", "#".repeat(level));
        } else if tag == Tag::Li {
            self.prefix = match self.lists.last_mut() {
                Some(Some(number)) => {
                    *number += 1;
                    format!("{}. ", *number - 1)
                }
                _ => "- ".to_owned(),
            };
        } else if tag == Tag::Blockquote
            || self.tree.ancestors(id).any(|id| self.tree.node(id).tag() == Tag::Blockquote)
        {
            self.prefix = "> ".to_owned();
        }
        let is_marked = level > 0 || tag == Tag::Li;
        self.opened.push((end, if is_marked { ElementEnd::Marked } else { ElementEnd::Block }));
    }

    /// What stands in a field, between the words around it.
    fn field(&mut self, id: NodeId) {
        let value = self.tree.attribute(id, Key::Value).unwrap_or_default();
        self.line.pause();
        self.line.push_html(value, WhiteSpace::Collapsed);
        self.line.pause();
    }

    /// Writes a text to be edited as a paragraph of its own, one with tags as the code that it is.
    fn area(&mut self, id: NodeId) -> bool {
        let text: String = self.tree.texts(id).collect();
        let is_code = text.contains('<') || text.contains("&lt;");
        if self.cells > 0 || self.in_code || !is_code {
            return false;
        }
        self.flush();
        self.line.push_html(&text, WhiteSpace::Kept);
        self.in_code = true;
        self.close(ElementEnd::Code);
        true
    }

    /// The page that an element holds as a whole.
    fn frame(&mut self, id: NodeId) {
        let lines = self.tree.attribute(id, Key::Srcdoc).map(frame_text).unwrap_or_default();
        self.flush();
        for line in lines.lines() {
            self.line.push(line, WhiteSpace::Collapsed);
            self.flush();
        }
    }

    /// What a picture shows, as Markdown says it.
    fn picture(&mut self, id: NodeId) {
        let shown = self.tree.attribute(id, Key::Alt).map(clean::line).unwrap_or_default();
        if shown.trim().is_empty() {
            return;
        }
        let place = match (&self.base, &self.here, self.tree.attribute(id, Key::Src)) {
            (Some(base), Some(here), Some(source)) => absolute(base, here, source),
            _ => None,
        };
        // A picture in a file has no address that others could open.
        let place = place.map_or_else(|| "#".to_owned(), |url| url.replace(['(', ')', ' '], "_"));
        self.pictures.push(format!("![{}]({place})", shown.trim().replace(['[', ']'], "'")));
    }

    /// A note begins with its name, as its mark says it.
    fn note(&mut self, id: NodeId) {
        let name = self.tree.attribute(id, Key::Id).filter(|name| self.notes.get(*name) == Some(&id));
        if let Some(name) = name
            && self.line.is_empty()
        {
            self.prefix = format!("[^{}]: ", named(name));
        }
    }

    fn anchor(&mut self, id: NodeId, end: NodeId) {
        let Some(href) = self.tree.attribute(id, Key::Href) else { return };
        if let Some(name) = href.strip_prefix('#') {
            if self.notes.get(name).is_some_and(|place| *place > id) {
                self.line.text.push_str(&format!("[^{}]", named(name)));
                self.opened.push((end, ElementEnd::Mark { start: self.line.text.len() }));
            }
            return;
        }
        let (Some(base), Some(here)) = (&self.base, &self.here) else { return };
        if let Some(url) = absolute(base, here, &clean::line(href)) {
            let start = self.line.text.len();
            self.opened.push((end, ElementEnd::Link { start, flush: self.flushes, url }));
        }
    }

    /// Whether it is a row of data; tables that lay out a page contain whole texts.
    fn is_row(&self, id: NodeId, end: NodeId) -> bool {
        /// Elements and texts of a row of data.
        const ROW_NODES_MAX: NodeId = 300;
        let lays_out = |tag: Tag| {
            tag.is_heading() || matches!(tag, Tag::Table | Tag::Ul | Tag::Ol | Tag::Blockquote | Tag::Pre)
        };
        self.cells == 0
            && end - id <= ROW_NODES_MAX
            && !(id + 1..end).any(|inner| lays_out(self.tree.node(inner).tag()))
    }

    fn holds_link(&self, id: NodeId, end: NodeId) -> bool {
        (id + 1..end).any(|inner| self.tree.node(inner).tag() == Tag::A)
    }

    /// Ends the line that is being written.
    fn flush(&mut self) {
        if self.cells > 0 || self.in_code {
            return;
        }
        self.flushes += 1;
        let line = std::mem::take(&mut self.line).text;
        let line = line.trim();
        let is_row = line.starts_with("| ");
        if !line.is_empty() && line != "|" {
            let prefix = std::mem::take(&mut self.prefix);
            self.out.push_str(&prefix);
            self.out.push_str(line);
            self.out.push_str(if is_row { "\n" } else { "\n\n" });
        }
        // Between the rows of a table a picture would part them.
        if !self.out.ends_with("|\n") {
            self.write_pictures();
        }
    }

    fn write_pictures(&mut self) {
        for picture in std::mem::take(&mut self.pictures) {
            if self.out.ends_with("|\n") {
                self.out.push('\n');
            }
            self.out.push_str(&format!("{picture}\n\n"));
        }
    }
}

/// A name without what would end a mark.
fn named(name: &str) -> String {
    name.chars().map(|c| if c.is_whitespace() || matches!(c, '[' | ']') { '-' } else { c }).collect()
}
