use expect_test::expect;
use probity_research::{
    Code, CodedError, RunId,
    report::{Report, SourceLink, verification::BASIS_EVIDENCE},
    rounds::{Mode, RoundNote, RoundsRecord, RoundsStop},
    status::{RunStatus, RunSummary},
};
use serde_json::{Value, json};

use crate::answer::{ToolAnswer, ToolOutcome};

fn rounds_answer(summary: &RunSummary, report: &Report, record: &RoundsRecord) -> ToolAnswer {
    let report = Report { rounds: Some(Box::new(record.clone())), ..report.clone() };
    super::rounds_answer(summary, &report, summary.updated_at)
}

fn summary() -> RunSummary {
    serde_json::from_value(json!({
        "id": RunId::from_random(7), "status": "completed", "due": false, "query": "when?",
        "engine": "gemini-api", "agent": "auto", "asked_at": 1_794_700_000_000_i64,
        "updated_at": 1_794_700_061_500_i64, "ended_at": 1_794_700_061_500_i64, "progress_percent": 100,
        "progress_estimated": false, "current_action": "", "steps": 3, "searches": 2, "pages": 1,
        "attended_ms": 0, "cost": { "basis": "from-usage", "micro_usd": 123_456 }, "sources": 1,
    }))
    .unwrap()
}

fn note(round_number: u32) -> RoundNote {
    RoundNote {
        round_number,
        verified: round_number == 2,
        model_says_verified: round_number == 2,
        sources_visited: vec!["https://a.example/1".to_owned()],
        search_queries: vec!["first tpu".to_owned()],
        pages_read: 1,
        intermediate_result_summary: "It ran in 2015.".to_owned(),
        problem: None,
    }
}

fn record(manner: Mode) -> RoundsRecord {
    RoundsRecord {
        manner,
        iterations: 2,
        rounds_max: 5,
        verified: true,
        model_says_verified: true,
        model_unasked: false,
        verification_basis: BASIS_EVIDENCE.to_owned(),
        stop: RoundsStop::Verified,
        note: None,
        model: "gemini-3.8-flash".to_owned(),
        unresolved: Vec::new(),
        calls: 2,
        calls_uncounted: 0,
        rounds: vec![note(1), note(2)],
    }
}

fn report(text: &str) -> Report {
    Report {
        text: text.to_owned(),
        sources: vec![SourceLink { url: "https://a.example/1".to_owned(), title: "A".to_owned() }],
        queries: vec!["first tpu".to_owned()],
        ..Report::default()
    }
}

