//! Tavily, with a key or without: `POST /search`. Without one it is free and capped.

use probity_types::{
    cost::MicroUsd,
    error::CodedError,
    web::{Bill, BillBasis, ProviderName, SearchDepth, providers::FilterSupport},
};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value, json};

use super::{
    filter, json,
    provider::{ONE_SEARCH, ProviderQuery, ProviderReply, ProviderRequest, RawHit},
    refusal,
};
use crate::fetch::ApiRequest;

/// Credits that one search can cost; a larger number in an answer is no count.
const CREDITS_MAX: u64 = 1_000;
/// Domains that one request takes.
const DOMAINS_MAX: usize = 300;
const DOMAINS_EXCLUDED_MAX: usize = 150;

pub(super) fn request(question: &ProviderQuery<'_>) -> ProviderRequest {
    let mut body = Map::new();
    body.insert("query".to_owned(), json!(question.query));
    let depth = match question.depth {
        SearchDepth::Basic => "basic",
        SearchDepth::Advanced => "advanced",
    };
    body.insert("search_depth".to_owned(), json!(depth));
    body.insert("max_results".to_owned(), json!(question.count));
    body.insert("include_usage".to_owned(), json!(true));
    let filters = question.filters;
    if let Some(after) = &filters.after {
        body.insert("start_date".to_owned(), json!(after));
    }
    if let Some(before) = &filters.before {
        body.insert("end_date".to_owned(), json!(before));
    }
    let mut domains = |field: &str, list: &[String], most: usize| {
        let list: Vec<String> = filter::bare_domains(list).into_iter().take(most).collect();
        if !list.is_empty() {
            body.insert(field.to_owned(), json!(list));
        }
    };
    domains("include_domains", &filters.domains, DOMAINS_MAX);
    domains("exclude_domains", &filters.domains_excluded, DOMAINS_EXCLUDED_MAX);
    if let Some(language) = question.language() {
        body.insert("language".to_owned(), json!(language));
        body.insert("filter_by_language".to_owned(), json!(true));
    }
    let request = ApiRequest::post_json(&question.url("/search"), Value::Object(body).to_string());
    let request = match question.key.filter(|_| question.provider == ProviderName::Tavily) {
        Some(key) => {
            let bearer = SecretString::from(format!("Bearer {}", key.expose_secret()));
            request.with_secret_header("authorization", bearer).with_header("x-client-source", "probity")
        }
        None => request
            .with_header("x-tavily-access-mode", "keyless")
            .with_header("x-client-source", "probity-keyless"),
    };
    let carries =
        FilterSupport { languages: question.language().is_some(), ..question.provider.facts().filters };
    ProviderRequest { request, heeded: question.filters_carried(carries) }
}

pub(super) fn read(question: &ProviderQuery<'_>, answer: &Value) -> Result<ProviderReply, CodedError> {
    if let Some(problem) = refusal::allowance_problem(question.provider, answer) {
        return Err(problem);
    }
    let hits = json::hits(question, answer.get("results"), |result| {
        Some(RawHit {
            url: json::owned(result, "url")?,
            title: json::owned(result, "title").unwrap_or_default(),
            snippet: json::owned(result, "content").unwrap_or_default(),
            published: json::owned(result, "published_date"),
            language: None,
        })
    })?;
    Ok(ProviderReply { bill: bill(question, answer), ..ProviderReply::at_list_price(question, hits) })
}

fn bill(question: &ProviderQuery<'_>, answer: &Value) -> Bill {
    let price = question.provider.facts().price;
    if !price.is_paid() {
        return Bill::NOTHING;
    }
    // A basic search is one credit.
    let credit = price.cost(SearchDepth::Basic);
    let counted =
        answer.pointer("/usage/credits").and_then(Value::as_u64).filter(|credits| *credits <= CREDITS_MAX);
    let cost = counted.map_or(question.list_price(), |credits| MicroUsd(credits * credit.0));
    let basis = if counted.is_some() { BillBasis::Counted } else { BillBasis::AtLeast };
    Bill { basis, cost, usage: ONE_SEARCH }
}
