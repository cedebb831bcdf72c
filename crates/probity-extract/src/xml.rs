//! XML: feeds, sitemaps, articles. Every text is a block; entities that a document declares are not expanded.

use probity_types::web::page::{Extract, ExtractBlockKind, ExtractLink, LINKS_MAX};
use url::Url;

use crate::{
    clean::{TextCleaner, WhiteSpace},
    dates,
    extract::ExtractWriter,
    html::{self, HtmlScanner, HtmlToken, Key, Markup, Tag, links::absolute},
};

pub fn extract(page: &str, url: &str) -> Extract {
    let mut writer = ExtractWriter::default();
    let mut scanner = HtmlScanner::new(page, Markup::Xml);
    let base = Url::parse(url).ok();
    let mut links: Vec<ExtractLink> = Vec::new();
    let mut tag = Tag::Other;
    let mut inside_doctype = false;
    while let Some((token, at)) = scanner.next_token() {
        match token {
            HtmlToken::Open { tag: opened, .. } => {
                tag = opened;
                let target =
                    scanner.attributes.iter().find(|found| found.key == Key::Href).map(|found| found.value);
                follow(&mut links, base.as_ref(), target);
            }
            HtmlToken::Close(_) => tag = Tag::Other,
            // Declarations inside `<!DOCTYPE x [ … ]>` are cut at their first `>`; their rest is no text.
            HtmlToken::Comment(text) => {
                inside_doctype = (inside_doctype && !text.contains("]")) || opens_declarations(text);
            }
            HtmlToken::Text(text) if inside_doctype => inside_doctype = !text.trim_start().starts_with("]>"),
            HtmlToken::Text(text) => {
                if tag == Tag::Link {
                    follow(&mut links, base.as_ref(), Some(text));
                }
                let mut cleaner = TextCleaner::default();
                cleaner.push_html(text, WhiteSpace::Collapsed);
                piece(&mut writer, tag, &cleaner.text, at, text);
            }
            HtmlToken::Verbatim(text) => piece(&mut writer, tag, text, at, text),
        }
    }
    let mut extract = writer.extract;
    let title = extract.blocks.iter().find(|block| block.kind == ExtractBlockKind::Heading);
    extract.title = title.and_then(|block| extract.text.get(block.start..block.end)).map(str::to_owned);
    extract.published = extract.text.lines().take(40).find_map(dates::read);
    extract.links = links;
    extract
}

fn opens_declarations(comment: &str) -> bool {
    comment.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("doctype")) && comment.contains('[')
}

fn follow(links: &mut Vec<ExtractLink>, base: Option<&Url>, target: Option<&str>) {
    let found = base.zip(target).and_then(|(base, target)| absolute(base, base, target.trim()));
    if let Some(url) = found
        && links.len() < LINKS_MAX
        && !links.iter().any(|link| link.url == url)
    {
        links.push(ExtractLink { url, text: String::new() });
    }
}

fn piece(writer: &mut ExtractWriter, tag: Tag, text: &str, at: usize, raw: &str) {
    // Feeds contain HTML as text.
    let text = if text.contains("</") || text.contains("<p") || text.contains("<br") {
        html::visible_text(text)
    } else {
        let mut cleaner = TextCleaner::default();
        cleaner.push(text, WhiteSpace::Collapsed);
        cleaner.text
    };
    if text.trim().is_empty() {
        return;
    }
    let lead = raw.len() - raw.trim_start().len();
    let source = (at + lead, at + raw.trim_end().len());
    let kind = if tag == Tag::Title { ExtractBlockKind::Heading } else { ExtractBlockKind::Paragraph };
    writer.push(kind, &text, Some(source));
}

#[cfg(test)]
mod tests {
    use super::extract;

    #[test]
    fn a_feed_is_text_with_places() {
        let page = "<?xml version='1.0'?><rss><channel><title>News &amp; more</title><item><title>One</title>\
            <link>https://example.org/one</link><pubDate>Fri, 17 May 2024 08:00:00 GMT</pubDate>\
            <description><![CDATA[<p>A <b>bold</b> claim &amp; more.</p>]]></description></item></channel></rss>";
        let found = extract(page, "https://example.org/feed");
        assert_eq!(
            found.text,
            "News & more\nOne\nhttps://example.org/one\nFri, 17 May 2024 08:00:00 GMT\nA bold claim & more."
        );
        assert_eq!(found.title.as_deref(), Some("News & more"));
        assert_eq!(found.published.as_deref(), Some("2024-05-17"));
        assert_eq!(found.links[0].url, "https://example.org/one");
        let source = found.blocks[1].source.unwrap();
        assert_eq!(page.get(source.0..source.1).unwrap(), "One");
    }

    #[test]
    fn declared_entities_stay_closed() {
        let page = "<?xml version='1.0'?><!DOCTYPE l [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;'> <!ENTITY c SYSTEM \
            'file:///etc/passwd'> ]><l>x &b; &c; y</l>";
        assert_eq!(extract(page, "").text, "x &b; &c; y");
    }
}
