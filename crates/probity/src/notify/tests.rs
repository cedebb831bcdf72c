use expect_test::{Expect, expect};
use probity_research::{
    RunId,
    error::{Code, CodedError},
    notify::{NotificationChannel, Notify},
    status::{RunStatus, RunSummary},
};
use proptest::prelude::*;
use serde_json::json;

use super::{
    ShowQuery, notification, several,
    system::{EndLine, NotifierAnswer, end_line, in_words},
    words,
};

mod promise;

fn summary(query: &str, status: RunStatus) -> RunSummary {
    serde_json::from_value(json!({
        "id": RunId::from_random(7), "status": status, "due": false, "query": query,
        "engine": "gemini-api", "agent": "deep-research-preview-04-2026", "asked_at": 1_794_700_000_000_i64,
        "updated_at": 1_794_701_110_000_i64, "ended_at": 1_794_701_110_000_i64, "progress_percent": 100,
        "progress_estimated": false, "current_action": "", "steps": 3, "searches": 2, "pages": 1,
        "attended_ms": 0, "cost": { "basis": "from-usage", "micro_usd": 2_070_000 }, "sources": 12,
    }))
    .unwrap()
}

#[track_caller]
fn check(summary: &RunSummary, show_query: ShowQuery, expected: Expect) {
    let shown = notification(summary, show_query);
    expected.assert_eq(&format!("{}\n{}", shown.title, shown.body));
}

#[test]
fn it_says_what_happened_and_how_to_read_it() {
    let mut told = summary("how do I leave my employer?", RunStatus::Completed);
    check(
        &told,
        ShowQuery::No,
        expect![[r#"
        Probity: research completed
        18 min, 12 sources, $2.07. probity runs show res_00000000000000000000000000000007"#]],
    );
    check(
        &told,
        ShowQuery::Yes,
        expect![[r#"
        Probity: research completed
        how do I leave my employer? (18 min, 12 sources, $2.07)"#]],
    );
    let one = notification(&RunSummary { sources: 1, ..told.clone() }, ShowQuery::No);
    assert!(one.body.contains("18 min, 1 source, $2.07"), "{}", one.body);
    told.status = RunStatus::Failed;
    told.problem = Some(CodedError::new(Code::ProviderFailed, "<b>words</b>"));
    check(
        &told,
        ShowQuery::No,
        expect![[r#"
        Probity: research failed
        18 min, $2.07, PROVIDER_FAILED. probity runs show res_00000000000000000000000000000007"#]],
    );
    assert_eq!(several(37).title, "Probity: 37 researches ended");
}

#[test]
fn a_question_cannot_steer_the_desktop() {
    let told =
        summary("<b>x</b> &amp; \\n\u{202e}\u{1b}[31m\n<a href='http://a'>y</a>", RunStatus::Completed);
    check(
        &told,
        ShowQuery::Yes,
        expect![[r#"
        Probity: research completed
        ‹b›x‹/b› ＆amp; ⧵n[31m ‹a href='http://a'›y‹/a› (18 min, 12 sources, $2.07)"#]],
    );
}

/// What a program can promise about systems on which it was never run: that the end is told without them.
#[test]
fn every_end_has_a_line_where_no_notification_was_ever_seen() {
    for system in ["macos", "windows", "freebsd", "openbsd", "netbsd", "something new"] {
        assert_eq!(end_line(system, NotifierAnswer::Accepted), EndLine::Uncertain, "{system}");
        assert_eq!(end_line(system, NotifierAnswer::Refused), EndLine::NotShown, "{system}");
    }
    assert_eq!(end_line("linux", NotifierAnswer::Accepted), EndLine::NotNeeded);
    assert_eq!(end_line("linux", NotifierAnswer::Refused), EndLine::NotShown);
    assert_eq!(
        probity_research::notify::promise(Notify::WhenDone, NotificationChannel::Uncertain),
        "Notification when complete, if this system shows it."
    );
}

#[test]
fn the_doctor_says_what_notifies_and_whether_that_was_ever_seen() {
    let told: Vec<String> = [
        ("linux", NotificationChannel::Desktop),
        ("linux", NotificationChannel::ConsoleOnly),
        ("macos", NotificationChannel::Uncertain),
        ("windows", NotificationChannel::Uncertain),
        ("freebsd", NotificationChannel::SwitchedOff),
    ]
    .into_iter()
    .map(|(system, channel)| in_words(system, channel))
    .collect();
    expect![[r#"
        the desktop's D-Bus interface, tried on linux; a line on stderr tells what it does not show
        the desktop's D-Bus interface, tried on linux; no desktop here: the end of each run is told on stderr
        the notification centre, untried on macos; the end of each run is told on stderr as well
        toast notifications, untried on windows; the end of each run is told on stderr as well
        the desktop's D-Bus interface, untried on freebsd; switched off: `probity runs list` has what ended"#]]
    .assert_eq(&told.join("\n"));
}

proptest! {
    #[test]
    fn the_text_is_short_and_inert(
        words in prop::collection::vec(prop_oneof![
            any::<String>(),
            prop::sample::select(vec!["<b>", "&", "&lt;", "\\", "\n", "\u{202e}", "\u{200b}", "\0", "%s", "🜁", "$(id)", "'\""])
                .prop_map(str::to_owned),
        ], 0..30),
        status in prop::sample::select(RunStatus::ALL.to_vec()),
        code in prop::option::of(prop::sample::select(Code::ALL)),
        sources: u32,
        ended in prop::option::of(any::<i64>()),
    ) {
        let mut told = summary(&words.concat(), status);
        told.problem = code.map(|code| CodedError::new(code, &words.concat()));
        told.sources = sources;
        told.ended_at = ended.map(probity_research::time::Moment);
        if let Err(broken) = promise::check(&told) {
            return Err(TestCaseError::fail(broken));
        }
    }
}
