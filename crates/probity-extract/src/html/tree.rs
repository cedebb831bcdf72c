//! The page as a tree, stored flat: nodes are in the order of the page, and a subtree is a range of them.
//!
//! Never recursive, and as deep as `DEPTH_MAX` at most: what is nested deeper becomes a sibling.

use super::{
    scan::{HtmlAttribute, HtmlScanner, HtmlToken, Markup},
    tag::{Key, Tag},
};

/// Deeper nesting is flattened; browsers do the same at 512.
const DEPTH_MAX: usize = 400;
/// Nodes kept of one page. The largest real pages have a fifth of it.
const NODES_MAX: usize = 400_000;
/// Most bytes of comments that are kept, together: they are only searched for signs.
const COMMENT_BYTES_MAX: usize = 64 * 1024;

/// Texts and bytes read for one line: no title is longer, and a page may call all of itself a title.
const LINE_TEXTS_MAX: usize = 24;
const LINE_BYTES_MAX: usize = 2000;

/// Place of a node in `HtmlTree::nodes`.
pub type NodeId = u32;
pub const ROOT: NodeId = 0;

#[derive(Debug, Clone, Copy)]
pub enum NodeKind<'a> {
    Element {
        tag: Tag,
        /// First in `HtmlTree::attributes`, and how many.
        attributes: (u32, u8),
    },
    Text(&'a str),
}

#[derive(Debug, Clone, Copy)]
pub struct HtmlNode<'a> {
    pub parent: NodeId,
    /// One past the last node of the subtree.
    pub end: NodeId,
    /// Where it begins in the page's text.
    pub at: u32,
    pub what: NodeKind<'a>,
}

impl HtmlNode<'_> {
    pub fn tag(&self) -> Tag {
        match self.what {
            NodeKind::Element { tag, .. } => tag,
            NodeKind::Text(_) => Tag::Other,
        }
    }
}

#[derive(Debug)]
pub struct HtmlTree<'a> {
    nodes: Vec<HtmlNode<'a>>,
    attributes: Vec<HtmlAttribute<'a>>,
    pub comments: Vec<&'a str>,
    /// The page had more nodes than are kept.
    pub truncated: bool,
    nothing: HtmlNode<'a>,
}

impl<'a> HtmlTree<'a> {
    pub fn of(text: &'a str) -> Self {
        let mut builder = TreeBuilder::new();
        let mut scanner = HtmlScanner::new(text, Markup::Html);
        let mut comment_bytes = 0;
        while let Some((token, at)) = scanner.next_token() {
            if builder.tree.nodes.len() >= NODES_MAX {
                builder.tree.truncated = true;
                break;
            }
            match token {
                HtmlToken::Open { tag, closed } => builder.open(tag, closed, at, &scanner.attributes),
                HtmlToken::Close(tag) => builder.close(tag),
                HtmlToken::Text(text) | HtmlToken::Verbatim(text) => builder.text(text, at),
                HtmlToken::Comment(text) => {
                    comment_bytes += text.len();
                    if comment_bytes <= COMMENT_BYTES_MAX {
                        builder.tree.comments.push(text);
                    }
                }
            }
        }
        builder.finish()
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn node(&self, id: NodeId) -> &HtmlNode<'a> {
        self.nodes.get(id as usize).unwrap_or(&self.nothing)
    }

    /// All nodes in the order of the page.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        0..NodeId::try_from(self.nodes.len()).unwrap_or(0)
    }

    pub fn elements(&self) -> impl Iterator<Item = (NodeId, Tag)> {
        self.ids().zip(&self.nodes).filter_map(|(id, node)| match node.what {
            NodeKind::Element { tag, .. } => Some((id, tag)),
            NodeKind::Text(_) => None,
        })
    }

    pub fn attributes(&self, id: NodeId) -> &[HtmlAttribute<'a>] {
        match self.node(id).what {
            NodeKind::Element { attributes: (first, count), .. } => {
                self.attributes.get(first as usize..first as usize + usize::from(count)).unwrap_or_default()
            }
            NodeKind::Text(_) => &[],
        }
    }

    pub fn attribute(&self, id: NodeId, key: Key) -> Option<&'a str> {
        self.attributes(id).iter().find(|found| found.key == key).map(|found| found.value)
    }

    /// The texts below a node, hidden or not, as written.
    pub fn texts(&self, id: NodeId) -> impl Iterator<Item = &'a str> {
        (id..self.node(id).end).filter_map(|id| match self.node(id).what {
            NodeKind::Text(text) => Some(text),
            NodeKind::Element { .. } => None,
        })
    }

    /// The first words below a node, in one line: for titles, names and links.
    pub fn line(&self, id: NodeId) -> String {
        let mut words = String::new();
        for text in self.texts(id).take(LINE_TEXTS_MAX) {
            if words.len() > LINE_BYTES_MAX {
                break;
            }
            words.push_str(text.get(..LINE_BYTES_MAX).unwrap_or(text));
        }
        crate::clean::line(&words)
    }

    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        let above = |id: NodeId| (id != ROOT).then(|| self.node(id).parent);
        std::iter::successors(above(id), move |id| above(*id))
    }
}

