//! What is called missing, beside what is told.

use probity_types::inquiry::{QuoteRole, TypedFact};

use super::{ToldThings, says_only_nothing, without_opener};
use crate::inquiry::bank::{Bank, BankQuote, PageFacts};

const MISSING: &str = "the timber emission of Holansund Basin in 2020";

fn told(text: &str) -> ToldThings {
    let mut told = ToldThings::default();
    told.add(text);
    told
}

#[test]
fn what_a_sentence_of_the_report_states_is_not_missing() {
    assert!(told("The timber emission at Holansund Basin stood at 272 tonnes in 2020.").has(MISSING));
    assert!(told("Timber emissions of Holansund Basin were 272 tonnes in 2020.").has(MISSING));
    for other in [
        "The timber emission at Holansund Basin stood at 272 tonnes in 2021.",
        "The timber emission at Varnum Basin stood at 272 tonnes in 2020.",
        "The steel emission at Holansund Basin stood at 272 tonnes in 2020.",
        "No source was found for the timber emission of Holansund Basin in 2020.",
    ] {
        assert!(!told(other).has(MISSING), "{other}");
    }
    // A name at the beginning is a name.
    assert!(!told("The winter vibration of Vega Terminal was 4.").has("Fenumholt Terminal winter vibration"));
}

#[test]
fn without_a_name_every_word_must_be_told() {
    assert!(told("The second phase cost 4 million.").has("cost of the second phase"));
    assert!(!told("The first phase cost 4 million.").has("cost of the second phase"));
    assert!(!told("The cost was 4 million.").has("the cost"));
}

#[test]
fn a_fact_that_a_reader_named_counts_in_whatever_language_its_page_is() {
    let mut bank = Bank { pages: vec![PageFacts::default()], ..Bank::default() };
    let text = "Holansund Basin meldete für 2020 eine Holzemission von 272 Tonnen.";
    bank.quotes.push(BankQuote {
        page: 0,
        start: 0,
        end: text.len(),
        text: text.to_owned(),
        key: text.to_lowercase(),
        facets: Vec::new(),
        role: QuoteRole::Finding,
        facts: vec![TypedFact {
            entity: "Holansund Basin".to_owned(),
            attribute: "timber emission".to_owned(),
            value: "272".to_owned(),
            ..TypedFact::default()
        }],
        round: 1,
        home: None,
        copy_of: None,
        second_hand: false,
    });
    let mut things = ToldThings::default();
    things.add_bank(&bank);
    assert!(things.has(MISSING));
    assert!(!things.has("the timber emission of Holansund Basin in 2021"));
    assert!(!things.has("the winter vibration of Holansund Basin in 2020"));
}

#[test]
fn of_a_demand_for_several_things_only_those_without_an_answer_are_missing() {
    let things = told("The length of the Orion Bridge is 40 m.");
    assert_eq!(
        things.open_parts("the length of the Orion Bridge, Vega Pier"),
        ["the length of the Vega Pier"]
    );
    assert_eq!(things.open_parts("the cost of the Orion Bridge, Vega Pier").len(), 1);
    assert!(things.open_parts("the length of the Orion Bridge").is_empty());
}

#[test]
fn a_sentence_that_only_says_that_nothing_was_found_states_nothing() {
    let nothing = "No source was found for the winter vibration of Fenumholt Terminal.";
    assert!(says_only_nothing(nothing));
    for other in [
        "No source was found for the winter, but the summer vibration was 4.",
        "No source disputes the winter vibration of 4.",
        "Nothing was foundational.",
        "The winter vibration was 4.",
    ] {
        assert!(!says_only_nothing(other), "{other}");
    }
    let missing = "the winter vibration of Fenumholt Terminal.";
    assert_eq!(without_opener(nothing), missing);
    assert_eq!(without_opener(&format!("Not found: {nothing} [3] [12]")), missing);
    assert_eq!(without_opener("the cost [EUR]"), "the cost [EUR]");
}
