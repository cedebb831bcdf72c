//! Markdown, line by line: headings, items, quotes, code, rows of tables. The text stays as it is written, but
//! for comments, struck words and marks of notes.

pub mod left_out;
mod note_marks;

use std::collections::HashSet;

use probity_types::web::page::{Extract, ExtractBlockKind, ExtractLink, LINKS_MAX};
use url::Url;

use crate::{
    clean::{TextCleaner, WhiteSpace},
    extract::ExtractWriter,
    html::links::absolute,
};

/// Links read, and the longest address of one.
const LOOKED_AT_MAX: usize = 5000;
const URL_BYTES_MAX: usize = 2048;

/// A block that is being gathered: its kind, and its range in the page.
type PendingBlock = Option<(ExtractBlockKind, usize, usize)>;

pub fn extract(page: &str, url: &str) -> Extract {
    let said = left_out::without_unsaid(page);
    let page = said.as_ref();
    let mut writer = ExtractWriter::default();
    let notes = note_marks::labels(page);
    let mut gathered: PendingBlock = None;
    let mut fence: Option<&str> = None;
    let mut at = 0;
    for line in page.split_inclusive('\n') {
        let (start, end) = (at, at + line.trim_end().len());
        at += line.len();
        let trimmed = line.trim();
        if let Some(mark) = fence {
            if trimmed.starts_with(mark) {
                fence = None;
                flush(page, &notes, &mut gathered, &mut writer);
            } else {
                gathered = gathered.map(|(kind, from, _)| (kind, from, end)).or(Some((
                    ExtractBlockKind::Code,
                    start,
                    end,
                )));
            }
            continue;
        }
        let opens = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        if opens.is_some() || trimmed.is_empty() {
            flush(page, &notes, &mut gathered, &mut writer);
            fence = opens;
            continue;
        }
        let kind = kind_of(trimmed);
        match gathered {
            // Lines of a paragraph, and of a quotation, belong together; so does the rest of an item.
            Some((before, from, _))
                if kind == ExtractBlockKind::Paragraph
                    || (kind, before) == (ExtractBlockKind::Quote, ExtractBlockKind::Quote) =>
            {
                if before == ExtractBlockKind::Heading || before == ExtractBlockKind::TableRow {
                    flush(page, &notes, &mut gathered, &mut writer);
                    gathered = Some((kind, start, end));
                } else {
                    gathered = Some((before, from, end));
                }
            }
            _ => {
                flush(page, &notes, &mut gathered, &mut writer);
                gathered = Some((kind, start, end));
            }
        }
    }
    flush(page, &notes, &mut gathered, &mut writer);
    let mut extract = writer.extract;
    let heading = extract.blocks.iter().find(|block| block.kind == ExtractBlockKind::Heading);
    extract.title = heading.and_then(|block| extract.text.get(block.start..block.end)).map(str::to_owned);
    extract.links = links(page, url);
    extract
}

fn kind_of(line: &str) -> ExtractBlockKind {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = rest.len() < line.len() && (rest.starts_with(". ") || rest.starts_with(") "));
    match line.as_bytes() {
        [b'#', ..] if line.trim_start_matches('#').starts_with(' ') => ExtractBlockKind::Heading,
        [b'-' | b'*' | b'+', b' ', ..] => ExtractBlockKind::ListItem,
        [b'>', ..] => ExtractBlockKind::Quote,
        [b'|', ..] => ExtractBlockKind::TableRow,
        _ if is_numbered => ExtractBlockKind::ListItem,
        _ => ExtractBlockKind::Paragraph,
    }
}

