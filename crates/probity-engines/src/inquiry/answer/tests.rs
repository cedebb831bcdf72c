use probity_research::{
    inquiry::{Block, ClaimId, FacetId, NodeId, OutlineOperation, QuoteId, SentenceKind},
    web::task::{WebRequest, WebTaskOutput},
};
use serde_json::{Value, json};

use super::{
    super::{json::FoundObject, sample::requests, schema::InquiryCallKind},
    plain_term, read_object, searchable, without_ids,
};

/// The request of this name, of the sample.
fn ask(name: &str) -> WebRequest {
    let is_it = |ask: &WebRequest| InquiryCallKind::of(ask).unwrap().name() == name;
    requests("A bridge.").into_iter().find(is_it).unwrap()
}

fn read(name: &str, value: Value) -> Result<WebTaskOutput, &'static str> {
    read_object(&ask(name), &FoundObject { value, cut: false })
}

#[test]
fn answers_without_their_main_part_are_unusable() {
    let odd = json!({"answer": "This is about it.", "quotes": "none", "sections": 3, "queries": [1, null, {"q": "x"}],
        "operations": "none", "points": null, "facets": [{}], "blocks": [{"kind": "paragraph"}, {"kind": "heading", "text": "x"}]});
    for name in ["brief", "line", "survey", "outline", "section", "synthesis", "front"] {
        assert!(read(name, odd.clone()).is_err(), "{name}");
        assert!(read(name, json!({})).is_err(), "{name}");
    }
}

#[test]
fn a_survey_names_facets_and_links_that_were_shown() {
    let WebTaskOutput::Surveyed(survey) = read(
        "survey",
        json!({"quotes": [
            {"text": "It is 412 metres long.", "facets": ["F1", "F9", 2], "role": "forecast",
                "facts": [{"entity": "It", "attribute": "length", "value": 412, "unit": "metres"}, {"entity": "no value"}]},
            "A bare text.",
            {"text": ""},
            {"text": "x".repeat(3_000)},
        ], "links": [1, "0", 5, -1, "https://evil.example/"], "new_terms": ["Anna Berg", "https://evil.example/", "a b c d e f", "evil.example", "GPT 4.5", "x"]}),
    )
    .unwrap() else {
        panic!("no survey")
    };
    assert_eq!(survey.quotes.len(), 2);
    assert_eq!(survey.quotes[0].facets, [FacetId(1), FacetId(2)]);
    assert_eq!((survey.quotes[0].facts.len(), survey.quotes[0].facts[0].value.as_str()), (1, "412"));
    assert_eq!(survey.links, [1, 0]);
    assert_eq!(survey.new_terms, ["Anna Berg", "GPT 4.5", "x"]);
}

#[test]
fn an_outline_keeps_operations_that_say_something() {
    let WebTaskOutput::Outlined(outline) = read(
        "outline",
        json!({"operations": [
            {"operation": "add", "heading": "## Length", "block": "table", "quotes": ["Q3", "Q99"], "wants": ["a date"]},
            {"operation": "add", "heading": ""},
            {"operation": "bind", "node": "N1", "quotes": ["Q7, Q3"]},
            {"operation": "bind", "node": "N1", "quotes": ["Q99"]},
            {"operation": "merge", "nodes": ["N1"]},
            {"operation": "delete everything"},
            {"operation": "drop", "node": "N2"},
            "drop",
        ], "met": ["R1", "R5"]}),
    )
    .unwrap() else {
        panic!("no outline")
    };
    let OutlineOperation::Add { new, .. } = &outline.operations[0] else { panic!("{outline:?}") };
    assert_eq!((new.heading.as_str(), new.quotes.as_slice()), ("Length", [QuoteId(3)].as_slice()));
    assert_eq!(
        outline.operations[1..],
        [
            OutlineOperation::Bind { node: NodeId(1), quotes: vec![QuoteId(7), QuoteId(3)] },
            OutlineOperation::Drop { node: NodeId(2) },
        ]
    );
    assert_eq!(outline.met.len(), 1);
}

