//! What authors call the parts of their pages: the words in classes, ids and roles that tell text from
//! boilerplate.

use super::{
    tag::{Key, Tag},
    tree::{HtmlTree, NodeId},
};

/// What stands beside the text of a page and says something of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BesideKind {
    /// What a picture or a table shows.
    Caption,
    /// A box next to the text.
    Box,
    /// Who wrote it.
    Byline,
    /// When it was written.
    Date,
}

/// What an element's class, id or role says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ElementHints {
    /// Navigation, advertising, sharing, teasers.
    pub junk: bool,
    /// What visitors wrote below the text.
    pub comments: bool,
    /// The text itself, in words that are hardly used otherwise.
    pub text: bool,
    /// No text, but perhaps worth reading beside it.
    pub beside: Option<BesideKind>,
    /// Navigation, advertising, sharing, teasers by another name than those of what stands beside the text.
    pub boilerplate: bool,
}

impl ElementHints {
    fn junk(&mut self) {
        self.junk = true;
        self.boilerplate = true;
    }

    fn beside(&mut self, kind: BesideKind) {
        self.junk = true;
        self.beside = Some(kind);
    }
}

/// Longest class or id read: machine-made lists of classes run to kilobytes and say little at their end.
const NAME_BYTES_MAX: usize = 300;

pub fn element_hints(tree: &HtmlTree<'_>, id: NodeId, tag: Tag) -> ElementHints {
    use Tag::*;
    let mut says = ElementHints::default();
    match tag {
        Nav | Footer | Button | Menu | Dialog | Search | Label | Input => says.junk(),
        Aside => says.beside(BesideKind::Box),
        Figcaption => says.beside(BesideKind::Caption),
        Caption => says.beside = Some(BesideKind::Caption),
        Time => says.beside = Some(BesideKind::Date),
        _ => {}
    }
    if matches!(tag, Html | Body) {
        return ElementHints::default();
    }
    for attribute in tree.attributes(id) {
        match attribute.key {
            Key::Class | Key::Id | Key::DataTestid => read(attribute.value, &mut says),
            Key::Role => match attribute.value {
                "main" | "article" => says.text = true,
                "complementary" => says.beside(BesideKind::Box),
                "navigation" | "banner" | "contentinfo" | "search" | "menu" | "menubar" | "dialog"
                | "alertdialog" | "tablist" | "toolbar" | "alert" => says.junk(),
                _ => {}
            },
            Key::Itemprop if attribute.value.eq_ignore_ascii_case("articlebody") => says.text = true,
            Key::Itemprop if attribute.value == "datePublished" => says.beside = Some(BesideKind::Date),
            Key::Itemprop if attribute.value == "author" => says.beside = Some(BesideKind::Byline),
            Key::Rel if attribute.value == "author" => says.beside = Some(BesideKind::Byline),
            _ => {}
        }
    }
    if says.text && !matches!(tag, Nav | Footer | Aside | Button) {
        says.junk = false;
        says.comments = false;
        says.boilerplate = false;
        says.beside = None;
    }
    says
}

/// Splits `relatedPosts side-bar` into words and looks each up, alone and with the word before it.
fn read(names: &str, says: &mut ElementHints) {
    for name in names.get(..NAME_BYTES_MAX).unwrap_or(names).split_ascii_whitespace() {
        let mut word = [0_u8; 32];
        let mut length = 0;
        let mut before: Option<([u8; 32], usize)> = None;
        let mut last = 0_u8;
        let whole = whole_name(name);
        if whole.junk {
            says.junk();
        }
        says.comments |= whole.comments;
        says.text |= whole.text;
        for byte in name.bytes().chain(std::iter::once(b' ')) {
            let breaks =
                !byte.is_ascii_alphabetic() || (byte.is_ascii_uppercase() && last.is_ascii_lowercase());
            if breaks && length > 0 {
                let now = word.get(..length).unwrap_or_default();
                look_up(
                    before.as_ref().map(|(word, length)| word.get(..*length).unwrap_or_default()),
                    now,
                    says,
                );
                before = Some((word, length));
                length = 0;
            }
            if byte.is_ascii_alphabetic()
                && let Some(place) = word.get_mut(length)
            {
                *place = byte.to_ascii_lowercase();
                length += 1;
            }
            last = byte;
        }
    }
}

fn whole_name(name: &str) -> ElementHints {
    let starts = |text: &str| name.get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(text));
    ElementHints {
        junk: starts("ad-")
            || starts("ads-")
            || starts("nav-")
            || starts("mw-editsection")
            || starts("navbox"),
        ..ElementHints::default()
    }
}

