//! What the program says about itself, held against what happened: over every scenario of the simulated provider, by the
//! terminal, `--json`, MCP, the saved file and the local page. REST, which only a fleet serves, is read the same way in
//! `crates/probity-server/tests/it/rest`. A sentence about money, the provider or the work done is right or it is not said.

use std::fs;

use probity_simulator::TurnCharge;
use serde_json::{Value, json};

use crate::{
    client::{Client, Era},
    harness::{World, figure, side_by_side},
    strangers::Page,
};

/// Scenarios that end by themselves within seconds.
const SCENARIOS: &[&str] = &[
    "completed",
    "queued",
    "partial",
    "drop-after",
    "no-event-id",
    "early-404",
    "early-403",
    "cancel-ok",
    "cancel-400",
    "cancel-404-array",
    "usage-missing",
    "requires-action-finished",
    "unknown-enums",
    "empty-report",
    "error-400",
    "error-401",
    "error-403",
    "error-404-array",
    "error-429-daily",
    "error-503-json",
    "create-lost",
    "create-html",
    "create-cut-after-id",
    "create-billed",
    "failed",
    "incomplete",
    "budget-exceeded",
    "stream-error",
    "stream-only-final",
    "crlf",
    "garbage-get",
];

/// What happened, as the provider and the journal know it.
struct Truth {
    /// The provider took at least one request for which it charges.
    billed: bool,
    /// The provider named a run of its own.
    taken: bool,
    searches: u64,
    sources: u64,
    status: String,
    report: bool,
    notifies: bool,
}

/// Words, and what must be so where they are said.
type Rule = (&'static str, fn(&Truth) -> bool);

const RULES: &[Rule] = &[
    ("nothing paid", |truth| !truth.billed),
    ("nothing was paid", |truth| !truth.billed),
    ("nothing was billed", |truth| !truth.billed),
    ("nothing was started", |truth| !truth.billed),
    ("$0.00", |truth| !truth.billed),
    ("goes on at the provider", |truth| truth.taken),
    ("the provider has not taken it", |truth| !truth.taken),
    ("before the provider took it", |truth| !truth.taken),
    ("there was nothing to keep", |truth| truth.searches == 0 && !truth.report),
    ("partial results are kept", |truth| truth.report),
    ("Notification when complete", |truth| truth.notifies),
    ("all 0 factual sentences", |_| false),
    ("judged by", |_| false),
    ("every factual sentence is supported", |_| false),
    ("is verified", |_| false),
    ("✓ completed", |truth| truth.status == "completed"),
    ("0 sources", |truth| truth.sources == 0),
];

fn truth(world: &World, document: &Value) -> Truth {
    let ledger = world.ledger();
    let turns = ledger.turns().iter().any(|turn| turn.charge == TurnCharge::Charged);
    Truth {
        billed: !ledger.entries().is_empty() || turns,
        taken: document["remote_id"].is_string(),
        searches: document["progress"]["searches"].as_u64().unwrap_or_default(),
        sources: document["sources_count"].as_u64().unwrap_or_default(),
        status: document["status"].as_str().unwrap_or_default().to_owned(),
        report: document["report"].is_string(),
        // Where these tests run there is no desktop to notify.
        notifies: false,
    }
}

/// The words of a report are not the program's own.
fn without_report(said: &str, document: &Value) -> String {
    document["report"].as_str().map_or_else(|| said.to_owned(), |report| said.replace(report.trim(), ""))
}

/// Whether a text contains a sentence as words of its own: a random id that ends in 0 before `sources` is none.
fn says(text: &str, sentence: &str) -> bool {
    text.match_indices(sentence).any(|(at, _)| {
        let before = &text[..at];
        !before.ends_with(char::is_alphanumeric) && !RULE_LABELS.iter().any(|label| before.ends_with(label))
    })
}

/// What stands before a rule that is called one; anywhere else it would be an outcome.
const RULE_LABELS: [&str; 3] =
    ["A report is called verified when ", "\"rule_in_words\": \"", "\"rule_in_words\":\""];

/// What a page shows: its text without tags, styles and scripts, each run of blanks as one.
fn visible(html: &str) -> String {
    let mut shown = String::new();
    for part in html.split('<') {
        let (tag, text) = part.split_once('>').unwrap_or(("", part));
        let is_hidden = tag.starts_with("script") || tag.starts_with("style");
        shown.push(' ');
        shown.push_str(if is_hidden { "" } else { text });
    }
    let shown =
        shown.replace("&#x27;", "'").replace("&#39;", "'").replace("&quot;", "\"").replace("&amp;", "&");
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Everything that is said about one run, by way.
fn said(world: &World, scenario: &str) -> (Value, Vec<(&'static str, String)>) {
    let question = format!("[[{scenario}]] x");
    let first = world.run(&["research", "--max-time", "20s", &question]);
    let mut said = vec![("research", format!("{}\n{}", first.err, first.out))];
    let listed = world.json(&["runs", "list", "--json"]);
    let id = listed["researches"][0]["task_id"].as_str().unwrap_or_default().to_owned();
    let document = world.json(&["runs", "show", &id, "--json"]);
    for (way, arguments) in
        [("runs show", vec!["runs", "show", &id]), ("runs watch", vec!["runs", "watch", &id])]
    {
        let done = world.run(&arguments);
        said.push((way, format!("{}\n{}", done.err, done.out)));
    }
    let mut client = Client::open(world, Era::Old, &[]);
    for tool in ["check_research_status", "get_research_results", "cancel_research"] {
        said.push((tool, client.call(tool, json!({ "task_id": id })).to_string()));
    }
    said.push(("list_research", client.call("list_research", json!({})).to_string()));
    let saved = client.call("save_research_to_markdown", json!({ "task_id": id }));
    let path = saved["structuredContent"]["file_path"].as_str();
    let file = path.map(|path| fs::read_to_string(path).unwrap()).unwrap_or_default();
    said.push(("saved file", format!("{saved}\n{file}")));
    client.leave();
    let json = world.run(&["runs", "show", &id, "--json"]);
    said.push(("--json", format!("{}\n{}", json.err, json.out)));
    let page = Page::open(world, &[]);
    let cookie = page.log_in();
    for (way, path) in [("page", format!("/research/{id}")), ("library", "/".to_owned())] {
        let (status, html) = page.get(&path, &[("host", &page.host), ("cookie", &cookie)]);
        assert_eq!(status, 200, "{html}");
        said.push((way, visible(&html)));
    }
    (document, said)
}

#[test]
fn nothing_untrue_is_said_about_a_run() {
    let untrue = std::sync::Mutex::new(Vec::new());
    let checked = std::sync::atomic::AtomicUsize::new(0);
    side_by_side(2, SCENARIOS, |scenario| {
        let world = World::new();
        let (document, said) = said(&world, scenario);
        let truth = truth(&world, &document);
        for (way, words) in said {
            let words = without_report(&words, &document);
            for (sentence, holds) in RULES.iter().filter(|(sentence, _)| says(&words, sentence)) {
                checked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                if !holds(&truth) {
                    untrue.lock().unwrap().push(format!("{scenario}, {way}: {sentence:?}"));
                }
            }
        }
    });
    let untrue = untrue.into_inner().unwrap();
    let checked = checked.into_inner();
    figure("sentences.untrue", &format!("{} of {checked}", untrue.len()));
    assert!(untrue.is_empty(), "{}", untrue.join("\n"));
    assert!(checked > 40, "{checked}");
}
