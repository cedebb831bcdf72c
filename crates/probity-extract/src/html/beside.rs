//! What stands beside the text and says something of its own: captions, boxes with prose, who wrote it and when.
//!
//! Decided after the text is found, so that a caption never moves it. Boxes of links, forms and teasers stay out.

use std::collections::HashSet;

use probity_types::web::page::ExtractBlockKind;

use super::{
    hints::{BesideKind, ElementHints},
    pieces::{PagePiece, PagePieces},
    tag::Tag,
    tree::{HtmlTree, NodeId, NodeKind, ROOT},
};

/// A caption of fewer words is a label or names the photographer.
const CAPTION_WORDS_MIN: usize = 5;
/// A sentence of a box has at least so many bytes; what is shorter is a label.
const SENTENCE_BYTES_MIN: usize = 60;
/// Boxes and captions of which more is linked are menus.
const LINK_SHARE_MAX: f32 = 0.3;
/// Shorter lines ("By") and longer ones are no bylines.
const BYLINE_BYTES_MIN: usize = 4;
const BYLINE_BYTES_MAX: usize = 160;
const BYLINES_MAX: usize = 3;

/// Where a node stands.
#[derive(Debug, Clone, Copy, Default)]
struct NodePlace {
    /// The innermost element beside the text, and its kind.
    beside: Option<(BesideKind, NodeId)>,
    /// In navigation, advertising, comments.
    is_out: bool,
}

/// Adds what stands beside the text. `around` is where bylines and captions above the text are looked for.
pub fn add(
    tree: &HtmlTree<'_>,
    pieces: &PagePieces,
    hints: impl Fn(NodeId) -> ElementHints,
    (top, around): (NodeId, NodeId),
    kept: &mut [bool],
) {
    let places = places(tree, hints, around);
    let place = |piece: &PagePiece| {
        let inside = piece.container.checked_sub(around).and_then(|id| places.get(id as usize));
        inside.copied().unwrap_or(NodePlace { beside: None, is_out: true })
    };
    let boxes = boxes(tree, pieces, place);
    // Next to an article stand the boxes of the site.
    let is_article = matches!(tree.node(around).tag(), Tag::Article | Tag::Main);
    let boxed = if is_article { around } else { top };
    let boxed_range = boxed..tree.node(boxed).end;
    let mut said: HashSet<&str> = pieces
        .list
        .iter()
        .zip(&*kept)
        .filter(|(_, kept)| **kept)
        .map(|(piece, _)| pieces.text_of(piece))
        .collect();
    let mut bylines = 0;
    for (piece, kept) in pieces.list.iter().zip(kept.iter_mut()).filter(|(_, kept)| !**kept) {
        let NodePlace { beside: Some((kind, id)), is_out: false } = place(piece) else { continue };
        let text = pieces.text_of(piece);
        let is_linked = piece.link_share() > LINK_SHARE_MAX;
        let is_read = match kind {
            BesideKind::Caption => !is_linked && text.split_whitespace().nth(CAPTION_WORDS_MIN - 1).is_some(),
            BesideKind::Box => {
                boxed_range.contains(&piece.container)
                    && boxes.binary_search(&id).is_ok()
                    && (!is_linked || piece.kind == ExtractBlockKind::TableRow)
            }
            BesideKind::Byline => is_byline(text) && bylines < BYLINES_MAX,
            BesideKind::Date => is_byline(text) && has_year(text) && bylines < BYLINES_MAX,
        };
        // Slides and small screens have the same caption twice.
        *kept = is_read && said.insert(text);
        bylines += usize::from(*kept && matches!(kind, BesideKind::Byline | BesideKind::Date));
    }
}