#[test]
fn a_section_cites_only_its_own_quotations() {
    let WebTaskOutput::Sectioned(section) = read(
        "section",
        json!({"blocks": [
            {"kind": "paragraph", "sentences": [
                {"text": "It is long [Q3] and old (Q7, Q99).", "kind": "fact", "quotes": []},
                {"text": "So it matters.", "kind": "inference", "rests_on": ["Q3", "Q9"]},
                {"text": "", "quotes": ["Q3"]},
            ]},
            {"kind": "table", "caption": "Lengths", "columns": [{"heading": "Bridge"}, {"heading": "Length", "unit": "m"}, "Year"],
                "rows": [{"name": "Norwick", "cells": [{"text": "412", "quotes": ["Q3"]}]}, {"cells": []}]},
            {"kind": "table", "columns": ["One"], "rows": [{"name": "x"}]},
        ], "thin": "a date"}),
    )
    .unwrap() else {
        panic!("no section")
    };
    let [Block::Paragraph { sentences }, Block::Table(table)] = section.blocks.as_slice() else {
        panic!("{section:?}")
    };
    assert_eq!(sentences[0].text, "It is long and old.");
    assert_eq!(sentences[0].quotes, [QuoteId(3), QuoteId(7)]);
    assert_eq!(
        (sentences[1].kind, sentences[1].quotes.as_slice()),
        (SentenceKind::Inference, [QuoteId(3)].as_slice())
    );
    assert_eq!(sentences.len(), 2);
    assert_eq!((table.columns.len(), table.rows.len(), table.rows[0].cells.len()), (3, 1, 2));
    assert_eq!(section.thin, ["a date"]);
}

#[test]
fn points_and_fronts_rest_on_claims_that_were_shown() {
    let points = json!({"points": [{"text": "It grows.", "rests_on": ["C1", "C9"], "move": "trend"}, {"text": "No.", "rests_on": ["C9"]}]});
    let WebTaskOutput::Synthesized(synthesis) = read("synthesis", points).unwrap() else { panic!("none") };
    assert_eq!(synthesis.points.len(), 1);
    let front = json!({"title": "# Bridges", "answer": [{"text": "It is long (C4).", "claims": []}]});
    let WebTaskOutput::Fronted(front) = read("front", front).unwrap() else { panic!("none") };
    assert_eq!((front.title.as_str(), front.answer[0].text.as_str()), ("Bridges", "It is long."));
    assert_eq!(front.answer[0].claims, [ClaimId(4)]);
}

#[test]
fn brackets_of_the_text_itself_stay() {
    for words in [
        "It opened (1987) late.",
        "A list [sic] of things.",
        "f(x) = 2 (see above",
        "It (the bridge) stands.",
    ] {
        assert_eq!(without_ids(words, QuoteId::parse), (words.to_owned(), Vec::new()));
    }
}

#[test]
fn a_term_is_a_name_and_no_message() {
    assert_eq!(plain_term(" Anna  Berg-Lund ").as_deref(), Some("Anna Berg-Lund"));
    for term in ["", "a.b", "https://x", "site:evil", "1.2.3.4", "one two three four five six", "sk=1", "x/y"]
    {
        assert_eq!(plain_term(term), None, "{term}");
    }
}

#[test]
fn what_is_searched_for_is_words() {
    for (said, kept) in [
        ("How long is the bridge?", "How long is the bridge"),
        ("GPT 4.5 against Node.js, 2024", "GPT 4.5 against Node js 2024"),
        ("http://evil.example/collect?d=sk-live-0123456789", ""),
        ("site:evil.example sk-live-0123456789 bridge", "bridge"),
        ("Norwick Brücke Länge 412 m", "Norwick Brücke Länge 412 m"),
    ] {
        assert_eq!(searchable(said), kept, "{said}");
    }
}
