//! A page through Firecrawl (`POST /v2/scrape`), for one that cannot be read directly: its server fails for us, or its
//! text is made by scripts.
//!
//! What comes back is the service's word: we did not connect to the page, and its record says so. Never asked for an
//! address that our own guard refuses, nor for a page that its owner refuses to programs.

use std::time::Duration;

use probity_types::{
    error::{Code, CodedError},
    time::Moment,
    web::{
        Bill, MediaKind, ProviderName,
        page::{PageRecord, Provenance},
        providers::ProviderAddress,
    },
};
use secrecy::SecretString;
use serde_json::{Value, json};
use url::Url;

use crate::{
    fetch::{ApiRequest, Fetcher, PageFetch, ProviderResponse, SendStatus, sniff},
    firecrawl,
    search::SearchSettings,
};

/// Its name in records.
pub const NAME: &str = "firecrawl";
/// Its own limit for one page, in milliseconds: below ours, so that a slow page is still answered.
const TIMEOUT_MS: u64 = 45_000;
/// Longest wait for its answer.
const CALL_MAX: Duration = Duration::from_secs(60);
/// Longest type of a page that is kept.
const CONTENT_TYPE_BYTES_MAX: usize = 200;
/// Statuses with which it refuses before any work: the request, the key, the credit, the rate.
const REFUSED_BEFORE_WORK: [u16; 6] = [400, 401, 402, 403, 413, 429];
/// Statuses with which a page's owner keeps programs out. What is refused to us is not fetched by others for us.
const REFUSED_BY_OWNER: [u16; 5] = [401, 402, 403, 407, 451];

/// Where the service is, and the key to it.
#[derive(Debug, Clone)]
pub struct PageService {
    base: String,
    /// None: a server of the user's own, which charges nobody.
    key: Option<SecretString>,
}

/// A page or why there is none, and what that cost.
#[derive(Debug)]
pub struct ServicePage {
    pub page: Result<PageFetch, CodedError>,
    pub bill: Bill,
}

/// Whether another way to the page is worth trying: it failed, and nobody refused it. A page that is gone is not among
/// them: the service would be told the same.
pub fn is_worth_asking(problem: &CodedError) -> bool {
    problem.code == Code::PageUnreachable
        && problem
            .http_status
            .is_none_or(|status| !REFUSED_BY_OWNER.contains(&status) && !matches!(status, 404 | 410))
}

impl PageService {
    /// None where the user has neither a key for it nor a server of their own.
    pub fn configured(settings: &SearchSettings) -> Option<Self> {
        let key = settings.keys.get(&ProviderName::Firecrawl).cloned();
        let base =
            match (settings.bases.get(&ProviderName::Firecrawl), ProviderName::Firecrawl.facts().address) {
                (Some(base), _) => base.as_str(),
                (None, ProviderAddress::Fixed(address)) if key.is_some() => address,
                (None, ProviderAddress::Fixed(_) | ProviderAddress::OwnServer { .. }) => return None,
            };
        Some(Self { base: base.trim_end_matches('/').to_owned(), key })
    }

    /// Whether its pages are charged to somebody.
    pub fn is_billed(&self) -> bool {
        self.key.is_some()
    }

    /// Asks for one page, once.
    #[tracing::instrument(level = "debug", skip_all)]
    pub async fn page(&self, fetcher: &Fetcher, url: &str, now: Moment) -> ServicePage {
        let unbilled = |problem| ServicePage { page: Err(problem), bill: Bill::NOTHING };
        let url = match self.admit(fetcher, url).await {
            Ok(url) => url,
            Err(problem) => return unbilled(problem),
        };
        let request =
            ApiRequest::post_json(&format!("{}/v2/scrape", self.base), body(&url)).with_time_max(CALL_MAX);
        let answer = match fetcher.call(firecrawl::with_key(request, self.key.as_ref())).await {
            Ok(answer) => answer,
            Err(failed) => {
                let bill = match failed.sent {
                    SendStatus::No => Bill::NOTHING,
                    SendStatus::Maybe => self.bill(),
                };
                return ServicePage { page: Err(unreachable(&failed.problem.message)), bill };
            }
        };
        if answer.status != 200 {
            let bill = if is_before_work(&answer) { Bill::NOTHING } else { self.bill() };
            return ServicePage { page: Err(refusal(&answer)), bill };
        }
        ServicePage { page: read(fetcher, &url, &answer, now), bill: self.bill() }
    }

    /// A public page. A host that the user opened with `web.reach` is named to a server of their own only.
    async fn admit(&self, fetcher: &Fetcher, url: &str) -> Result<Url, CodedError> {
        let guard = fetcher.guard();
        let url = guard.parse(url)?;
        if self.is_billed() && guard.has_reach_rule_for(&url) {
            let why = "a host of `web.reach` is not named to a page service";
            return Err(CodedError::new(Code::AddressRefused, why));
        }
        let (host, port) = (url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or(0));
        guard.resolve(host, port).await?;
        Ok(url)
    }

