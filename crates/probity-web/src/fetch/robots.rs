//! A site's rules for programs, from its robots.txt. Fetched through the same guard, cached for a while.
//!
//! No file means no rules; a site whose file cannot be read is not fetched until it can (RFC 9309).

use std::{
    collections::HashMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use http::{HeaderMap, Method, StatusCode};
use probity_types::error::{Code, CodedError};
use robotxt::Robots;
use tokio::{sync::OnceCell, time::Instant};
use url::Url;

use super::{
    clock,
    decode::{BodyLimits, OverflowPolicy},
    exchange::{ExchangeError, ExchangeRequest, HttpExchange, ResponseHead},
    guard::AddressGuard,
    limits::FetchLimits,
};

/// The user agent that robots files address us by.
pub const ROBOT_NAME: &str = "Probity";
/// Bytes read of one file; the rest is ignored.
const BYTES_MAX: u64 = 500 * 1024;
/// Redirects of a robots.txt that RFC 9309 requires.
const REDIRECTS_MAX: usize = 5;
/// A file is asked for again after this long; after a failure sooner.
const GOOD_FOR: Duration = Duration::from_secs(60 * 60);
const BAD_FOR: Duration = Duration::from_secs(60);
/// One file, redirects included.
const TIME_MAX: Duration = Duration::from_secs(10);
/// Sites remembered.
const SITES_MAX: usize = 512;

#[derive(Debug, Default)]
pub(super) struct RobotsCache(Mutex<HashMap<String, Arc<OnceCell<RobotsEntry>>>>);

#[derive(Debug)]
struct RobotsEntry {
    until: Instant,
    rules: Result<Robots, CodedError>,
}

impl RobotsCache {
    /// Whether the page may be read, and the pause that the site asks for.
    pub(super) async fn check(
        &self,
        url: &Url,
        guard: &AddressGuard,
        exchange: &HttpExchange,
        limits: &FetchLimits,
    ) -> Result<Option<Duration>, CodedError> {
        let cell = self.cell(&url.origin().ascii_serialization());
        let known = cell.get_or_init(|| Box::pin(ask(url, guard, exchange, limits))).await;
        let rules = known.rules.as_ref().map_err(CodedError::clone)?;
        let answer = catch_unwind(AssertUnwindSafe(|| (rules.is_url_allowed(url), rules.crawl_delay())));
        match answer {
            Ok((true, pause)) => Ok(pause),
            Ok((false, _)) => Err(refused("the site's robots.txt asks programs not to read this page")),
            Err(_) => Err(refused("the site's robots.txt cannot be understood")),
        }
    }

    fn cell(&self, origin: &str) -> Arc<OnceCell<RobotsEntry>> {
        let mut sites = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = clock::now();
        let over = |cell: &Arc<OnceCell<RobotsEntry>>| cell.get().is_some_and(|known| known.until <= now);
        if sites.get(origin).is_some_and(over) {
            sites.remove(origin);
        }
        if sites.len() >= SITES_MAX && !sites.contains_key(origin) {
            sites.retain(|_, cell| !over(cell));
            let soonest =
                sites.iter().filter_map(|(name, cell)| Some((cell.get()?.until, name.clone()))).min();
            if let (Some((_, name)), true) = (soonest, sites.len() >= SITES_MAX) {
                sites.remove(&name);
            }
        }
        Arc::clone(sites.entry(origin.to_owned()).or_default())
    }
}

async fn ask(url: &Url, guard: &AddressGuard, exchange: &HttpExchange, limits: &FetchLimits) -> RobotsEntry {
    let time_max = TIME_MAX.min(limits.total);
    let asked = tokio::time::timeout(time_max, Box::pin(follow(url, guard, exchange, limits))).await;
    let late = || CodedError::new(Code::PageUnreachable, "the site's robots.txt did not come in time");
    let rules = asked.unwrap_or_else(|_| Err(late()));
    let lives = if rules.is_ok() { GOOD_FOR } else { BAD_FOR };
    RobotsEntry { until: clock::now() + lives, rules }
}

async fn follow(
    url: &Url,
    guard: &AddressGuard,
    exchange: &HttpExchange,
    limits: &FetchLimits,
) -> Result<Robots, CodedError> {
    let mut place = guard.redirect(url, "/robots.txt")?;
    for _ in 0..=REDIRECTS_MAX {
        let asked = ExchangeRequest {
            method: Method::GET,
            url: &place,
            headers: HeaderMap::new(),
            body: bytes::Bytes::new(),
            first_byte: limits.first_byte,
            total: TIME_MAX,
        };
        let caps = BodyLimits {
            wire_bytes_max: BYTES_MAX,
            decoded_bytes_max: BYTES_MAX,
            ratio_max: limits.ratio_max,
            over: OverflowPolicy::Cut,
        };
        let wanted = |head: &ResponseHead| head.status.is_success().then_some(caps);
        let (head, bytes) = exchange.perform(asked, wanted).await.map_err(unreached)?;
        match head.status {
            status if status.is_success() => return understood(&bytes),
            status if status.is_redirection() => match super::page::location(&head.headers)? {
                Some(location) => place = guard.redirect(&place, &location)?,
                None => return Ok(Robots::allow_all()),
            },
            StatusCode::TOO_MANY_REQUESTS => return Err(later(head.status)),
            status if status.is_client_error() => return Ok(Robots::allow_all()),
            status => return Err(later(status)),
        }
    }
    Ok(Robots::allow_all())
}

fn understood(bytes: &[u8]) -> Result<Robots, CodedError> {
    // The file is foreign; a parser that panics on it must not end the program.
    catch_unwind(|| Robots::parse(bytes, ROBOT_NAME))
        .map_err(|_| refused("the site's robots.txt cannot be understood"))
}

fn unreached(fault: ExchangeError) -> CodedError {
    let unreachable = |words: &str| CodedError::new(Code::PageUnreachable, &format!("robots.txt: {words}"));
    match fault {
        ExchangeError::NotConnected(problem) => problem,
        ExchangeError::Broken(words) | ExchangeError::TooLarge(words) | ExchangeError::Unreadable(words) => {
            unreachable(&words)
        }
        ExchangeError::TimedOut(words) => unreachable(words),
    }
}

fn later(status: StatusCode) -> CodedError {
    refused(&format!("the site's robots.txt answers {status}; it is left alone for now"))
}

fn refused(why: &str) -> CodedError {
    CodedError::new(Code::RobotsRefused, why)
}
