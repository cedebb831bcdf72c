//! The providers asked over HTTP, through the guarded fetcher, against the simulator's small web.

use std::sync::Arc;

use probity_simulator::{
    Simulator, SimulatorOptions, SmallWeb, SmallWebPage, WebFault, WebFaultKind,
    web::{Provider, WebLedger},
};
use probity_types::{
    error::Code,
    time::Moment,
    web::{
        Bill, BillBasis, ProviderName, SearchCall, SearchDepth, SearchFilters,
        search::{FilterEnforcement, FilterReport},
    },
};
use probity_web::{
    fetch::{Fetcher, FetcherSettings, ReachRules},
    search::{SearchCallError, SearchClient, SearchSettings},
};
use secrecy::SecretString;

const QUERY: &str = "price of solar panels";

fn small_web() -> SmallWeb {
    SmallWeb::new()
        .with(
            SmallWebPage::new(
                "http://energy.example/solar",
                "Solar panels",
                "The price of solar panels fell.",
            )
            .published("2025-03-01"),
        )
        .with(
            SmallWebPage::new("http://paper.example/1", "Panel prices", "Old prices of panels.")
                .published("2020-05-01"),
        )
        .with(
            SmallWebPage::new("http://energy.example/fish", "Fish", "Nothing about energy.")
                .published("2025-03-01"),
        )
}

struct Rig {
    simulator: Simulator,
    search: SearchClient,
}

impl Rig {
    async fn start() -> Self {
        let simulator = Simulator::start(SimulatorOptions::default()).await.unwrap();
        simulator.handle().set_web(small_web());
        let search = search(simulator.base_url(), SearchSettings::default());
        Self { simulator, search }
    }

    fn fault(&self, provider: Provider, kind: WebFaultKind) {
        self.simulator.handle().add_web_fault(WebFault { provider, kind, times: 1 });
    }

    fn ledger(&self) -> WebLedger {
        self.simulator.handle().web_ledger()
    }

    async fn failure(&self, provider: ProviderName) -> SearchCallError {
        self.search.ask(&call(provider, SearchFilters::default())).await.unwrap_err()
    }
}

/// A search whose providers are all at this address, with keys.
fn search(base_url: &str, mut settings: SearchSettings) -> SearchClient {
    let host = base_url.trim_start_matches("http://");
    let reach = ReachRules::parse([format!("{host}={host}")]).unwrap();
    for provider in Provider::ALL.iter().copied() {
        let name = ProviderName::parse(provider.as_str()).unwrap();
        settings.bases.insert(name, provider.base_url(base_url));
        settings.keys.insert(name, SecretString::from("test-key"));
    }
    let fetcher =
        Fetcher::new(FetcherSettings { reach, ..FetcherSettings::new(|| Moment(1_794_657_600_000)) })
            .unwrap();
    SearchClient::new(Arc::new(fetcher), settings)
}

fn call(provider: ProviderName, filters: SearchFilters) -> SearchCall {
    SearchCall { provider, query: QUERY.to_owned(), max_results: 5, depth: SearchDepth::Basic, filters }
}

fn kind_of(name: ProviderName) -> Provider {
    Provider::parse(name.as_str()).unwrap()
}

#[tokio::test]
async fn every_provider_finds_the_page_with_one_search() {
    let rig = Rig::start().await;
    for provider in ProviderName::ALL {
        let answer = rig.search.ask(&call(provider, SearchFilters::default())).await;
        let answer = answer.unwrap_or_else(|failure| panic!("{provider:?}: {failure:?}"));
        let first = answer.hits.first().unwrap_or_else(|| panic!("{provider:?} found nothing"));
        let expected = if provider == ProviderName::Pubmed {
            "https://pubmed.ncbi.nlm.nih.gov/40000000/"
        } else {
            "http://energy.example/solar"
        };
        assert_eq!(first.url, expected, "{provider:?}");
        let title = if provider == ProviderName::Github { "small-web/solar-panels" } else { "Solar panels" };
        assert_eq!(first.title, title, "{provider:?}");
        let dated = !matches!(provider, ProviderName::Wikipedia | ProviderName::Firecrawl);
        assert_eq!(first.published.as_deref(), dated.then_some("2025-03-01"), "{provider:?}");
        assert_eq!(answer.heeded, FilterReport::default(), "{provider:?}");
        let ledger = rig.ledger();
        let asked: Vec<_> = ledger.searches_of(kind_of(provider)).collect();
        assert_eq!(asked.len(), 1, "{provider:?}");
        match provider {
            // Credits of a plan: what they are worth is not known.
            ProviderName::Firecrawl => assert_eq!(answer.bill.basis, BillBasis::Unknown),
            _ => assert_eq!(answer.bill.cost.0, asked.first().unwrap().charged_micro_usd, "{provider:?}"),
        }
    }
    let paid = ProviderName::ALL.into_iter().filter(|name| name.is_paid()).count();
    assert_eq!(rig.ledger().paid_count(), paid);
}

