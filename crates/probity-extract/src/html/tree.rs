//! The page as a tree, stored flat: nodes are in the order of the page, and a subtree is a range of them.
//!
//! Never recursive, and never deep: from `DEPTH_MAX` on, elements that mean nothing contain nothing, what is in them
//! becomes their sibling. Links, rows, hidden elements and their like are still opened, as deep as `RESERVED_DEPTH` more.
//! What is nested deeper still is not read, and the tree says so.

use super::{
    scan::{HtmlAttribute, HtmlScanner, HtmlToken, Markup},
    tag::{Key, Tag},
};

/// Deeper nesting is flattened; browsers do the same at 512.
const DEPTH_MAX: usize = 400;
/// Levels below that for elements that mean something: a link in an item of a list in a cell needs a handful.
const RESERVED_DEPTH: usize = 64;
/// Open elements that an end tag is compared with, from the innermost: all that contain something.
const SEARCHED_MAX: usize = DEPTH_MAX + RESERVED_DEPTH;
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
    /// The page had more nodes than are kept, or was nested deeper than is read.
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

/// An element of which the end tag has not come.
#[derive(Debug, Clone, Copy)]
struct OpenElement {
    tag: Tag,
    /// The node that contains what follows: its own, or for a flat one that of the element around it.
    holder: NodeId,
    /// Too deep to contain anything.
    is_flat: bool,
}

