//! What whole reports call missing, and what their fronts cite.

use probity_types::inquiry::{FacetId, QuoteId, WantedFacet};

use super::{
    WINDOW, run,
    world::{InquiryWorld, plan},
};
use crate::{
    error::{Code, CodedError},
    inquiry::{
        InquiryState,
        claims::{self, CitedSentence, WrittenFront},
        compose,
    },
    web::{compose::ReportComposer, conclude, record::WebStop, state::WebState, strategy::StrategyLevel},
};

const NOTHING: &str = "No source was found for the winter vibration of Fenumholt Terminal.";

fn composed(world: &InquiryWorld, inquiry: &InquiryState) -> ReportComposer {
    let research = &world.research;
    let (web, gathering) = (research.plan.web.as_ref().unwrap(), research.web_state.as_ref().unwrap());
    compose::compose(&research.query, web, gathering, inquiry, WebStop::Limit, &[])
}

#[test]
fn what_is_told_is_not_missing_and_what_is_missing_is_no_fact() {
    let (world, _) = run(StrategyLevel::Medium, Some(150_000), None);
    let mut inquiry = world.inquiry().clone();
    let told = claims::claims(inquiry.context()).remove(0);
    let elsewhere = inquiry.bank.ids().find(|id| !told.quotes.contains(id)).unwrap();
    inquiry.front = Some(WrittenFront {
        answer: vec![CitedSentence { text: NOTHING.to_owned(), quotes: vec![elsewhere] }],
        key_points: vec![CitedSentence { text: told.text.clone(), quotes: vec![elsewhere] }],
        ..WrittenFront::default()
    });
    inquiry.checklist.clear();
    inquiry.sections.values_mut().for_each(|section| section.thin.clear());
    inquiry.unanswered = vec![told.text.clone(), format!("Not found: {NOTHING}")];
    let report = composed(&world, &inquiry);
    assert_eq!(report.text.matches("Not found: ").count(), 1, "{}", report.text);
    assert!(
        report.text.contains("- Not found: the winter vibration of Fenumholt Terminal.\n"),
        "{}",
        report.text
    );
    assert!(!report.text.contains(NOTHING) && report.has_gaps);
    // The first sentence is the key point, with the citations of its section.
    let first = report.sentences.first().unwrap();
    let cited: Vec<QuoteId> =
        first.notes.iter().map(|note| QuoteId::at(usize::try_from(*note).unwrap())).collect();
    let mut expected = told.quotes.clone();
    expected.sort_unstable();
    assert_eq!(cited, expected);
}

#[test]
fn a_part_that_the_user_named_is_quoted_where_no_sentence_tells_it() {
    let mut web = plan(StrategyLevel::Medium, Some(150_000), WINDOW);
    let named = |question: &str| WantedFacet { question: question.to_owned(), query: String::new() };
    let facets = vec![named("what is known of topic9 at the plants?")];
    web.inquiry = web.inquiry.map(|inquiry| inquiry.with_facets(facets));
    let (world, _) = InquiryWorld::new(web, None).run();
    let mut inquiry = world.inquiry().clone();
    let facet = inquiry.facet_asking("what is known of topic9 at the plants?").unwrap();
    let of_part: Vec<QuoteId> = inquiry
        .bank
        .ids()
        .filter(|id| inquiry.bank.get(*id).is_some_and(|quote| quote.facets.contains(&facet)))
        .collect();
    assert!(!of_part.is_empty());
    inquiry.front = Some(WrittenFront::default());
    inquiry.synthesis.clear();
    inquiry.sections.retain(|_, section| section.cited().is_disjoint(&of_part.iter().copied().collect()));
    assert!(inquiry.is_written());
    let report = composed(&world, &inquiry);
    let heading = "## What is known of topic9 at the plants?\n";
    let section = report.text.split_once(heading).unwrap().1;
    assert!(section.trim_start().starts_with("> Quoted from the pages"), "{}", report.text);
    assert!(section.contains("topic9 figure"), "{}", report.text);
}

#[test]
fn that_every_part_has_a_quotation_is_said_only_where_it_is_so() {
    let (world, _) = run(StrategyLevel::Medium, Some(150_000), None);
    let web = world.research.plan.web.as_ref().unwrap();
    let says = |gathering: &WebState, has_gaps: bool| {
        conclude::note(web, gathering, WebStop::Enough, has_gaps)
            .unwrap()
            .contains("Every part of the question")
    };
    let gathering = world.research.web_state.as_ref().unwrap();
    assert_eq!(says(gathering, false), gathering.open_questions().is_empty());
    assert!(!says(gathering, true));
    let mut silent = gathering.clone();
    silent.model_lost = Some(CodedError::new(Code::KeyRefused, "refused"));
    assert!(!says(&silent, false));
    let mut dropped = gathering.clone();
    dropped.inquiry.as_mut().unwrap().drop_facet(FacetId(2));
    assert!(!says(&dropped, false));
}
