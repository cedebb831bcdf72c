//! One page: robots, pace, cache, redirects one by one, limits, and the type of the bytes.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use probity_types::{
    error::{Code, CodedError},
    web::page::{PageRecord, Provenance},
};
use url::Url;

use super::{
    Fetcher,
    cache::CachedPage,
    clock,
    decode::{BodyLimits, OverflowPolicy},
    exchange::{ExchangeError, ExchangeRequest, ResponseHead},
    guard::refused,
    sniff::sniff,
};

/// Kept of an answer's header: type, length, dates, validators, language.
const HEADERS_KEPT: [HeaderName; 7] = [
    header::CONTENT_TYPE,
    header::CONTENT_LENGTH,
    header::CONTENT_LANGUAGE,
    header::DATE,
    header::LAST_MODIFIED,
    header::ETAG,
    header::EXPIRES,
];
/// Longest header value kept; real ones are shorter.
const HEADER_VALUE_BYTES_MAX: usize = 512;
const ACCEPT: HeaderValue = HeaderValue::from_static(
    "text/html,application/xhtml+xml,application/pdf;q=0.9,text/markdown;q=0.9,text/plain;q=0.8,application/json;q=0.7,application/xml;q=0.7,*/*;q=0.1",
);

/// A page with its bytes, decompressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFetch {
    pub record: PageRecord,
    pub bytes: Bytes,
}

/// The response of one address of the chain.
enum HopOutcome {
    Page(Box<PageFetch>),
    Elsewhere(Url),
}

/// The redirects so far.
struct RedirectChain {
    asked_url: String,
    redirects: Vec<String>,
    /// Left of the time for the whole page.
    left: Duration,
}

impl Fetcher {
    /// Fetches a page of the open web. A response other than success is a problem with its status.
    #[tracing::instrument(level = "debug", skip_all)]
    pub async fn page(&self, asked_url: &str) -> Result<PageFetch, CodedError> {
        let mut url = self.guard.parse(asked_url)?;
        let mut way =
            RedirectChain { asked_url: url.to_string(), redirects: Vec::new(), left: self.limits.total };
        loop {
            let wish = Box::pin(self.sites.check(&url, &self.guard, &self.exchange, &self.limits)).await?;
            let pause = self.limits.pause.max(wish.unwrap_or_default().min(self.limits.pause_max));
            let turn = self.lanes.wait_for_turn(url.host_str().unwrap_or_default(), pause).await;
            let slot = self.slots.acquire().await;
            let began = clock::now();
            let answer = Box::pin(self.visit(&url, &way)).await?;
            way.left = way.left.saturating_sub(began.elapsed());
            drop((slot, turn));
            match answer {
                HopOutcome::Page(page) => return Ok(*page),
                HopOutcome::Elsewhere(_) if way.redirects.len() >= self.limits.redirects_max => {
                    return Err(CodedError::new(Code::PageUnreachable, "the page redirects too often"));
                }
                HopOutcome::Elsewhere(next) => way.redirects.push(std::mem::replace(&mut url, next).into()),
            }
        }
    }

    /// One address. Nothing but the address is taken from the one before: no cookies, no referrer, no header.
    async fn visit(&self, url: &Url, way: &RedirectChain) -> Result<HopOutcome, CodedError> {
        let now = (self.now)();
        let stored = match &self.cache {
            Some(cache) => cache.find(url, now).await,
            None => None,
        };
        let asked = ExchangeRequest {
            method: Method::GET,
            url,
            headers: question(stored.as_ref()),
            body: Bytes::new(),
            first_byte: self.limits.first_byte,
            total: way.left,
        };
        let wanted = |head: &ResponseHead| head.status.is_success().then_some(self.page_caps());
        let (head, bytes) = self.exchange.perform(asked, wanted).await.map_err(to_error)?;
        match (head.status, stored) {
            (StatusCode::NOT_MODIFIED, Some(stored)) => {
                Ok(HopOutcome::Page(self.again(url, way, &head, stored)))
            }
            (status, _) if status.is_success() => {
                let page = self.fresh(url, way, &head, bytes);
                self.remember(url, &head, &page).await;
                Ok(HopOutcome::Page(page))
            }
            (status, _) if is_redirect(status) => {
                let location = location(&head.headers)?.ok_or_else(|| {
                    unreachable("the page redirects without saying where").with_status(status.as_u16())
                })?;
                Ok(HopOutcome::Elsewhere(self.guard.redirect(url, &location)?))
            }
            (status, _) => Err(unreachable(&format!("the page answers {status}"))
                .with_status(status.as_u16())
                .with_retry_after(retry_after(&head.headers))),
        }
    }

    fn page_caps(&self) -> BodyLimits {
        BodyLimits {
            wire_bytes_max: self.limits.wire_bytes_max,
            decoded_bytes_max: self.limits.decoded_bytes_max,
            ratio_max: self.limits.ratio_max,
            over: OverflowPolicy::Refuse,
        }
    }

