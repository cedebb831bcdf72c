//! A copy of a page whose own address is dead, from the Internet Archive or a compatible one.
//!
//! Two requests in the order of their cost to the archive: its availability API, then its index (CDX). The
//! copy's address is built here from the date of the copy; no address of an answer is followed. Never asked
//! for a page that its owner refuses to programs, only for one that is gone.

mod wire;

use probity_types::{
    error::{Code, CodedError},
    time::Moment,
    web::page::{PageRecord, Provenance},
};

use self::wire::ArchiveTimestamp;
use crate::fetch::{ApiRequest, Fetcher, PageFetch};

const AVAILABLE: &str = "https://archive.org";
const COPIES: &str = "https://web.archive.org";
/// Header under which the date of the copy is kept, as archives name it.
pub const COPIED_AT: &str = "memento-datetime";

/// Where the archive is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebArchive {
    available: String,
    copies: String,
}

impl Default for WebArchive {
    fn default() -> Self {
        Self { available: AVAILABLE.to_owned(), copies: COPIES.to_owned() }
    }
}

/// Whether a page is gone rather than slow, refused or broken for a while: its name, its server or the page itself.
pub fn is_gone(problem: &CodedError) -> bool {
    problem.code == Code::PageUnreachable && matches!(problem.http_status, None | Some(404 | 410))
}

impl WebArchive {
    /// An archive that answers both requests and serves the copies at the same base address.
    pub fn at(base: &str) -> Self {
        let base = base.trim_end_matches('/').to_owned();
        Self { available: base.clone(), copies: base }
    }

    /// The newest good copy of a page, as the page was: without the archive's additions.
    #[tracing::instrument(skip_all)]
    pub async fn copy(&self, fetcher: &Fetcher, url: &str) -> Result<PageFetch, CodedError> {
        // A page of a host that is gone is still a page; an address that is refused for its spelling stays
        // refused.
        let url = String::from(fetcher.guard().parse(url)?);
        let stamp = match self.available(fetcher, &url).await {
            Ok(Some(stamp)) => stamp,
            Ok(None) | Err(_) => self.newest_in_index(fetcher, &url).await?,
        };
        let copy = fetcher.page(&self.address(&stamp, &url)).await?;
        Ok(as_copy(copy, &url, &stamp))
    }

    /// `id_`: the bytes as they were, without the archive's banner and its changed links.
    fn address(&self, stamp: &ArchiveTimestamp, url: &str) -> String {
        format!("{}/web/{stamp}id_/{url}", self.copies)
    }

    async fn available(&self, fetcher: &Fetcher, url: &str) -> Result<Option<ArchiveTimestamp>, CodedError> {
        let asked = ApiRequest::get(&format!("{}/wayback/available", self.available)).with_query("url", url);
        let answer = fetcher.call(asked).await?;
        if answer.status != 200 {
            return Err(archive_problem(answer.status));
        }
        wire::available(&answer.body)
    }

    /// The newest copy in the index that was a page and not an error.
    async fn newest_in_index(&self, fetcher: &Fetcher, url: &str) -> Result<ArchiveTimestamp, CodedError> {
        let asked = ApiRequest::get(&format!("{}/cdx/search/cdx", self.copies))
            .with_query("url", url)
            .with_query("output", "json")
            .with_query("fl", "timestamp,statuscode")
            .with_query("filter", "statuscode:200")
            .with_query("limit", "-1");
        let answer = fetcher.call(asked).await?;
        if answer.status != 200 {
            return Err(archive_problem(answer.status));
        }
        let found = wire::newest(&answer.body)?;
        found.ok_or_else(|| {
            CodedError::new(Code::PageUnreachable, "the archive has no copy of the page").with_status(404)
        })
    }
}

fn archive_problem(status: u16) -> CodedError {
    CodedError::new(Code::PageUnreachable, "the archive does not answer").with_status(status)
}

/// The record of a copy: the page's own address, the archive's beside it, and when the copy was made.
fn as_copy(copy: PageFetch, url: &str, asked: &ArchiveTimestamp) -> PageFetch {
    let PageFetch { record, bytes } = copy;
    // The archive may answer with the copy of another day; its address has the date.
    let stamp = ArchiveTimestamp::in_address(&record.final_url).unwrap_or_else(|| asked.clone());
    let mut headers: Vec<(String, String)> =
        record.headers.iter().filter(|(name, _)| name != COPIED_AT).cloned().collect();
    headers.extend(stamp.moment().map(|moment: Moment| (COPIED_AT.to_owned(), moment.to_string())));
    let record = PageRecord {
        asked_url: url.to_owned(),
        final_url: url.to_owned(),
        provenance: Provenance::Archive(record.final_url.clone()),
        headers,
        ..record
    };
    PageFetch { record, bytes }
}
