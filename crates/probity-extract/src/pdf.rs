//! PDF: the text page by page. Its offsets are pages, because its bytes are compressed drawing commands.

mod links;
mod page;
mod running;

use std::collections::BTreeMap;

use lopdf::{Document, Object};
use probity_types::{
    Code, CodedError,
    web::page::{Extract, ExtractBlock, ExtractBlockKind, TEXT_BYTES_MAX},
};

use crate::clean::{TextCleaner, WhiteSpace};

/// Pages read of one document: a long book.
const PAGES_MAX: usize = 2000;
/// What the drawing commands of one page may unpack to. A page full of maps has a tenth of it.
const UNPACKED_BYTES_MAX: usize = 32 * 1024 * 1024;

use page::PageLine;
pub use page::{ReadingPurpose, is_note_number};

pub fn extract(bytes: &[u8]) -> Result<Extract, CodedError> {
    extract_for(bytes, ReadingPurpose::Source)
}

pub fn extract_for(bytes: &[u8], purpose: ReadingPurpose) -> Result<Extract, CodedError> {
    let document = Document::load_mem(bytes).map_err(|error| unreadable(&error))?;
    if document.is_encrypted() {
        return Err(CodedError::new(Code::PageUnreadable, "the document is locked with a password"));
    }
    let mut extract = Extract::default();
    let mut pages = Vec::new();
    let mut bytes_read = 0;
    for (place, (number, id)) in document.get_pages().into_iter().enumerate() {
        if place >= PAGES_MAX || bytes_read > TEXT_BYTES_MAX {
            extract.truncated = true;
            break;
        }
        match page::lines(&document, id, UNPACKED_BYTES_MAX, purpose) {
            Ok(lines) => {
                bytes_read += lines.iter().map(|line| line.text.len() + 1).sum::<usize>();
                pages.push((number, lines));
            }
            // One page that cannot be read does not lose the others.
            Err(_) => extract.truncated = true,
        }
    }
    let heading = match purpose {
        ReadingPurpose::CheckedText => {
            running::leave_out(&mut pages);
            heading_height(pages.iter().flat_map(|(_, lines)| lines))
        }
        ReadingPurpose::Source => None,
    };
    for (number, lines) in &pages {
        add(&mut extract, lines, *number, heading);
    }
    if extract.text.is_empty() && extract.truncated {
        return Err(CodedError::new(Code::PageUnreadable, "no page of the document could be read"));
    }
    let info =
        document.trailer.get(b"Info").and_then(|info| document.dereference(info)).map(|(_, info)| info);
    let said =
        |key: &[u8]| info.as_ref().ok().and_then(|info| info.as_dict().ok()?.get(key).ok()).and_then(string);
    extract.title = said(b"Title");
    extract.author = said(b"Author");
    extract.published =
        said(b"CreationDate").and_then(|date| crate::dates::read(date.trim_start_matches("D:")));
    extract.modified = said(b"ModDate").and_then(|date| crate::dates::read(date.trim_start_matches("D:")));
    extract.language = crate::language::detect_language(&extract.text, None);
    extract.signs = crate::injection_signs::find_injection_signs(&extract.text, "", false, 0);
    Ok(extract)
}

fn unreadable(error: &lopdf::Error) -> CodedError {
    CodedError::new(Code::PageUnreadable, &format!("no PDF that can be read: {error}"))
}

fn string(object: &Object) -> Option<String> {
    let text = lopdf::decode_text_string(object).ok()?;
    let mut cleaner = TextCleaner::default();
    cleaner.push(&text, WhiteSpace::Collapsed);
    (!cleaner.text.is_empty()).then_some(cleaner.text)
}

/// Lines of at least this height are headings: a fifth taller than what most letters are set in.
fn heading_height<'a>(lines: impl Iterator<Item = &'a PageLine>) -> Option<f32> {
    let mut letters: BTreeMap<u32, usize> = BTreeMap::new();
    for line in lines {
        // In quarters of a point.
        *letters.entry((line.height * 4.0).round().clamp(0.0, 10_000.0) as u32).or_default() +=
            line.text.len();
    }
    let usual = letters.into_iter().max_by_key(|(_, count)| *count).map_or(0, |(height, _)| height);
    (usual > 0).then_some(usual as f32 / 4.0 * 1.2)
}

