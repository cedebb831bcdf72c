//! GitHub: `GET /search/repositories`. The date of a repository is that of its last push.

use probity_types::error::CodedError;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::{
    json, keywords,
    provider::{ProviderQuery, ProviderReply, ProviderRequest, RawHit},
};
use crate::fetch::ApiRequest;

/// Longest query it takes, without its qualifiers.
const QUERY_CHARACTERS_MAX: usize = 256;
/// Words of the query that are sent: a repository must contain every one of them.
const WORDS_MAX: usize = 6;

pub(super) fn request(question: &ProviderQuery<'_>) -> ProviderRequest {
    let filters = question.filters;
    let words: String = keywords::significant_words(&question.query, WORDS_MAX)
        .join(" ")
        .chars()
        .take(QUERY_CHARACTERS_MAX)
        .collect();
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
    ProviderRequest { request, heeded: question.filters_applied() }
}

pub(super) fn read(question: &ProviderQuery<'_>, answer: &Value) -> Result<ProviderReply, CodedError> {
    let hits = json::hits(question, answer.get("items"), |item| {
        Some(RawHit {
            url: json::owned(item, "html_url")?,
            title: json::owned(item, "full_name").unwrap_or_default(),
            snippet: json::owned(item, "description").unwrap_or_default(),
            published: json::owned(item, "pushed_at"),
            language: None,
        })
    })?;
    // GitHub's own timeout: what it has is not complete.
    let incomplete = answer.get("incomplete_results").and_then(Value::as_bool).unwrap_or_default();
    if incomplete && hits.is_empty() {
        return Err(question.search_problem("the search ran out of time and found nothing"));
    }
    let silent_engines =
        if incomplete { vec!["github: the search ran out of time".to_owned()] } else { Vec::new() };
    Ok(ProviderReply { silent_engines, ..ProviderReply::at_list_price(question, hits) })
}