fn look_up(before: Option<&[u8]>, word: &[u8], says: &mut ElementHints) {
    match word {
        b"comments" | b"comment" | b"disqus" | b"commentlist" | b"commentary" | b"respond" | b"livefyre"
        | b"commentform" | b"kommentare" | b"kommentar" | b"commentaires" => says.comments = true,
        b"nav" | b"navbar" | b"navigation" | b"navi" | b"breadcrumb" | b"breadcrumbs" | b"footer"
        | b"sidebar" | b"share" | b"sharing" | b"shares" | b"sharebar" | b"sharethis" | b"social"
        | b"socials" | b"socialmedia" | b"sharedaddy" | b"addthis" | b"addtoany" | b"related"
        | b"relatedposts" | b"recommended" | b"recommendations" | b"recommend" | b"recirc"
        | b"newsletter" | b"newsletters" | b"subscribe" | b"subscription" | b"signup" | b"promo"
        | b"promos" | b"promotion" | b"promoted" | b"sponsor" | b"sponsored" | b"sponsors" | b"advert"
        | b"adverts" | b"advertisement" | b"advertising" | b"adsense" | b"adslot" | b"adbox" | b"ads"
        | b"cookie" | b"cookies" | b"consent" | b"gdpr" | b"popup" | b"modal" | b"overlay" | b"tooltip"
        | b"dropdown" | b"toolbar" | b"pagination" | b"pager" | b"paging" | b"login" | b"signin"
        | b"searchform" | b"searchbox" | b"widget" | b"widgets" | b"tagcloud" | b"taglist" | b"trending"
        | b"mostread" | b"mostpopular" | b"outbrain" | b"taboola" | b"copyright" | b"authorbox" | b"bio"
        | b"toc" | b"menu" | b"submenu" | b"topbar" | b"noprint" | b"catlinks" | b"jumplinks"
        | b"paywall" | b"upsell" | b"teaser" | b"teasers" | b"rating" | b"ratings" | b"crosspromo"
        | b"siteinfo" | b"tags" | b"infoline" | b"credits" | b"credit" | b"offscreen" | b"skiplink"
        | b"printonly" | b"masthead" | b"attribution" | b"syndication" | b"donate" | b"donation"
        | b"carousel" | b"slideshow" | b"playlist" | b"gallery" | b"lightbox" | b"dfp" | b"banner"
        | b"disclaimer" | b"blogroll" | b"trackback" | b"trackbacks" | b"pingback" => {
            says.junk();
        }
        b"caption" | b"captions" => says.beside(BesideKind::Caption),
        b"factbox" | b"callout" => says.beside(BesideKind::Box),
        b"byline" => says.beside(BesideKind::Byline),
        b"postmeta" | b"postmetadata" | b"timestamp" => says.beside(BesideKind::Date),
        b"author" | b"authors" => says.beside = says.beside.or(Some(BesideKind::Byline)),
        b"date" | b"dateline" | b"pubdate" | b"published" => {
            says.beside = says.beside.or(Some(BesideKind::Date))
        }
        // Quotations.
        b"embed" | b"tweet" => says.junk = false,
        b"articlebody" | b"articlecontent" | b"entrycontent" | b"postcontent" | b"storybody"
        | b"postbody" | b"storycontent" | b"articletext" | b"maincontent" => says.text = true,
        _ => {}
    }
    let Some(before) = before else { return };
    match (before, word) {
        (b"entry" | b"post" | b"article", b"meta" | b"info") => says.beside(BesideKind::Date),
        (
            b"article" | b"story" | b"post" | b"entry" | b"main" | b"news" | b"blog",
            b"body" | b"content" | b"text",
        ) => {
            says.text = true;
        }
        (b"most", b"read" | b"popular" | b"viewed" | b"shared")
        | (b"read", b"more" | b"next" | b"also")
        | (b"see" | b"you", b"also" | b"may")
        | (b"author", b"bio" | b"box" | b"info" | b"card" | b"description" | b"about")
        | (b"about", b"author")
        | (b"up" | b"whats", b"next")
        | (b"entry" | b"post" | b"article", b"footer" | b"nav" | b"tags" | b"tools" | b"utility")
        | (b"screen", b"reader")
        | (b"sr" | b"print", b"only")
        | (b"visually", b"hidden")
        | (b"more", b"stories" | b"articles" | b"news" | b"from" | b"on" | b"posts" | b"in")
        | (b"latest", b"news" | b"posts" | b"articles" | b"stories")
        | (b"popular", b"posts" | b"articles" | b"stories")
        | (b"recent", b"posts" | b"articles" | b"comments")
        | (b"side", b"bar" | b"column" | b"rail")
        | (b"right", b"rail" | b"column" | b"col" | b"sidebar")
        | (b"site" | b"page" | b"global", b"header" | b"footer" | b"nav")
        | (b"tag", b"list" | b"links" | b"cloud")
        | (b"sign" | b"log", b"up" | b"in")
        | (b"call", b"to")
        | (b"skip", b"to" | b"link")
        | (
            b"ad",
            b"unit" | b"container" | b"wrapper" | b"slot" | b"block" | b"banner" | b"text" | b"label",
        )
        | (b"user" | b"reader", b"comments" | b"reviews") => says.junk(),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{ElementHints, read};

    fn of(names: &str) -> ElementHints {
        let mut says = ElementHints::default();
        read(names, &mut says);
        says
    }

    #[test]
    fn words_are_found_in_every_spelling() {
        for junk in
            ["related", "relatedPosts x", "post-related", "side_bar", "SideBar", "site-footer", "ad-slot-3"]
        {
            assert!(of(junk).junk, "{junk}");
        }
        for text in ["entry-content", "article__body", "ArticleBody", "postBody", "story-content"] {
            assert!(of(text).text, "{text}");
        }
        for neither in ["shadow", "download", "header-image", "unrelatedness", "breadwinner", ""] {
            assert_eq!(of(neither), ElementHints::default(), "{neither}");
        }
        assert!(of("comment-list").comments);
    }
}
