//! GitHub: `GET /search/repositories`.

use serde_json::{Value, json};

use super::{EngineHealth, RequestMeaning, SearchApiRefusal, SearchApiRequest, free, not_found};
use crate::{
    call::CallMethod,
    web::index::{IndexHit, IndexQuery},
};

const RESULTS_USUAL: usize = 30;
const RESULTS_MAX: usize = 100;

pub(super) fn read(request: &SearchApiRequest<'_>) -> Result<RequestMeaning, SearchApiRefusal> {
    if !request.is(CallMethod::Get, "/search/repositories") {
        return Err(not_found());
    }
    if request.header("user-agent").is_none_or(str::is_empty) {
        return Err((403, json!({"message": "Request forbidden by administrative rules."})));
    }
    let mut asked =
        IndexQuery { count: request.count("per_page", RESULTS_USUAL, RESULTS_MAX), ..IndexQuery::default() };
    let mut words = Vec::new();
    for word in request.parameter("q").unwrap_or_default().split_whitespace() {
        match word.strip_prefix("pushed:") {
            Some(range) => (asked.after, asked.before) = dates(range),
            None => words.push(word),
        }
    }
    asked.query = words.join(" ");
    free(asked)
}

/// `A..B`, `>=A` or `<=B`.
fn dates(range: &str) -> (Option<String>, Option<String>) {
    let one = |date: &str| Some(date.to_owned());
    match (range.split_once(".."), range.strip_prefix(">="), range.strip_prefix("<=")) {
        (Some((after, before)), ..) => (one(after), one(before)),
        (None, Some(after), _) => (one(after), None),
        (None, None, Some(before)) => (None, one(before)),
        (None, None, None) => (None, None),
    }
}

pub(super) fn render_reply(found: &[IndexHit<'_>], engines: EngineHealth) -> Value {
    let items: Vec<Value> = found.iter().map(item).collect();
    json!({"total_count": items.len(), "incomplete_results": engines != EngineHealth::Well, "items": items})
}

fn item(found: &IndexHit<'_>) -> Value {
    json!({
        "id": found.place + 1,
        "full_name": format!("small-web/{}", found.page.title.to_lowercase().replace(' ', "-")),
        "html_url": found.page.url,
        "description": found.snippet,
        "pushed_at": found.page.published.as_ref().map(|date| format!("{date}T00:00:00Z")),
        "language": "Rust",
        "stargazers_count": 3,
        "score": 1.0,
    })
}
