//! What all providers share: the question in their terms, what a request carries, and the way to each of them.
//!
//! What is known of a provider (price, key, pace, filters) is its row in `probity_types::web::providers`.

use bytes::Bytes;
use probity_types::{
    cost::{MicroUsd, Usage},
    error::{Code, CodedError},
    text,
    web::{
        Bill, ProviderName, SearchCall, SearchDepth, SearchFilters,
        providers::{FilterSupport, ProviderAccess, ProviderAddress, SearchPrice},
        search::{FilterEnforcement, FilterReport, HITS_MAX, QUERY_CHARACTERS_MAX},
    },
};
use secrecy::SecretString;

use super::{
    SearchSettings, arxiv, brave, crossref, exa, firecrawl, github, hacker_news, openalex, pubmed, searxng,
    semantic_scholar, tavily, wikipedia,
};
use crate::fetch::ApiRequest;

/// What every search that is billed counts as.
pub(super) const ONE_SEARCH: Usage = Usage { searches: 1, ..Usage::NONE };

/// A call with everything its provider needs to know.
#[derive(Debug, Clone)]
pub(super) struct ProviderQuery<'call> {
    pub(super) provider: ProviderName,
    /// One clean line of a length that every provider takes.
    pub(super) query: String,
    /// Results to ask for: more than wanted where we remove some ourselves.
    pub(super) count: usize,
    pub(super) depth: SearchDepth,
    pub(super) filters: &'call SearchFilters,
    /// Without a slash at the end.
    pub(super) base: &'call str,
    pub(super) key: Option<&'call SecretString>,
    pub(super) contact: Option<&'call str>,
    /// Whether somebody may charge for it.
    pub(super) is_billed: bool,
}

/// A request, and which filters it contains.
#[derive(Debug)]
pub(super) struct ProviderRequest {
    pub(super) request: ApiRequest,
    pub(super) heeded: FilterReport,
}

/// A result as the provider sends it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct RawHit {
    pub(super) url: String,
    pub(super) title: String,
    pub(super) snippet: String,
    pub(super) published: Option<String>,
    /// ISO 639, where the provider sends it.
    pub(super) language: Option<String>,
}

/// An answer that was read. No default: a paid provider's answer without its bill would pass as free.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ProviderReply {
    pub(super) hits: Vec<RawHit>,
    pub(super) silent_engines: Vec<String>,
    pub(super) bill: Bill,
}

#[derive(Debug)]
pub(super) enum ReplyReading {
    Found(ProviderReply),
    /// The provider needs a second request to return its records.
    More(ApiRequest),
}

impl ProviderReply {
    /// Hits at the price of the provider's row; an answer that says what it cost replaces the bill.
    pub(super) fn at_list_price(question: &ProviderQuery<'_>, hits: Vec<RawHit>) -> Self {
        let bill = match question.provider.facts().price {
            _ if !question.is_billed => Bill::NOTHING,
            SearchPrice::Free => Bill::NOTHING,
            SearchPrice::PerSearch { .. } => Bill::counted(question.list_price(), ONE_SEARCH),
            // What a credit of the user's plan costs is not known.
            SearchPrice::Prepaid { .. } => Bill { usage: ONE_SEARCH, ..Bill::UNKNOWN },
        };
        Self { hits, silent_engines: Vec::new(), bill }
    }
}

impl<'call> ProviderQuery<'call> {
    pub(super) fn new(call: &'call SearchCall, settings: &'call SearchSettings) -> Result<Self, CodedError> {
        let provider = call.provider;
        let missing =
            |what: &str| CodedError::new(Code::SearchFailed, &format!("{} {what}", provider.as_str()));
        let query: String = text::line(&call.query, usize::MAX).chars().take(QUERY_CHARACTERS_MAX).collect();
        if query.is_empty() {
            return Err(missing("cannot search for nothing"));
        }
        let facts = provider.facts();
        let base = match (settings.bases.get(&provider), facts.address) {
            (Some(base), _) => base.as_str(),
            (None, ProviderAddress::Fixed(address)) => address,
            (None, ProviderAddress::OwnServer { variable }) => {
                return Err(missing(&format!("has no address: set {variable}")));
            }
        };
        let key = settings.keys.get(&provider);
        match facts.access {
            ProviderAccess::KeyNeeded(_) if key.is_none() => return Err(missing("has no key")),
            ProviderAccess::KeyOrOwnServer(_) if key.is_none() && !settings.bases.contains_key(&provider) => {
                return Err(missing("has neither a key nor an address of your own"));
            }
            ProviderAccess::KeyNeeded(_)
            | ProviderAccess::KeyOrOwnServer(_)
            | ProviderAccess::KeyOptional(_)
            | ProviderAccess::WithoutKey
            | ProviderAccess::StandIn => {}
        }
        let sifted = !call.filters.domains.is_empty() || !call.filters.domains_excluded.is_empty();
        let wanted = usize::try_from(call.max_results).unwrap_or(HITS_MAX).clamp(1, HITS_MAX);
        Ok(Self {
            provider,
            query,
            count: if sifted { HITS_MAX } else { wanted },
            depth: call.depth,
            filters: &call.filters,
            base: base.trim_end_matches('/'),
            key,
            contact: settings.contact.as_deref(),
            is_billed: settings.is_billed(provider),
        })
    }

