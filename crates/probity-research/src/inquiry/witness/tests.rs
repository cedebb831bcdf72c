//! Sentences and the quotations that may stand behind them, one case a line; then a whole section.

use std::collections::BTreeMap;

use probity_types::inquiry::{
    Block, NewNode, NodeId, OutlineOperation, QuoteId, QuoteRole, SectionAnswer, Sentence, SentenceKind,
    TypedFact,
};

use super::{Binding, Witnesses};
use crate::inquiry::{
    bank::{Bank, BankQuote, PageFacts},
    outline::Outline,
    section,
    written::{WritingContext, WrittenSection},
};

/// Text, what its fact is of, and the title of its page.
const QUOTES: [(&str, &str, &str); 7] = [
    ("In 2021 the harbour tariff of Orion Pier was 45.5 dollars.", "Orion Pier", "Tariffs"),
    ("In 2021 the harbour tariff of Vega Pier was 38 dollars.", "Vega Pier", "Tariffs"),
    ("Vega Pier meldete für 2021 als Wintertiefe 12,5 Meter.", "Vega Pier", "Tiefen"),
    ("In 2021 the harbour tariff of Orion Pier was 47 dollars, its clerks wrote.", "Orion Pier", "Letters"),
    ("The company sold 300 cranes in the year.", "", "Lyra Works: annual report 2020"),
    ("Orion Pier opened on 3 April 2019.", "Orion Pier", "History"),
    ("Name | depth (2021)\nOrion Pier | 51\nVega Pier | 60", "", "Depths"),
];

fn bank() -> Bank {
    let quote = |(place, (text, entity, _)): (usize, &(&str, &str, &str))| BankQuote {
        page: u32::try_from(place).unwrap(),
        start: 0,
        end: text.len(),
        text: (*text).to_owned(),
        key: text.to_lowercase(),
        facets: Vec::new(),
        role: QuoteRole::Finding,
        facts: match entity.is_empty() {
            true => Vec::new(),
            false => vec![TypedFact { entity: (*entity).to_owned(), ..TypedFact::default() }],
        },
        round: 1,
        home: None,
        copy_of: None,
        second_hand: false,
    };
    let page = |(origin, (_, _, title)): (usize, &(&str, &str, &str))| PageFacts {
        origin,
        title: (*title).to_owned(),
        ..PageFacts::default()
    };
    Bank {
        quotes: QUOTES.iter().enumerate().map(quote).collect(),
        pages: QUOTES.iter().enumerate().map(page).collect(),
        ..Bank::default()
    }
}

fn ids(numbers: &[u32]) -> Vec<QuoteId> {
    numbers.iter().copied().map(QuoteId).collect()
}

/// An outline with one node that has all quotations.
fn outline(bank: &mut Bank) -> Outline {
    let mut outline = Outline::default();
    let quotes = bank.ids().collect();
    let new = NewNode { heading: "Piers".to_owned(), quotes, ..NewNode::default() };
    outline.apply(&[OutlineOperation::Add { parent: None, new }], bank, 5);
    outline
}

