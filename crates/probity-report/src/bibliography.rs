//! The sources as bibliographies: BibTeX, CSL-JSON, and lines in five styles.
//!
//! All of them are web pages, so each style is one small function; a style processor has 72 crates, 23 of them new here, for
//! the same five lines. The document has no authors: the site takes their place.

mod bibtex;
mod csl;
mod styles;

use std::{fmt, str::FromStr};

pub use self::{bibtex::bibtex, csl::csl_json, styles::styled_lines};

/// How a line of the bibliography is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CitationStyle {
    Apa,
    Mla,
    Chicago,
    Ieee,
    Numbered,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no citation style; they are apa, mla, chicago, ieee, numbered")]
pub struct CitationStyleError(pub String);

impl CitationStyle {
    pub const ALL: [Self; 5] = [Self::Apa, Self::Mla, Self::Chicago, Self::Ieee, Self::Numbered];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Apa => "apa",
            Self::Mla => "mla",
            Self::Chicago => "chicago",
            Self::Ieee => "ieee",
            Self::Numbered => "numbered",
        }
    }
}

impl fmt::Display for CitationStyle {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl FromStr for CitationStyle {
    type Err = CitationStyleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wanted = text.trim().to_ascii_lowercase();
        let known = Self::ALL.into_iter().find(|style| style.as_str() == wanted);
        known.ok_or_else(|| CitationStyleError(probity_types::text::line(text, 40)))
    }
}

/// Year, month and day, as far as they are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BibliographyDate {
    year: u32,
    month: Option<u32>,
    day: Option<u32>,
}

impl BibliographyDate {
    /// Of `2026`, `2026-03`, `2026-03-18` or a moment; anything else is not a date.
    fn read(text: &str) -> Option<Self> {
        let day_only = text.split(['T', ' ']).next()?;
        let mut parts = day_only.split('-').map(|part| part.parse::<u32>().ok());
        let year = parts.next().flatten().filter(|year| (1000..=9999).contains(year))?;
        let month = parts.next().flatten().filter(|month| (1..=12).contains(month));
        let day = parts.next().flatten().filter(|day| month.is_some() && (1..=31).contains(day));
        Some(Self { year, month, day })
    }

    fn month_name(self) -> Option<&'static str> {
        const NAMES: [&str; 12] = [
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ];
        NAMES.get(usize::try_from(self.month?).ok()?.checked_sub(1)?).copied()
    }
}

#[cfg(test)]
mod tests;
