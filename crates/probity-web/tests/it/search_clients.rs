//! The official clients of search providers against the simulator: they send what we send, and they read what it
//! answers. Skipped where they are not installed.
#![expect(clippy::disallowed_methods, reason = "the clients are programs of their own")]

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use probity_simulator::{
    Simulator, SimulatorOptions, SmallWeb, SmallWebPage, WebFault, WebFaultKind,
    web::{Provider, RequestRecord},
};
use probity_types::{
    time::Moment,
    web::{ProviderName, SearchCall, SearchDepth, SearchFilters},
};
use probity_web::{
    fetch::{Fetcher, FetcherSettings, ReachRules},
    search::{SearchClient, SearchSettings},
};
use serde::Deserialize;
use serde_json::Value;

const WHY_NOT: &str = "the clients are not installed; run crates/probity-simulator/checks/search/install";

pub(super) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What the providers find.
pub(super) fn small_web() -> SmallWeb {
    let page = |url: &str, title: &str, text: &str, date: &str| {
        SmallWebPage::new(url, title, text).published(date).in_language("en")
    };
    SmallWeb::new()
        .with(page(
            "http://energy.example/solar",
            "Solar panels in 2025",
            "The price of solar panels fell.",
            "2025-03-01",
        ))
        .with(page(
            "http://ads.energy.example/buy",
            "Buy solar panels",
            "Best price of solar panels!",
            "2025-04-01",
        ))
        .with(page("http://other.example/solar", "Solar panels elsewhere", "Panels of 2024.", "2024-03-01"))
        .with(page("http://other.example/fish", "Fish", "Nothing about energy.", "2025-03-01"))
}

/// Which of our providers a client stands for.
const CLIENTS: [(&str, ProviderName); 6] = [
    ("@tavily/core", ProviderName::Tavily),
    ("tavily-python", ProviderName::Tavily),
    ("@tavily/core keyless", ProviderName::TavilyKeyless),
    ("tavily-python keyless", ProviderName::TavilyKeyless),
    ("exa-js", ProviderName::Exa),
    ("@brave/brave-search-mcp-server", ProviderName::Brave),
];

/// What a client said of one case.
#[derive(Debug, Deserialize)]
struct ClientCaseResponse {
    client: String,
    case: String,
    urls: Option<Vec<String>>,
    error: Option<String>,
}

/// What one party sent and read, case by case.
struct SearchExchange {
    requests: Vec<RequestRecord>,
    urls: Vec<Option<Vec<String>>>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn we_ask_what_the_official_clients_ask() {
    let Some(parts) = ClientTools::installed() else {
        for key in ["requests", "answers", "controls"] {
            eprintln!("figure: clients.{key} skipped: {WHY_NOT}");
        }
        return;
    };
    let simulator = Simulator::start(SimulatorOptions::default()).await.unwrap();
    simulator.handle().set_web(small_web());
    let cases: Vec<SearchCase> =
        serde_json::from_str(&std::fs::read_to_string(&parts.cases).unwrap()).unwrap();
    let ours = ours(&simulator, &cases).await;
    let theirs = theirs(&simulator, &parts, &cases);
    requests(&ours, &theirs);
    answers(&ours, &theirs);
    controls(&simulator, &parts, &ours, &theirs);
}

/// Our requests and hits, by provider.
async fn ours(simulator: &Simulator, cases: &[SearchCase]) -> BTreeMap<ProviderName, SearchExchange> {
    let mut spoken = BTreeMap::new();
    for (_, provider) in CLIENTS {
        simulator.handle().with_web(|web, _| web.start_over());
        let search = search(simulator.base_url());
        let mut urls = Vec::new();
        for case in cases {
            let answer = search.ask(&case.call(provider)).await.unwrap();
            urls.push(Some(answer.hits.into_iter().map(|hit| hit.url).collect()));
        }
        spoken.insert(
            provider,
            SearchExchange { requests: simulator.handle().web_ledger().requests().to_vec(), urls },
        );
    }
    spoken
}

/// The same of the official clients, by name.
fn theirs(
    simulator: &Simulator,
    parts: &ClientTools,
    cases: &[SearchCase],
) -> BTreeMap<&'static str, SearchExchange> {
    let mut spoken = BTreeMap::new();
    for script in [ClientScript::Node, ClientScript::Python] {
        simulator.handle().with_web(|web, _| web.start_over());
        let said = parts.run(script, simulator.base_url());
        let mut requests = simulator.handle().web_ledger().requests().to_vec().into_iter();
        for (name, _) in CLIENTS {
            let lines: Vec<&ClientCaseResponse> = said.iter().filter(|said| said.client == name).collect();
            if lines.is_empty() {
                continue;
            }
            let matching = lines.iter().zip(cases).all(|(said, case)| said.case == case.name);
            assert!(matching && lines.len() == cases.len(), "{name} answered other cases: {lines:?}");
            let urls = lines.iter().map(|said| said.urls.clone()).collect();
            spoken.insert(
                name,
                SearchExchange { requests: requests.by_ref().take(cases.len()).collect(), urls },
            );
        }
    }
    assert_eq!(spoken.len(), CLIENTS.len(), "only {:?} answered", spoken.keys());
    spoken
}

