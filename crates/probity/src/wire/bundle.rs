//! What `probity bundle verify --json` prints.

use probity_bundle::{Bundle, BundleIssue, PromiseStatus, page_origins};
use probity_research::web::{
    origin::PageOrigin,
    page::{PageRecord, Provenance},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::SCHEMA_VERSION;
use crate::exit::Exit;

#[derive(Debug, Serialize, JsonSchema)]
pub struct BundleDocument {
    pub schema_version: u32,
    pub success: bool,
    pub task_id: String,
    pub made_by: String,
    pub checker: Option<String>,
    pub signed_by: String,
    pub findings: Vec<BundleIssueDocument>,
    /// Where each page came from, as whoever signed the bundle wrote down.
    pub pages: Vec<BundlePageDocument>,
    pub exit_code: u8,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FindingDocument")]
pub struct BundleIssueDocument {
    pub promise: &'static str,
    /// `yes`, `no`, `not-checked` or `nothing`.
    pub kept: &'static str,
    pub detail: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct BundlePageDocument {
    pub url: String,
    /// `web`, `web-without-tls`, `proxy`, `page-service`, `not-recorded`, `private-address`, `overridden-address` or `own-file`.
    pub origin: &'static str,
    /// The address that was connected to.
    pub address: Option<String>,
    /// The address of the copy in an archive that was read instead.
    pub archive: Option<String>,
    /// Each address that redirected, in order.
    pub redirects: Vec<String>,
}

impl BundlePageDocument {
    fn of(origin: PageOrigin, record: &PageRecord) -> Self {
        let archive = match &record.provenance {
            Provenance::Archive(copy) => Some(copy.clone()),
            _ => None,
        };
        Self {
            url: record.final_url.clone(),
            origin: origin.as_str(),
            address: record.address.clone(),
            archive,
            redirects: record.redirects.clone(),
        }
    }
}

impl BundleDocument {
    pub fn of(bundle: &Bundle<'_>, findings: &[BundleIssue], exit: Exit) -> Self {
        let finding = |finding: &BundleIssue| BundleIssueDocument {
            promise: finding.promise.as_str(),
            kept: finding.kept.as_str(),
            detail: finding.detail.clone(),
        };
        Self {
            schema_version: SCHEMA_VERSION,
            success: !findings.iter().any(|finding| finding.kept == PromiseStatus::No),
            task_id: bundle.manifest.research.to_string(),
            made_by: bundle.manifest.program.clone(),
            checker: bundle.manifest.checker.clone(),
            signed_by: bundle.signed_by.to_string(),
            findings: findings.iter().map(finding).collect(),
            pages: page_origins(&bundle.journal)
                .into_iter()
                .map(|(origin, record)| BundlePageDocument::of(origin, record))
                .collect(),
            exit_code: exit.number(),
        }
    }
}
