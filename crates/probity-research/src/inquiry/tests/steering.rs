//! Whole inquiries whose user says something on the way.

use probity_types::inquiry::{FacetId, SteeringNote, WantedFacet};

use super::{
    WINDOW,
    world::{InquiryWorld, WorldTest, plan},
};
use crate::{
    cost::MicroUsd,
    error::Code,
    event::{Event, StoredEvent},
    inquiry::{InquiryStage, steering::FACETS_ADDED_MAX},
    react::RunFinish,
    state::RunState,
    stop::RunStop,
    web::{
        record::WebStop,
        strategy::StrategyLevel,
        task::{WebRequest, WebTask},
    },
};

const ADDED: &str = "What is known of topic9 at the plants?";
const OWN_PAGE: &str = "https://mine.example/topic0";
const FIRST_SITE: &str = "topic0plants0.example";

/// Each stage of the first round, and the last moment before writing.
const MOMENTS: [(&str, WorldTest); 7] = [
    ("brief", |world| is_at(world, InquiryStage::Brief, 1)),
    ("search", |world| is_at(world, InquiryStage::Search, 1)),
    ("page", |world| is_at(world, InquiryStage::Page, 1)),
    ("survey", |world| is_at(world, InquiryStage::Survey, 1)),
    ("outline", |world| is_at(world, InquiryStage::Outline, 1)),
    ("line", |world| is_at(world, InquiryStage::Line, 2)),
    ("last survey", |world| is_at(world, InquiryStage::Survey, 2)),
];

fn has_read(finish: &RunFinish, url: &str) -> bool {
    let record = finish.report.as_ref().unwrap().web.as_ref().unwrap();
    record.pages.iter().any(|page| page.record.final_url == url)
}

fn is_at(world: &InquiryWorld, stage: InquiryStage, round: u32) -> bool {
    let gathering = world.research.web_state.as_ref().unwrap();
    world.inquiry().stage == stage && gathering.attempt == round
}

/// With a budget that carries more than was planned: what is added has its price.
fn world(level: StrategyLevel) -> InquiryWorld {
    InquiryWorld::new(plan(level, Some(150_000), WINDOW), Some(MicroUsd(1_000_000_000)))
}

fn told(level: StrategyLevel, when: WorldTest, note: SteeringNote) -> (InquiryWorld, RunFinish) {
    let mut world = world(level);
    world.replays = level == StrategyLevel::Shallow;
    world.says = vec![(when, note)];
    let (world, finish) = world.run();
    assert!(world.says.is_empty(), "the moment never came");
    assert_eq!(finish.stop, RunStop::Completed);
    (world, finish)
}

fn text(finish: &RunFinish) -> &str {
    &finish.report.as_ref().unwrap().text
}

fn add(question: &str) -> SteeringNote {
    SteeringNote::AddFacet { question: question.to_owned() }
}

fn page(url: &str) -> SteeringNote {
    SteeringNote::AddPage { url: url.to_owned() }
}

fn ban(site: &str) -> SteeringNote {
    SteeringNote::BanSite { site: site.to_owned() }
}

fn second() -> SteeringNote {
    SteeringNote::DropFacet { facet: FacetId(2) }
}

#[test]
fn a_part_that_is_added_is_searched_read_and_written_whenever_it_is_added() {
    for (name, when) in MOMENTS {
        let (world, finish) = told(StrategyLevel::Medium, when, add(ADDED));
        assert!(text(&finish).contains("The topic9 figure"), "{name}: {}", text(&finish));
        let gathering = world.research.web_state.as_ref().unwrap();
        assert!(gathering.queries.iter().any(|asked| asked.question == ADDED), "{name}");
        assert_eq!(world.inquiry().facets.len(), 6, "{name}");
    }
}

#[test]
fn a_part_that_is_left_out_is_searched_no_further_and_has_no_section() {
    let is_its_search = |ask: &WebRequest| match ask {
        WebRequest::Search(call) => call.query.starts_with("topic1 "),
        _ => false,
    };
    let (world, finish) = told(StrategyLevel::Medium, MOMENTS[1].1, second());
    assert_eq!(world.asked.iter().filter(|call| is_its_search(&call.ask)).count(), 0);
    assert!(!text(&finish).contains("The topic1 figure"), "{}", text(&finish));
    assert!(text(&finish).contains("Not searched to its end, as the user wished"), "{}", text(&finish));
    let open = world.inquiry().unanswered.iter().any(|asked| asked.contains("topic1"));
    assert!(!open, "{:?}", world.inquiry().unanswered);

    // Found and not yet bound: no section. Bound: what is there stays, and no line follows it up.
    let (_, finish) = told(StrategyLevel::Medium, MOMENTS[4].1, second());
    assert!(!text(&finish).contains("The topic1 figure"), "{}", text(&finish));
    let (world, finish) = told(StrategyLevel::Medium, MOMENTS[5].1, second());
    assert!(text(&finish).contains("The topic1 figure"), "{}", text(&finish));
    let lines = world.asked.iter().filter(|call| match call.task {
        WebTask::Line { facet, .. } => facet == FacetId(2),
        _ => false,
    });
    assert_eq!(lines.count(), 0);
}

