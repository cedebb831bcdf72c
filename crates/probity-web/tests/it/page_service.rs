//! Pages through Firecrawl against the simulator: what is asked, what is recorded, what it costs, and what is never named
//! to it.

use probity_simulator::{
    Simulator, SimulatorOptions, SmallWeb, SmallWebPage, WebFault, WebFaultKind, web::Provider,
};
use probity_types::{
    error::Code,
    time::Moment,
    web::{Bill, MediaKind, ProviderName, origin::PageOrigin, page::Provenance},
};
use probity_web::{
    fetch::{Fetcher, FetcherSettings, NameResolver, ReachRules},
    page_service::{PageService, ServicePage},
    search::SearchSettings,
};
use serde_json::{Value, json};

const NOW: Moment = Moment(1_794_657_600_000);
const URL: &str = "http://scripts.example/bridge";

struct Rig {
    simulator: Simulator,
    fetcher: Fetcher,
    service: PageService,
}

impl Rig {
    async fn start(key: Option<&str>, reached: &[&str]) -> Self {
        let simulator = Simulator::start(SimulatorOptions::default()).await.unwrap();
        let web = SmallWeb::new().with(SmallWebPage::new(URL, "The bridge", "It is 412 metres long.")).with(
            SmallWebPage::new("http://moved.example/", "Moved", "Inside.")
                .redirecting_to("http://10.0.0.7/secret"),
        );
        simulator.handle().set_web(web);
        let host = simulator.base_url().trim_start_matches("http://").to_owned();
        let reached = reached.iter().map(|name| format!("{name}:80={host}"));
        let reach = ReachRules::parse(reached.chain([format!("{host}={host}")])).unwrap();
        let lookup = NameResolver::from_fn(|name| {
            let address = if name.starts_with("inside.") { "10.0.0.7" } else { "198.41.0.4" };
            Box::pin(async move { Ok(vec![address.parse().unwrap()]) })
        });
        let fetcher =
            Fetcher::new(FetcherSettings { reach, lookup, ..FetcherSettings::new(|| NOW) }).unwrap();
        let base = Provider::Firecrawl.base_url(simulator.base_url());
        let settings = SearchSettings::default().with_base(ProviderName::Firecrawl, base);
        let settings = match key {
            Some(key) => settings.with_key(ProviderName::Firecrawl, key),
            None => settings,
        };
        let service = PageService::configured(&settings).unwrap();
        Self { simulator, fetcher, service }
    }

    async fn page(&self, url: &str) -> ServicePage {
        self.service.page(&self.fetcher, url, NOW).await
    }

    fn bodies(&self) -> Vec<Value> {
        let ledger = self.simulator.handle().web_ledger();
        ledger.requests().iter().map(|request| serde_json::from_str(&request.body).unwrap()).collect()
    }
}

#[tokio::test]
async fn a_page_is_what_the_service_returned_and_says_so() {
    let rig = Rig::start(Some("fc-test"), &[]).await;
    let ServicePage { page, bill } = rig.page(URL).await;
    let page = page.unwrap();
    assert!(String::from_utf8_lossy(&page.bytes).contains("412 metres"));
    let record = &page.record;
    assert_eq!((record.asked_url.as_str(), record.final_url.as_str()), (URL, URL));
    assert_eq!((record.status, record.media, record.address.as_deref()), (200, MediaKind::Html, None));
    assert_eq!(record.provenance, Provenance::Service("firecrawl".to_owned()));
    assert_eq!(PageOrigin::of(record), PageOrigin::Service);
    assert_eq!(bill, Bill::UNKNOWN, "what a credit is worth is not known");
    let expected = json!({
        "url": URL, "formats": ["rawHtml"], "onlyMainContent": false, "maxAge": 0, "storeInCache": false,
        "skipTlsVerification": false, "proxy": "basic", "parsers": [], "timeout": 45_000,
    });
    assert_eq!(rig.bodies(), [expected]);
    assert_eq!(rig.simulator.handle().web_ledger().fetches().len(), 0, "nothing was fetched from here");
}

#[tokio::test]
async fn a_server_of_the_users_own_charges_nobody() {
    let rig = Rig::start(None, &[]).await;
    let found = rig.page(URL).await;
    assert!(found.page.is_ok());
    assert_eq!(found.bill, Bill::NOTHING);
}

#[tokio::test]
async fn addresses_of_private_networks_are_not_named_and_what_comes_from_there_is_dropped() {
    let rig = Rig::start(Some("fc-test"), &["opened.example"]).await;
    for url in [
        "http://10.0.0.7/",
        "http://inside.example/",
        "http://localhost/",
        "http://intranet/",
        "http://opened.example/",
        "file:///etc/passwd",
        "http://scripts.example:8080/",
    ] {
        let refused = rig.page(url).await;
        assert_eq!(refused.page.unwrap_err().code, Code::AddressRefused, "{url}");
        assert_eq!(refused.bill, Bill::NOTHING, "{url}");
    }
    assert_eq!(rig.bodies(), Vec::<Value>::new());
    let moved = rig.page("http://moved.example/").await;
    assert_eq!(moved.page.unwrap_err().code, Code::AddressRefused);
    assert_eq!(moved.bill, Bill::UNKNOWN);
}

#[tokio::test]
async fn failures_say_whether_somebody_may_have_paid() {
    for (kind, code, bill) in [
        (WebFaultKind::Status(500), Code::PageUnreachable, Bill::UNKNOWN),
        (WebFaultKind::Status(408), Code::PageUnreachable, Bill::UNKNOWN),
        (WebFaultKind::Status(401), Code::PageUnreachable, Bill::NOTHING),
        (WebFaultKind::RetryAfter(60), Code::RateLimited, Bill::NOTHING),
        (WebFaultKind::Cap, Code::QuotaExhausted, Bill::NOTHING),
        (WebFaultKind::Garbage, Code::PageUnreachable, Bill::UNKNOWN),
        (WebFaultKind::Html, Code::PageUnreadable, Bill::UNKNOWN),
        (WebFaultKind::Lost, Code::PageUnreachable, Bill::UNKNOWN),
    ] {
        let rig = Rig::start(Some("fc-test"), &[]).await;
        rig.simulator.handle().add_web_fault(WebFault { provider: Provider::Firecrawl, kind, times: 1 });
        let failed = rig.page(URL).await;
        assert_eq!((failed.page.unwrap_err().code, failed.bill), (code, bill), "{kind:?}");
        assert_eq!(rig.bodies().len(), 1, "{kind:?} was repeated");
    }
    let rig = Rig::start(Some("fc-test"), &[]).await;
    let missing = rig.page("http://scripts.example/nothing").await;
    assert_eq!(missing.page.unwrap_err().http_status, Some(404));
}