struct TreeBuilder<'a> {
    tree: HtmlTree<'a>,
    open: Vec<(NodeId, Tag)>,
    /// How many of the open ones are `svg` or `math`, where `<x/>` closes itself.
    foreign: usize,
    /// Start tags that were not opened because they were too deep, so that their end tags close nothing.
    flattened: usize,
}

impl<'a> TreeBuilder<'a> {
    fn new() -> Self {
        let root = HtmlNode {
            parent: ROOT,
            end: 1,
            at: 0,
            what: NodeKind::Element { tag: Tag::Other, attributes: (0, 0) },
        };
        let tree = HtmlTree {
            nodes: vec![root],
            attributes: Vec::new(),
            comments: Vec::new(),
            truncated: false,
            nothing: root,
        };
        Self { tree, open: vec![(ROOT, Tag::Other)], foreign: 0, flattened: 0 }
    }

    fn push(&mut self, at: usize, what: NodeKind<'a>) -> NodeId {
        let id = NodeId::try_from(self.tree.nodes.len()).unwrap_or(NodeId::MAX);
        let parent = self.open.last().map_or(ROOT, |(id, _)| *id);
        self.tree.nodes.push(HtmlNode {
            parent,
            end: id + 1,
            at: u32::try_from(at).unwrap_or(u32::MAX),
            what,
        });
        id
    }

    fn text(&mut self, text: &'a str, at: usize) {
        self.push(at, NodeKind::Text(text));
    }

    fn open(&mut self, tag: Tag, closed: bool, at: usize, attributes: &[HtmlAttribute<'a>]) {
        if matches!(tag, Tag::Html | Tag::Body | Tag::Head) && self.is_open(tag) {
            return;
        }
        self.close_implied(tag);
        let first = u32::try_from(self.tree.attributes.len()).unwrap_or(u32::MAX);
        self.tree.attributes.extend_from_slice(attributes);
        let count = u8::try_from(attributes.len()).unwrap_or(u8::MAX);
        let id = self.push(at, NodeKind::Element { tag, attributes: (first, count) });
        if tag.is_void() || (closed && (self.foreign > 0 || tag.is_foreign())) {
            return;
        }
        if self.open.len() >= DEPTH_MAX {
            self.flattened += 1;
            return;
        }
        if tag.is_foreign() {
            self.foreign += 1;
        }
        self.open.push((id, tag));
    }

    fn is_open(&self, tag: Tag) -> bool {
        self.open.iter().any(|(_, open)| *open == tag)
    }

    /// Ends what the start of `tag` ends without an end tag.
    fn close_implied(&mut self, tag: Tag) {
        use Tag::*;
        if !tag.fits_head() && self.open.last().is_some_and(|(_, open)| *open == Head) {
            self.pop();
        }
        match tag {
            Li => self.close_within(&[Li], &[Ul, Ol, Menu, Dir]),
            Dd | Dt => self.close_within(&[Dd, Dt], &[Dl]),
            Opt | Optgroup => self.close_within(&[Opt], &[Select]),
            Tr => self.close_within(&[Tr, Caption, Colgroup], &[Table]),
            Td | Th => self.close_within(&[Td, Th], &[Table, Tr]),
            Tbody | Thead | Tfoot => self.close_within(&[Tbody, Thead, Tfoot, Caption, Colgroup], &[Table]),
            A => self.close_within(&[A], &[Table, Td, Th, Div, P, Li, Section, Article]),
            _ if tag.is_heading() && self.open.last().is_some_and(|(_, open)| open.is_heading()) => {
                self.pop()
            }
            _ => {}
        }
        if tag.is_block() && !matches!(tag, Td | Th | Tr | Tbody | Thead | Tfoot | Caption | Html | Body) {
            self.close_within(&[P], &[Table, Td, Th, Caption, Button, Object, Template]);
        }
    }

    /// Closes the innermost of `tags`, unless one of `walls` is before it.
    fn close_within(&mut self, tags: &[Tag], walls: &[Tag]) {
        let found = self.open.iter().rposition(|(_, open)| tags.contains(open) || walls.contains(open));
        if let Some(place) = found
            && self.open.get(place).is_some_and(|(_, open)| tags.contains(open))
        {
            self.pop_to(place);
        }
    }

    fn close(&mut self, tag: Tag) {
        if self.flattened > 0 {
            self.flattened -= 1;
            return;
        }
        // Much is written after these by mistake, and it belongs to the page.
        if matches!(tag, Tag::Html | Tag::Body) {
            return;
        }
        let Some(place) = self.open.iter().rposition(|(_, open)| *open == tag).filter(|place| *place > 0)
        else {
            return;
        };
        // Kept open by an element inside, it would hide the rest of the page.
        if tag.is_never_shown() {
            self.pop_to(place);
            return;
        }
        let above = self.open.get(place + 1..).unwrap_or_default();
        let is_wall = |open: Tag| {
            matches!(open, Tag::Td | Tag::Th | Tag::Table | Tag::Caption | Tag::Template) && open != tag
        };
        if !matches!(tag, Tag::Table | Tag::Tr | Tag::Tbody | Tag::Thead | Tag::Tfoot)
            && above.iter().any(|(_, open)| is_wall(*open))
        {
            return;
        }
        if tag.is_block() || !above.iter().any(|(_, open)| open.is_block()) {
            self.pop_to(place);
        } else if tag.is_formatting() {
            self.close_across(place);
        }
    }

    /// `<a><div>…</a>…</div>`: the link ends here, the block goes on.
    fn close_across(&mut self, place: usize) {
        let blocks: Vec<(NodeId, Tag)> =
            self.open.iter().skip(place + 1).filter(|(_, open)| open.is_block()).copied().collect();
        let at = self.tree.nodes.last().map_or(0, |node| node.at as usize);
        self.pop_to(place);
        for (id, tag) in blocks {
            let NodeKind::Element { attributes, .. } = self.tree.node(id).what else { continue };
            let again = self.push(at, NodeKind::Element { tag, attributes });
            self.open.push((again, tag));
        }
    }

    fn pop_to(&mut self, place: usize) {
        while self.open.len() > place.max(1) {
            self.pop();
        }
    }

    fn pop(&mut self) {
        let end = NodeId::try_from(self.tree.nodes.len()).unwrap_or(NodeId::MAX);
        if let Some((id, tag)) = self.open.pop() {
            if tag.is_foreign() {
                self.foreign = self.foreign.saturating_sub(1);
            }
            if let Some(node) = self.tree.nodes.get_mut(id as usize) {
                node.end = end;
            }
        }
    }

    fn finish(mut self) -> HtmlTree<'a> {
        while !self.open.is_empty() {
            self.pop();
        }
        self.tree
    }
}