/// The places of the nodes from `around` on, in their order.
fn places(tree: &HtmlTree<'_>, hints: impl Fn(NodeId) -> ElementHints, around: NodeId) -> Vec<NodePlace> {
    let step = |before: NodePlace, id: NodeId| {
        let NodeKind::Element { tag, .. } = tree.node(id).what else { return before };
        let says = hints(id);
        NodePlace {
            beside: says.beside.map(|kind| (kind, id)).or(before.beside),
            is_out: before.is_out || says.boilerplate || says.comments || tag == Tag::Form,
        }
    };
    // Whatever is around the text is no reason to leave out what stands beside it.
    let mut places: Vec<NodePlace> = vec![NodePlace::default()];
    for id in around + 1..tree.node(around).end {
        let before = tree.node(id).parent.checked_sub(around).and_then(|parent| places.get(parent as usize));
        let place = step(before.copied().unwrap_or_default(), id);
        places.push(place);
        // A name or a date in a line makes all of it one.
        if let Some((BesideKind::Byline | BesideKind::Date, named)) = place.beside
            && named == id
            && !tree.node(id).tag().is_block()
        {
            let line = tree.ancestors(id).find(|above| *above == ROOT || tree.node(*above).tag().is_block());
            let line = line.and_then(|line| line.checked_sub(around)).filter(|line| *line > 0);
            if let Some(line) = line.and_then(|line| places.get_mut(line as usize)) {
                line.beside = line.beside.or(place.beside);
            }
        }
    }
    places
}

/// The boxes that are read: prose, hardly linked, nothing to fill in.
fn boxes(tree: &HtmlTree<'_>, pieces: &PagePieces, place: impl Fn(&PagePiece) -> NodePlace) -> Vec<NodeId> {
    /// What the lines of a box hold.
    struct BoxSum {
        id: NodeId,
        bytes: usize,
        link_bytes: usize,
        has_sentence: bool,
    }
    let mut sums: Vec<BoxSum> = Vec::new();
    for piece in &pieces.list {
        let NodePlace { beside: Some((BesideKind::Box, id)), is_out: false } = place(piece) else { continue };
        if sums.last().is_none_or(|last| last.id != id) {
            sums.push(BoxSum { id, bytes: 0, link_bytes: 0, has_sentence: false });
        }
        let Some(sum) = sums.last_mut() else { continue };
        sum.bytes += piece.len();
        sum.link_bytes += piece.link_bytes;
        let ends = pieces.text_of(piece).ends_with(['.', '!', '。', '！', '”', '"']);
        sum.has_sentence |= ends && piece.len() >= SENTENCE_BYTES_MIN && piece.link_share() <= LINK_SHARE_MAX;
    }
    let asks = |id: NodeId| {
        (id..tree.node(id).end)
            .any(|inner| matches!(tree.node(inner).tag(), Tag::Form | Tag::Input | Tag::Button))
    };
    let mut boxes: Vec<NodeId> = sums
        .iter()
        .filter(|sum| sum.has_sentence && sum.link_bytes as f32 <= LINK_SHARE_MAX * sum.bytes as f32)
        .map(|sum| sum.id)
        .filter(|id| !asks(*id))
        .collect();
    boxes.sort_unstable();
    boxes.dedup();
    boxes
}

fn is_byline(text: &str) -> bool {
    (BYLINE_BYTES_MIN..=BYLINE_BYTES_MAX).contains(&text.len()) && text.contains(char::is_alphanumeric)
}

/// A year of four digits, not in front of or behind others.
fn has_year(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_digit())
        .any(|digits| digits.len() == 4 && (digits.starts_with("19") || digits.starts_with("20")))
}

#[cfg(test)]
mod tests {
    use crate::html::{Reading, extract, read};

    const PROSE: &str = "The kettle boils at one hundred degrees at the level of the sea, and at fewer on a mountain, \
        because the air presses less. Cooks who live high up know this and boil their beans for longer.";

