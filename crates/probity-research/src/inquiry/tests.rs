//! Whole inquiries in milliseconds: a scripted outside, every step as the rules decide it.

mod doubts;
mod follow_ups;
mod gaps;
mod parts;
mod patched;
mod steering;
mod world;

use std::{collections::BTreeMap, time::Duration};

use world::{CHAIN, InquiryWorld, TaskTest, plan};

use super::{InquiryCaps, InquiryPlan, bank::normalized, window::word_count};
use crate::{
    cost::MicroUsd,
    error::Code,
    plan::RunLimits,
    react::RunFinish,
    stop::{CancelReason, RunStop},
    web::{
        record::WebStop,
        strategy::StrategyLevel,
        task::{WebRequest, WebTask},
    },
};

const WINDOW: u32 = 128_000;
const LEVELS: [StrategyLevel; 4] =
    [StrategyLevel::Shallow, StrategyLevel::Medium, StrategyLevel::Deep, StrategyLevel::Exhaustive];

fn run(level: StrategyLevel, price: Option<u64>, budget: Option<u64>) -> (InquiryWorld, RunFinish) {
    InquiryWorld::new(plan(level, price, WINDOW), budget.map(MicroUsd)).run()
}

fn is_page(ask: &WebRequest) -> bool {
    matches!(ask, WebRequest::Page { .. })
}

fn is_model(ask: &WebRequest) -> bool {
    !matches!(ask, WebRequest::Page { .. } | WebRequest::Search(_) | WebRequest::Folder { .. })
}

/// The text without the list of sources and the remarks.
fn body(text: &str) -> &str {
    let ends = ["## Sources", "## About this report", "## Not answered"];
    let end = ends.iter().filter_map(|heading| text.find(heading)).min();
    text.get(..end.unwrap_or(text.len())).unwrap()
}

#[test]
fn every_depth_completes_within_its_caps_and_near_its_words() {
    for level in LEVELS {
        let (world, finish) = run(level, Some(150_000), None);
        assert_eq!(finish.stop, RunStop::Completed, "{level:?}");
        let caps = InquiryCaps::of(level);
        let gathering = world.research.web_state.as_ref().unwrap();
        let inquiry = world.inquiry();
        assert!(gathering.queries.len() <= usize::try_from(caps.queries).unwrap(), "{level:?}");
        assert!(gathering.pages.len() <= usize::try_from(caps.pages).unwrap(), "{level:?}");
        assert!(
            gathering.pages.len() * 2 >= usize::try_from(caps.pages).unwrap(),
            "{level:?} {}",
            gathering.pages.len()
        );
        assert!(inquiry.facets.len() <= usize::try_from(caps.lines).unwrap());
        assert!(inquiry.outline.children(None).len() <= usize::try_from(caps.sections).unwrap());
        assert!(gathering.attempt <= caps.rounds + caps.conflict_attempts.max(caps.lead_rounds));
        assert!(
            world.count(|ask| matches!(ask, WebRequest::Outline(_)))
                <= usize::try_from(caps.outline_rounds).unwrap()
        );
        assert_eq!(gathering.notes.len(), inquiry.bank.quotes.len());
        let report = finish.report.unwrap();
        let words = word_count(body(&report.text));
        let asked = usize::try_from(inquiry.plan.words).unwrap();
        assert!(
            words * 4 >= asked * 3 && words * 4 <= asked * 5,
            "{level:?}: {words} of {asked}\n{}",
            report.text
        );
        assert!(report.text.starts_with("# The river plants\n"), "{}", report.text);
        assert!(report.text.contains("## Key points"));
        assert!(
            !report.text.contains("77777") && !report.text.contains("4242") && !report.text.contains("9999")
        );
        assert!(!report.text.contains("no source"), "{}", report.text);
        for citation in &report.citations {
            assert!(report.text.is_char_boundary(citation.start) && citation.source < report.sources.len());
        }
        let record = report.web.unwrap();
        assert!(record.sentences.iter().all(|sentence| !sentence.notes.is_empty()));
        assert_eq!(level > StrategyLevel::Shallow, report.text.contains("Taken together: the plants differ"));
        assert_eq!(
            level > StrategyLevel::Shallow,
            record.sentences.iter().any(|sentence| sentence.inference)
        );
    }
}

