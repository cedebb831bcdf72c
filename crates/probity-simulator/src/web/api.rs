//! The search APIs over the small web, in their wire shapes. One file per provider: how its request is read and
//! how its answer looks. What is common (faults, the ledger, the keyword search) is here.

mod arxiv;
mod brave;
mod crossref;
mod errors;
mod exa;
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
    Recorded, Search, SmallWeb,
    fault::WebFaultKind,
    index::{self, Asked, Found},
};
use crate::{
    call::{Answer, Call, Method},
    names::named,
};

named! {
    /// Whose API is spoken.
    pub enum Provider {
        Tavily = "tavily",
        TavilyKeyless = "tavily-keyless",
        Brave = "brave",
        Exa = "exa",
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
pub(super) struct Request<'call> {
    call: &'call Call,
    /// Without the query; starts with a slash.
    path: &'call str,
    parameters: Vec<(String, String)>,
    json: Value,
}

impl<'call> Request<'call> {
    fn new(call: &'call Call, target: &'call str) -> Self {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let parameters = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let json = serde_json::from_slice(&call.body).unwrap_or_default();
        Self { call, path, parameters, json }
    }

    fn is(&self, method: Method, path: &str) -> bool {
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

    /// How many results were asked for; `usual` where nothing was said.
    fn count(&self, name: &str, usual: usize, most: usize) -> usize {
        let written = self.parameter(name).and_then(|text| text.parse().ok());
        let number =
            self.json.get(name).and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok());
        written.or(number).unwrap_or(usual).min(most)
    }
}

/// What a request means to its provider.
enum Meaning {
    Search {
        asked: Asked,
        charged_micro_usd: u64,
    },
    /// Something that is no search: looking up records by their numbers.
    Look(Vec<usize>),
}

/// How the engines behind the provider fare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Engines {
    Well,
    SomeFailed,
    AllFailed,
}

enum Told {
    Json(Value),
    Xml(String),
}

type Refusal = (u16, Value);

/// Answers a call below `/search-api/`; `target` is what follows it.
pub(super) fn answer(web: &mut SmallWeb, now_ms: u64, call: &Call, target: &str) -> Answer {
    let (name, rest) =
        target.find(['/', '?']).and_then(|at| target.split_at_checked(at)).unwrap_or((target, "/"));
    let Some(provider) = Provider::parse(name).map(|provider| tavily::access(provider, call)) else {
        return whole(404, &[], "{\"error\":\"there is no such provider\"}".to_owned(), "application/json");
    };
    let request = Request::new(call, rest);
    web.ledger.record(recorded(provider, call, rest));
    let meaning = match read(provider, &request) {
        Ok(meaning) => meaning,
        Err((status, body)) => {
            web.ledger.refuse(provider);
            return whole(status, &[], body.to_string(), "application/json");
        }
    };
    // A look-up belongs to the search before it: faults wait for searches.
    let fault = matches!(meaning, Meaning::Search { .. })
        .then(|| web.faults.take(|fault| fault.provider == provider))
        .flatten();
    let fault = fault.map(|fault| fault.kind);
    if let Some(answer) = fault.and_then(|fault| errors::before(provider, fault)) {
        web.ledger.refuse(provider);
        return answer;
    }
    let told = tell(web, now_ms, provider, &meaning, engines(fault));
    match fault {
        Some(WebFaultKind::Lost) => Answer::Lost,
        Some(WebFaultKind::Garbage) => whole(
            200,
            &[],
            "{\"results\":{\"web\":7,\"pages\":[[],3]},\"data\":\"x\"}".to_owned(),
            "application/json",
        ),
        Some(WebFaultKind::Slow(by_ms)) => {
            Answer::Later { at_ms: now_ms.saturating_add(by_ms), then: Box::new(finished(told)) }
        }
        _ => finished(told),
    }
}

fn engines(fault: Option<WebFaultKind>) -> Engines {
    match fault {
        Some(WebFaultKind::Empty) => Engines::AllFailed,
        Some(WebFaultKind::Partial) => Engines::SomeFailed,
        _ => Engines::Well,
    }
}

