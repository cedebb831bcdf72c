use super::{Trace, TraceStep, TraceStepKind, TraceStepStatus};
use crate::{
    checking::{CheckPlan, CheckTask, CheckTaskOutcome},
    cost::{Cost, MicroUsd, Usage},
    error::{Code, CodedError},
    event::{Event, StoredEvent},
    fixture::{ID, events, recorded},
    id::{Digest, RunId},
    plan::{EngineName, Plan, RunLimits},
    query::Query,
    rounds::{
        Mode, RoundsPlan,
        state::{AnswerFacts, CallBilling, CallWork},
    },
    time::Moment,
    web::{
        bill::Bill,
        plan::{RoleModels, WebCallPrices, WebModel, WebPlan},
        search::ProviderName,
        strategy::{Strategy, StrategyHints, StrategyLevel},
        task::{PlannedQuery, QueryPlan, WebTask, WebTaskOutcome as TaskOutcome},
    },
};

const JOURNAL_V2: &str = include_str!("../../fixtures/journal-v2.jsonl");

fn trace(events: Vec<Event>) -> Trace {
    Trace::of(RunId::from_random(ID), &recorded(events)).unwrap()
}

/// `kind label: result [outcome, seconds, cost, refusals]`, children indented.
fn told(steps: &[TraceStep], depth: usize, out: &mut String) {
    for step in steps {
        let seconds =
            step.ended.map_or("…".to_owned(), |ended| (ended.since_ms(step.started) / 1000).to_string());
        out.push_str(&format!(
            "{}{} {}: {} [{}, {seconds} s, {}, {}]\n",
            "  ".repeat(depth),
            step.kind.as_str(),
            step.label,
            step.result,
            step.outcome.as_str(),
            step.cost,
            step.refusals
        ));
        told(&step.children, depth + 1, out);
    }
}

#[track_caller]
fn check(trace: &Trace, expected: expect_test::Expect) {
    let mut out = String::new();
    told(&trace.steps, 0, &mut out);
    expected.assert_eq(&out);
}