#[tokio::test]
async fn filters_reach_the_provider_or_are_checked_here() {
    let rig = Rig::start().await;
    let filters = SearchFilters {
        after: Some("2025-01-01".to_owned()),
        before: Some("2025-12-31".to_owned()),
        domains: vec!["energy.example".to_owned()],
        ..SearchFilters::default()
    };
    for provider in ProviderName::ALL {
        let answer = rig.search.ask(&call(provider, filters.clone())).await;
        let answer = answer.unwrap_or_else(|failure| panic!("{provider:?}: {failure:?}"));
        let urls: Vec<&str> = answer.hits.iter().map(|hit| hit.url.as_str()).collect();
        // The pages of PubMed are at PubMed.
        let expected: &[&str] =
            if provider == ProviderName::Pubmed { &[] } else { &["http://energy.example/solar"] };
        // Wikipedia's articles have no date: the older page is kept out by its domain alone.
        assert_eq!(urls, expected, "{provider:?}");
        let dates = match provider {
            ProviderName::Wikipedia => FilterEnforcement::NotPossible,
            ProviderName::Pubmed | ProviderName::Firecrawl => FilterEnforcement::Asked,
            _ => FilterEnforcement::Enforced,
        };
        let heeded =
            FilterReport { dates: Some(dates), domains: Some(FilterEnforcement::Enforced), languages: None };
        assert_eq!(answer.heeded, heeded, "{provider:?}");
    }
}

#[tokio::test]
async fn a_deep_search_costs_what_it_says() {
    let rig = Rig::start().await;
    for (provider, cost) in
        [(ProviderName::Tavily, 16_000), (ProviderName::Exa, 15_000), (ProviderName::Brave, 5_000)]
    {
        let deep = SearchCall { depth: SearchDepth::Advanced, ..call(provider, SearchFilters::default()) };
        let bill = rig.search.ask(&deep).await.unwrap().bill;
        assert_eq!((bill.basis, bill.cost.0), (BillBasis::Counted, cost), "{provider:?}");
    }
    assert_eq!(rig.ledger().charged_micro_usd(), 36_000);
}

#[tokio::test]
async fn failures_say_whether_somebody_may_have_paid_and_are_not_repeated() {
    let faults = [
        (WebFaultKind::Status(500), Code::SearchFailed, Bill::UNKNOWN),
        (WebFaultKind::Status(400), Code::SearchFailed, Bill::NOTHING),
        (WebFaultKind::Status(401), Code::SearchFailed, Bill::NOTHING),
        (WebFaultKind::Garbage, Code::SearchFailed, Bill::UNKNOWN),
        (WebFaultKind::Html, Code::SearchFailed, Bill::UNKNOWN),
        (WebFaultKind::Lost, Code::SearchFailed, Bill::UNKNOWN),
        (WebFaultKind::Drop, Code::SearchFailed, Bill::UNKNOWN),
        (WebFaultKind::Cap, Code::QuotaExhausted, Bill::NOTHING),
    ];
    for provider in [ProviderName::Tavily, ProviderName::Brave, ProviderName::Exa, ProviderName::Firecrawl] {
        for (kind, code, bill) in faults {
            let rig = Rig::start().await;
            rig.fault(kind_of(provider), kind);
            let failure = rig.failure(provider).await;
            assert_eq!(
                (failure.problem.code, failure.bill),
                (code, bill),
                "{provider:?} {kind:?}: {failure}"
            );
            let ledger = rig.ledger();
            let refused: u64 = ledger.refused().values().sum();
            assert_eq!(ledger.searches().len() as u64 + refused, 1, "{provider:?} {kind:?} was repeated");
        }
    }
}

