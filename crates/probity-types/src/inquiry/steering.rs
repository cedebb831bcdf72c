//! What a user tells a research on the web, before it begins and while it is under way. Always the user's own words, never
//! those of a model or of a page.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::FacetId;
use crate::web::canonical;

/// A part of the question that the user wants looked into, whatever else the planner names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WantedFacet {
    pub question: String,
    /// Its first query; empty: the words of the question.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub query: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum SteeringNote {
    /// Look into this as well.
    AddFacet { question: String },
    /// Search no further for this part of the question.
    DropFacet { facet: FacetId },
    /// Read and cite no more pages of this site.
    BanSite { site: String },
    /// Read this page next.
    AddPage { url: String },
    /// Search no further and write from what there is.
    FinishNow,
}

impl SteeringNote {
    /// A site as people name it: `Example.org`, `www.example.org`, or the address of one of its pages.
    pub fn ban_site(text: &str) -> Self {
        let named = text.trim().trim_end_matches('.').to_lowercase();
        let of_page = named.contains("://").then(|| canonical::site(&named)).flatten();
        let site = of_page.unwrap_or_else(|| named.strip_prefix("www.").unwrap_or(&named).to_owned());
        Self::BanSite { site }
    }
}

impl fmt::Display for SteeringNote {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AddFacet { question } => write!(out, "also look into: {question}"),
            Self::DropFacet { facet } => write!(out, "leave out {facet}"),
            Self::BanSite { site } => write!(out, "no more pages of {site}"),
            Self::AddPage { url } => write!(out, "read {url}"),
            Self::FinishNow => out.write_str("finish now"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SteeringNote;

    #[test]
    fn a_site_is_named_in_many_ways() {
        for text in ["example.org", " WWW.Example.org ", "example.org.", "https://news.example.org/a?b"] {
            assert_eq!(SteeringNote::ban_site(text).to_string(), "no more pages of example.org", "{text}");
        }
    }
}
