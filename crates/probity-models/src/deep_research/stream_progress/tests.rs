use expect_test::{Expect, expect};
use probity_research::progress::Progress;

use super::{StreamEventEffect, StreamProgress};
use crate::gemini::sse::SseFrameParser;

fn feed(watch: &mut StreamProgress, stream: &str) -> StreamEventEffect {
    let mut frames = SseFrameParser::default();
    frames.push(stream.as_bytes());
    while let Some(frame) = frames.next_frame().unwrap() {
        let told = watch.apply_frame(&frame);
        if matches!(told, StreamEventEffect::Over | StreamEventEffect::Broken) {
            return told;
        }
    }
    StreamEventEffect::Nothing
}

fn shown(watch: &mut StreamProgress) -> String {
    let so_far = watch.report_so_far().map_or(0, |report| report.text.len());
    let progress = watch.progress();
    let news: Vec<String> =
        progress.news.iter().map(probity_research::progress::ProgressLine::sentence).collect();
    let cursor = watch.cursor().unwrap_or_default();
    format!(
        "{} steps {} searches {} pages {} cursor {cursor} text {so_far}\n{}",
        progress.remote_status,
        progress.steps,
        progress.searches,
        progress.pages,
        news.join("\n")
    )
}

#[track_caller]
fn check(stream: &str, expected_end: StreamEventEffect, expected: &Expect) {
    let mut watch = StreamProgress::from_start(&Progress::default(), None);
    let told = feed(&mut watch, stream);
    assert_eq!(told, expected_end);
    expected.assert_eq(&shown(&mut watch));
}

const COMPLETED: &str = include_str!("../../../tests/fixtures/stream_completed.sse");
const DROPPED: &str = include_str!("../../../tests/fixtures/stream_dropped_after_8.sse");

#[test]
fn the_canonical_streams_are_followed() {
    check(
        COMPLETED,
        StreamEventEffect::Over,
        &expect![[r#"
            completed steps 4 searches 1 pages 0 cursor evt_0019 text 204
            thinking: Planning
            searching: tpu history
            writing: report"#]],
    );
    check(
        include_str!("../../../tests/fixtures/stream_unknown.sse"),
        StreamEventEffect::Over,
        &expect![[r#"
            completed steps 5 searches 1 pages 0 cursor evt_0022 text 204
            thinking: Planning
            searching: tpu history
            writing: report"#]],
    );
}

#[test]
fn an_error_event_ends_the_stream_but_not_the_run() {
    check(
        include_str!("../../../tests/fixtures/stream_error.sse"),
        StreamEventEffect::Broken,
        &expect![[r#"
            in_progress steps 4 searches 1 pages 0 cursor evt_0018 text 204
            thinking: Planning
            searching: tpu history
            writing: report"#]],
    );
}

#[test]
fn a_stream_told_twice_counts_and_tells_once() {
    let mut watch = StreamProgress::from_start(&Progress::default(), None);
    feed(&mut watch, DROPPED);
    let known = watch.progress();
    assert_eq!((known.steps, known.searches, known.news.len()), (2, 1, 2));
    let mut again = StreamProgress::from_start(&known, None);
    feed(&mut again, DROPPED);
    let progress = again.progress();
    assert_eq!((progress.steps, progress.searches, progress.news.len()), (2, 1, 0));
}

#[test]
fn behind_a_cursor_counts_go_on() {
    let mut watch = StreamProgress::from_start(&Progress::default(), None);
    feed(&mut watch, DROPPED);
    let known = watch.progress();
    let (_, rest) = COMPLETED.split_once("evt_0008\"}\n\n").unwrap();
    let mut resumed = StreamProgress::from_cursor(&known, "evt_0008".to_owned());
    assert_eq!(feed(&mut resumed, rest), StreamEventEffect::Over);
    expect![[r#"
        completed steps 4 searches 1 pages 0 cursor evt_0019 text 0
        writing: report"#]]
    .assert_eq(&shown(&mut resumed));
}

#[test]
fn events_without_ids_leave_the_cursor_as_it_was() {
    let bare: String = COMPLETED.lines().map(|line| line.split(", \"event_id\"").next().unwrap_or("")).fold(
        String::new(),
        |mut all, line| {
            all.push_str(line);
            if line.starts_with("data: {") {
                all.push('}');
            }
            all.push('\n');
            all
        },
    );
    let mut watch = StreamProgress::from_start(&Progress::default(), None);
    feed(&mut watch, &bare);
    assert_eq!(watch.cursor(), None);
    let mut watch = StreamProgress::from_cursor(&Progress::default(), "evt_0001".to_owned());
    feed(&mut watch, &bare);
    assert_eq!(watch.cursor().as_deref(), Some("evt_0001"));
}