fn requests(ours: &BTreeMap<ProviderName, SearchExchange>, theirs: &BTreeMap<&'static str, SearchExchange>) {
    let (mut field_count, mut count, mut wrong) = (0, 0, Vec::new());
    for (name, our, their) in pairs(ours, theirs) {
        for (our, their) in our.requests.iter().zip(&their.requests) {
            count += 1;
            field_count += fields(our).len();
            wrong.extend(differences(our, their).into_iter().map(|words| format!("{name}: {words}")));
        }
    }
    eprintln!("figure: clients.requests {} of {field_count} fields differ in {count} requests", wrong.len());
    eprintln!("figure: clients.requests.note {VERSIONS}");
    assert_eq!((count, wrong), (18, Vec::new()));
}

const VERSIONS: &str =
    "@tavily/core 0.7.13, tavily-python 0.8.5, exa-js 2.23.0, @brave/brave-search-mcp-server 2.1.4";

fn answers(ours: &BTreeMap<ProviderName, SearchExchange>, theirs: &BTreeMap<&'static str, SearchExchange>) {
    let (mut count, mut wrong) = (0, Vec::new());
    for (name, our, their) in pairs(ours, theirs) {
        for (our, their) in our.urls.iter().zip(&their.urls) {
            count += 1;
            let found = our.as_ref().is_some_and(|urls| !urls.is_empty());
            if our != their || !found {
                wrong.push(format!("{name}: {their:?} instead of {our:?}"));
            }
        }
    }
    eprintln!("figure: clients.answers {} of {count} read alike", count - wrong.len());
    assert_eq!((count, wrong), (18, Vec::new()));
}

fn pairs<'spoken>(
    ours: &'spoken BTreeMap<ProviderName, SearchExchange>,
    theirs: &'spoken BTreeMap<&'static str, SearchExchange>,
) -> impl Iterator<Item = (&'static str, &'spoken SearchExchange, &'spoken SearchExchange)> {
    CLIENTS.iter().filter_map(|(name, provider)| Some((*name, ours.get(provider)?, theirs.get(name)?)))
}

/// Planted differences and an unreadable answer: the checks above must see them.
fn controls(
    simulator: &Simulator,
    parts: &ClientTools,
    ours: &BTreeMap<ProviderName, SearchExchange>,
    theirs: &BTreeMap<&'static str, SearchExchange>,
) {
    let tavily = ours[&ProviderName::Tavily].requests[0].clone();
    let brave = ours[&ProviderName::Brave].requests[0].clone();
    let their_tavily = theirs["@tavily/core"].requests[0].clone();
    let their_brave = theirs["@brave/brave-search-mcp-server"].requests[0].clone();
    let planted = [
        RequestRecord { body: tavily.body.replace("max_results", "maxResults"), ..tavily.clone() },
        RequestRecord { body: tavily.body.replace("basic", "advanced"), ..tavily.clone() },
        RequestRecord { method: "PUT".to_owned(), ..tavily.clone() },
        RequestRecord { headers: vec![("authorization".to_owned(), "tvly-test".to_owned())], ..tavily },
    ];
    let mut seen = planted.iter().filter(|request| !differences(request, &their_tavily).is_empty()).count();
    let renamed = RequestRecord { target: brave.target.replace("count=", "limit="), ..brave };
    seen += usize::from(!differences(&renamed, &their_brave).is_empty());
    let faults = [
        (Provider::Tavily, "@tavily/core"),
        (Provider::Exa, "exa-js"),
        (Provider::Brave, "@brave/brave-search-mcp-server"),
    ];
    simulator.handle().with_web(|web, _| web.start_over());
    for (provider, _) in faults {
        simulator.handle().add_web_fault(WebFault { provider, kind: WebFaultKind::Garbage, times: 1 });
    }
    let said = parts.run(ClientScript::Node, simulator.base_url());
    let complained = |name: &str| said.iter().any(|said| said.client == name && said.error.is_some());
    seen += faults.iter().filter(|(_, name)| complained(name)).count();
    eprintln!("figure: clients.controls {seen} of 8 seen");
    assert_eq!(seen, 8);
}

#[derive(Debug, Clone, Copy)]
enum ClientScript {
    Node,
    Python,
}

struct ClientTools {
    checks: PathBuf,
    cases: PathBuf,
    node: PathBuf,
    python: PathBuf,
}

