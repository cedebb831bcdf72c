//! Hacker News as Algolia serves it: `GET /api/v1/search`.

use serde_json::{Value, json};

use super::{RequestMeaning, SearchApiRefusal, SearchApiRequest, free, not_found};
use crate::{
    call::CallMethod,
    web::index::{IndexHit, IndexQuery},
};

const RESULTS_USUAL: usize = 20;
const RESULTS_MAX: usize = 1_000;

pub(super) fn read(request: &SearchApiRequest<'_>) -> Result<RequestMeaning, SearchApiRefusal> {
    if !request.is(CallMethod::Get, "/api/v1/search") {
        return Err(not_found());
    }
    let query = request.parameter("query").unwrap_or_default().to_owned();
    let mut asked = IndexQuery {
        query,
        count: request.count("hitsPerPage", RESULTS_USUAL, RESULTS_MAX),
        ..IndexQuery::default()
    };
    for part in request.parameter("numericFilters").unwrap_or_default().split(',') {
        if let Some(seconds) = part.strip_prefix("created_at_i>=") {
            asked.after = day(seconds, 0);
        } else if let Some(seconds) = part.strip_prefix("created_at_i<") {
            asked.before = day(seconds, 1);
        }
    }
    free(asked)
}

/// The day of a moment in seconds, that many seconds earlier.
fn day(seconds: &str, earlier: i64) -> Option<String> {
    let stamp = jiff::Timestamp::from_second(seconds.parse::<i64>().ok()?.checked_sub(earlier)?).ok()?;
    Some(stamp.to_string().chars().take(10).collect())
}

pub(super) fn render_reply(asked: &IndexQuery, found: &[IndexHit<'_>]) -> Value {
    let hits: Vec<Value> = found.iter().map(hit).collect();
    json!({
        "hits": hits,
        "nbHits": found.len(),
        "page": 0,
        "nbPages": 1,
        "hitsPerPage": asked.count,
        "exhaustive": {"nbHits": true, "typo": true},
        "query": asked.query,
    })
}

fn hit(found: &IndexHit<'_>) -> Value {
    let date = found.page.published.as_deref().unwrap_or("2020-01-01");
    json!({
        "objectID": (found.place + 1).to_string(),
        "title": found.page.title,
        "url": found.page.url,
        "author": "someone",
        "story_text": found.snippet,
        "created_at": format!("{date}T00:00:00Z"),
        "points": 10,
        "num_comments": 2,
        "_tags": ["story"],
    })
}
