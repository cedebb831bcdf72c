//! Firecrawl: `POST /v2/search`, at its maker's address with a key or on a server of the user's own without one.
//!
//! Searches only: the pages behind the hits are fetched by whoever reads them (`page_service` for those that cannot be
//! read directly). Its results have no dates.

use probity_types::error::CodedError;
use serde_json::{Map, Value, json};

use super::{
    filter, json,
    provider::{ProviderQuery, ProviderReply, ProviderRequest, RawHit},
};
use crate::{fetch::ApiRequest, firecrawl};

/// Ends of an open range: the parameter takes closed ones only.
const DAY_FIRST: &str = "1970-01-01";
const DAY_LAST: &str = "2100-12-31";
/// Its own limit for a search, in milliseconds: below ours, so that a slow search is still answered.
const TIMEOUT_MS: u64 = 45_000;

pub(super) fn request(question: &ProviderQuery<'_>) -> ProviderRequest {
    let mut body = Map::new();
    body.insert("query".to_owned(), json!(question.query));
    body.insert("limit".to_owned(), json!(question.count));
    body.insert("sources".to_owned(), json!([{"type": "web"}]));
    body.insert("timeout".to_owned(), json!(TIMEOUT_MS));
    let filters = question.filters;
    if filters.after.is_some() || filters.before.is_some() {
        let after = us_date(filters.after.as_deref().unwrap_or(DAY_FIRST));
        let before = us_date(filters.before.as_deref().unwrap_or(DAY_LAST));
        body.insert("tbs".to_owned(), json!(format!("cdr:1,cd_min:{after},cd_max:{before}")));
    }
    // It takes one of the two lists; what is excluded is removed here in any case.
    let (included, excluded) =
        (filter::bare_domains(&filters.domains), filter::bare_domains(&filters.domains_excluded));
    if !included.is_empty() {
        body.insert("includeDomains".to_owned(), json!(included));
    } else if !excluded.is_empty() {
        body.insert("excludeDomains".to_owned(), json!(excluded));
    }
    let request = ApiRequest::post_json(&question.url("/v2/search"), Value::Object(body).to_string());
    let request = firecrawl::with_key(request, question.key);
    ProviderRequest { request, heeded: question.filters_applied() }
}

pub(super) fn read(question: &ProviderQuery<'_>, answer: &Value) -> Result<ProviderReply, CodedError> {
    if answer.get("success").and_then(Value::as_bool) != Some(true) {
        return Err(match json::text(answer, "error") {
            Some(words) => question.search_problem(words),
            None => question.unreadable_problem(),
        });
    }
    let data = answer.get("data").and_then(Value::as_object).ok_or_else(|| question.unreadable_problem())?;
    // A search without results may leave the list out.
    let Some(web) = data.get("web") else {
        return Ok(ProviderReply::at_list_price(question, Vec::new()));
    };
    let hits = json::hits(question, Some(web), |result| {
        Some(RawHit {
            url: json::owned(result, "url")?,
            title: json::owned(result, "title").unwrap_or_default(),
            snippet: json::owned(result, "description").unwrap_or_default(),
            published: None,
            language: None,
        })
    })?;
    Ok(ProviderReply::at_list_price(question, hits))
}

/// `2025-03-01` as `03/01/2025`.
fn us_date(day: &str) -> String {
    let mut parts = day.splitn(3, '-');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(year), Some(month), Some(day)) => format!("{month}/{day}/{year}"),
        _ => day.to_owned(),
    }
}
