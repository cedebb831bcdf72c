//! A real SearXNG on this machine, with the small web as its engine: asked for real, and failing for real.

use std::{
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use anyhow::Context;
use probity_research::{
    error::Code,
    web::{ProviderName, SearchCall, SearchDepth, SearchFilters, SearchReply},
};
use probity_simulator::{Simulator, WebFault, WebFaultKind, web::Provider};
use probity_web::search::{SearchCallError, SearchSettings};

use super::probity_search;
use crate::{figure::Figure, rig};

const NAME: &str = "a real SearXNG asked through our provider";
const GOAL: &str = "hits as its engine gives them, failed engines told, no JSON explained";
const WHY_NOT: &str = "SearXNG is not installed; run crates/probity-simulator/checks/search/install";
/// It starts in four seconds on an idle machine.
const START_MAX: Duration = Duration::from_secs(60);

pub async fn measure(simulator: &Simulator) -> anyhow::Result<Vec<Figure>> {
    let source = rig::repository().join(".tools/searxng/source");
    let python = rig::repository().join(".tools/searxng/python/bin/python");
    if !source.join("searx/webapp.py").exists() || !python.exists() {
        return Ok(vec![Figure::skipped(NAME, GOAL, WHY_NOT)]);
    }
    simulator.handle().with_web(|web, _| web.start_over());
    let folder = tempfile::tempdir()?;
    let start = |name: &str, formats: &str| {
        let settings = folder.path().join(format!("{name}.yml"));
        SearxngInstance::start(&python, &source, settings, formats, simulator.base_url())
    };
    let (with_json, without_json) = (start("json", "html, json")?, start("html", "html")?);
    with_json.wait()?;
    without_json.wait()?;
    let mut wrong = Vec::new();
    let mut check = |what: &str, ok: bool, told: String| {
        if !ok {
            wrong.push(format!("{what}: {told}"));
        }
    };
    let well = ask(&with_json, "price of solar panels", SearchFilters::default()).await?;
    check("hits and the dead engine", well.as_ref().is_ok_and(is_whole), format!("{well:?}"));
    let domains = vec!["other.example".to_owned()];
    let sifted =
        ask(&with_json, "solar panels", SearchFilters { domains, ..SearchFilters::default() }).await?;
    let only = |answer: &SearchReply| urls(answer) == ["http://other.example/solar"];
    check("one domain", sifted.as_ref().is_ok_and(only), format!("{sifted:?}"));
    let nothing = ask(&with_json, "zyzzyva", SearchFilters::default()).await?;
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
    let broken = ask(&with_json, "solar power", SearchFilters::default()).await?;
    check(
        "every engine failed",
        broken.as_ref().is_err_and(|it| failed(it, "no engine answered")),
        format!("{broken:?}"),
    );
    let closed = ask(&without_json, "solar panels", SearchFilters::default()).await?;
    check("no JSON", closed.as_ref().is_err_and(|it| failed(it, "search.formats")), format!("{closed:?}"));
    let measured = format!("{} of 5 as they should be", 5 - wrong.len());
    simulator.handle().with_web(|web, _| web.start_over());
    Ok(vec![Figure::judged(NAME, wrong.is_empty(), measured, GOAL).with_note(wrong.join("; "))])
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
) -> anyhow::Result<Result<SearchReply, SearchCallError>> {
    let settings = SearchSettings::default().with_base(ProviderName::Searxng, instance.base_url());
    let search = probity_search::reaching(&instance.base_url(), settings)?;
    let provider = ProviderName::Searxng;
    let call =
        SearchCall { provider, query: query.to_owned(), max_results: 10, depth: SearchDepth::Basic, filters };
    Ok(search.ask(&call).await)
}

/// A running SearXNG; dropping it ends it.
struct SearxngInstance {
    port: u16,
    log: PathBuf,
    _process: rig::ProcessGroup,
}

impl SearxngInstance {
    fn start(
        python: &Path,
        source: &Path,
        settings: PathBuf,
        formats: &str,
        web: &str,
    ) -> anyhow::Result<Self> {
        let port = free_port()?;
        let closed = free_port()?;
        std::fs::write(&settings, written(port, formats, web, closed))?;
        let log = settings.with_extension("log");
        let file = std::fs::File::create(&log)?;
        let mut command = rig::command(python);
        command
            .args(["-m", "searx.webapp"])
            .current_dir(source)
            .env("SEARXNG_SETTINGS_PATH", &settings)
            .env("SEARXNG_DISABLE_ETC_SETTINGS", "1")
            .stdout(Stdio::null())
            .stderr(file);
        Ok(Self { port, log, _process: rig::ProcessGroup::spawn(&mut command)? })
    }

    fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn wait(&self) -> anyhow::Result<()> {
        let began = rig::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            let log = || std::fs::read_to_string(&self.log).unwrap_or_default();
            anyhow::ensure!(began.elapsed() < START_MAX, "SearXNG does not start: {}", log());
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }
}

/// Free a moment ago; nobody else takes ports of this machine in between but by accident.
fn free_port() -> anyhow::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0").context("no free port")?.local_addr()?.port())
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
