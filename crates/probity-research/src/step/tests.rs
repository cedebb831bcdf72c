use std::time::Duration;

use expect_test::{Expect, expect};

use super::{Step, next_step};
use crate::{driver_state::DriverState, fixture::replay};

/// What a driver that has just taken over does.
#[track_caller]
fn check(words: &str, expected: Expect) {
    check_with(words, |_| {}, expected);
}

#[track_caller]
fn check_with(words: &str, remember: impl FnOnce(&mut DriverState), expected: Expect) {
    let mut attention = DriverState::resuming(Duration::from_secs(60));
    remember(&mut attention);
    let step = next_step(&replay(words), &attention);
    expected.assert_eq(&match step {
        Step::Record(event) => format!("record {}", event.encode().unwrap()),
        other => format!("{other:?}"),
    });
}

#[test]
fn the_intent_is_on_disk_before_the_paid_call() {
    check("asked", expect![[r#"record {"type":"create-intended","attempt":1}"#]]);
    check_with(
        "asked intended",
        |attention| attention.intent_is_fresh = true,
        expect!["Perform(Create { attempt: 1 })"],
    );
}

#[test]
fn after_a_crash_an_open_intent_is_never_paid_again() {
    check(
        "asked intended",
        expect![[
            r#"record {"type":"create-uncertain","attempt":1,"problem":{"code":"CREATE_UNCERTAIN","message":"Probity stopped between asking the provider to start and hearing its answer"}}"#
        ]],
    );
    check("asked intended uncertain", expect!["Rest"]);
}

#[test]
fn only_the_user_can_pay_again() {
    check(
        "asked intended uncertain pay-again",
        expect![[r#"record {"type":"create-intended","attempt":2}"#]],
    );
}

#[test]
fn a_refusal_is_tried_again_a_bounded_number_of_times() {
    check(
        "asked intended refused:RATE_LIMITED",
        expect![[r#"record {"type":"create-intended","attempt":2}"#]],
    );
    let five = format!("asked {}", "intended refused:RATE_LIMITED ".repeat(5));
    check(
        &five,
        expect![[
            r#"record {"type":"ended","stop":"failed","cost":{"basis":"nothing"},"problem":{"code":"RATE_LIMITED","message":"in the provider's words"},"sources":0}"#
        ]],
    );
}

#[test]
fn a_refusal_that_will_not_change_ends_the_research() {
    check(
        "asked intended refused:KEY_REFUSED",
        expect![[
            r#"record {"type":"ended","stop":"failed","cost":{"basis":"nothing"},"problem":{"code":"KEY_REFUSED","message":"in the provider's words"},"sources":0}"#
        ]],
    );
}

#[test]
fn a_resumed_run_is_followed_from_where_it_was() {
    check(
        "asked intended started",
        expect![[r#"Perform(Follow { remote_id: "v1_a", cursor: Some("evt_1"), within: 3540s })"#]],
    );
    check(
        "asked intended started seen:3",
        expect![[r#"Perform(Follow { remote_id: "v1_a", cursor: Some("evt_9"), within: 3540s })"#]],
    );
}

#[test]
fn a_pause_is_kept_but_a_cancel_does_not_wait_for_it() {
    let pause = |attention: &mut DriverState| attention.pause = Some(Duration::from_secs(5));
    check_with("asked intended started", pause, expect!["Wait(5s)"]);
    check_with(
        "asked intended started cancel",
        pause,
        expect![[r#"Perform(Cancel { remote_id: "v1_a", within: 2s })"#]],
    );
}

#[test]
fn a_deadline_is_judged_only_after_a_look() {
    let late = |attention: &mut DriverState| *attention = DriverState::resuming(Duration::from_secs(3601));
    check_with(
        "asked intended started",
        late,
        expect![[r#"Perform(Follow { remote_id: "v1_a", cursor: Some("evt_1"), within: 5s })"#]],
    );
    // No look was readable since: the time for a first one is over too.
    let unread = |attention: &mut DriverState| {
        late(attention);
        attention.attended += Duration::from_secs(5);
        attention.failures_in_a_row = 2;
    };
    check_with(
        "asked intended started",
        unread,
        expect![[r#"record {"type":"cancel-requested","reason":"deadline","partial":"keep"}"#]],
    );
    let looked = |attention: &mut DriverState| {
        attention.attended = Duration::from_secs(3601);
        attention.looks = 1;
    };
    check_with(
        "asked intended started",
        looked,
        expect![[r#"record {"type":"cancel-requested","reason":"deadline","partial":"keep"}"#]],
    );
}

#[test]
fn a_run_that_was_never_read_ends_at_its_deadline() {
    let unread = |attention: &mut DriverState| {
        *attention = DriverState { attended: Duration::from_secs(3600), ..DriverState::default() };
        attention.failures_in_a_row = 70;
        attention.pause = Some(Duration::from_secs(60));
    };
    check_with(
        "asked intended started look-failed",
        unread,
        expect![[r#"record {"type":"cancel-requested","reason":"deadline","partial":"keep"}"#]],
    );
    let short = |attention: &mut DriverState| {
        attention.attended = Duration::from_secs(3590);
        attention.pause = Some(Duration::from_secs(600));
    };
    check_with("asked intended started look-failed", short, expect!["Wait(10s)"]);
    check_with("asked intended refused:RATE_LIMITED", short, expect!["Wait(10s)"]);
    check_with(
        "asked intended refused:RATE_LIMITED",
        unread,
        expect![[r#"record {"type":"cancel-requested","reason":"deadline","partial":"keep"}"#]],
    );
}

#[test]
fn an_end_that_takes_too_long_is_not_waited_for() {
    let slow = |attention: &mut DriverState| attention.ending_since = Some(Duration::from_secs(56));
    check_with(
        "asked intended started look-failed late cancel-refused",
        slow,
        expect![[
            r#"record {"type":"ended","stop":"timed-out","raw":"0404040404040404040404040404040404040404040404040404040404040404","cost":{"basis":"unknown"},"problem":{"code":"DEADLINE","message":"the research did not finish before its deadline; the last look failed: in the provider's words"},"sources":0}"#
        ]],
    );
}

#[test]
fn a_driver_that_takes_over_an_ending_does_not_begin_it_anew() {
    use crate::time_left::{attend, is_late};
    let cut_short = replay("asked intended started look-failed late cancel-refused look-failed");
    let before = Duration::from_millis(cut_short.attended_ms);
    let mut attention = DriverState::resuming(before);
    attend(&mut attention, &cut_short, before);
    assert_eq!(attention.collects, 1, "the look that failed before counts");
    assert!(!is_late(&cut_short, &attention));
    attend(&mut attention, &cut_short, before + Duration::from_secs(4));
    assert!(is_late(&cut_short, &attention), "{attention:?}");
}

#[test]
fn a_budget_that_is_spent_ends_the_run() {
    check(
        "asked intended started dear",
        expect![[r#"record {"type":"cancel-requested","reason":"budget","partial":"keep"}"#]],
    );
}

#[test]
fn a_cancel_goes_to_the_provider_then_collects_then_ends() {
    check("asked intended started cancel", expect![[r#"Perform(Cancel { remote_id: "v1_a", within: 2s })"#]]);
    check(
        "asked intended started cancel answered",
        expect![[r#"Perform(Collect { remote_id: "v1_a", within: 4s })"#]],
    );
    check_with(
        "asked intended started seen:3 kept cancel cancel-refused",
        |attention| attention.collects = 3,
        expect![[
            r#"record {"type":"ended","stop":"cancelled","report":"0101010101010101010101010101010101010101010101010101010101010101","cost":{"basis":"unknown"},"sources":0}"#
        ]],
    );
}

#[test]
fn a_cancel_before_anything_was_paid_costs_nothing() {
    for words in ["asked cancel", "asked intended refused:RATE_LIMITED cancel"] {
        check(
            words,
            expect![[r#"record {"type":"ended","stop":"cancelled","cost":{"basis":"nothing"},"sources":0}"#]],
        );
    }
}

#[test]
fn an_uncertain_start_that_is_cancelled_keeps_its_unknown_price() {
    check(
        "asked intended uncertain cancel",
        expect![[
            r#"record {"type":"ended","stop":"cancelled","cost":{"basis":"unknown"},"problem":{"code":"CREATE_UNCERTAIN","message":"in the provider's words"},"sources":0}"#
        ]],
    );
}

#[test]
fn an_end_rests() {
    check("asked intended started ended:completed", expect!["Rest"]);
}

#[test]
fn what_was_carried_away_rests_until_it_arrives() {
    check("asked intended started left", expect!["Rest"]);
    check(
        "asked intended started left arrived",
        expect![[r#"Perform(Follow { remote_id: "v1_a", cursor: Some("evt_1"), within: 3540s })"#]],
    );
    assert!(!replay("asked intended").can_move(), "a paid call may be under way");
    assert!(!replay("asked left").is_due() && replay("asked left arrived").is_due());
}
