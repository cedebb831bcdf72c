//! Semantic Scholar: `GET /graph/v1/paper/search`. Without a key all anonymous clients share one allowance.

use probity_types::error::CodedError;
use serde_json::Value;

use super::{
    json,
    provider::{ProviderQuery, ProviderReply, ProviderRequest, RawHit},
};
use crate::fetch::ApiRequest;

const FIELDS: &str = "title,url,abstract,publicationDate,year";

pub(super) fn request(question: &ProviderQuery<'_>) -> ProviderRequest {
    let mut request = ApiRequest::get(&question.url("/graph/v1/paper/search"))
        .with_query("query", &question.query)
        .with_query("limit", &question.count.to_string())
        .with_query("fields", FIELDS);
    let filters = question.filters;
    if filters.after.is_some() || filters.before.is_some() {
        let range = format!(
            "{}:{}",
            filters.after.as_deref().unwrap_or_default(),
            filters.before.as_deref().unwrap_or_default()
        );
        request = request.with_query("publicationDateOrYear", &range);
    }
    if let Some(key) = question.key {
        request = request.with_secret_header("x-api-key", key.clone());
    }
    ProviderRequest { request, heeded: question.filters_applied() }
}

pub(super) fn read(question: &ProviderQuery<'_>, answer: &Value) -> Result<ProviderReply, CodedError> {
    // Nothing found: a total of zero and no list.
    if answer.get("data").is_none() && answer.get("total").and_then(Value::as_u64) == Some(0) {
        return Ok(ProviderReply::at_list_price(question, Vec::new()));
    }
    let hits = json::hits(question, answer.get("data"), |paper| {
        let year = paper.get("year").and_then(Value::as_u64).map(|year| year.to_string());
        Some(RawHit {
            url: json::owned(paper, "url")?,
            title: json::owned(paper, "title").unwrap_or_default(),
            snippet: json::owned(paper, "abstract").unwrap_or_default(),
            published: json::owned(paper, "publicationDate").or(year),
            language: None,
        })
    })?;
    Ok(ProviderReply::at_list_price(question, hits))
}
