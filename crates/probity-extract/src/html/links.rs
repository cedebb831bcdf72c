//! The links of a page: absolute addresses of the web, those in the text first.

use std::collections::HashSet;

use probity_types::web::page::{ExtractLink, LINKS_MAX};
use url::Url;

use super::{
    tag::{Key, Tag},
    tree::{HtmlTree, NodeId},
};
use crate::clean;

/// Longest words kept of a link.
const WORDS_CHARACTERS_MAX: usize = 200;
/// Longest address kept; the fetcher takes no longer one.
const URL_BYTES_MAX: usize = 2048;
/// Links read. A page with more is a list of links, and its first thousands say so.
const LOOKED_AT_MAX: usize = 5000;

pub fn links(
    tree: &HtmlTree<'_>,
    is_hidden: &[bool],
    is_text: impl Fn(NodeId) -> bool,
    base: Option<&str>,
    url: &str,
) -> Vec<ExtractLink> {
    let Some(page) = Url::parse(url).ok() else { return Vec::new() };
    let base = base.and_then(|base| page.join(base).ok()).unwrap_or_else(|| page.clone());
    let mut seen = HashSet::new();
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    let visible = |id: &NodeId| !is_hidden.get(*id as usize).copied().unwrap_or(false);
    let anchors = tree.elements().filter(|(id, tag)| *tag == Tag::A && visible(id)).take(LOOKED_AT_MAX);
    for (id, _) in anchors {
        let Some(target) = tree.attribute(id, Key::Href).and_then(|written| absolute(&base, &page, written))
        else {
            continue;
        };
        let list = if is_text(id) { &mut inside } else { &mut outside };
        if list.len() >= LINKS_MAX || !seen.insert(target.clone()) {
            continue;
        }
        let text = probity_types::text::short(&tree.line(id), WORDS_CHARACTERS_MAX);
        list.push(ExtractLink { url: target, text });
    }
    inside.extend(outside);
    inside.truncate(LINKS_MAX);
    inside
}

/// Absolute, of the web, without its fragment, and not the page itself.
pub fn absolute(base: &Url, page: &Url, written: &str) -> Option<String> {
    let mut target = base.join(&clean::line(written)).ok()?;
    target.set_fragment(None);
    let is_web = matches!(target.scheme(), "http" | "https") && target.as_str().len() <= URL_BYTES_MAX;
    let is_here =
        target.path() == page.path() && target.query() == page.query() && target.host() == page.host();
    (is_web && !is_here).then(|| target.into())
}

#[cfg(test)]
mod tests {
    use super::links;
    use crate::html::tree::HtmlTree;

    #[test]
    fn links_are_absolute_single_and_in_order_of_worth() {
        let html = "<a href=/menu>Menu</a><p><a href='x?a=1&amp;b=2#f'>The <b>x</b></a><a href=x?a=1&b=2>again</a>\
            <a href=javascript:alert()>no</a><a href='#here'>no</a><a href=mailto:a@b.c>no</a></p>";
        let tree = HtmlTree::of(html);
        let found = links(&tree, &[], |id| id > 2, None, "https://example.org/d/page");
        let shown: Vec<String> = found.iter().map(|link| format!("{} {}", link.url, link.text)).collect();
        assert_eq!(shown, ["https://example.org/d/x?a=1&b=2 The x", "https://example.org/menu Menu"]);
    }
}
