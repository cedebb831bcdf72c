//! GitHub: `GET /search/repositories`. The date of a repository is that of its last push.

use probity_research::error::Problem;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::{
    json,
    provider::{Asked, Carries, Found, Question, RawHit},
    words,
};
use crate::fetch::ApiRequest;

/// Longest query it takes, without its qualifiers.
const QUERY_CHARACTERS_MAX: usize = 256;
/// Words of the query that are sent: a repository has to hold every one of them.
const WORDS_MAX: usize = 6;

pub(super) fn request(question: &Question<'_>) -> Asked {
    let filters = question.filters;
    let words: String =
        words::telling(&question.query, WORDS_MAX).join(" ").chars().take(QUERY_CHARACTERS_MAX).collect();
    let query = match (&filters.after, &filters.before) {
        (Some(after), Some(before)) => format!("{words} pushed:{after}..{before}"),
        (Some(after), None) => format!("{words} pushed:>={after}"),
        (None, Some(before)) => format!("{words} pushed:<={before}"),
        (None, None) => words,
    };
    let mut request = ApiRequest::get(&question.url("/search/repositories"))
        .with_header("accept", "application/vnd.github+json")
        .with_header("x-github-api-version", "2022-11-28")
        .with_query("q", &query)
        .with_query("per_page", &question.count.to_string());
    if let Some(key) = question.key {
        let bearer = SecretString::from(format!("Bearer {}", key.expose_secret()));
        request = request.with_secret_header("authorization", bearer);
    }
    Asked { request, heeded: question.heeded(Carries { dates: true, domains: false, languages: false }) }
}

pub(super) fn read(question: &Question<'_>, answer: &Value) -> Result<Found, Problem> {
    let hits = json::hits(question, answer.get("items"), |item| {
        Some(RawHit {
            url: json::owned(item, "html_url")?,
            title: json::owned(item, "full_name").unwrap_or_default(),
            snippet: json::owned(item, "description").unwrap_or_default(),
            published: json::owned(item, "pushed_at"),
            language: None,
        })
    })?;
    // It ran out of its own time: what it has is not all there is.
    let incomplete = answer.get("incomplete_results").and_then(Value::as_bool).unwrap_or_default();
    if incomplete && hits.is_empty() {
        return Err(question.failed("the search ran out of time and found nothing"));
    }
    let silent_engines =
        if incomplete { vec!["github: the search ran out of time".to_owned()] } else { Vec::new() };
    Ok(Found { hits, silent_engines, ..Found::default() })
}