    /// Dollars of a prepaid credit are not known.
    fn bill(&self) -> Bill {
        if self.is_billed() { Bill::UNKNOWN } else { Bill::NOTHING }
    }
}

/// The page as a browser gets it, now, with everything in it, and nothing of it kept there. A PDF is not parsed there:
/// that is charged by the page.
fn body(url: &Url) -> String {
    json!({
        "url": url.as_str(),
        "formats": ["rawHtml"],
        "onlyMainContent": false,
        "maxAge": 0,
        "storeInCache": false,
        "skipTlsVerification": false,
        "proxy": "basic",
        "parsers": [],
        "timeout": TIMEOUT_MS,
    })
    .to_string()
}

fn read(
    fetcher: &Fetcher,
    asked: &Url,
    answer: &ProviderResponse,
    now: Moment,
) -> Result<PageFetch, CodedError> {
    let answer: Value = serde_json::from_slice(&answer.body).map_err(|_| unreadable())?;
    if answer.get("success").and_then(Value::as_bool) != Some(true) {
        return Err(unreachable("it did not get the page"));
    }
    let metadata = |name: &str| answer.pointer(&format!("/data/metadata/{name}"));
    let html = answer.pointer("/data/rawHtml").and_then(Value::as_str).ok_or_else(unreadable)?;
    let status = metadata("statusCode").and_then(Value::as_u64).and_then(|status| u16::try_from(status).ok());
    // A page without a status was not seen to succeed.
    let status = status.ok_or_else(unreadable)?;
    if !(200..300).contains(&status) {
        return Err(unreachable(&format!("the page answers {status}")).with_status(status));
    }
    // An address of a private network is refused with all that came from there.
    let end = match metadata("url").and_then(Value::as_str) {
        Some(end) => fetcher.guard().parse(end)?,
        None => asked.clone(),
    };
    let content_type = metadata("contentType").and_then(Value::as_str);
    let media = sniff(html.as_bytes(), content_type, end.path());
    if !matches!(media, MediaKind::Html | MediaKind::Text) {
        return Err(unreadable());
    }
    let content_type = content_type.filter(|text| text.len() <= CONTENT_TYPE_BYTES_MAX);
    let record = PageRecord {
        asked_url: asked.to_string(),
        redirects: if end == *asked { Vec::new() } else { vec![asked.to_string()] },
        final_url: end.into(),
        address: None,
        fetched_at: now,
        status,
        headers: content_type.map(|text| ("content-type".to_owned(), text.to_owned())).into_iter().collect(),
        media,
        bytes: html.len() as u64,
        provenance: Provenance::Service(NAME.to_owned()),
        revalidated: false,
        overridden: false,
    };
    Ok(PageFetch { record, bytes: html.to_owned().into() })
}

fn is_before_work(answer: &ProviderResponse) -> bool {
    REFUSED_BEFORE_WORK.contains(&answer.status)
        && serde_json::from_slice::<Value>(&answer.body).is_ok_and(|body| body.is_object())
}

fn refusal(answer: &ProviderResponse) -> CodedError {
    let code = match answer.status {
        402 => Code::QuotaExhausted,
        429 => Code::RateLimited,
        _ => Code::PageUnreachable,
    };
    CodedError::new(code, &format!("{NAME} answered {}", answer.status))
}

fn unreachable(why: &str) -> CodedError {
    CodedError::new(Code::PageUnreachable, &format!("{NAME}: {why}"))
}

fn unreadable() -> CodedError {
    CodedError::new(Code::PageUnreadable, &format!("the answer of {NAME} holds no page"))
}

#[cfg(test)]
mod tests {
    use super::{Code, CodedError, is_worth_asking};

    #[test]
    fn what_its_owner_refuses_and_what_is_gone_is_not_asked_for() {
        let worth = |code, status: Option<u16>| {
            let problem = CodedError::new(code, "x");
            is_worth_asking(&match status {
                Some(status) => problem.with_status(status),
                None => problem,
            })
        };
        for status in [401, 402, 403, 404, 407, 410, 451] {
            assert!(!worth(Code::PageUnreachable, Some(status)), "{status}");
        }
        for status in [406, 408, 425, 429, 500, 502, 503, 504, 520] {
            assert!(worth(Code::PageUnreachable, Some(status)), "{status}");
        }
        assert!(worth(Code::PageUnreachable, None));
        for code in [Code::AddressRefused, Code::RobotsRefused, Code::PageTooLarge, Code::PageUnreadable] {
            assert!(!worth(code, None), "{code}");
        }
    }
}
