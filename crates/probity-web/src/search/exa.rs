//! Exa: `POST /search`. Each answer says in dollars what it cost.

use probity_types::{
    cost::MicroUsd,
    error::CodedError,
    web::{Bill, BillBasis, SearchDepth},
};
use serde_json::{Map, Value, json};

use super::{
    filter, json,
    provider::{ONE_SEARCH, ProviderQuery, ProviderReply, ProviderRequest, RawHit},
};
use crate::fetch::ApiRequest;

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
    ProviderRequest { request, heeded: question.filters_applied() }
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
    Ok(ProviderReply { bill: bill(question, answer), ..ProviderReply::at_list_price(question, hits) })
}

fn bill(question: &ProviderQuery<'_>, answer: &Value) -> Bill {
    let told = answer.pointer("/costDollars/total").and_then(Value::as_f64);
    match told.filter(|dollars| (0.0..=DOLLARS_MAX).contains(dollars)) {
        Some(dollars) => Bill::counted(MicroUsd((dollars * 1_000_000.0).ceil() as u64), ONE_SEARCH),
        None => Bill { basis: BillBasis::AtLeast, cost: question.list_price(), usage: ONE_SEARCH },
    }
}
