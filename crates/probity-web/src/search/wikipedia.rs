//! Wikipedia in the asked language, English otherwise: the Action API's search with the beginning of each article.

use probity_types::error::CodedError;
use serde_json::Value;

use super::{
    json,
    provider::{ProviderQuery, ProviderReply, ProviderRequest, RawHit},
};
use crate::fetch::ApiRequest;

const LANGUAGE_USUAL: &str = "en";
/// Characters of each article's beginning: what a snippet keeps.
const EXTRACT_CHARACTERS: &str = "400";

pub(super) fn request(question: &ProviderQuery<'_>) -> ProviderRequest {
    let base = question.base.replace("{language}", language(question));
    let request = ApiRequest::get(&format!("{base}/w/api.php"))
        .with_query("action", "query")
        .with_query("format", "json")
        .with_query("formatversion", "2")
        .with_query("generator", "search")
        .with_query("gsrsearch", &question.query)
        .with_query("gsrlimit", &question.count.to_string())
        .with_query("prop", "info|extracts")
        .with_query("inprop", "url")
        .with_query("exintro", "1")
        .with_query("explaintext", "1")
        .with_query("exchars", EXTRACT_CHARACTERS)
        .with_query("exlimit", "max");
    // An edition is in one language: whatever it answers is in that one. An article has no date, only edits.
    ProviderRequest { request, heeded: question.filters_applied() }
}

/// The first of the asked languages: an article in any of them fits.
fn language<'question>(question: &'question ProviderQuery<'_>) -> &'question str {
    let wanted = question.filters.languages.iter().find(|code| super::provider::is_language(code));
    wanted.map_or(LANGUAGE_USUAL, String::as_str)
}

pub(super) fn read(question: &ProviderQuery<'_>, answer: &Value) -> Result<ProviderReply, CodedError> {
    // Errors come with 200 here.
    if let Some(error) = answer.get("error") {
        let words =
            json::text(error, "info").or(json::text(error, "code")).unwrap_or("an error without words");
        return Err(question.search_problem(words));
    }
    let Some(query) = answer.get("query") else {
        // Nothing found: no `query`, but the flag that the response is complete.
        return if answer.get("batchcomplete").is_some() {
            Ok(ProviderReply::at_list_price(question, Vec::new()))
        } else {
            Err(question.unreadable_problem())
        };
    };
    let mut pages: Vec<&Value> = query.get("pages").and_then(Value::as_array).into_iter().flatten().collect();
    pages.sort_by_key(|page| page.get("index").and_then(Value::as_u64).unwrap_or(u64::MAX));
    let pages = Value::Array(pages.into_iter().cloned().collect());
    let hits = json::hits(question, query.get("pages").map(|_| &pages), |page| {
        Some(RawHit {
            url: json::owned(page, "fullurl")?,
            title: json::owned(page, "title").unwrap_or_default(),
            snippet: json::owned(page, "extract").unwrap_or_default(),
            published: None,
            language: json::owned(page, "pagelanguage"),
        })
    })?;
    Ok(ProviderReply::at_list_price(question, hits))
}
