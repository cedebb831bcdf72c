use std::time::Duration;

use expect_test::{Expect, expect};

use super::{Reaction, backoff, poll_pause_for_load, react, record_pause};
use crate::{
    cost::Usage,
    driver_state::DriverState,
    engine_call::{EngineOutcome, Poll, RemoteEnd, RemoteResult, StreamState, UnreadableAnswer},
    error::{Code, CodedError},
    event::Event,
    fixture::{problem, progress, replay},
    report::Report,
    time::Moment,
};

const NOW: Moment = Moment(1_794_700_060_000);

#[track_caller]
fn check(words: &str, finding: EngineOutcome, expected: Expect) -> DriverState {
    check_with(words, DriverState::resuming(Duration::from_secs(60)), finding, expected)
}

#[track_caller]
fn check_with(
    words: &str,
    mut attention: DriverState,
    finding: EngineOutcome,
    expected: Expect,
) -> DriverState {
    let reaction = react(&replay(words), &mut attention, finding, NOW);
    expected.assert_eq(&match reaction {
        Reaction::Nothing => "nothing".to_owned(),
        Reaction::Append(event) => event.encode().unwrap(),
        Reaction::KeepPartial { report, observed } => {
            format!("keep {:?}, {}", report.text, observed.encode().unwrap())
        }
        Reaction::KeepPage(kept) => kept.event(None, None).encode().unwrap(),
        Reaction::KeepRound(kept) => kept.event(None, None).encode().unwrap(),
        Reaction::KeepDraft(draft) => format!("draft {:?}", draft.text),
        Reaction::KeepUnreadable(answer) => {
            format!("keep {} bytes, {}", answer.raw.len(), answer.event(None).encode().unwrap())
        }
        Reaction::Finish(finish) => format!(
            "{:?} report={:?} {} problem={:?}",
            finish.stop,
            finish.report.as_ref().map(|report| report.text.as_str()),
            finish.cost,
            finish.problem.as_ref().map(|problem| problem.code.as_str())
        ),
    });
    attention
}

fn finished(end: RemoteEnd, text: &str, usage: Option<Usage>) -> EngineOutcome {
    let report = Report { text: text.to_owned(), ..Report::default() };
    let problem = (end == RemoteEnd::Failed).then(|| problem(Code::ProviderFailed));
    EngineOutcome::Finished(Box::new(RemoteResult {
        end,
        report,
        usage,
        progress: progress(3),
        problem,
        raw: b"{}".to_vec(),
    }))
}

fn seen(searches: u32, text: Option<&str>) -> EngineOutcome {
    let so_far = text.map(|text| Report { text: text.to_owned(), ..Report::default() });
    EngineOutcome::Running(Box::new(Poll {
        progress: progress(searches),
        cursor: Some("evt_5".to_owned()),
        stream: StreamState::Closed,
        so_far,
    }))
}