    fn fresh(&self, url: &Url, way: &RedirectChain, head: &ResponseHead, bytes: Bytes) -> Box<PageFetch> {
        let content_type = head.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let media = sniff(&bytes, content_type, url.path());
        let record = self.record(url, way, head);
        let record = PageRecord { headers: kept(&head.headers), media, bytes: bytes.len() as u64, ..record };
        Box::new(PageFetch { record, bytes })
    }

    fn again(
        &self,
        url: &Url,
        way: &RedirectChain,
        head: &ResponseHead,
        stored: CachedPage,
    ) -> Box<PageFetch> {
        let record = PageRecord {
            // The page is the stored one; the server only says that it is unchanged.
            status: StatusCode::OK.as_u16(),
            headers: stored.headers,
            media: stored.media,
            bytes: stored.bytes.len() as u64,
            revalidated: true,
            ..self.record(url, way, head)
        };
        Box::new(PageFetch { record, bytes: stored.bytes })
    }

    fn record(&self, url: &Url, way: &RedirectChain, head: &ResponseHead) -> PageRecord {
        let proxied = self.exchange.proxy_for(url).is_some();
        PageRecord {
            asked_url: way.asked_url.clone(),
            final_url: url.to_string(),
            redirects: way.redirects.clone(),
            address: head.peer.map(|peer| peer.to_string()),
            fetched_at: (self.now)(),
            status: head.status.as_u16(),
            headers: Vec::new(),
            media: probity_types::web::MediaKind::Other,
            bytes: 0,
            provenance: if proxied { Provenance::Proxy } else { Provenance::Direct },
            revalidated: false,
            overridden: self.guard.has_reach_rule_for(url),
        }
    }

    /// Caches a page that its server can revalidate later and does not forbid to store.
    async fn remember(&self, url: &Url, head: &ResponseHead, page: &PageFetch) {
        let Some(cache) = &self.cache else { return };
        let forbidden = text(&head.headers, header::CACHE_CONTROL)
            .is_some_and(|value| value.to_ascii_lowercase().contains("no-store"));
        let etag = text(&head.headers, header::ETAG);
        let last_modified = text(&head.headers, header::LAST_MODIFIED);
        if forbidden || head.status != StatusCode::OK || (etag.is_none() && last_modified.is_none()) {
            return;
        }
        let stored = CachedPage {
            etag,
            last_modified,
            headers: page.record.headers.clone(),
            media: page.record.media,
            bytes: page.bytes.clone(),
        };
        cache.store(url, stored, page.record.fetched_at).await;
    }
}

fn question(stored: Option<&CachedPage>) -> HeaderMap {
    let mut headers = HeaderMap::from_iter([(header::ACCEPT, ACCEPT)]);
    let mut add = |name: HeaderName, value: Option<&String>| {
        if let Some(value) = value.and_then(|value| HeaderValue::from_str(value).ok()) {
            headers.insert(name, value);
        }
    };
    add(header::IF_NONE_MATCH, stored.and_then(|stored| stored.etag.as_ref()));
    add(header::IF_MODIFIED_SINCE, stored.and_then(|stored| stored.last_modified.as_ref()));
    headers
}

/// The five with a new address. `Refresh` headers and meta elements are never followed.
fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// The `Location` as the server wrote it. Raw UTF-8 is common; other bytes are no address.
pub(super) fn location(headers: &HeaderMap) -> Result<Option<String>, CodedError> {
    let Some(value) = headers.get(header::LOCATION) else { return Ok(None) };
    let text = std::str::from_utf8(value.as_bytes())
        .map_err(|_| refused("the redirect's address cannot be read"))?;
    Ok(Some(text.to_owned()))
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    let value = headers.get(name)?.to_str().ok()?;
    (value.len() <= HEADER_VALUE_BYTES_MAX).then(|| value.to_owned())
}

fn kept(headers: &HeaderMap) -> Vec<(String, String)> {
    HEADERS_KEPT
        .into_iter()
        .filter_map(|name| Some((name.as_str().to_owned(), text(headers, name)?)))
        .collect()
}

/// Seconds only: a date would need the server's clock.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    text(headers, header::RETRY_AFTER)?.trim().parse().ok().map(Duration::from_secs)
}

fn to_error(fault: ExchangeError) -> CodedError {
    match fault {
        ExchangeError::NotConnected(problem) => problem,
        ExchangeError::Broken(words) => unreachable(&words),
        ExchangeError::TimedOut(words) => unreachable(words),
        ExchangeError::TooLarge(words) => {
            CodedError::new(Code::PageTooLarge, &format!("the page is too large: {words}"))
        }
        ExchangeError::Unreadable(words) => {
            CodedError::new(Code::PageUnreadable, &format!("the page cannot be read: {words}"))
        }
    }
}

fn unreachable(why: &str) -> CodedError {
    CodedError::new(Code::PageUnreachable, why)
}
