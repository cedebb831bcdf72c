//! Brave: `GET /res/v1/web/search`. Domains are sent as `site:` operators in the query.

use probity_types::{error::CodedError, web::providers::FilterSupport};
use serde_json::Value;

use super::{
    filter, json,
    provider::{ProviderQuery, ProviderReply, ProviderRequest, RawHit},
};
use crate::fetch::ApiRequest;

const QUERY_CHARACTERS_MAX: usize = 400;
const QUERY_WORDS_MAX: usize = 50;
/// Ends of an open range: the parameter takes closed ones only.
const DAY_FIRST: &str = "1970-01-01";
const DAY_LAST: &str = "2100-12-31";
/// Languages it knows by their ISO code.
const LANGUAGES: [&str; 45] = [
    "ar", "eu", "bn", "bg", "ca", "hr", "cs", "da", "nl", "en", "et", "fi", "fr", "gl", "de", "gu", "he",
    "hi", "hu", "is", "it", "kn", "ko", "lv", "lt", "ms", "ml", "mr", "nb", "pl", "pa", "ro", "ru", "sr",
    "sk", "sl", "es", "sv", "ta", "te", "th", "tr", "uk", "vi", "jp",
];

pub(super) fn request(question: &ProviderQuery<'_>) -> ProviderRequest {
    let mut request = ApiRequest::get(&question.url("/res/v1/web/search"))
        .with_header("accept", "application/json")
        .with_query("q", &query(question))
        .with_query("count", &question.count.to_string())
        .with_query("result_filter", "web")
        .with_query("text_decorations", "false");
    if let Some(key) = question.key {
        request = request.with_secret_header("x-subscription-token", key.clone());
    }
    let filters = question.filters;
    if filters.after.is_some() || filters.before.is_some() {
        let after = filters.after.as_deref().unwrap_or(DAY_FIRST);
        let before = filters.before.as_deref().unwrap_or(DAY_LAST);
        request = request.with_query("freshness", &format!("{after}to{before}"));
    }
    let language = question.language().and_then(language);
    if let Some(language) = language {
        request = request.with_query("search_lang", language);
    }
    let carries = FilterSupport { languages: language.is_some(), ..question.provider.facts().filters };
    ProviderRequest { request, heeded: question.filters_carried(carries) }
}

/// The query with the domains, as long as both fit.
fn query(question: &ProviderQuery<'_>) -> String {
    let words: Vec<&str> = question.query.split_whitespace().collect();
    let room = QUERY_CHARACTERS_MAX.saturating_sub(question.query.chars().count() + 1);
    let sites = filter::site_operators(question.filters, room);
    let places = QUERY_WORDS_MAX.saturating_sub(sites.split_whitespace().count());
    let query = words.into_iter().take(places).collect::<Vec<_>>().join(" ");
    if sites.is_empty() || query.is_empty() { query } else { format!("{query} {sites}") }
}

/// Its own code for a language; none for those that need a country to choose between.
fn language(code: &str) -> Option<&'static str> {
    let code = if code == "ja" { "jp" } else { code };
    LANGUAGES.into_iter().find(|known| *known == code)
}

pub(super) fn read(question: &ProviderQuery<'_>, answer: &Value) -> Result<ProviderReply, CodedError> {
    if json::text(answer, "type") != Some("search") {
        return Err(question.unreadable_problem());
    }
    // A search without results has no `web`.
    let Some(web) = answer.get("web") else {
        return Ok(ProviderReply::at_list_price(question, Vec::new()));
    };
    let hits = json::hits(question, web.get("results"), |result| {
        Some(RawHit {
            url: json::owned(result, "url")?,
            title: json::owned(result, "title").unwrap_or_default(),
            snippet: json::owned(result, "description").unwrap_or_default(),
            published: json::owned(result, "page_age"),
            language: json::owned(result, "language"),
        })
    })?;
    Ok(ProviderReply::at_list_price(question, hits))
}
