//! Further questions on a finished run: what they begin with, and what is not done again.

use std::collections::BTreeMap;

use super::{QUESTION, World, is_page, is_search, plan};
use crate::{
    cost::{Cost, MicroUsd},
    event::Event,
    id::{Digest, RunId},
    plan::{Plan, RunLimits},
    query::Query,
    report::Report,
    rounds::{Mode, RoundsPlan},
    spending::start_key,
    stop::RunStop,
    web::{
        page::{Extract, Provenance},
        parent::{FollowUpKind, ParentBank},
        plan::WebPlan,
        record::WebStop,
        strategy::{Strategy, StrategyLevel},
        take_over::{parent_bank, stored_pages},
        task::{WebRequest, WebTask},
    },
};

/// A finished run and its report.
fn parent() -> (World, Report) {
    let (world, finish) = World::new(plan(StrategyLevel::Shallow, Some(false)), None).run();
    (world, finish.report.unwrap())
}

fn texts(world: &World) -> BTreeMap<Digest, Extract> {
    let stored = stored_pages(&world.research).into_iter().map(|page| page.extract);
    stored.map(|digest| (digest, Extract::decode(world.blobs.get(&digest).unwrap()).unwrap())).collect()
}

fn bank(question: &str, kind: FollowUpKind) -> ParentBank {
    let (world, report) = parent();
    parent_bank(&world.research, &report, &texts(&world), question, kind)
}

/// Nobody searches for an answer.
fn answer_plan(model: Option<bool>) -> WebPlan {
    let strategy = Strategy {
        max_attempts: 1,
        queries: 0,
        top_pages: 0,
        ..Strategy::of(StrategyLevel::Shallow, "the test says so")
    };
    WebPlan { strategy, providers: Vec::new(), ..plan(StrategyLevel::Shallow, model) }
}

fn child(bank: ParentBank, web: WebPlan) -> World {
    let mut world = World::new(WebPlan { parent: Some(Box::new(bank)), ..web }, None);
    world.research.plan.follows = Some(RunId::from_random(9));
    world
}

#[test]
fn an_answer_is_written_in_one_call_from_quotations_that_stand_on_stored_pages() {
    let (world, report) = parent();
    let texts = texts(&world);
    let bank = parent_bank(&world.research, &report, &texts, QUESTION, FollowUpKind::Ask);
    assert_eq!((bank.pages.len(), bank.pages_quoted()), (4, 4));
    for page in &bank.pages {
        let text = &texts.get(&page.metadata.extract).unwrap().text;
        for quote in &page.quotes {
            assert_eq!(text.get(quote.start..quote.end), Some(quote.text.as_str()));
        }
    }
    let (child, finish) = child(bank, answer_plan(Some(false))).run();
    let tasks: Vec<WebTask> = child.asked.iter().map(|call| call.task).collect();
    assert_eq!(tasks, [WebTask::Write], "one writing call, and nothing else");
    assert_eq!((finish.stop, finish.cost), (RunStop::Completed, Cost::FromUsage(MicroUsd(5_000))));
    let report = finish.report.unwrap();
    assert_eq!((report.sources.len(), report.citations.len()), (4, 4), "{}", report.text);
    let again = format!("probity follow-up {} --search", RunId::from_random(9));
    assert!(report.text.contains("nothing was searched") && report.text.contains(&again), "{}", report.text);
    assert_eq!(report.web.unwrap().stop, WebStop::Enough);
}

#[test]
fn without_a_model_the_answer_is_made_of_the_parents_quotations() {
    let bank = bank(QUESTION, FollowUpKind::Ask);
    let (child, finish) = child(bank, answer_plan(None)).run();
    assert!(child.asked.is_empty());
    let text = finish.report.unwrap().text;
    assert!(text.contains("no language model wrote it") && text.contains("fell in 1940"), "{text}");
}

#[test]
fn a_question_that_no_stored_page_says_anything_on_has_no_bank() {
    let nothing = bank("Which quokka ate the zebrafish?", FollowUpKind::Ask);
    assert_eq!((nothing.pages.len(), nothing.quotations()), (0, 0));
    // Another form of a word is the same word.
    assert!(bank("Any bridges?", FollowUpKind::Ask).quotations() > 0);
}

