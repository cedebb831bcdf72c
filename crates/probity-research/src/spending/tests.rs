use std::time::Duration;

use super::{
    DayLimitEnd, charge, charges, day_limit_end, day_limit_reached, fits, highest_price, start_key,
    within_reservation,
};
use crate::{
    Event, RunId, RunState, Sequence, StoredEvent,
    agent::AgentName,
    approval::{Approval, ApprovalChannel},
    cost::{Cost, MicroUsd},
    error::{Code, CodedError},
    estimate::follow_up,
    plan::{EngineName, Notify, Plan, RunLimits},
    principal::Principal,
    query::Query,
    rounds::{Mode, RoundsPlan},
    status::{RunStatus, RunSummary},
    stop::RunStop,
    time::Moment,
};

const CENT: u64 = 10_000;

fn plan(budget: Option<u64>) -> Plan {
    let limits = RunLimits::new(Duration::from_secs(60), budget.map(|cents| MicroUsd(cents * CENT)));
    Plan { estimate: Some(follow_up()), ..Plan::new(AgentName::default(), limits) }
}

fn in_rounds(budget: Option<u64>) -> Plan {
    let rounds = RoundsPlan::new(Mode::DeepSearch, 5);
    Plan { rounds: Some(Box::new(rounds)), engine: EngineName::GeminiApi, ..plan(budget) }
}

fn query(text: &str) -> Query {
    Query::parse(text).unwrap()
}

fn state(events: Vec<Event>) -> RunState {
    let journal: Vec<StoredEvent> = events
        .into_iter()
        .zip(1..)
        .map(|(event, number)| StoredEvent {
            sequence: Sequence(number),
            at: Moment(1_790_000_000_000),
            attended_ms: 0,
            event,
        })
        .collect();
    RunState::replay(RunId::from_random(7), &journal).unwrap()
}

fn asked(plan: Plan) -> Event {
    Event::Asked { query: query("why?"), plan }
}

#[test]
fn the_last_cent_may_be_spent_and_not_one_more() {
    assert!(fits(MicroUsd(900), MicroUsd(100), MicroUsd(1_000)));
    assert!(!fits(MicroUsd(900), MicroUsd(101), MicroUsd(1_000)));
    assert!(!fits(MicroUsd(u64::MAX), MicroUsd(1), MicroUsd(u64::MAX - 1)), "a sum never wraps");
}

#[test]
fn only_the_machines_own_user_hears_what_is_left() {
    let ends = |end: DayLimitEnd, asked_by: Option<&Principal>| {
        let (charged, spent) = (MicroUsd(400 * CENT), MicroUsd(150 * CENT));
        let (wanted, limit) = (MicroUsd(300 * CENT), MicroUsd(600 * CENT));
        day_limit_reached(charged, spent, wanted, limit, end, asked_by)
    };
    let said = |asked_by: Option<&Principal>| ends(DayLimitEnd::WhenRunsEnd, asked_by);
    assert_eq!(said(None).code, Code::DayLimit);
    assert_eq!(
        said(None).message,
        "the day's limit is reached: budget.per_day_usd is $6.00 for 24 hours, $1.50 is spent, $2.50 is reserved \
         for runs that go on or whose cost is unknown, and this may cost $3.00 more; it has room again when runs that are going on have ended; \
         those that nobody drives go on with `probity runs resume`"
    );
    let guest = Principal::parse("guest").unwrap();
    assert_eq!(
        said(Some(&guest)).message,
        "the day's limit is reached: what this server may spend in 24 hours does not carry $3.00 more; ask again later, \
         or ask for less"
    );
    let told = ends(DayLimitEnd::At(Moment(3_600_000 + 1)), Some(&guest)).message;
    let hour = format!("more; it has room again at {}", Moment(2 * 3_600_000));
    assert!(told.ends_with(&hour), "{told}");
}

#[test]
fn a_limit_has_room_again_when_enough_of_its_day_is_over() {
    let ended = [(Moment(1_000), MicroUsd(100)), (Moment(2_000), MicroUsd(200))];
    let end = |spent, wanted| day_limit_end(MicroUsd(spent), MicroUsd(wanted), MicroUsd(500), ended);
    let day = 24 * 3_600_000;
    assert_eq!(end(450, 100), DayLimitEnd::At(Moment(1_000 + day + 1)));
    assert_eq!(end(450, 200), DayLimitEnd::At(Moment(2_000 + day + 1)));
    assert_eq!(end(450, 400), DayLimitEnd::WhenRunsEnd);
    assert_eq!(end(0, 501), DayLimitEnd::Never);
}