#[test]
fn a_length_that_is_asked_for_is_kept_and_no_round_is_beyond_those_told() {
    for (level, asked) in [(StrategyLevel::Medium, 400_u32), (StrategyLevel::Deep, 800)] {
        let mut web = plan(level, Some(150_000), WINDOW);
        let inquiry = web.inquiry.as_mut().unwrap();
        (inquiry.words, inquiry.words_are_stated) = (asked, true);
        let (world, finish) = InquiryWorld::new(web, None).run();
        let report = finish.report.unwrap();
        let (words, asked) = (word_count(body(&report.text)), usize::try_from(asked).unwrap());
        assert!(words * 4 <= asked * 5 && words * 2 >= asked, "{words} of {asked}\n{}", report.text);
        let record = report.rounds.unwrap();
        assert!(record.iterations <= record.rounds_max);
        assert_eq!(record.rounds_max, world.inquiry().plan.rounds_max());
        let told = report.web.unwrap().strategy.max_attempts;
        assert_eq!(told, record.rounds_max, "the bound that is told is the one that holds");
    }
}

/// The queries for names that were asked, in their order, with their rounds.
fn followed(level: StrategyLevel, edition: u32) -> Vec<(String, u32)> {
    let mut web = plan(level, Some(150_000), WINDOW);
    web.inquiry.as_mut().unwrap().edition = edition;
    let mut world = InquiryWorld::new(web, None);
    world.leads = true;
    world.replays = level == StrategyLevel::Medium;
    let (world, _) = world.run();
    let gathering = world.research.web_state.as_ref().unwrap();
    let named = gathering.queries.iter().filter(|asked| CHAIN.contains(&asked.query.as_str()));
    named.map(|asked| (asked.query.clone(), asked.attempt)).collect()
}

#[test]
fn a_chain_of_names_is_followed_to_its_end_behind_the_planned_rounds() {
    let in_rounds = |rounds: &[u32]| -> Vec<(String, u32)> {
        CHAIN.iter().zip(rounds).map(|(name, round)| ((*name).to_owned(), *round)).collect()
    };
    // Two planned rounds and one for names; four and three.
    assert_eq!(followed(StrategyLevel::Medium, 1), in_rounds(&[2, 3]));
    assert_eq!(followed(StrategyLevel::Deep, 1), in_rounds(&[2, 3, 4, 5]));
    // A run that was begun under earlier rules keeps them.
    assert!(followed(StrategyLevel::Medium, 0).len() < 2);
}

#[test]
fn no_sentence_is_told_in_two_sections() {
    let (world, _) = run(StrategyLevel::Deep, Some(150_000), None);
    let mut told: BTreeMap<String, usize> = BTreeMap::new();
    for sentence in world.inquiry().sections.values().flat_map(|section| section.sentences()) {
        *told.entry(normalized(&sentence.text)).or_default() += 1;
    }
    assert!(told.len() > 50);
    assert!(told.values().all(|times| *times == 1));
}

#[test]
fn any_budget_ends_in_a_report_and_is_kept() {
    for budget in [0, 1, 1_000, 9_000, 20_000, 60_000, 200_000, 1_000_000, 50_000_000] {
        let (world, finish) = run(StrategyLevel::Medium, Some(2_000_000), Some(budget));
        let cost = finish.cost.known().unwrap();
        assert!(cost <= MicroUsd(budget), "{budget}: {cost:?}");
        // Wikipedia is free: pages are found and quoted even without a cent.
        assert_eq!(finish.stop, RunStop::Completed, "{budget}");
        let report = finish.report.unwrap();
        assert!(!report.sources.is_empty(), "{budget}");
        let written = world.inquiry().is_written();
        assert_eq!(written, budget >= 60_000, "{budget}\n{}", report.text);
    }
}

#[test]
fn a_larger_budget_never_reads_fewer_pages() {
    let pages: Vec<usize> = [100_000, 200_000, 400_000, 800_000, 1_600_000, 3_200_000]
        .into_iter()
        .map(|budget| run(StrategyLevel::Medium, Some(2_000_000), Some(budget)).0.count(is_page))
        .collect();
    assert!(pages.windows(2).all(|pair| pair[0] <= pair[1]), "{pages:?}");
}

