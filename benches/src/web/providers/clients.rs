//! The official clients against the simulator: they send what we send, and they read what it answers.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use anyhow::Context;
use probity_research::web::ProviderName;
use probity_simulator::{
    Simulator, WebFault, WebFaultKind,
    web::{Provider, RequestRecord},
};
use serde::Deserialize;

use super::{
    compare,
    probity_search::{self, SearchCase},
};
use crate::{figure::Figure, rig};

const WHY_NOT: &str = "the clients are not installed; run crates/probity-simulator/checks/search/install";
/// Longest run of one script; it takes a few seconds.
const SCRIPT_MAX: Duration = Duration::from_secs(60);
const REQUESTS: &str = "requests of ours against those of the official clients";
const ANSWERS: &str = "answers of the simulator read by the official clients";

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

pub async fn measure(simulator: &Simulator) -> anyhow::Result<Vec<Figure>> {
    let Some(parts) = ClientTools::installed() else {
        return Ok(vec![Figure::skipped(REQUESTS, "no field differs", WHY_NOT)]);
    };
    let cases: Vec<SearchCase> = serde_json::from_str(&std::fs::read_to_string(&parts.cases)?)?;
    let ours = ours(simulator, &cases).await?;
    let theirs = theirs(simulator, &parts, &cases)?;
    let mut figures = vec![requests(&ours, &theirs), answers(&ours, &theirs)];
    figures.push(controls(simulator, &parts, &ours, &theirs)?);
    Ok(figures)
}

/// Our requests and hits, by provider.
async fn ours(
    simulator: &Simulator,
    cases: &[SearchCase],
) -> anyhow::Result<BTreeMap<ProviderName, SearchExchange>> {
    let mut spoken = BTreeMap::new();
    for provider in super::CLIENTS {
        simulator.handle().with_web(|web, _| web.start_over());
        let search = probity_search::search(simulator.base_url())?;
        let mut urls = Vec::new();
        for case in cases {
            let answer = search
                .ask(&case.call(provider))
                .await
                .with_context(|| format!("{provider:?} {}", case.name))?;
            urls.push(Some(answer.hits.into_iter().map(|hit| hit.url).collect()));
        }
        spoken.insert(
            provider,
            SearchExchange { requests: simulator.handle().web_ledger().requests().to_vec(), urls },
        );
    }
    Ok(spoken)
}

/// The same of the official clients, by name.
fn theirs(
    simulator: &Simulator,
    parts: &ClientTools,
    cases: &[SearchCase],
) -> anyhow::Result<BTreeMap<&'static str, SearchExchange>> {
    let mut spoken = BTreeMap::new();
    for script in [ClientScript::Node, ClientScript::Python] {
        simulator.handle().with_web(|web, _| web.start_over());
        let said = parts.run(script, simulator.base_url())?;
        let mut requests = simulator.handle().web_ledger().requests().to_vec().into_iter();
        for (name, _) in CLIENTS {
            let lines: Vec<&ClientCaseResponse> = said.iter().filter(|said| said.client == name).collect();
            if lines.is_empty() {
                continue;
            }
            let matching = lines.iter().zip(cases).all(|(said, case)| said.case == case.name);
            anyhow::ensure!(matching && lines.len() == cases.len(), "{name} answered other cases: {lines:?}");
            let urls = lines.iter().map(|said| said.urls.clone()).collect();
            spoken.insert(
                name,
                SearchExchange { requests: requests.by_ref().take(cases.len()).collect(), urls },
            );
        }
    }
    anyhow::ensure!(spoken.len() == CLIENTS.len(), "only {:?} answered", spoken.keys());
    Ok(spoken)
}

fn requests(
    ours: &BTreeMap<ProviderName, SearchExchange>,
    theirs: &BTreeMap<&'static str, SearchExchange>,
) -> Figure {
    let (mut fields, mut count, mut wrong) = (0, 0, Vec::new());
    for (name, our, their) in pairs(ours, theirs) {
        for (our, their) in our.requests.iter().zip(&their.requests) {
            count += 1;
            fields += compare::fields(our).len();
            wrong
                .extend(compare::differences(our, their).into_iter().map(|words| format!("{name}: {words}")));
        }
    }
    let measured = format!("{} of {fields} fields differ in {count} requests", wrong.len());
    Figure::judged(REQUESTS, wrong.is_empty() && count == 18, measured, "no field differs in 18 requests")
        .with_note(if wrong.is_empty() { VERSIONS.to_owned() } else { wrong.join("; ") })
}

