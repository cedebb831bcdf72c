//! The honest model: plans from the words of the question, quotations that are on the
//! page, sentences that repeat their notes.

use serde_json::{Value, json};

use super::{
    inquiry, judge,
    prompt::{PromptParts, shared, without_tags},
    request::Asked,
};
use crate::reports::GivenReport;

const QUOTES_MAX: usize = 6;
const FACTS_MAX: usize = 12;
const CHOSEN_MAX: usize = 8;
const LINKS_MAX: usize = 3;
/// Words a query has at most.
const QUERY_WORDS_MAX: usize = 8;
/// A sentence with fewer letters is a heading or a crumb.
const SENTENCE_BYTES_MIN: usize = 20;
const SENTENCE_BYTES_MAX: usize = 1_000;

pub(super) fn value(asked: Asked, prompt: &PromptParts<'_>) -> Value {
    match asked {
        Asked::Plan => plan(prompt),
        Asked::Choose => choose(prompt),
        Asked::Read => read(prompt),
        Asked::Write => write(prompt),
        Asked::Judge => judge::value(prompt),
        Asked::Brief
        | Asked::Line
        | Asked::Survey
        | Asked::Outline
        | Asked::Section
        | Asked::Synthesis
        | Asked::Front => inquiry::value(asked, prompt).unwrap_or_default(),
    }
}

/// The answer to a question without a schema.
pub(super) fn plain_answer(prompt: &PromptParts<'_>) -> String {
    format!("You asked: {}", without_tags(prompt.question))
}

fn plan(prompt: &PromptParts<'_>) -> Value {
    let question = without_tags(prompt.question);
    let topic = prompt.topic();
    let query: Vec<&str> = topic.iter().take(QUERY_WORDS_MAX).map(String::as_str).collect();
    let mut queries = vec![query.join(" ")];
    if query.len() > 2 {
        queries.push(query.iter().rev().take(3).rev().copied().collect::<Vec<_>>().join(" "));
    }
    // A repeated question is asked in other words.
    if queries.iter().any(|query| prompt.asked_before.contains(query.as_str())) {
        queries = queries.iter().map(|query| format!("{query} details")).collect();
    }
    let known = prompt.notes.iter().any(|note| shared(&topic, note.text) > 0);
    json!({"sub_questions": [question], "queries": queries, "enough": known})
}

fn choose(prompt: &PromptParts<'_>) -> Value {
    let topic = prompt.topic();
    let mut ranked: Vec<(usize, usize)> =
        prompt.items.iter().map(|item| (shared(&topic, item.text), item.number)).collect();
    ranked.sort_by_key(|(words, number)| (std::cmp::Reverse(*words), *number));
    let any = ranked.iter().any(|(words, _)| *words > 0);
    let fitting = ranked.into_iter().filter(|(words, _)| *words > 0 || !any);
    let indices: Vec<usize> = fitting.take(CHOSEN_MAX).map(|(_, number)| number).collect();
    json!({"indices": indices})
}

fn read(prompt: &PromptParts<'_>) -> Value {
    let topic = prompt.topic();
    // One word in common is chance where the question has several.
    let enough = if topic.len() >= 3 { 2 } else { 1 };
    let quotes: Vec<&str> = sentences(prompt.page)
        .into_iter()
        .filter(|sentence| shared(&topic, sentence) >= enough)
        .take(QUOTES_MAX)
        .collect();
    let facts: Vec<Value> =
        quotes.iter().enumerate().flat_map(|(place, quote)| facts(quote, place)).take(FACTS_MAX).collect();
    let links: Vec<usize> = prompt
        .links
        .iter()
        .filter(|link| shared(&topic, link.text) >= enough)
        .take(LINKS_MAX)
        .map(|link| link.number)
        .collect();
    json!({"relevant": !quotes.is_empty(), "quotes": quotes, "facts": facts, "links": links})
}

fn write(prompt: &PromptParts<'_>) -> Value {
    let question = without_tags(prompt.question);
    let said = prompt
        .notes
        .iter()
        .flat_map(|note| quotations(note.text).into_iter().map(|text| (text, note.number)));
    let sentences: Vec<Value> = said.map(|(text, note)| json!({"text": text, "notes": [note]})).collect();
    let unanswered: Vec<&str> = if sentences.is_empty() { vec![question] } else { Vec::new() };
    let sections = if sentences.is_empty() {
        // No notes: the model answers from its own knowledge.
        json!([{"heading": "", "sentences": [{"text": plain_answer(prompt), "notes": []}]}])
    } else {
        json!([{"heading": heading(&prompt.topic()), "sentences": sentences}])
    };
    json!({"title": question, "sections": sections, "unanswered": unanswered})
}

/// A text that was asked for by name, with its notes found by their words.
pub(super) fn given_report(given: &GivenReport, prompt: &PromptParts<'_>) -> Value {
    let notes: Vec<(usize, &str)> = prompt.notes.iter().map(|note| (note.number, note.text)).collect();
    given.to_draft_json(without_tags(prompt.question), &notes)
}

fn heading(topic: &[String]) -> String {
    let words: Vec<&str> = topic.iter().take(3).map(String::as_str).collect();
    if words.is_empty() {
        "What was found".to_owned()
    } else {
        format!("What was found about {}", words.join(" "))
    }
}

/// The quotations inside a note: the text between quotation marks, or its longest line.
fn quotations(note: &str) -> Vec<&str> {
    for (open, close) in [('\u{201c}', '\u{201d}'), ('"', '"')] {
        let mut found = Vec::new();
        let mut rest = note;
        while let Some((quote, behind)) =
            rest.split_once(open).and_then(|(_, behind)| behind.split_once(close))
        {
            found.extend(Some(quote.trim()).filter(|quote| quote.len() >= SENTENCE_BYTES_MIN));
            rest = behind;
        }
        if !found.is_empty() {
            return found;
        }
    }
    note.lines()
        .map(str::trim)
        .max_by_key(|line| line.len())
        .filter(|line| !line.is_empty())
        .into_iter()
        .collect()
}

/// Sentences of a text, each exactly as it is there.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut start = 0;
        let ends = line.char_indices().filter(|(_, letter)| matches!(letter, '.' | '!' | '?' | '。'));
        for (place, letter) in ends.map(|(place, letter)| (place, letter.len_utf8())).collect::<Vec<_>>() {
            let end = place + letter;
            let at_end =
                line.get(end..).is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
            if at_end {
                found.extend(line.get(start..end));
                start = end;
            }
        }
        found.extend(line.get(start..));
    }
    let fits = |sentence: &&str| (SENTENCE_BYTES_MIN..=SENTENCE_BYTES_MAX).contains(&sentence.len());
    found.into_iter().map(str::trim).filter(fits).collect()
}

/// Numbers, years and names inside a quotation.
fn facts(quote: &str, place: usize) -> Vec<Value> {
    let mut facts = Vec::new();
    let tokens = quote.split(|letter: char| letter.is_whitespace() || matches!(letter, '(' | ')' | ';'));
    for (position, token) in tokens.enumerate() {
        let token = token.trim_matches(|letter: char| !letter.is_alphanumeric());
        let digits = token.bytes().filter(u8::is_ascii_digit).count();
        let kind = if digits == 4 && token.len() == 4 && token.starts_with(['1', '2']) {
            "date"
        } else if digits > 0 {
            "number"
        } else if position > 0 && token.len() > 3 && token.starts_with(char::is_uppercase) {
            "name"
        } else {
            continue;
        };
        facts.push(json!({"kind": kind, "value": token, "quote": place}));
    }
    facts
}
