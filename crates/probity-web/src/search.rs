//! Search providers, one file each, behind one interface.
//!
//! Asks one provider one question and returns: hits that are cleaned and bounded, which filters were applied
//! and the bill. Never repeats a call, never chooses a provider, never follows a hit.

mod arxiv;
mod brave;
mod crossref;
mod date;
mod exa;
mod filter;
mod firecrawl;
mod github;
mod hacker_news;
mod hit;
mod json;
mod keywords;
mod openalex;
mod pace;
mod provider;
mod pubmed;
mod refusal;
mod searxng;
mod semantic_scholar;
mod tavily;
mod wikipedia;

use std::{collections::BTreeMap, sync::Arc};

use probity_types::{
    error::{Code, CodedError},
    web::{
        Bill, ProviderName, SearchCall, SearchReply,
        providers::{ProviderAccess, ProviderAddress, SearchCoverage},
        search::HITS_MAX,
    },
};
use secrecy::SecretString;

use crate::fetch::{ApiCallError, ApiRequest, Fetcher, ProviderResponse, SendStatus};
use pace::ProviderPacer;
use provider::{ProviderQuery, ProviderReply, ReplyReading};

/// Requests that one search may take: PubMed answers numbers first and records second.
const REQUESTS_MAX: usize = 2;

/// The user's settings.
#[derive(Debug, Clone, Default)]
pub struct SearchSettings {
    pub keys: BTreeMap<ProviderName, SecretString>,
    /// A provider's base address instead of its own; SearXNG has no other. Wikipedia's may contain
    /// `{language}`.
    pub bases: BTreeMap<ProviderName, String>,
    /// A mail address for the providers that ask for one; sent to those only.
    pub contact: Option<String>,
}

/// A search without a response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct SearchCallError {
    pub problem: CodedError,
    /// `Bill::NOTHING` where it is certain that nothing is billed, `Bill::UNKNOWN` where something may be.
    pub bill: Bill,
}

#[derive(Debug)]
pub struct SearchClient {
    fetcher: Arc<Fetcher>,
    settings: SearchSettings,
    pace: ProviderPacer,
}

impl SearchClient {
    pub fn new(fetcher: Arc<Fetcher>, settings: SearchSettings) -> Self {
        Self { fetcher, settings, pace: ProviderPacer::default() }
    }

    /// The providers that can be asked, best first: searches of the whole web, then the specialists.
    pub fn available(&self) -> Vec<ProviderName> {
        self.settings.available()
    }

    /// Asks one provider once.
    #[tracing::instrument(level = "debug", skip_all, fields(provider = call.provider.as_str()))]
    pub async fn ask(&self, call: &SearchCall) -> Result<SearchReply, SearchCallError> {
        let question = self.question(call).map_err(unbilled_error)?;
        let asked = provider::request(&question);
        let mut request = asked.request;
        for _ in 0..REQUESTS_MAX {
            match self.send_request(&question, request).await? {
                ReplyReading::Found(found) => return Ok(answer(&question, call, asked.heeded, found)),
                ReplyReading::More(next) => request = next,
            }
        }
        let problem =
            CodedError::new(Code::SearchFailed, &format!("{} does not come to an end", question.name()));
        Err(self.unfinished_error(call.provider, problem))
    }

    fn question<'call>(&'call self, call: &'call SearchCall) -> Result<ProviderQuery<'call>, CodedError> {
        ProviderQuery::new(call, &self.settings)
    }

    /// One request and its parsed response.
    async fn send_request(
        &self,
        question: &ProviderQuery<'_>,
        request: ApiRequest,
    ) -> Result<ReplyReading, SearchCallError> {
        let provider = question.provider;
        self.pace.wait_for_turn(provider).await.map_err(unbilled_error)?;
        let answer =
            self.fetcher.call(request).await.map_err(|failed| self.unanswered_error(provider, failed))?;
        if answer.status != 200 {
            return Err(self.refusal_error(question, &answer));
        }
        provider::read(question, &answer.body).map_err(|problem| {
            let problem = problem.with_status(answer.status);
            // A rate limit is no search: it is not billed.
            if problem.code == Code::QuotaExhausted {
                unbilled_error(problem)
            } else {
                self.unfinished_error(provider, problem)
            }
        })
    }

