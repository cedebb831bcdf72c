//! The search APIs over the small web, in their wire shapes. One file per provider: how its request is read and
//! how its answer looks. What is common (faults, the ledger, the keyword search) is here.

mod arxiv;
mod brave;
mod crossref;
mod errors;
mod exa;
mod firecrawl;
mod github;
mod hacker_news;
mod openalex;
mod pubmed;
mod searxng;
mod semantic_scholar;
mod tavily;
mod wikipedia;

use bytes::Bytes;
use serde_json::{Value, json};

use super::{
    RequestRecord, SearchRecord, SmallWeb,
    fault::WebFaultKind,
    index::{self, IndexHit, IndexQuery},
};
use crate::{
    call::{CallMethod, SimulatorAnswer, SimulatorCall},
    named_set::named,
};

named! {
    /// The provider whose API is simulated.
    pub enum Provider {
        Tavily = "tavily",
        TavilyKeyless = "tavily-keyless",
        Brave = "brave",
        Exa = "exa",
        Firecrawl = "firecrawl",
        Searxng = "searxng",
        Wikipedia = "wikipedia",
        Arxiv = "arxiv",
        Openalex = "openalex",
        SemanticScholar = "semantic-scholar",
        Pubmed = "pubmed",
        Crossref = "crossref",
        Github = "github",
        HackerNews = "hacker-news",
    }
}

impl Provider {
    /// The base address of its API on a simulator, as a client's setting takes it.
    pub fn base_url(self, simulator: &str) -> String {
        let tail = match self {
            Self::TavilyKeyless => "tavily",
            Self::Wikipedia => "wikipedia/{language}",
            other => other.as_str(),
        };
        format!("{simulator}{}{tail}", super::API_PREFIX)
    }
}

/// A request with its path below the provider's name.
pub(super) struct SearchApiRequest<'call> {
    call: &'call SimulatorCall,
    /// Without the query; starts with a slash.
    path: &'call str,
    parameters: Vec<(String, String)>,
    json: Value,
}

impl<'call> SearchApiRequest<'call> {
    fn new(call: &'call SimulatorCall, target: &'call str) -> Self {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let parameters = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let json = serde_json::from_slice(&call.body).unwrap_or_default();
        Self { call, path, parameters, json }
    }

    fn is(&self, method: CallMethod, path: &str) -> bool {
        self.call.method == method && self.path == path
    }

    fn parameter(&self, name: &str) -> Option<&str> {
        let found = self.parameters.iter().find(|(key, value)| key == name && !value.is_empty());
        found.map(|(_, value)| value.as_str())
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.call.header(name)
    }

    fn text(&self, field: &str) -> Option<String> {
        self.json.get(field).and_then(Value::as_str).map(str::to_owned)
    }

    fn texts(&self, field: &str) -> Vec<String> {
        let items = self.json.get(field).and_then(Value::as_array);
        items.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// How many results were asked for; `usual` where the request does not say.
    fn count(&self, name: &str, usual: usize, most: usize) -> usize {
        let written = self.parameter(name).and_then(|text| text.parse().ok());
        let number =
            self.json.get(name).and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok());
        written.or(number).unwrap_or(usual).min(most)
    }
}

/// What a request means to its provider.
enum RequestMeaning {
    Search {
        asked: IndexQuery,
        charged_micro_usd: u64,
    },
    /// Something that is no search: looking up records by their numbers.
    Look(Vec<usize>),
    /// A page, fetched by the provider.
    Scrape {
        url: String,
        charged_micro_usd: u64,
    },
}

/// The state of the engines behind the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EngineHealth {
    Well,
    SomeFailed,
    AllFailed,
}

enum SearchApiBody {
    Json(Value),
    Xml(String),
}

type SearchApiRefusal = (u16, Value);