#[test]
fn a_search_begins_with_what_was_read_and_fetches_and_reads_none_of_it_again() {
    let bank = bank(QUESTION, FollowUpKind::Search);
    assert!(bank.quotations() > 0 && !bank.told.is_empty());
    let known: Vec<String> = bank.pages.iter().map(|page| page.metadata.record.final_url.clone()).collect();
    let (child, finish) = child(bank, plan(StrategyLevel::Shallow, Some(false))).run();
    assert_eq!(finish.stop, RunStop::Completed);
    assert!(child.count(is_search) > 0 && child.count(is_page) > 0);
    let gathered = child.research.web_state.as_ref().unwrap();
    for call in &child.asked {
        match &call.ask {
            WebRequest::Page { url, .. } => assert!(!known.contains(url), "{url} was fetched again"),
            WebRequest::Write(ask) => {
                assert!(ask.notes.len() > known.len(), "what was known and what was found");
                assert!(ask.context.as_ref().unwrap().contains("Do not tell it again"), "{:?}", ask.context);
            }
            _ => {}
        }
        if let WebTask::Read { page } = call.task {
            assert!(!gathered.is_parents(page), "page {page} was read again");
        }
    }
    assert!(finish.report.unwrap().text.contains("were not fetched again"));
}

#[test]
fn what_was_told_comes_again_only_where_the_question_is_about_it() {
    let other = bank("Which quokka ate the zebrafish?", FollowUpKind::Search);
    assert_eq!(
        (other.pages.len(), other.quotations()),
        (4, 0),
        "its pages are known, and nothing of them is told"
    );
    assert!(bank(QUESTION, FollowUpKind::Search).quotations() > 0);
}

#[test]
fn files_of_the_users_own_are_not_taken_over() {
    let (mut world, report) = parent();
    let gathering = world.research.web_state.as_mut().unwrap();
    for page in &mut gathering.pages {
        page.metadata.record.provenance = Provenance::LocalFile;
    }
    let bank = parent_bank(&world.research, &report, &BTreeMap::new(), QUESTION, FollowUpKind::Ask);
    assert!(stored_pages(&world.research).is_empty() && bank.pages.is_empty());
}

#[test]
fn the_same_question_on_the_same_research_is_the_same_start() {
    let key = |web: WebPlan, follows: u128| {
        let limits = RunLimits::new(std::time::Duration::from_secs(60), None);
        let plan = Plan::for_web(RoundsPlan::new(Mode::DeepResearch, 1), web, limits);
        let plan = Plan { follows: Some(RunId::from_random(follows)), ..plan };
        start_key(&Query::parse(QUESTION).unwrap(), &plan)
    };
    let with = |bank: ParentBank| WebPlan { parent: Some(Box::new(bank)), ..answer_plan(None) };
    let ask = bank(QUESTION, FollowUpKind::Ask);
    let fewer = ParentBank { pages: Vec::new(), ..ask.clone() };
    assert_eq!(key(with(ask.clone()), 1), key(with(fewer), 1), "what is stored may have changed in between");
    assert_ne!(key(with(ask.clone()), 1), key(with(ask.clone()), 2));
    assert_ne!(key(with(ask.clone()), 1), key(with(ParentBank { kind: FollowUpKind::Search, ..ask }), 1));
}

#[test]
fn a_follow_up_is_written_so_that_an_older_probity_leaves_it_alone() {
    let limits = RunLimits::new(std::time::Duration::from_secs(60), None);
    let web = WebPlan { parent: Some(Box::new(bank(QUESTION, FollowUpKind::Ask))), ..answer_plan(None) };
    let plan = Plan::for_web(RoundsPlan::new(Mode::DeepResearch, 1), web, limits);
    let event = Event::Asked { query: Query::parse(QUESTION).unwrap(), plan };
    assert_eq!(event.version(), 10);
    assert_eq!(Event::decode(10, &event.encode().unwrap()).unwrap(), event);
}
