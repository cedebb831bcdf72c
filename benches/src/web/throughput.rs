//! Pages per second through everything that guards and checks, against the bare client and the bare parser in the
//! same run; and memory over many pages.

use std::{
    io::{BufRead as _, BufReader},
    process::Stdio,
    sync::Arc,
    time::Duration,
};

use anyhow::Context as _;
use probity_extract::{ParserPool, ParserSettings};
use probity_research::{time::Moment, web::MediaKind};
use probity_web::fetch::{FetchLimits, Fetcher, FetcherSettings, ReachRules};
use tokio::task::JoinSet;

use crate::{
    figure::{Figure, MeasurementSize},
    output, rig,
};

/// Pages at the same time, on both sides.
const AT_ONCE: usize = 8;
/// Hosts that the pages are spread over.
const HOSTS: usize = 40;
/// Pairs of blocks, one of each side, so that a busy moment meets both.
const PAIRS: usize = 5;
/// Noise of an allocator, not growth.
const GROWTH_MAX_MIB: u64 = 16;
const SHARE_MIN: f64 = 0.70;

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let site = PageSite::start()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let sides = Arc::new(ThroughputSides::new(&site.address)?);
        let (share, ours, bare) = Box::pin(compared(&sides, size.pick(150, 1_000))).await?;
        let pages = size.pick(2_000, 50_000);
        let (early, late) = Box::pin(watched(&sides, pages)).await?;
        Ok(figures(share, ours, bare, pages, early, late))
    })
}

fn figures(share: f64, ours: f64, bare: f64, pages: usize, early: u64, late: u64) -> Vec<Figure> {
    let speed = Figure::judged(
        "fetch and extract, against the bare parts",
        share >= SHARE_MIN,
        format!("{:.0} % ({ours:.0} pages/s; bare client and parser {bare:.0})", share * 100.0),
        "at least 70 %",
    )
    .with_note("guarded, robots and pace checked, parsed in a confined process; one machine serves and reads")
    .timing();
    let grown = late.saturating_sub(early) / (1024 * 1024);
    let memory = Figure::judged(
        "memory over many pages",
        grown <= GROWTH_MAX_MIB,
        format!("grows by {grown} MiB over {pages} pages, from {} MiB", early / (1024 * 1024)),
        "flat: at most 16 MiB",
    );
    vec![speed, memory]
}

struct ThroughputSides {
    fetcher: Fetcher,
    parser: ParserPool,
    client: reqwest::Client,
    address: String,
}

impl ThroughputSides {
    fn new(address: &str) -> anyhow::Result<Self> {
        let mut settings = FetcherSettings::new(|| Moment(1_790_000_000_000));
        settings.reach = ReachRules::parse([format!("*:80={address}")]).map_err(anyhow::Error::new)?;
        // No site is spared here: politeness is not what is measured.
        settings.limits =
            FetchLimits { pause: Duration::ZERO, per_host_max: AT_ONCE, ..FetchLimits::default() };
        let program = [rig::built("figures")?.into(), "web-worker".into(), "--".into(), "parse".into()];
        Ok(Self {
            fetcher: Fetcher::new(settings).map_err(anyhow::Error::new)?,
            parser: ParserPool::new(ParserSettings::new(program.to_vec())),
            client: rig::bare_client()?,
            address: address.to_owned(),
        })
    }

    async fn ours(&self, number: usize) -> anyhow::Result<usize> {
        let url = format!("http://host{}.example/page/{number}", number % HOSTS);
        let page = Box::pin(self.fetcher.page(&url)).await.map_err(anyhow::Error::new)?;
        let media = page.record.media;
        let extract = self.parser.extract(media, &page.record.final_url, page.bytes).await;
        Ok(extract.map_err(anyhow::Error::new)?.text.len())
    }

    async fn bare(&self, number: usize) -> anyhow::Result<usize> {
        let url = format!("http://{}/page/{number}", self.address);
        let bytes = self.client.get(&url).send().await?.bytes().await?;
        let extract =
            tokio::task::spawn_blocking(move || probity_extract::extract(&bytes, MediaKind::Html, &url))
                .await?;
        Ok(extract.map_err(anyhow::Error::new)?.text.len())
    }
}

#[derive(Debug, Clone, Copy)]
enum ThroughputSide {
    Ours,
    Bare,
}

