//! A page's metadata: title, author, dates, language. As the page states them, checked only for their form.

use serde_json::Value;

use super::{
    tag::{Key, Tag},
    tree::HtmlTree,
};
use crate::{clean, dates};

/// Longest structured description read; the largest real ones are catalogues of a shop.
const DESCRIPTION_BYTES_MAX: usize = 256 * 1024;
/// Values read in one description.
const VALUES_MAX: usize = 5000;
const TITLE_CHARACTERS_MAX: usize = 300;
const AUTHOR_CHARACTERS_MAX: usize = 120;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct HtmlMetadata {
    pub title: Option<String>,
    pub author: Option<String>,
    pub published: Option<String>,
    pub modified: Option<String>,
    /// As the page states it, two letters.
    pub language: Option<String>,
    pub base: Option<String>,
}

/// Candidates by priority: the smallest number wins.
#[derive(Debug, Default)]
struct BestCandidate(Option<(u8, String)>);

impl BestCandidate {
    fn offer(&mut self, rank: u8, value: Option<String>) {
        if let Some(value) = value.filter(|value| !value.is_empty())
            && self.0.as_ref().is_none_or(|(best, _)| rank < *best)
        {
            self.0 = Some((rank, value));
        }
    }
}

#[derive(Debug, Default)]
struct MetadataFinder {
    title: BestCandidate,
    author: BestCandidate,
    published: BestCandidate,
    modified: BestCandidate,
    about: HtmlMetadata,
}

pub fn page_metadata(tree: &HtmlTree<'_>, url: &str) -> HtmlMetadata {
    let mut finder = MetadataFinder::default();
    for (id, tag) in tree.elements() {
        let text = || tree.line(id);
        let attribute = |key| tree.attribute(id, key).map(clean::line);
        match tag {
            Tag::Html => finder.about.language = attribute(Key::Lang).and_then(|lang| two_letters(&lang)),
            Tag::Base if finder.about.base.is_none() => finder.about.base = attribute(Key::Href),
            Tag::Meta => finder.meta(tree, id),
            Tag::Title if finder.title.0.as_ref().is_none_or(|(rank, _)| *rank > 5) => {
                finder.title.offer(5, Some(without_site(&text())));
            }
            Tag::H1 => finder.title.offer(6, Some(text())),
            Tag::Time => finder.time(tree, id, attribute(Key::Datetime).unwrap_or_else(text)),
            Tag::Script if attribute(Key::Type).is_some_and(|kind| kind.contains("ld+json")) => {
                let json: String = tree.texts(id).collect();
                finder.description(&json);
            }
            _ => {}
        }
        if tag == Tag::Meta {
            continue;
        }
        match tree.attribute(id, Key::Itemprop) {
            Some("author") => finder.author.offer(4, name(&text())),
            Some("datePublished") => {
                finder.published.offer(4, dates::read(&attribute(Key::Datetime).unwrap_or_else(text)));
            }
            _ if tag == Tag::A && tree.attribute(id, Key::Rel) == Some("author") => {
                finder.author.offer(5, name(&text()));
            }
            _ => {}
        }
    }
    finder.published.offer(9, dates::in_url(url));
    let short = |best: BestCandidate, characters: usize| {
        best.0.map(|(_, value)| probity_types::text::short(&value, characters))
    };
    HtmlMetadata {
        title: short(finder.title, TITLE_CHARACTERS_MAX),
        author: short(finder.author, AUTHOR_CHARACTERS_MAX),
        published: finder.published.0.map(|(_, value)| value),
        modified: finder.modified.0.map(|(_, value)| value),
        ..finder.about
    }
}

impl MetadataFinder {
    fn meta(&mut self, tree: &HtmlTree<'_>, id: u32) {
        let Some(content) = tree.attribute(id, Key::Content).map(clean::line) else { return };
        let keys = [Key::Property, Key::Name, Key::Itemprop, Key::HttpEquiv];
        for key in keys.into_iter().filter_map(|key| tree.attribute(id, key)) {
            match key.to_ascii_lowercase().as_str() {
                "og:title" => self.title.offer(0, Some(content.clone())),
                "citation_title" | "dc.title" => self.title.offer(2, Some(content.clone())),
                "twitter:title" => self.title.offer(3, Some(content.clone())),
                "author" | "citation_author" | "dc.creator" | "parsely-author" => {
                    self.author.offer(1, name(&content))
                }
                "article:author" | "og:article:author" => self.author.offer(2, name(&content)),
                "article:published_time" | "og:article:published_time" | "datepublished" => {
                    self.published.offer(0, dates::read(&content));
                }
                "citation_publication_date"
                | "citation_date"
                | "dc.date.issued"
                | "dcterms.created"
                | "dcterms.issued"
                | "parsely-pub-date"
                | "sailthru.date"
                | "pubdate"
                | "publish-date"
                | "publish_date"
                | "publication_date"
                | "article.published"
                | "date.created" => {
                    self.published.offer(1, dates::read(&content));
                }
                "date" | "dc.date" | "dcterms.date" | "datecreated" | "created" => {
                    self.published.offer(3, dates::read(&content));
                }
                "article:modified_time" | "og:article:modified_time" | "datemodified" => {
                    self.modified.offer(0, dates::read(&content));
                }
                "og:updated_time" | "dcterms.modified" | "dc.date.modified" | "lastmod" | "last-modified"
                | "revised" | "updated_time" => self.modified.offer(1, dates::read(&content)),
                "content-language" if self.about.language.is_none() => {
                    self.about.language = two_letters(&content);
                }
                _ => {}
            }
        }
    }