    pub(super) fn name(&self) -> &'static str {
        self.provider.as_str()
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// What one search of this depth is expected to cost.
    pub(super) fn list_price(&self) -> MicroUsd {
        self.provider.facts().price.cost(self.depth)
    }

    /// What becomes of the filters when the request carries all that the provider's row says.
    pub(super) fn filters_applied(&self) -> FilterReport {
        self.filters_carried(self.provider.facts().filters)
    }

    /// What becomes of the filters when the request carries these, which can be fewer than the row says but never
    /// more; `None` where nothing was asked for.
    pub(super) fn filters_carried(&self, carried: FilterSupport) -> FilterReport {
        let heed = |asked: bool, carried: bool| {
            asked.then_some(if carried { FilterEnforcement::Asked } else { FilterEnforcement::NotPossible })
        };
        let known = self.provider.facts().filters;
        let SearchFilters { after, before, domains, domains_excluded, languages } = self.filters;
        FilterReport {
            dates: heed(after.is_some() || before.is_some(), carried.dates && known.dates),
            domains: heed(
                !domains.is_empty() || !domains_excluded.is_empty(),
                carried.domains && known.domains,
            ),
            languages: heed(!languages.is_empty(), carried.languages && known.languages),
        }
    }

    /// The one language that is asked for. Providers take one; with several asked for, none is sent.
    pub(super) fn language(&self) -> Option<&str> {
        match self.filters.languages.as_slice() {
            [one] if is_language(one) => Some(one),
            _ => None,
        }
    }

    /// A failure of this provider.
    pub(super) fn search_problem(&self, words: &str) -> CodedError {
        CodedError::new(Code::SearchFailed, &format!("{}: {words}", self.name()))
    }

    /// A response of an unknown shape.
    pub(super) fn unreadable_problem(&self) -> CodedError {
        CodedError::new(Code::SearchFailed, &format!("the answer of {} has an unknown shape", self.name()))
    }
}

/// Two or three small letters: anything else would change the address it becomes a part of.
pub(super) fn is_language(code: &str) -> bool {
    (2..=3).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_lowercase())
}

pub(super) fn request(question: &ProviderQuery<'_>) -> ProviderRequest {
    match question.provider {
        ProviderName::Tavily | ProviderName::TavilyKeyless => tavily::request(question),
        ProviderName::Brave => brave::request(question),
        ProviderName::Exa => exa::request(question),
        ProviderName::Firecrawl => firecrawl::request(question),
        ProviderName::Searxng => searxng::request(question),
        ProviderName::Wikipedia => wikipedia::request(question),
        ProviderName::Arxiv => arxiv::request(question),
        ProviderName::Openalex => openalex::request(question),
        ProviderName::SemanticScholar => semantic_scholar::request(question),
        ProviderName::Pubmed => pubmed::request(question),
        ProviderName::Crossref => crossref::request(question),
        ProviderName::Github => github::request(question),
        ProviderName::HackerNews => hacker_news::request(question),
    }
}

pub(super) fn read(question: &ProviderQuery<'_>, body: &Bytes) -> Result<ReplyReading, CodedError> {
    if question.provider == ProviderName::Arxiv {
        return arxiv::read(question, body).map(ReplyReading::Found);
    }
    let json: serde_json::Value = serde_json::from_slice(body).map_err(|_| question.unreadable_problem())?;
    let found = match question.provider {
        ProviderName::Pubmed => return pubmed::read(question, &json),
        ProviderName::Arxiv => Err(question.unreadable_problem()),
        ProviderName::Tavily | ProviderName::TavilyKeyless => tavily::read(question, &json),
        ProviderName::Brave => brave::read(question, &json),
        ProviderName::Exa => exa::read(question, &json),
        ProviderName::Firecrawl => firecrawl::read(question, &json),
        ProviderName::Searxng => searxng::read(question, &json),
        ProviderName::Wikipedia => wikipedia::read(question, &json),
        ProviderName::Openalex => openalex::read(question, &json),
        ProviderName::SemanticScholar => semantic_scholar::read(question, &json),
        ProviderName::Crossref => crossref::read(question, &json),
        ProviderName::Github => github::read(question, &json),
        ProviderName::HackerNews => hacker_news::read(question, &json),
    };
    found.map(ReplyReading::Found)
}
