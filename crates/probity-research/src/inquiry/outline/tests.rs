//! Operations on an outline, and the outline that is written from.

use probity_types::inquiry::{FacetId, NewNode, NodeId, OutlineOperation, QuoteId, QuoteRole};

use super::Outline;
use crate::{
    inquiry::{
        bank::{Bank, BankQuote, PageFacts},
        facet::Facet,
        plan::InquiryPlan,
    },
    web::strategy::StrategyLevel,
};

fn bank(facets: &[u32]) -> Bank {
    let quote = |(place, facet): (usize, &u32)| BankQuote {
        page: u32::try_from(place).unwrap(),
        start: 0,
        end: 10,
        text: format!("quotation {place} says things about part {facet}"),
        key: format!("{place}"),
        facets: vec![FacetId(*facet)],
        role: QuoteRole::Finding,
        facts: Vec::new(),
        round: 1,
        home: None,
        copy_of: None,
        second_hand: false,
    };
    Bank {
        quotes: facets.iter().enumerate().map(quote).collect(),
        pages: (0..facets.len()).map(|origin| PageFacts { origin, ..PageFacts::default() }).collect(),
        ..Bank::default()
    }
}

fn add(heading: &str, quotes: &[u32]) -> OutlineOperation {
    let quotes = quotes.iter().copied().map(QuoteId).collect();
    let new = NewNode { heading: heading.to_owned(), quotes, ..NewNode::default() };
    OutlineOperation::Add { parent: None, new }
}

fn shown(outline: &Outline) -> String {
    let lines = outline.in_order().into_iter().map(|id| {
        let node = outline.get(id).unwrap();
        let quotes: Vec<String> = node.quotes.iter().map(ToString::to_string).collect();
        let indent = if node.parent.is_some() { "  " } else { "" };
        format!("{indent}{id} {} [{}]", node.heading, quotes.join(" "))
    });
    lines.collect::<Vec<String>>().join("\n")
}

#[track_caller]
fn check(operations: Vec<OutlineOperation>, applied: usize, expected: &str) {
    let mut bank = bank(&[1, 1, 2, 2]);
    let mut outline = Outline::default();
    outline.apply(&[add("One", &[1, 2]), add("Two", &[3])], &mut bank, 5);
    assert_eq!(outline.apply(&operations, &mut bank, 5), applied);
    assert_eq!(shown(&outline), expected);
    for (place, quote) in bank.quotes.iter().enumerate() {
        let homes = outline.nodes.iter().filter(|node| node.quotes.contains(&QuoteId::at(place))).count();
        assert_eq!(homes, usize::from(quote.home.is_some()), "Q{} has {homes} homes", place + 1);
    }
}

#[test]
fn operations_change_what_they_name_and_nothing_else() {
    let (one, two) = (NodeId(1), NodeId(2));
    check(vec![], 0, "N1 One [Q1 Q2]\nN2 Two [Q3]");
    check(vec![add("Three", &[4, 1])], 1, "N1 One [Q2]\nN2 Two [Q3]\nN3 Three [Q4 Q1]");
    check(vec![add("one", &[4]), add("", &[4])], 0, "N1 One [Q1 Q2]\nN2 Two [Q3]");
    check(vec![OutlineOperation::Merge { nodes: vec![one, two] }], 1, "N1 One [Q1 Q2 Q3]");
    check(vec![OutlineOperation::Drop { node: one }], 1, "N2 Two [Q3]");
    check(vec![OutlineOperation::Drop { node: NodeId(9) }], 0, "N1 One [Q1 Q2]\nN2 Two [Q3]");
    check(
        vec![OutlineOperation::Move { node: two, parent: Some(one), position: 0 }],
        1,
        "N1 One [Q1 Q2]\n  N2 Two [Q3]",
    );
    check(
        vec![OutlineOperation::Move { node: two, parent: None, position: 0 }],
        1,
        "N2 Two [Q3]\nN1 One [Q1 Q2]",
    );
    check(
        vec![OutlineOperation::Bind { node: two, quotes: vec![QuoteId(2), QuoteId(77)] }],
        1,
        "N1 One [Q1]\nN2 Two [Q3 Q2]",
    );
    let new = |heading: &str, quotes: &[u32]| NewNode {
        heading: heading.to_owned(),
        quotes: quotes.iter().copied().map(QuoteId).collect(),
        ..NewNode::default()
    };
    check(
        vec![OutlineOperation::Split { node: one, into: vec![new("A", &[2]), new("B", &[])] }],
        1,
        "N3 A [Q2 Q1]\nN4 B []\nN2 Two [Q3]",
    );
}

