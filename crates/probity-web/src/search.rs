//! Search providers, one file each, behind one door.
//!
//! Asks one provider one question and says what came of it: hits that are cleaned and bounded, what became of the
//! filters, and the bill. Never repeats a call, never chooses a provider, never follows a hit.

mod arxiv;
mod brave;
mod crossref;
mod date;
mod exa;
mod filter;
mod github;
mod hacker_news;
mod hit;
mod json;
mod openalex;
mod pace;
mod provider;
mod pubmed;
mod refusal;
mod searxng;
mod semantic_scholar;
mod tavily;
mod wikipedia;
mod words;

use std::{collections::BTreeMap, sync::Arc};

use probity_research::{
    cost::MicroUsd,
    error::{Code, Problem},
    web::{Bill, ProviderName, SearchAnswer, SearchCall, SearchDepth, search::HITS_MAX},
};
use secrecy::SecretString;

use crate::fetch::{ApiAnswer, ApiRequest, CallFailed, Fetcher, Sent};
use pace::Pace;
pub use provider::address as usual_address;
use provider::{Found, Question, Reading};

/// Requests that one search may take: PubMed answers numbers first and records second.
const REQUESTS_MAX: usize = 2;

/// What the user configured.
#[derive(Debug, Clone, Default)]
pub struct SearchSettings {
    pub keys: BTreeMap<ProviderName, SecretString>,
    /// Where a provider is instead of its own address; SearXNG has no other. Wikipedia's may hold `{language}`.
    pub bases: BTreeMap<ProviderName, String>,
    /// A mail address for the providers that ask for one; sent to those only.
    pub contact: Option<String>,
}

/// A search without an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct SearchFailure {
    pub problem: Problem,
    /// `Bill::NOTHING` where it is certain that nobody pays, `Bill::UNKNOWN` where somebody may.
    pub bill: Bill,
}

#[derive(Debug)]
pub struct Search {
    fetcher: Arc<Fetcher>,
    settings: SearchSettings,
    pace: Pace,
}

impl Search {
    pub fn new(fetcher: Arc<Fetcher>, settings: SearchSettings) -> Self {
        Self { fetcher, settings, pace: Pace::default() }
    }

    /// The providers that can be asked, best first: searches of the whole web, then the specialists.
    pub fn available(&self) -> Vec<ProviderName> {
        self.settings.available()
    }

    /// Asks one provider once.
    #[tracing::instrument(level = "debug", skip_all, fields(provider = call.provider.as_str()))]
    pub async fn ask(&self, call: &SearchCall) -> Result<SearchAnswer, SearchFailure> {
        let question = self.question(call).map_err(free)?;
        let asked = provider::request(&question);
        let mut request = asked.request;
        for _ in 0..REQUESTS_MAX {
            match self.turn(&question, request).await? {
                Reading::Found(found) => return Ok(answer(&question, call, asked.heeded, found)),
                Reading::More(next) => request = next,
            }
        }
        let problem =
            Problem::new(Code::SearchFailed, &format!("{} does not come to an end", question.name()));
        Err(unfinished(call.provider, problem))
    }

    fn question<'call>(&'call self, call: &'call SearchCall) -> Result<Question<'call>, Problem> {
        Question::new(call, &self.settings)
    }

    /// One request and what it says.
    async fn turn(&self, question: &Question<'_>, request: ApiRequest) -> Result<Reading, SearchFailure> {
        let provider = question.provider;
        self.pace.enter(provider).await.map_err(free)?;
        let answer = self.fetcher.call(request).await.map_err(|failed| unanswered(provider, failed))?;
        if answer.status != 200 {
            return Err(self.refused(question, &answer));
        }
        provider::read(question, &answer.body).map_err(|problem| {
            let problem = problem.with_status(answer.status);
            // A cap is no search: nobody pays for being told so.
            if problem.code == Code::QuotaExhausted { free(problem) } else { unfinished(provider, problem) }
        })
    }

    fn refused(&self, question: &Question<'_>, answer: &ApiAnswer) -> SearchFailure {
        let problem = refusal::problem(question.provider, answer);
        if problem.code == Code::RateLimited {
            self.pace.hold(question.provider, problem.retry_after_ms);
        }
        match answer.status {
            // Refused by the provider itself, before any work.
            300..500 => free(problem),
            _ => unfinished(question.provider, problem),
        }
    }
}

/// What one search is expected to cost; nothing for those that are free.
pub fn usual_price(provider: ProviderName, depth: SearchDepth) -> Option<MicroUsd> {
    match provider {
        ProviderName::Tavily => Some(tavily::usual_price(depth)),
        ProviderName::Brave => Some(MicroUsd(brave::SEARCH_MICRO_USD)),
        ProviderName::Exa => Some(exa::usual_price(depth)),
        _ => None,
    }
}

impl SearchSettings {
    #[must_use]
    pub fn with_key(mut self, provider: ProviderName, key: impl Into<SecretString>) -> Self {
        self.keys.insert(provider, key.into());
        self
    }

    #[must_use]
    pub fn with_base(mut self, provider: ProviderName, base: impl Into<String>) -> Self {
        self.bases.insert(provider, base.into());
        self
    }

    /// The providers that can be asked, best first.
    pub fn available(&self) -> Vec<ProviderName> {
        let chosen = |name: &ProviderName| match name {
            ProviderName::Tavily | ProviderName::Brave | ProviderName::Exa => self.keys.contains_key(name),
            ProviderName::Searxng => self.bases.contains_key(name),
            _ => false,
        };
        // Whoever chose a search of the whole web does not want the questions sent to another one.
        let keyless = !ProviderName::ALL.iter().any(chosen);
        let usable = |name: &ProviderName| match name {
            ProviderName::Tavily | ProviderName::Brave | ProviderName::Exa | ProviderName::Searxng => {
                chosen(name)
            }
            ProviderName::TavilyKeyless => keyless,
            _ => true,
        };
        ProviderName::ALL.into_iter().filter(usable).collect()
    }
}

fn answer(
    question: &Question<'_>,
    call: &SearchCall,
    asked: probity_research::web::search::Heeded,
    found: Found,
) -> SearchAnswer {
    let wanted = usize::try_from(call.max_results).unwrap_or(HITS_MAX).clamp(1, HITS_MAX);
    let (hits, heeded) = filter::apply(question.filters, asked, found.hits, wanted);
    SearchAnswer { hits, heeded, silent_engines: found.silent_engines, bill: found.bill }
}

/// Nothing was asked, or nothing was accepted.
fn free(problem: Problem) -> SearchFailure {
    SearchFailure { problem, bill: Bill::NOTHING }
}

/// The provider may have worked, and may charge for it if it charges at all.
fn unfinished(provider: ProviderName, problem: Problem) -> SearchFailure {
    let bill = if provider::is_paid(provider) { Bill::UNKNOWN } else { Bill::NOTHING };
    SearchFailure { problem, bill }
}

fn unanswered(provider: ProviderName, failed: CallFailed) -> SearchFailure {
    let CallFailed { problem, sent } = failed;
    let problem = match problem.code {
        // What the user has to change stays what it is.
        Code::Settings | Code::AddressRefused => problem,
        _ => Problem {
            code: Code::SearchFailed,
            ..Problem::new(
                Code::SearchFailed,
                &format!("{} did not answer: {}", provider.as_str(), problem.message),
            )
        },
    };
    match sent {
        Sent::No => free(problem),
        Sent::Maybe => unfinished(provider, problem),
    }
}

#[cfg(test)]
mod tests;
