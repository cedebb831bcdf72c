//! Exa: `POST /search`. Each answer says in dollars what it cost.

use probity_research::{
    cost::{MicroUsd, Usage},
    error::CodedError,
    web::{Bill, BillBasis, SearchDepth},
};
use serde_json::{Map, Value, json};

use super::{
    filter, json,
    provider::{FilterSupport, ProviderQuery, ProviderReply, ProviderRequest, RawHit},
};
use crate::fetch::ApiRequest;

/// As of 2026-11: $7 for a thousand searches, $12 and more for deep ones; for an answer without a price.
const SEARCH_MICRO_USD: u64 = 7_000;
const DEEP_MICRO_USD: u64 = 12_000;
/// No search costs more; a larger number in an answer is no price.
const DOLLARS_MAX: f64 = 100.0;

pub(super) fn request(question: &ProviderQuery<'_>) -> ProviderRequest {
    let kind = match question.depth {
        SearchDepth::Basic => "auto",
        SearchDepth::Advanced => "deep",
    };
    let mut body = Map::new();
    body.insert("query".to_owned(), json!(question.query));
    body.insert("type".to_owned(), json!(kind));
    body.insert("numResults".to_owned(), json!(question.count));
    body.insert("contents".to_owned(), json!({"highlights": true}));
    let filters = question.filters;
    let mut domains = |field: &str, list: &[String]| {
        let list = filter::bare_domains(list);
        if !list.is_empty() {
            body.insert(field.to_owned(), json!(list));
        }
    };
    domains("includeDomains", &filters.domains);
    domains("excludeDomains", &filters.domains_excluded);
    if let Some(after) = &filters.after {
        body.insert("startPublishedDate".to_owned(), json!(format!("{after}T00:00:00.000Z")));
    }
    if let Some(before) = &filters.before {
        body.insert("endPublishedDate".to_owned(), json!(format!("{before}T23:59:59.999Z")));
    }
    let mut request = ApiRequest::post_json(&question.url("/search"), Value::Object(body).to_string());
    if let Some(key) = question.key {
        request = request.with_secret_header("x-api-key", key.clone());
    }
    ProviderRequest {
        request,
        heeded: question.filters_applied(FilterSupport { dates: true, domains: true, languages: false }),
    }
}

pub(super) fn read(question: &ProviderQuery<'_>, answer: &Value) -> Result<ProviderReply, CodedError> {
    let hits = json::hits(question, answer.get("results"), |result| {
        let highlights = result.get("highlights").and_then(Value::as_array).into_iter().flatten();
        let snippet = highlights.filter_map(Value::as_str).take(3).collect::<Vec<_>>().join(" … ");
        let text = || json::owned(result, "text").unwrap_or_default();
        Some(RawHit {
            url: json::owned(result, "url")?,
            title: json::owned(result, "title").unwrap_or_default(),
            snippet: if snippet.is_empty() { text() } else { snippet },
            published: json::owned(result, "publishedDate"),
            language: None,
        })
    })?;
    Ok(ProviderReply { hits, bill: bill(question, answer), ..ProviderReply::default() })
}

pub(super) fn usual_price(depth: SearchDepth) -> MicroUsd {
    MicroUsd(match depth {
        SearchDepth::Basic => SEARCH_MICRO_USD,
        SearchDepth::Advanced => DEEP_MICRO_USD,
    })
}

fn bill(question: &ProviderQuery<'_>, answer: &Value) -> Bill {
    let usage = Usage { searches: 1, ..Usage::NONE };
    let total = answer.pointer("/costDollars/total").and_then(Value::as_f64);
    match total.filter(|dollars| (0.0..=DOLLARS_MAX).contains(dollars)) {
        Some(dollars) => Bill::counted(MicroUsd((dollars * 1_000_000.0).ceil() as u64), usage),
        None => Bill { basis: BillBasis::AtLeast, cost: usual_price(question.depth), usage },
    }
}
