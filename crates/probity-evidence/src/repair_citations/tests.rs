use std::sync::atomic::AtomicBool;

use probity_types::{
    checking::task::CitedPage,
    report::{Citation, Report, SourceLink},
};

use super::repair_citations;
use crate::split::{CitationFaultKind, split};

fn gone(url: &str) -> CitedPage {
    CitedPage { url: url.to_owned(), page: Err("404".to_owned()) }
}

fn faults(text: &str) -> Vec<CitationFaultKind> {
    let wrong = |kind: &CitationFaultKind| {
        matches!(
            kind,
            CitationFaultKind::DanglingLabel
                | CitationFaultKind::DuplicateAddress
                | CitationFaultKind::MalformedAddress
        )
    };
    split(text, &[], &[]).faults.iter().map(|fault| fault.kind).filter(wrong).collect()
}

#[test]
fn dangling_labels_and_addresses_listed_twice_are_gone() {
    let text = "It rose [1, 9]. It fell [8]. It stayed [3] and [2].\n\n## Sources\n\n1. A https://a.example/x\n\
        2. B https://b.example/y\n3. A again https://a.example/x\n";
    assert!(!faults(text).is_empty());
    let (shown, told) = repair_citations(
        &Report { text: text.to_owned(), ..Report::default() },
        &[],
        &AtomicBool::new(false),
    )
    .unwrap();
    assert!(shown.text.starts_with("It rose [1]. It fell. It stayed [1] and [2]."), "{}", shown.text);
    assert_eq!(shown.text.matches("https://a.example/x").count(), 1, "{}", shown.text);
    assert_eq!(faults(&shown.text), []);
    assert_eq!(told.len(), 3, "{told:?}");
}

#[test]
fn an_address_that_nobody_had_is_taken_out_and_the_words_stay() {
    let text = "See [the report](https://nowhere.example/r) and [1](https://known.example/p).";
    let known = SourceLink { url: "https://known.example/p".to_owned(), title: String::new() };
    let report = Report { text: text.to_owned(), sources: vec![known], ..Report::default() };
    let pages = [gone("https://nowhere.example/r"), gone("https://known.example/p")];
    let (shown, _) = repair_citations(&report, &pages, &AtomicBool::new(false)).unwrap();
    assert_eq!(shown.text, "See the report (address not found) and [1](https://known.example/p).");
}

#[test]
fn sources_are_listed_once_and_citations_follow() {
    let link = |url: &str| SourceLink { url: url.to_owned(), title: String::new() };
    let text = "One [9]. Two, three.";
    let report = Report {
        text: text.to_owned(),
        sources: vec![link("https://a.example/x"), link("https://A.example/x/"), link("https://b.example/")],
        citations: vec![Citation { start: 9, end: 20, source: 1 }, Citation { start: 9, end: 13, source: 2 }],
        ..Report::default()
    };
    let (shown, _) = repair_citations(&report, &[], &AtomicBool::new(false)).unwrap();
    assert_eq!(shown.text, "One. Two, three.");
    assert_eq!(shown.sources.len(), 2);
    let words: Vec<(&str, usize)> = shown
        .citations
        .iter()
        .map(|citation| (shown.text.get(citation.start..citation.end).unwrap(), citation.source))
        .collect();
    assert_eq!(words, [("Two, three.", 0), ("Two,", 1)]);
}

#[test]
fn a_report_that_cites_well_is_left_as_it_is() {
    let text = "It rose [1](https://a.example/x). \"It fell\" [^2].\n\n[^2]: https://b.example/y\n";
    let (shown, told) = repair_citations(
        &Report { text: text.to_owned(), ..Report::default() },
        &[],
        &AtomicBool::new(false),
    )
    .unwrap();
    assert_eq!((shown.text.as_str(), told.len()), (text, 0));
}