impl ClientTools {
    fn installed() -> Option<Self> {
        let checks = repository().join("crates/probity-simulator/checks/search");
        let tools = repository().join(".tools/search");
        let parts = Self {
            cases: checks.join("cases.json"),
            node: tools.join("node"),
            python: tools.join("python/bin/python"),
            checks,
        };
        let there = parts.python.exists() && parts.node.join("node_modules/exa-js").exists();
        there.then_some(parts)
    }

    fn run(&self, script: ClientScript, base_url: &str) -> Vec<ClientCaseResponse> {
        let mut command = match script {
            ClientScript::Node => Command::new("node"),
            ClientScript::Python => Command::new(&self.python),
        };
        match script {
            ClientScript::Node => command.arg(self.checks.join("clients.mjs")),
            ClientScript::Python => command.arg(self.checks.join("clients.py")),
        };
        command.arg(base_url).arg(&self.cases);
        if matches!(script, ClientScript::Node) {
            command.arg(&self.node);
        }
        // A key or a proxy of whoever runs this must not reach the clients.
        for name in
            "TAVILY_API_KEY EXA_API_KEY BRAVE_API_KEY HTTP_PROXY http_proxy ALL_PROXY all_proxy".split(' ')
        {
            command.env_remove(name);
        }
        let finished = command.output().unwrap();
        let (stdout, stderr) =
            (String::from_utf8_lossy(&finished.stdout), String::from_utf8_lossy(&finished.stderr));
        assert!(finished.status.success(), "{script:?} failed: {stderr}");
        let said: Result<_, _> = stdout.lines().map(serde_json::from_str).collect();
        said.unwrap_or_else(|error| panic!("{script:?}: {error}: {stdout}"))
    }
}

/// Headers that carry meaning; the others name the client.
const HEADERS: [&str; 5] =
    ["authorization", "x-api-key", "x-subscription-token", "x-tavily-access-mode", "content-type"];

/// What a request says, field by field.
fn fields(request: &RequestRecord) -> BTreeMap<String, String> {
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    let mut fields =
        BTreeMap::from([("method".to_owned(), request.method.clone()), ("path".to_owned(), path.to_owned())]);
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        fields.insert(format!("?{name}"), value.to_owned());
    }
    let headers = request.headers.iter().filter(|(name, _)| HEADERS.contains(&name.as_str()));
    fields.extend(headers.map(|(name, value)| (format!("{name}:"), value.clone())));
    let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
    for (name, value) in body.as_object().into_iter().flatten() {
        fields.insert(format!(".{name}"), value.to_string());
    }
    fields
}

/// The fields of ours that theirs does not say, or says otherwise.
fn differences(ours: &RequestRecord, theirs: &RequestRecord) -> Vec<String> {
    let theirs = fields(theirs);
    fields(ours)
        .into_iter()
        .filter(|(name, value)| theirs.get(name) != Some(value))
        .map(|(name, value)| format!("{name} is {value}, theirs is {:?}", theirs.get(&name)))
        .collect()
}

/// One case of `checks/search/cases.json`.
#[derive(Debug, Clone, Deserialize)]
struct SearchCase {
    name: String,
    query: String,
    count: u32,
    advanced: bool,
    after: Option<String>,
    before: Option<String>,
    domain: Option<String>,
    domain_excluded: Option<String>,
    language: Option<String>,
}

impl SearchCase {
    fn call(&self, provider: ProviderName) -> SearchCall {
        SearchCall {
            provider,
            query: self.query.clone(),
            max_results: self.count,
            depth: if self.advanced { SearchDepth::Advanced } else { SearchDepth::Basic },
            filters: SearchFilters {
                after: self.after.clone(),
                before: self.before.clone(),
                domains: self.domain.iter().cloned().collect(),
                domains_excluded: self.domain_excluded.iter().cloned().collect(),
                languages: self.language.iter().cloned().collect(),
            },
        }
    }
}

/// A search with the keys that the clients have; every provider is at the simulator.
pub(super) fn search(base_url: &str) -> SearchClient {
    let mut settings = SearchSettings::default()
        .with_key(ProviderName::Tavily, "tvly-test")
        .with_key(ProviderName::Brave, "brave-test")
        .with_key(ProviderName::Exa, "exa-test");
    for provider in Provider::ALL.iter().copied() {
        let name = ProviderName::parse(provider.as_str()).expect("a provider that only the simulator knows");
        settings = settings.with_base(name, provider.base_url(base_url));
    }
    reaching(base_url, settings)
}

/// A search that may reach this address of this machine.
pub(super) fn reaching(base_url: &str, settings: SearchSettings) -> SearchClient {
    let host = base_url.trim_start_matches("http://");
    let reach = ReachRules::parse([format!("{host}={host}")]).unwrap();
    let settings_of = FetcherSettings { reach, ..FetcherSettings::new(|| Moment(1_794_657_600_000)) };
    SearchClient::new(Arc::new(Fetcher::new(settings_of).unwrap()), settings)
}
