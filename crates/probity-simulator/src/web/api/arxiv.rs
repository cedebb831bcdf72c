//! arXiv: `GET /api/query`, an Atom feed.

use super::{RequestMeaning, SearchApiRefusal, SearchApiRequest, free, not_found};
use crate::{
    call::CallMethod,
    web::{
        index::{IndexHit, IndexQuery},
        page::escape,
    },
};

const RESULTS_USUAL: usize = 10;
const RESULTS_MAX: usize = 2_000;

pub(super) fn read(request: &SearchApiRequest<'_>) -> Result<RequestMeaning, SearchApiRefusal> {
    if !request.is(CallMethod::Get, "/api/query") {
        return Err(not_found());
    }
    let written = request.parameter("search_query").unwrap_or_default();
    let (words, dates) = match written.split_once("submittedDate:[") {
        Some((words, range)) => (words, range.trim_end_matches(']').split_once(" TO ")),
        None => (written, None),
    };
    let query = words.replace("all:", " ").replace(" AND ", " ").replace(['"', '(', ')'], " ");
    free(IndexQuery {
        query,
        count: request.count("max_results", RESULTS_USUAL, RESULTS_MAX),
        after: dates.and_then(|(after, _)| day(after)),
        before: dates.and_then(|(_, before)| day(before)),
        ..IndexQuery::default()
    })
}

/// `202601310000` as `2026-01-31`.
fn day(written: &str) -> Option<String> {
    Some(format!("{}-{}-{}", written.get(0..4)?, written.get(4..6)?, written.get(6..8)?))
}

pub(super) fn render_reply(asked: &IndexQuery, found: &[IndexHit<'_>]) -> String {
    let entries: String = found.iter().map(entry).collect();
    let title = escape(&asked.query);
    format!(
        "<?xml version='1.0' encoding='UTF-8'?>\n<feed xmlns:opensearch=\"http://a9.com/-/spec/opensearch/1.1/\" \
         xmlns:arxiv=\"http://arxiv.org/schemas/atom\" xmlns=\"http://www.w3.org/2005/Atom\">\n\
         <id>https://arxiv.org/api/0000</id>\n<title>arXiv Query: search_query={title}</title>\n\
         <updated>2026-11-14T12:00:00Z</updated>\n<opensearch:totalResults>{}</opensearch:totalResults>\n{entries}</feed>\n",
        found.len()
    )
}

fn entry(found: &IndexHit<'_>) -> String {
    let date = found.page.published.as_deref().unwrap_or("2020-01-01");
    let (url, title) = (escape(&found.page.url), escape(&found.page.title));
    format!(
        "<entry>\n<id>{url}</id>\n<title>{title}</title>\n<updated>{date}T00:00:00Z</updated>\n\
         <link href=\"{url}\" rel=\"alternate\" type=\"text/html\"/>\n\
         <link href=\"{url}.pdf\" rel=\"related\" type=\"application/pdf\" title=\"pdf\"/>\n\
         <summary>{}</summary>\n<published>{date}T00:00:00Z</published>\n\
         <author>\n<name>A. Author</name>\n</author>\n</entry>\n",
        escape(&found.snippet)
    )
}