#[test]
fn pages_of_a_banned_site_are_neither_read_nor_cited_from_then_on() {
    let being_read: WorldTest = |world| {
        let gathering = world.research.web_state.as_ref().unwrap();
        let is_it = |page: &u32| {
            let page = gathering.pages.get(usize::try_from(*page).unwrap()).unwrap();
            page.metadata.record.final_url.contains(FIRST_SITE)
        };
        let survey = |task: &WebTask| match task {
            WebTask::Survey { page } => is_it(page),
            _ => false,
        };
        gathering.open.iter().any(survey)
    };
    let moments = MOMENTS.into_iter().take(4).chain([("being read", being_read)]);
    for (name, when) in moments {
        let (world, finish) = told(StrategyLevel::Medium, when, ban(FIRST_SITE));
        let report = finish.report.as_ref().unwrap();
        assert!(!report.sources.iter().any(|source| source.url.contains(FIRST_SITE)), "{name}");
        let gathering = world.research.web_state.as_ref().unwrap();
        let cites = |page: u32| {
            let page = gathering.pages.get(usize::try_from(page).unwrap()).unwrap();
            page.metadata.record.final_url.contains(FIRST_SITE)
        };
        assert!(!world.inquiry().bank.quotes.iter().any(|quote| cites(quote.page)), "{name}");
        assert!(report.text.contains("were left out from some point on"), "{name}: {}", report.text);
    }
    // Without the note that page is the first to be read.
    let (finished, _) = world(StrategyLevel::Medium).run();
    let is_fetched = |ask: &WebRequest| match ask {
        WebRequest::Page { url, .. } => url.contains(FIRST_SITE),
        _ => false,
    };
    assert!(finished.asked.iter().any(|call| is_fetched(&call.ask)));
}

#[test]
fn a_page_that_the_user_names_is_read_next_whenever_it_is_named() {
    let url_of = |ask: &WebRequest| match ask {
        WebRequest::Page { url, .. } => Some(url.clone()),
        _ => None,
    };
    for (name, when) in MOMENTS {
        let (world, finish) = told(StrategyLevel::Medium, when, page(OWN_PAGE));
        let said = *world.said_after.first().unwrap();
        let next = world.asked.iter().skip(said).find_map(|call| url_of(&call.ask));
        assert_eq!(next.as_deref(), Some(OWN_PAGE), "{name}");
        assert!(has_read(&finish, OWN_PAGE), "{name}");
    }
    for (name, when) in MOMENTS.into_iter().take(4) {
        let (_, finish) = told(StrategyLevel::Shallow, when, page(OWN_PAGE));
        assert!(has_read(&finish, OWN_PAGE), "{name}");
    }
}

#[test]
fn finishing_now_writes_from_what_there_is_and_says_so() {
    let gathers = |ask: &WebRequest| {
        !matches!(ask, WebRequest::Section(_) | WebRequest::Synthesis(_) | WebRequest::Front(_))
    };
    for (name, when) in MOMENTS.into_iter().skip(3) {
        let (world, finish) = told(StrategyLevel::Medium, when, SteeringNote::FinishNow);
        let said = *world.said_after.first().unwrap();
        let later: Vec<_> =
            world.asked.iter().skip(said).filter(|call| gathers(&call.ask)).map(|call| call.task).collect();
        assert!(later.is_empty(), "{name}: {later:?}");
        assert!(world.inquiry().is_written(), "{name}");
        let report = finish.report.unwrap();
        assert!(report.text.contains("ended early, as its user wished"), "{name}: {}", report.text);
        assert_eq!(report.web.unwrap().stop, WebStop::Finished, "{name}");
    }
    // Calls under way are finished and count, whatever they are.
    let under_way: [WorldTest; 3] = [
        |world| is_open(world, |task| matches!(task, WebTask::Survey { .. })),
        |world| is_open(world, |task| matches!(task, WebTask::Outline { .. })),
        |world| is_open(world, |task| matches!(task, WebTask::Line { .. })),
    ];
    for when in under_way {
        let (world, finish) = told(StrategyLevel::Medium, when, SteeringNote::FinishNow);
        assert_eq!(finish.report.unwrap().web.unwrap().stop, WebStop::Finished);
        assert!(world.inquiry().is_written());
    }
}

fn is_open(world: &InquiryWorld, is_it: fn(&WebTask) -> bool) -> bool {
    world.research.web_state.as_ref().unwrap().open.iter().any(is_it)
}

#[track_caller]
fn check_refused(research: &RunState, note: &SteeringNote, code: Code, words: &str) {
    let problem = research.steering_refusal(note).unwrap();
    assert_eq!(problem.code, code, "{}", problem.message);
    assert!(problem.message.contains(words), "{}", problem.message);
}