fn with_witnesses<T>(nouns_are_capitals: bool, ask: impl FnOnce(WritingContext<'_>) -> T) -> T {
    let mut bank = bank();
    let outline = outline(&mut bank);
    let sections: BTreeMap<NodeId, WrittenSection> = BTreeMap::new();
    ask(WritingContext {
        outline: &outline,
        bank: &bank,
        conflicts: &[],
        sections: &sections,
        nouns_are_capitals,
        language: None,
        looks_up: true,
        tells_every_conflict: true,
        spreads_conclusions: true,
    })
}

#[track_caller]
fn check(text: &str, bound: &[u32], expected: Binding) {
    let all: Vec<u32> = (1..=7).collect();
    let found = with_witnesses(false, |context| Witnesses::of(context).bind(text, &ids(bound), &ids(&all)));
    assert_eq!(found, expected, "{text}");
}

fn stands(numbers: &[u32]) -> Binding {
    Binding::Stands(ids(numbers))
}

#[test]
fn a_quotation_that_has_the_numbers_and_the_names_stays() {
    check("The harbour tariff of Orion Pier was 45.5 dollars in 2021.", &[1], stands(&[1]));
    check("The harbour tariff of Orion Pier was 46 dollars.", &[1], stands(&[1]));
    // The page names what its sentence does not.
    check("In 2020 the cranes that Lyra Works sold were 300.", &[5], stands(&[5]));
    // Nothing to look up.
    check("It was a good year for all of them.", &[2], stands(&[2]));
    // The time between two years is computed.
    check("Between 2019 and 2021 lie 2 years at Orion Pier.", &[6, 1], stands(&[6, 1]));
}

#[test]
fn another_quotation_takes_the_place_of_one_that_does_not_say_it() {
    check("The harbour tariff of Orion Pier was 45.5 dollars in 2021.", &[2], stands(&[1]));
    check("The harbour tariff of Orion Pier was 45.5 dollars in 2021.", &[], stands(&[1]));
    // Beside one that says all of it, the others go.
    check("The harbour tariff of Orion Pier was 45.5 dollars in 2021.", &[2, 1, 7], stands(&[1]));
    // In another language, by names and numbers.
    check("In 2021 the winter depth of Vega Pier was 12.5 metres.", &[1], stands(&[3]));
    let german = with_witnesses(true, |context| {
        let text = "Der Hafentarif von Orion Pier war 45,5 Dollar.";
        Witnesses::of(context).bind(text, &ids(&[2]), &ids(&[1, 2, 3]))
    });
    assert_eq!(german, stands(&[1]));
}

#[test]
fn each_side_of_a_disagreement_has_its_source() {
    let text = "Sources disagree on the harbour tariff of Orion Pier in 2021: 45.5 dollars or 47 dollars.";
    check(text, &[1, 4], stands(&[1, 4]));
    check(text, &[1, 2], stands(&[1, 4]));
}

#[test]
fn what_no_quotation_says_is_quoted_or_gone() {
    // The number of one under the name of the other.
    check("The harbour tariff of Vega Pier was 45.5 dollars in 2021.", &[1], Binding::Quote(QuoteId(1)));
    check("The harbour tariff of Orion Pier was 99 dollars in 2021.", &[1], Binding::Quote(QuoteId(1)));
    check("Orion Pier opened in March 2019.", &[6], Binding::Quote(QuoteId(6)));
    // The number of another row.
    check("The depth of Vega Pier was 51 metres in 2021.", &[7], Binding::Quote(QuoteId(7)));
    check("The depth of Vega Pier was 60 metres in 2021.", &[7], stands(&[7]));
    // Nothing near it.
    check("The income of Lyra Quay was 77 crowns.", &[3], Binding::Nothing);
    check("The income of Lyra Quay was 77 crowns.", &[], Binding::Nothing);
}

#[test]
fn a_cell_is_bound_to_what_names_its_row() {
    let cell = |row: &str, text: &str, bound: &[u32]| {
        let own = ids(&[1, 2, 3, 4, 5, 6, 7]);
        with_witnesses(false, |context| Witnesses::of(context).bind_cell(row, text, &ids(bound), &own))
    };
    assert_eq!(cell("Vega Pier", "60", &[]), ids(&[7]));
    assert_eq!(cell("Vega Pier", "38", &[1, 2]), ids(&[2]));
    // Nobody names this row: what was bound stays as it is.
    assert_eq!(cell("Lyra Quay", "38", &[2]), ids(&[2]));
}

fn fact(text: &str, quotes: &[u32]) -> Sentence {
    Sentence { text: text.to_owned(), quotes: ids(quotes), kind: SentenceKind::Fact }
}

/// The sentences that stand with their quotations, and how many were replaced and left out.
fn section_of(looks_up: bool, sentences: Vec<Sentence>) -> (Vec<(String, Vec<QuoteId>)>, u32, u32) {
    with_witnesses(false, |context| {
        let answer =
            SectionAnswer { blocks: vec![Block::Paragraph { sentences }], thin: Vec::new(), cut: false };
        let context = WritingContext { looks_up, ..context };
        let written = section::accept(context, NodeId(1), &answer).unwrap();
        let told = written.sentences().map(|told| (told.text.clone(), told.quotes.clone())).collect();
        (told, written.replaced, written.left_out)
    })
}

#[test]
fn a_section_keeps_what_stands_quotes_what_is_near_and_counts_the_rest() {
    let right = "In 2021, Vega Pier had a harbour tariff of 38 dollars.";
    let wrong = "In 2021, Orion Pier had a harbour tariff of 99 dollars.";
    let sentences = || vec![fact(right, &[2]), fact(wrong, &[1]), fact("Lyra Quay had 77 cranes.", &[3])];
    let quoted = format!("“{}”", QUOTES[0].0);
    let (told, replaced, left_out) = section_of(true, sentences());
    assert_eq!(told, [(right.to_owned(), ids(&[2])), (quoted, ids(&[1]))]);
    assert_eq!((replaced, left_out), (1, 1));
    // A quotation that another sentence tells is not told twice.
    let same = "In 2021, Orion Pier had a harbour tariff of 45.5 dollars.";
    let (told, replaced, left_out) = section_of(true, vec![fact(wrong, &[1]), fact(same, &[1])]);
    assert_eq!(told, [(same.to_owned(), ids(&[1]))]);
    assert_eq!((replaced, left_out), (0, 1));
    // A run of earlier rules keeps them.
    assert_eq!(section_of(false, sentences()).0.len(), 3);
}
