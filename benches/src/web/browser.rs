//! The real Chromium renders a page that a script builds, and its text is read; pages that never end, dropped renders
//! and a killed owner leave no process and no folder behind.

mod site;
mod watch;

use std::{
    collections::BTreeSet,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use probity_research::{
    error::{Code, CodedError},
    time::Moment,
    web::page::Provenance,
};
use probity_web::{
    browser::{self, Browser, RenderLimits, RenderedPage, confinement},
    fetch::{AddressGuard, NameResolver, ReachRules},
};
use tokio::runtime::Runtime;

use self::{
    site::{HOSTILE, PARAGRAPHS, sentence},
    watch::{BrowserProcessWatch, BrowserProcesses, members},
};
use super::promises;
use crate::{
    figure::{Figure, MeasurementSize},
    output, rig,
    rounds::supervision::processes,
};

const TEXT: &str = "sentences of a script-built page that come out of the real Chromium as text";
const LEFT: &str = "processes and folders left 5 s after hostile pages, dropped renders and a killed owner";
const TIME: &str = "time to render a script-built page, Chromium's start and end included";
/// A page that never ends may take this long altogether.
const HOSTILE_MAX: Duration = Duration::from_secs(4);
/// A render is over so soon after its time.
const OVER_MAX: Duration = Duration::from_secs(3);
/// What a reader waits for at most: the quiet of the network, which Chromium calls after half a second, is in it.
const TIME_MAX: Duration = Duration::from_secs(3);
/// A gigabyte is the most of one process, and no page fills two; the others have the rest.
const MEMORY_MAX: u64 = 1536 * 1024 * 1024;
const MEMORY: &str = "memory of one Chromium with pages that take all they can";
const MEMORY_GOAL: &str = "at most 1536 MiB";
/// A bare Chromium is past that bound in two seconds.
const BARE_MAX: Duration = Duration::from_secs(30);
const GOAL_LEFT: &str = "0, each render over in time";

/// The real one, where the system has it.
fn chromium() -> Result<PathBuf, CodedError> {
    browser::find(None, "/usr/local/bin:/usr/bin:/bin".as_ref())
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    if chromium().is_err() {
        let skipped = |name| Figure::skipped(name, "measured", "Chromium is not installed here");
        return Ok([TEXT, LEFT, MEMORY, TIME].map(skipped).to_vec());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let site = runtime.block_on(site::start())?;
    let folder = tempfile::tempdir()?;
    let (text, time) = rendering(&runtime, site, &folder.path().join("rendering"), size.pick(2, 20))?;
    let (left, memory) = endings(&runtime, site, &folder.path().join("endings"), size)?;
    let mut figures = promises::browser(size)?;
    figures.extend([text, left, memory, time]);
    Ok(figures)
}

fn opened(site: SocketAddr, folder: &Path) -> anyhow::Result<Browser<AddressGuard>> {
    let reach = ReachRules::parse([format!("page.example:80={site}")])
        .map_err(|problem| anyhow::anyhow!("{problem}"))?;
    let lookup = NameResolver::from_fn(|_| Box::pin(async { Ok(Vec::new()) }));
    let program = chromium().map_err(|problem| anyhow::anyhow!("{problem}"))?;
    Ok(Browser::new(program, folder, Arc::new(AddressGuard::new(lookup, reach, Vec::new()))))
}

fn address(path: &str) -> String {
    format!("http://page.example{path}")
}

fn rendering(
    runtime: &Runtime,
    site: SocketAddr,
    folder: &Path,
    times: usize,
) -> anyhow::Result<(Figure, Figure)> {
    let browser = opened(site, folder)?;
    let limits = RenderLimits::default();
    let watch = BrowserProcessWatch::start(folder);
    let mut durations = Vec::new();
    let mut fewest = PARAGRAPHS;
    for _ in 0..times {
        let (shown, took) =
            rig::timed(|| runtime.block_on(browser.render(&address(site::BUILT), &limits, Moment(0))));
        durations.push(took);
        fewest = fewest.min(sentences(&shown?)?);
    }
    let BrowserProcesses { processes_max, bytes_max, .. } = watch.stop();
    let without = plain(site)?;
    let median = rig::percentile(&mut durations, 0.5);
    let slowest = durations.last().copied().unwrap_or_default();
    let text = Figure::judged(
        TEXT,
        fewest == PARAGRAPHS && without == 0,
        format!("{fewest} of {PARAGRAPHS} in the worst of {times} renders"),
        "all, and none without scripts",
    )
    .with_note(format!("control: the bare page has {without} of them; {}", confinement().sentence()));
    let time = Figure::judged(
        TIME,
        median <= TIME_MAX,
        format!("median {:.2} s, slowest {:.2} s", median.as_secs_f64(), slowest.as_secs_f64()),
        &format!("median at most {} s", TIME_MAX.as_secs()),
    )
    .timing()
    .with_note(format!(
        "{processes_max} processes, together {} MiB at the most (shared pages counted once)",
        bytes_max / 1_048_576
    ));
    Ok((text, time))
}

/// Sentences of the page that the reader of texts finds in what Chromium shows.
fn sentences(shown: &RenderedPage) -> anyhow::Result<usize> {
    anyhow::ensure!(shown.record.provenance == Provenance::Rendered, "{:?}", shown.record);
    let extract = probity_extract::extract(&shown.html, shown.record.media, &shown.record.final_url)?;
    Ok((0..PARAGRAPHS).filter(|number| extract.text.contains(&sentence(*number))).count())
}

/// What is on the page before its script runs.
fn plain(site: SocketAddr) -> anyhow::Result<usize> {
    use std::io::{Read as _, Write as _};
    let mut socket = std::net::TcpStream::connect(site)?;
    // In one piece: the site reads once.
    socket.write_all(format!("GET {} HTTP/1.1\r\nhost: page.example\r\n\r\n", site::BUILT).as_bytes())?;
    let mut text = String::new();
    socket.read_to_string(&mut text)?;
    Ok((0..PARAGRAPHS).filter(|number| text.contains(&sentence(*number))).count())
}

/// What became of the renders that were ended.
#[derive(Debug, Default)]
struct RenderEndingTally {
    endings: usize,
    left: Vec<String>,
    late: Vec<String>,
    processes_max: usize,
    bytes_max: u64,
}

impl RenderEndingTally {
    fn add(&mut self, name: &str, folder: &Path, seen: BrowserProcesses, took: Option<Duration>) {
        self.endings += 1;
        self.processes_max = self.processes_max.max(seen.processes_max);
        self.bytes_max = self.bytes_max.max(seen.bytes_max);
        self.left.extend(leftovers(&seen.groups, folder).into_iter().map(|what| format!("{name}: {what}")));
        if took.is_some_and(|took| took > HOSTILE_MAX + OVER_MAX) {
            self.late.push(format!("{name}: {took:?}"));
        }
    }
}

fn endings(
    runtime: &Runtime,
    site: SocketAddr,
    folder: &Path,
    size: MeasurementSize,
) -> anyhow::Result<(Figure, Figure)> {
    let limits = RenderLimits { whole: HOSTILE_MAX, ..RenderLimits::default() };
    let browser = opened(site, folder)?;
    let mut told = RenderEndingTally::default();
    for (name, _) in HOSTILE.iter().take(size.pick(3, HOSTILE.len())) {
        let watch = BrowserProcessWatch::start(folder);
        let path = address(&format!("/hostile/{name}"));
        let (shown, took) = rig::timed(|| runtime.block_on(browser.render(&path, &limits, Moment(0))));
        output::progress(&format!("{name}: {} after {took:.1?}", ended(&shown)));
        told.add(name, folder, watch.stop(), Some(took));
    }
    for wait in [120, 1500, 30, 400].into_iter().take(size.pick(2, 4)).map(Duration::from_millis) {
        let watch = BrowserProcessWatch::start(folder);
        let path = address("/hostile/loop");
        let dropped = runtime.block_on(async {
            tokio::time::timeout(wait, browser.render(&path, &limits, Moment(0))).await.is_err()
        });
        anyhow::ensure!(dropped, "the render was over before it could be dropped");
        told.add(&format!("dropped after {wait:?}"), folder, watch.stop(), None);
    }
    let swept = killed_owner(site, folder, &mut told)?;
    for line in told.left.iter().chain(&told.late) {
        output::progress(line);
    }
    let ok = told.left.is_empty() && told.late.is_empty() && told.processes_max >= 3 && swept;
    let measured = format!("{} after {} endings, {} late", told.left.len(), told.endings, told.late.len());
    let left = Figure::judged(LEFT, ok, measured, GOAL_LEFT).with_note(format!(
        "control: the same look sees up to {} processes while they live; the folder that a killed owner leaves is {} \
         by the next",
        told.processes_max,
        if swept { "swept" } else { "not swept" }
    ));
    Ok((left, memory(site, &folder.join("bare"), told.bytes_max)?))
}

/// What the worst page took, and what it takes of a Chromium without bounds.
fn memory(site: SocketAddr, folder: &Path, bytes: u64) -> anyhow::Result<Figure> {
    std::fs::create_dir_all(folder)?;
    let program = chromium().map_err(|problem| anyhow::anyhow!("{problem}"))?;
    let watch = BrowserProcessWatch::start(folder);
    let mut command = rig::command(program);
    command
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"])
        .arg(format!("--user-data-dir={}", folder.display()))
        .arg(format!("http://{site}/hostile/buffers"))
        .stderr(std::process::Stdio::null())
        .env("HOME", folder);
    let mut bare = rig::ProcessGroup::spawn(&mut command)?;
    let past = processes::within(BARE_MAX, || watch.so_far().bytes_max > MEMORY_MAX);
    bare.end()?;
    let unbounded = watch.stop().bytes_max;
    let mebibytes = |bytes: u64| format!("{} MiB", bytes / 1_048_576);
    let measured = format!("at most {}", mebibytes(bytes));
    let figure = Figure::judged(MEMORY, bytes > 0 && bytes <= MEMORY_MAX && past, measured, MEMORY_GOAL);
    Ok(figure.with_note(format!(
        "all its processes, shared pages counted once; control: a bare Chromium takes {} of the same page and is stopped",
        mebibytes(unbounded)
    )))
}

fn ended(shown: &Result<RenderedPage, CodedError>) -> String {
    match shown {
        Ok(shown) => format!("{} bytes", shown.html.len()),
        Err(problem) => problem.code.to_string(),
    }
}

/// Processes of the groups and folders of renders that are still there after five seconds.
fn leftovers(groups: &BTreeSet<i32>, folder: &Path) -> Vec<String> {
    let gone = || members(groups).is_empty() && folders(folder) == 0;
    if processes::within(processes::GONE_MAX, gone) {
        return Vec::new();
    }
    let mut left: Vec<String> = members(groups).into_iter().map(processes::words).collect();
    left.extend((0..folders(folder)).map(|_| "a folder".to_owned()));
    left
}

fn folders(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("browser-")).count()
}

/// `kill -9` of the process that renders: Chromium sees its pipe close and ends; the next owner removes the folder.
fn killed_owner(site: SocketAddr, folder: &Path, told: &mut RenderEndingTally) -> anyhow::Result<bool> {
    let folder = folder.join("owner");
    let watch = BrowserProcessWatch::start(&folder);
    let mut command = rig::command(std::env::current_exe()?);
    command.args(["worker", "full", "--", "browser", &site.to_string()]).arg(&folder);
    let mut owner = rig::ProcessGroup::spawn(&mut command)?;
    let lives = processes::within(Duration::from_secs(20), || watch.so_far().processes_max >= 3);
    owner.end()?;
    let seen = watch.stop();
    anyhow::ensure!(lives, "the owner's Chromium was never seen: {seen:?}");
    let groups = seen.groups.clone();
    if !processes::within(processes::GONE_MAX, || members(&groups).is_empty()) {
        told.left.push("killed owner: processes".to_owned());
    }
    told.endings += 1;
    let before = folders(&folder);
    drop(opened(site, &folder)?);
    Ok(before > 0 && folders(&folder) == 0)
}

/// The owner that is killed: renders a page that never ends.
pub fn worker(arguments: &[String]) -> anyhow::Result<()> {
    let [site, folder] = arguments else { anyhow::bail!("no such worker: {arguments:?}") };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let browser = opened(site.parse()?, Path::new(folder))?;
    let limits = RenderLimits {
        quiet_after: Duration::from_secs(60),
        whole: Duration::from_secs(60),
        ..RenderLimits::default()
    };
    let shown = runtime.block_on(browser.render(&address("/hostile/loop"), &limits, Moment(0)));
    anyhow::ensure!(matches!(&shown, Err(problem) if problem.code == Code::Timeout), "{}", ended(&shown));
    Ok(())
}
