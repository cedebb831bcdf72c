use super::{note, queries, select, sentences, units, words};
use crate::web::page::{Extract, ExtractBlock, ExtractBlockKind};

fn page(paragraphs: &[&str]) -> Extract {
    let mut extract = Extract::default();
    for paragraph in paragraphs {
        let start = extract.text.len();
        extract.text.push_str(paragraph);
        let end = extract.text.len();
        extract.text.push('\n');
        extract.blocks.push(ExtractBlock {
            kind: ExtractBlockKind::Paragraph,
            start,
            end,
            source: None,
            page: None,
        });
    }
    extract
}

#[test]
fn sentences_end_at_stops_and_lines_in_any_script() {
    let text = "One is 3.5 m long. Two?\nThree 。四五。";
    let found: Vec<&str> =
        sentences(text).into_iter().filter_map(|(start, end)| text.get(start..end)).collect();
    assert_eq!(found, ["One is 3.5 m long.", "Two?", "Three 。", "四五。"]);
}

#[test]
fn words_leave_out_what_every_sentence_has() {
    let found: Vec<String> = words("Why did the Tacoma bridge fall in 1940?").into_iter().collect();
    assert_eq!(found, ["1940", "bridge", "fall", "tacoma"]);
    assert_eq!(words("東京都").len(), 2);
}

#[test]
fn a_note_quotes_the_sentences_that_share_the_words_of_the_question() {
    let extract = page(&[
        "Cookies help us to improve our service for you.",
        "The Tacoma Narrows Bridge collapsed in 1940 because of aeroelastic flutter. It was rebuilt later on.",
    ]);
    let note = note(&extract, "Why did the Tacoma Narrows Bridge fall?");
    assert_eq!(note.quotes.len(), 1);
    let quote = &note.quotes[0];
    assert_eq!(extract.text.get(quote.start..quote.end), Some(quote.text.as_str()));
    assert!(quote.text.starts_with("The Tacoma"));
}

#[test]
fn a_long_page_is_cut_to_its_beginning_and_what_fits_the_question() {
    let filler = "nothing of interest here ".repeat(20);
    let extract = page(&["What this page is.", &filler, "The bridge fell in 1940.", &filler]);
    assert_eq!(
        select(&extract, "When did the bridge fall?", 60),
        "What this page is.\nThe bridge fell in 1940."
    );
    assert_eq!(select(&extract, "bridge", usize::MAX), extract.text);
}

#[test]
fn queries_without_a_model_are_the_question_and_its_telling_words() {
    let found = queries("Why did the Tacoma Narrows Bridge fall?", 3);
    assert_eq!(found, ["Why did the Tacoma Narrows Bridge fall?", "Tacoma Narrows Bridge fall"]);
    assert_eq!(queries("東京", 1), ["東京"]);
}

#[test]
fn a_table_is_one_unit_and_a_heading_is_none() {
    let mut extract = page(&["Ports", "It has two. One is old.", "name | length", "Orion | 412", "It ends."]);
    for (place, kind) in
        [(0, ExtractBlockKind::Heading), (2, ExtractBlockKind::TableRow), (3, ExtractBlockKind::TableRow)]
    {
        extract.blocks[place].kind = kind;
    }
    let found: Vec<&str> =
        units(&extract).into_iter().filter_map(|(start, end)| extract.text.get(start..end)).collect();
    assert_eq!(found, ["It has two.", "One is old.", "name | length\nOrion | 412", "It ends."]);
}
