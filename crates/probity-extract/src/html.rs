//! HTML: the main text, and the page's metadata.

mod beside;
mod hints;
pub mod links;
pub mod metadata;
pub mod note_marks;
mod pieces;
mod scan;
mod select;
mod tag;
pub mod tree;
pub mod visible;

use probity_types::web::page::Extract;
use url::Url;

use self::{pieces::Frames, tree::HtmlTree};
pub use self::{
    scan::{HtmlScanner, HtmlToken, Markup},
    tag::{Key, Tag},
};
use crate::{clean, extract::ExtractWriter, injection_signs::find_injection_signs, language};

/// How much of a page is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// The text with its captions, boxes and bylines.
    Whole,
    /// The text alone, as collections of labelled pages have it.
    MainText,
}

pub fn extract(page: &str, url: &str) -> Extract {
    read(page, url, Reading::Whole)
}

pub fn read(page: &str, url: &str, reading: Reading) -> Extract {
    let tree = HtmlTree::of(page);
    let hidden = visible::find_hidden(&tree);
    let pieces = pieces::pieces(&tree, &hidden.is_hidden, Frames::Read);
    let selected = select::select(&tree, &pieces, reading);
    let about = metadata::page_metadata(&tree, url);
    let mut writer = ExtractWriter::default();
    for (piece, _) in pieces.list.iter().zip(&selected.kept).filter(|(_, kept)| **kept) {
        writer.push(piece.kind, pieces.text_of(piece), Some(piece.source));
    }
    let mut extract = writer.extract;
    let range = selected.top..tree.node(selected.top).end;
    let in_text = |id| range.contains(&id);
    extract.links = links::links(&tree, &hidden.is_hidden, in_text, about.base.as_deref(), url);
    let unseen = hidden.words + &tree.comments.join(" ");
    extract.signs = find_injection_signs(&pieces.text, &unseen, hidden.is_suspect, pieces.invisible);
    extract.language = language::detect_language(&extract.text, about.language);
    extract.title = about.title;
    extract.author = about.author;
    extract.published = about.published;
    extract.modified = about.modified;
    extract.truncated |= tree.truncated;
    extract
}

/// Where a page sends its readers by itself: `<meta http-equiv=refresh content="0; url=…">`.
pub fn forwards_to(page: &str, url: &str) -> Option<String> {
    let tree = HtmlTree::of(page);
    let refresh = tree.elements().find(|(id, tag)| {
        let kind = tree.attribute(*id, Key::HttpEquiv).unwrap_or_default();
        *tag == Tag::Meta && kind.trim().eq_ignore_ascii_case("refresh")
    });
    let content = tree.attribute(refresh?.0, Key::Content)?;
    let (_, target) = content.split_once([';', ','])?;
    let target = clean::line(target.trim());
    let is_named = target.get(..3).is_some_and(|name| name.eq_ignore_ascii_case("url"));
    let target = match is_named {
        true => target.get(3..)?.trim_start().strip_prefix('=')?,
        false => target.as_str(),
    };
    let here = Url::parse(url).ok()?;
    links::absolute(&here, &here, target.trim().trim_matches(['\'', '"']))
}

/// The words of a piece of HTML inside something else, such as a description in a feed.
pub fn visible_text(html: &str) -> String {
    text_with(html, Frames::Read)
}

/// The words of a page that another one holds in an attribute.
pub fn frame_text(srcdoc: &str) -> String {
    text_with(&clean::line(srcdoc), Frames::Skipped)
}

fn text_with(html: &str, frames: Frames) -> String {
    let tree = HtmlTree::of(html);
    let hidden = visible::find_hidden(&tree);
    let pieces = pieces::pieces(&tree, &hidden.is_hidden, frames);
    let lines: Vec<&str> = pieces.list.iter().map(|piece| pieces.text_of(piece)).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests;
