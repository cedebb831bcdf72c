//! What is known of each search provider: one row of facts, from which everything else is derived.
//!
//! The row makes the provider: its name, its key, its price, its pace, its filters, when it is asked. A row that lacks
//! a fact does not compile. How a provider is asked and how its answer is read stands in `probity-web/src/search`.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::cost::MicroUsd;

/// How much work the provider puts into one search; a provider without the choice ignores it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchDepth {
    #[default]
    Basic,
    Advanced,
}

/// What is known of a provider. There is no default: a new provider states all of it.
///
/// ```
/// use probity_types::{cost::MicroUsd, web::providers::{
///     FilterSupport, KeyVariable, ProviderAccess, ProviderAddress, ProviderFacts, RateLimit, SearchCoverage,
///     SearchPrice,
/// }};
/// const COMPLETE: ProviderFacts = ProviderFacts {
///     name: "example",
///     address: ProviderAddress::Fixed("https://api.search.example"),
///     access: ProviderAccess::KeyNeeded(KeyVariable { name: "EXAMPLE_API_KEY", meaning: "The key of Example." }),
///     price: SearchPrice::PerSearch { basic: MicroUsd(1_000), advanced: MicroUsd(2_000) },
///     pace: RateLimit { calls: 1, per: std::time::Duration::from_secs(1) },
///     filters: FilterSupport { dates: true, domains: true, languages: true },
///     coverage: SearchCoverage::WholeWeb,
///     documentation: "https://docs.search.example",
/// };
/// const _: () = assert!(COMPLETE.has_key_if_paid());
/// ```
///
/// Without a price it does not compile:
///
/// ```compile_fail,E0063
/// use probity_types::web::providers::{
///     FilterSupport, KeyVariable, ProviderAccess, ProviderAddress, ProviderFacts, RateLimit, SearchCoverage,
/// };
/// const FORGOTTEN: ProviderFacts = ProviderFacts {
///     name: "example",
///     address: ProviderAddress::Fixed("https://api.search.example"),
///     access: ProviderAccess::KeyNeeded(KeyVariable { name: "EXAMPLE_API_KEY", meaning: "The key of Example." }),
///     pace: RateLimit { calls: 1, per: std::time::Duration::from_secs(1) },
///     filters: FilterSupport { dates: true, domains: true, languages: true },
///     coverage: SearchCoverage::WholeWeb,
///     documentation: "https://docs.search.example",
/// };
/// ```
///
/// Nor does a price without a key, which `providers!` asserts of every row:
///
/// ```compile_fail,E0080
/// use probity_types::{cost::MicroUsd, web::providers::{
///     FilterSupport, ProviderAccess, ProviderAddress, ProviderFacts, RateLimit, SearchCoverage, SearchPrice,
/// }};
/// const KEYLESS: ProviderFacts = ProviderFacts {
///     name: "example",
///     address: ProviderAddress::Fixed("https://api.search.example"),
///     access: ProviderAccess::WithoutKey,
///     price: SearchPrice::PerSearch { basic: MicroUsd(1_000), advanced: MicroUsd(2_000) },
///     pace: RateLimit { calls: 1, per: std::time::Duration::from_secs(1) },
///     filters: FilterSupport { dates: true, domains: true, languages: true },
///     coverage: SearchCoverage::WholeWeb,
///     documentation: "https://docs.search.example",
/// };
/// const _: () = assert!(KEYLESS.has_key_if_paid());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderFacts {
    /// As written in settings, journals and reports.
    pub name: &'static str,
    pub address: ProviderAddress,
    pub access: ProviderAccess,
    pub price: SearchPrice,
    pub pace: RateLimit,
    pub filters: FilterSupport,
    pub coverage: SearchCoverage,
    /// Where its maker describes the API; price and pace are looked up from there.
    pub documentation: &'static str,
}

/// Where a provider is, unless the user's settings say otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderAddress {
    /// May hold `{language}`.
    Fixed(&'static str),
    /// The user runs it; this variable says where.
    OwnServer { variable: &'static str },
}

/// What it takes to be served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderAccess {
    /// Never asked without a key.
    KeyNeeded(KeyVariable),
    /// Never asked at its maker's address without a key; a server of the user's own needs none.
    KeyOrOwnServer(KeyVariable),
    /// A key allows more.
    KeyOptional(KeyVariable),
    WithoutKey,
    /// Without a key, and only while the user chose no other search of the whole web: who chose one does not want the
    /// questions sent elsewhere.
    StandIn,
}

/// The environment variable of a key, as the reference page tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyVariable {
    pub name: &'static str,
    pub meaning: &'static str,
}