#[test]
fn a_dearer_model_never_finds_less_without_a_budget() {
    let prices = [
        0,
        10,
        1_000,
        50_000,
        150_000,
        500_000,
        1_000_000,
        2_000_000,
        5_000_000,
        15_000_000,
        75_000_000,
        600_000_000,
    ];
    let found: Vec<(usize, usize, usize)> = prices
        .into_iter()
        .map(|price| {
            let (world, finish) = run(StrategyLevel::Medium, Some(price), None);
            let pages = world.count(is_page);
            (pages, world.inquiry().bank.quotes.len(), finish.report.unwrap().text.len())
        })
        .collect();
    assert!(found.iter().all(|one| *one == found[0]), "{found:?}");
}

#[test]
fn the_plan_shrinks_in_the_stated_order_and_never_below_the_least() {
    let whole = InquiryPlan::new(StrategyLevel::Deep, None, None, WINDOW).priced(2_000_000, 8_000_000);
    let price = whole.estimate(MicroUsd(0)).0;
    assert_eq!(whole.clone().within(MicroUsd(price), MicroUsd(0)), (whole.clone(), Vec::new()));
    let at = |percent: u64| whole.clone().within(MicroUsd(price * percent / 100), MicroUsd(0)).0.caps;
    let slightly = at(97);
    assert!(slightly.rounds < whole.caps.rounds && slightly.pages == whole.caps.pages);
    let half = at(60);
    assert!(half.rounds == 1 && half.pages < whole.caps.pages && half.sections == whole.caps.sections);
    let (least, cut) = whole.clone().within(MicroUsd(0), MicroUsd(0));
    let least = least.caps;
    assert_eq!(cut.len(), 5, "{cut:?}");
    assert_eq!((least.lines, least.rounds, least.pages, least.sections), (1, 1, 4, 1));
}

#[test]
fn the_state_is_the_same_after_every_event_replayed() {
    for level in [StrategyLevel::Shallow, StrategyLevel::Medium] {
        let mut world = InquiryWorld::new(plan(level, Some(150_000), WINDOW), None);
        world.replays = true;
        world.disputes = true;
        let (_, finish) = world.run();
        assert_eq!(finish.stop, RunStop::Completed);
    }
}

#[test]
fn a_crash_at_any_call_loses_nothing_and_pays_nothing_without_a_record() {
    for (level, every) in [(StrategyLevel::Shallow, 1), (StrategyLevel::Medium, 6)] {
        crashes(level, every);
    }
}

fn crashes(level: StrategyLevel, every: usize) {
    let (whole, _) = run(level, Some(150_000), None);
    for point in (0..whole.asked.len()).step_by(every) {
        let mut world = InquiryWorld::new(plan(level, Some(150_000), WINDOW), None);
        world.crash_after = Some(point);
        let (world, finish) = world.run();
        assert_eq!(finish.stop, RunStop::Completed, "crash at {point}");
        assert!(world.inquiry().is_written(), "crash at {point}");
        let lost = world.asked[point].clone();
        let mut times: BTreeMap<WebTask, usize> = BTreeMap::new();
        world.asked.iter().for_each(|call| *times.entry(call.task).or_default() += 1);
        let gathering = world.research.web_state.as_ref().unwrap();
        if lost.paid {
            assert!(gathering.spent.uncounted > 0, "crash at {point}: nobody recorded {:?}", lost.task);
        }
        let web = world.research.plan.web.as_ref().unwrap();
        let repeated = times.iter().filter(|(task, times)| **times > 1 && web.is_paid(task)).count();
        assert!(repeated <= usize::try_from(gathering.spent.uncounted).unwrap(), "crash at {point}");
        assert!(
            gathering.pages.len() >= whole.research.web_state.as_ref().unwrap().pages.len(),
            "crash at {point}"
        );
    }
}

#[test]
fn without_a_model_quotations_stand_by_facet() {
    let (world, finish) = run(StrategyLevel::Medium, None, None);
    assert_eq!(finish.stop, RunStop::Completed);
    assert_eq!(world.count(is_model), 0);
    let report = finish.report.unwrap();
    assert!(
        report.text.contains("no language model wrote it") && report.text.contains("“"),
        "{}",
        report.text
    );
}

