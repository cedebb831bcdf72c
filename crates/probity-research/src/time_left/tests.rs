//! What a call may take of the time that its run has.

use std::time::Duration;

use super::{gathering_time, start_limit};
use crate::{
    driver_state::DriverState,
    engine_call::EngineOutcome,
    error::Code,
    fixture::replay,
    inquiry::InquiryPlan,
    plan::{Plan, RunLimits},
    rounds::{Mode, RoundsPlan},
    state::RunState,
    web::{
        plan::WebPlan,
        search::{ProviderName, SearchFilters},
        strategy::{Strategy, StrategyHints, StrategyLevel},
        task::WebTask,
    },
};

fn attended(milliseconds: u64) -> DriverState {
    DriverState { attended: Duration::from_millis(milliseconds), ..DriverState::default() }
}

/// A deep research that may take so long.
fn gathering(seconds: u64) -> RunState {
    let inquiry = InquiryPlan::new(StrategyLevel::Deep, None, None, 128_000);
    let web = WebPlan {
        strategy: Strategy::of(StrategyLevel::Deep, "the test says so"),
        hints: StrategyHints::default(),
        providers: vec![ProviderName::Wikipedia],
        filters: SearchFilters::default(),
        model: None,
        prices: crate::web::plan::WebCallPrices::default(),
        pages: Vec::new(),
        folders: Vec::new(),
        render: false,
        page_service: None,
        roles: crate::web::plan::RoleModels::default(),
        cut: None,
        inquiry: None,
        parent: None,
    }
    .with_inquiry(inquiry);
    let mut research = replay("asked");
    let limits = RunLimits::new(Duration::from_secs(seconds), None);
    research.plan = Plan::for_web(RoundsPlan::new(Mode::DeepResearch, 1), web, limits);
    research
}

#[track_caller]
fn check(seconds: u64, attended_ms: u64, task: WebTask, expected_ms: Option<u64>) {
    let time = gathering_time(&gathering(seconds), &attended(attended_ms), task);
    assert_eq!(time, expected_ms.map(Duration::from_millis), "{task:?}");
}

#[test]
fn who_comes_first_leaves_time_for_those_behind() {
    let search = WebTask::Search { query: 0, provider: ProviderName::Wikipedia };
    // Of twelve seconds eight are for gathering.
    check(12, 2_000, WebTask::Brief, Some(2_000));
    check(12, 2_000, search, Some(3_000));
    check(12, 7_000, search, Some(2_000));
    check(12, 2_000, WebTask::Survey { page: 0 }, Some(8_000));
    check(12, 2_000, WebTask::Front, None);
    check(12, 8_000, WebTask::Brief, Some(2_000));
    check(12, 10_000, WebTask::Page { candidate: 0 }, None);
    // A model that is slow keeps its minutes where there are many.
    check(25 * 60, 0, WebTask::Brief, Some(470_000));
}

#[test]
fn a_start_is_waited_for_no_longer_than_the_deadline_and_the_ending() {
    let research = replay("asked intended");
    let (within, outcome) = start_limit(&research, &attended(3_590_000)).unwrap();
    assert_eq!(within, Duration::from_secs(14));
    let EngineOutcome::Uncertain(problem) = outcome else { panic!("{outcome:?}") };
    assert_eq!(problem.code, Code::CreateUncertain);
    assert!(start_limit(&research, &attended(3_600_000)).is_none(), "somebody pays for it again");
}
