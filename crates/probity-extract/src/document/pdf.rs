//! PDF as Markdown: its headings and paragraphs, with each entry of a numbered source list on a line of its own and each
//! note under its mark.
//!
//! Links placed over words are written with them.

use std::collections::{BTreeMap, BTreeSet};

use probity_types::{
    CodedError,
    web::page::{Extract, ExtractBlockKind},
};

use crate::pdf::{self, is_note_number};

pub fn markdown(bytes: &[u8]) -> Result<Extract, CodedError> {
    let mut extract = pdf::extract_for(bytes, pdf::ReadingPurpose::CheckedText)?;
    let mut paragraphs: Vec<PdfParagraph> = extract
        .blocks
        .iter()
        .map(|block| PdfParagraph {
            is_heading: block.kind == ExtractBlockKind::Heading,
            text: extract.text.get(block.start..block.end).unwrap_or_default().to_owned(),
        })
        .collect();
    label_notes(&mut paragraphs);
    let mut text = String::with_capacity(extract.text.len());
    for paragraph in &paragraphs {
        text.push_str(if paragraph.is_heading { "# " } else { "" });
        entries(&paragraph.text, &mut text);
        text.push_str("\n\n");
    }
    extract.text = text;
    extract.blocks.clear();
    Ok(extract)
}

#[derive(Debug)]
struct PdfParagraph {
    is_heading: bool,
    text: String,
}

/// Notes that begin with their number, at the foot of a page or at the end, become definitions of their marks. Marks of
/// a number that no note begins with are numbers again.
fn label_notes(paragraphs: &mut [PdfParagraph]) {
    let is_marked = |one: &PdfParagraph| {
        let behind_own_number = one.text.strip_prefix("[^").unwrap_or(&one.text);
        let mut marks = behind_own_number.split("[^").skip(1).filter_map(|part| part.split_once(']'));
        marks.any(|(number, _)| is_note_number(number))
    };
    let Some(last_marked) = paragraphs.iter().rposition(is_marked) else { return };
    let mut notes: BTreeMap<usize, String> = BTreeMap::new();
    for (place, paragraph) in paragraphs.iter().enumerate() {
        let raised = paragraph.text.strip_prefix("[^").and_then(|rest| rest.split_once("] "));
        let at_the_end = paragraph.text.split_once(". ").filter(|_| place > last_marked);
        if let Some((number, _)) = raised.or(at_the_end).filter(|(number, _)| is_note_number(number)) {
            notes.insert(place, number.to_owned());
        }
    }
    let numbers: BTreeSet<String> = notes.values().cloned().collect();
    for (place, paragraph) in paragraphs.iter_mut().enumerate() {
        let (mut text, body) = match notes.get(&place) {
            Some(number) => {
                let body = paragraph.text.split_once(' ').map_or("", |(_, body)| body);
                // A sign that leads back to the mark.
                let body = body.trim_end_matches(['\u{21a9}', '\u{fe0e}', '\u{fe0f}', ' ']);
                (format!("[^{number}]: "), body)
            }
            None => (String::new(), paragraph.text.as_str()),
        };
        let mut parts = body.split("[^");
        text.push_str(parts.next().unwrap_or_default());
        for part in parts {
            match part.split_once(']').filter(|(number, _)| is_note_number(number)) {
                Some((number, rest)) if !numbers.contains(number) => {
                    text.push_str(&format!("{number}{rest}"))
                }
                Some(_) | None => text.push_str(&format!("[^{part}")),
            }
        }
        paragraph.text = text;
    }
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
    use super::{PdfParagraph, entries, label_notes};

    #[test]
    fn notes_stand_under_their_marks_and_powers_are_no_notes() {
        let labelled = |texts: &[&str]| {
            let paragraph = |text: &&str| PdfParagraph { is_heading: false, text: (*text).to_owned() };
            let mut paragraphs: Vec<PdfParagraph> = texts.iter().map(paragraph).collect();
            label_notes(&mut paragraphs);
            paragraphs.into_iter().map(|one| one.text).collect::<Vec<_>>()
        };
        let at_the_end = [
            "1. A list.",
            "It is long.[^1] It has an area of 5 ares[^2].",
            "1. The city, https://a.org/ \u{21a9}\u{fe0e}",
        ];
        assert_eq!(
            labelled(&at_the_end),
            ["1. A list.", "It is long.[^1] It has an area of 5 ares2.", "[^1]: The city, https://a.org/"]
        );
        let on_each_page =
            ["It is long.[^1]", "[^1] One, https://a.org/", "It is old.[^1]", "[^1] Two, https://b.org/"];
        let notes = ["[^1]: One, https://a.org/", "[^1]: Two, https://b.org/"];
        assert_eq!(labelled(&on_each_page), ["It is long.[^1]", notes[0], "It is old.[^1]", notes[1]]);
        assert_eq!(labelled(&["The set [^a] is.", "1. One"]), ["The set [^a] is.", "1. One"]);
    }

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
