//! What disagreements and doubts lead to in a whole inquiry.

use probity_types::inquiry::{
    NewNode, NodeId, OutlineAnswer, OutlineOperation, QuoteId, QuoteRole, TypedFact,
};

use super::{
    InquiryPlan, WINDOW,
    world::{InquiryWorld, plan},
};
use crate::{
    inquiry::{
        InquiryPart, InquiryState,
        bank::{BankQuote, PageFacts},
        conflict::{self, Sameness},
        requests::RequestContext,
    },
    web::strategy::StrategyLevel,
};

/// Whether a disagreement was found, and whether it was searched for by its own words.
fn seen(edition: u32) -> (bool, bool) {
    let mut web = plan(StrategyLevel::Medium, Some(150_000), WINDOW);
    web.inquiry.as_mut().unwrap().edition = edition;
    let mut world = InquiryWorld::new(web, None);
    world.disputes = true;
    let (world, _) = world.run();
    let asked: Vec<&str> =
        world.research.web_state.as_ref().unwrap().queries.iter().map(|asked| asked.query.as_str()).collect();
    let conflicts = &world.inquiry().conflicts;
    let searched = conflicts
        .iter()
        .any(|conflict| conflict.queries().iter().any(|query| asked.contains(&query.as_str())));
    (!conflicts.is_empty(), searched)
}

#[test]
fn a_disagreement_is_searched_for_by_its_own_words() {
    assert_eq!(seen(2), (true, true));
    // A run that was begun under earlier rules keeps them.
    assert_eq!(seen(1), (true, false));
}

/// Two pages in two languages on one thing in one year, of which a reader looked into the first; both in one section.
fn inquiry_in_two_languages(without: Vec<InquiryPart>) -> InquiryState {
    let whole = InquiryPlan::new(StrategyLevel::Deep, None, None, WINDOW);
    let mut inquiry = InquiryState::begin(&InquiryPlan { without, ..whole });
    let fact = TypedFact {
        entity: "Orion Pier".to_owned(),
        attribute: "crane rent".to_owned(),
        value: "80".to_owned(),
        unit: "crowns".to_owned(),
        period: "2023".to_owned(),
        as_of: String::new(),
    };
    let texts = [
        ("In 2023 the crane rent of Orion Pier was 80 crowns.", vec![fact]),
        ("Für Orion Pier galten 2023 als Kranmiete 95 Kronen.", Vec::new()),
    ];
    for (page, (text, facts)) in (0..).zip(texts) {
        inquiry.bank.pages.push(PageFacts { origin: inquiry.bank.pages.len(), ..PageFacts::default() });
        inquiry.bank.quotes.push(BankQuote {
            page,
            start: 0,
            end: text.len(),
            text: text.to_owned(),
            key: text.to_owned(),
            facets: Vec::new(),
            role: QuoteRole::Finding,
            facts,
            round: 1,
            home: None,
            copy_of: None,
            second_hand: false,
        });
    }
    let new =
        NewNode { heading: "Rents".to_owned(), quotes: vec![QuoteId(1), QuoteId(2)], ..NewNode::default() };
    let operations = vec![OutlineOperation::Add { parent: None, new }];
    inquiry.take_outline(&OutlineAnswer { operations, met: Vec::new() });
    inquiry
}

#[test]
fn a_writer_is_shown_what_may_disagree_and_told_that_it_only_may() {
    let listed = |without: &[InquiryPart]| -> Vec<(bool, usize)> {
        let inquiry = inquiry_in_two_languages(without.to_vec());
        let requests =
            RequestContext { inquiry: &inquiry, question: "Rents?", context: None, today: "2026-11-17" };
        let conflicts = requests.section(NodeId(1)).conflicts;
        conflicts.iter().map(|conflict| (conflict.is_suspected, conflict.sides.len())).collect()
    };
    assert_eq!(listed(&[]), [(true, 2)]);
    assert!(listed(&[InquiryPart::Conflicts]).is_empty());
}

/// Whether a section that has only the second side of a disagreement tells both, where no model writes it.
fn told_by_second_side(edition: u32) -> bool {
    let mut inquiry = inquiry_in_two_languages(Vec::new());
    inquiry.plan.edition = edition;
    let first = inquiry.bank.quotes[0].facts[0].clone();
    inquiry.bank.quotes[1].facts = vec![TypedFact { value: "95".to_owned(), ..first }];
    // No section took the first side.
    inquiry.bank.quotes[0].home = None;
    inquiry.outline.nodes[0].quotes.retain(|id| *id == QuoteId(2));
    inquiry.conflicts = conflict::find(&inquiry.bank, &[], Sameness::Wording);
    assert_eq!(inquiry.conflicts.len(), 1);
    inquiry.quote_section(NodeId(1));
    let section = inquiry.sections.get(&NodeId(1)).unwrap();
    let cited = section.cited();
    section.sentences().any(|sentence| sentence.text.starts_with("Sources disagree: "))
        && cited.contains(&QuoteId(1))
        && cited.contains(&QuoteId(2))
}

#[test]
fn a_disagreement_is_told_by_whichever_side_has_a_home_and_without_a_writer_too() {
    assert!(told_by_second_side(4));
    // A run that was begun under earlier rules keeps them.
    assert!(!told_by_second_side(3));
}
