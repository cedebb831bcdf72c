//! One page: fetched, or its copy from an archive, or as a browser shows it; then its readable text.

use std::path::Path;

use bytes::Bytes;
use probity_models::Transport;
use probity_research::{
    error::{Code, CodedError},
    web::{
        page::{MediaKind, PageRecord},
        plan::WebPlan,
        task::{FetchedPage, WebTaskOutput},
    },
};
use probity_web::{
    archive::is_gone,
    browser::RenderLimits,
    fetch::PageFetch,
    local::{LocalFolder, LocalLimits},
};

use super::WebEngine;

/// A page with less text than this is most likely one that scripts fill.
const TEXT_BYTES_EXPECTED: usize = 400;

impl<T: Transport> WebEngine<T> {
    pub(super) async fn page(&self, plan: &WebPlan, url: &str, render: bool) -> WebTaskOutput {
        match Box::pin(self.read(plan, url, render)).await {
            Ok(page) => WebTaskOutput::Page(Box::new(page)),
            Err(problem) => WebTaskOutput::Failed(problem),
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
        let thin = page.as_ref().is_ok_and(|page| page.extract.text.len() < TEXT_BYTES_EXPECTED);
        match (&self.browser, render && is_html && thin) {
            (Ok(browser), true) => {
                let rendered = browser.render(url, &RenderLimits::default(), (self.now)()).await?;
                let rendered = self.text(rendered.record, Bytes::from(rendered.html)).await?;
                Ok(rendered)
            }
            (Err(problem), true) => page.map_err(|_| problem.clone()),
            (_, false) => page,
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
