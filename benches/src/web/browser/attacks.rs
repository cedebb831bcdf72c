//! Pages in the real Chromium that try to reach this machine in every way a page has: none gets through the browser
//! that Probity renders with; the same pages in a bare Chromium do.

mod attack_servers;
mod pages;

use std::{collections::BTreeSet, net::SocketAddr, path::Path, sync::Arc, time::Duration};

use probity_research::{error::CodedError, time::Moment};
use probity_web::{
    browser::{Browser, RenderLimits, RenderedPage, ResourcePolicy},
    fetch::{AddressGuard, NameResolver, ReachRules},
};
use tokio::runtime::Runtime;

use self::{
    attack_servers::AttackServers,
    pages::{AttackPageNeed, BrowserAttack, FILES, WAYS},
};
use super::chromium;
use crate::{
    figure::{Figure, MeasurementSize},
    output, rig,
};

const NAME: &str = "requests of hostile pages in the real Chromium that reached a canary on this machine";
const GOAL: &str = "0, with every page's script run and a bare Chromium hit by the same pages";
/// Where the attacker's pages are.
const SITE: &str = "attacker.example";
/// A bare Chromium gets so long for a page.
const BARE_MS: u64 = 3000;

/// One page of the attacker's.
struct AttackerPage {
    name: String,
    attempts: usize,
}