/// What one search costs at most without a plan of the user's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchPrice {
    Free,
    PerSearch {
        basic: MicroUsd,
        advanced: MicroUsd,
    },
    /// Credits of a plan that is paid for as a whole: what a search is worth in dollars is not known, only the most it
    /// can be.
    Prepaid {
        at_most: MicroUsd,
    },
}

/// So many calls in so much time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    pub calls: usize,
    pub per: Duration,
}

/// Which filters a provider's request can carry; domains and languages alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilterSupport {
    pub dates: bool,
    pub domains: bool,
    pub languages: bool,
}

/// What a provider searches: which questions it is asked without the user naming it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchCoverage {
    WholeWeb,
    Encyclopedia,
    Papers,
    Code,
}

impl ProviderFacts {
    /// Somebody pays for every search, so there is an account and a key to it.
    pub const fn has_key_if_paid(&self) -> bool {
        match self.price {
            SearchPrice::Free => true,
            SearchPrice::PerSearch { .. } | SearchPrice::Prepaid { .. } => match self.access {
                ProviderAccess::KeyNeeded(_) | ProviderAccess::KeyOrOwnServer(_) => true,
                ProviderAccess::KeyOptional(_) | ProviderAccess::WithoutKey | ProviderAccess::StandIn => {
                    false
                }
            },
        }
    }

    /// The variable that holds its key, where it takes one.
    pub const fn key(&self) -> Option<KeyVariable> {
        match self.access {
            ProviderAccess::KeyNeeded(key)
            | ProviderAccess::KeyOrOwnServer(key)
            | ProviderAccess::KeyOptional(key) => Some(key),
            ProviderAccess::WithoutKey | ProviderAccess::StandIn => None,
        }
    }
}

impl SearchPrice {
    pub const fn is_paid(self) -> bool {
        match self {
            Self::Free => false,
            Self::PerSearch { .. } | Self::Prepaid { .. } => true,
        }
    }

    /// What one search is expected to cost.
    pub const fn cost(self, depth: SearchDepth) -> MicroUsd {
        match (self, depth) {
            (Self::Free, SearchDepth::Basic | SearchDepth::Advanced) => MicroUsd(0),
            (Self::PerSearch { basic, advanced: _ }, SearchDepth::Basic) => basic,
            (Self::PerSearch { basic: _, advanced }, SearchDepth::Advanced) => advanced,
            (Self::Prepaid { at_most }, SearchDepth::Basic | SearchDepth::Advanced) => at_most,
        }
    }
}

impl ProviderName {
    /// As written in settings, journals and reports.
    pub const fn as_str(self) -> &'static str {
        self.facts().name
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|name| name.as_str() == text)
    }

    pub const fn is_paid(self) -> bool {
        self.facts().price.is_paid()
    }
}

const fn pace(calls: usize, per_seconds: u64) -> RateLimit {
    RateLimit { calls, per: Duration::from_secs(per_seconds) }
}

const fn key(name: &'static str, meaning: &'static str) -> KeyVariable {
    KeyVariable { name, meaning }
}

/// The most that one credit of Firecrawl costs on any plan: $37 for 8,000, rounded up.
pub const FIRECRAWL_CREDIT_MAX: MicroUsd = MicroUsd(4_625);

