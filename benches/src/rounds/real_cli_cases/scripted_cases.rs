//! Cases that a script of the model decides: what is asked, and what must come of it.

use std::path::Path;

use anyhow::ensure;
use serde_json::Value;

use super::test_bed::{self, CliTestBed};
use crate::rig::SimulatorProcess;

/// What a search with the right answer does, in the words of the scripted model.
const QUERIES_EACH: usize = 2;
/// The model that the CLI chooses at this provider when nobody names one.
const CHOSEN: &str = "gemini-3.8-flash";
const NAMED: &str = "gemini-3.8-pro";
const CORRECTING: &str = "gemini-3.5-flash-lite";

/// Three tries of a round; the CLI itself repeats nothing.
const CYCLES: usize = 3;
const ONCE: usize = 1;

#[derive(Debug, Clone, Copy)]
pub struct ScriptedCase {
    pub name: &'static str,
    tool: &'static str,
    turns: &'static str,
    variables: &'static [(&'static str, &'static str)],
    end: ExpectedEnd,
    /// Times that the provider was asked for an answer.
    asked: usize,
    /// The models that were asked, in order; empty where it does not matter.
    models: &'static [&'static str],
}

#[derive(Debug, Clone, Copy)]
enum ExpectedEnd {
    Completed { rounds: u64, verified: bool, model: &'static str },
    Failed(&'static str),
}

const fn one(name: &'static str, turns: &'static str, asked: usize) -> ScriptedCase {
    let end = ExpectedEnd::Completed { rounds: 1, verified: false, model: CHOSEN };
    ScriptedCase { name, tool: "search", turns, variables: &[], end, asked, models: &[] }
}

const fn deep(name: &'static str, turns: &'static str, rounds: u64, verified: bool) -> ScriptedCase {
    let end = ExpectedEnd::Completed { rounds, verified, model: CHOSEN };
    ScriptedCase {
        name,
        tool: "deep_search",
        turns,
        variables: &[],
        end,
        asked: rounds as usize,
        models: &[],
    }
}

const fn refused(turns: &'static str, code: &'static str, asked: usize) -> ScriptedCase {
    ScriptedCase { name: turns, end: ExpectedEnd::Failed(code), ..one(turns, turns, asked) }
}

#[rustfmt::skip]
pub const CASES: &[ScriptedCase] = &[
    refused("error-429", "RATE_LIMITED", CYCLES),
    refused("error-503", "PROVIDER_UNAVAILABLE", CYCLES),
    refused("error-500", "PROVIDER_UNAVAILABLE", CYCLES),
    refused("lost", "NETWORK", CYCLES),
    refused("error-429-daily", "QUOTA_EXHAUSTED", ONCE),
    refused("error-400", "BAD_REQUEST", ONCE),
    refused("error-400-key", "KEY_REFUSED", ONCE),
    refused("error-401", "KEY_REFUSED", ONCE),
    refused("error-403", "PERMISSION_DENIED", ONCE),
    refused("error-404", "UNKNOWN_MODEL", ONCE),
    refused("empty", "EXECUTION_ERROR", CYCLES),
    refused("silent", "EXECUTION_ERROR", CYCLES),
    refused("unsearched", "EXECUTION_ERROR", CYCLES),
    // Each try is followed by its correction.
    refused("cut", "EXECUTION_ERROR", 2 * CYCLES),
    refused("prose", "EXECUTION_ERROR", 2 * CYCLES),
    one("one shot", "draft", ONCE),
    one("one shot, fenced", "fenced", ONCE),
    one("one shot, mended without another call", "sloppy", ONCE),
    one("corrected", "prose,corrected", 2),
    one("cut off, then corrected", "cut,corrected", 2),
    one("of another shape, then corrected", "wrong-shape,corrected", 2),
    one("refused once, then answered", "error-503,draft", 2),
    deep("five rounds", "draft,unsure,unsure,unsure,agreed", 5, true),
    deep("verified in the second round", "draft,agreed", 2, true),
    deep("all rounds used", "draft,unsure", 5, false),
    deep("an invented source is never verified", "draft,invented", 5, false),
    deep("a round that fails for good keeps the best answer", "draft,error-400", 2, false),
    ScriptedCase {
        name: "the model that was named, and another for corrections",
        variables: &[("GEMINI_MODEL", NAMED), ("GEMINI_CORRECTION_MODEL", CORRECTING)],
        end: ExpectedEnd::Completed { rounds: 1, verified: false, model: NAMED },
        models: &[NAMED, CORRECTING],
        ..one("", "prose,corrected", 2)
    },
];

/// One case under way: where it runs and against whom.
pub struct CliCaseRun<'a> {
    pub cli: &'a Path,
    pub simulator: &'a SimulatorProcess,
    pub place: &'a Path,
    pub reuse: &'static str,
}

impl CliCaseRun<'_> {
    /// What is wrong with the end of this case.
    pub fn run(&self, scripted: &ScriptedCase) -> anyhow::Result<Vec<String>> {
        let lab = CliTestBed::new(&self.simulator.base_url, self.place, self.cli)?;
        let key = self.key();
        let mut server = lab.server(&self.variables(scripted.variables))?;
        let question = question(&key, scripted.turns);
        let told = test_bed::ask(&mut server, scripted.tool, &question)?;
        server.end(test_bed::CALL_LIMIT)?;
        let turns = test_bed::turns(self.simulator, &key)?;
        let mut wrong = judged(scripted, &key, &told, &turns);
        let left = crate::rounds::supervision::processes::wait_until_gone(self.place, None);
        wrong.extend(left.iter().map(|process| format!("left running: {}", process.words)));
        Ok(wrong)
    }

