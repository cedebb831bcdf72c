//! Hacker News as Algolia serves it: `GET /api/v1/search`, stories only.

use probity_types::{error::CodedError, time::Moment};
use serde_json::Value;

use super::{
    json, keywords,
    provider::{ProviderQuery, ProviderReply, ProviderRequest, RawHit},
};
use crate::fetch::ApiRequest;

/// Words of the query that are sent: a story must contain every one of them.
const WORDS_MAX: usize = 8;
const DAY_SECONDS: i64 = 24 * 60 * 60;
/// Where a story without a page of its own is discussed.
const ITEMS: &str = "https://news.ycombinator.com/item?id=";

pub(super) fn request(question: &ProviderQuery<'_>) -> ProviderRequest {
    let mut request = ApiRequest::get(&question.url("/api/v1/search"))
        .with_query("query", &keywords::significant_words(&question.query, WORDS_MAX).join(" "))
        .with_query("tags", "story")
        .with_query("hitsPerPage", &question.count.to_string());
    let filters = question.filters;
    let second = |date: &Option<String>| Some(Moment::of_date(date.as_deref()?)?.0 / 1_000);
    let after = second(&filters.after).map(|second| format!("created_at_i>={second}"));
    let before = second(&filters.before).map(|second| format!("created_at_i<{}", second + DAY_SECONDS));
    let conditions: Vec<String> = after.into_iter().chain(before).collect();
    if !conditions.is_empty() {
        request = request.with_query("numericFilters", &conditions.join(","));
    }
    ProviderRequest { request, heeded: question.filters_applied() }
}

pub(super) fn read(question: &ProviderQuery<'_>, answer: &Value) -> Result<ProviderReply, CodedError> {
    let hits = json::hits(question, answer.get("hits"), |story| {
        let number = json::text(story, "objectID").filter(|id| id.bytes().all(|byte| byte.is_ascii_digit()));
        let discussion = || Some(format!("{ITEMS}{}", number?));
        Some(RawHit {
            url: json::owned(story, "url").or_else(discussion)?,
            title: json::owned(story, "title").unwrap_or_default(),
            snippet: json::owned(story, "story_text").unwrap_or_default(),
            published: json::owned(story, "created_at"),
            language: None,
        })
    })?;
    Ok(ProviderReply::at_list_price(question, hits))
}
