//! Separates the text of a page from its boilerplate.
//!
//! Every line gets a weight: prose weighs its length, menus have negative weight. Weights add up along the
//! tree; the search descends from the whole page to where the prose no longer gathers in one branch.

use probity_types::web::page::ExtractBlockKind;

use super::{
    Reading, beside,
    hints::{ElementHints, element_hints},
    pieces::{PagePiece, PagePieces},
    tag::Tag,
    tree::{HtmlTree, NodeId, ROOT},
};

/// Descend into a branch that has this share of the prose.
const BRANCH_SHARE: f32 = 0.80;
/// A branch whose hints call it the text needs less.
const NAMED_SHARE: f32 = 0.45;
/// An element named as junk that has more than this share of the prose is misnamed.
const JUNK_SHARE_MAX: f32 = 0.45;
/// Less prose than this outside the comments, in bytes: then the comments are the text, as in a forum.
const PROSE_BYTES_MIN: f32 = 250.0;
/// Lists and boxes whose words are mostly links are menus.
const LINK_SHARE_MAX: f32 = 0.5;

/// A box with more prose than this is no menu, whatever it links to.
const MENU_PROSE_MAX: f32 = 150.0;
/// A branch whose hints call it the text counts as a part of it if it has this share.
const PART_SHARE: f32 = 0.08;

/// How far above the text its opening is looked for, how long it is at least, and how many there are at most.
const LEAD_LEVELS: usize = 4;
const LEAD_BYTES_MIN: usize = 60;
const LEADS_MAX: usize = 3;

#[derive(Debug)]
pub struct TextSelection {
    /// Per piece whether it belongs to the text.
    pub kept: Vec<bool>,
    /// The branch that contains the text.
    pub top: NodeId,
}

pub fn select(tree: &HtmlTree<'_>, pieces: &PagePieces, reading: Reading) -> TextSelection {
    let names = PageHints::of(tree);
    let weights: Vec<f32> = pieces.list.iter().map(|piece| weight(pieces, piece)).collect();
    let mut strict = kept(tree, pieces, &names, &weights, DropScope::JunkAndComments);
    if bytes(pieces, &strict.kept) < PROSE_BYTES_MIN {
        let with_comments = kept(tree, pieces, &names, &weights, DropScope::Junk);
        let everything = kept(tree, pieces, &names, &weights, DropScope::Nothing);
        for wider in [with_comments, everything] {
            if bytes(pieces, &wider.kept) > 2.0 * bytes(pieces, &strict.kept) {
                strict = wider;
            }
        }
    }
    if reading == Reading::Whole {
        let around = around(tree, strict.top).unwrap_or(strict.top);
        beside::add(tree, pieces, |id| names.get(id), (strict.top, around), &mut strict.kept);
    }
    strict
}

fn bytes(pieces: &PagePieces, kept: &[bool]) -> f32 {
    pieces.list.iter().zip(kept).filter(|(_, kept)| **kept).map(|(piece, _)| piece.len() as f32).sum()
}

struct PageHints {
    says: Vec<ElementHints>,
    /// Elements whose hints call them the text, in the order of the page.
    parts: Vec<NodeId>,
}

impl PageHints {
    fn of(tree: &HtmlTree<'_>) -> Self {
        let (mut list, mut parts) = (vec![ElementHints::default(); tree.len()], Vec::new());
        for (id, tag) in tree.elements() {
            let says = element_hints(tree, id, tag);
            if says.text || matches!(tag, Tag::Article | Tag::Main) {
                parts.push(id);
            }
            if let Some(place) = list.get_mut(id as usize) {
                *place = says;
            }
        }
        Self { says: list, parts }
    }