struct TreeBuilder<'a> {
    tree: HtmlTree<'a>,
    open: Vec<OpenElement>,
    /// How many of the open ones are not flat.
    depth: usize,
    /// How many of the open ones are `svg` or `math`, where `<x/>` closes itself.
    foreign: usize,
    /// The element that is too deep to be read, and how many of its name are open in it, itself included.
    unread: Option<(Tag, usize)>,
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
        let open = vec![OpenElement { tag: Tag::Other, holder: ROOT, is_flat: false }];
        Self { tree, open, depth: 1, foreign: 0, unread: None }
    }

    fn push(&mut self, at: usize, what: NodeKind<'a>) -> NodeId {
        let id = NodeId::try_from(self.tree.nodes.len()).unwrap_or(NodeId::MAX);
        let parent = self.holder();
        self.tree.nodes.push(HtmlNode {
            parent,
            end: id + 1,
            at: u32::try_from(at).unwrap_or(u32::MAX),
            what,
        });
        id
    }

    /// What contains the next node.
    fn holder(&self) -> NodeId {
        self.open.last().map_or(ROOT, |open| open.holder)
    }

    fn text(&mut self, text: &'a str, at: usize) {
        if self.unread.is_none() {
            self.push(at, NodeKind::Text(text));
        }
    }

    fn open(&mut self, tag: Tag, closed: bool, at: usize, attributes: &[HtmlAttribute<'a>]) {
        if let Some((unread, count)) = &mut self.unread {
            if *unread == tag && !tag.is_void() && !(closed && tag.is_foreign()) {
                *count += 1;
            }
            return;
        }
        if matches!(tag, Tag::Html | Tag::Body | Tag::Head) && self.is_open(tag) {
            return;
        }
        self.close_implied(tag);
        let is_empty = tag.is_void() || (closed && (self.foreign > 0 || tag.is_foreign()));
        let is_flat = self.depth >= DEPTH_MAX && means_nothing(tag, attributes);
        if !is_empty && !is_flat && self.depth >= SEARCHED_MAX {
            self.unread = Some((tag, 1));
            // Nobody misses a script. The end of all others is a guess, so more may be lost than what they contain.
            self.tree.truncated |= !(tag.is_never_shown() && tag.holds_raw_text());
            return;
        }
        let first = u32::try_from(self.tree.attributes.len()).unwrap_or(u32::MAX);
        self.tree.attributes.extend_from_slice(attributes);
        let count = u8::try_from(attributes.len()).unwrap_or(u8::MAX);
        let id = self.push(at, NodeKind::Element { tag, attributes: (first, count) });
        if is_empty {
            return;
        }
        if is_flat {
            self.open.push(OpenElement { tag, holder: self.holder(), is_flat });
            return;
        }
        self.enter(id, tag);
    }

    /// What follows is inside this node.
    fn enter(&mut self, id: NodeId, tag: Tag) {
        if tag.is_foreign() {
            self.foreign += 1;
        }
        self.depth += 1;
        self.open.push(OpenElement { tag, holder: id, is_flat: false });
    }

    fn is_open(&self, tag: Tag) -> bool {
        self.open.iter().take(SEARCHED_MAX).any(|open| open.tag == tag)
    }

    /// The innermost open element that is one of these, if it is near enough.
    fn innermost(&self, is_meant: impl Fn(Tag) -> bool) -> Option<usize> {
        let from = self.open.len().saturating_sub(SEARCHED_MAX);
        let near = self.open.get(from..).unwrap_or_default();
        near.iter().rposition(|open| is_meant(open.tag)).map(|place| from + place)
    }

    /// Ends what the start of `tag` ends without an end tag.
    fn close_implied(&mut self, tag: Tag) {
        use Tag::*;
        if !tag.fits_head() && self.open.last().is_some_and(|open| open.tag == Head) {
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
            _ if tag.is_heading() && self.open.last().is_some_and(|open| open.tag.is_heading()) => self.pop(),
            _ => {}
        }
        if tag.is_block() && !matches!(tag, Td | Th | Tr | Tbody | Thead | Tfoot | Caption | Html | Body) {
            self.close_within(&[P], &[Table, Td, Th, Caption, Button, Object, Template]);
        }
    }

    /// Closes the innermost of `tags`, unless one of `walls` is before it.
    fn close_within(&mut self, tags: &[Tag], walls: &[Tag]) {
        let found = self.innermost(|open| tags.contains(&open) || walls.contains(&open));
        if let Some(place) = found
            && self.open.get(place).is_some_and(|open| tags.contains(&open.tag))
        {
            self.pop_to(place);
        }
    }

    fn close(&mut self, tag: Tag) {
        if let Some((unread, count)) = &mut self.unread {
            if *unread == tag {
                *count = count.saturating_sub(1);
                if *count == 0 {
                    self.unread = None;
                }
            }
            return;
        }
        // Much is written after these by mistake, and it belongs to the page.
        if matches!(tag, Tag::Html | Tag::Body) {
            return;
        }
        let Some(place) = self.innermost(|open| open == tag).filter(|place| *place > 0) else {
            // Its start may be further out: then a hidden element goes on, and hides what is shown.
            self.tree.truncated |= self.open.len() > SEARCHED_MAX;
            return;
        };
        if tag.is_closed_whole() {
            self.pop_to(place);
            return;
        }
        let above = self.open.get(place + 1..).unwrap_or_default();
        let is_wall = |open: Tag| {
            matches!(open, Tag::Td | Tag::Th | Tag::Table | Tag::Caption | Tag::Template) && open != tag
        };
        if !matches!(tag, Tag::Table | Tag::Tr | Tag::Tbody | Tag::Thead | Tag::Tfoot)
            && above.iter().any(|open| is_wall(open.tag))
        {
            return;
        }
        if tag.is_block() || !above.iter().any(|open| open.tag.is_block()) {
            self.pop_to(place);
        } else if tag.is_formatting() {
            self.close_across(place);
        }
    }

    /// `<a><div>…</a>…</div>`: the link ends here, the block goes on.
    fn close_across(&mut self, place: usize) {
        let blocks: Vec<OpenElement> =
            self.open.iter().skip(place + 1).filter(|open| open.tag.is_block()).copied().collect();
        let at = self.last_place();
        self.pop_to(place);
        for OpenElement { tag, holder, is_flat } in blocks {
            if is_flat {
                self.open.push(OpenElement { tag, holder: self.holder(), is_flat });
                continue;
            }
            let NodeKind::Element { attributes, .. } = self.tree.node(holder).what else { continue };
            let again = self.push(at, NodeKind::Element { tag, attributes });
            self.enter(again, tag);
        }
    }

    /// Where the last node begins.
    fn last_place(&self) -> usize {
        self.tree.nodes.last().map_or(0, |node| node.at as usize)
    }

    fn pop_to(&mut self, place: usize) {
        while self.open.len() > place.max(1) {
            self.pop();
        }
    }

    fn pop(&mut self) {
        let Some(open) = self.open.pop() else { return };
        if open.is_flat {
            // Nothing else says that its line ends here.
            if open.tag.is_block() && self.tree.nodes.last().is_some_and(|node| !node.tag().is_block()) {
                let what = NodeKind::Element { tag: open.tag, attributes: (0, 0) };
                self.push(self.last_place(), what);
            }
            return;
        }
        if open.tag.is_foreign() {
            self.foreign = self.foreign.saturating_sub(1);
        }
        self.depth = self.depth.saturating_sub(1);
        let end = NodeId::try_from(self.tree.nodes.len()).unwrap_or(NodeId::MAX);
        if let Some(node) = self.tree.nodes.get_mut(open.holder as usize) {
            node.end = end;
        }
    }

    fn finish(mut self) -> HtmlTree<'a> {
        self.open.retain(|open| !open.is_flat);
        while !self.open.is_empty() {
            self.pop();
        }
        self.tree
    }
}

