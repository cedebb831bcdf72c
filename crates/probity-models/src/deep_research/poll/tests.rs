use expect_test::{Expect, expect};
use probity_research::engine_call::{EngineOutcome, RemoteEnd};

use super::{end, poll_outcome, problem, progress};
use crate::{deep_research::tests::research, gemini::wire::Interaction};

#[track_caller]
fn check(body: &str, expected: &Expect) {
    let interaction = Interaction::read(body.as_bytes()).unwrap();
    let end = end(&interaction.status(), &interaction.steps);
    let progress = progress(&interaction, 0);
    let said =
        end.and_then(|end| problem(end, &interaction)).map_or(String::new(), |problem| problem.to_string());
    let news: Vec<String> =
        progress.news.iter().map(probity_research::progress::ProgressLine::sentence).collect();
    expected.assert_eq(&format!(
        "{end:?} steps {} searches {} pages {} usage {} {said}\n{}",
        progress.steps,
        progress.searches,
        progress.pages,
        progress.usage.is_some(),
        news.join("\n")
    ));
}

#[test]
fn the_canonical_answers_mean_what_they_say() {
    check(
        include_str!("../../../tests/fixtures/get_completed.json"),
        &expect![[r#"
            Some(Completed) steps 13 searches 2 pages 1 usage true 
            thinking: Planning
            searching: tpu history
            searching: tpu v1 deployment 2015
            reading: example.com/tpu
            writing: report"#]],
    );
    check(
        include_str!("../../../tests/fixtures/get_failed.json"),
        &expect![[r#"
            Some(Failed) steps 0 searches 0 pages 0 usage false the provider ended the run as `failed`: The research agent failed.
        "#]],
    );
    check(
        include_str!("../../../tests/fixtures/get_cancelled.json"),
        &expect![[r#"
            Some(Cancelled) steps 3 searches 2 pages 0 usage true 
            thinking: Planning
            searching: tpu history
            searching: tpu v1 deployment 2015"#]],
    );
    check(
        include_str!("../../../tests/fixtures/get_unknown_everything.json"),
        &expect![[r#"
            None steps 2 searches 0 pages 0 usage false 
            writing: report"#]],
    );
}

#[test]
fn requires_action_is_an_end_and_a_success_only_with_nothing_left_to_do() {
    let ended = |steps: &str| {
        let body = format!(r#"{{"status":"requires_action","steps":[{steps}]}}"#);
        let interaction = Interaction::read(body.as_bytes()).unwrap();
        end(&interaction.status(), &interaction.steps)
    };
    let output = r#"{"type":"model_output","content":[]}"#;
    let call = r#"{"type":"function_call","id":"c1"}"#;
    let result = r#"{"type":"function_result","call_id":"c1"}"#;
    let thought = r#"{"type":"thought"}"#;
    assert_eq!(ended(output), Some(RemoteEnd::Completed));
    assert_eq!(ended(&format!("{output},{thought}")), Some(RemoteEnd::Completed));
    assert_eq!(ended(&format!("{call},{result},{output}")), Some(RemoteEnd::Completed));
    assert_eq!(ended(&format!("{call},{output}")), Some(RemoteEnd::Failed));
    assert_eq!(ended(&format!("{output},{call}")), Some(RemoteEnd::Failed));
    assert_eq!(ended(""), Some(RemoteEnd::Failed));
    let body = include_str!("../../../tests/fixtures/get_requires_action_but_finished_mcp_bug.json");
    let interaction = Interaction::read(body.as_bytes()).unwrap();
    assert_eq!(end(&interaction.status(), &interaction.steps), Some(RemoteEnd::Completed));
}

#[test]
fn news_are_only_what_came_after_the_known_steps() {
    let body = include_str!("../../../tests/fixtures/get_completed.json");
    let interaction = Interaction::read(body.as_bytes()).unwrap();
    assert_eq!(progress(&interaction, 13).news, []);
    assert_eq!(progress(&interaction, 4).news.len(), 2);
    assert_eq!(progress(&interaction, 3).news.len(), 2);
}

/// What a get with this body means for the run `v1_a`.
#[track_caller]
fn check_outcome(body: &[u8], expected: &str) {
    let outcome = match poll_outcome(&research(1), "v1_a", body.to_vec(), None, None) {
        EngineOutcome::Finished(finished) => {
            assert_eq!(finished.raw, body, "kept as it came");
            let cut = finished.progress.report_bytes_sent.map(|sent| format!(", cut from {sent}"));
            let text = finished.report.text.chars().take(40).collect::<String>();
            format!("finished {text:?} {} bytes{}", finished.report.text.len(), cut.unwrap_or_default())
        }
        EngineOutcome::Unreadable(answer) => {
            assert_eq!(answer.raw, body, "kept as it came");
            answer.problem.message
        }
        other => format!("{other:?}"),
    };
    assert_eq!(outcome, expected);
}

fn completed(id: &str, text: &str) -> String {
    format!(
        r#"{{"id":"{id}","status":"completed","steps":[{{"type":"model_output","content":[{{"type":"text","text":"{text}"}}]}}]}}"#
    )
}

#[test]
fn a_report_with_letters_that_no_text_can_hold_is_still_the_report() {
    check_outcome(
        completed("v1_a", r"half \ud800 of one").as_bytes(),
        "finished \"half \u{fffd} of one\" 15 bytes",
    );
    let mut broken = completed("v1_a", "one bad ? byte").into_bytes();
    let place = broken.iter().position(|byte| *byte == b'?').unwrap();
    broken[place] = 0xff;
    check_outcome(&broken, "finished \"one bad \u{fffd} byte\" 16 bytes");
}

#[test]
fn an_answer_about_another_run_is_not_taken_for_ours() {
    check_outcome(completed("v1_a", "ours").as_bytes(), "finished \"ours\" 4 bytes");
    check_outcome(completed("", "without an id").as_bytes(), "finished \"without an id\" 13 bytes");
    check_outcome(
        completed("v1_b", "not ours").as_bytes(),
        "the provider's answer cannot be read: it is about another run",
    );
}

#[test]
fn a_report_that_is_cut_says_from_which_size() {
    let kept = probity_research::report::REPORT_BYTES_MAX;
    let long = "x".repeat(kept + 5);
    let expected = format!("finished {:?} {kept} bytes, cut from {}", "x".repeat(40), kept + 5);
    check_outcome(completed("v1_a", &long).as_bytes(), &expected);
}