#[test]
fn a_run_of_an_agent_is_one_step_with_what_it_told_and_how_often_it_was_refused() {
    let trace =
        trace(events("asked intended refused:RATE_LIMITED intended started seen:3 seen:20 ended:completed"));
    check(
        &trace,
        expect_test::expect![[r#"
        agent-run deep-research-preview-04-2026: 20 searches · 0 pages [done, 6 s, cost unknown, 1]
          search rayleigh scattering:  [done, 0 s, $0.00, 0]
    "#]],
    );
    assert_eq!(trace.cost, Cost::Unknown);
    let names: Vec<&str> = trace.by_provider.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["deep-research-preview-04-2026"]);
}

#[test]
fn what_only_the_last_answer_had_is_listed_and_counted() {
    let mut events = events("asked intended started ended:failed");
    let mut seen = crate::fixture::progress(2);
    seen.pages = 1;
    seen.news.push(crate::progress::ProgressLine::Page("a.example/page".to_owned()));
    if let Some(Event::Ended { progress, .. }) = events.last_mut() {
        *progress = Some(seen);
    }
    let trace = trace(events);
    check(
        &trace,
        expect_test::expect![[r#"
        agent-run deep-research-preview-04-2026: 2 searches · 1 page [done, 2 s, cost unknown, 0]
          search rayleigh scattering:  [done, 0 s, $0.00, 0]
          fetch a.example/page:  [done, 0 s, $0.00, 0]
    "#]],
    );
}

#[test]
fn a_running_research_has_an_open_step_and_no_end() {
    let trace = trace(events("asked intended started seen:3"));
    let step = trace.steps.first().unwrap();
    assert_eq!((step.outcome, step.ended, trace.ended), (TraceStepStatus::Open, None, None));
    assert_eq!(step.elapsed_ms(Moment(step.started.0 + 9_000)), 9_000);
    // A clock that went back does not make it shorter than nothing.
    assert_eq!(step.elapsed_ms(Moment(0)), 0);
}

#[test]
fn rounds_hold_their_calls_with_failed_tries_and_corrections() {
    let stored: Vec<Event> = JOURNAL_V2.lines().map(|line| Event::decode(2, line).unwrap()).collect();
    let trace = trace(stored);
    check(
        &trace,
        expect_test::expect![[r#"
        round round 1: 1 call [done, 2 s, $0.38, 0]
          call the answer: 1 source [done, 2 s, $0.38, 0]
        round round 2: 3 calls [done, 8 s, at least $0.75, 2]
          call the answer: ROUND_LOST: the process ended [failed, 2 s, cost unknown, 0]
          call the answer, try 2: UNUSABLE_ANSWER: the answer holds no JSON object [failed, 2 s, $0.38, 0]
          call the answer put into shape: 1 source [done, 2 s, $0.38, 0]
        round round 3: 1 call [done, 2 s, $0.38, 0]
          call the answer: 1 source [done, 2 s, $0.38, 0]
    "#]],
    );
    let total: Cost = trace.steps.iter().fold(Cost::Nothing, |sum, step| sum.plus(step.cost));
    // The steps are priced on the day they were made; the end says what it was told then.
    assert_eq!((total, trace.cost), (Cost::AtLeast(MicroUsd(1_500_000)), Cost::AtLeast(MicroUsd(3_000_000))));
}

#[test]
fn a_useless_first_answer_costs_what_the_run_counts_for_it_and_every_call_is_in_the_sums() {
    let limits = RunLimits::new(std::time::Duration::from_secs(3600), None);
    let plan = Plan::for_rounds(EngineName::GeminiApi, RoundsPlan::new(Mode::DeepSearch, 5), limits);
    let usage = Usage { input_tokens: 100_000, output_tokens: 20_000, total_tokens: 120_000, ..Usage::NONE };
    let billed = CallBilling::Counted(usage);
    let model = Some("gemini-3.8-flash".to_owned());
    let work = CallWork { queries: ["rayleigh scattering", "mie"].map(str::to_owned).to_vec(), pages: 0 };
    let problem = CodedError::new(Code::UnusableAnswer, "no JSON");
    let observed = || Event::Observed { progress: crate::fixture::progress(1), cursor: None };
    let trace = trace(vec![
        Event::Asked { query: Query::parse("why is the sky blue?").unwrap(), plan },
        Event::CreateIntended { attempt: 1 },
        observed(),
        Event::RoundStumbled { problem, kept: None, billed, raw: None, model: model.clone(), work },
        Event::CreateIntended { attempt: 2 },
        observed(),
        Event::RoundAnswered {
            answer: Digest([1; 32]),
            facts: AnswerFacts { model, ..AnswerFacts::default() },
            billed,
            raw: None,
        },
    ]);
    assert!(matches!(trace.cost, Cost::FromUsage(_)), "{:?}", trace.cost);
    let sum = |costs: Vec<Cost>| costs.into_iter().fold(Cost::Nothing, Cost::plus);
    assert_eq!(sum(trace.steps.iter().map(|step| step.cost).collect()), trace.cost);
    assert_eq!(sum(trace.by_kind.iter().map(|(_, total)| total.cost).collect()), trace.cost);
    assert_eq!(sum(trace.by_provider.iter().map(|(_, total)| total.cost).collect()), trace.cost);
    let providers: Vec<(&str, u32, u64)> = trace
        .by_provider
        .iter()
        .map(|(name, total)| (name.as_str(), total.steps, total.usage.total_tokens))
        .collect();
    assert_eq!(providers, [("gemini-3.8-flash", 2, 240_000)]);
    let first = &trace.steps[0].children[0];
    let told: Vec<(&str, Option<u64>)> = first
        .children
        .iter()
        .map(|child| (child.label.as_str(), child.known_elapsed_ms(Moment(0))))
        .collect();
    assert_eq!(told, [("rayleigh scattering", None), ("mie", None)], "nobody told when they began");
    assert_eq!(first.known_elapsed_ms(Moment(0)), Some(2_000));
}

fn web_plan() -> Plan {
    let web = WebPlan {
        strategy: Strategy::of(StrategyLevel::Shallow, "the test says so"),
        hints: StrategyHints::default(),
        providers: vec![ProviderName::Wikipedia],
        filters: Default::default(),
        model: Some(WebModel { name: "tester".to_owned(), local: false }),
        prices: WebCallPrices::default(),
        pages: Vec::new(),
        folders: Vec::new(),
        render: false,
        page_service: None,
        roles: RoleModels::default(),
        cut: None,
        inquiry: None,
        parent: None,
    };
    let limits = RunLimits::new(std::time::Duration::from_secs(3600), None);
    let mut plan = Plan::for_web(RoundsPlan::new(Mode::DeepResearch, 1), web, limits);
    plan.checks = Some(Box::new(CheckPlan::without_judge()));
    plan
}

fn counted(micro: u64, tokens: u64) -> Bill {
    Bill::counted(MicroUsd(micro), Usage { total_tokens: tokens, ..Usage::NONE })
}

fn web_journal() -> Vec<Event> {
    let query = "sky\u{202e} colour\u{1b}[2J".to_owned();
    let planned =
        QueryPlan { queries: vec![PlannedQuery { question: "why blue?".to_owned(), query }], enough: false };
    let search = WebTask::Search { query: 0, provider: ProviderName::Wikipedia };
    let failure = CodedError::new(Code::SearchFailed, "no answer");
    let found =
        TaskOutcome::Found { hits: Vec::new(), heeded: Default::default(), silent_engines: Vec::new() };
    vec![
        Event::Asked { query: Query::parse("why is the sky blue?").unwrap(), plan: web_plan() },
        Event::GatherIntended { tasks: vec![WebTask::Plan { attempt: 1 }] },
        Event::GatherDone {
            task: WebTask::Plan { attempt: 1 },
            outcome: TaskOutcome::Planned(planned),
            bill: counted(700, 1200),
        },
        Event::GatherIntended { tasks: vec![search] },
        Event::GatherDone {
            task: search,
            outcome: TaskOutcome::Failed { problem: failure },
            bill: Bill::UNKNOWN,
        },
        Event::GatherIntended { tasks: vec![search] },
        Event::GatherDone { task: search, outcome: found, bill: Bill::NOTHING },
    ]
}

#[test]
fn attempts_of_the_web_engine_hold_their_calls_and_foreign_words_are_tamed() {
    let trace = trace(web_journal());
    check(
        &trace,
        expect_test::expect![[r#"
            attempt attempt 1: 1 search [done, 5 s, not fully known, 1]
              plan what to look up: 1 query [done, 1 s, under $0.01, 0]
              search sky colour[2J: SEARCH_FAILED: no answer [failed, 1 s, cost unknown, 0]
              search sky colour[2J: 0 results [done, 1 s, $0.00, 1]
        "#]],
    );
    let by_kind: Vec<(TraceStepKind, u32, u32, u64)> = trace
        .by_kind
        .iter()
        .map(|(kind, total)| (*kind, total.steps, total.failed, total.usage.total_tokens))
        .collect();
    assert_eq!(by_kind, [(TraceStepKind::Plan, 1, 0, 1200), (TraceStepKind::Search, 2, 1, 0)]);
}

#[test]
fn checking_is_a_step_of_its_own_and_what_stays_open_at_the_end_is_said() {
    let text = Digest([1; 32]);
    let mut plan = Plan::new(Default::default(), RunLimits::new(std::time::Duration::from_secs(60), None));
    plan.checks = Some(Box::new(CheckPlan::without_judge()));
    plan.given = Some(text);
    let page = CheckTask::Page { url: "https://example.org/<b>".to_owned() };
    let failure = CodedError::new(Code::PageUnreachable, "gone");
    let ended = events("asked ended:completed").pop().unwrap();
    let trace = trace(vec![
        Event::Asked { query: Query::parse("check this").unwrap(), plan },
        Event::CheckBegun { subject: text },
        Event::CheckIntended { tasks: vec![page.clone(), CheckTask::Examine] },
        Event::CheckDone {
            task: page,
            outcome: CheckTaskOutcome::Failed { problem: failure },
            bill: Bill::NOTHING,
        },
        ended,
    ]);
    check(
        &trace,
        expect_test::expect![[r#"
        check every claim checked: left when the research ended [failed, 2 s, $0.00, 2]
          fetch https://example.org/<b>: PAGE_UNREACHABLE: gone [failed, 1 s, $0.00, 0]
          examine every claim against its pages, by rule: left when the research ended [failed, 2 s, $0.00, 0]
    "#]],
    );
}

#[test]
fn a_damaged_journal_is_an_error_and_not_a_shorter_trace() {
    let mut journal: Vec<StoredEvent> = recorded(events("asked intended started"));
    journal.remove(1);
    assert!(Trace::of(RunId::from_random(ID), &journal).is_err());
    assert!(Trace::of(RunId::from_random(ID), &[]).is_err());
}
