//! A real SearXNG on this machine, with the small web as its engine: asked for real, and failing for real. And what
//! failed searches of every provider cost.
#![expect(clippy::disallowed_methods, reason = "SearXNG is a program of its own that takes its time")]

use std::{
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use probity_simulator::{Simulator, SimulatorOptions, WebFault, WebFaultKind, web::Provider};
use probity_types::{
    error::Code,
    web::{Bill, BillBasis, ProviderName, SearchCall, SearchDepth, SearchFilters, SearchReply},
};
use probity_web::search::{SearchCallError, SearchSettings};

use super::search_clients::{reaching, repository, search, small_web};

const WHY_NOT: &str = "SearXNG is not installed; run crates/probity-simulator/checks/search/install";
/// It starts in four seconds on an idle machine.
const START_MAX: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_searxng_is_asked_and_understood() {
    let source = repository().join(".tools/searxng/source");
    let python = repository().join(".tools/searxng/python/bin/python");
    if !source.join("searx/webapp.py").exists() || !python.exists() {
        eprintln!("figure: searxng skipped: {WHY_NOT}");
        return;
    }
    let simulator = Simulator::start(SimulatorOptions::default()).await.unwrap();
    simulator.handle().set_web(small_web());
    let folder = tempfile::tempdir().unwrap();
    let start = |name: &str, formats: &str| {
        let settings = folder.path().join(format!("{name}.yml"));
        SearxngInstance::start(&python, &source, settings, formats, simulator.base_url())
    };
    let (with_json, without_json) = (start("json", "html, json"), start("html", "html"));
    with_json.wait();
    without_json.wait();
    let mut wrong = Vec::new();
    let mut check = |what: &str, ok: bool, told: String| {
        if !ok {
            wrong.push(format!("{what}: {told}"));
        }
    };
    let well = ask(&with_json, "price of solar panels", SearchFilters::default()).await;
    check("hits and the dead engine", well.as_ref().is_ok_and(is_whole), format!("{well:?}"));
    let domains = vec!["other.example".to_owned()];
    let sifted = ask(&with_json, "solar panels", SearchFilters { domains, ..SearchFilters::default() }).await;
    let only = |answer: &SearchReply| urls(answer) == ["http://other.example/solar"];
    check("one domain", sifted.as_ref().is_ok_and(only), format!("{sifted:?}"));
    let nothing = ask(&with_json, "zyzzyva", SearchFilters::default()).await;
    let failed = |failure: &SearchCallError, word: &str| {
        failure.problem.code == Code::SearchFailed && failure.problem.message.contains(word)
    };
    // Nothing found while one engine is dead: nobody can say that there is nothing.
    check(
        "nothing, with a dead engine",
        nothing.as_ref().is_err_and(|it| failed(it, "dead engine")),
        format!("{nothing:?}"),
    );
    simulator.handle().add_web_fault(WebFault {
        provider: Provider::Searxng,
        kind: WebFaultKind::Status(503),
        times: 1,
    });
    let broken = ask(&with_json, "solar power", SearchFilters::default()).await;
    check(
        "every engine failed",
        broken.as_ref().is_err_and(|it| failed(it, "no engine answered")),
        format!("{broken:?}"),
    );
    let closed = ask(&without_json, "solar panels", SearchFilters::default()).await;
    check("no JSON", closed.as_ref().is_err_and(|it| failed(it, "search.formats")), format!("{closed:?}"));
    eprintln!("figure: searxng {} of 5 as they should be", 5 - wrong.len());
    assert_eq!(wrong, Vec::<String>::new());
}

fn is_whole(answer: &SearchReply) -> bool {
    let expected =
        ["http://energy.example/solar", "http://ads.energy.example/buy", "http://other.example/solar"];
    urls(answer) == expected && answer.silent_engines.iter().any(|engine| engine.starts_with("dead engine"))
}

fn urls(answer: &SearchReply) -> Vec<&str> {
    answer.hits.iter().map(|hit| hit.url.as_str()).collect()
}

async fn ask(
    instance: &SearxngInstance,
    query: &str,
    filters: SearchFilters,
) -> Result<SearchReply, SearchCallError> {
    let settings = SearchSettings::default().with_base(ProviderName::Searxng, instance.base_url());
    let search = reaching(&instance.base_url(), settings);
    let provider = ProviderName::Searxng;
    let call =
        SearchCall { provider, query: query.to_owned(), max_results: 10, depth: SearchDepth::Basic, filters };
    search.ask(&call).await
}

/// A running SearXNG; dropping it ends it.
struct SearxngInstance {
    port: u16,
    log: PathBuf,
    process: Child,
}

impl SearxngInstance {
    fn start(python: &Path, source: &Path, settings: PathBuf, formats: &str, web: &str) -> Self {
        let (port, closed) = (free_port(), free_port());
        std::fs::write(&settings, written(port, formats, web, closed)).unwrap();
        let log = settings.with_extension("log");
        let file = std::fs::File::create(&log).unwrap();
        let mut command = Command::new(python);
        command
            .args(["-m", "searx.webapp"])
            .current_dir(source)
            .env("SEARXNG_SETTINGS_PATH", &settings)
            .env("SEARXNG_DISABLE_ETC_SETTINGS", "1")
            .stdout(Stdio::null())
            .stderr(file);
        Self { port, log, process: command.spawn().unwrap() }
    }

    fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn wait(&self) {
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            let log = || std::fs::read_to_string(&self.log).unwrap_or_default();
            assert!(began.elapsed() < START_MAX, "SearXNG does not start: {}", log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for SearxngInstance {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// Free a moment ago; nobody else takes ports of this machine in between but by accident.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Settings with two engines: the small web, and one where nobody listens.
fn written(port: u16, formats: &str, web: &str, closed: u16) -> String {
    let engine = |name: &str, shortcut: &str, base: &str| {
        format!(
            "  - name: {name}\n    engine: json_engine\n    shortcut: {shortcut}\n    categories: [general]\n    \
             enable_http: true\n    paging: false\n    \
             search_url: {base}/search-api/searxng/search?q={{query}}&format=json\n    results_query: results\n    \
             url_query: url\n    title_query: title\n    content_query: content\n"
        )
    };
    format!(
        "use_default_settings:\n  engines:\n    keep_only: []\nsearch: {{formats: [{formats}]}}\n\
         server: {{bind_address: \"127.0.0.1\", port: {port}, limiter: false, secret_key: \"only for this check\"}}\n\
         outgoing: {{request_timeout: 10.0}}\nengines:\n{}{}",
        engine("small web", "sw", web),
        engine("dead engine", "de", &format!("http://127.0.0.1:{closed}"))
    )
}

const FAULTS: [WebFaultKind; 9] = [
    WebFaultKind::Status(400),
    WebFaultKind::Status(401),
    WebFaultKind::Status(500),
    WebFaultKind::RetryAfter(30),
    WebFaultKind::Cap,
    WebFaultKind::Garbage,
    WebFaultKind::Html,
    WebFaultKind::Lost,
    WebFaultKind::Drop,
];

/// Every provider with every fault: nothing is sent twice, and a bill of nothing is said only where nobody pays.
#[tokio::test]
async fn a_failed_search_is_sent_once_and_billed_truly() {
    let simulator = Simulator::start(SimulatorOptions::default()).await.unwrap();
    simulator.handle().set_web(small_web());
    let (mut trials, mut wrong) = (0, Vec::new());
    for provider in Provider::ALL.iter().copied() {
        for kind in FAULTS {
            trials += 1;
            if let Some(words) = trial(&simulator, provider, kind).await {
                wrong.push(format!("{} {kind:?}: {words}", provider.as_str()));
            }
        }
    }
    eprintln!("figure: bills {} of {trials} searches told wrongly or sent twice", wrong.len());
    assert_eq!(wrong, Vec::<String>::new());
    // Planted wrong bills and repetitions are seen.
    let planted = [(Bill::NOTHING, 8_000, 1), (Bill::UNKNOWN, 8_000, 2), (Bill::UNKNOWN, 0, 0)];
    let seen = planted.iter().filter(|(bill, charged, requests)| judge(bill, *charged, *requests).is_some());
    let seen = seen.count();
    eprintln!("figure: bills.control {seen} of 3 seen");
    let honest = judge(&Bill::UNKNOWN, 8_000, 1).is_none() && judge(&Bill::NOTHING, 0, 1).is_none();
    assert!(seen == 3 && honest);
}

/// What is wrong with one failed search, if anything is.
async fn trial(simulator: &Simulator, provider: Provider, kind: WebFaultKind) -> Option<String> {
    let handle = simulator.handle();
    handle.with_web(|web, _| web.start_over());
    handle.add_web_fault(WebFault { provider, kind, times: 1 });
    let name = ProviderName::parse(provider.as_str()).unwrap();
    let call = SearchCall {
        provider: name,
        query: "solar panels".to_owned(),
        max_results: 5,
        depth: SearchDepth::Basic,
        filters: SearchFilters::default(),
    };
    // A search of its own: pauses between calls are not what is measured here.
    let outcome = search(simulator.base_url()).ask(&call).await;
    let ledger = handle.web_ledger();
    let Err(failure) = outcome else { return Some("is told as an answer".to_owned()) };
    judge(&failure.bill, ledger.charged_micro_usd(), ledger.requests().len())
}

fn judge(bill: &Bill, charged_micro_usd: u64, requests: usize) -> Option<String> {
    match (requests, charged_micro_usd, bill.basis) {
        (1, 1.., BillBasis::Nothing) => Some("somebody paid and the bill says nobody".to_owned()),
        (1, ..) => None,
        (requests, ..) => Some(format!("{requests} requests")),
    }
}