/// Lines of a page become paragraphs: a line goes on in the next unless it ends a sentence or is short.
fn add(extract: &mut Extract, lines: &[PageLine], page: u32, heading: Option<f32>) {
    let longest = lines.iter().map(|line| shown(&line.text)).max().unwrap_or(0);
    let mut cleaner = TextCleaner::default();
    let mut kind = ExtractBlockKind::Paragraph;
    let mut entry = None;
    for PageLine { text: line, height } in lines {
        // Entries of a list of notes, set without a gap.
        let number = entry_number(line).filter(|_| heading.is_some());
        if number.is_some() && number == entry.map(|entry: u32| entry.saturating_add(1)) {
            push(extract, &mut cleaner, page, kind);
        }
        entry = number.or(entry);
        let is_heading = heading.is_some_and(|tall| *height >= tall) && line.chars().any(char::is_alphabetic);
        let is_of = if is_heading { ExtractBlockKind::Heading } else { ExtractBlockKind::Paragraph };
        if is_of != kind {
            push(extract, &mut cleaner, page, kind);
            kind = is_of;
        }
        cleaner.push(line, WhiteSpace::Collapsed);
        cleaner.pause();
        let ends = line.trim().is_empty()
            || (shown(line) * 4 < longest * 3)
            || (without_marks(line).ends_with(['.', '!', '?', ':']) && shown(line) * 10 < longest * 9);
        if ends {
            push(extract, &mut cleaner, page, kind);
        }
    }
    push(extract, &mut cleaner, page, kind);
}

/// `12` of `12. A note`.
fn entry_number(line: &str) -> Option<u32> {
    let (number, _) = line.trim_start().split_once(". ")?;
    number.parse().ok().filter(|_| number.len() <= 3)
}

/// A line without the marks of notes at its end.
fn without_marks(line: &str) -> &str {
    let mut rest = line.trim_end();
    while let Some((before, mark)) = rest.rsplit_once("[^") {
        if !mark.strip_suffix(']').is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit())) {
            break;
        }
        rest = before.trim_end();
    }
    rest
}

/// How long a line is as it is printed: without the addresses of links that were written into it.
fn shown(line: &str) -> usize {
    let addresses = line.split("](http").skip(1);
    let hidden =
        addresses.map(|rest| rest.split(')').next().map_or(0, |address| "](http)[".len() + address.len()));
    line.len().saturating_sub(hidden.sum())
}

fn push(extract: &mut Extract, cleaner: &mut TextCleaner, page: u32, kind: ExtractBlockKind) {
    let text = std::mem::take(cleaner).text;
    if text.is_empty() {
        return;
    }
    if !extract.text.is_empty() {
        extract.text.push('\n');
    }
    let start = extract.text.len();
    extract.text.push_str(&text);
    let end = extract.text.len();
    extract.blocks.push(ExtractBlock { kind, start, end, source: None, page: Some(page) });
}

#[cfg(test)]
mod tests {
    use super::{ReadingPurpose, extract, extract_for};

