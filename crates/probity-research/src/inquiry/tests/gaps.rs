//! What whole reports call missing, and what their fronts cite.

use probity_types::inquiry::{FacetId, QuoteId, RequirementKind, WantedFacet};

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
        facet::{ChecklistItem, RequirementStatus},
    },
    report::ReportPhrases,
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
fn every_part_of_the_question_is_told_quoted_or_named() {
    let (world, _) = run(StrategyLevel::Medium, Some(150_000), None);
    let mut inquiry = world.inquiry().clone();
    let wanted =
        |text: &str, kind| ChecklistItem { text: text.to_owned(), kind, status: RequirementStatus::Open };
    inquiry.checklist = vec![
        wanted("Write the report in English.", RequirementKind::Content),
        wanted("Include a table of the guest tariff of Orion Wharf in 2022.", RequirementKind::Format),
        wanted("the spring depth of Vega Pier in 2022", RequirementKind::Content),
    ];
    // One page has the last of them, and no sentence tells it.
    let quote = inquiry.bank.usable().next().unwrap().0.index().unwrap();
    inquiry.bank.quotes[quote].text = "In 2022 the spring depth of Vega Pier was 17.5 metres.".to_owned();
    inquiry.bank.quotes[quote].facts.clear();
    let report = composed(&world, &inquiry);
    let found = report.text.split_once("## Also found\n").unwrap().1;
    assert!(found.contains("“In 2022 the spring depth of Vega Pier was 17.5 metres.” ["), "{}", report.text);
    // Nobody searched for the table.
    let unsearched = report.text.split_once("## Not looked up\n").unwrap().1;
    assert!(unsearched.contains("- the guest tariff of Orion Wharf in 2022\n"), "{}", report.text);
    assert!(!report.text.contains("Write the report") && report.has_gaps, "{}", report.text);
    inquiry.plan.edition = 3;
    assert!(!composed(&world, &inquiry).text.contains("## Also found"), "a run keeps its rules");
}

#[test]
fn an_instruction_is_no_heading() {
    let (world, _) = run(StrategyLevel::Medium, Some(150_000), None);
    let mut inquiry = world.inquiry().clone();
    let written = *inquiry.sections.keys().next().unwrap();
    let node = &mut inquiry.outline.nodes[written.index().unwrap()];
    node.heading = "Where sources disagree, show both sides.".to_owned();
    let report = composed(&world, &inquiry);
    assert!(!report.text.contains("show both sides"), "{}", report.text);
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
fn a_part_for_which_only_others_were_found_says_that_nothing_was() {
    let (world, _) = run(StrategyLevel::Medium, Some(150_000), None);
    let mut inquiry = world.inquiry().clone();
    // No model wrote, and whatever a search for the second part returned tells of the first alone.
    inquiry.sections.clear();
    let question = inquiry.facets[0].question.clone();
    let word = question.split_whitespace().find(|word| word.starts_with("topic")).unwrap();
    for quote in inquiry.bank.quotes.iter_mut().filter(|quote| quote.facets.first() == Some(&FacetId(2))) {
        quote.text = format!("The {word} figure of Orion was 5 MW.");
    }
    let report = composed(&world, &inquiry);
    let heading = format!("## {}\n", inquiry.facets[1].question);
    let section = report.text.split_once(&heading).unwrap().1;
    assert!(section.trim_start().starts_with("> Nothing was found for this part."), "{}", report.text);
    assert!(report.has_gaps);
    let first = report.text.split_once(&format!("## {question}\n")).unwrap().1;
    assert!(first.contains("figure of Orion was 5 MW."), "{}", report.text);
}

#[test]
fn the_programs_own_words_are_in_the_language_of_the_report() {
    let (world, _) = run(StrategyLevel::Medium, Some(150_000), None);
    let mut inquiry = world.inquiry().clone();
    inquiry.language = Some("de".to_owned());
    inquiry.unanswered = vec!["the winter vibration of Fenumholt Terminal".to_owned()];
    let report = composed(&world, &inquiry);
    for words in
        ["## Quellen\n", "## Von den Quellen nicht beantwortet\n", "- Nicht gefunden: ", "Suchanfragen: "]
    {
        assert!(report.text.contains(words), "{words}: {}", report.text);
    }
    for words in ["## Sources", "Not found", "Looked for with", "(no source)"] {
        assert!(!report.text.contains(words), "{words}: {}", report.text);
    }
}

#[test]
fn the_sources_are_those_that_a_sentence_cites() {
    let (_, finish) = run(StrategyLevel::Medium, Some(150_000), None);
    let report = finish.report.unwrap();
    let cited: std::collections::BTreeSet<usize> =
        report.citations.iter().map(|citation| citation.source).collect();
    assert_eq!(cited.len(), report.sources.len());
    assert!(report.web.unwrap().pages.len() >= cited.len());
}

#[test]
fn remarks_are_in_the_language_of_the_report() {
    let (world, _) = run(StrategyLevel::Medium, Some(150_000), None);
    let mut inquiry = world.inquiry().clone();
    inquiry.distrusted = 2;
    let gathering = world.research.web_state.as_ref().unwrap();
    let told =
        |language: &str| compose::remarks(gathering, &inquiry, &ReportPhrases::of(Some(language))).join(" ");
    assert!(told("en").contains("On 2 pages the reading model returned"), "{}", told("en"));
    assert!(told("de").contains("nach Regeln gelesen wurden: 2."), "{}", told("de"));
    assert!(!told("de").contains("the reading model"), "{}", told("de"));
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