#[test]
fn a_deep_search_answers_in_the_promised_shape() {
    let answer = rounds_answer(&summary(), &report("It ran in 2015."), &record(Mode::DeepSearch));
    expect![[r#"
        {
          "metadata": {
            "cost_basis": "provider usage x price table",
            "cost_usd": 0.1235,
            "duration_minutes": 1.0,
            "duration_ms": 61500,
            "engine": "gemini-api",
            "iterations": 2,
            "mode": "sync",
            "model": "gemini-3.8-flash",
            "query": "when?",
            "rounds": [
              {
                "intermediate_result_summary": "It ran in 2015.",
                "model_says_verified": false,
                "pages_read": 1,
                "round_number": 1,
                "search_queries": [
                  "first tpu"
                ],
                "sources_visited": [
                  "https://a.example/1"
                ],
                "verified": false
              },
              {
                "intermediate_result_summary": "It ran in 2015.",
                "model_says_verified": true,
                "pages_read": 1,
                "round_number": 2,
                "search_queries": [
                  "first tpu"
                ],
                "sources_visited": [
                  "https://a.example/1"
                ],
                "verified": true
              }
            ],
            "search_queries_used": [
              "first tpu"
            ],
            "sources_visited": [
              "https://a.example/1"
            ],
            "stop": "verified",
            "timestamp": "2026-11-14T23:47:41.500Z",
            "tokens_used": null,
            "verification_basis": "the model confirms it, every cited address was returned by a search or a fetch, and two consecutive rounds agree; single claims were not checked",
            "verified": true
          },
          "model_says_verified": true,
          "result": "It ran in 2015.",
          "sources": [
            {
              "number": 1,
              "title": "A",
              "url": "https://a.example/1"
            }
          ],
          "status": "completed",
          "success": true,
          "task_id": "res_00000000000000000000000000000007",
          "verification_basis": "the model confirms it, every cited address was returned by a search or a fetch, and two consecutive rounds agree; single claims were not checked",
          "verified": true
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&answer.structured).unwrap());
    assert_eq!(answer.outcome, ToolOutcome::Success);
}

#[test]
fn one_round_answers_without_rounds() {
    for manner in [Mode::Search, Mode::DeepResearch] {
        let answer = rounds_answer(&summary(), &report("It ran in 2015."), &record(manner));
        assert_eq!(answer.structured["metadata"].get("rounds"), None);
        assert_eq!(answer.structured["metadata"]["iterations"], 2);
    }
}

#[test]
fn the_text_says_whether_it_is_verified_and_lists_its_sources() {
    let told = RoundsRecord {
        verified: false,
        stop: RoundsStop::Limit,
        note: Some("Verification was not completed: all 2 rounds were used.".to_owned()),
        ..record(Mode::DeepSearch)
    };
    let answer = rounds_answer(&summary(), &report("It ran in 2015.\n"), &told);
    expect![[r#"
        # when?
        res_00000000000000000000000000000007 · completed · 1 min · $0.12 · not verified: two consecutive rounds do not agree, or it cites nothing; single claims were not checked

        It ran in 2015.

        2 rounds, stop: limit
        round 1: not verified · 1 search · 1 page: It ran in 2015.
        round 2: verified · 1 search · 1 page: It ran in 2015.

        searched: first tpu

        model: gemini-3.8-flash (gemini-api) · tokens unknown · cost basis: provider usage x price table

        note: Verification was not completed: all 2 rounds were used.

        ## Sources
        1. A <https://a.example/1>"#]]
    .assert_eq(&answer.text);
    assert_eq!(answer.structured["note"], "Verification was not completed: all 2 rounds were used.");
}

#[test]
fn a_failed_round_says_why_and_addresses_of_the_model_alone_are_named() {
    let mut told = record(Mode::DeepSearch);
    told.rounds[1].problem = Some(CodedError::new(Code::Timeout, "no answer within 5 min"));
    told.unresolved = vec!["https://invented.example/".to_owned()];
    let metadata = rounds_answer(&summary(), &report("x"), &told).structured["metadata"].clone();
    assert_eq!(metadata["rounds"][1]["problem"], "TIMEOUT: no answer within 5 min");
    assert_eq!(metadata["model_only_sources"], json!(["https://invented.example/"]));
}

#[test]
fn what_was_cancelled_is_no_success_and_still_brings_its_best_answer() {
    let cancelled = RunSummary { status: RunStatus::Cancelled, ..summary() };
    let told = RoundsRecord { verified: false, stop: RoundsStop::Cancelled, ..record(Mode::Search) };
    let answer = rounds_answer(&cancelled, &report("It ran in 2015."), &told);
    assert_eq!(answer.outcome, ToolOutcome::Success);
    assert_eq!(answer.structured["success"], false);
    assert_eq!(answer.structured["result"], "It ran in 2015.");
    assert!(answer.structured["note"].is_string());
}

#[test]
fn a_flood_of_sources_searches_and_text_stays_bounded() {
    let mut flood = report(&"# A heading\nwords and words\n".repeat(50_000));
    let source = |number: usize| SourceLink {
        url: format!("https://a.example/{number}/{}", "x".repeat(9_000)),
        title: String::new(),
    };
    flood.sources = (0..5_000).map(source).collect();
    flood.queries = vec!["q\n".repeat(2_000); 5_000];
    let mut told = record(Mode::DeepSearch);
    told.rounds = (1..=20).map(note).collect();
    for round in &mut told.rounds {
        round.sources_visited = vec!["https://b.example/".to_owned(); 5_000];
    }
    let answer = rounds_answer(&summary(), &flood, &told);
    let text = |value: &Value| value.to_string().len();
    assert!(text(&answer.structured["result"]) < 60_000);
    assert!(text(&answer.structured) < 500_000, "{}", text(&answer.structured));
    assert_eq!(answer.structured["metadata"]["sources_total"], 5_000);
    assert!(answer.structured["next_cursor"].is_string());
}
