//! What generateContent says about where an answer comes from: searches, redirects, passages, pages.

use serde_json::{Value, json};

use super::reply::GenerateReply;
use crate::rounds::Pages;
use crate::world::{
    redirect,
    round::{
        ScriptedRound,
        answer::AnswerCitation,
        facts::{self, NumberFidelity},
    },
};

/// The suggestions the service wants shown beside an answer.
const SUGGESTIONS: &str = "<style></style><div/>";

/// The answer to a search alone.
pub(super) fn search_reply(query: &str, pages: Pages, topic: &str, base: &str) -> GenerateReply {
    let mut text = String::new();
    let mut citations = Vec::new();
    for fact in facts::facts(topic, NumberFidelity::AsFound) {
        let start = text.len();
        text.push_str(&fact.sentence);
        text.push('.');
        citations.push(AnswerCitation { start, end: text.len(), page: fact.page });
        text.push(' ');
    }
    let metadata = metadata(&[query.to_owned()], (pages, topic), base, &text, &citations);
    GenerateReply { grounding: Some(metadata), searches: 1, ..GenerateReply::text(text) }
}

/// The answer to a question about pages: the first address in the prompt is the one that was read.
pub(super) fn fetch_reply(prompt: &str) -> GenerateReply {
    let url = first_url(prompt).unwrap_or_default();
    let said = match facts::topic_in(prompt) {
        Some(topic) => {
            let [fact, ..] = facts::facts(topic, NumberFidelity::AsFound);
            format!("{}.", fact.sentence)
        }
        None => "nothing that was asked for.".to_owned(),
    };
    GenerateReply { pages: vec![url.to_owned()], ..GenerateReply::text(format!("The page says: {said}")) }
}

/// `groundingMetadata` of a turn that was given the search as a built-in tool.
pub(super) fn of_turn(round: &ScriptedRound, base: &str, text: &str, citations: &[AnswerCitation]) -> Value {
    metadata(&round.queries(), (round.pages, &round.topic), base, text, citations)
}

/// `urlContextMetadata` for these pages.
pub(super) fn pages(urls: &[String]) -> Value {
    let read: Vec<Value> = urls
        .iter()
        .map(|url| json!({"retrievedUrl": url, "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_SUCCESS"}))
        .collect();
    json!({"urlMetadata": read})
}

fn metadata(
    queries: &[String],
    (pages, topic): (Pages, &str),
    base: &str,
    text: &str,
    citations: &[AnswerCitation],
) -> Value {
    let chunks: Vec<Value> = (1..=facts::PAGES)
        .map(|page| json!({"web": {"uri": redirect::url(base, pages, topic, page), "title": facts::page_title(topic, page)}}))
        .collect();
    let supports: Vec<Value> = citations.iter().map(|citation| support(text, *citation)).collect();
    json!({
        "webSearchQueries": queries,
        "searchEntryPoint": {"renderedContent": SUGGESTIONS},
        "groundingChunks": chunks,
        "groundingSupports": supports,
    })
}

/// Offsets are bytes; a start of zero is left out, as the service does.
fn support(text: &str, citation: AnswerCitation) -> Value {
    let AnswerCitation { start, end, page } = citation;
    let mut segment = json!({"endIndex": end, "text": text.get(start..end)});
    if let Some(fields) = segment.as_object_mut().filter(|_| start > 0) {
        fields.insert("startIndex".to_owned(), json!(start));
    }
    json!({"segment": segment, "groundingChunkIndices": [page.saturating_sub(1)]})
}

fn first_url(prompt: &str) -> Option<&str> {
    let word =
        prompt.split_whitespace().find(|word| word.starts_with("http://") || word.starts_with("https://"));
    word.map(|word| word.trim_end_matches(['.', ',', ';', ')', '>']))
}
