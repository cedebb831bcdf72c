//! Bombs on the wire: every one is asked for at the same time, as a page, as a robots.txt and as an API's answer, by a
//! process whose memory is watched. It stays small, keeps its time limits, and works afterwards.

mod server;

use std::time::Duration;

use anyhow::Context as _;
use probity_research::{
    error::{Code, CodedError},
    time::Moment,
};
use probity_web::fetch::{ApiRequest, FetchLimits, Fetcher, FetcherSettings, ReachRules};
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;

use self::server::{KINDS, WireBombKind};
use crate::{
    figure::{Figure, MeasurementSize},
    output, rig,
};

const MEMORY_MAX_KIB: u64 = 256 * 1024;
/// A busy machine is late by this much; a bomb that is not stopped is late by forever.
const LATE: Duration = Duration::from_secs(3);
/// What a robots.txt may take before its page begins.
const ROBOTS_MAX: Duration = Duration::from_secs(10);
const RUN_MAX: Duration = Duration::from_secs(150);

/// What the bombed process says of itself.
#[derive(Debug, Default, Serialize, Deserialize)]
struct WireBombOutcome {
    bombs: usize,
    peak_kib: u64,
    slowest_ms: u64,
    /// Bombs that were taken for an answer, or ended otherwise than they should.
    wrong: Vec<String>,
    late: Vec<String>,
    works_afterwards: bool,
}

pub(super) fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let server = server::BombServer::start()?;
    let guarded = child(&["bombs", &server.address, size.pick("quick", "full")])?;
    let plain = child(&["bombs", &server.address, "plain"])?;
    let seen = plain.peak_kib > MEMORY_MAX_KIB;
    let kept = guarded.wrong.is_empty()
        && guarded.late.is_empty()
        && guarded.works_afterwards
        && guarded.peak_kib < MEMORY_MAX_KIB;
    let measured = format!(
        "{} bombs at once: peak {} MiB, the slowest ended after {:.1} s of {:.0} s, works afterwards: {}; a plain client: peak {} MiB",
        guarded.bombs,
        guarded.peak_kib / 1024,
        Duration::from_millis(guarded.slowest_ms).as_secs_f64(),
        limits(size).total.as_secs_f64(),
        guarded.works_afterwards,
        plain.peak_kib / 1024,
    );
    let note: Vec<&str> = guarded.wrong.iter().chain(&guarded.late).map(String::as_str).take(8).collect();
    let goal = "below 256 MiB, within the time limits, alive";
    Ok(vec![Figure::judged("bombs on the wire", kept && seen, measured, goal).with_note(note.join(" | "))])
}

fn child(words: &[&str]) -> anyhow::Result<WireBombOutcome> {
    let mut command = rig::command(rig::built("figures")?);
    command.args(["web-worker", "--"]).args(words);
    let finished = rig::run(&mut command, RUN_MAX)?;
    serde_json::from_str(&finished.stdout)
        .with_context(|| format!("the bombed process died: {:?}: {}", finished.status, finished.stderr))
}

fn limits(size: MeasurementSize) -> FetchLimits {
    // All at once: nobody waits for a turn, and memory is at its worst.
    let kept =
        FetchLimits { pause: Duration::ZERO, in_flight_max: 3 * KINDS.len(), ..FetchLimits::default() };
    let short = FetchLimits { first_byte: Duration::from_secs(6), total: Duration::from_secs(8), ..kept };
    size.pick(short, kept)
}

pub(super) fn work(words: &[&str]) -> anyhow::Result<()> {
    let [_, address, mode] = words else { anyhow::bail!("bombs ADDRESS MODE") };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let mut outcome = runtime.block_on(async {
        match *mode {
            "plain" => plain(address).await,
            "full" => bombed(address, MeasurementSize::Full).await,
            _ => bombed(address, MeasurementSize::Quick).await,
        }
    })?;
    outcome.peak_kib = peak_kib()?;
    output::line(&serde_json::to_string(&outcome)?);
    Ok(())
}