#[test]
fn a_note_that_cannot_be_used_is_refused_in_plain_words() {
    let begun = world(StrategyLevel::Medium).research;
    let check = |note: &SteeringNote, words| check_refused(&begun, note, Code::InvalidArguments, words);
    check(&SteeringNote::FinishNow, "nothing was read yet");
    check(&second(), "not known yet");
    check(&add(" "), "no words");
    check(&add(&"long ".repeat(60)), "at most 240 characters");
    check(&ban("nowhere"), "no site");
    check(&page("file:///etc/passwd"), "no address of a page");

    let mut running = world(StrategyLevel::Medium).run_until(MOMENTS[3].1).research;
    let check = |note: &SteeringNote, words| check_refused(&running, note, Code::InvalidArguments, words);
    check(&SteeringNote::DropFacet { facet: FacetId(9) }, "no part F9; the parts are F1 to F5");
    check(&add("What is known of topic1 at the plants?"), "F2 asks that already");
    check(&page(&format!("https://{FIRST_SITE}/topic0")), "fetched already");
    let mut say = |note: SteeringNote| {
        assert_eq!(running.steering_refusal(&note), None, "{note}");
        let sequence = running.sequence.next();
        let at = running.updated_at;
        running.apply(&StoredEvent { sequence, at, attended_ms: 0, event: Event::Steered { note } }).unwrap();
    };
    for number in 0..FACETS_ADDED_MAX {
        say(add(&format!("What is known of topic{} at the plants?", number + 20)));
    }
    say(ban("bad.example"));
    for facet in 1..=6 {
        say(SteeringNote::DropFacet { facet: FacetId(facet) });
    }
    let check = |note: &SteeringNote, words| check_refused(&running, note, Code::InvalidArguments, words);
    check(&add("one more thing"), "2 parts were added already");
    check(&ban("bad.example"), "left out already");
    check(&page("https://www.bad.example/x"), "as you wished");
    check(&second(), "F2 is left out already");
    check(&SteeringNote::DropFacet { facet: FacetId(7) }, "the only part left");

    let writing: WorldTest = |world| world.inquiry().stage == InquiryStage::Section;
    let writing = world(StrategyLevel::Medium).run_until(writing).research;
    check_refused(&writing, &ban("bad.example"), Code::AlreadyEnded, "is being written");
    let (ended, _) = world(StrategyLevel::Shallow).run();
    check_refused(&ended.research, &SteeringNote::FinishNow, Code::AlreadyEnded, "has ended");
}

#[test]
fn parts_that_the_user_names_beforehand_come_first_and_are_kept() {
    let own =
        |question: &str, query: &str| WantedFacet { question: question.to_owned(), query: query.to_owned() };
    let planned = || {
        let mut web = plan(StrategyLevel::Medium, Some(150_000), WINDOW);
        let facets = vec![own(ADDED, "topic9 beforehand"), own("What is known of topic8 at the plants?", "")];
        web.inquiry = web.inquiry.map(|inquiry| inquiry.with_facets(facets));
        InquiryWorld::new(web, Some(MicroUsd(1_000_000_000)))
    };
    let (world, finish) = planned().run();
    assert_eq!(finish.stop, RunStop::Completed);
    let WebRequest::Brief(ask) = &world.asked.first().unwrap().ask else { panic!("no brief") };
    assert_eq!((ask.facets_min, ask.facets_max, ask.wanted.len()), (1, 3, 2));
    let gathering = world.research.web_state.as_ref().unwrap();
    assert_eq!(gathering.queries.first().unwrap().query, "topic9 beforehand");
    assert_eq!(world.inquiry().facets.len(), 5);
    assert!(text(&finish).contains("The topic9 figure") && text(&finish).contains("The topic8 figure"));

    // Where no brief comes, they are all that is looked into; a budget makes no plan without them.
    let mut failing = planned();
    failing.refuse = vec![(|task| *task == WebTask::Brief, Code::BadRequest, 2)];
    let (world, _) = failing.run();
    assert_eq!(world.inquiry().facets.len(), 2);
    let inquiry = planned().research.plan.web.unwrap().inquiry.unwrap();
    assert_eq!(inquiry.within(MicroUsd(1), MicroUsd(0)).0.caps.lines, 2);
}

#[test]
fn an_engine_that_takes_no_notes_says_so() {
    let mut first_engine = plan(StrategyLevel::Medium, Some(150_000), WINDOW);
    first_engine.inquiry = None;
    let research = InquiryWorld::new(first_engine, None).research;
    check_refused(&research, &SteeringNote::FinishNow, Code::InvalidArguments, "is searched in parts");
    let agent = crate::fixture::replay("asked intended started");
    check_refused(&agent, &SteeringNote::FinishNow, Code::InvalidArguments, "only the web engine");
}