/// Pages per second of one block.
async fn block(sides: &Arc<ThroughputSides>, side: ThroughputSide, pages: usize) -> anyhow::Result<f64> {
    let began = rig::now();
    let mut running = JoinSet::new();
    for number in 0..pages {
        if running.len() >= AT_ONCE {
            check(running.join_next().await)?;
        }
        let sides = Arc::clone(sides);
        running.spawn(async move {
            match side {
                ThroughputSide::Ours => sides.ours(number).await,
                ThroughputSide::Bare => sides.bare(number).await,
            }
        });
    }
    while !running.is_empty() {
        check(running.join_next().await)?;
    }
    Ok(pages as f64 / began.elapsed().as_secs_f64())
}

/// Every page must have brought its text: speed without it counts nothing.
fn check(done: Option<Result<anyhow::Result<usize>, tokio::task::JoinError>>) -> anyhow::Result<()> {
    let length = done.context("no page")???;
    anyhow::ensure!(length > 10_000, "a page came with {length} bytes of text only");
    Ok(())
}

async fn compared(sides: &Arc<ThroughputSides>, pages: usize) -> anyhow::Result<(f64, f64, f64)> {
    for side in [ThroughputSide::Ours, ThroughputSide::Bare] {
        block(sides, side, pages / 5).await?;
    }
    let mut rates = Vec::new();
    for _ in 0..PAIRS {
        let ours = block(sides, ThroughputSide::Ours, pages).await?;
        rates.push((ours, block(sides, ThroughputSide::Bare, pages).await?));
    }
    rates.sort_by(|left, right| (left.0 / left.1).total_cmp(&(right.0 / right.1)));
    let (ours, bare) = rates.get(PAIRS / 2).copied().context("no rates")?;
    Ok((ours / bare, ours, bare))
}

/// Resident memory of this process after the first tenth and at the end.
async fn watched(sides: &Arc<ThroughputSides>, pages: usize) -> anyhow::Result<(u64, u64)> {
    block(sides, ThroughputSide::Ours, pages / 10).await?;
    let early = rig::used(std::process::id())?.resident_bytes;
    block(sides, ThroughputSide::Ours, pages - pages / 10).await?;
    Ok((early, rig::used(std::process::id())?.resident_bytes))
}

/// The pages, served by a process of their own.
struct PageSite {
    _group: rig::ProcessGroup,
    address: String,
}

impl PageSite {
    fn start() -> anyhow::Result<Self> {
        let mut command = rig::command(rig::built("figures")?);
        command.args(["web-worker", "--", "pages"]).stdout(Stdio::piped());
        let mut group = rig::ProcessGroup::spawn(&mut command)?;
        let stdout = group.child.stdout.take().context("the site has no stdout")?;
        let mut address = String::new();
        BufReader::new(stdout).read_line(&mut address)?;
        Ok(Self { _group: group, address: address.trim().to_owned() })
    }
}

/// Serves pages until it is killed.
pub(super) fn serve() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let page = |axum::extract::Path(number): axum::extract::Path<usize>| async move {
            axum::response::Html(html(number))
        };
        let routes = axum::Router::new().route("/page/{number}", axum::routing::get(page));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        output::line(&listener.local_addr()?.to_string());
        Ok(axum::serve(listener, routes).await?)
    })
}

/// The parsing process.
pub(super) fn parse() -> anyhow::Result<()> {
    Ok(probity_extract::serve(std::io::stdin(), std::io::stdout())?)
}

/// An article of about 30 kB with what surrounds articles, a little different for each number.
fn html(number: usize) -> String {
    let links: String =
        (0..40).map(|link| format!("<li><a href=\"/page/{link}\">Chapter {link}</a></li>")).collect();
    let paragraphs: String = (0..60)
        .map(|paragraph| {
            let sentence = format!(
                "In the year {} the survey of site {number} counted {} birds on the northern shore, more than in any winter before, and the keepers wrote down where each flock had slept. ",
                1900 + paragraph,
                paragraph * 37 + number
            );
            format!("<p>{}</p>\n", sentence.repeat(2))
        })
        .collect();
    format!(
        "<!doctype html><html lang=en><head><title>Survey {number}</title><meta charset=utf-8><style>p {{ margin: 0 }}</style></head><body><nav><ul>{links}</ul></nav><main><article><h1>Survey {number}</h1>{paragraphs}</article></main><footer>All rights reserved</footer></body></html>"
    )
}