#[test]
fn the_finished_outline_has_no_empty_nodes_no_more_sections_than_asked_and_its_words() {
    let facets: Vec<Facet> = (1..=9).map(|part| Facet::new(&format!("What is part {part}?"), "q")).collect();
    let numbers: Vec<u32> = (0..72).map(|place| place % 8 + 1).collect();
    let mut bank = bank(&numbers);
    let mut outline = Outline::default();
    let plan = InquiryPlan::new(StrategyLevel::Medium, None, None, 32_000);
    let empty = outline.finish(&facets, &mut bank, &plan);
    assert_eq!(empty, ["What is part 9?"]);
    assert_eq!(outline.children(None).len(), 6);
    assert!(bank.quotes.iter().all(|quote| quote.home.is_some()));
    let words: u32 = outline.units().iter().map(|id| outline.get(*id).unwrap().words).sum();
    assert!((1_300..=1_700).contains(&words), "{words}");
}

#[test]
fn words_that_are_asked_for_bound_all_sections_together() {
    let facets: Vec<Facet> = (1..=9).map(|part| Facet::new(&format!("What is part {part}?"), "q")).collect();
    let numbers: Vec<u32> = (0..72).map(|place| place % 8 + 1).collect();
    for (asked, sections, window) in [(150, 1, 32_000), (400, 2, 32_000), (600, 4, 32_000), (600, 4, 8_192)] {
        let (mut bank, mut outline) = (bank(&numbers), Outline::default());
        let plan = InquiryPlan::new(StrategyLevel::Deep, Some(asked), None, window);
        outline.finish(&facets, &mut bank, &plan);
        assert_eq!(outline.children(None).len(), sections, "{asked}");
        let words: u32 = outline.units().iter().map(|id| outline.get(*id).unwrap().words).sum();
        assert!(words <= asked && words * 2 >= asked, "{words} of {asked}");
        assert!(bank.quotes.iter().all(|quote| quote.home.is_some()));
    }
}

#[test]
fn words_that_are_asked_for_are_told_from_every_quotation() {
    let facets = vec![Facet::new("What is part 1?", "q")];
    let parts = |words: Option<u32>, edition: u32| -> Vec<usize> {
        let (mut bank, mut outline) = (bank(&[1; 50]), Outline::default());
        let mut plan = InquiryPlan::new(StrategyLevel::Deep, words, None, 128_000);
        plan.edition = edition;
        plan.words = 600;
        outline.finish(&facets, &mut bank, &plan);
        outline.units().iter().map(|id| outline.get(*id).unwrap().quotes.len()).collect()
    };
    assert_eq!(parts(Some(600), 4), [25, 25]);
    // A writer is shown forty of them.
    assert_eq!(parts(None, 4), [50]);
    assert_eq!(parts(Some(600), 3), [50], "a run that was begun before keeps its rules");
}

#[test]
fn a_small_window_gets_short_parts_with_few_quotations() {
    let facets = vec![Facet::new("What is part 1?", "q")];
    let mut bank = bank(&[1; 35]);
    let mut outline = Outline::default();
    let plan = InquiryPlan::new(StrategyLevel::Deep, None, None, 8_192);
    outline.finish(&facets, &mut bank, &plan);
    let units = outline.units();
    assert!(units.len() >= 4, "{}", units.len());
    for id in units {
        let node = outline.get(id).unwrap();
        assert!(node.quotes.len() <= 10 && node.words <= 250, "{node:?}");
    }
}
