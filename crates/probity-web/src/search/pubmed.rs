//! PubMed's E-utilities: `esearch` returns ids, `esummary` their records.

use probity_types::{error::CodedError, web::search::HITS_MAX};
use serde_json::Value;

use super::{
    json,
    provider::{ProviderQuery, ProviderReply, ProviderRequest, RawHit, ReplyReading},
};
use crate::fetch::ApiRequest;

/// Where a reader finds a record.
const PAGES: &str = "https://pubmed.ncbi.nlm.nih.gov";
/// Ends of an open range: both have to be given.
const DAY_FIRST: &str = "1800/01/01";
const DAY_LAST: &str = "3000/12/31";
/// Digits of a record's number; anything else would change the address it becomes a part of.
const DIGITS_MAX: usize = 12;

pub(super) fn request(question: &ProviderQuery<'_>) -> ProviderRequest {
    let mut request = common(question, "esearch")
        .with_query("term", &question.query)
        .with_query("retmax", &question.count.to_string())
        .with_query("sort", "relevance");
    let filters = question.filters;
    if filters.after.is_some() || filters.before.is_some() {
        let day = |date: &Option<String>, open: &str| date.as_deref().unwrap_or(open).replace('-', "/");
        request = request
            .with_query("datetype", "pdat")
            .with_query("mindate", &day(&filters.after, DAY_FIRST))
            .with_query("maxdate", &day(&filters.before, DAY_LAST));
    }
    ProviderRequest { request, heeded: question.filters_applied() }
}

fn common(question: &ProviderQuery<'_>, utility: &str) -> ApiRequest {
    let mut request = ApiRequest::get(&question.url(&format!("/entrez/eutils/{utility}.fcgi")))
        .with_query("db", "pubmed")
        .with_query("retmode", "json")
        .with_query("tool", "probity");
    if let Some(contact) = question.contact {
        request = request.with_query("email", contact);
    }
    if let Some(key) = question.key {
        request = request.with_secret_query("api_key", key.clone());
    }
    request
}

/// The answer to either of the two requests; they cannot be mistaken for each other.
pub(super) fn read(question: &ProviderQuery<'_>, answer: &Value) -> Result<ReplyReading, CodedError> {
    if let Some(numbers) = answer.get("esearchresult") {
        return found_numbers(question, numbers);
    }
    let result = answer.get("result").ok_or_else(|| question.unreadable_problem())?;
    let hits = json::hits(question, result.get("uids"), |number| {
        let number = number.as_str().filter(|number| is_number(number))?;
        let record = result.get(number)?;
        Some(RawHit {
            url: format!("{PAGES}/{number}/"),
            title: json::owned(record, "title").unwrap_or_default(),
            snippet: json::owned(record, "source").unwrap_or_default(),
            published: json::owned(record, "sortpubdate").or_else(|| json::owned(record, "pubdate")),
            language: None,
        })
    })?;
    Ok(ReplyReading::Found(ProviderReply::at_list_price(question, hits)))
}

fn found_numbers(question: &ProviderQuery<'_>, result: &Value) -> Result<ReplyReading, CodedError> {
    if let Some(error) = json::text(result, "ERROR") {
        return Err(question.search_problem(error));
    }
    let list = result.get("idlist").and_then(Value::as_array).ok_or_else(|| question.unreadable_problem())?;
    let numbers = list.iter().filter_map(Value::as_str).filter(|number| is_number(number));
    let numbers: Vec<&str> = numbers.take(HITS_MAX).collect();
    if numbers.is_empty() {
        return if list.is_empty() {
            Ok(ReplyReading::Found(ProviderReply::at_list_price(question, Vec::new())))
        } else {
            Err(question.unreadable_problem())
        };
    }
    Ok(ReplyReading::More(common(question, "esummary").with_query("id", &numbers.join(","))))
}

fn is_number(text: &str) -> bool {
    (1..=DIGITS_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}
