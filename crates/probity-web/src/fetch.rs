//! The guarded fetcher: public addresses only, whatever the spelling, the DNS answer or the redirect.
//!
//! `page` fetches pages of the open web, `call` calls APIs, `deliver` sends webhooks. All of them connect
//! through `connect`, which opens no socket to an address that `guard` has not returned. Never parses a page,
//! never asks a model.

pub mod address;
mod cache;
mod call;
mod clock;
mod connect;
mod decode;
mod exchange;
pub mod guard;
mod limits;
mod pace;
mod page;
mod proxy;
pub mod reach;
pub mod resolver;
mod robots;
mod sniff;

use std::{fmt, path::PathBuf, sync::Arc};

use http::HeaderValue;
use probity_types::{
    error::{Code, CodedError},
    time::Moment,
};
use tokio::sync::Semaphore;

pub use address::AddressBlock;
pub use call::{
    ApiCallError, ApiMethod, ApiRequest, ProviderResponse, RequestValue, SendStatus, WebhookPost,
};
pub use guard::AddressGuard;
pub use limits::FetchLimits;
pub use page::PageFetch;
pub use proxy::UpstreamProxy;
pub use reach::ReachRules;
pub use resolver::NameResolver;
pub use robots::ROBOT_NAME;
pub use sniff::sniff;

use self::{cache::PageCache, exchange::HttpExchange, pace::HostPacer, robots::RobotsCache};

/// The contact in the User-Agent unless the user names one: only the user can say who is asking.
pub const CONTACT: &str = "";

/// The current time.
pub type ClockFunction = Arc<dyn Fn() -> Moment + Send + Sync>;

/// Refuses a contact that a fetcher would refuse.
pub fn check_contact(contact: &str) -> Result<(), CodedError> {
    user_agent(contact).map(drop)
}

/// The settings of a fetcher.
#[derive(Clone)]
pub struct FetcherSettings {
    /// A page or a mail address by which a site's owner can contact the user; part of the User-Agent.
    pub contact: String,
    pub limits: FetchLimits,
    /// The user's exceptions; see `reach`.
    pub reach: ReachRules,
    /// Refused in addition to the built-in blocks.
    pub deny: Vec<AddressBlock>,
    /// Named by the user, never by the environment.
    pub proxy: Option<Arc<UpstreamProxy>>,
    /// Folder for pages that a server can revalidate; `None` caches nothing.
    pub cache: Option<PathBuf>,
    pub lookup: NameResolver,
    pub now: ClockFunction,
}

impl FetcherSettings {
    pub fn new(now: impl Fn() -> Moment + Send + Sync + 'static) -> Self {
        Self {
            contact: CONTACT.to_owned(),
            limits: FetchLimits::default(),
            reach: ReachRules::default(),
            deny: Vec::new(),
            proxy: None,
            cache: None,
            lookup: NameResolver::system(),
            now: Arc::new(now),
        }
    }
}

pub struct Fetcher {
    guard: Arc<AddressGuard>,
    exchange: HttpExchange,
    sites: RobotsCache,
    lanes: HostPacer,
    slots: Semaphore,
    cache: Option<PageCache>,
    limits: FetchLimits,
    now: ClockFunction,
}

impl Fetcher {
    pub fn new(settings: FetcherSettings) -> Result<Self, CodedError> {
        let FetcherSettings { contact, limits, reach, deny, proxy, cache, lookup, now } = settings;
        let user_agent = user_agent(&contact)?;
        let guard = Arc::new(AddressGuard::new(lookup, reach, deny));
        let exchange = HttpExchange::new(&guard, proxy, user_agent, &limits)?;
        Ok(Self {
            guard,
            exchange,
            sites: RobotsCache::default(),
            lanes: HostPacer::new(limits.per_host_max),
            slots: Semaphore::new(limits.in_flight_max.max(1)),
            cache: cache.map(PageCache::new),
            limits,
            now,
        })
    }

    /// For modules that open sockets of their own, such as the browser's proxy.
    pub fn guard(&self) -> &Arc<AddressGuard> {
        &self.guard
    }
}

impl fmt::Debug for Fetcher {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Fetcher").field("guard", &self.guard).finish_non_exhaustive()
    }
}

fn user_agent(contact: &str) -> Result<HeaderValue, CodedError> {
    let version = env!("CARGO_PKG_VERSION");
    let user_agent = match contact.is_empty() {
        true => format!("{ROBOT_NAME}/{version}"),
        false => format!("{ROBOT_NAME}/{version} (+{contact})"),
    };
    HeaderValue::from_str(&user_agent)
        .map_err(|_| CodedError::new(Code::Settings, "the contact cannot be part of a User-Agent"))
}
