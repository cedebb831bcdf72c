//! PDF as Markdown: its paragraphs, with each entry of a numbered source list on a line of its own.
//!
//! Links placed over words are written with them.

use probity_types::{CodedError, web::page::Extract};

use crate::pdf;

pub fn markdown(bytes: &[u8]) -> Result<Extract, CodedError> {
    let mut extract = pdf::extract_with(bytes, pdf::LinkHandling::Markdown)?;
    let mut text = String::with_capacity(extract.text.len());
    for block in &extract.blocks {
        let paragraph = extract.text.get(block.start..block.end).unwrap_or_default();
        entries(paragraph, &mut text);
        text.push_str("\n\n");
    }
    extract.text = text;
    extract.blocks.clear();
    Ok(extract)
}

/// Paragraphs that begin with a label are source lists that were set without a gap: `[1] … [2] … [3] …`.
fn entries(paragraph: &str, text: &mut String) {
    let Some(first) = label(paragraph) else {
        text.push_str(paragraph);
        return;
    };
    let mut rest = paragraph;
    let mut next = first + 1;
    while let Some(at) = rest.find(&format!(" [{next}] ")) {
        text.push_str(rest.get(..at).unwrap_or_default());
        text.push('\n');
        rest = rest.get(at + 1..).unwrap_or_default();
        next += 1;
    }
    text.push_str(rest);
}

fn label(paragraph: &str) -> Option<u32> {
    paragraph.strip_prefix('[')?.split_once("] ")?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::entries;

    #[test]
    fn each_entry_of_a_source_list_has_a_line() {
        let mut text = String::new();
        entries("[9] A. https://a.org/1 [10] B [9] again https://b.org [11] C", &mut text);
        assert_eq!(text, "[9] A. https://a.org/1\n[10] B [9] again https://b.org\n[11] C");
        let mut text = String::new();
        entries("Prose [1] and [2] more.", &mut text);
        assert_eq!(text, "Prose [1] and [2] more.");
    }
}