    /// A document whose pages draw these commands.
    fn document(pages: &[&str]) -> Vec<u8> {
        let kids: String = (0..pages.len()).map(|page| format!("{} 0 R ", 5 + 2 * page)).collect();
        let mut objects = vec![
            "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
            format!("<</Type/Pages/Kids[{kids}]/Count {}>>", pages.len()),
            "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned(),
            "<</Title(Kettles)/Author(Ada)/CreationDate(D:20240517080000Z)>>".to_owned(),
        ];
        for (page, commands) in pages.iter().enumerate() {
            let contents = 6 + 2 * page;
            objects.push(format!(
                "<</Type/Page/Parent 2 0 R/Resources<</Font<</F 3 0 R>>>>/MediaBox[0 0 600 800]/Contents {contents} 0 R>>"
            ));
            objects.push(format!("<</Length {}>>\nstream\n{commands}\nendstream", commands.len()));
        }
        let mut file = String::from("%PDF-1.5\n");
        let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
        for (number, object) in objects.iter().enumerate() {
            table += &format!("{:010} 00000 n \n", file.len());
            file += &format!("{} 0 obj\n{object}\nendobj\n", number + 1);
        }
        let start = file.len();
        file += &table;
        file += &format!(
            "trailer\n<</Size {}/Root 1 0 R/Info 4 0 R>>\nstartxref\n{start}\n%%EOF",
            objects.len() + 1
        );
        file.into_bytes()
    }

    #[test]
    fn text_comes_page_by_page() {
        let found = extract(&document(&[
            "BT /F 12 Tf 50 700 Td (The kettle boils at one) Tj 0 -14 Td (hundred degrees.) Tj ET",
            "BT /F 12 Tf 50 700 Td (Higher up it boils earlier.) Tj ET",
        ]))
        .unwrap();
        let shown: Vec<(Option<u32>, &str)> = found
            .blocks
            .iter()
            .map(|block| (block.page, found.text.get(block.start..block.end).unwrap()))
            .collect();
        let words: Vec<&str> = found.text.split_whitespace().collect();
        assert_eq!(words.join(" "), "The kettle boils at one hundred degrees. Higher up it boils earlier.");
        assert_eq!(shown.last().unwrap(), &(Some(2), "Higher up it boils earlier."));
        assert_eq!(shown.first().unwrap().0, Some(1));
        let about = (found.title.as_deref(), found.author.as_deref(), found.published.as_deref());
        assert_eq!(about, (Some("Kettles"), Some("Ada"), Some("2024-05-17")));
    }

    #[test]
    fn marks_of_notes_and_headings_are_seen_by_their_letters() {
        let drawn = document(&["BT /F 24 Tf 50 760 Td (Kettles) Tj /F 12 Tf 0 -60 Td (It boils early.) Tj \
             /F 8 Tf 90 5 Td (1) Tj (2) Tj (,3) Tj /F 12 Tf 20 -5 Td (At 10) Tj /F 8 Tf 30 5 Td (2) Tj \
             /F 6 Tf -140 -90 Td (12) Tj /F 9 Tf 7 -3 Td (The city.) Tj ET"]);
        let read = |purpose| {
            let found = extract_for(&drawn, purpose).unwrap();
            found
                .blocks
                .iter()
                .map(|block| format!("{:?} {}", block.kind, found.text.get(block.start..block.end).unwrap()))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            read(ReadingPurpose::CheckedText),
            ["Heading Kettles", "Paragraph It boils early.[^12][^3] At 10 2", "Paragraph [^12] The city."]
        );
        assert!(read(ReadingPurpose::Source).iter().all(|block| !block.contains("[^")));
    }

    #[test]
    fn notes_that_are_set_without_a_gap_are_paragraphs_of_their_own() {
        let drawn = document(&["BT /F 12 Tf 50 760 Td (1. The city of bridges, https://a.example/x) Tj \
             0 -14 Td (2. The city of bridges, https://b.example/y) Tj 0 -14 Td (and its neighbour) Tj \
             0 -14 Td (12. March is a day.) Tj ET"]);
        let found = extract_for(&drawn, ReadingPurpose::CheckedText).unwrap();
        assert_eq!(
            found.text.lines().collect::<Vec<_>>(),
            [
                "1. The city of bridges, https://a.example/x",
                "2. The city of bridges, https://b.example/y and its neighbour",
                "12. March is a day."
            ]
        );
    }

    #[test]
    fn what_is_no_pdf_is_a_problem_of_its_own() {
        for bytes in [&b""[..], b"%PDF-1.5", b"hello", &[0xff; 1000]] {
            assert_eq!(extract(bytes).unwrap_err().code, probity_types::Code::PageUnreadable);
        }
    }
}
