use proptest::prelude::*;

use super::{SessionRecord, addresses_in, parse};

const RECORDED: &str = include_str!("../../../tests/fixtures/cli/session_file_search.jsonl");

#[test]
fn a_recorded_session_names_its_model_its_searches_and_where_they_led() {
    expect_test::expect![[r#"
        SessionRecord {
            model: Some(
                "gemini-3.8-flash",
            ),
            models: {
                "gemini-3.8-flash",
            },
            queries: [
                "tpu history",
                "tpu v1 year",
            ],
            sources: [
                SourceLink {
                    url: "https://vertexaisearch.cloud.google.com/grounding-api-redirect/AAA",
                    title: "example.com",
                },
                SourceLink {
                    url: "https://vertexaisearch.cloud.google.com/grounding-api-redirect/BBB",
                    title: "wikipedia.org",
                },
            ],
            pages: [],
            usage: Some(
                Usage {
                    input_tokens: 2000,
                    cached_tokens: 0,
                    output_tokens: 240,
                    thought_tokens: 60,
                    tool_use_tokens: 0,
                    total_tokens: 2300,
                    searches: 0,
                },
            ),
        }
    "#]]
    .assert_debug_eq(&parse(RECORDED));
}

#[test]
fn what_was_searched_and_read_with_firecrawl_counts() {
    let line = |id: &str, name: &str, status: &str, args: serde_json::Value, output: &str| {
        let result = serde_json::json!([{ "functionResponse": { "response": { "output": output } } }]);
        let call = serde_json::json!({ "name": name, "status": status, "result": result, "args": args });
        serde_json::json!({ "type": "gemini", "id": id, "model": "m", "toolCalls": [call] }).to_string()
            + "\n"
    };
    let (search, scrape) = ("mcp_firecrawl_firecrawl_search", "mcp_mine_firecrawl_scrape");
    let found = r#"{"web":[{"url":"https://a.example/x","title":"A"},{"url":"javascript:1"},{"url":7}]}"#;
    let found = &format!("<untrusted_context>\n{found}\n</untrusted_context>");
    let url = |text: &str| serde_json::json!({ "url": text });
    let record = parse(
        &[
            line("1", search, "success", serde_json::json!({ "query": "mill fire" }), found),
            line("2", scrape, "success", url("https://a.example/x"), "# A"),
            line("3", scrape, "error", url("https://b.example/"), "no"),
            line("4", "mcp_other_scrape", "success", url("https://c.example/"), "# C"),
            line("5", search, "success", serde_json::json!({ "query": "again" }), "no JSON"),
        ]
        .concat(),
    );
    assert_eq!(record.queries, ["mill fire", "again"]);
    assert_eq!(record.pages, ["https://a.example/x"]);
    let sources: Vec<&str> = record.sources.iter().map(|source| source.url.as_str()).collect();
    assert_eq!(sources, ["https://a.example/x"]);
}

#[test]
fn a_page_counts_only_if_it_was_fetched() {
    let line = |status: &str, output: &str| {
        let result = serde_json::json!([{ "functionResponse": { "response": { "output": output } } }]);
        let call = serde_json::json!({
            "name": "web_fetch", "status": status, "result": result,
            "args": { "prompt": "Compare https://a.example/x and http://10.0.0.1/ with ftp://b.example" },
        });
        serde_json::json!({ "type": "gemini", "id": "1", "model": "m", "toolCalls": [call] }).to_string()
    };
    let pages = |status, output| parse(&line(status, output)).pages;
    assert_eq!(pages("success", "fine"), ["https://a.example/x", "http://10.0.0.1/"]);
    let skipped = "[Warning] The following URLs were skipped:\n[Blocked Host] http://10.0.0.1/\n\ntext";
    assert_eq!(pages("success", skipped), ["https://a.example/x"]);
    assert_eq!(pages("success", "Error: All requested URLs were skipped: x"), Vec::<String>::new());
    assert_eq!(pages("error", "fine"), Vec::<String>::new());
}

#[test]
fn links_that_are_no_web_addresses_are_passed_over() {
    assert_eq!(addresses_in("file:///etc/passwd javascript://x data:,x x://y nothing"), Vec::<String>::new());
}

#[test]
fn a_message_that_grew_is_counted_once() {
    let grown = RECORDED.lines().filter(|line| line.contains("toolCalls")).collect::<Vec<_>>().join("\n");
    let twice = format!("{RECORDED}\n{grown}");
    assert_eq!(parse(&twice).usage, parse(RECORDED).usage);
}

proptest! {
    #[test]
    fn no_record_breaks_the_reader(lines in prop::collection::vec(any::<String>(), 0..5), cut in 0_usize..5_000) {
        let recorded: String = RECORDED.chars().skip(cut % 700).take(cut).collect();
        let record: SessionRecord = parse(&format!("{}\n{recorded}", lines.join("\n")));
        prop_assert!(record.sources.iter().all(|source| source.url.starts_with("http")));
    }
}