#[test]
fn a_budget_lowers_what_is_set_aside_where_it_is_obeyed_before_a_call() {
    let most = |plan: &Plan| highest_price(plan).0 / CENT;
    assert_eq!((most(&plan(None)), most(&plan(Some(20)))), (50, 50), "an agent is stopped late");
    assert_eq!((most(&in_rounds(None)), most(&in_rounds(Some(20)))), (50, 20));
    assert_eq!(most(&in_rounds(Some(4))), 10, "the first of five rounds is made in any case");
    assert_eq!(within_reservation(plan(None)).limits.budget, Some(MicroUsd(50 * CENT)));
    assert_eq!(within_reservation(plan(Some(20))).limits.budget, Some(MicroUsd(20 * CENT)));
    assert_eq!(within_reservation(in_rounds(Some(90))).limits.budget, Some(MicroUsd(50 * CENT)));
}

#[test]
fn a_run_counts_for_what_it_set_aside_until_its_cost_is_counted() {
    let running = state(vec![asked(plan(None))]).summary();
    let of = |status, cost| charge(&RunSummary { status, cost, ..running.clone() }).0 / CENT;
    let counted = |cents: u64| MicroUsd(cents * CENT);
    assert_eq!(of(RunStatus::Pending, Cost::Nothing), 50);
    assert_eq!(of(RunStatus::RunningAsync, Cost::FromUsage(counted(10))), 50);
    assert_eq!(of(RunStatus::RunningAsync, Cost::FromUsage(counted(70))), 70, "more than was set aside");
    assert_eq!(of(RunStatus::Completed, Cost::FromUsage(counted(10))), 10);
    assert_eq!(of(RunStatus::Completed, Cost::AtLeast(counted(10))), 50);
    assert_eq!(of(RunStatus::Completed, Cost::Unknown), 50);
    assert_eq!(of(RunStatus::Unknown, Cost::Unknown), 50);
    assert_eq!(of(RunStatus::Failed, Cost::Nothing), 0);
    let before = RunSummary { reserved: None, ..running.clone() };
    assert_eq!(charges([&running, &before]), counted(100), "rows from before it was stored count the same");
}

#[test]
fn whoever_allows_more_sets_more_aside() {
    let problem = CodedError::new(Code::CreateUncertain, "cut off");
    let uncertain = vec![
        asked(plan(Some(60))),
        Event::CreateIntended { attempt: 1 },
        Event::CreateUncertain { attempt: 1, problem },
    ];
    let again = [uncertain, vec![Event::PayAgainAccepted]].concat();
    assert_eq!(state(again.clone()).reserved, MicroUsd(100 * CENT));
    let ended = Event::Ended {
        stop: RunStop::Completed,
        report: None,
        raw: None,
        usage: None,
        cost: Cost::FromUsage(MicroUsd(4 * CENT)),
        problem: None,
        sources: 0,
        progress: None,
    };
    let started = Event::RemoteStarted { attempt: 2, remote_id: "v1_a".to_owned(), cursor: None };
    let rest = vec![Event::CreateIntended { attempt: 2 }, started, ended];
    let summary = state([again, rest].concat()).summary();
    assert_eq!(summary.cost, Cost::AtLeast(MicroUsd(4 * CENT)), "the first start may have been billed too");
    assert_eq!(charge(&summary), MicroUsd(100 * CENT));
    assert_eq!(summary.approval.map(|approval| approval.channel), Some(ApprovalChannel::Flag));
    let raised = vec![asked(plan(Some(60))), Event::BudgetRaised { to: MicroUsd(80 * CENT) }];
    assert_eq!(state(raised).reserved, MicroUsd(80 * CENT));
}

#[test]
fn starts_are_the_same_whatever_they_may_cost() {
    let key = |text: &str, plan: &Plan| start_key(&query(text), plan);
    let first = key("why?", &plan(None));
    let approved = Plan {
        approval: Some(Approval::new(ApprovalChannel::Argument, Some(MicroUsd(1)))),
        asked_with: Some("9.9.9".to_owned()),
        notify: Notify::Never,
        estimate: None,
        ..plan(Some(20))
    };
    assert_eq!(first, key("why?", &approved));
    assert_ne!(first, key("why not?", &plan(None)));
    assert_eq!(key("why  not,\n then?", &plan(None)), key("why not, then?", &plan(None)));
    assert_ne!(first, key("why?", &in_rounds(None)));
    let guest = Plan { asked_by: Some(Principal::parse("guest").unwrap()), ..plan(None) };
    assert_ne!(first, key("why?", &guest));
    let further = Plan { follows: Some(RunId::from_random(7)), ..plan(None) };
    assert_ne!(first, key("why?", &further));
}