/// The enum, its `ALL` and its `facts`, from the rows: none can be forgotten in another.
macro_rules! providers {
    ($($(#[$note:meta])* $variant:ident: $facts:expr,)+) => {
        /// Who can be asked. One file each in `probity-web/src/search`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum ProviderName { $($(#[$note])* $variant),+ }

        impl ProviderName {
            /// Best first: searches of the whole web, then the specialists.
            pub const ALL: [Self; [$(stringify!($variant)),+].len()] = [$(Self::$variant),+];

            pub const fn facts(self) -> &'static ProviderFacts {
                match self {
                    $(Self::$variant => {
                        const FACTS: ProviderFacts = $facts;
                        const { assert!(
                            FACTS.has_key_if_paid(),
                            concat!(stringify!($variant), ": a paid provider is never asked without a key")
                        ) };
                        &FACTS
                    })+
                }
            }
        }
    };
}

// Prices are those of 2026-11. Pace is what a provider publishes, or what is polite where it publishes nothing.
providers! {
    Tavily: ProviderFacts {
        name: "tavily",
        address: ProviderAddress::Fixed("https://api.tavily.com"),
        access: ProviderAccess::KeyNeeded(key(
            "TAVILY_API_KEY",
            "The key of Tavily, a search provider of the web engine.",
        )),
        // Pay as you go: $0.008 a credit, one for a basic search and two for an advanced one. Plans and the free
        // allowance are cheaper, never dearer.
        price: SearchPrice::PerSearch { basic: MicroUsd(8_000), advanced: MicroUsd(16_000) },
        // A development key; production keys have ten times that.
        pace: pace(100, 60),
        filters: FilterSupport { dates: true, domains: true, languages: true },
        coverage: SearchCoverage::WholeWeb,
        documentation: "https://docs.tavily.com/documentation/api-reference/endpoint/search",
    },
    /// Tavily without a key: free and capped.
    TavilyKeyless: ProviderFacts {
        name: "tavily-keyless",
        address: ProviderAddress::Fixed("https://api.tavily.com"),
        access: ProviderAccess::StandIn,
        price: SearchPrice::Free,
        // Unpublished: as a person would use it.
        pace: pace(20, 60),
        filters: FilterSupport { dates: true, domains: true, languages: true },
        coverage: SearchCoverage::WholeWeb,
        documentation: "https://docs.tavily.com",
    },
    Brave: ProviderFacts {
        name: "brave",
        address: ProviderAddress::Fixed("https://api.search.brave.com"),
        access: ProviderAccess::KeyNeeded(key("BRAVE_API_KEY", "The key of Brave Search.")),
        // $5 for a thousand searches of either depth. The monthly free credit is not counted.
        price: SearchPrice::PerSearch { basic: MicroUsd(5_000), advanced: MicroUsd(5_000) },
        // 50 a second is the plan's; a run never needs them.
        pace: pace(20, 1),
        filters: FilterSupport { dates: true, domains: true, languages: true },
        coverage: SearchCoverage::WholeWeb,
        documentation: "https://api-dashboard.search.brave.com/documentation",
    },
    Exa: ProviderFacts {
        name: "exa",
        address: ProviderAddress::Fixed("https://api.exa.ai"),
        access: ProviderAccess::KeyNeeded(key("EXA_API_KEY", "The key of Exa.")),
        // $7 for a thousand searches, up to $15 for deep ones. The answer says what it cost.
        price: SearchPrice::PerSearch { basic: MicroUsd(7_000), advanced: MicroUsd(15_000) },
        pace: pace(10, 1),
        filters: FilterSupport { dates: true, domains: true, languages: false },
        coverage: SearchCoverage::WholeWeb,
        documentation: "https://docs.exa.ai/reference/search",
    },
    Firecrawl: ProviderFacts {
        name: "firecrawl",
        address: ProviderAddress::Fixed("https://api.firecrawl.dev"),
        access: ProviderAccess::KeyOrOwnServer(key(
            "FIRECRAWL_API_KEY",
            "The key of Firecrawl, which searches and fetches pages that cannot be read directly.",
        )),
        // Two credits for each ten results, and twenty are asked for at most. No plan's credit costs more than $37 for
        // 8,000; free ones cost nothing.
        price: SearchPrice::Prepaid { at_most: MicroUsd(4 * FIRECRAWL_CREDIT_MAX.0) },
        // The free plan's; paid ones have ten times that and more.
        pace: pace(10, 60),
        filters: FilterSupport { dates: true, domains: true, languages: false },
        coverage: SearchCoverage::WholeWeb,
        documentation: "https://docs.firecrawl.dev/api-reference/endpoint/search",
    },
    Searxng: ProviderFacts {
        name: "searxng",
        address: ProviderAddress::OwnServer { variable: "SEARXNG_URL" },
        access: ProviderAccess::WithoutKey,
        price: SearchPrice::Free,
        // The user's own machine, but the engines behind it ban whoever hurries.
        pace: pace(5, 1),
        filters: FilterSupport { dates: false, domains: true, languages: true },
        coverage: SearchCoverage::WholeWeb,
        documentation: "https://docs.searxng.org/dev/search_api.html",
    },
    Wikipedia: ProviderFacts {
        name: "wikipedia",
        address: ProviderAddress::Fixed("https://{language}.wikipedia.org"),
        access: ProviderAccess::WithoutKey,
        price: SearchPrice::Free,
        // No number is published; "make requests in series" is asked for.
        pace: pace(5, 1),
        filters: FilterSupport { dates: false, domains: false, languages: true },
        coverage: SearchCoverage::Encyclopedia,
        documentation: "https://www.mediawiki.org/wiki/API:Search",
    },
    Arxiv: ProviderFacts {
        name: "arxiv",
        address: ProviderAddress::Fixed("https://export.arxiv.org"),
        access: ProviderAccess::WithoutKey,
        price: SearchPrice::Free,
        // The terms of use: one request every three seconds.
        pace: pace(1, 3),
        filters: FilterSupport { dates: true, domains: false, languages: false },
        coverage: SearchCoverage::Papers,
        documentation: "https://info.arxiv.org/help/api/user-manual.html",
    },
    Openalex: ProviderFacts {
        name: "openalex",
        address: ProviderAddress::Fixed("https://api.openalex.org"),
        access: ProviderAccess::KeyOptional(key(
            "OPENALEX_API_KEY",
            "The key of OpenAlex; free, and asked for since 2026.",
        )),
        // A free key has a thousand searches a day, then they are refused. Only an account that bought more pays, $1 for
        // a thousand; its key does not tell us that it is one.
        price: SearchPrice::Free,
        pace: pace(10, 1),
        filters: FilterSupport { dates: true, domains: false, languages: true },
        coverage: SearchCoverage::Papers,
        documentation: "https://developers.openalex.org/api-reference/authentication",
    },
    SemanticScholar: ProviderFacts {
        name: "semantic-scholar",
        address: ProviderAddress::Fixed("https://api.semanticscholar.org"),
        access: ProviderAccess::KeyOptional(key(
            "SEMANTIC_SCHOLAR_API_KEY",
            "The key of Semantic Scholar; optional.",
        )),
        price: SearchPrice::Free,
        // A key has one a second; without one all strangers share a pool.
        pace: pace(1, 1),
        filters: FilterSupport { dates: true, domains: false, languages: false },
        coverage: SearchCoverage::Papers,
        documentation: "https://api.semanticscholar.org/api-docs/graph",
    },
    Pubmed: ProviderFacts {
        name: "pubmed",
        address: ProviderAddress::Fixed("https://eutils.ncbi.nlm.nih.gov"),
        access: ProviderAccess::KeyOptional(key(
            "NCBI_API_KEY",
            "The key of PubMed; optional, allows more searches a second.",
        )),
        price: SearchPrice::Free,
        // Three a second without a key.
        pace: pace(3, 1),
        filters: FilterSupport { dates: true, domains: false, languages: false },
        coverage: SearchCoverage::Papers,
        documentation: "https://www.ncbi.nlm.nih.gov/books/NBK25499/",
    },
    Crossref: ProviderFacts {
        name: "crossref",
        address: ProviderAddress::Fixed("https://api.crossref.org"),
        access: ProviderAccess::WithoutKey,
        price: SearchPrice::Free,
        // The public pool for lists: one a second.
        pace: pace(1, 1),
        filters: FilterSupport { dates: true, domains: false, languages: false },
        coverage: SearchCoverage::Papers,
        documentation: "https://www.crossref.org/documentation/retrieve-metadata/rest-api/",
    },
    Github: ProviderFacts {
        name: "github",
        address: ProviderAddress::Fixed("https://api.github.com"),
        access: ProviderAccess::KeyOptional(key(
            "GITHUB_TOKEN",
            "A token for GitHub's search; optional, allows more searches a minute.",
        )),
        price: SearchPrice::Free,
        // Ten searches a minute without a key.
        pace: pace(10, 60),
        filters: FilterSupport { dates: true, domains: false, languages: false },
        coverage: SearchCoverage::Code,
        documentation: "https://docs.github.com/en/rest/search/search",
    },
    HackerNews: ProviderFacts {
        name: "hacker-news",
        address: ProviderAddress::Fixed("https://hn.algolia.com"),
        access: ProviderAccess::WithoutKey,
        price: SearchPrice::Free,
        // Ten thousand an hour.
        pace: pace(2, 1),
        filters: FilterSupport { dates: true, domains: false, languages: false },
        coverage: SearchCoverage::Code,
        documentation: "https://hn.algolia.com/api",
    },
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{MicroUsd, ProviderName, SearchDepth};

    #[test]
    fn the_name_in_the_row_is_the_name_on_disk() {
        for name in ProviderName::ALL {
            assert_eq!(serde_json::to_value(name).unwrap(), name.as_str());
            assert_eq!(ProviderName::parse(name.as_str()), Some(name));
        }
    }

    #[test]
    fn no_two_providers_share_a_name_or_a_key_and_every_row_can_be_used() {
        let names: BTreeSet<&str> = ProviderName::ALL.iter().map(|name| name.as_str()).collect();
        assert_eq!(names.len(), ProviderName::ALL.len());
        let keys: Vec<&str> =
            ProviderName::ALL.iter().filter_map(|name| Some(name.facts().key()?.name)).collect();
        assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len(), "{keys:?}");
        for name in ProviderName::ALL {
            let facts = name.facts();
            assert!(facts.pace.calls > 0 && !facts.pace.per.is_zero(), "{name:?}");
            assert!(facts.documentation.starts_with("https://"), "{name:?}");
            let free = facts.price.cost(SearchDepth::Basic) == MicroUsd(0);
            assert_eq!(free, !name.is_paid(), "{name:?}");
        }
    }
}