    pub fn variables<'v>(&self, more: &'v [(&'v str, &'v str)]) -> Vec<(&'v str, &'v str)> {
        let mut variables = vec![("PROBITY_GEMINI_CLI__REUSE", self.reuse)];
        variables.extend_from_slice(more);
        variables
    }

    /// Tells one case from another at the provider; the place is different for each.
    pub fn key(&self) -> String {
        let place = self.place.file_name().unwrap_or_default().to_string_lossy();
        format!("case-{}", place.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-"))
    }
}

/// Numeric addresses of pages, because the CLI looks up names before it reads a page.
pub fn question(key: &str, turns: &str) -> String {
    format!("When did the first one run? [[rounds key={key} turns={turns} pages=numeric]]")
}

fn judged(scripted: &ScriptedCase, key: &str, told: &Value, turns: &[Value]) -> Vec<String> {
    let mut wrong = Vec::new();
    if turns.len() != scripted.asked {
        wrong.push(format!("asked {} times, not {}", turns.len(), scripted.asked));
    }
    let models: Vec<&str> = turns.iter().map(|turn| text(turn, "/model")).collect();
    if !scripted.models.is_empty() && models != scripted.models {
        wrong.push(format!("asked {models:?}, not {:?}", scripted.models));
    }
    match scripted.end {
        ExpectedEnd::Failed(code) => {
            let got = text(told, "/error/code");
            if got != code {
                wrong.push(format!("ended with `{got}`, not {code}: {told}"));
            }
        }
        ExpectedEnd::Completed { rounds, verified, model } => {
            wrong.extend(incomplete(told, key, rounds, verified, model));
        }
    }
    wrong
}

fn incomplete(told: &Value, key: &str, rounds: u64, verified: bool, model: &str) -> Option<String> {
    let (status, seen) = (text(told, "/status"), text(told, "/metadata/model"));
    let iterations = told.pointer("/metadata/iterations").and_then(Value::as_u64).unwrap_or_default();
    let says_verified = told.pointer("/verified").and_then(Value::as_bool).unwrap_or_default();
    if (status, iterations, says_verified, seen) != ("completed", rounds, verified, model) {
        return Some(format!(
            "{status}, {iterations} rounds, verified: {says_verified}, by `{seen}`: {told}"
        ));
    }
    // The searches that were really made are named after the topic, which is the key.
    let queries = list(told, "/metadata/search_queries_used");
    let real = queries.iter().filter(|query| query.starts_with(key)).count();
    if real < QUERIES_EACH || real != queries.len() {
        return Some(format!("searched for {queries:?}"));
    }
    let sources = list(told, "/metadata/sources_visited");
    let page = format!("https://[3fff::1]/{key}/1");
    (!sources.contains(&page)).then(|| format!("visited {sources:?}"))
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn list(value: &Value, pointer: &str) -> Vec<String> {
    let items = value.pointer(pointer).and_then(Value::as_array).cloned().unwrap_or_default();
    items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The judge must see a wrong code, one call too many, an answer that was only claimed and a wrong model.
pub fn control() -> anyhow::Result<String> {
    let good = serde_json::json!({
        "status": "completed", "verified": false,
        "metadata": { "iterations": 1, "model": CHOSEN, "search_queries_used": ["k first", "k second"],
            "sources_visited": ["https://[3fff::1]/k/1"] },
    });
    let asked = [serde_json::json!({ "model": CHOSEN }), serde_json::json!({ "model": CHOSEN })];
    let once = asked.get(..ONCE).unwrap_or_default();
    let shot = one("", "draft", ONCE);
    ensure!(judged(&shot, "k", &good, once).is_empty(), "the judge refuses a good end");
    let planted = |pointer: &str, value: Value| {
        let mut bad = good.clone();
        if let Some(place) = bad.pointer_mut(pointer) {
            *place = value;
        }
        bad
    };
    let bad = [
        planted("/status", "failed".into()),
        planted("/verified", true.into()),
        planted("/metadata/iterations", 2.into()),
        planted("/metadata/model", "auto-detected".into()),
        planted("/metadata/search_queries_used", serde_json::json!(["what the model says"])),
        planted("/metadata/sources_visited", serde_json::json!(["https://pages.example/k/1"])),
    ];
    let seen = bad.iter().filter(|told| !judged(&shot, "k", told, once).is_empty()).count()
        + usize::from(!judged(&shot, "k", &good, &asked).is_empty())
        + usize::from(!judged(&refused("", "TIMEOUT", ONCE), "k", &good, once).is_empty());
    ensure!(seen == bad.len() + 2, "the judge is blind: {seen} of {}", bad.len() + 2);
    Ok(format!("control: {seen} of {seen} planted wrong ends were seen"))
}
