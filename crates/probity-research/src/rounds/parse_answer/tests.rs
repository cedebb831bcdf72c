use super::rebase_citations;
use crate::report::Citation;

#[test]
fn a_citation_moves_from_the_json_to_the_sentence_it_stands_on() {
    let written = r##"{"report":"# A\nIt is \"seven\". It is eight."}"##;
    let start = written.find("It is \\\"seven").unwrap();
    let end = written.find(" It is eight").unwrap();
    let markdown = "# A\nIt is \"seven\". It is eight.";
    let found = rebase_citations(written, &[Citation { start, end, source: 3 }], &[], markdown);
    let citation = found.first().unwrap();
    assert_eq!(markdown.get(citation.start..citation.end), Some("It is \"seven\"."));
    assert_eq!(citation.source, 3);
}

#[test]
fn a_citation_whose_words_are_not_in_the_report_is_dropped() {
    let written = r#"{"report":"It is seven.","note":"nowhere"}"#;
    let start = written.find("nowhere").unwrap();
    assert_eq!(
        rebase_citations(written, &[Citation { start, end: start + 7, source: 0 }], &[], "It is seven."),
        []
    );
    assert_eq!(
        rebase_citations(written, &[Citation { start: 900, end: 901, source: 0 }], &[], "It is seven."),
        []
    );
}