/// The control: a client that believes what it is sent.
async fn plain(address: &str) -> anyhow::Result<WireBombOutcome> {
    let client = rig::bare_client()?;
    let answer = client.get(format!("http://{address}/gzip")).send().await?;
    let bytes = answer.bytes().await?;
    Ok(WireBombOutcome { bombs: 1, slowest_ms: bytes.len() as u64, ..WireBombOutcome::default() })
}

/// How a bomb is met.
#[derive(Debug, Clone, Copy)]
enum BombRequestKind {
    Page,
    Robots,
    Call,
}

async fn bombed(address: &str, size: MeasurementSize) -> anyhow::Result<WireBombOutcome> {
    let limits = limits(size);
    let mut settings = FetcherSettings::new(|| Moment(1_790_000_000_000));
    settings.reach = ReachRules::parse([format!("*:80={address}")]).map_err(anyhow::Error::new)?;
    settings.limits = limits;
    let fetcher = std::sync::Arc::new(Fetcher::new(settings).map_err(anyhow::Error::new)?);
    let mut running = JoinSet::new();
    for kind in KINDS {
        for how in [BombRequestKind::Page, BombRequestKind::Robots, BombRequestKind::Call] {
            let fetcher = std::sync::Arc::clone(&fetcher);
            running.spawn(async move {
                let began = rig::now();
                let result = ask(&fetcher, kind, how, limits.total).await;
                (kind, how, result, began.elapsed())
            });
        }
    }
    let mut outcome = WireBombOutcome::default();
    while let Some(done) = running.join_next().await {
        let (kind, how, result, took) = done?;
        outcome.bombs += 1;
        outcome.slowest_ms = outcome.slowest_ms.max(u64::try_from(took.as_millis())?);
        if !is_right(kind, how, &result) {
            outcome.wrong.push(format!("{} as {how:?}: {result:?}", kind.name));
        }
        if took > limits.total + limits.total.min(ROBOTS_MAX) + LATE {
            outcome.late.push(format!("{} as {how:?}: {} ms", kind.name, took.as_millis()));
        }
    }
    outcome.works_afterwards = Box::pin(fetcher.page("http://fine.example/fine")).await.is_ok();
    Ok(outcome)
}

async fn ask(
    fetcher: &Fetcher,
    kind: &WireBombKind,
    how: BombRequestKind,
    total: Duration,
) -> Result<(), CodedError> {
    let name = kind.name;
    match how {
        BombRequestKind::Page => {
            Box::pin(fetcher.page(&format!("http://{name}.example/{name}"))).await.map(drop)
        }
        // The page itself is fine; only its robots.txt is a bomb.
        BombRequestKind::Robots => {
            Box::pin(fetcher.page(&format!("http://robots-{name}.example/fine"))).await.map(drop)
        }
        BombRequestKind::Call => {
            let request = ApiRequest::get(&format!("http://api.example/{name}")).with_time_max(total);
            Box::pin(fetcher.call(request)).await.map(drop).map_err(CodedError::from)
        }
    }
}

/// A bomb is refused, with its name unless its time was up first. As a robots.txt it may also be cut, and the page
/// be read.
fn is_right(kind: &WireBombKind, how: BombRequestKind, result: &Result<(), CodedError>) -> bool {
    match (how, result) {
        (BombRequestKind::Page, Err(problem)) => {
            kind.codes.contains(&problem.code) || problem.code == Code::PageUnreachable
        }
        (BombRequestKind::Page | BombRequestKind::Call, Ok(())) => false,
        (BombRequestKind::Robots, Err(problem)) => {
            matches!(problem.code, Code::PageUnreachable | Code::RobotsRefused)
        }
        (BombRequestKind::Robots, Ok(())) => true,
        (BombRequestKind::Call, Err(problem)) => {
            matches!(problem.code, Code::UnreadableAnswer | Code::Timeout | Code::Network)
        }
    }
}

fn peak_kib() -> anyhow::Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no VmHWM")?;
    line.split_whitespace().next().context("no number")?.parse().context("VmHWM")
}