/// The question of the fetcher's figure of refused addresses, put to pages that ask by themselves.
pub fn attacks(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let Ok(program) = chromium() else {
        return Ok(vec![Figure::skipped(NAME, GOAL, "Chromium is not installed here")]);
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let world = AttackServers::start(&runtime)?;
    let folder = tempfile::tempdir()?;
    let pages = write_pages(&world, size);
    let limits = RenderLimits { loads: ResourcePolicy::Everything, ..RenderLimits::default() };
    let guarded = Browser::new(program.clone(), folder.path(), Arc::new(guard(world.site)?));

    let quiet = visit(&runtime, &guarded, &world, &limits, &pages);
    let hits = world.hits();
    for hit in &hits {
        output::progress(&format!("reached: {hit}"));
    }
    let reached = hits.len() + file_texts(&runtime, &guarded, &world, &limits);
    world.forget_hits();
    // Quick: the page with most ways on it and the one of datagrams are control enough.
    let controls = pages.get(size.pick(pages.len().saturating_sub(2), 0)..).unwrap_or_default();
    let bare = bare_hits(&program, folder.path(), &world, controls)?;

    let attempts: usize = pages.iter().map(|page| page.attempts).sum();
    let ok = reached == 0 && quiet.is_empty() && !bare.is_empty();
    let scene = format!(
        "{} ways in {} pages at {} spellings of this machine on port {}, and files by file:",
        size.pick(WAYS.len() - left_out(), WAYS.len()),
        pages.len(),
        world.targets("").len(),
        world.canary
    );
    let note = format!("{scene}; {}; {}", silence(&quiet), control(&bare));
    Ok(vec![Figure::judged(NAME, ok, format!("{reached} of {attempts}"), GOAL).with_note(note)])
}

/// Renders every page, two at a time; returns those whose script did not run.
fn visit(
    runtime: &Runtime,
    guarded: &Browser<AddressGuard>,
    world: &AttackServers,
    limits: &RenderLimits,
    pages: &[AttackerPage],
) -> Vec<String> {
    let mut quiet = Vec::new();
    for two in pages.chunks(2) {
        let shown = |page: Option<&AttackerPage>| {
            let url = page.map(|page| address(&page.name));
            async move { Some(guarded.render(&url?, limits, Moment(0)).await) }
        };
        let both = runtime.block_on(async { tokio::join!(shown(two.first()), shown(two.get(1))) });
        for (page, shown) in two.iter().zip([both.0, both.1].into_iter().flatten()) {
            output::progress(&format!("{}: {}", page.name, told(&shown)));
            if !world.ran(&page.name) {
                quiet.push(page.name.clone());
            }
        }
    }
    quiet
}

fn silence(quiet: &[String]) -> String {
    match quiet {
        [] => "every page's script ran".to_owned(),
        pages => format!("scripts did not run on {}", pages.join(", ")),
    }
}

fn control(bare: &BTreeSet<String>) -> String {
    let way = |hit: &String| Some(hit.strip_prefix("/hit/")?.split('/').next()?.to_owned());
    let ways: BTreeSet<String> = bare.iter().filter_map(way).collect();
    let datagrams = if bare.contains("a datagram") { " and by datagrams" } else { "" };
    let count = (bare.len(), ways.len());
    format!(
        "control: in a bare Chromium they reach the canary {} times, by {} ways{datagrams}",
        count.0, count.1
    )
}

/// Ways that the quick size does not go.
fn left_out() -> usize {
    WAYS.iter().filter(|way| way.room == AttackPageNeed::PagePerTarget).count() / 2
}

/// Full: each way on a page of its own. Quick: all that can share one do.
fn write_pages(world: &AttackServers, size: MeasurementSize) -> Vec<AttackerPage> {
    let mut pages = Vec::new();
    let mut alone = |way: &BrowserAttack, name: String, targets: &[String]| {
        world.put(&name, way.head(targets), &way.html(targets));
        pages.push(AttackerPage { name, attempts: targets.len() });
    };
    let of = |room: AttackPageNeed| WAYS.iter().filter(move |way| way.room == room);
    for way in of(AttackPageNeed::PagePerTarget).step_by(size.pick(2, 1)) {
        let targets = world.targets(way.name);
        for (number, target) in targets.iter().enumerate().step_by(targets.len() - 1).take(size.pick(1, 2)) {
            alone(way, format!("{}-{number}", way.name), std::slice::from_ref(target));
        }
    }
    of(AttackPageNeed::Page).for_each(|way| alone(way, way.name.to_owned(), &world.targets(way.name)));
    match size {
        MeasurementSize::Full => of(AttackPageNeed::Shared)
            .for_each(|way| alone(way, way.name.to_owned(), &world.targets(way.name))),
        MeasurementSize::Quick => {
            let ways: Vec<&BrowserAttack> = of(AttackPageNeed::Shared).collect();
            let html: String = ways.iter().map(|way| way.html(&world.targets(way.name))).collect();
            world.put("together", String::new(), &html);
            pages.push(AttackerPage {
                name: "together".to_owned(),
                attempts: ways.len() * world.targets("").len(),
            });
        }
    }
    pages
}

/// Pages that show what is in a file of this machine.
fn file_texts(
    runtime: &Runtime,
    browser: &Browser<AddressGuard>,
    world: &AttackServers,
    limits: &RenderLimits,
) -> usize {
    world.put("files", String::new(), FILES);
    let shown = runtime.block_on(browser.render(&address("files"), limits, Moment(0)));
    output::progress(&format!("files: {}", told(&shown)));
    let text = shown.map(|shown| String::from_utf8_lossy(&shown.html).into_owned()).unwrap_or_default();
    usize::from(text.contains("root:"))
}

/// The same pages in a Chromium that nobody guards.
fn bare_hits(
    program: &Path,
    folder: &Path,
    world: &AttackServers,
    pages: &[AttackerPage],
) -> anyhow::Result<BTreeSet<String>> {
    let names = format!("MAP {SITE}:80 127.0.0.1:{},MAP inside.example 127.0.0.1", world.site.port());
    let open = |page: &AttackerPage| {
        let mut command = rig::command(program);
        command
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
            .arg(format!("--timeout={BARE_MS}"))
            .arg(format!("--host-resolver-rules={names}"))
            .arg(format!("--user-data-dir={}", folder.join(format!("bare-{}", page.name)).display()))
            .arg(address(&page.name))
            .env("HOME", folder);
        rig::run(&mut command, Duration::from_millis(BARE_MS * 5)).map(|_| ())
    };
    for two in pages.chunks(2) {
        let opened: Vec<anyhow::Result<()>> = std::thread::scope(|scope| {
            let started: Vec<_> = two.iter().map(|page| scope.spawn(|| open(page))).collect();
            let ended = |thread: std::thread::ScopedJoinHandle<'_, _>| thread.join().unwrap_or(Ok(()));
            started.into_iter().map(ended).collect()
        });
        opened.into_iter().collect::<anyhow::Result<()>>()?;
    }
    Ok(world.hits())
}

fn guard(site: SocketAddr) -> anyhow::Result<AddressGuard> {
    let reach =
        ReachRules::parse([format!("{SITE}:80={site}")]).map_err(|problem| anyhow::anyhow!("{problem}"))?;
    let lookup = NameResolver::from_fn(|name| Box::pin(async move { Ok(attack_servers::addresses(&name)) }));
    Ok(AddressGuard::new(lookup, reach, Vec::new()))
}

fn address(name: &str) -> String {
    format!("http://{SITE}/{name}")
}

fn told(shown: &Result<RenderedPage, CodedError>) -> String {
    match shown {
        Ok(shown) => format!("{} requests, {} refused", shown.requests, shown.refused),
        Err(problem) => format!("{}: {problem}", problem.code),
    }
}
