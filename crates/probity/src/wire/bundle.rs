//! What `probity bundle verify --json` prints.

use probity_bundle::{Bundle, BundleIssue, PromiseStatus};
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
            exit_code: exit.number(),
        }
    }
}
