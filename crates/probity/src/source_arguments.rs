//! The command line's flags about sources: pages, folders, sites, dates, languages.

use std::path::{Path, PathBuf};

use clap::Args;
use probity_research::{
    Code, text,
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
    /// The first flag that was given.
    pub fn first_given(&self) -> Option<&'static str> {
        let given = [
            ("--page", !self.pages.is_empty()),
            ("--folder", !self.folders.is_empty()),
            ("--site", !self.sites.is_empty()),
            ("--without-site", !self.without_sites.is_empty()),
            ("--after", self.after.is_some()),
            ("--before", self.before.is_some()),
            ("--language", !self.languages.is_empty()),
            ("--render", self.render),
        ];
        given.into_iter().find_map(|(flag, is_given)| is_given.then_some(flag))
    }

    /// Adds these options to a question.
    pub fn apply_to(&self, asking: PlanningRequest) -> Result<PlanningRequest, CommandError> {
        if self.pages.len() > OWN_SOURCES_MAX || self.folders.len() > OWN_SOURCES_MAX {
            return Err(wrong(&format!("at most {OWN_SOURCES_MAX} pages and folders can be named")));
        }
        let filters = SearchFilters {
            after: day("--after", self.after.as_deref())?,
            before: day("--before", self.before.as_deref())?,
            domains: sites("--site", &self.sites)?,
            domains_excluded: sites("--without-site", &self.without_sites)?,
            languages: languages(&self.languages)?,
        };
        let is_later = |(after, before): (&String, &String)| Moment::of_date(after) > Moment::of_date(before);
        if filters.after.as_ref().zip(filters.before.as_ref()).is_some_and(is_later) {
            return Err(wrong("the first day is later than the last, so no page lies between them")
                .with_hint("exchange `--after` and `--before`"));
        }
        self.pages.iter().try_for_each(|page| page_address(page))?;
        let folders = self.folders.iter().map(|path| folder(path)).collect::<Result<_, _>>()?;
        Ok(PlanningRequest { filters, pages: self.pages.clone(), folders, render: self.render, ..asking })
    }
}

fn lower(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| text.trim().to_lowercase()).filter(|text| !text.is_empty()).collect()
}

pub(crate) fn sites(flag: &str, texts: &[String]) -> Result<Vec<String>, CommandError> {
    let fits = |site: &String| {
        site.contains('.')
            && !site.starts_with('.')
            && url::Host::parse(site).is_ok()
            && !site.contains(['/', ':'])
    };
    let sites = lower(texts);
    match sites.iter().find(|site| !fits(site)) {
        None => Ok(sites),
        Some(site) => Err(wrong(&format!("`{}` is no site, such as example.org", text::line(site, 80)))
            .with_hint(format!("write it like `{flag} example.org`"))),
    }
}

fn languages(texts: &[String]) -> Result<Vec<String>, CommandError> {
    // `de`, `pt-br`, `zh-hant`.
    let fits = |code: &String| {
        let mut parts = code.split('-');
        parts.next().is_some_and(|first| (2..=3).contains(&first.len()))
            && code.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
    };
    let codes = lower(texts);
    match codes.iter().find(|code| !fits(code)) {
        None => Ok(codes),
        Some(code) => Err(wrong(&format!("`{}` is no code of a language, such as de", text::line(code, 80)))
            .with_hint("write it like `--language de`")),
    }
}

pub(crate) fn page_address(page: &str) -> Result<(), CommandError> {
    let is_web =
        url::Url::parse(page).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    match is_web {
        true => Ok(()),
        false => Err(wrong(&format!(
            "`{}` is no address of a page, such as https://example.org",
            text::line(page, 200)
        ))
        .with_hint("write it like `--page https://example.org/report`")),
    }
}

fn day(flag: &str, text: Option<&str>) -> Result<Option<String>, CommandError> {
    match text {
        None => Ok(None),
        Some(text) if Moment::of_date(text).is_some() => Ok(Some(text.to_owned())),
        Some(day) => Err(wrong(&format!("`{}` is no day, such as 2026-01-31", text::line(day, 80)))
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

#[cfg(test)]
mod tests {
    use super::{languages, page_address, sites};

    #[test]
    fn what_names_no_page_site_or_language_is_refused_with_an_example() {
        let one = |text: &str| [text.to_owned()];
        for site in ["example.org", "Bücher.example", "a.b.co.uk"] {
            assert!(sites("--site", &one(site)).is_ok(), "{site}");
        }
        for site in ["notadomain!!", "localhost", "https://example.org", "example.org/a", ".org"] {
            assert!(sites("--site", &one(site)).unwrap_err().problem.message.contains("no site"), "{site}");
        }
        for code in ["de", "pt-BR", "zh-Hant", "yue"] {
            assert!(languages(&one(code)).is_ok(), "{code}");
        }
        assert!(languages(&one("klingon")).unwrap_err().problem.message.contains("no code of a language"));
        assert!(page_address("https://example.org/a").is_ok());
        for page in ["notaurl", "ftp://example.org/a", "file:///etc/passwd", "https://"] {
            assert!(page_address(page).unwrap_err().problem.message.contains("no address"), "{page}");
        }
    }
}
