//! Crossref: `GET /works`, the records behind DOIs.

use probity_types::error::CodedError;
use serde_json::Value;

use super::{
    json,
    provider::{ProviderQuery, ProviderReply, ProviderRequest, RawHit},
};
use crate::fetch::ApiRequest;

const FIELDS: &str = "DOI,URL,title,abstract,published";

pub(super) fn request(question: &ProviderQuery<'_>) -> ProviderRequest {
    let mut request = ApiRequest::get(&question.url("/works"))
        .with_query("query", &question.query)
        .with_query("rows", &question.count.to_string())
        .with_query("select", FIELDS);
    let filters = question.filters;
    let conditions: Vec<String> = [("from-pub-date", &filters.after), ("until-pub-date", &filters.before)]
        .into_iter()
        .filter_map(|(name, date)| Some(format!("{name}:{}", date.as_deref()?)))
        .collect();
    if !conditions.is_empty() {
        request = request.with_query("filter", &conditions.join(","));
    }
    if let Some(contact) = question.contact {
        request = request.with_query("mailto", contact);
    }
    ProviderRequest { request, heeded: question.filters_applied() }
}

pub(super) fn read(question: &ProviderQuery<'_>, answer: &Value) -> Result<ProviderReply, CodedError> {
    let hits = json::hits(question, answer.pointer("/message/items"), |work| {
        let doi = || Some(format!("https://doi.org/{}", json::text(work, "DOI")?));
        Some(RawHit {
            url: json::owned(work, "URL").or_else(doi)?,
            title: work.pointer("/title/0").and_then(Value::as_str).unwrap_or_default().to_owned(),
            snippet: json::owned(work, "abstract").unwrap_or_default(),
            published: work.pointer("/published/date-parts/0").and_then(day),
            language: None,
        })
    })?;
    Ok(ProviderReply::at_list_price(question, hits))
}

/// `[2026, 1, 31]`, or as much of it as there is.
fn day(parts: &Value) -> Option<String> {
    let parts: Vec<u64> = parts.as_array()?.iter().map_while(Value::as_u64).take(3).collect();
    match parts.as_slice() {
        [year] => Some(format!("{year:04}")),
        [year, month] => Some(format!("{year:04}-{month:02}")),
        [year, month, day] => Some(format!("{year:04}-{month:02}-{day:02}")),
        _ => None,
    }
}