const VERSIONS: &str =
    "@tavily/core 0.7.13, tavily-python 0.8.5, exa-js 2.23.0, @brave/brave-search-mcp-server 2.1.4";

fn answers(
    ours: &BTreeMap<ProviderName, SearchExchange>,
    theirs: &BTreeMap<&'static str, SearchExchange>,
) -> Figure {
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
    let measured = format!("{} of {count} read alike", count - wrong.len());
    Figure::judged(ANSWERS, wrong.is_empty() && count == 18, measured, "18 of 18").with_note(wrong.join("; "))
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
) -> anyhow::Result<Figure> {
    let first = |spoken: Option<&SearchExchange>| spoken.and_then(|spoken| spoken.requests.first()).cloned();
    let tavily = first(ours.get(&ProviderName::Tavily)).context("no request of ours")?;
    let brave = first(ours.get(&ProviderName::Brave)).context("no request of ours")?;
    let their_tavily = first(theirs.get("@tavily/core")).context("no request of theirs")?;
    let their_brave = first(theirs.get("@brave/brave-search-mcp-server")).context("no request of theirs")?;
    let planted = [
        RequestRecord { body: tavily.body.replace("max_results", "maxResults"), ..tavily.clone() },
        RequestRecord { body: tavily.body.replace("basic", "advanced"), ..tavily.clone() },
        RequestRecord { method: "PUT".to_owned(), ..tavily.clone() },
        RequestRecord { headers: vec![("authorization".to_owned(), "tvly-test".to_owned())], ..tavily },
    ];
    let mut seen =
        planted.iter().filter(|request| !compare::differences(request, &their_tavily).is_empty()).count();
    let renamed = RequestRecord { target: brave.target.replace("count=", "limit="), ..brave };
    seen += usize::from(!compare::differences(&renamed, &their_brave).is_empty());
    let faults = [
        (Provider::Tavily, "@tavily/core"),
        (Provider::Exa, "exa-js"),
        (Provider::Brave, "@brave/brave-search-mcp-server"),
    ];
    simulator.handle().with_web(|web, _| web.start_over());
    for (provider, _) in faults {
        simulator.handle().add_web_fault(WebFault { provider, kind: WebFaultKind::Garbage, times: 1 });
    }
    let said = parts.run(ClientScript::Node, simulator.base_url())?;
    let complained = |name: &str| said.iter().any(|said| said.client == name && said.error.is_some());
    seen += faults.iter().filter(|(_, name)| complained(name)).count();
    simulator.handle().with_web(|web, _| web.start_over());
    let goal = "8 of 8 planted differences and unreadable answers seen";
    Ok(Figure::judged("control of the clients' check", seen == 8, format!("{seen} of 8 seen"), goal))
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
        let checks = rig::repository().join("crates/probity-simulator/checks/search");
        let tools = rig::repository().join(".tools/search");
        let parts = Self {
            cases: checks.join("cases.json"),
            node: tools.join("node"),
            python: tools.join("python/bin/python"),
            checks,
        };
        let there = parts.python.exists()
            && parts.node.join("node_modules/exa-js").exists()
            && rig::has_program("node");
        there.then_some(parts)
    }

    fn run(&self, script: ClientScript, base_url: &str) -> anyhow::Result<Vec<ClientCaseResponse>> {
        let mut command = match script {
            ClientScript::Node => rig::command("node"),
            ClientScript::Python => rig::command(&self.python),
        };
        match script {
            ClientScript::Node => {
                command.arg(self.checks.join("clients.mjs")).arg(base_url).arg(&self.cases).arg(&self.node)
            }
            ClientScript::Python => {
                command.arg(self.checks.join("clients.py")).arg(base_url).arg(&self.cases)
            }
        };
        // A key or a proxy of whoever runs this must not reach the clients.
        for name in [
            "TAVILY_API_KEY",
            "EXA_API_KEY",
            "BRAVE_API_KEY",
            "HTTP_PROXY",
            "http_proxy",
            "ALL_PROXY",
            "all_proxy",
        ] {
            command.env_remove(name);
        }
        let finished = rig::run(&mut command, SCRIPT_MAX)?;
        let said: Result<Vec<ClientCaseResponse>, _> =
            finished.stdout.lines().map(serde_json::from_str).collect();
        anyhow::ensure!(finished.status.success(), "{script:?} failed: {}", finished.stderr);
        said.with_context(|| format!("{script:?} said {}", finished.stdout))
    }
}