/// Answers a call below `/search-api/`; `target` is what follows it.
pub(super) fn answer(web: &mut SmallWeb, now_ms: u64, call: &SimulatorCall, target: &str) -> SimulatorAnswer {
    let (name, rest) =
        target.find(['/', '?']).and_then(|at| target.split_at_checked(at)).unwrap_or((target, "/"));
    let Some(provider) = Provider::parse(name).map(|provider| tavily::access(provider, call)) else {
        return whole(404, &[], "{\"error\":\"there is no such provider\"}".to_owned(), "application/json");
    };
    let request = SearchApiRequest::new(call, rest);
    web.ledger.record_request(request_record(provider, call, rest));
    let meaning = match read(provider, &request) {
        Ok(meaning) => meaning,
        Err((status, body)) => {
            web.ledger.record_refusal(provider);
            return whole(status, &[], body.to_string(), "application/json");
        }
    };
    // A look-up belongs to the search before it: faults apply to searches.
    let fault = matches!(meaning, RequestMeaning::Search { .. } | RequestMeaning::Scrape { .. })
        .then(|| web.faults.take(|fault| fault.provider == provider))
        .flatten();
    let fault = fault.map(|fault| fault.kind);
    if let Some(answer) = fault.and_then(|fault| errors::fault_answer(provider, fault)) {
        web.ledger.record_refusal(provider);
        return answer;
    }
    let reply = search_and_render(web, now_ms, provider, &meaning, engines(fault));
    match fault {
        Some(WebFaultKind::Lost) => SimulatorAnswer::Lost,
        Some(WebFaultKind::Garbage) => whole(
            200,
            &[],
            "{\"results\":{\"web\":7,\"pages\":[[],3]},\"data\":\"x\"}".to_owned(),
            "application/json",
        ),
        Some(WebFaultKind::Slow(by_ms)) => {
            SimulatorAnswer::Later { at_ms: now_ms.saturating_add(by_ms), then: Box::new(to_answer(reply)) }
        }
        _ => to_answer(reply),
    }
}

fn engines(fault: Option<WebFaultKind>) -> EngineHealth {
    match fault {
        Some(WebFaultKind::Empty) => EngineHealth::AllFailed,
        Some(WebFaultKind::Partial) => EngineHealth::SomeFailed,
        _ => EngineHealth::Well,
    }
}

fn search_and_render(
    web: &mut SmallWeb,
    now_ms: u64,
    provider: Provider,
    meaning: &RequestMeaning,
    engines: EngineHealth,
) -> SearchApiBody {
    match meaning {
        RequestMeaning::Search { asked, charged_micro_usd } => {
            let mut found = index::search(&web.entries, asked, provider.as_str());
            if engines == EngineHealth::AllFailed {
                found.clear();
            }
            let reply = render_reply(provider, asked, &found, engines, *charged_micro_usd);
            let (query, hits) = (asked.query.clone(), found.len());
            web.ledger.record_search(SearchRecord {
                provider,
                query,
                at_ms: now_ms,
                charged_micro_usd: *charged_micro_usd,
                hits,
            });
            reply
        }
        RequestMeaning::Look(places) => {
            let pages = places.iter().filter_map(|place| Some((*place, &web.entries.get(*place)?.page)));
            SearchApiBody::Json(pubmed::summaries(&pages.collect::<Vec<_>>()))
        }
        RequestMeaning::Scrape { url, charged_micro_usd } => {
            let reply = firecrawl::scraped(url, web.find(url));
            web.ledger.record_search(SearchRecord {
                provider,
                query: url.clone(),
                at_ms: now_ms,
                charged_micro_usd: *charged_micro_usd,
                hits: 1,
            });
            SearchApiBody::Json(reply)
        }
    }
}