    fn refusal_error(&self, question: &ProviderQuery<'_>, answer: &ProviderResponse) -> SearchCallError {
        let problem = refusal::problem(question.provider, answer);
        if problem.code == Code::RateLimited {
            self.pace.pause_provider(question.provider, problem.retry_after_ms);
        }
        if refusal::is_before_work(answer) {
            unbilled_error(problem)
        } else {
            self.unfinished_error(question.provider, problem)
        }
    }

    /// The provider may have worked, and may charge for it if it charges at all.
    fn unfinished_error(&self, provider: ProviderName, problem: CodedError) -> SearchCallError {
        let bill = if self.settings.is_billed(provider) { Bill::UNKNOWN } else { Bill::NOTHING };
        SearchCallError { problem, bill }
    }

    fn unanswered_error(&self, provider: ProviderName, failed: ApiCallError) -> SearchCallError {
        let ApiCallError { problem, sent } = failed;
        let problem = match problem.code {
            // A problem that the user has to fix keeps its code.
            Code::Settings | Code::AddressRefused => problem,
            _ => CodedError {
                code: Code::SearchFailed,
                ..CodedError::new(
                    Code::SearchFailed,
                    &format!("{} did not answer: {}", provider.as_str(), problem.message),
                )
            },
        };
        match sent {
            SendStatus::No => unbilled_error(problem),
            SendStatus::Maybe => self.unfinished_error(provider, problem),
        }
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
        let keyless = !self.has_chosen_search();
        let usable = |name: &ProviderName| match name.facts().access {
            ProviderAccess::KeyNeeded(_) => self.keys.contains_key(name),
            ProviderAccess::KeyOrOwnServer(_) => {
                self.keys.contains_key(name) || self.bases.contains_key(name)
            }
            ProviderAccess::StandIn => keyless,
            ProviderAccess::KeyOptional(_) | ProviderAccess::WithoutKey => match name.facts().address {
                ProviderAddress::Fixed(_) => true,
                ProviderAddress::OwnServer { .. } => self.bases.contains_key(name),
            },
        };
        ProviderName::ALL.into_iter().filter(usable).collect()
    }

    /// Whether somebody may charge for its calls: a server of the user's own does not.
    pub fn is_billed(&self, name: ProviderName) -> bool {
        match name.facts().access {
            ProviderAccess::KeyOrOwnServer(_) => name.is_paid() && self.keys.contains_key(&name),
            ProviderAccess::KeyNeeded(_)
            | ProviderAccess::KeyOptional(_)
            | ProviderAccess::WithoutKey
            | ProviderAccess::StandIn => name.is_paid(),
        }
    }

    /// The user chose somebody to search the whole web, by a key or by a server of their own.
    pub fn has_chosen_search(&self) -> bool {
        let chosen = |name: &ProviderName| match (name.facts().access, name.facts().address) {
            (ProviderAccess::KeyNeeded(_), _) => self.keys.contains_key(name),
            (ProviderAccess::KeyOrOwnServer(_), _) => {
                self.keys.contains_key(name) || self.bases.contains_key(name)
            }
            (_, ProviderAddress::OwnServer { .. }) => self.bases.contains_key(name),
            (
                ProviderAccess::KeyOptional(_) | ProviderAccess::WithoutKey | ProviderAccess::StandIn,
                ProviderAddress::Fixed(_),
            ) => false,
        };
        let whole_web = |name: &&ProviderName| name.facts().coverage == SearchCoverage::WholeWeb;
        ProviderName::ALL.iter().filter(whole_web).any(chosen)
    }
}

fn answer(
    question: &ProviderQuery<'_>,
    call: &SearchCall,
    asked: probity_types::web::search::FilterReport,
    found: ProviderReply,
) -> SearchReply {
    let wanted = usize::try_from(call.max_results).unwrap_or(HITS_MAX).clamp(1, HITS_MAX);
    let (hits, heeded) = filter::apply(question.filters, asked, found.hits, wanted);
    SearchReply { hits, heeded, silent_engines: found.silent_engines, bill: found.bill }
}

/// Nothing was sent, or nothing was accepted.
fn unbilled_error(problem: CodedError) -> SearchCallError {
    SearchCallError { problem, bill: Bill::NOTHING }
}

#[cfg(test)]
mod tests;