#[cfg(test)]
mod tests {
    use super::{HtmlTree, NodeKind, ROOT};

    fn shown(tree: &HtmlTree<'_>, id: u32) -> String {
        match tree.node(id).what {
            NodeKind::Text(text) => text.to_owned(),
            NodeKind::Element { tag, .. } => {
                let children: Vec<String> = (id + 1..tree.node(id).end)
                    .filter(|child| tree.node(*child).parent == id)
                    .map(|child| shown(tree, child))
                    .collect();
                format!("{}({})", tag.name(), children.join(" "))
            }
        }
    }

    #[track_caller]
    fn check(html: &str, expected: &str) {
        assert_eq!(shown(&HtmlTree::of(html), ROOT), format!("({expected})"));
    }

    #[test]
    fn missing_end_tags_are_supplied() {
        check("<p>a<p>b<div>c</div>d", "p(a) p(b) div(c) d");
        check("<ul><li>a<li>b<ul><li>c</ul><li>d</ul>", "ul(li(a) li(b ul(li(c))) li(d))");
        check("<table><tr><td>a<td>b<tr><td>c</table>d", "table(tr(td(a) td(b)) tr(td(c))) d");
        check("<head><title>t</title><p>x", "head(title(t)) p(x)");
    }

    #[test]
    fn wrong_end_tags_do_little_harm() {
        check("<div><span>a</div>b</span>c", "div(span(a)) b c");
        check("<div>a</span></p>b</div>", "div(a b)");
        check("<a><div>a</a>b</div>c", "a(div(a)) div(b) c");
        check("<span><div>a</span>b</div>", "span(div(a b))");
        check("<table><tr><td></div>a</table>", "table(tr(td(a)))");
        check("<noscript><div>a</noscript>b", "noscript(div(a)) b");
        check("<select><table><td>a</select>b", "select(table(td(a))) b");
        check("<svg><title/></svg>a<svg/>b", "svg(title()) a svg() b");
    }

    #[test]
    fn depth_is_bounded() {
        let html = format!("{}x{}y", "<div>".repeat(100_000), "</div>".repeat(100_000));
        let tree = HtmlTree::of(&html);
        let deepest = tree.ids().map(|id| tree.ancestors(id).count()).max();
        assert!(deepest < Some(500), "{deepest:?}");
        assert!(tree.texts(ROOT).collect::<String>().ends_with("xy"));
    }
}