    /// What is read besides the two paragraphs of the text.
    #[track_caller]
    fn check(above: &str, inside: &str, expected: &[&str]) {
        let page = format!(
            "<body><nav><a href=/>Home of all the kettles</a></nav><main><article><header><h1>Kettles</h1>{above}</header>\
             <div class=article-body><p>{PROSE}</p>{inside}<p>{PROSE} Twice.</p></div></article></main>\
             <aside class=sidebar><p>{PROSE} Elsewhere.</p></aside></body>"
        );
        let found = extract(&page, "https://example.org/");
        let read_lines: Vec<&str> = found.text.lines().filter(|line| !line.starts_with(PROSE)).collect();
        assert_eq!(read_lines, expected, "{above}{inside}");
        let main = read(&page, "https://example.org/", Reading::MainText).text;
        assert_eq!(main.lines().filter(|line| line.starts_with(PROSE)).count(), 2);
    }

    #[test]
    fn captions_are_read() {
        let caption = "The bridge of Pell was opened in 1931.";
        for inside in [
            "<figure><img src=x><figcaption>The bridge of Pell was opened in 1931.</figcaption></figure>",
            "<div class=wp-caption><img src=x><p class=wp-caption-text>The bridge of Pell was opened in 1931.</p></div>",
            "<figure><figcaption>The bridge of Pell was opened in 1931.<span class=credit> </span></figcaption></figure>\
             <figure><figcaption>The bridge of Pell was opened in 1931.</figcaption></figure>",
        ] {
            check("", inside, &[caption]);
            check(inside, "", &[caption]);
        }
        check(
            "",
            "<table><caption>Degrees at which it boils, by height</caption><tr><th>Height<th>Degrees<tr><td>0 m<td>100</table>",
            &["Degrees at which it boils, by height", "Height | Degrees", "0 m | 100"],
        );
        check("", "<figcaption>Photo: Ada</figcaption>", &[]);
        check("", "<figcaption><a href=/x>See all of our pictures of the bridge</a></figcaption>", &[]);
    }

    #[test]
    fn boxes_with_prose_are_read_and_others_stay_out() {
        let said = "The bridge of Pell was opened in 1931 and cost 86 million, more than all before it.";
        for (open, close) in [
            ("<aside>", "</aside>"),
            ("<aside class=factbox>", "</aside>"),
            ("<div role=complementary>", "</div>"),
            ("<div class=callout>", "</div>"),
        ] {
            let boxed = format!("{open}<h3>The bridge</h3><p>{said}</p>{close}");
            check("", &boxed, &["The bridge", said]);
            check(&boxed, "", &["The bridge", said]);
        }
        for inside in [
            format!("<aside class=related><p>{said}</p></aside>"),
            format!("<aside><div class=newsletter><p>{said}</p></div></aside>"),
            format!("<aside><p>{said}</p><form><input type=email></form></aside>"),
            format!("<aside><p><a href=/x>{said}</a></p></aside>"),
            format!("<aside><ul><li><a href=/x>{said}</a></ul><p>{said}</p></aside>"),
            "<aside><p>Share this</p></aside>".to_owned(),
            format!("<div class=cookie-consent><aside><p>{said}</p></aside></div>"),
        ] {
            check("", &inside, &[]);
        }
    }

    #[test]
    fn who_wrote_it_and_when_is_read() {
        for (line, expected) in [
            ("<p class=byline>By Ada Example</p>", "By Ada Example"),
            (
                "<p class=byline>By <a href=/ada rel=author>Ada Example</a>, 17 May 2024</p>",
                "By Ada Example, 17 May 2024",
            ),
            ("<div class=post-meta>17.05.2024</div>", "17.05.2024"),
            ("<p><time datetime=2024-05-17>17 May 2024</time></p>", "17 May 2024"),
            ("<div class=dateline>Pell, 17 May 2024</div>", "Pell, 17 May 2024"),
            ("<div class=post-meta>3 min read</div>", ""),
            ("<div class=share>17 May 2024</div>", ""),
        ] {
            let expected: Vec<&str> = [expected].into_iter().filter(|line| !line.is_empty()).collect();
            check(line, "", &expected);
        }
    }
}