#[test]
fn the_providers_id_is_recorded_at_once() {
    let started = EngineOutcome::Started { remote_id: "v1_a".to_owned(), cursor: None };
    check(
        "asked intended",
        started,
        expect![[r#"{"type":"remote-started","attempt":1,"remote_id":"v1_a"}"#]],
    );
}

#[test]
fn a_refusal_waits_as_long_as_the_provider_asks() {
    let refused =
        CodedError::new(Code::RateLimited, "slow down").with_retry_after(Some(Duration::from_secs(90)));
    let attention = check(
        "asked intended",
        EngineOutcome::Refused(refused),
        expect![[
            r#"{"type":"create-refused","attempt":1,"problem":{"code":"RATE_LIMITED","message":"slow down","retry_after_ms":90000}}"#
        ]],
    );
    assert_eq!(attention.pause, Some(Duration::from_secs(90)));
}

#[test]
fn an_uncertain_answer_is_recorded_as_such() {
    check(
        "asked intended",
        EngineOutcome::Uncertain(problem(Code::CreateUncertain)),
        expect![[
            r#"{"type":"create-uncertain","attempt":1,"problem":{"code":"CREATE_UNCERTAIN","message":"in the provider's words"}}"#
        ]],
    );
}

#[test]
fn news_is_recorded_and_no_news_is_not() {
    let observed = expect![[
        r#"{"type":"observed","progress":{"remote_status":"in_progress","steps":4,"searches":4,"pages":0,"news":[{"kind":"search","text":"rayleigh scattering"}]},"cursor":"evt_5"}"#
    ]];
    check("asked intended started seen:3", seen(4, None), observed);
    check("asked intended started seen:3", seen(3, None), expect!["nothing"]);
}

#[test]
fn an_open_stream_is_listened_to_again_at_once() {
    let research = replay("asked intended started");
    for (ear, paused) in [(StreamState::Open, false), (StreamState::Closed, true)] {
        let mut attention = DriverState::resuming(Duration::from_secs(60));
        let sighting = Poll { progress: progress(1), cursor: None, stream: ear, so_far: None };
        react(&research, &mut attention, EngineOutcome::Running(Box::new(sighting)), NOW);
        assert_eq!(attention.pause.is_some(), paused, "{ear:?}");
    }
}

#[test]
fn what_was_seen_between_two_rows_goes_with_the_end() {
    let research = replay("asked intended started");
    let mut attention = DriverState::resuming(Duration::from_secs(60));
    attention.recorded_at = Some(Duration::from_secs(59));
    assert_eq!(react(&research, &mut attention, seen(4, None), NOW), Reaction::Nothing);
    let Reaction::Finish(finish) =
        react(&research, &mut attention, finished(RemoteEnd::Failed, "", None), NOW)
    else {
        panic!("it has ended")
    };
    // The end says three, four were seen.
    assert_eq!((finish.progress.searches, finish.progress.steps), (4, 4));
    assert_eq!(finish.progress.news, progress(4).news);
}

#[test]
fn news_is_written_at_most_every_two_seconds() {
    let mut attention = DriverState::resuming(Duration::from_secs(60));
    attention.recorded_at = Some(Duration::from_secs(59));
    check_with("asked intended started seen:3", attention, seen(4, None), expect!["nothing"]);
}

#[test]
fn a_crowd_looks_less_often() {
    let seconds: Vec<u64> = [0, 1_000, 2_000, 10_000, 100_000, 10_000_000]
        .map(|crowd| poll_pause_for_load(crowd).as_secs())
        .into();
    assert_eq!(seconds, [5, 5, 5, 25, 250, 300]);
}

#[test]
fn a_crowd_writes_its_progress_less_often() {
    let seconds: Vec<u64> = [0, 1, 200, 1_000, 10_000].map(|crowd| record_pause(crowd).as_secs()).into();
    assert_eq!(seconds, [2, 2, 2, 10, 60]);
}

#[test]
fn text_written_so_far_is_kept() {
    check(
        "asked intended started",
        seen(1, Some("half a report")),
        expect![[
            r#"keep "half a report", {"type":"observed","progress":{"remote_status":"in_progress","steps":1,"searches":1,"pages":0,"news":[{"kind":"search","text":"rayleigh scattering"}]},"cursor":"evt_5"}"#
        ]],
    );
}

#[test]
fn a_finished_report_is_a_success() {
    let usage = Usage { output_tokens: 60_000, searches: 80, ..Usage::default() };
    check(
        "asked intended started",
        finished(RemoteEnd::Completed, "# Report", Some(usage)),
        expect![[r##"Completed report=Some("# Report") $1.84 problem=None"##]],
    );
}

#[test]
fn completed_without_text_is_a_failure_never_an_empty_success() {
    check(
        "asked intended started",
        finished(RemoteEnd::Completed, " \u{200b}\n", None),
        expect![[r#"Failed report=None cost unknown problem=Some("EMPTY_REPORT")"#]],
    );
}

#[test]
fn a_run_that_finished_before_the_cancel_reached_it_is_a_success() {
    check(
        "asked intended started cancel answered",
        finished(RemoteEnd::Completed, "# Report", None),
        expect![[r##"Completed report=Some("# Report") cost unknown problem=None"##]],
    );
}

#[test]
fn a_cancelled_run_keeps_what_it_had_unless_told_otherwise() {
    check(
        "asked intended started cancel answered",
        finished(RemoteEnd::Cancelled, "half", None),
        expect![[r#"Cancelled report=Some("half") cost unknown problem=None"#]],
    );
    check(
        "asked intended started drop answered",
        finished(RemoteEnd::Cancelled, "half", None),
        expect!["Cancelled report=None cost unknown problem=None"],
    );
    check(
        "asked intended started late answered",
        finished(RemoteEnd::Cancelled, "half", None),
        expect![[r#"TimedOut report=Some("half") cost unknown problem=Some("DEADLINE")"#]],
    );
}

#[test]
fn a_failure_is_told_in_the_providers_words() {
    check(
        "asked intended started",
        finished(RemoteEnd::Failed, "", None),
        expect![[r#"Failed report=None cost unknown problem=Some("PROVIDER_FAILED")"#]],
    );
}

#[test]
fn a_fresh_run_that_is_not_visible_yet_is_not_given_up() {
    let mut attention = DriverState::resuming(Duration::from_secs(100));
    for _ in 0..20 {
        let finding = EngineOutcome::NotThere(problem(Code::NotFound));
        attention = check_with(
            "asked intended started",
            attention,
            finding,
            expect![[
                r#"{"type":"look-failed","problem":{"code":"NOT_FOUND","message":"the provider does not know this research: in the provider's words"},"raw_bytes":0}"#
            ]],
        );
    }
}

#[test]
fn a_run_the_provider_forgot_is_expired_in_the_seeds_words() {
    let mut attention = DriverState::resuming(Duration::from_secs(1000));
    for _ in 0..4 {
        let finding = EngineOutcome::NotThere(problem(Code::NotFound));
        attention = check_with(
            "asked intended started kept",
            attention,
            finding,
            expect![[
                r#"{"type":"look-failed","problem":{"code":"NOT_FOUND","message":"the provider does not know this research: in the provider's words"},"raw_bytes":0}"#
            ]],
        );
    }
    check_with(
        "asked intended started kept",
        attention,
        EngineOutcome::NotThere(problem(Code::NotFound)),
        expect![[
            r#"{"type":"ended","stop":"expired","report":"0101010101010101010101010101010101010101010101010101010101010101","cost":{"basis":"unknown"},"problem":{"code":"EXPIRED","message":"Research session expired on Gemini servers. Task was interrupted and cannot be recovered."},"sources":0}"#
        ]],
    );
}

#[test]
fn an_outage_is_waited_out_with_growing_pauses_and_is_never_a_failure() {
    let research = replay("asked intended started");
    let mut attention = DriverState::resuming(Duration::from_secs(60));
    let mut pauses = Vec::new();
    for _ in 0..100 {
        let reaction =
            react(&research, &mut attention, EngineOutcome::Unreachable(problem(Code::Network)), NOW);
        assert!(matches!(reaction, Reaction::Append(Event::LookFailed { .. })), "{reaction:?}");
        pauses.push(attention.pause.unwrap());
    }
    assert!(pauses.iter().all(|pause| *pause <= Duration::from_secs(60)), "{pauses:?}");
    assert!(
        pauses.first() < pauses.get(3) && pauses.last().unwrap() >= &Duration::from_secs(45),
        "{pauses:?}"
    );
    assert_eq!(backoff(&research, u32::MAX).as_secs() / 61, 0);
}

fn unreadable(bytes: usize) -> EngineOutcome {
    let problem = problem(Code::UnreadableAnswer);
    EngineOutcome::Unreadable(Box::new(UnreadableAnswer { problem, raw: vec![b'x'; bytes] }))
}

#[test]
fn what_cannot_be_read_is_kept_and_said_once() {
    let said = r#"{"type":"look-failed","problem":{"code":"UNREADABLE_ANSWER","message":"in the provider's words"},"raw_bytes":0}"#;
    let keep = |bytes: usize| format!("keep {bytes} bytes, {said}");
    let shown = |words: &str, attention: DriverState, bytes: usize| {
        let mut attention = attention;
        match react(&replay(words), &mut attention, unreadable(bytes), NOW) {
            Reaction::KeepUnreadable(answer) => {
                format!("keep {} bytes, {}", answer.raw.len(), answer.event(None).encode().unwrap())
            }
            Reaction::Append(event) => event.encode().unwrap(),
            other => format!("{other:?}"),
        }
    };
    let at = Duration::from_secs(60);
    let recorded_now = || DriverState { recorded_at: Some(at), ..DriverState::resuming(at) };
    assert_eq!(shown("asked intended started", DriverState::resuming(at), 7), keep(7));
    // 100 bytes are kept; the same reason is not said again at once, and answers that differ do not fill the disk.
    let before = "asked intended started look-failed";
    assert_eq!(shown(before, recorded_now(), 7), "Nothing");
    assert_eq!(shown(before, DriverState::resuming(at), 7), said);
    assert_eq!(shown(before, DriverState::resuming(at), 200), keep(200));
    let ending = format!("{before} cancel answered");
    assert_eq!(shown(&ending, recorded_now(), 7), said);
    assert_eq!(shown(&ending, recorded_now(), 100), keep(100));
}

#[test]
fn a_readable_look_ends_the_trouble() {
    let mut attention = DriverState {
        recorded_at: Some(Duration::from_secs(60)),
        ..DriverState::resuming(Duration::from_secs(60))
    };
    let research = replay("asked intended started seen:3 look-failed");
    assert!(research.summary().problem.is_some());
    let reaction = react(&research, &mut attention, seen(3, None), NOW);
    assert!(matches!(reaction, Reaction::Append(Event::Observed { .. })), "{reaction:?}");
    assert_eq!(replay("asked intended started look-failed seen:3").summary().problem, None);
}

#[test]
fn a_cancel_that_cannot_be_delivered_does_not_hold_up_the_end() {
    check(
        "asked intended started cancel",
        EngineOutcome::Unreachable(problem(Code::Network)),
        expect![[
            r#"{"type":"cancel-answered","refusal":{"code":"NETWORK","message":"in the provider's words"}}"#
        ]],
    );
}
