//! Pages that scripts build, as Chromium shows them.
//!
//! One Chromium per page, with a folder of its own, no environment and no network but a proxy that asks the
//! guard of the fetcher. Dropping a render ends everything it started. Reads no robots file and keeps no
//! pace: a page is rendered after the fetcher has fetched it, and found that scripts build it. Not available
//! behind a user's proxy: Chromium connects directly.

mod command;
mod confine;
mod driver;
mod find;
mod guard_policy;
mod pipe;
mod profile;
mod proxy;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use probity_types::{
    error::{Code, CodedError},
    time::Moment,
    web::page::{MediaKind, PageRecord, Provenance},
};
use tokio::{process::Child, sync::Semaphore, time::timeout};

use crate::fetch::PageFetch;

pub use self::{
    confine::{BrowserConfinement, confinement},
    find::find,
    proxy::ConnectionPolicy,
};
use self::{
    driver::{ChromiumDriver, NavigationLog, SerialisedPage},
    pipe::ChromiumPipe,
    profile::ChromiumProfile,
    proxy::BrowserProxy,
};

/// Chromiums at a time: each takes three hundred megabytes and a core.
const SIDE_BY_SIDE_MAX: usize = 2;
/// Killing the processes of a group takes milliseconds.
const END_MAX: Duration = Duration::from_secs(5);

/// What a page may load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResourcePolicy {
    /// Documents, scripts, styles and data: everything that text comes from.
    #[default]
    Text,
    /// Images, fonts, audio and video as well.
    Everything,
}

/// The limits of rendering one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RenderLimits {
    /// Until the page is idle; its state at that time is taken.
    pub quiet_after: Duration,
    /// Timeout of everything together, Chromium's start and end included.
    pub whole: Duration,
    /// Over all connections of the page, both ways.
    pub wire_bytes: u64,
    /// Of the rendered page.
    pub html_bytes: usize,
    pub loads: ResourcePolicy,
}

impl Default for RenderLimits {
    fn default() -> Self {
        Self {
            // Applications are idle after two or three seconds; those that poll never are.
            quiet_after: Duration::from_secs(10),
            // Ten for the page, the rest for a busy machine.
            whole: Duration::from_secs(30),
            // Ten times what a large application loads without its images.
            wire_bytes: 32 * 1024 * 1024,
            // As much as the fetcher accepts of a page.
            html_bytes: 8 * 1024 * 1024,
            loads: ResourcePolicy::Text,
        }
    }
}

/// A page as a browser renders it, and what it loaded meanwhile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedPage {
    pub record: PageRecord,
    pub html: Vec<u8>,
    /// Requests that the guard refused.
    pub refused: u32,
    pub requests: u32,
    /// Over the wire, both ways.
    pub wire_bytes: u64,
    /// The page was longer than the limit.
    pub truncated: bool,
}

impl From<RenderedPage> for PageFetch {
    fn from(rendered: RenderedPage) -> Self {
        Self { record: rendered.record, bytes: rendered.html.into() }
    }
}

#[derive(Debug)]
pub struct Browser<G> {
    program: PathBuf,
    /// Where the folders of renders are made.
    directory: PathBuf,
    gate: Arc<G>,
    side_by_side: Semaphore,
}

impl<G: ConnectionPolicy> Browser<G> {
    /// A browser that starts `program` for each page. Removes what a killed Probity left in `directory`.
    pub fn new(program: PathBuf, directory: &Path, gate: Arc<G>) -> Self {
        if let Err(error) = profile::remove_stale(directory) {
            tracing::warn!(%error, "folders of earlier browsers were not removed");
        }
        let side_by_side = Semaphore::new(SIDE_BY_SIDE_MAX);
        Self { program, directory: directory.to_owned(), gate, side_by_side }
    }

    /// The page after its scripts ran. `now` is written into its record.
    #[tracing::instrument(skip_all, fields(url))]
    pub async fn render(
        &self,
        url: &str,
        limits: &RenderLimits,
        now: Moment,
    ) -> Result<RenderedPage, CodedError> {
        let url = self.gate.parse(url)?;
        let closed = |_| CodedError::new(Code::Cancelled, "the browser is closed");
        let _place = self.side_by_side.acquire().await.map_err(closed)?;
        let rendered =
            timeout(limits.whole, Box::pin(self.render_without_timeout(url.as_str(), limits, now)));
        rendered.await.map_err(|_| CodedError::new(Code::Timeout, "the page was not rendered in time"))?
    }