#[test]
fn both_sides_of_a_conflict_stand_and_it_earns_a_line() {
    let mut world = InquiryWorld::new(plan(StrategyLevel::Medium, Some(150_000), WINDOW), None);
    world.disputes = true;
    let (world, finish) = world.run();
    let inquiry = world.inquiry();
    assert!(!inquiry.conflicts.is_empty());
    let with_conflict = |ask: &WebRequest| matches!(ask, WebRequest::Line(line) if line.conflict.is_some());
    assert!(world.asked.iter().any(|call| with_conflict(&call.ask)));
    let text = finish.report.unwrap().text;
    for conflict in &inquiry.conflicts {
        assert!(conflict.attempts <= inquiry.plan.caps.conflict_attempts);
        for side in conflict.sides.iter().take(2) {
            assert!(text.contains(&format!("was {} MW", side.value)), "{side:?}\n{text}");
        }
    }
    assert_eq!(run(StrategyLevel::Medium, Some(150_000), None).0.inquiry().conflicts.len(), 0);
}

#[test]
fn each_failure_has_its_answer() {
    let cases: [(TaskTest, &str); 7] = [
        (|task| matches!(task, WebTask::Brief), "divided by rule"),
        (|task| matches!(task, WebTask::Line { .. }), "# The river plants"),
        (|task| matches!(task, WebTask::Survey { .. }), "# The river plants"),
        (|task| matches!(task, WebTask::Outline { .. }), "# The river plants"),
        (|task| matches!(task, WebTask::Section { .. }), "The model did not write this report"),
        (|task| matches!(task, WebTask::Synthesis), "draws conclusions could not be written"),
        (|task| matches!(task, WebTask::Front), "# How do the river plants compare?"),
    ];
    for code in [Code::UnusableAnswer, Code::BadRequest, Code::Timeout] {
        for (applies, said) in &cases {
            let mut world = InquiryWorld::new(plan(StrategyLevel::Medium, Some(150_000), WINDOW), None);
            world.refuse = vec![(*applies, code, usize::MAX)];
            let (_, finish) = world.run();
            assert_eq!(finish.stop, RunStop::Completed, "{said}");
            let text = finish.report.unwrap().text;
            assert!(text.contains(said), "{code:?} {said}: {text}");
        }
    }
}

#[test]
fn one_section_that_fails_is_quoted_beside_the_others() {
    let mut world = InquiryWorld::new(plan(StrategyLevel::Medium, Some(150_000), WINDOW), None);
    world.refuse = vec![(|task| matches!(task, WebTask::Section { .. }), Code::ProviderFailed, 1)];
    let (world, finish) = world.run();
    let text = finish.report.unwrap().text;
    assert!(
        text.contains("1 part could not be written") && text.contains("> Quoted from the pages"),
        "{text}"
    );
    assert_eq!(world.inquiry().sections.values().filter(|section| section.is_quoted).count(), 1);
}

#[test]
fn a_model_that_refuses_the_key_is_not_asked_again() {
    let mut world = InquiryWorld::new(plan(StrategyLevel::Medium, Some(150_000), WINDOW), None);
    world.refuse = vec![(|task| matches!(task, WebTask::Brief), Code::KeyRefused, 1)];
    let (world, finish) = world.run();
    assert_eq!(finish.stop, RunStop::Completed);
    assert_eq!(world.count(is_model), 1);
    let summary = world.research.summary();
    assert_eq!(summary.model_problem.map(|problem| problem.code), Some(Code::KeyRefused));
    let note = summary.note.unwrap();
    assert!(note.contains("the model did not write the report (no); it is made of quotations"), "{note}");
}

