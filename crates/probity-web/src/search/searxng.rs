//! SearXNG on a machine of the user's choice: `GET /search?format=json`. JSON is off until its settings allow it.
//!
//! Its `time_range` counts back from today in whole days, months or years, so dates are checked here instead.

use probity_types::{
    error::CodedError,
    text,
    web::{providers::FilterSupport, search::QUERY_CHARACTERS_MAX},
};
use serde_json::Value;

use super::{
    filter, json,
    provider::{ProviderQuery, ProviderReply, ProviderRequest, RawHit},
};
use crate::fetch::ApiRequest;

/// Engines named in an answer: an instance has some dozens at most.
const ENGINES_MAX: usize = 20;
const ENGINE_CHARACTERS_MAX: usize = 80;

pub(super) fn request(question: &ProviderQuery<'_>) -> ProviderRequest {
    let room = QUERY_CHARACTERS_MAX.saturating_sub(question.query.chars().count() + 1);
    let sites = filter::site_operators(question.filters, room);
    let query = format!("{} {sites}", question.query);
    let request = ApiRequest::get(&question.url("/search"))
        .with_header("accept", "application/json")
        .with_query("q", query.trim())
        .with_query("format", "json")
        .with_query("language", question.language().unwrap_or("all"));
    let carries = FilterSupport {
        domains: !sites.is_empty(),
        languages: question.language().is_some(),
        ..question.provider.facts().filters
    };
    ProviderRequest { request, heeded: question.filters_carried(carries) }
}

pub(super) fn read(question: &ProviderQuery<'_>, answer: &Value) -> Result<ProviderReply, CodedError> {
    let hits = json::hits(question, answer.get("results"), |result| {
        Some(RawHit {
            url: json::owned(result, "url")?,
            title: json::owned(result, "title").unwrap_or_default(),
            snippet: json::owned(result, "content").unwrap_or_default(),
            published: json::owned(result, "publishedDate"),
            language: None,
        })
    })?;
    let silent_engines = silent(answer);
    if hits.is_empty() && !silent_engines.is_empty() {
        return Err(question.search_problem(&format!("no engine answered ({})", silent_engines.join("; "))));
    }
    Ok(ProviderReply { silent_engines, ..ProviderReply::at_list_price(question, hits) })
}

/// `[["name", "reason"], …]` as `name: reason`.
fn silent(answer: &Value) -> Vec<String> {
    let engines = answer.get("unresponsive_engines").and_then(Value::as_array).into_iter().flatten();
    engines
        .take(ENGINES_MAX)
        .filter_map(|engine| match engine {
            Value::Array(pair) => {
                let words: Vec<&str> = pair.iter().filter_map(Value::as_str).take(2).collect();
                (!words.is_empty()).then(|| words.join(": "))
            }
            Value::String(name) => Some(name.clone()),
            _ => None,
        })
        .map(|engine| text::line(&engine, ENGINE_CHARACTERS_MAX))
        .collect()
}
