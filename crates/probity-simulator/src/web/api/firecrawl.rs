//! Firecrawl: `POST /v2/search`, and `POST /v2/scrape` for a page as its browser sees it. With a key, or as a server of
//! the user's own without one.

use serde_json::{Value, json};

use super::{RequestMeaning, SearchApiRefusal, SearchApiRequest, not_found};
use crate::{
    call::CallMethod,
    web::{
        index::{IndexHit, IndexQuery},
        page::SmallWebPage,
    },
};

/// What a credit costs on the dearest plan.
const CREDIT_MICRO_USD: u64 = 4_625;
/// Two credits for each ten results.
const CREDITS_PER_PAGE_OF_RESULTS: u64 = 2;
const RESULTS_USUAL: usize = 10;
const RESULTS_MAX: usize = 100;
const QUERY_CHARACTERS_MAX: usize = 500;
/// Milliseconds that it takes as a timeout.
const TIMEOUT_MS: std::ops::RangeInclusive<u64> = 1_000..=300_000;

pub(super) fn read(request: &SearchApiRequest<'_>) -> Result<RequestMeaning, SearchApiRefusal> {
    let is_billed = is_billed(request)?;
    if request.is(CallMethod::Post, "/v2/scrape") {
        let url = request.text("url").filter(|url| url.starts_with("http"));
        let url = url.ok_or_else(|| bad("Invalid URL"))?;
        return Ok(RequestMeaning::Scrape { url, charged_micro_usd: charge(is_billed, 1) });
    }
    if !request.is(CallMethod::Post, "/v2/search") {
        return Err(not_found());
    }
    let query = request.text("query").filter(|query| !query.is_empty()).ok_or_else(|| bad("Bad Request"))?;
    let timeout = request.json.get("timeout").and_then(Value::as_u64);
    let both = !request.texts("includeDomains").is_empty() && !request.texts("excludeDomains").is_empty();
    if query.chars().count() > QUERY_CHARACTERS_MAX
        || both
        || timeout.is_some_and(|timeout| !TIMEOUT_MS.contains(&timeout))
    {
        return Err(bad("Bad Request"));
    }
    let count = request.count("limit", RESULTS_USUAL, RESULTS_MAX);
    let (after, before) = range(request.text("tbs").as_deref());
    let asked = IndexQuery {
        query,
        count,
        after,
        before,
        domains: request.texts("includeDomains"),
        domains_excluded: request.texts("excludeDomains"),
        language: None,
    }
    .with_operators();
    let pages = u64::try_from(count.div_ceil(10)).unwrap_or(u64::MAX);
    let charged_micro_usd = charge(is_billed, pages.saturating_mul(CREDITS_PER_PAGE_OF_RESULTS));
    Ok(RequestMeaning::Search { asked, charged_micro_usd })
}

/// A server of the user's own asks for no key; a key that is none is refused anywhere.
fn is_billed(request: &SearchApiRequest<'_>) -> Result<bool, SearchApiRefusal> {
    match request.header("authorization").map(|value| value.strip_prefix("Bearer ").unwrap_or_default()) {
        None => Ok(false),
        Some("" | "invalid") => Err((401, json!({"success": false, "error": "Unauthorized: Invalid token"}))),
        Some(_) => Ok(true),
    }
}

fn charge(is_billed: bool, credits: u64) -> u64 {
    if is_billed { credits.saturating_mul(CREDIT_MICRO_USD) } else { 0 }
}

fn bad(words: &str) -> SearchApiRefusal {
    (400, json!({"success": false, "error": words}))
}

/// `cdr:1,cd_min:MM/DD/YYYY,cd_max:MM/DD/YYYY`.
fn range(tbs: Option<&str>) -> (Option<String>, Option<String>) {
    let part = |name: &str| {
        let written = tbs?.split(',').find_map(|part| part.strip_prefix(name))?;
        let mut parts = written.splitn(3, '/');
        let (month, day, year) = (parts.next()?, parts.next()?, parts.next()?);
        Some(format!("{year}-{month}-{day}"))
    };
    (part("cd_min:"), part("cd_max:"))
}

pub(super) fn render_reply(asked: &IndexQuery, found: &[IndexHit<'_>]) -> Value {
    let results: Vec<Value> = found
        .iter()
        .enumerate()
        .map(|(place, hit)| {
            json!({
                "url": hit.page.url, "title": hit.page.title, "description": hit.snippet, "position": place + 1,
            })
        })
        .collect();
    let credits = asked.count.div_ceil(10) * 2;
    json!({"success": true, "data": {"web": results}, "id": "00000000-0000-4000-8000-000000000000", "creditsUsed": credits})
}

/// The page as a browser shows it after its scripts ran: made of its text, whatever its own server sends.
pub(super) fn scraped(url: &str, page: Option<&SmallWebPage>) -> Value {
    let (html, status, end) = match page {
        // What its server refuses to everybody is refused to a browser too.
        Some(page) => {
            let status = page.status.filter(|status| *status < 500).unwrap_or(200);
            (page.html(), status, page.redirect.as_deref().unwrap_or(&page.url))
        }
        None => ("<html><body>Not Found</body></html>".to_owned(), 404, url),
    };
    json!({
        "success": true,
        "data": {
            "rawHtml": html,
            "metadata": {
                "title": page.map(|page| page.title.clone()).unwrap_or_default(),
                "sourceURL": url,
                "url": end,
                "statusCode": status,
                "contentType": "text/html; charset=utf-8",
                "proxyUsed": "basic",
                "creditsUsed": 1,
            },
        },
    })
}
