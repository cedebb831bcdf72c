//! Judging: whether passages say what a claim says, by the facts in both.

use serde_json::{Value, json};

use super::{limits::ResearchLimits, material::pieces, prompt::ModelPrompt};
use crate::{
    chat,
    research::{
        fact::FactTuple,
        find::{entities_in, find_facts},
        lexicon::{HIGHER_WORDS, LOWER_WORDS},
        random::share_of,
    },
};

pub(super) fn judge(prompt: &ModelPrompt, limits: &ResearchLimits) -> Value {
    let items = pieces(prompt, prompt.part("items"));
    let text_of = |number: usize| {
        let piece = items.iter().find(|piece| piece.label.parse::<usize>() == Ok(number));
        piece.map(|piece| piece.text)
    };
    let answers: Vec<Value> = items
        .iter()
        .filter_map(|piece| {
            let item: u64 = piece.label.parse().ok()?;
            let text = chat::with_shared_passages(piece.text, text_of);
            let (verdict, passage) = judged(&text, limits).unwrap_or_else(|| by_words(&text));
            let quotations: Vec<&str> = if verdict == "not_in_source" { Vec::new() } else { vec![passage.as_str()] };
            Some(json!({"item": item, "verdict": verdict, "quotations": quotations, "confidence": 90, "reason": "by its facts"}))
        })
        .collect();
    json!({"answers": answers})
}

/// The verdict by facts, and the passage that decides it; nothing for a claim without facts.
fn judged(item: &str, limits: &ResearchLimits) -> Option<(&'static str, String)> {
    let claim = item.lines().next()?.split_once("claim:")?.1.trim();
    let passages: Vec<&str> =
        item.lines().filter_map(|line| line.trim().strip_prefix("passage:")).map(str::trim).collect();
    let said: Vec<(FactTuple, &str)> = passages
        .iter()
        .flat_map(|passage| find_facts(passage).into_iter().map(|found| (found.tuple, *passage)))
        .collect();
    let claimed: Vec<FactTuple> = find_facts(claim).into_iter().map(|found| found.tuple).collect();
    if claimed.is_empty() {
        return compared(claim, &said);
    }
    let passage =
        |fact: &FactTuple| said.iter().find(|(known, _)| known == fact).map(|(_, passage)| *passage);
    let found: Vec<&str> = claimed.iter().filter_map(passage).collect();
    let against =
        claimed.iter().find_map(|fact| said.iter().find(|(known, _)| known.same_key(fact) && known != fact));
    Some(match (found.first(), against) {
        _ if share_of(&[claim, "judge"]) < limits.verdicts_missed => ("not_in_source", String::new()),
        (Some(passage), _) if found.len() == claimed.len() => ("supported", (*passage).to_owned()),
        (Some(passage), _) => ("partly", (*passage).to_owned()),
        (None, Some((_, passage))) => ("contradicted", (*passage).to_owned()),
        (None, None) => ("not_in_source", String::new()),
    })
}

/// A comparison of two names is supported if the passages give both values and they stand that way.
fn compared(claim: &str, said: &[(FactTuple, &str)]) -> Option<(&'static str, String)> {
    let names = entities_in(claim);
    let [(_, first), (_, second)] = names.as_slice() else { return None };
    let lower = claim.to_lowercase();
    let is_higher = HIGHER_WORDS.iter().any(|words| lower.contains(words));
    if !is_higher && !LOWER_WORDS.iter().any(|words| lower.contains(words)) {
        return None;
    }
    let of = |name: &str| said.iter().find(|(fact, _)| fact.entity == name);
    Some(match (of(first), of(second)) {
        (Some((one, passage)), Some((two, _))) if (one.tenths > two.tenths) == is_higher => {
            ("supported", (*passage).to_owned())
        }
        (Some((_, passage)), Some(_)) => ("contradicted", (*passage).to_owned()),
        _ => ("not_in_source", String::new()),
    })
}

/// A claim without facts is judged by its words.
fn by_words(item: &str) -> (&'static str, String) {
    let item = item.split_once("claim:").map_or(item, |(_, behind)| behind);
    let (verdict, passage) = chat::judge_item(item);
    (verdict, passage.to_owned())
}