fn read(provider: Provider, request: &SearchApiRequest<'_>) -> Result<RequestMeaning, SearchApiRefusal> {
    match provider {
        Provider::Tavily => tavily::read(request),
        Provider::TavilyKeyless => tavily::read_keyless(request),
        Provider::Brave => brave::read(request),
        Provider::Exa => exa::read(request),
        Provider::Firecrawl => firecrawl::read(request),
        Provider::Searxng => searxng::read(request),
        Provider::Wikipedia => wikipedia::read(request),
        Provider::Arxiv => arxiv::read(request),
        Provider::Openalex => openalex::read(request),
        Provider::SemanticScholar => semantic_scholar::read(request),
        Provider::Pubmed => pubmed::read(request),
        Provider::Crossref => crossref::read(request),
        Provider::Github => github::read(request),
        Provider::HackerNews => hacker_news::read(request),
    }
}

fn render_reply(
    provider: Provider,
    asked: &IndexQuery,
    found: &[IndexHit<'_>],
    engines: EngineHealth,
    charged_micro_usd: u64,
) -> SearchApiBody {
    match provider {
        Provider::Tavily => SearchApiBody::Json(tavily::render_reply(asked, found, charged_micro_usd)),
        Provider::TavilyKeyless => SearchApiBody::Json(tavily::render_reply(asked, found, charged_micro_usd)),
        Provider::Brave => SearchApiBody::Json(brave::render_reply(asked, found)),
        Provider::Exa => SearchApiBody::Json(exa::render_reply(found, charged_micro_usd)),
        Provider::Firecrawl => SearchApiBody::Json(firecrawl::render_reply(asked, found)),
        Provider::Searxng => SearchApiBody::Json(searxng::render_reply(asked, found, engines)),
        Provider::Wikipedia => SearchApiBody::Json(wikipedia::render_reply(found)),
        Provider::Arxiv => SearchApiBody::Xml(arxiv::render_reply(asked, found)),
        Provider::Openalex => SearchApiBody::Json(openalex::render_reply(found)),
        Provider::SemanticScholar => SearchApiBody::Json(semantic_scholar::render_reply(found)),
        Provider::Pubmed => SearchApiBody::Json(pubmed::render_reply(found, engines)),
        Provider::Crossref => SearchApiBody::Json(crossref::render_reply(found)),
        Provider::Github => SearchApiBody::Json(github::render_reply(found, engines)),
        Provider::HackerNews => SearchApiBody::Json(hacker_news::render_reply(asked, found)),
    }
}

/// A search that costs nothing.
fn free(asked: IndexQuery) -> Result<RequestMeaning, SearchApiRefusal> {
    Ok(RequestMeaning::Search { asked, charged_micro_usd: 0 })
}

fn not_found() -> SearchApiRefusal {
    (404, json!({"error": "Not Found"}))
}

/// What follows the name of a language, and the language: `/de/w/api.php`.
fn after_first_segment(path: &str) -> Option<(&str, &str)> {
    let (first, _) = path.strip_prefix('/')?.split_once('/')?;
    Some((first, path.strip_prefix('/')?.strip_prefix(first)?))
}

fn to_answer(reply: SearchApiBody) -> SimulatorAnswer {
    match reply {
        SearchApiBody::Json(value) => whole(200, &[], value.to_string(), "application/json"),
        SearchApiBody::Xml(text) => whole(200, &[], text, "application/atom+xml; charset=utf-8"),
    }
}

fn whole(status: u16, headers: &[(&str, &str)], body: String, content_type: &str) -> SimulatorAnswer {
    let mut all = vec![("content-type".to_owned(), content_type.to_owned())];
    all.extend(headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    SimulatorAnswer::Whole { status, headers: all, body: Bytes::from(body) }
}

fn request_record(provider: Provider, call: &SimulatorCall, target: &str) -> RequestRecord {
    let method = match call.method {
        CallMethod::Get => "GET",
        CallMethod::Head => "HEAD",
        CallMethod::Post => "POST",
        CallMethod::Delete => "DELETE",
        CallMethod::Other => "OTHER",
    };
    let headers = call.headers.iter().filter(|(name, _)| name != "host").cloned().collect();
    let body = String::from_utf8_lossy(&call.body).into_owned();
    RequestRecord { provider, method: method.to_owned(), target: target.to_owned(), headers, body }
}