    fn get(&self, id: NodeId) -> ElementHints {
        self.says.get(id as usize).copied().unwrap_or_default()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DropScope {
    JunkAndComments,
    Junk,
    Nothing,
}

/// How much a line indicates that its surroundings are the text.
fn weight(pieces: &PagePieces, piece: &PagePiece) -> f32 {
    let length = piece.len() as f32;
    let share = piece.link_share();
    let prose = length * (1.0 - share);
    let ends_well = pieces.text_of(piece).ends_with(['.', '!', '?', '"', '”', ':', '。', '…', ')', '»', '’']);
    match piece.kind {
        ExtractBlockKind::Heading => 0.0,
        _ if matches!(piece.tag, Tag::SvgText | Tag::Textarea) => 0.0,
        ExtractBlockKind::Code => prose.min(600.0),
        ExtractBlockKind::TableRow if share > LINK_SHARE_MAX => -20.0,
        ExtractBlockKind::TableRow => prose * 0.5,
        _ if share > 0.6 => -0.5 * length.min(120.0),
        ExtractBlockKind::ListItem if length < 60.0 => prose * 0.2 - 8.0 * share,
        ExtractBlockKind::ListItem => prose * 0.8,
        ExtractBlockKind::Quote => prose,
        ExtractBlockKind::Paragraph if piece.tag == Tag::P && length < 40.0 => prose * 0.2,
        ExtractBlockKind::Paragraph if piece.tag == Tag::P => prose * if ends_well { 1.2 } else { 0.7 },
        ExtractBlockKind::Paragraph if length < 50.0 => -4.0,
        ExtractBlockKind::Paragraph if length < 90.0 && !ends_well => prose * 0.2,
        ExtractBlockKind::Paragraph => prose * if ends_well { 1.0 } else { 0.5 },
    }
}

/// Sums of one value per piece along the tree.
fn sums(tree: &HtmlTree<'_>, values: impl Iterator<Item = (NodeId, f32)>) -> Vec<f32> {
    let mut sums = vec![0.0_f32; tree.len()];
    for (id, value) in values {
        if let Some(sum) = sums.get_mut(id as usize) {
            *sum += value;
        }
    }
    for id in tree.ids().rev() {
        // A menu counts against itself, not against its siblings.
        let own = sums.get(id as usize).copied().unwrap_or(0.0).max(0.0);
        if id != ROOT
            && let Some(sum) = sums.get_mut(tree.node(id).parent as usize)
        {
            *sum += own;
        }
    }
    sums
}

fn at(sums: &[f32], id: NodeId) -> f32 {
    sums.get(id as usize).copied().unwrap_or(0.0)
}

fn kept(
    tree: &HtmlTree<'_>,
    pieces: &PagePieces,
    names: &PageHints,
    weights: &[f32],
    drop: DropScope,
) -> TextSelection {
    let dropped = dropped(tree, pieces, names, weights, drop);
    let is_dropped = |piece: &PagePiece| dropped.get(piece.container as usize).copied().unwrap_or(false);
    let live = || pieces.list.iter().zip(weights).filter(|(piece, _)| !is_dropped(piece));
    let masses = sums(tree, live().map(|(piece, weight)| (piece.container, *weight)));
    let top = descend(tree, names, &masses);
    let range = top..tree.node(top).end;
    let lengths = sums(tree, live().map(|(piece, _)| (piece.container, piece.len() as f32)));
    let links = sums(tree, live().map(|(piece, _)| (piece.container, piece.link_bytes as f32)));
    let prose = sums(tree, live().map(|(piece, weight)| (piece.container, weight.max(0.0))));
    let menus = menus(tree, top, &lengths, &links, &prose);
    let mut kept: Vec<bool> = pieces
        .list
        .iter()
        .map(|piece| {
            range.contains(&piece.container)
                && !is_dropped(piece)
                && !menus.get(piece.container as usize).copied().unwrap_or(false)
                && (piece.link_share() <= 0.9 || piece.kind != ExtractBlockKind::Paragraph)
        })
        .collect();
    add_lead(tree, pieces, top, is_dropped, &mut kept);
    trim_end(pieces, &mut kept);
    TextSelection { kept, top }
}

/// Per node whether it is left out for its hints.
fn dropped(
    tree: &HtmlTree<'_>,
    pieces: &PagePieces,
    names: &PageHints,
    weights: &[f32],
    drop: DropScope,
) -> Vec<bool> {
    let mut dropped = vec![false; tree.len()];
    if drop == DropScope::Nothing {
        return dropped;
    }
    let prose =
        sums(tree, pieces.list.iter().zip(weights).map(|(piece, weight)| (piece.container, weight.max(0.0))));
    let total = at(&prose, ROOT);
    let mut until = 0;
    let mark = |id: NodeId, dropped: &mut Vec<bool>| {
        let end = tree.node(id).end;
        if let Some(range) = dropped.get_mut(id as usize..end as usize) {
            range.fill(true);
        }
        end
    };
    // Comments first: they are often longer than the text, and what is junk is judged by what is left.
    let mut commented = 0.0;
    if drop == DropScope::JunkAndComments {
        for (id, _) in tree.elements() {
            if id >= until && names.get(id).comments && total - at(&prose, id) - commented > PROSE_BYTES_MIN {
                commented += at(&prose, id);
                until = mark(id, &mut dropped);
            }
        }
    }
    let left = total - commented;
    until = 0;
    for (id, tag) in tree.elements() {
        if id < until || dropped.get(id as usize).copied().unwrap_or(false) {
            continue;
        }
        let misnamed = at(&prose, id) > JUNK_SHARE_MAX * left;
        if names.get(id).junk && !misnamed && tag != Tag::Main {
            until = mark(id, &mut dropped);
        }
    }
    dropped
}

/// From the whole page to the branch that contains the prose.
fn descend(tree: &HtmlTree<'_>, names: &PageHints, masses: &[f32]) -> NodeId {
    let mut top = ROOT;
    loop {
        let mass = at(masses, top);
        let named = named(tree, names, masses, top).filter(|id| *id != top);
        let child = children(tree, top)
            .filter(|id| at(masses, *id) > BRANCH_SHARE * mass)
            .max_by(|a, b| at(masses, *a).total_cmp(&at(masses, *b)));
        match named.or(child) {
            Some(next) if mass > 0.0 && !is_line(tree.node(next).tag()) => top = next,
            _ => return top,
        }
    }
}

/// The smallest branch with all parts whose hints call them the text, if those have enough of it.
fn named(tree: &HtmlTree<'_>, names: &PageHints, masses: &[f32], top: NodeId) -> Option<NodeId> {
    let least = PART_SHARE * at(masses, top);
    let (mut common, mut held) = (None::<NodeId>, 0.0);
    let mut until = top + 1;
    let first = names.parts.partition_point(|id| *id <= top);
    let inside = names.parts.iter().skip(first).take_while(|id| **id < tree.node(top).end);
    for id in inside {
        if *id < until || at(masses, *id) <= least {
            continue;
        }
        held += at(masses, *id);
        common = Some(common.map_or(*id, |before| common_branch(tree, before, *id)));
        until = tree.node(*id).end;
    }
    common.filter(|_| held > NAMED_SHARE * at(masses, top))
}

fn common_branch(tree: &HtmlTree<'_>, first: NodeId, later: NodeId) -> NodeId {
    let mut branch = first;
    while branch != ROOT && tree.node(branch).end <= later {
        branch = tree.node(branch).parent;
    }
    branch
}

fn is_line(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::P | Tag::Li | Tag::Tr | Tag::Pre | Tag::Blockquote | Tag::Td | Tag::Ul | Tag::Ol | Tag::Table
    )
}

fn children<'t>(tree: &'t HtmlTree<'_>, parent: NodeId) -> impl Iterator<Item = NodeId> + 't {
    let end = tree.node(parent).end;
    let first = (parent + 1 < end).then_some(parent + 1);
    std::iter::successors(first, move |id| Some(tree.node(*id).end).filter(|next| *next < end))
}

/// Per node whether it is in a list or box that is mostly links.
fn menus(tree: &HtmlTree<'_>, top: NodeId, lengths: &[f32], links: &[f32], prose: &[f32]) -> Vec<bool> {
    let mut menus = vec![false; tree.len()];
    let end = tree.node(top).end;
    let mut id = top + 1;
    while id < end {
        let node = tree.node(id);
        let is_box = matches!(
            node.tag(),
            Tag::Ul
                | Tag::Ol
                | Tag::Dl
                | Tag::Div
                | Tag::Section
                | Tag::Table
                | Tag::Header
                | Tag::Form
                | Tag::Article
        );
        let (length, linked) = (at(lengths, id), at(links, id));
        if is_box && length > 0.0 && linked / length > LINK_SHARE_MAX && at(prose, id) < MENU_PROSE_MAX {
            if let Some(range) = menus.get_mut(id as usize..node.end as usize) {
                range.fill(true);
            }
            id = node.end;
            continue;
        }
        id += 1;
    }
    menus
}

/// The opening paragraph is often above the branch that contains the rest, beside the title.
fn add_lead(
    tree: &HtmlTree<'_>,
    pieces: &PagePieces,
    top: NodeId,
    is_dropped: impl Fn(&PagePiece) -> bool,
    kept: &mut [bool],
) {
    let Some(around) = around(tree, top) else { return };
    let before =
        pieces.list.iter().zip(kept.iter_mut()).filter(|(piece, _)| (around..top).contains(&piece.container));
    let leads = before.filter(|(piece, _)| {
        let is_prose = matches!(
            piece.kind,
            ExtractBlockKind::Paragraph | ExtractBlockKind::Quote | ExtractBlockKind::Heading
        );
        let text = pieces.text_of(piece);
        let is_title = piece.tag == Tag::H1;
        let is_long = piece.len() >= LEAD_BYTES_MIN && text.split_whitespace().nth(7).is_some();
        is_prose && is_long && !is_title && piece.link_share() < 0.3 && !is_dropped(piece)
    });
    for (_, kept) in leads.take(LEADS_MAX) {
        *kept = true;
    }
}

/// The branch above the text that is still about it.
fn around(tree: &HtmlTree<'_>, top: NodeId) -> Option<NodeId> {
    let mut around = top;
    for _ in 0..LEAD_LEVELS {
        around = tree.node(around).parent;
        if matches!(tree.node(around).tag(), Tag::Article | Tag::Main) {
            break;
        }
    }
    (around != ROOT && !matches!(tree.node(around).tag(), Tag::Body | Tag::Html)).then_some(around)
}

/// Headings without a text below them belong to something that was left out.
fn trim_end(pieces: &PagePieces, kept: &mut [bool]) {
    for (piece, kept) in pieces.list.iter().zip(kept.iter_mut()).rev() {
        if !*kept {
            continue;
        }
        if piece.kind != ExtractBlockKind::Heading {
            return;
        }
        *kept = false;
    }
}
