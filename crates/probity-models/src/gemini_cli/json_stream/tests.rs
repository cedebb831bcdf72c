use std::{fs, path::Path};

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::{CliResult, JsonStreamReader};
use crate::{
    gemini_cli::{CliEvent, answer_collector::AnswerCollector, session_record::SessionRecord},
    secret::ApiKey,
};

fn read(text: &str) -> (JsonStreamReader, Vec<CliEvent>, crate::gemini_cli::CliReply) {
    let key = ApiKey::parse("AIza-canary").unwrap();
    let (mut stream, mut account) = (JsonStreamReader::default(), AnswerCollector::new(&key));
    for line in text.lines() {
        account.record_line(line);
        stream.read_line(line, &mut account);
    }
    let mut heard = Vec::new();
    while let Some(next) = account.next_event() {
        heard.push(next);
    }
    (stream, heard, account.finish(Ok(()), SessionRecord::default()))
}

#[track_caller]
fn check(case: &str, expected: Expect) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/cli").join(case).join("stdout.txt");
    let (stream, heard, ended) = read(&fs::read_to_string(path).unwrap());
    let heard: Vec<String> = heard.iter().map(|heard| format!("  {heard:?}\n")).collect();
    expected.assert_eq(&format!(
        "{:?}\n{}text {:?}\nqueries {:?}\npages {:?}\nmodels {:?}\nusage {:?}\n",
        stream.verdict,
        heard.concat(),
        ended.text,
        ended.queries,
        ended.pages,
        ended.models,
        ended.usage,
    ));
}

