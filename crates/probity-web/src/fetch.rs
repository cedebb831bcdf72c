//! The guarded fetcher: public addresses only, whatever the spelling, the DNS answer or the redirect.
//!
//! `page` brings pages of the open web, `call` asks APIs, `deliver` sends webhooks. All of them leave through
//! `connect`, which opens no socket that `guard` has not named. Never parses a page, never asks a model.

pub mod address;
mod cache;
mod call;
mod clock;
mod connect;
mod decode;
mod exchange;
pub mod guard;
mod limits;
pub mod names;
mod pace;
mod page;
mod proxy;
pub mod reach;
mod robots;
mod sniff;

use std::{fmt, path::PathBuf, sync::Arc};

use http::HeaderValue;
use probity_research::{
    error::{Code, Problem},
    time::Moment,
};
use tokio::sync::Semaphore;

pub use address::Block;
pub use call::{ApiAnswer, ApiRequest, CallFailed, Delivery, Sent, Verb, Words};
pub use guard::Guard;
pub use limits::Limits;
pub use names::Lookup;
pub use page::Fetched;
pub use proxy::Proxy;
pub use reach::Reach;
pub use robots::ROBOT_NAME;
pub use sniff::sniff;

use self::{cache::Cache, exchange::Exchange, pace::Lanes, robots::Sites};

/// The contact in the User-Agent unless the user names one: only they can say who is asking.
pub const CONTACT: &str = "";

/// The time of day.
pub type Now = Arc<dyn Fn() -> Moment + Send + Sync>;

/// What a fetcher is made of.
#[derive(Clone)]
pub struct FetcherSettings {
    /// A page or a mail address where a site's owner finds who is asking; part of the User-Agent.
    pub contact: String,
    pub limits: Limits,
    /// The user's exceptions; see `reach`.
    pub reach: Reach,
    /// Refused on top of what is refused anyway.
    pub deny: Vec<Block>,
    /// Named by the user, never by the environment.
    pub proxy: Option<Arc<Proxy>>,
    /// Folder for pages that a server can recognise; none keeps nothing.
    pub cache: Option<PathBuf>,
    pub lookup: Lookup,
    pub now: Now,
}

impl FetcherSettings {
    pub fn new(now: impl Fn() -> Moment + Send + Sync + 'static) -> Self {
        Self {
            contact: CONTACT.to_owned(),
            limits: Limits::default(),
            reach: Reach::default(),
            deny: Vec::new(),
            proxy: None,
            cache: None,
            lookup: Lookup::system(),
            now: Arc::new(now),
        }
    }
}

pub struct Fetcher {
    guard: Arc<Guard>,
    exchange: Exchange,
    sites: Sites,
    lanes: Lanes,
    slots: Semaphore,
    cache: Option<Cache>,
    limits: Limits,
    now: Now,
}

impl Fetcher {
    pub fn new(settings: FetcherSettings) -> Result<Self, Problem> {
        let FetcherSettings { contact, limits, reach, deny, proxy, cache, lookup, now } = settings;
        let version = env!("CARGO_PKG_VERSION");
        let user_agent = match contact.is_empty() {
            true => format!("{ROBOT_NAME}/{version}"),
            false => format!("{ROBOT_NAME}/{version} (+{contact})"),
        };
        let user_agent = HeaderValue::from_str(&user_agent)
            .map_err(|_| Problem::new(Code::Settings, "the contact cannot be part of a User-Agent"))?;
        let guard = Arc::new(Guard::new(lookup, reach, deny));
        let exchange = Exchange::new(&guard, proxy, user_agent, &limits)?;
        Ok(Self {
            guard,
            exchange,
            sites: Sites::default(),
            lanes: Lanes::new(limits.per_host_max),
            slots: Semaphore::new(limits.in_flight_max.max(1)),
            cache: cache.map(Cache::new),
            limits,
            now,
        })
    }

    /// For whoever opens sockets of their own, such as the browser's proxy.
    pub fn guard(&self) -> &Arc<Guard> {
        &self.guard
    }
}

impl fmt::Debug for Fetcher {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Fetcher").field("guard", &self.guard).finish_non_exhaustive()
    }
}