#[tokio::test]
async fn free_providers_cost_nothing_however_they_fail() {
    for provider in ProviderName::ALL.into_iter().filter(|name| !name.is_paid()) {
        let rig = Rig::start().await;
        for kind in [WebFaultKind::Status(503), WebFaultKind::Garbage] {
            rig.fault(kind_of(provider), kind);
            let failure = rig.failure(provider).await;
            assert_eq!(
                (failure.problem.code, failure.bill),
                (Code::SearchFailed, Bill::NOTHING),
                "{provider:?} {kind:?}"
            );
        }
    }
}

#[tokio::test]
async fn free_searches_at_tavily_that_are_used_up_say_when_there_are_more() {
    let rig = Rig::start().await;
    rig.fault(Provider::TavilyKeyless, WebFaultKind::Cap);
    let failure = rig.failure(ProviderName::TavilyKeyless).await;
    assert_eq!((failure.problem.code, failure.bill), (Code::QuotaExhausted, Bill::NOTHING));
    assert_eq!(failure.problem.retry_after_ms, Some(1_800_000));
    assert!(failure.problem.message.contains("TAVILY_API_KEY"), "{failure}");
}

#[tokio::test]
async fn a_provider_that_asks_for_patience_is_not_asked_meanwhile() {
    let rig = Rig::start().await;
    rig.fault(Provider::Brave, WebFaultKind::RetryAfter(60));
    for _ in 0..2 {
        let failure = rig.failure(ProviderName::Brave).await;
        assert_eq!((failure.problem.code, failure.bill), (Code::RateLimited, Bill::NOTHING));
        assert!(failure.problem.retry_after_ms.is_some_and(|wait| wait > 50_000), "{failure:?}");
    }
    assert_eq!(rig.ledger().refused().get("brave"), Some(&1));
    assert_eq!(rig.ledger().requests().len(), 1);
}

#[tokio::test]
async fn engines_that_failed_are_no_empty_answer() {
    let rig = Rig::start().await;
    for (provider, name) in [
        (Provider::Searxng, ProviderName::Searxng),
        (Provider::Github, ProviderName::Github),
        (Provider::Pubmed, ProviderName::Pubmed),
    ] {
        rig.fault(provider, WebFaultKind::Empty);
        assert_eq!(rig.failure(name).await.problem.code, Code::SearchFailed, "{name:?}");
    }
    rig.fault(Provider::Searxng, WebFaultKind::Partial);
    let answer = rig.search.ask(&call(ProviderName::Searxng, SearchFilters::default())).await.unwrap();
    assert_eq!((answer.hits.len(), answer.silent_engines), (2, vec!["second engine: timeout".to_owned()]));
}

#[tokio::test]
async fn nobody_there_costs_nothing() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let search = search(&format!("http://{closed}"), SearchSettings::default());
    let failure = search.ask(&call(ProviderName::Tavily, SearchFilters::default())).await.unwrap_err();
    assert_eq!((failure.problem.code, failure.bill), (Code::SearchFailed, Bill::NOTHING), "{failure}");
}

#[tokio::test]
async fn keys_stay_out_of_addresses_and_go_to_their_own_provider_only() {
    let rig = Rig::start().await;
    for provider in
        [ProviderName::Tavily, ProviderName::Firecrawl, ProviderName::Exa, ProviderName::TavilyKeyless]
    {
        rig.search.ask(&call(provider, SearchFilters::default())).await.unwrap();
    }
    let ledger = rig.ledger();
    assert!(ledger.requests().iter().all(|request| !request.target.contains("test-key")));
    let keyed = |request: &&probity_simulator::web::RequestRecord| {
        request.headers.iter().any(|(_, value)| value.contains("test-key"))
    };
    assert_eq!(ledger.requests().iter().filter(keyed).count(), 3, "keyless access sends no key");
}
