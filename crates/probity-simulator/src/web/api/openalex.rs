//! OpenAlex: `GET /works`; abstracts come as an inverted index.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{RequestMeaning, SearchApiRefusal, SearchApiRequest, free, not_found};
use crate::{
    call::CallMethod,
    web::index::{IndexHit, IndexQuery},
};

const RESULTS_USUAL: usize = 25;
const RESULTS_MAX: usize = 200;

pub(super) fn read(request: &SearchApiRequest<'_>) -> Result<RequestMeaning, SearchApiRefusal> {
    if !request.is(CallMethod::Get, "/works") {
        return Err(not_found());
    }
    let query = request.parameter("search").unwrap_or_default().to_owned();
    let mut asked = IndexQuery {
        query,
        count: request.count("per-page", RESULTS_USUAL, RESULTS_MAX),
        ..IndexQuery::default()
    };
    for part in request.parameter("filter").unwrap_or_default().split(',') {
        match part.split_once(':') {
            Some(("from_publication_date", date)) => asked.after = Some(date.to_owned()),
            Some(("to_publication_date", date)) => asked.before = Some(date.to_owned()),
            Some(("language", code)) => asked.language = Some(code.to_owned()),
            _ => {}
        }
    }
    free(asked)
}

pub(super) fn render_reply(found: &[IndexHit<'_>]) -> Value {
    let results: Vec<Value> = found.iter().map(work).collect();
    json!({"meta": {"count": results.len(), "page": 1, "per_page": 25}, "results": results, "group_by": []})
}

fn work(found: &IndexHit<'_>) -> Value {
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, word) in found.snippet.split_whitespace().enumerate() {
        places.entry(word).or_default().push(place);
    }
    json!({
        "id": format!("https://openalex.org/W{}", found.place + 1),
        "doi": null,
        "display_name": found.page.title,
        "publication_date": found.page.published,
        "language": found.page.language.as_deref().unwrap_or("en"),
        "primary_location": {"is_oa": true, "landing_page_url": found.page.url, "pdf_url": null},
        "abstract_inverted_index": places,
    })
}
