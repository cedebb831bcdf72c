//! What each way of showing a run says about it, as facts by name.

use std::collections::BTreeMap;

use serde_json::Value;

/// What one way says: facts by name. A way that does not show a fact leaves it out.
pub struct Telling {
    pub way: &'static str,
    pub facts: BTreeMap<&'static str, String>,
}

impl Telling {
    fn new(way: &'static str) -> Self {
        Self { way, facts: BTreeMap::new() }
    }

    fn with(mut self, fact: &'static str, value: Option<String>) -> Self {
        self.facts.extend(value.map(|value| (fact, value)));
        self
    }
}

fn string(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn dollars(value: &Value) -> Option<String> {
    value.as_f64().map(rounded)
}

/// To hundredths of a cent, as the tools round: half of one counts up.
fn rounded(dollars: f64) -> String {
    format!("{:.4}", (dollars * 10_000.0).round() / 10_000.0)
}

/// The facts that structured answers of all tools and ways name alike.
pub fn of_answer(way: &'static str, answer: &Value) -> Telling {
    let results = if answer["results"].is_object() { &answer["results"] } else { answer };
    let metadata = &results["metadata"];
    let text = string(&results["report"]).or_else(|| string(&results["result"]));
    Telling::new(way)
        .with("status", string(&answer["status"]))
        .with("verified", string(&results["verified"]))
        .with("reason", string(&results["verification_basis"]))
        .with("cost", dollars(&metadata["cost_usd"]).or_else(|| dollars(&answer["cost_usd"])))
        .with("cost basis", string(&metadata["cost_basis"]).or_else(|| string(&answer["cost_basis"])))
        .with("tokens in", string(&metadata["tokens_used"]["input"]))
        .with("tokens out", string(&metadata["tokens_used"]["output"]))
        .with("model", string(&metadata["model"]))
        .with("engine", string(&metadata["engine"]))
        .with("stop", string(&metadata["stop"]))
        .with("rounds", string(&metadata["iterations"]))
        .with("searches made", string(&metadata["search_queries_used"]))
        .with("ended", string(&metadata["timestamp"]))
        .with("sources", results["sources"].as_array().map(|sources| sources.len().to_string()))
        .with("first source", string(&results["sources"][0]["url"]))
        .with("error", string(&answer["error"]["code"]))
        .with("work done", string(&answer["work_done"]))
        .with("text", text.map(|text| text.trim().to_owned()))
}

pub fn of_document(way: &'static str, document: &Value) -> Telling {
    Telling::new(way)
        .with("status", string(&document["status"]))
        .with("verified", document["report"].is_string().then(|| document["verified"].to_string()))
        .with("reason", string(&document["verification_basis"]).filter(|_| document["report"].is_string()))
        .with("cost", dollars(&document["cost_usd"]))
        .with("cost basis", string(&document["cost_basis"]))
        .with("model", string(&document["rounds"]["model"]))
        .with("engine", string(&document["engine"]))
        .with("stop", string(&document["rounds"]["stop"]))
        .with("rounds", string(&document["rounds"]["iterations"]))
        .with("ended", string(&document["ended_at"]))
        .with(
            "sources",
            document["report"].is_string().then(|| document["sources"].as_array().unwrap().len().to_string()),
        )
        .with("first source", string(&document["sources"][0]["url"]))
        .with("error", string(&document["problem"]["code"]))
        .with("work done", string(&document["work_done"]))
        .with("searches", string(&document["progress"]["searches"]))
        .with("text", string(&document["report"]).map(|text| text.trim().to_owned()))
}

/// `name: value` lines of front matter.
pub fn of_file(way: &'static str, file: &str) -> Telling {
    let value = |name: &str| {
        let line = file.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")))?;
        let value = serde_json::from_str::<Value>(line).ok()?;
        (value != "unknown").then(|| string(&value)).flatten()
    };
    Telling::new(way)
        .with("status", value("status").map(|status| status.replace(' ', "_")))
        .with("verified", value("verified"))
        .with("reason", value("verification_basis"))
        .with("cost", value("cost_usd").map(|cost| rounded(cost.parse().unwrap())))
        .with("tokens in", value("tokens_input"))
        .with("tokens out", value("tokens_output"))
        .with("sources", value("sources_count"))
        .with("ended", value("ended_at"))
}

/// The head of the results tool's text: `id · status · 0.1 min · $0.12 · not verified: why`.
pub fn of_text(way: &'static str, text: &str) -> Telling {
    let head = text.lines().nth(1).unwrap_or_default();
    let parts: Vec<&str> = head.splitn(5, " · ").collect();
    let Some((word, reason)) = parts.get(4).and_then(|outcome| outcome.split_once(": ")) else {
        return Telling::new(way);
    };
    Telling::new(way)
        .with("status", parts.get(1).map(|status| (*status).to_owned()))
        .with("verified", Some((word == "verified").to_string()))
        .with("reason", Some(reason.to_owned()))
}

pub fn of_report(way: &'static str, report: &Value) -> Telling {
    Telling::new(way)
        .with("status", string(&report["answer"]["status"]))
        .with("verified", string(&report["verified"]["verified"]))
        .with("reason", string(&report["verified"]["reason"]))
        .with("cost", report["answer"]["cost_micro_usd"].as_u64().map(|cost| rounded(cost as f64 / 1e6)))
        .with("engine", string(&report["answer"]["engine"]))
        .with("model", string(&report["answer"]["model"]))
        .with("sources", report["sources"].as_array().map(|sources| sources.len().to_string()))
        .with("first source", string(&report["sources"][0]["url"]))
        .with("ended", string(&report["answer"]["ended_at"]))
}

/// Rows of `runs show`: a name, spaces, a value that may go on below.
pub fn of_terminal(way: &'static str, shown: &str) -> Telling {
    let words: Vec<&str> = shown.split_whitespace().collect();
    // `✗ res_… timed out`, wherever it stands: without a report it is the answer itself.
    let id = words.windows(2).position(|pair| pair[0].chars().count() == 1 && pair[1].starts_with("res_"));
    let status = id.and_then(|place| words.get(place + 2)).map(|word| match *word {
        "timed" => "timed_out".to_owned(),
        "over" => "over_budget".to_owned(),
        "running" => "running_async".to_owned(),
        word => word.to_owned(),
    });
    let words = words.join(" ");
    let verified = [("yes", true), ("no", false)]
        .into_iter()
        .find(|(word, _)| words.contains(&format!(" verified {word}; ")))
        .map(|(_, verified)| verified.to_string());
    Telling::new(way).with("status", status).with("verified", verified)
}

/// The page has words of its own for a status.
fn status_on_page(word: &str) -> &str {
    match word {
        "starting" => "pending",
        "running" => "running_async",
        "timed out" => "timed_out",
        "over budget" => "over_budget",
        same => same,
    }
}

pub fn of_page(way: &'static str, page: &str) -> Telling {
    let between = |before: &str, after: &str| {
        let rest = page.split_once(before)?.1;
        Some(rest.split_once(after)?.0)
    };
    let state = between("<span class=\"state ", "</span>").and_then(|state| Some(state.split_once('>')?.1));
    let verified =
        [("badge yes", true), ("badge no", false)].into_iter().find(|(class, _)| page.contains(class));
    let reason = page.split_once("<p class=\"badge ").and_then(|(_, rest)| {
        let inside = rest.split_once("<span>")?.1.split_once("</span>")?.0;
        Some(inside.replace("&#39;", "'").replace("&quot;", "\"").replace("&amp;", "&"))
    });
    let error = between("<p class=\"notice poor\"><b>", "</b>");
    Telling::new(way)
        .with("status", state.map(|word| status_on_page(word).to_owned()))
        .with("verified", verified.map(|(_, verified)| verified.to_string()))
        .with("reason", reason)
        .with("error", error.map(str::to_owned))
}

/// A card of the page's library; a seal that says `not checked` tells nothing about the text.
pub fn of_card(way: &'static str, library: &str, id: &str) -> Telling {
    let card = library.split_once(&format!("href=\"/research/{id}\"")).map_or("", |(_, rest)| rest);
    let card = card.split("</li>").next().unwrap_or_default();
    let state = card.split_once("<span class=\"state ").and_then(|(_, rest)| {
        let inside = rest.split_once("</span>")?.0;
        Some(inside.split_once('>')?.1)
    });
    let verified =
        [("seal yes", true), ("seal no\"", false)].into_iter().find(|(class, _)| card.contains(class));
    Telling::new(way)
        .with("status", state.map(|word| status_on_page(word).to_owned()))
        .with("verified", verified.map(|(_, verified)| verified.to_string()))
}

/// `check_research_status`.
pub fn of_status(way: &'static str, status: &Value) -> Telling {
    // A cancel that the provider refused is told there too, in words and without a code.
    let is_code = |word: &&str| word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let code = status["problem"].as_str().and_then(|problem| Some(problem.split_once(": ")?.0));
    let code = code.filter(is_code).map(str::to_owned);
    Telling::new(way)
        .with("status", string(&status["status"]))
        .with("cost", dollars(&status["cost_so_far"]))
        .with("cost basis", string(&status["cost_basis"]))
        .with("tokens in", string(&status["tokens_used"]["input"]))
        .with("tokens out", string(&status["tokens_used"]["output"]))
        .with("searches", string(&status["searches"]))
        .with("sources counted", string(&status["sources"]))
        .with("error", code)
}

/// A row of a list: that of `list_research` or that of `runs list --json`.
pub fn of_row(way: &'static str, row: &Value) -> Telling {
    Telling::new(way)
        .with("status", string(&row["status"]))
        .with("cost", dollars(&row["cost_usd"]))
        .with("cost basis", string(&row["cost_basis"]))
        .with("engine", string(&row["engine"]))
        .with("ended", string(&row["ended_at"]))
        .with("searches", string(&row["progress"]["searches"]))
        .with("sources counted", string(&row["sources_count"]))
        .with("error", string(&row["problem"]["code"]))
        .with("asked", string(&row["asked_at"]))
}
