//! The model as a judge. At its best it compares words: all numbers and most words of a claim in one passage.
//! A real one does better; what is tested with this one is how its answers are used.

use serde_json::{Value, json};

use super::{
    prompt::{PromptParts, words},
    request::Asked,
};

/// Share of a claim's words that a passage must have, in percent.
const SUPPORTED_PERCENT: usize = 80;
const PARTLY_PERCENT: usize = 50;

pub(super) fn value(prompt: &PromptParts<'_>) -> Value {
    let answers: Vec<Value> = prompt.items.iter().map(|item| answer(item.number, item.text)).collect();
    json!({ "answers": answers })
}

fn answer(number: usize, item: &str) -> Value {
    let (claim, passages) = parts(item);
    let wanted = words(claim);
    let share = |passage: &&str| {
        let there = words(passage);
        let numbers = wanted.iter().filter(|word| word.chars().all(|letter| letter.is_ascii_digit()));
        let all_numbers = numbers.clone().all(|number| there.contains(number));
        let found = wanted.iter().filter(|word| there.contains(word)).count();
        (if all_numbers { found * 100 / wanted.len().max(1) } else { 0 }, all_numbers)
    };
    let best = passages.iter().max_by_key(|passage| share(passage).0).copied().unwrap_or_default();
    let verdict = match share(&best) {
        (percent, true) if percent >= SUPPORTED_PERCENT => "supported",
        (percent, true) if percent >= PARTLY_PERCENT => "partly",
        _ => "not_in_source",
    };
    let quotations: Vec<&str> = if verdict == "not_in_source" { Vec::new() } else { vec![best] };
    json!({"item": number, "verdict": verdict, "quotations": quotations, "confidence": 90, "reason": "by its words"})
}

/// Everything is supported, and the first passage is quoted for it; other questions are answered as usual.
pub(super) fn approve_everything(asked: Asked, prompt: &PromptParts<'_>, honest: Value) -> Value {
    if asked != Asked::Judge {
        return honest;
    }
    let answer = |number: usize, item: &str| {
        let first = parts(item).1.first().copied().unwrap_or_default();
        json!({"item": number, "verdict": "supported", "quotations": [first], "confidence": 100, "reason": "yes"})
    };
    let answers: Vec<Value> = prompt.items.iter().map(|item| answer(item.number, item.text)).collect();
    json!({ "answers": answers, "verified": true })
}

/// A claim and its passages, as the prompt lists them.
fn parts(item: &str) -> (&str, Vec<&str>) {
    let mut lines = item.lines().map(str::trim);
    let claim = lines.next().unwrap_or_default().trim_start_matches("claim:").trim();
    (claim, lines.filter_map(|line| line.strip_prefix("passage:")).map(str::trim).collect())
}

#[cfg(test)]
mod tests {
    use super::answer;

    #[test]
    fn words_and_numbers_decide() {
        let verdict = |item: &str| answer(0, item)["verdict"].as_str().unwrap().to_owned();
        let passage = "passage: The bridge over the harbour opened in 1932 with six lanes.";
        assert_eq!(verdict(&format!("claim: The harbour bridge opened in 1932.\n{passage}")), "supported");
        assert_eq!(
            verdict(&format!("claim: The harbour bridge opened in 1935.\n{passage}")),
            "not_in_source"
        );
        assert_eq!(verdict(&format!("claim: The tunnel of Lyon was closed.\n{passage}")), "not_in_source");
    }
}