/// Whether a reader of text loses nothing if the element ends at once: it is no link, has no place in a list or a table,
/// and nothing can hide it.
fn means_nothing(tag: Tag, attributes: &[HtmlAttribute<'_>]) -> bool {
    use Tag::*;
    let is_plain = matches!(
        tag,
        Abbr | Article
            | B
            | Big
            | Center
            | Cite
            | Div
            | Em
            | Figure
            | Font
            | I
            | Label
            | Main
            | Nobr
            | Section
            | Small
            | Span
            | Strong
            | Tt
            | U
            | Other
    );
    is_plain && attributes.iter().all(|attribute| matches!(attribute.key, Key::Lang | Key::Color))
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
        assert!(!tree.truncated);
    }

    /// Beyond the depth that is kept, inside many elements that mean nothing.
    #[track_caller]
    fn check_deep(html: &str, expected: &str) {
        let depth = 2_000;
        let page = format!("{}{html}{}y", "<div>".repeat(depth), "</div>".repeat(depth));
        let tree = HtmlTree::of(&page);
        let deepest = tree.ids().rfind(|id| tree.ancestors(*id).count() == super::DEPTH_MAX - 1).unwrap();
        let seen = shown(&tree, deepest).replace("div() ", "").replace(" div()", "");
        assert_eq!((seen.as_str(), tree.truncated), (expected, false), "{html}");
    }

    #[test]
    fn links_and_hidden_elements_are_kept_at_any_depth() {
        check_deep("<p>a <a href=x>1</a>.</p>", "div(p(a  a(1) .))");
        check_deep("<span><b><a href=x>1</a></b>c</span>", "div(span() b() a(1) c)");
        check_deep("<script>s</script><span hidden>h</span>v", "div(script(s) span(h) v)");
        check_deep("<div><p>a</div>b", "div(p(a) b)");
        check_deep("<b><div>1</b>2</div>3", "div(b() 1 2 3)");
    }

    #[test]
    fn an_end_at_any_depth_ends_a_line() {
        let html = format!("{}<div>a</div>b", "<div>".repeat(500));
        let tree = HtmlTree::of(&html);
        let blocks = tree.elements().filter(|(_, tag)| *tag == super::Tag::Div).count();
        assert_eq!(blocks, 501 + 1, "one more than were begun");
    }

    #[test]
    fn what_is_too_deep_to_be_read_is_not_read_and_told() {
        let lists = |count: usize| format!("{}x{}y", "<ul><li>".repeat(count), "</li></ul>".repeat(count));
        for (page, seen, is_truncated) in [
            (lists(200), "xy", false),
            (lists(5_000), "y", true),
            (format!("{}<script>x</script>y", "<i id=a>".repeat(600)), "", true),
            (format!("{}<script>x</script>y", "<i id=a>".repeat(463)), "y", false),
            // The end of what is hidden is too far out to be seen.
            (format!("<nav>{}</nav>y", "<div>".repeat(600)), "y", true),
        ] {
            let tree = HtmlTree::of(&page);
            assert_eq!(
                (tree.texts(ROOT).collect::<String>().as_str(), tree.truncated),
                (seen, is_truncated),
                "{}",
                page.get(..12).unwrap()
            );
        }
    }
}