#[test]
fn a_model_that_nobody_reaches_is_tried_once_more_and_then_no_longer_waited_for() {
    let mut world = InquiryWorld::new(plan(StrategyLevel::Medium, Some(150_000), WINDOW), None);
    world.refuse = vec![(|task| matches!(task, WebTask::Brief), Code::Network, usize::MAX)];
    let (world, finish) = world.run();
    assert_eq!(finish.stop, RunStop::Completed);
    assert_eq!(world.count(is_model), 2);
    assert_eq!(world.research.summary().model_problem.map(|problem| problem.code), Some(Code::Network));
    // One that answered before is asked again: the next call may reach it.
    let mut world = InquiryWorld::new(plan(StrategyLevel::Medium, Some(150_000), WINDOW), None);
    world.refuse = vec![(|task| matches!(task, WebTask::Outline { .. }), Code::Network, usize::MAX)];
    assert!(world.run().0.inquiry().is_written());
}

#[test]
fn searches_that_fail_go_to_the_next_provider_and_all_down_is_named() {
    let mut world = InquiryWorld::new(plan(StrategyLevel::Shallow, Some(150_000), WINDOW), None);
    let tavily: TaskTest =
        |task| matches!(task, WebTask::Search { provider: crate::web::ProviderName::Tavily, .. });
    world.refuse = vec![(tavily, Code::SearchFailed, usize::MAX)];
    let (world, finish) = world.run();
    assert_eq!(finish.stop, RunStop::Completed);
    assert!(world.inquiry().is_written());
    let mut world = InquiryWorld::new(plan(StrategyLevel::Medium, Some(150_000), WINDOW), None);
    world.refuse = vec![(|task| matches!(task, WebTask::Search { .. }), Code::SearchFailed, usize::MAX)];
    let (_, finish) = world.run();
    assert_eq!((finish.stop, finish.problem.unwrap().code), (RunStop::Failed, Code::SearchFailed));
}

#[test]
fn a_reader_that_invents_is_replaced_by_the_rule() {
    let mut world = InquiryWorld::new(plan(StrategyLevel::Shallow, Some(150_000), WINDOW), None);
    world.invents = true;
    let (world, finish) = world.run();
    assert!(world.inquiry().distrusted > 0 && world.inquiry().is_written());
    let report = finish.report.unwrap();
    assert!(report.text.contains("mostly words that are not there"), "{}", report.text);
    assert!(report.web.unwrap().invented > 3);
}

#[test]
fn time_that_runs_out_ends_in_sections_or_quotations() {
    // The whole time, the seconds of each batch of calls, and whether a model still wrote.
    for (minutes, seconds, written) in [(60, 20, true), (60, 120, true), (60, 400, true), (16, 245, false)] {
        let mut world = InquiryWorld::new(plan(StrategyLevel::Deep, Some(150_000), WINDOW), None);
        world.research.plan.limits = RunLimits::new(Duration::from_secs(minutes * 60), None);
        world.time_per_call = Duration::from_secs(seconds);
        let (world, finish) = world.run();
        assert_eq!(finish.stop, RunStop::Completed, "{seconds}");
        assert_eq!(world.inquiry().is_written(), written, "{seconds}");
        let stop = finish.report.unwrap().web.unwrap().stop;
        assert!(stop == WebStop::Deadline || seconds < 100, "{seconds} {stop:?}");
    }
    let mut world = InquiryWorld::new(plan(StrategyLevel::Deep, Some(150_000), WINDOW), None);
    world.time_per_call = Duration::from_secs(3_000);
    let (_, finish) = world.run();
    assert_eq!((finish.stop, finish.report.is_none()), (CancelReason::Deadline.stop(), true));
}

#[test]
fn a_model_that_never_answers_leaves_quotations_at_any_deadline() {
    for (seconds, level) in [
        (5_u64, StrategyLevel::Shallow),
        (10, StrategyLevel::Medium),
        (10, StrategyLevel::Deep),
        (600, StrategyLevel::Deep),
    ] {
        let mut world = InquiryWorld::new(plan(level, Some(150_000), WINDOW), None);
        world.research.plan.limits = RunLimits::new(Duration::from_secs(seconds), None);
        world.unanswered = Some(|task| !matches!(task, WebTask::Search { .. } | WebTask::Page { .. }));
        let (world, finish) = world.run();
        assert_eq!(finish.stop, RunStop::Completed, "{seconds} {level:?}");
        assert!(world.attention.attended <= Duration::from_secs(seconds + 4), "{:?}", world.attention);
        let text = finish.report.unwrap().text;
        assert!(text.contains("\n- “") && text.contains("divided by rule"), "{seconds} {level:?}\n{text}");
        let summary = world.research.summary();
        assert!(summary.is_cut_short, "{seconds} {level:?}");
        let note = summary.note.unwrap();
        assert!(note.contains(&format!("its time limit of {seconds} s cut it short: ")), "{note}");
    }
    let (world, _) = run(StrategyLevel::Medium, Some(150_000), None);
    assert!(!world.research.summary().is_cut_short);
}

