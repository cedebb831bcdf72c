//! OpenAlex: `GET /works`. Without a key it allows about a hundred searches a day.

use std::collections::BTreeMap;

use probity_types::{error::CodedError, web::providers::FilterSupport};
use serde_json::Value;

use super::{
    json,
    provider::{ProviderQuery, ProviderReply, ProviderRequest, RawHit},
};
use crate::fetch::ApiRequest;

const FIELDS: &str = "id,doi,display_name,publication_date,language,primary_location,abstract_inverted_index";
/// Words of an abstract that are put back in order: more than a snippet keeps.
const ABSTRACT_WORDS_MAX: usize = 120;

pub(super) fn request(question: &ProviderQuery<'_>) -> ProviderRequest {
    let filters = question.filters;
    let mut conditions = Vec::new();
    if let Some(after) = &filters.after {
        conditions.push(format!("from_publication_date:{after}"));
    }
    if let Some(before) = &filters.before {
        conditions.push(format!("to_publication_date:{before}"));
    }
    if let Some(language) = question.language() {
        conditions.push(format!("language:{language}"));
    }
    let mut request = ApiRequest::get(&question.url("/works"))
        .with_query("search", &question.query)
        .with_query("per-page", &question.count.to_string())
        .with_query("select", FIELDS);
    if !conditions.is_empty() {
        request = request.with_query("filter", &conditions.join(","));
    }
    if let Some(contact) = question.contact {
        request = request.with_query("mailto", contact);
    }
    if let Some(key) = question.key {
        request = request.with_secret_query("api_key", key.clone());
    }
    let carries =
        FilterSupport { languages: question.language().is_some(), ..question.provider.facts().filters };
    ProviderRequest { request, heeded: question.filters_carried(carries) }
}

pub(super) fn read(question: &ProviderQuery<'_>, answer: &Value) -> Result<ProviderReply, CodedError> {
    let hits = json::hits(question, answer.get("results"), |work| {
        let landing = work.pointer("/primary_location/landing_page_url").and_then(Value::as_str);
        let address = landing.or(json::text(work, "doi")).or(json::text(work, "id"))?;
        Some(RawHit {
            url: address.to_owned(),
            title: json::owned(work, "display_name").unwrap_or_default(),
            snippet: work.get("abstract_inverted_index").map(in_order).unwrap_or_default(),
            published: json::owned(work, "publication_date"),
            language: json::owned(work, "language"),
        })
    })?;
    Ok(ProviderReply::at_list_price(question, hits))
}

/// `{"word": [places]}` as a text again.
fn in_order(index: &Value) -> String {
    let mut words: BTreeMap<u64, &str> = BTreeMap::new();
    for (word, places) in index.as_object().into_iter().flatten() {
        for place in places.as_array().into_iter().flatten().filter_map(Value::as_u64) {
            if place < ABSTRACT_WORDS_MAX as u64 {
                words.insert(place, word);
            }
        }
    }
    words.into_values().collect::<Vec<_>>().join(" ")
}
