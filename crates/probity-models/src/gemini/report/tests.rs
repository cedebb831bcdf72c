use expect_test::{Expect, expect};
use probity_research::report::{REPORT_BYTES_MAX, Report};
use proptest::prelude::*;

use super::{assemble, usage};
use crate::gemini::wire::Interaction;

fn read(body: &str) -> super::ReportAssembly {
    assemble(&Interaction::read(body.as_bytes()).unwrap().steps)
}

fn shown(report: &Report) -> String {
    let mut out = String::new();
    for citation in &report.citations {
        let words = report.text.get(citation.start..citation.end).unwrap();
        out.push_str(&format!("{words:?} -> {}\n", citation.source));
    }
    for source in &report.sources {
        out.push_str(&format!("{} = {}\n", source.title, source.url));
    }
    out.push_str(&format!("queries: {}\n", report.queries.join(", ")));
    out
}

#[track_caller]
fn check(body: &str, expected: &Expect) {
    expected.assert_eq(&shown(&read(body).report));
}

#[test]
fn blocks_are_joined_and_byte_offsets_move_with_them() {
    let body = include_str!("../../../tests/fixtures/get_completed.json");
    check(
        body,
        &expect![[r#"
            "TPU v1 was deployed in 2015 [cite: 1]" -> 0
            "Später folgte TPU v4 – 4096 chips per pod" -> 1
            example.com = https://vertexaisearch.cloud.google.com/grounding-api-redirect/AAA
            TPU = https://example.com/tpu
            Place = https://maps.google.com/x
            queries: tpu history, tpu v1 deployment 2015
        "#]],
    );
    let assembled = read(body);
    assert_eq!(assembled.blocks_skipped, 1);
    assert!(assembled.report.text.starts_with("# Report\n\nTPU v1"));
    assert!(assembled.report.text.contains("[cite: 1]. Später folgte"));
}

#[test]
fn hostile_offsets_titles_and_addresses_do_no_harm() {
    check(
        r##"{"steps":[{"type":"model_output","content":[{"type":"text","text":"aßb","annotations":[
            {"url":"https://a.example/1","title":"past the end","start_index":1,"end_index":999},
            {"url":"https://a.example/2","title":"reversed","start_index":3,"end_index":1},
            {"url":"https://a.example/3","title":"inside a letter","start_index":2,"end_index":2},
            {"url":"https://a.example/4","title":"no end","start_index":0},
            {"url":"https://a.example/5","title":"no start\u001b[2J\u202e","end_index":1},
            {"url":"https://a.example/6","title":"negative","start_index":-4,"end_index":-1},
            {"url":"https://a.example/7","start_index":"0","end_index":"4"},
            {"url":"javascript:alert(1)","title":"script","start_index":0,"end_index":1},
            {"url":"https://a.example/ b\n","title":"two lines","start_index":0,"end_index":1},
            {"url":"https://a.example/1","title":"again","start_index":0,"end_index":1},
            7, null]}]}]}"##,
        &expect![[r#"
            "ßb" -> 0
            "ß" -> 2
            "a" -> 4
            "aßb" -> 6
            "a" -> 0
            past the end = https://a.example/1
            reversed = https://a.example/2
            inside a letter = https://a.example/3
            no end = https://a.example/4
            no start[2J = https://a.example/5
            negative = https://a.example/6
            a.example = https://a.example/7
            queries: 
        "#]],
    );
}

#[test]
fn pages_that_were_read_are_sources_and_others_are_not() {
    check(
        include_str!("../../../tests/fixtures/get_incomplete.json"),
        &expect![[r#"
            example.com = https://example.com/tpu
            queries: tpu history, tpu v1 deployment 2015
        "#]],
    );
}

#[test]
fn a_report_without_bound_is_cut_between_letters() {
    let block = "ß".repeat(REPORT_BYTES_MAX / 4);
    let content = format!(
        r#"{{"type":"text","text":"{block}","annotations":[{{"url":"https://a.example","end_index":{}}}]}}"#,
        block.len()
    );
    let body = format!(
        r#"{{"steps":[{{"type":"model_output","content":[{{"type":"text","text":"x"}},{content},{content},{content}]}}]}}"#
    );
    let report = read(&body).report;
    assert_eq!(report.text.len(), REPORT_BYTES_MAX - 1);
    assert_eq!(report.citations.len(), 2);
}

#[test]
fn usage_that_was_not_counted_is_none() {
    let read = |usage_json: &str| {
        let raw = serde_json::from_str::<Box<serde_json::value::RawValue>>(usage_json).unwrap();
        usage(Some(&raw), 9).map(|usage| (usage.input_tokens, usage.output_tokens, usage.searches))
    };
    assert_eq!(usage(None, 9), None);
    for nothing in ["{}", "null", "7", r#"{"total_tokens":10}"#, r#"{"total_input_tokens":-1}"#] {
        assert_eq!(read(nothing), None, "{nothing}");
    }
    let counted = r#"{"total_input_tokens":5,"total_output_tokens":"7","grounding_tool_count":[
        {"type":"google_search","count":80},{"type":"google_maps","count":3},{"type":"google_search","count":2}]}"#;
    assert_eq!(read(counted), Some((5, 7, 82)));
    assert_eq!(read(r#"{"total_input_tokens":5}"#), Some((5, 0, 9)));
}

proptest! {
    #[test]
    fn every_citation_is_a_range_of_the_text(
        blocks in proptest::collection::vec(("[aß🙂\n]{0,8}", any::<i64>(), any::<i64>(), 0_i64..40, 0_i64..40), 0..6),
    ) {
        let content: Vec<serde_json::Value> = blocks.iter().map(|(text, wild_start, wild_end, start, end)| {
            serde_json::json!({"type": "text", "text": text, "annotations": [
                {"url": "https://a.example", "start_index": wild_start, "end_index": wild_end},
                {"url": "https://b.example", "start_index": start, "end_index": end},
            ]})
        }).collect();
        let body = serde_json::json!({"steps": [{"type": "model_output", "content": content}]}).to_string();
        let report = read(&body).report;
        let joined: String = blocks.iter().map(|block| block.0.as_str()).collect();
        prop_assert_eq!(&report.text, &joined);
        for citation in &report.citations {
            prop_assert!(report.text.get(citation.start..citation.end).is_some_and(|words| !words.is_empty()));
            prop_assert!(citation.source < report.sources.len());
        }
    }
}
