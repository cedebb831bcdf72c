//! What generateContent says about where an answer comes from: searches, redirects, passages, pages.

use serde_json::{Value, json};

use super::reply::Reply;
use crate::rounds::Pages;
use crate::world::{
    redirect,
    round::{
        Round,
        answer::Citation,
        facts::{self, Numbers},
    },
};

/// The suggestions the service wants shown beside an answer.
const SUGGESTIONS: &str = "<style></style><div/>";

/// The answer to a search alone.
pub(super) fn searched(query: &str, pages: Pages, topic: &str, base: &str) -> Reply {
    let mut text = String::new();
    let mut citations = Vec::new();
    for fact in facts::facts(topic, Numbers::AsFound) {
        let start = text.len();
        text.push_str(&fact.sentence);
        text.push('.');
        citations.push(Citation { start, end: text.len(), page: fact.page });
        text.push(' ');
    }
    let metadata = metadata(&[query.to_owned()], (pages, topic), base, &text, &citations);
    Reply { grounding: Some(metadata), searches: 1, ..Reply::text(text) }
}

/// The answer to a question about pages: the first address in the prompt is the one that was read.
pub(super) fn read(prompt: &str) -> Reply {
    let url = first_url(prompt).unwrap_or_default();
    let said = match facts::topic_in(prompt) {
        Some(topic) => {
            let [fact, ..] = facts::facts(topic, Numbers::AsFound);
            format!("{}.", fact.sentence)
        }
        None => "nothing that was asked for.".to_owned(),
    };
    Reply { pages: vec![url.to_owned()], ..Reply::text(format!("The page says: {said}")) }
}

/// `groundingMetadata` of a turn that was given the search as a built-in tool.
pub(super) fn of_turn(round: &Round, base: &str, text: &str, citations: &[Citation]) -> Value {
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
    citations: &[Citation],
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
fn support(text: &str, citation: Citation) -> Value {
    let Citation { start, end, page } = citation;
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