    /// Chromium with a folder and a proxy of its own.
    async fn start_chromium(&self, wire_bytes: u64) -> Result<(ChromiumProcess, BrowserProxy), CodedError> {
        let trouble =
            |error| CodedError::new(Code::PageUnreadable, &format!("Chromium cannot be run: {error}"));
        let profile = ChromiumProfile::make(&self.directory).map_err(trouble)?;
        let password =
            profile::random().and_then(|first| Ok(first + &profile::random()?)).map_err(trouble)?;
        let proxy =
            BrowserProxy::open(Arc::clone(&self.gate), password, wire_bytes).await.map_err(trouble)?;
        let child = command::start(&self.program, &profile, proxy.port()).await.map_err(trouble)?;
        Ok((ChromiumProcess { leader: child.id(), child, profile }, proxy))
    }

    async fn render_without_timeout(
        &self,
        url: &str,
        limits: &RenderLimits,
        now: Moment,
    ) -> Result<RenderedPage, CodedError> {
        let (mut running, proxy) = self.start_chromium(limits.wire_bytes).await?;
        let Some(pipe) = running.pipe() else {
            return Err(CodedError::new(Code::PageUnreadable, "Chromium has no pipes"));
        };
        let mut driver = ChromiumDriver::new(pipe, self.gate.as_ref(), &proxy, limits.loads);
        driver.start().await.map_err(|problem| {
            let words = running.profile.log_tail();
            CodedError::new(problem.code, &format!("{}; {words}", problem.message))
        })?;
        let shown = async {
            driver.visit(url, limits.quiet_after).await?;
            driver.current_page(limits.html_bytes).await
        };
        let shown = shown.await;
        let seen = driver.into_navigation_log();
        running.end().await;
        let shown = shown?;
        is_page(&shown, &seen, &proxy)?;
        Ok(to_rendered_page(url, shown, seen, &proxy, limits, now))
    }
}

/// A response other than success is a problem with its status, as with the fetcher.
fn is_page(shown: &SerialisedPage, seen: &NavigationLog, proxy: &BrowserProxy) -> Result<(), CodedError> {
    if proxy.reached_address(&shown.url).is_none() {
        return Err(CodedError::new(Code::PageUnreachable, "no server answers for the page"));
    }
    match seen.status {
        200..300 => Ok(()),
        status => {
            let message = format!("the page answers {status}");
            Err(CodedError::new(Code::PageUnreachable, &message).with_status(status))
        }
    }
}

fn to_rendered_page(
    url: &str,
    shown: SerialisedPage,
    seen: NavigationLog,
    proxy: &BrowserProxy,
    limits: &RenderLimits,
    now: Moment,
) -> RenderedPage {
    let mut html = shown.html.into_bytes();
    let longer = html.len() > limits.html_bytes;
    html.truncate(limits.html_bytes);
    let redirects = seen.steps.iter().rev().skip(1).rev().cloned().collect();
    let record = PageRecord {
        asked_url: url.to_owned(),
        address: proxy.reached_address(&shown.url).map(|address| address.to_string()),
        final_url: shown.url,
        redirects,
        fetched_at: now,
        status: seen.status,
        headers: seen.headers,
        media: MediaKind::Html,
        bytes: html.len() as u64,
        provenance: Provenance::Rendered,
        revalidated: false,
        overridden: false,
    };
    RenderedPage {
        record,
        html,
        refused: proxy.refusals(),
        requests: seen.requests,
        wire_bytes: limits.wire_bytes.saturating_sub(proxy.bytes_left()),
        truncated: shown.truncated || longer,
    }
}

/// A running Chromium. When dropped, its whole process group is killed and its folder is removed.
#[derive(Debug)]
struct ChromiumProcess {
    child: Child,
    leader: Option<u32>,
    profile: ChromiumProfile,
}

impl ChromiumProcess {
    fn pipe(&mut self) -> Option<ChromiumPipe> {
        Some(ChromiumPipe::new(self.child.stdin.take()?, self.child.stdout.take()?))
    }

    /// Kills all of it and waits for the first process, which the others do not outlive.
    async fn end(mut self) {
        self.leader.into_iter().for_each(command::kill_group);
        if timeout(END_MAX, self.child.wait()).await.is_err() {
            tracing::error!("timeout: Chromium did not end");
        }
        self.leader = None;
    }
}

impl Drop for ChromiumProcess {
    fn drop(&mut self) {
        self.leader.into_iter().for_each(command::kill_group);
    }
}