fn tell(web: &mut SmallWeb, now_ms: u64, provider: Provider, meaning: &Meaning, engines: Engines) -> Told {
    match meaning {
        Meaning::Search { asked, charged_micro_usd } => {
            let mut found = index::search(&web.entries, asked, provider.as_str());
            if engines == Engines::AllFailed {
                found.clear();
            }
            let told = told(provider, asked, &found, engines, *charged_micro_usd);
            let (query, hits) = (asked.query.clone(), found.len());
            web.ledger.searched(Search {
                provider,
                query,
                at_ms: now_ms,
                charged_micro_usd: *charged_micro_usd,
                hits,
            });
            told
        }
        Meaning::Look(places) => {
            let pages = places.iter().filter_map(|place| Some((*place, &web.entries.get(*place)?.page)));
            Told::Json(pubmed::summaries(&pages.collect::<Vec<_>>()))
        }
    }
}

fn read(provider: Provider, request: &Request<'_>) -> Result<Meaning, Refusal> {
    match provider {
        Provider::Tavily => tavily::read(request),
        Provider::TavilyKeyless => tavily::read_keyless(request),
        Provider::Brave => brave::read(request),
        Provider::Exa => exa::read(request),
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

fn told(
    provider: Provider,
    asked: &Asked,
    found: &[Found<'_>],
    engines: Engines,
    charged_micro_usd: u64,
) -> Told {
    match provider {
        Provider::Tavily => Told::Json(tavily::tell(asked, found, charged_micro_usd)),
        Provider::TavilyKeyless => Told::Json(tavily::tell(asked, found, charged_micro_usd)),
        Provider::Brave => Told::Json(brave::tell(asked, found)),
        Provider::Exa => Told::Json(exa::tell(found, charged_micro_usd)),
        Provider::Searxng => Told::Json(searxng::tell(asked, found, engines)),
        Provider::Wikipedia => Told::Json(wikipedia::tell(found)),
        Provider::Arxiv => Told::Xml(arxiv::tell(asked, found)),
        Provider::Openalex => Told::Json(openalex::tell(found)),
        Provider::SemanticScholar => Told::Json(semantic_scholar::tell(found)),
        Provider::Pubmed => Told::Json(pubmed::tell(found, engines)),
        Provider::Crossref => Told::Json(crossref::tell(found)),
        Provider::Github => Told::Json(github::tell(found, engines)),
        Provider::HackerNews => Told::Json(hacker_news::tell(asked, found)),
    }
}

/// A search that costs nothing.
fn free(asked: Asked) -> Result<Meaning, Refusal> {
    Ok(Meaning::Search { asked, charged_micro_usd: 0 })
}

fn not_here() -> Refusal {
    (404, json!({"error": "Not Found"}))
}

/// What follows the name of a language, and the language: `/de/w/api.php`.
fn after_first_segment(path: &str) -> Option<(&str, &str)> {
    let (first, _) = path.strip_prefix('/')?.split_once('/')?;
    Some((first, path.strip_prefix('/')?.strip_prefix(first)?))
}

fn finished(told: Told) -> Answer {
    match told {
        Told::Json(value) => whole(200, &[], value.to_string(), "application/json"),
        Told::Xml(text) => whole(200, &[], text, "application/atom+xml; charset=utf-8"),
    }
}

fn whole(status: u16, headers: &[(&str, &str)], body: String, content_type: &str) -> Answer {
    let mut all = vec![("content-type".to_owned(), content_type.to_owned())];
    all.extend(headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    Answer::Whole { status, headers: all, body: Bytes::from(body) }
}

fn recorded(provider: Provider, call: &Call, target: &str) -> Recorded {
    let method = match call.method {
        Method::Get => "GET",
        Method::Head => "HEAD",
        Method::Post => "POST",
        Method::Delete => "DELETE",
        Method::Other => "OTHER",
    };
    let headers = call.headers.iter().filter(|(name, _)| name != "host").cloned().collect();
    let body = String::from_utf8_lossy(&call.body).into_owned();
    Recorded { provider, method: method.to_owned(), target: target.to_owned(), headers, body }
}
