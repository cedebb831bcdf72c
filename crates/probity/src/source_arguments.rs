//! The command line's flags about sources: pages, folders, sites, dates, languages.

use std::path::{Path, PathBuf};

use clap::Args;
use probity_research::{
    Code,
    time::Moment,
    web::{SearchFilters, plan::OWN_SOURCES_MAX},
};

use crate::{command_error::CommandError, planning::PlanningRequest};

#[derive(Debug, Args)]
#[command(next_help_heading = "Sources (these use the web engine)")]
pub struct SourceArguments {
    /// Read this page first; may be repeated
    #[arg(long = "page", value_name = "URL")]
    pub pages: Vec<String>,
    /// Use the Markdown, text, HTML and PDF files of this folder too; they never leave the machine
    #[arg(long = "folder", value_name = "DIR")]
    pub folders: Vec<PathBuf>,
    /// Only pages of this site; may be repeated
    #[arg(long = "site", value_name = "DOMAIN")]
    pub sites: Vec<String>,
    /// No pages of this site; may be repeated
    #[arg(long = "without-site", value_name = "DOMAIN")]
    pub without_sites: Vec<String>,
    /// Only pages from this day on, such as 2026-01-31
    #[arg(long, value_name = "DATE")]
    pub after: Option<String>,
    /// Only pages up to this day
    #[arg(long, value_name = "DATE")]
    pub before: Option<String>,
    /// Only pages in this language, such as de; may be repeated
    #[arg(long = "language", value_name = "CODE")]
    pub languages: Vec<String>,
    /// Let Chromium build pages whose text scripts make
    #[arg(long)]
    pub render: bool,
}

impl SourceArguments {
    /// Adds these options to a question.
    pub fn apply_to(&self, asking: PlanningRequest) -> Result<PlanningRequest, CommandError> {
        if self.pages.len() > OWN_SOURCES_MAX || self.folders.len() > OWN_SOURCES_MAX {
            return Err(wrong(&format!("at most {OWN_SOURCES_MAX} pages and folders can be named")));
        }
        let filters = SearchFilters {
            after: day("--after", self.after.as_deref())?,
            before: day("--before", self.before.as_deref())?,
            domains: lower(&self.sites),
            domains_excluded: lower(&self.without_sites),
            languages: lower(&self.languages),
        };
        let folders = self.folders.iter().map(|path| folder(path)).collect::<Result<_, _>>()?;
        Ok(PlanningRequest { filters, pages: self.pages.clone(), folders, render: self.render, ..asking })
    }
}

fn lower(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| text.trim().to_lowercase()).filter(|text| !text.is_empty()).collect()
}

fn day(flag: &str, text: Option<&str>) -> Result<Option<String>, CommandError> {
    match text {
        None => Ok(None),
        Some(text) if Moment::of_date(text).is_some() => Ok(Some(text.to_owned())),
        Some(text) => Err(wrong(&format!("{flag} is `{text}`, which is not a day"))
            .with_hint(format!("write it like `{flag} 2026-01-31`"))),
    }
}

/// Absolute, because another process may drive the run.
fn folder(path: &Path) -> Result<String, CommandError> {
    let refused = |why: &str| {
        let message = format!("{} {why}", path.display());
        CommandError::new(Code::SourceFolder, &probity_research::text::line(&message, 300))
    };
    let real = std::fs::canonicalize(path).map_err(|_| refused("is not there"))?;
    match real.is_dir() {
        true => {
            real.to_str().map(str::to_owned).ok_or_else(|| refused("has a name that cannot be written down"))
        }
        false => Err(refused("is not a folder")),
    }
}

fn wrong(message: &str) -> CommandError {
    CommandError::new(Code::InvalidArguments, message)
}