fn flush(page: &str, notes: &HashSet<&str>, gathered: &mut PendingBlock, writer: &mut ExtractWriter) {
    let Some((kind, start, end)) = gathered.take() else { return };
    let written = page.get(start..end).unwrap_or_default();
    let unmarked = (kind != ExtractBlockKind::Code).then(|| note_marks::without_marks(written, notes));
    let written = unmarked.as_deref().unwrap_or(written);
    let mut cleaner = TextCleaner::default();
    match kind {
        ExtractBlockKind::Code => cleaner.push(written, WhiteSpace::Kept),
        ExtractBlockKind::Heading => cleaner.push(written.trim().trim_matches('#'), WhiteSpace::Collapsed),
        ExtractBlockKind::TableRow if written.bytes().all(|byte| b"|-: \t".contains(&byte)) => return,
        ExtractBlockKind::TableRow => cleaner.push(written.trim().trim_matches('|'), WhiteSpace::Collapsed),
        ExtractBlockKind::Quote => {
            for line in written.lines() {
                cleaner.push(line.trim().trim_start_matches('>'), WhiteSpace::Collapsed);
                cleaner.pause();
            }
        }
        ExtractBlockKind::ListItem => {
            cleaner.push(written.trim().trim_start_matches(['-', '*', '+']), WhiteSpace::Collapsed);
        }
        ExtractBlockKind::Paragraph => cleaner.push(written, WhiteSpace::Collapsed),
    }
    if !cleaner.text.trim().is_empty() {
        writer.push(kind, cleaner.text.trim_end(), Some((start, end)));
    }
}

/// `[words](address)`.
fn links(page: &str, url: &str) -> Vec<ExtractLink> {
    let Ok(base) = Url::parse(url) else { return Vec::new() };
    let mut links: Vec<ExtractLink> = Vec::new();
    for (place, _) in page.match_indices("](").take(LOOKED_AT_MAX) {
        if links.len() >= LINKS_MAX {
            break;
        }
        let before = page.get(page.floor_char_boundary(place.saturating_sub(300))..place).unwrap_or_default();
        let end = page.floor_char_boundary(place + 2 + URL_BYTES_MAX);
        let after = page.get(place + 2..end).unwrap_or_default();
        let target = after.split([')', ' ', '\n']).next().unwrap_or_default();
        let text = before.rsplit_once('[').map_or("", |(_, text)| text);
        if let Some(url) = absolute(&base, &base, target)
            && !links.iter().any(|link| link.url == url)
        {
            links.push(ExtractLink { url, text: probity_types::text::line(text, 200) });
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::extract;

    #[test]
    fn every_block_is_told_from_the_others() {
        let page = "# A title\n\nSome words\nthat go on with a [link](/a).\n\n- one\n- two\n  goes on\n1. three\n\n> said\n> so\n\n```rust\nlet x = 1;\n\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n";
        let found = extract(page, "https://example.org/x");
        let shown: Vec<String> = found
            .blocks
            .iter()
            .map(|block| format!("{:?} {}", block.kind, found.text.get(block.start..block.end).unwrap()))
            .collect();
        assert_eq!(
            shown,
            [
                "Heading A title",
                "Paragraph Some words that go on with a [link](/a).",
                "ListItem one",
                "ListItem two goes on",
                "ListItem 1. three",
                "Quote said so",
                "Code let x = 1;",
                "TableRow a | b",
                "TableRow 1 | 2",
            ]
        );
        assert_eq!(found.title.as_deref(), Some("A title"));
        assert_eq!(found.links[0].url, "https://example.org/a");
        let source = found.blocks[5].source.unwrap();
        assert_eq!(page.get(source.0..source.1).unwrap(), "> said\n> so");
    }

    #[test]
    fn comments_and_struck_words_are_not_said() {
        let page = "It is <!-- 40 --> old.\n\n<!--\n# Draft\n\nIt is [new](/n).\n-->\n\n- ~~It is long.~~ It is short.\n\n~~Gone.~~\n";
        let found = extract(page, "https://example.org/x");
        assert_eq!((found.text.as_str(), found.links.len()), ("It is old.\nIt is short.", 0));
        assert_eq!(
            page.get(found.blocks[1].source.unwrap().0..).unwrap().lines().next().unwrap(),
            "- ~~It is long.~~ It is short."
        );
    }

    #[test]
    fn marks_of_notes_are_no_part_of_a_number() {
        let page =
            "It has 14[^2] rooms.\n\n- and 14[^2] doors\n\n```\na[^2]\n```\n\n[^2]: See the yearbook.\n";
        let found = extract(page, "https://example.org/x");
        assert_eq!(found.text, "It has 14 rooms.\nand 14 doors\na[^2]\n[^2]: See the yearbook.");
    }
}
