//! PDF: the text page by page. Its places are pages, because its bytes are compressed drawing commands.

use lopdf::{Document, Object};
use probity_research::{
    Code, Problem,
    web::page::{Block, BlockKind, Extract, TEXT_BYTES_MAX},
};

use crate::clean::{Cleaner, Space};

/// Pages read of one document: a long book.
const PAGES_MAX: usize = 2000;
/// What the drawing commands of one page may unpack to. A page full of maps has a tenth of it.
const UNPACKED_BYTES_MAX: usize = 32 * 1024 * 1024;

pub fn extract(bytes: &[u8]) -> Result<Extract, Problem> {
    let document = Document::load_mem(bytes).map_err(|error| unreadable(&error))?;
    if document.is_encrypted() {
        return Err(Problem::new(Code::PageUnreadable, "the document is locked with a password"));
    }
    let mut extract = Extract::default();
    let pages = document.get_pages();
    for (place, number) in pages.keys().enumerate() {
        if place >= PAGES_MAX || extract.text.len() > TEXT_BYTES_MAX {
            extract.truncated = true;
            break;
        }
        match document.extract_text_with_limit(&[*number], UNPACKED_BYTES_MAX) {
            Ok(text) => add(&mut extract, &text, *number),
            // One page that cannot be read does not take the others with it.
            Err(_) => extract.truncated = true,
        }
    }
    if extract.text.is_empty() && extract.truncated {
        return Err(Problem::new(Code::PageUnreadable, "no page of the document could be read"));
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
    extract.language = crate::language::of(&extract.text, None);
    extract.signs = crate::signs::signs(&extract.text, "", false, 0);
    Ok(extract)
}

fn unreadable(error: &lopdf::Error) -> Problem {
    Problem::new(Code::PageUnreadable, &format!("no PDF that can be read: {error}"))
}

fn string(object: &Object) -> Option<String> {
    let text = lopdf::decode_text_string(object).ok()?;
    let mut cleaner = Cleaner::default();
    cleaner.push(&text, Space::Collapsed);
    (!cleaner.text.is_empty()).then_some(cleaner.text)
}

/// Lines of a page become paragraphs: a line goes on in the next unless it ends a sentence or is short.
fn add(extract: &mut Extract, text: &str, page: u32) {
    let longest = text.lines().map(str::len).max().unwrap_or(0);
    let mut cleaner = Cleaner::default();
    for line in text.lines() {
        cleaner.push(line, Space::Collapsed);
        cleaner.pause();
        let ends = line.trim().is_empty()
            || (line.len() * 4 < longest * 3)
            || (line.trim_end().ends_with(['.', '!', '?', ':']) && line.len() * 10 < longest * 9);
        if ends {
            push(extract, &mut cleaner, page);
        }
    }
    push(extract, &mut cleaner, page);
}

fn push(extract: &mut Extract, cleaner: &mut Cleaner, page: u32) {
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
    extract.blocks.push(Block { kind: BlockKind::Paragraph, start, end, source: None, page: Some(page) });
}
