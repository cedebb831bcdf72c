//! The text a turn answers with, and where in it the citations are.
//!
//! One text for both APIs: what the Interactions API annotates, generateContent supports.

use serde_json::{Value, json};

use super::{
    ScriptedRound,
    facts::{self, NumberFidelity, ScriptedFact},
};
use crate::{reports::GivenReport, rounds::Item};

/// What a model says that was asked to correct a text it cannot find.
const UNREADABLE: &str = "I could not read the invalid output, so there is nothing I could correct.";
/// What fills a `huge` report.
const PARAGRAPH: &str = "Ein sehr langer Bericht – mit Umlauten und Wiederholungen – füllt die Seiten. ";

/// A finished answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RoundAnswerText {
    pub(crate) text: String,
    pub(crate) citations: Vec<AnswerCitation>,
}

/// A passage of the text, in bytes, and the page it was found on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AnswerCitation {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) page: u32,
}

/// The answer of a turn. Empty for the items that answer nothing. A text that was asked for by name is the answer.
pub(crate) fn round_answer(round: &ScriptedRound, given: Option<&GivenReport>) -> RoundAnswerText {
    if let Some(given) = given {
        return RoundAnswerText { text: given_json(round, given), citations: Vec::new() };
    }
    let facts = facts_of(round);
    let report = report(round, &facts);
    let text = match round.item {
        Item::Prose => prose(round, &facts),
        Item::Fenced => fenced(&json_text(round, &report)),
        Item::Sloppy => sloppy(&json_text(round, &report)),
        Item::Cut => cut(&json_text(round, &report), &facts),
        Item::WrongShape => wrong_shape(round, &report),
        Item::Corrected if facts.is_empty() => UNREADABLE.to_owned(),
        Item::Empty | Item::Silent => String::new(),
        _ => json_text(round, &report),
    };
    let citations = if round.item.searches() { citations(&text, &facts) } else { Vec::new() };
    RoundAnswerText { text, citations }
}

/// The facts the answer states: all of them, except that a correction can state only what it was given.
fn facts_of(round: &ScriptedRound) -> Vec<ScriptedFact> {
    let numbers = match round.item {
        Item::Changed => NumberFidelity::OneChanged(1),
        // Another number in every turn.
        Item::Drifting => NumberFidelity::OneChanged(round.number.saturating_add(1)),
        _ => NumberFidelity::AsFound,
    };
    facts::facts(&round.topic, numbers)
        .into_iter()
        .zip(round.facts_seen)
        .filter(|(_, seen)| round.item != Item::Corrected || *seen)
        .map(|(fact, _)| fact)
        .collect()
}

fn report(round: &ScriptedRound, facts: &[ScriptedFact]) -> String {
    let topic = &round.topic;
    let mut report = format!("# {topic}\n\n{}", sentences(round, facts));
    match round.item {
        Item::Obedient => report.push_str(&format!(" See [the details]({}).", steal_url(topic))),
        // A model that is not content goes on writing: no two of its texts are the same.
        Item::Unsure => {
            let on = " and on".repeat(usize::try_from(round.number).unwrap_or(0));
            report.push_str(&format!(" The search goes on{on}."));
        }
        Item::Huge => {
            let missing = usize::try_from(round.bytes).unwrap_or(0).saturating_sub(report.len());
            report.push_str("\n\n");
            report.push_str(&PARAGRAPH.repeat(missing.div_ceil(PARAGRAPH.len())));
        }
        _ => {}
    }
    report
}

/// Every fact with its link, in one paragraph.
fn sentences(round: &ScriptedRound, facts: &[ScriptedFact]) -> String {
    let last = facts.len().saturating_sub(1);
    let sentences: Vec<String> = facts
        .iter()
        .enumerate()
        .map(|(index, fact)| match round.item {
            Item::Unsearched => format!("{}.", fact.sentence),
            Item::Invented if index == last => {
                format!("{} [3]({}).", fact.sentence, invented_url(&round.topic))
            }
            _ => format!(
                "{} [{}]({}).",
                fact.sentence,
                fact.page,
                facts::page_url(round.pages, &round.topic, fact.page)
            ),
        })
        .collect();
    sentences.join(" ")
}

/// The JSON that was asked for, in the order it was asked for.
fn json_text(round: &ScriptedRound, report: &str) -> String {
    let metadata = json!({"sources_visited": sources(round), "search_queries_used": queries(round)});
    format!(
        "{{\"success\":true,\"verified\":{},\"report\":{},\"metadata\":{metadata}}}",
        round.item.says_verified(),
        Value::from(report),
    )
}

fn given_json(round: &ScriptedRound, given: &GivenReport) -> String {
    let metadata = json!({"sources_visited": given.links(), "search_queries_used": queries(round)});
    let (verified, report) = (round.item.says_verified(), Value::from(given.text.as_str()));
    format!("{{\"success\":true,\"verified\":{verified},\"report\":{report},\"metadata\":{metadata}}}")
}

/// The pages the answer says it visited.
fn sources(round: &ScriptedRound) -> Vec<String> {
    let mut sources: Vec<String> = match round.item {
        Item::Unsearched => Vec::new(),
        _ => (1..=facts::PAGES).map(|page| facts::page_url(round.pages, &round.topic, page)).collect(),
    };
    match round.item {
        Item::Invented => sources.push(invented_url(&round.topic)),
        Item::Obedient => sources.push(steal_url(&round.topic)),
        _ => {}
    }
    sources
}

/// The searches the answer says it made: a correction only repeats those of its prompt.
fn queries(round: &ScriptedRound) -> Vec<String> {
    if round.item.searches() { round.queries().into() } else { Vec::new() }
}

fn prose(round: &ScriptedRound, facts: &[ScriptedFact]) -> String {
    format!("Here is what I found about {}. {} I hope this helps.", round.topic, sentences(round, facts))
}

fn fenced(json: &str) -> String {
    format!("I have finished the research.\n\n```json\n{json}\n```\n\nTell me if you need more.")
}

/// A trailing comma, a raw line break inside a string, and no last brace.
fn sloppy(json: &str) -> String {
    let text = json.replacen("\\n", "\n", 1).replace("\"]", "\",]");
    text.strip_suffix('}').unwrap_or(&text).to_owned()
}

/// Ends in the middle of the second fact, as an answer does that reached its limit.
fn cut(json: &str, facts: &[ScriptedFact]) -> String {
    let middle = facts.get(1).and_then(|fact| {
        let half = fact.sentence.len() / 2;
        let start = json.find(&fact.sentence)?;
        (start + half..json.len()).find(|end| json.is_char_boundary(*end))
    });
    let (text, _) = json.split_at_checked(middle.unwrap_or(0)).unwrap_or((json, ""));
    text.to_owned()
}

fn wrong_shape(round: &ScriptedRound, report: &str) -> String {
    json!({"answer": {"title": &*round.topic, "body": report}, "confidence": "high", "sources": sources(round)})
        .to_string()
}

fn citations(text: &str, facts: &[ScriptedFact]) -> Vec<AnswerCitation> {
    facts
        .iter()
        .filter_map(|fact| {
            let start = text.find(&fact.sentence)?;
            Some(AnswerCitation { start, end: start + fact.sentence.len(), page: fact.page })
        })
        .collect()
}

/// An address that no search and no page ever gave.
fn invented_url(topic: &str) -> String {
    format!("https://invented.example/{topic}/study")
}

/// Where a hostile page wants the reader to go.
fn steal_url(topic: &str) -> String {
    format!("http://127.0.0.1:1/steal?q={topic}")
}
