//! arXiv: `GET /api/query`, an Atom feed of papers.

use probity_types::{error::CodedError, web::search::HITS_MAX};
use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use super::{
    keywords,
    provider::{ProviderQuery, ProviderReply, ProviderRequest, RawHit},
};
use crate::fetch::ApiRequest;

/// Words of the query that are sent: each becomes a condition, and a long list matches nothing.
const WORDS_MAX: usize = 8;
/// Ends of an open range of days.
const DAY_FIRST: &str = "1990-01-01";
const DAY_LAST: &str = "2100-12-31";
/// Where the feed of a refused query says why, as an entry.
const ERRORS: &str = "arxiv.org/api/errors";

pub(super) fn request(question: &ProviderQuery<'_>) -> ProviderRequest {
    let words: Vec<String> = keywords::significant_words(&question.query, WORDS_MAX)
        .into_iter()
        .map(|word| format!("all:\"{word}\""))
        .collect();
    let mut query = words.join(" AND ");
    let filters = question.filters;
    if filters.after.is_some() || filters.before.is_some() {
        let day = |date: &Option<String>, open: &str| date.as_deref().unwrap_or(open).replace('-', "");
        let (after, before) = (day(&filters.after, DAY_FIRST), day(&filters.before, DAY_LAST));
        query = format!("({query}) AND submittedDate:[{after}0000 TO {before}2359]");
    }
    let request = ApiRequest::get(&question.url("/api/query"))
        .with_query("search_query", &query)
        .with_query("start", "0")
        .with_query("max_results", &question.count.to_string())
        .with_query("sortBy", "relevance");
    ProviderRequest { request, heeded: question.filters_applied() }
}

pub(super) fn read(question: &ProviderQuery<'_>, body: &[u8]) -> Result<ProviderReply, CodedError> {
    let entries = entries(body).ok_or_else(|| question.unreadable_problem())?;
    if let Some(error) = entries.iter().find(|entry| entry.url.contains(ERRORS)) {
        return Err(question.search_problem(&error.snippet));
    }
    let usable = |entry: &RawHit| !entry.url.is_empty();
    Ok(ProviderReply::at_list_price(question, entries.into_iter().filter(usable).collect()))
}

/// The entries of a feed; `None` where the body is none.
fn entries(body: &[u8]) -> Option<Vec<RawHit>> {
    let mut reader = Reader::from_reader(body);
    let mut buffer = Vec::new();
    let mut entries: Vec<RawHit> = Vec::new();
    let mut field: Option<AtomField> = None;
    let (mut is_feed, mut depth) = (false, 0_usize);
    loop {
        match reader.read_event_into(&mut buffer).ok()? {
            Event::Start(start) => {
                depth += 1;
                is_feed |= depth == 1 && start.local_name().as_ref() == b"feed";
                if depth == 2 && start.local_name().as_ref() == b"entry" {
                    if entries.len() >= HITS_MAX {
                        break;
                    }
                    entries.push(RawHit::default());
                }
                // Fields of an entry are its direct children; an author's name is deeper.
                field = if depth == 3 { AtomField::of(&start) } else { None };
            }
            Event::End(_) => {
                depth = depth.checked_sub(1)?;
                field = None;
            }
            Event::Text(text) => add(&mut entries, field, &text.decode().ok()?),
            Event::CData(text) => add(&mut entries, field, &text.decode().ok()?),
            Event::GeneralRef(reference) => {
                let name = reference.decode().ok()?;
                add(&mut entries, field, &super::hit::plain(&format!("&{name};")));
            }
            Event::Eof => break,
            _ => {}
        }
        buffer.clear();
    }
    is_feed.then_some(entries)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AtomField {
    Id,
    Title,
    Summary,
    Published,
}

impl AtomField {
    fn of(start: &BytesStart<'_>) -> Option<Self> {
        match start.local_name().as_ref() {
            b"id" => Some(Self::Id),
            b"title" => Some(Self::Title),
            b"summary" => Some(Self::Summary),
            b"published" => Some(Self::Published),
            _ => None,
        }
    }
}

fn add(entries: &mut [RawHit], field: Option<AtomField>, text: &str) {
    let (Some(entry), Some(field)) = (entries.last_mut(), field) else { return };
    match field {
        AtomField::Id => entry.url.push_str(text.trim()),
        AtomField::Title => entry.title.push_str(text),
        AtomField::Summary => entry.snippet.push_str(text),
        AtomField::Published => entry.published.get_or_insert_default().push_str(text.trim()),
    }
}
