use expect_test::{Expect, expect};
use probity_research::{
    RunId,
    cost::{Cost, MicroUsd},
    progress::ProgressLine,
    rounds::Mode,
    status::{RoundsStatus, RunStatus, RunSummary},
    time::Moment,
};

use super::{head, news_lines, what_is_left};

fn summary(status: RunStatus, cost: Cost, news: &[ProgressLine]) -> RunSummary {
    let counted = if status == RunStatus::Pending { 0 } else { 1 };
    RunSummary {
        id: RunId::from_random(1),
        status,
        due: true,
        query: "q".to_owned(),
        engine: "gemini-api".to_owned(),
        engine_reason: None,
        agent: "a".to_owned(),
        asked_at: Moment(0),
        updated_at: Moment(0),
        ended_at: None,
        remote_id: None,
        progress_percent: 0,
        progress_estimated: true,
        current_action: "starting".to_owned(),
        steps: counted,
        searches: counted * 37,
        pages: counted * 52,
        news: news.to_vec(),
        attended_ms: 0,
        usage: None,
        cost,
        problem: None,
        report: None,
        raw: None,
        sources: 0,
        cancel_answer: None,
        cancel_refused: false,
        note: None,
        estimate: None,
        reserved: None,
        approval: None,
        asked_by: None,
        follows: None,
        rounds: None,
        given: false,
        handed_over: false,
        warnings: Vec::new(),
        deadline_ms: None,
        is_cut_short: false,
        asked_flags: Vec::new(),
        model_problem: None,
        notify: probity_research::plan::Notify::WhenDone,
    }
}

#[track_caller]
fn check(summary: &RunSummary, budget: Option<MicroUsd>, expected: Expect) {
    let mut lines = vec![head(summary, budget)];
    lines.extend(news_lines(summary));
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn only_real_counters_are_shown() {
    check(&summary(RunStatus::Pending, Cost::Nothing, &[]), None, expect!["starting"]);
    let running = summary(RunStatus::RunningAsync, Cost::Unknown, &[]);
    check(&running, None, expect!["1 step · 37 searches · 52 pages · cost not reported yet"]);
    let spent = summary(RunStatus::RunningAsync, Cost::FromUsage(MicroUsd(410_000)), &[]);
    check(&spent, None, expect!["1 step · 37 searches · 52 pages · $0.41 so far"]);
    check(&spent, Some(MicroUsd(2_000_000)), expect!["1 step · 37 searches · 52 pages · $0.41 of $2.00"]);
}

#[test]
fn the_newest_happenings_are_shown_and_nothing_in_them_acts() {
    let news: Vec<ProgressLine> =
        (0..6).map(|number| ProgressLine::Search(format!("query {number}\u{1b}[2J"))).collect();
    let running = summary(RunStatus::RunningAsync, Cost::Unknown, &news);
    check(
        &running,
        None,
        expect![[r#"
            1 step · 37 searches · 52 pages · cost not reported yet
            searching: query 2[2J
            searching: query 3[2J
            searching: query 4[2J
            searching: query 5[2J"#]],
    );
}

#[test]
fn the_round_stands_before_the_counters_and_is_not_said_twice() {
    let rounds = RoundsStatus {
        manner: Mode::DeepSearch,
        round: 2,
        rounds_max: 5,
        verified: false,
        calls: 2,
        calls_uncounted: 0,
    };
    let waiting = RunSummary {
        rounds: Some(rounds),
        current_action: "round 2/5: waiting for the provider".to_owned(),
        ..summary(RunStatus::RunningAsync, Cost::Unknown, &[])
    };
    check(
        &waiting,
        None,
        expect![[r#"
            round 2/5 · 1 step · 37 searches · 52 pages · cost not reported yet
            waiting for the provider"#]],
    );
    let single = RoundsStatus { round: 1, rounds_max: 1, manner: Mode::Search, ..rounds };
    let searching = RunSummary {
        rounds: Some(single),
        ..summary(RunStatus::RunningAsync, Cost::Unknown, &[ProgressLine::Search("tpu".to_owned())])
    };
    check(
        &searching,
        None,
        expect![[r#"
            1 step · 37 searches · 52 pages · cost not reported yet
            searching: tpu"#]],
    );
}

#[test]
fn what_is_left_of_money_and_time_is_told_as_far_as_it_is_known() {
    let running = RunSummary {
        deadline_ms: Some(1_500_000),
        attended_ms: 50_000,
        ..summary(RunStatus::RunningAsync, Cost::FromUsage(MicroUsd(410_000)), &[])
    };
    let dollars = Some(MicroUsd(2_000_000));
    assert_eq!(
        what_is_left(&running, dollars, Moment(10_000)).as_deref(),
        Some("remaining: $1.59 of $2.00 · 24:00")
    );
    assert_eq!(what_is_left(&running, None, Moment(2_000_000)).as_deref(), Some("remaining: 00:00"));
    let unknown = summary(RunStatus::RunningAsync, Cost::Unknown, &[]);
    assert_eq!(what_is_left(&unknown, dollars, Moment(0)), None);
}