    fn time(&mut self, tree: &HtmlTree<'_>, id: u32, value: String) {
        let class = tree.attribute(id, Key::Class).unwrap_or_default().to_ascii_lowercase();
        let prop = tree.attribute(id, Key::Itemprop).unwrap_or_default();
        let read = dates::read(&value);
        if prop == "dateModified" || class.contains("updated") || class.contains("modified") {
            self.modified.offer(3, read);
        } else if prop == "datePublished"
            || class.contains("publish")
            || tree.attribute(id, Key::Pubdate).is_some()
        {
            self.published.offer(4, read);
        } else {
            self.published.offer(8, read);
        }
    }

    /// Structured descriptions (JSON-LD): objects in any nesting.
    fn description(&mut self, json: &str) {
        if json.len() > DESCRIPTION_BYTES_MAX {
            return;
        }
        let Ok(value) = serde_json::from_str::<Value>(json.trim()) else { return };
        let mut waiting = vec![&value];
        let mut seen = 0;
        while let Some(value) = waiting.pop() {
            seen += 1;
            if seen > VALUES_MAX {
                return;
            }
            match value {
                Value::Array(list) => waiting.extend(list.iter().rev()),
                Value::Object(object) => {
                    let text = |key: &str| object.get(key).and_then(Value::as_str).map(clean::line);
                    self.title.offer(1, text("headline"));
                    self.published.offer(2, text("datePublished").and_then(|date| dates::read(&date)));
                    self.modified.offer(2, text("dateModified").and_then(|date| dates::read(&date)));
                    self.author.offer(0, object.get("author").and_then(authors));
                    waiting.extend(object.values().filter(|value| value.is_array() || value.is_object()));
                }
                _ => {}
            }
        }
    }
}

/// Names of one author or of several.
fn authors(value: &Value) -> Option<String> {
    let one = |value: &Value| match value {
        Value::String(text) => name(&clean::line(text)),
        Value::Object(object) => {
            object.get("name").and_then(Value::as_str).and_then(|text| name(&clean::line(text)))
        }
        _ => None,
    };
    match value {
        Value::Array(list) => {
            let names: Vec<String> = list.iter().take(6).filter_map(one).collect();
            (!names.is_empty()).then(|| names.join(", "))
        }
        _ => one(value),
    }
}

/// A name, not an address and not a sentence.
fn name(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_prefix("By ").or_else(|| text.strip_prefix("by ")).unwrap_or(text).trim();
    let fits =
        !text.is_empty() && text.chars().count() <= 100 && !text.contains("://") && !text.starts_with('@');
    fits.then(|| text.to_owned())
}

/// `Title | Site` and `Title - Site` without the site, if what is left is a title.
fn without_site(title: &str) -> String {
    for mark in [" | ", " – ", " — ", " - ", " · ", " » "] {
        if let Some((head, tail)) = title.rsplit_once(mark)
            && head.split_whitespace().count() >= 3
            && tail.split_whitespace().count() <= 4
        {
            return head.trim().to_owned();
        }
    }
    title.to_owned()
}

fn two_letters(language: &str) -> Option<String> {
    let code: String = language.trim().chars().take_while(char::is_ascii_alphabetic).collect();
    (code.len() == 2).then(|| code.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::{HtmlMetadata, page_metadata};
    use crate::html::tree::HtmlTree;

    #[track_caller]
    fn check(html: &str, expected: &[&str]) {
        let HtmlMetadata { title, author, published, modified, language, base: _ } =
            page_metadata(&HtmlTree::of(html), "https://example.org/2020/01/02/x");
        let seen: Vec<String> = [title, author, published, modified, language]
            .into_iter()
            .map(Option::unwrap_or_default)
            .collect();
        assert_eq!(seen, expected);
    }

    #[test]
    fn tags_of_the_head_are_read() {
        check(
            "<html lang=de-AT><title>Der Kessel kocht | Zeitung</title><meta name=author content='Von &Uuml;nal'>\
             <meta property=article:published_time content=2024-05-17T08:00><meta property=og:updated_time \
             content='2024-06-01'>",
            &["Der Kessel kocht", "Von Ünal", "2024-05-17", "2024-06-01", "de"],
        );
        check("<title>Just a title</title><h1>Other</h1>", &["Just a title", "", "2020-01-02", "", ""]);
    }

    #[test]
    fn structured_descriptions_are_read_in_any_nesting() {
        check(
            "<script type='application/ld+json'>{\"@graph\":[{\"@type\":\"WebSite\"},{\"headline\":\"H &amp; J\",\
             \"datePublished\":\"2023-03-04T00:00Z\",\"author\":[{\"name\":\"Ann\"},{\"name\":\"Bo\"}]}]}</script>",
            &["H & J", "Ann, Bo", "2023-03-04", "", ""],
        );
        check("<script type='application/ld+json'>{{{</script>", &["", "", "2020-01-02", "", ""]);
    }

    #[test]
    fn the_body_is_asked_last() {
        check(
            "<h1>Title here</h1><a rel=author href=/x>By Cy Doe</a><time datetime=2022-02-02>today</time>",
            &["Title here", "Cy Doe", "2022-02-02", "", ""],
        );
    }
}
