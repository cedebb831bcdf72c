//! One page: fetched, or its copy from an archive, or as a browser shows it, or as a page service returns it; then its
//! readable text.

use std::path::Path;

use bytes::Bytes;
use probity_models::Transport;
use probity_research::{
    error::{Code, CodedError},
    web::{
        Bill,
        page::{MediaKind, PageRecord, Provenance},
        plan::WebPlan,
        task::{FetchedPage, WebTaskOutput},
    },
};
use probity_web::{
    archive::is_gone,
    browser::RenderLimits,
    fetch::PageFetch,
    local::{LocalFolder, LocalLimits},
    page_service::{PageService, ServicePage, is_worth_asking},
};

use super::WebEngine;

/// A page with less text than this is most likely one that scripts fill.
const TEXT_BYTES_EXPECTED: usize = 400;

/// A page of the web that most likely has more text than was found.
fn is_thin(page: &FetchedPage) -> bool {
    let is_read_as_sent = match page.record.provenance {
        Provenance::Direct | Provenance::Proxy => true,
        Provenance::Archive(_) | Provenance::Rendered | Provenance::LocalFile | Provenance::Service(_) => {
            false
        }
    };
    is_read_as_sent && page.record.media == MediaKind::Html && page.extract.text.len() < TEXT_BYTES_EXPECTED
}

/// Whether another way to the page is worth paying for.
fn is_lacking(read: &Result<FetchedPage, CodedError>) -> bool {
    match read {
        Ok(page) => is_thin(page),
        Err(problem) => is_worth_asking(problem),
    }
}

impl<T: Transport> WebEngine<T> {
    pub(super) async fn page(
        &self,
        plan: &WebPlan,
        url: &str,
        render: bool,
        service: bool,
    ) -> (WebTaskOutput, Bill) {
        let read = Box::pin(self.read(plan, url, render)).await;
        let (read, bill) = match &self.page_service {
            Some(asked) if service && is_lacking(&read) => Box::pin(self.ask_service(asked, url, read)).await,
            Some(_) | None => (read, Bill::NOTHING),
        };
        match read {
            Ok(page) => (WebTaskOutput::Page(Box::new(page)), bill),
            Err(problem) => (WebTaskOutput::Failed(problem), bill),
        }
    }

    /// The page as the service returns it, if that is more than was read; the page's own error is the one to report.
    async fn ask_service(
        &self,
        service: &PageService,
        url: &str,
        read: Result<FetchedPage, CodedError>,
    ) -> (Result<FetchedPage, CodedError>, Bill) {
        let ServicePage { page, bill } = service.page(&self.fetcher, url, (self.now)()).await;
        let returned = match page {
            Ok(page) => self.text(page.record, page.bytes).await,
            Err(problem) => Err(problem),
        };
        let length = |page: &FetchedPage| page.extract.text.len();
        match (read, returned) {
            (Ok(read), Ok(returned)) if length(&returned) <= length(&read) => (Ok(read), bill),
            (_, Ok(returned)) => (Ok(returned), bill),
            (read, Err(problem)) => {
                tracing::debug!(code = %problem.code, cause = %problem.message, "the page service has no page");
                (read, bill)
            }
        }
    }

    async fn read(&self, plan: &WebPlan, url: &str, render: bool) -> Result<FetchedPage, CodedError> {
        if let Some(name) = url.strip_prefix("file:") {
            let file = self.file(plan, name)?;
            return self.text(file.record, file.bytes).await;
        }
        let fetched = self.fetch(url).await?;
        let is_html = fetched.record.media == MediaKind::Html;
        let page = self.text(fetched.record, fetched.bytes).await;
        // A page that only forwards has no text, and a browser goes where it leads.
        let is_bare = match &page {
            Ok(page) => is_thin(page),
            Err(_) => is_html,
        };
        match (&self.browser, render && is_bare) {
            (Ok(browser), true) => {
                let rendered = browser.render(url, &RenderLimits::default(), (self.now)()).await?;
                let rendered = self.text(rendered.record, Bytes::from(rendered.html)).await?;
                Ok(rendered)
            }
            (Err(_), true) | (_, false) => page,
        }
    }

    pub(super) async fn fetch(&self, url: &str) -> Result<PageFetch, CodedError> {
        match (Box::pin(self.fetcher.page(url)).await, &self.archive) {
            (Err(problem), Some(archive)) if is_gone(&problem) => {
                // The page's own error is the one to report.
                Box::pin(archive.copy(&self.fetcher, url)).await.map_err(|_| problem)
            }
            (fetched, _) => fetched,
        }
    }

    pub(super) async fn text(&self, record: PageRecord, bytes: Bytes) -> Result<FetchedPage, CodedError> {
        if record.media == MediaKind::Other {
            return Err(CodedError::new(Code::PageUnreadable, "the page is of a kind that is not read"));
        }
        let extract = self.parser.extract(record.media, &record.final_url, bytes.clone()).await?;
        Ok(FetchedPage { record, snapshot: bytes.to_vec(), extract })
    }

    /// `FOLDER/NAME`, where FOLDER is the place of a folder that the user named.
    fn file(&self, plan: &WebPlan, name: &str) -> Result<PageFetch, CodedError> {
        let unknown =
            || CodedError::new(Code::SourceFolder, "there is no such file in the folders that were named");
        let (folder, name) = name.split_once('/').ok_or_else(unknown)?;
        let folder: usize = folder.parse().map_err(|_| unknown())?;
        let path = plan.folders.get(folder).ok_or_else(unknown)?;
        let limits = LocalLimits::default();
        let folder = LocalFolder::open(Path::new(path))?;
        let listing = folder.files(&limits)?;
        let file = listing.files.iter().find(|file| file.name == name).ok_or_else(unknown)?;
        folder.read(file, &limits, (self.now)())
    }
}