#[test]
fn a_search_and_its_answer() {
    check(
        "search_stream_json",
        expect![[r##"
        Some(Success)
          Searched("tpu history")
          Searched("tpu v1 year")
          Wrote("```json\n{\"success\":true,\"verified\":false,\"report\":\"# TPU\\nTPU v1 was deployed in 2015 [1].\",\"met")
          Wrote("adata\":{\"sources_visited\":[\"https://example.com/tpu\"],\"search_queries_used\":[\"tpu history\"]}}\n```")
        text "```json\n{\"success\":true,\"verified\":false,\"report\":\"# TPU\\nTPU v1 was deployed in 2015 [1].\",\"metadata\":{\"sources_visited\":[\"https://example.com/tpu\"],\"search_queries_used\":[\"tpu history\"]}}\n```"
        queries ["tpu history", "tpu v1 year"]
        pages []
        models ["gemini-3-flash-preview", "gemini-3.8-flash"]
        usage Some(Usage { input_tokens: 2100, cached_tokens: 0, output_tokens: 280, thought_tokens: 0, tool_use_tokens: 1860, total_tokens: 4240, searches: 2 })
    "##]],
    );
}

#[test]
fn an_answer_of_a_chosen_and_of_an_automatic_model() {
    check(
        "oneshot_stream_json",
        expect![[r##"
        Some(Success)
          Wrote("```json\n{\"success\":true,\"verified\":false,\"report\":\"# TPU\\nTPU v1 was deployed in 2015 [1].\",\"met")
          Wrote("adata\":{\"sources_visited\":[\"https://example.com/tpu\"],\"search_queries_used\":[\"tpu history\"]}}\n```")
        text "```json\n{\"success\":true,\"verified\":false,\"report\":\"# TPU\\nTPU v1 was deployed in 2015 [1].\",\"metadata\":{\"sources_visited\":[\"https://example.com/tpu\"],\"search_queries_used\":[\"tpu history\"]}}\n```"
        queries []
        pages []
        models ["gemini-3.8-flash"]
        usage Some(Usage { input_tokens: 1000, cached_tokens: 0, output_tokens: 120, thought_tokens: 0, tool_use_tokens: 30, total_tokens: 1150, searches: 0 })
    "##]],
    );
    check(
        "auto_stream_json",
        expect![[r##"
        Some(Success)
          Wrote("```json\n{\"success\":true,\"verified\":false,\"report\":\"# TPU\\nTPU v1 was deployed in 2015 [1].\",\"met")
          Wrote("adata\":{\"sources_visited\":[\"https://example.com/tpu\"],\"search_queries_used\":[\"tpu history\"]}}\n```")
        text "```json\n{\"success\":true,\"verified\":false,\"report\":\"# TPU\\nTPU v1 was deployed in 2015 [1].\",\"metadata\":{\"sources_visited\":[\"https://example.com/tpu\"],\"search_queries_used\":[\"tpu history\"]}}\n```"
        queries []
        pages []
        models ["gemini-3.5-flash-lite", "gemini-3.8-flash"]
        usage Some(Usage { input_tokens: 2000, cached_tokens: 0, output_tokens: 240, thought_tokens: 0, tool_use_tokens: 60, total_tokens: 2300, searches: 0 })
    "##]],
    );
}

#[test]
fn a_fetch_that_was_refused_is_no_page() {
    check(
        "fetch_policy",
        expect![[r##"
        Some(Success)
          Fetching("https://example.com/tpu")
          Wrote("```json\n{\"success\":true,\"verified\":false,\"report\":\"# TPU\\nTPU v1 was deployed in 2015 [1].\",\"met")
          Wrote("adata\":{\"sources_visited\":[\"https://example.com/tpu\"],\"search_queries_used\":[\"tpu history\"]}}\n```")
        text "```json\n{\"success\":true,\"verified\":false,\"report\":\"# TPU\\nTPU v1 was deployed in 2015 [1].\",\"metadata\":{\"sources_visited\":[\"https://example.com/tpu\"],\"search_queries_used\":[\"tpu history\"]}}\n```"
        queries []
        pages []
        models ["gemini-3.8-flash"]
        usage Some(Usage { input_tokens: 2000, cached_tokens: 0, output_tokens: 240, thought_tokens: 0, tool_use_tokens: 60, total_tokens: 2300, searches: 0 })
    "##]],
    );
}

#[test]
fn failures_tell_their_reason() {
    check(
        "max_turns_stream",
        expect![[r#"
        Some(Failed("Reached max session turns for this session. Increase the number of turns by specifying maxSessionTurns in settings.json."))
          Searched("again 1794697786490642920")
          Searched("again 1794697786639535002")
          Searched("again 1794697786716383710")
          Searched("again 1794697786789681053")
        text ""
        queries ["again 1794697786490642920", "again 1794697786639535002", "again 1794697786716383710", "again 1794697786789681053"]
        pages []
        models ["gemini-3-flash-preview", "gemini-3.8-flash"]
        usage Some(Usage { input_tokens: 4200, cached_tokens: 0, output_tokens: 560, thought_tokens: 0, tool_use_tokens: 3720, total_tokens: 8480, searches: 4 })
    "#]],
    );
    check(
        "err_429day_stream",
        expect![[r#"
        Some(Failed("[API Error: You have exhausted your daily quota on this model.]\nPlease wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method"))
        text ""
        queries []
        pages []
        models []
        usage None
    "#]],
    );
}

#[test]
fn an_answer_without_text_is_a_failure_in_the_words_of_the_error_before_it() {
    let (stream, _, _) = read(
        "{\"type\":\"error\",\"severity\":\"error\",\"message\":\"an empty response\"}\n\
         {\"type\":\"result\",\"status\":\"error\",\"stats\":{\"total_tokens\":0}}",
    );
    assert_eq!(stream.verdict, Some(CliResult::Failed("an empty response".to_owned())));
}

#[test]
fn what_was_said_before_a_tool_was_used_is_not_the_answer() {
    let said = |text: &str| {
        format!("{{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"{text}\",\"delta\":true}}\n")
    };
    let used = "{\"type\":\"tool_use\",\"tool_name\":\"read_file\",\"tool_id\":\"1\",\"parameters\":{}}\n";
    let (_, _, ended) = read(&format!("{}{used}{}{}", said("let me look"), said("the "), said("answer")));
    assert_eq!(ended.text, "the answer");
}

#[test]
fn the_key_is_in_nothing_that_is_passed_on() {
    let (_, heard, ended) = read(
        r#"{"type":"tool_use","tool_name":"google_web_search","tool_id":"1","parameters":{"query":"AIza-canary"}}
           {"type":"tool_use","tool_name":"web_fetch","tool_id":"2","parameters":{"prompt":"https://x.example/AIza-canary"}}
           {"type":"tool_result","tool_id":"2","status":"success"}
           {"type":"message","role":"assistant","content":"AIza-canary"}"#,
    );
    assert_eq!((ended.text.as_str(), ended.pages.len(), heard.len()), ("[key]", 1, 3));
    let shown = format!("{heard:?} {ended:?} {}", String::from_utf8_lossy(&ended.raw));
    assert!(!shown.contains("canary"), "{shown}");
}

proptest! {
    #[test]
    fn no_line_breaks_the_reader(lines in prop::collection::vec(any::<String>(), 0..6)) {
        let (stream, _, _) = read(&lines.join("\n"));
        prop_assert_ne!(stream.verdict, Some(CliResult::Success));
    }
}
