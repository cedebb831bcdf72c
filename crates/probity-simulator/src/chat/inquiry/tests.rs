use serde_json::{Value, json};

use super::{as_lines, facts, value};
use crate::chat::{
    prompt::PromptParts,
    request::{Asked, ChatRequest},
};

fn said(asked: Asked, user: &str) -> Value {
    let request = ChatRequest::of_user(user, asked.as_str());
    value(asked, &PromptParts::read(&request)).unwrap()
}

#[test]
fn facets_come_from_the_words_of_the_question() {
    let user = "<question>\nHow long is the Norwick bridge and when did it open? [[chat key=k]]\n</question>\n- `facets`: 2 to 4 parts";
    let brief = said(Asked::Brief, user);
    let queries: Vec<&str> =
        brief["facets"].as_array().unwrap().iter().filter_map(|facet| facet["query"].as_str()).collect();
    assert_eq!(queries, ["long norwick bridge", "open long norwick bridge"]);
    assert_eq!(brief["requirements"].as_array().unwrap().len(), 2);
}

#[test]
fn a_page_is_read_for_several_facets_at_once() {
    let page = "up to 12 quotations\n<questions>\n[F1] How long is the Norwick bridge\n[F2] Norwick bridge history\n</questions>\n<page>\nThe \
Norwick bridge is 412 metres long and was planned by Anna Berg.\nThe history of the bridge began in 1980.\nTea is \
served at four in the afternoon.\n</page>\n<links>\n[0] About us\n[1] Norwick bridge history\n</links>";
    let survey = said(Asked::Survey, page);
    assert_eq!(
        survey,
        json!({"quotes": [
            {"text": "The Norwick bridge is 412 metres long and was planned by Anna Berg.", "facets": ["F1", "F2"],
                "role": "finding", "facts": [{"entity": "Norwick bridge", "attribute": "long", "value": "412",
                "unit": "metres", "period": "", "as_of": ""}]},
            {"text": "The history of the bridge began in 1980.", "facets": ["F2"], "role": "finding", "facts": []},
        ], "links": [1], "new_terms": ["Anna Berg"]})
    );
    assert!(
        as_lines(Asked::Survey, &survey)
            .contains("Q finding | The history of the bridge began in 1980. | F2")
    );
}

#[test]
fn an_outline_has_a_home_for_each_quotation() {
    let user = "at most 5 sections\n<facets>\n[F1] length of it (open; quotations: 1; origins: 1 of 2 wanted)\n[F2] history of it (open; quotations: 0; \
origins: 0 of 2 wanted)\n</facets>\n<outline>\n[N1] Length: length of it (prose; quotations: )\n</outline>\n<quotes>\n[Q1] a.example (no date; \
finding; origin 1; for F1, F2):\n  It is long.\n</quotes>";
    let outline = said(Asked::Outline, user);
    assert_eq!(
        outline["operations"],
        json!([
            {"operation": "bind", "node": "N1", "quotes": ["Q1"]},
            {"operation": "want", "node": "N1", "wants": []},
            {"operation": "add", "heading": "History", "question": "history of it", "block": "prose", "quotes": [],
                "wants": ["history of it"]},
        ])
    );
}

#[test]
fn a_section_has_a_sentence_for_each_quotation_and_a_table_where_one_is_asked_for() {
    let user = "The section has about 300 words, in English, in the form: table.\n<section>\n[N1] Length\n</section>\n<quotes>\n[Q1] a.example (no date; \
finding; origin 1; for F1):\n  Norwick is 412 metres long.\n  value: Norwick | long | 412 metres\n[Q2] b.example (no date; finding; origin 2; for F1):\n  \
Sund is 90 metres long.\n  value: Sund | long | 90 metres\n</quotes>";
    let section = said(Asked::Section, user);
    let sentences = section["blocks"][0]["sentences"].as_array().unwrap();
    assert_eq!(sentences[1], json!({"text": "Sund is 90 metres long.", "kind": "fact", "quotes": ["Q2"]}));
    assert_eq!(sentences[2]["kind"], "inference");
    assert_eq!(
        section["blocks"][1]["rows"][1],
        json!({"name": "Sund", "cells": [{"text": "90 metres", "quotes": ["Q2"]}]})
    );
}

#[test]
fn rows_of_tables_have_a_value_in_each_cell() {
    let facts = facts::of("Norwick | 412 | steel | 1987");
    assert_eq!(facts.len(), 2);
    assert_eq!((&facts[1]["entity"], &facts[1]["value"]), (&json!("Norwick"), &json!("1987")));
}