#[test]
fn a_model_that_is_away_is_told_of_before_anything_is_read_and_once_for_each_cause() {
    let asks_a_model: TaskTest = |task| !matches!(task, WebTask::Search { .. } | WebTask::Page { .. });
    for (code, said) in [
        (Code::KeyRefused, "the model cannot be used (no)"),
        (Code::Network, "the model gives no answer of use (no)"),
        (Code::UnusableAnswer, "the model gives no answer of use (no)"),
    ] {
        let mut world = InquiryWorld::new(plan(StrategyLevel::Medium, Some(150_000), WINDOW), None);
        world.refuse = vec![(asks_a_model, code, usize::MAX)];
        let world = world.run_until(|world| !world.research.summary().warnings.is_empty());
        assert_eq!(world.count(is_page), 0, "{code:?}");
        let world = world.run_until(|world| !world.inquiry().bank.quotes.is_empty());
        let summary = world.research.summary();
        assert!(summary.warnings.len() == 1 && summary.warnings[0].starts_with(said), "{summary:?}");
        assert!(summary.note.unwrap().contains(said));
        let (world, finish) = world.run();
        assert_eq!(finish.stop, RunStop::Completed, "{code:?}");
        assert!(world.research.summary().warnings.is_empty(), "the report says it");
    }
    let healthy = InquiryWorld::new(plan(StrategyLevel::Medium, Some(150_000), WINDOW), None);
    let healthy = healthy.run_until(|world| !world.inquiry().bank.quotes.is_empty());
    assert!(healthy.research.summary().warnings.is_empty());
}

#[test]
fn a_search_that_never_answers_leaves_time_for_the_pages_of_the_others() {
    let mut world = InquiryWorld::new(plan(StrategyLevel::Medium, Some(150_000), WINDOW), None);
    world.research.plan.limits = RunLimits::new(Duration::from_secs(20), None);
    world.unanswered = Some(|task| matches!(task, WebTask::Search { query: 0, .. }));
    let (world, finish) = world.run();
    assert_eq!(finish.stop, RunStop::Completed);
    assert!(world.count(is_page) > 0);
}

#[test]
fn a_writer_that_is_cut_off_goes_on_in_a_second_call() {
    let mut world = InquiryWorld::new(plan(StrategyLevel::Shallow, Some(150_000), WINDOW), None);
    world.is_cut = true;
    let (world, _) = world.run();
    let units = world.inquiry().outline.units().len();
    assert!(units > world.inquiry().outline.children(None).len());
    let cited: usize = world.inquiry().sections.values().map(|section| section.cited().len()).sum();
    assert!(cited * 4 >= world.inquiry().bank.quotes.len() * 3, "{cited}");
}

#[test]
fn requests_fit_a_small_window() {
    let (world, finish) = InquiryWorld::new(plan(StrategyLevel::Deep, Some(150_000), 8_192), None).run();
    assert_eq!(finish.stop, RunStop::Completed);
    for call in &world.asked {
        match &call.ask {
            WebRequest::Survey(ask) => {
                assert!(ask.facets.len() == 1 && ask.quotes_max == 4 && ask.text.len() <= 12_000);
            }
            WebRequest::Section(ask) => assert!(ask.quotes.len() <= 10 && ask.words <= 250, "{}", ask.words),
            WebRequest::Outline(ask) => assert!(ask.quotes.len() <= 20),
            WebRequest::Plan(_)
            | WebRequest::Search(_)
            | WebRequest::Folder { .. }
            | WebRequest::Choose(_)
            | WebRequest::Page { .. }
            | WebRequest::Read(_)
            | WebRequest::Write(_)
            | WebRequest::Brief(_)
            | WebRequest::Line(_)
            | WebRequest::Synthesis(_)
            | WebRequest::Front(_) => {}
        }
    }
}
