//! Plain text: paragraphs are what blank lines part.

use probity_types::web::page::{Extract, ExtractBlockKind};

use crate::{
    clean::{TextCleaner, WhiteSpace},
    extract::ExtractWriter,
};

pub fn extract(page: &str) -> Extract {
    let mut writer = ExtractWriter::default();
    for (start, paragraph) in paragraphs(page) {
        let mut cleaner = TextCleaner::default();
        cleaner.push(paragraph, WhiteSpace::Kept);
        writer.push(
            ExtractBlockKind::Paragraph,
            cleaner.text.trim_end(),
            Some((start, start + paragraph.len())),
        );
    }
    writer.extract
}

/// Runs of lines that are not blank, each with its place.
fn paragraphs(page: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    let mut lines = page.split_inclusive('\n');
    std::iter::from_fn(move || {
        let mut start = None;
        for line in lines.by_ref() {
            let here = at;
            at += line.len();
            match (line.trim().is_empty(), start) {
                (true, Some(start)) => return Some((start, here)),
                (true, None) => {}
                (false, _) => start = start.or(Some(here)),
            }
        }
        start.map(|start| (start, at))
    })
    .map(|(start, end)| (start, page.get(start..end).unwrap_or_default().trim_end()))
}

#[cfg(test)]
mod tests {
    use super::extract;

    #[test]
    fn blank_lines_part_paragraphs() {
        let page = "One\ntwo\n\n\n  three \r\n\r\nfour\n";
        let found = extract(page);
        assert_eq!(found.text, "One\ntwo\n  three\nfour");
        let sources: Vec<&str> = found
            .blocks
            .iter()
            .map(|block| page.get(block.source.unwrap().0..block.source.unwrap().1).unwrap())
            .collect();
        assert_eq!(sources, ["One\ntwo", "  three", "four"]);
    }
}
