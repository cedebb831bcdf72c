//! Pages made to kill whoever reads them, through the real parser: each costs itself, and the next page is read.
//!
//! Also what a page that has taken over the parsing process can do from inside: nothing.

mod pages;
mod watch;

use std::{ffi::OsString, time::Duration};

use bytes::Bytes;
use probity_extract::{PAGE_TIME_MAX, ParserPool, ParserSettings};
use probity_research::{Code, web::page::MediaKind};

use self::{pages::PageBomb, watch::ChildMemoryWatch};
use crate::{
    figure::{Figure, MeasurementSize},
    rig,
};

/// What one parsing process may hold at its peak.
const WORKER_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Beyond the limit of a page: killing it, and a busy machine.
const SLACK: Duration = Duration::from_secs(5);
const GOOD: &str = "<html><body><article><p>The kettle boils at one hundred degrees at the level of the sea, and \
    earlier on a mountain.</p></article></body></html>";

/// What became of one bomb.
struct ParserBombOutcome {
    name: &'static str,
    took: Duration,
    /// None where the page was read, as far as it can be.
    refused: Option<String>,
    is_right_code: bool,
    next_is_read: bool,
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let program: Vec<OsString> = vec![rig::built("probity")?.into_os_string(), "parse".into()];
    let bombs = pages::bombs(size);
    let watch = ChildMemoryWatch::start();
    let outcomes = runtime.block_on(parse_bombs(&ParserPool::new(ParserSettings::new(program)), bombs));
    let peak = watch.end();
    let mut figures = judged(&outcomes, peak);
    figures.push(control(&runtime)?);
    figures.extend(attacks()?);
    Ok(figures)
}

async fn parse_bombs(parser: &ParserPool, bombs: Vec<PageBomb>) -> Vec<ParserBombOutcome> {
    let mut outcomes = Vec::new();
    for bomb in bombs {
        let began = rig::now();
        let read = parser.extract(bomb.media, "https://bomb.example/", Bytes::from(bomb.bytes)).await;
        let took = began.elapsed();
        let next = parser.extract(MediaKind::Html, "https://good.example/", Bytes::from(GOOD)).await;
        outcomes.push(ParserBombOutcome {
            name: bomb.name,
            took,
            is_right_code: read.as_ref().err().is_none_or(|problem| problem.code == Code::PageUnreadable),
            refused: read.err().map(|problem| problem.message),
            next_is_read: next.is_ok_and(|page| page.text.starts_with("The kettle boils")),
        });
    }
    outcomes
}

fn judged(outcomes: &[ParserBombOutcome], peak: u64) -> Vec<Figure> {
    let slowest = outcomes.iter().max_by_key(|outcome| outcome.took);
    let read = outcomes.iter().filter(|outcome| outcome.refused.is_none()).count();
    let harmed: Vec<&str> = outcomes
        .iter()
        .filter(|outcome| !outcome.next_is_read || !outcome.is_right_code)
        .map(|outcome| outcome.name)
        .collect();
    let late: Vec<&str> = outcomes
        .iter()
        .filter(|outcome| outcome.took > PAGE_TIME_MAX + SLACK)
        .map(|outcome| outcome.name)
        .collect();
    let refused: Vec<String> = outcomes
        .iter()
        .filter_map(|outcome| Some(format!("{}: {}", outcome.name, outcome.refused.as_ref()?)))
        .collect();
    vec![
        Figure::judged(
            "bombs that cost more than their own page",
            harmed.is_empty() && !outcomes.is_empty(),
            format!("{} of {}", harmed.len(), outcomes.len()),
            "0; the next page is read",
        )
        .with_note(format!("{read} were read as far as they go; not read: {}", refused.join("; "))),
        Figure::judged(
            "bombs past the time of a page",
            late.is_empty(),
            slowest.map_or_else(String::new, |slowest| {
                format!("{}; slowest {:.1} s ({})", late.len(), slowest.took.as_secs_f64(), slowest.name)
            }),
            "0; ten seconds each",
        ),
        Figure::judged(
            "memory of the parsing process at its peak",
            peak > 0 && peak <= WORKER_BYTES_MAX,
            format!("{} MiB", peak / 1024 / 1024),
            "at most 256 MiB",
        ),
    ]
}

/// A program that grows without bounds in place of ours: the same watch must see it, and the clock must end it.
fn control(runtime: &tokio::runtime::Runtime) -> anyhow::Result<Figure> {
    // The program itself: a wrapper would look for it in an environment that a parser does not have.
    let itself = "import sys; print(sys.executable)";
    let python = rig::run(rig::command("python3").args(["-c", itself]), SLACK)?.stdout;
    let hog = "import time; held = b'x' * 600000000; time.sleep(60)";
    let program: Vec<OsString> = [python.trim(), "-c", hog].map(OsString::from).to_vec();
    let settings = ParserSettings { page_time_max: Duration::from_secs(8), ..ParserSettings::new(program) };
    let watch = ChildMemoryWatch::start();
    let parser = ParserPool::new(settings);
    let ended = runtime.block_on(parser.extract(MediaKind::Html, "", Bytes::from(GOOD)));
    let peak = watch.end();
    let is_seen = peak > WORKER_BYTES_MAX;
    let is_ended = ended.is_err_and(|problem| problem.message.contains("not read within"));
    Ok(Figure::judged(
        "control: a process without bounds is seen and ended",
        is_seen && is_ended,
        format!("{} MiB, {}", peak / 1024 / 1024, if is_ended { "killed at its time" } else { "not killed" }),
        "over 256 MiB, killed",
    ))
}

/// Every attack from inside the confined process, and the same ones without bounds as a control.
fn attacks() -> anyhow::Result<Vec<Figure>> {
    if !cfg!(target_os = "linux") {
        return Ok(vec![Figure::skipped(
            "attacks from inside the parser",
            "0",
            "only Linux confines the parser",
        )]);
    }
    let probe = rig::built("parser-probe")?;
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.to_string();
    let limit = Duration::from_secs(10);
    let names = rig::run(rig::command(&probe).arg("names"), limit)?.stdout;
    let (mut worked, mut unclear, mut free) = (Vec::new(), Vec::new(), 0);
    for name in names.lines() {
        let ended = rig::run(rig::command(&probe).args([name, &port]).env_clear(), limit)?;
        match ended.status.code() {
            Some(0) => {}
            Some(1) => worked.push(name),
            _ => unclear.push(name),
        }
        let unbound = rig::run(rig::command(&probe).args([&format!("free:{name}"), &port]), limit)?;
        free += usize::from(unbound.status.code() == Some(1));
    }
    let count = names.lines().count();
    anyhow::ensure!(count > 0, "the probe knows no attack");
    Ok(vec![
        Figure::judged(
            "attacks from inside the parsing process that work",
            worked.is_empty() && unclear.is_empty(),
            format!("{} of {count}", worked.len()),
            "0",
        )
        .with_note(format!(
            "files, folders, programs, sockets, signals, threads, limits; unclear: {unclear:?}"
        )),
        Figure::judged(
            "control: the same attacks without bounds that work",
            free * 2 > count,
            format!("{free} of {count}"),
            "most of them",
        ),
    ])
}
