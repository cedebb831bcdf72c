//! The output formats by their names, as flags and addresses use them.

use std::{fmt, str::FromStr};

/// The output formats of a document. `Pdf` is printed from the HTML page by a caller that has a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReportFormat {
    Markdown,
    Html,
    Pdf,
    Docx,
    Json,
    Bibtex,
    CslJson,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no format; they are md, html, pdf, docx, json, bibtex, csl-json")]
pub struct ReportFormatError(pub String);

impl ReportFormat {
    pub const ALL: [Self; 7] =
        [Self::Markdown, Self::Html, Self::Pdf, Self::Docx, Self::Json, Self::Bibtex, Self::CslJson];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Html => "html",
            Self::Pdf => "pdf",
            Self::Docx => "docx",
            Self::Json => "json",
            Self::Bibtex => "bibtex",
            Self::CslJson => "csl-json",
        }
    }

    /// The file's extension, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Bibtex => "bib",
            Self::CslJson => "csl.json",
            other => other.as_str(),
        }
    }

    /// The media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Markdown => "text/markdown; charset=utf-8",
            Self::Html => "text/html; charset=utf-8",
            Self::Pdf => "application/pdf",
            Self::Docx => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            Self::Json => "application/json",
            Self::Bibtex => "application/x-bibtex; charset=utf-8",
            Self::CslJson => "application/vnd.citationstyles.csl+json",
        }
    }
}

impl fmt::Display for ReportFormat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl FromStr for ReportFormat {
    type Err = ReportFormatError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim().to_ascii_lowercase().as_str() {
            "md" | "markdown" => Ok(Self::Markdown),
            "html" | "htm" => Ok(Self::Html),
            "pdf" => Ok(Self::Pdf),
            "docx" | "word" => Ok(Self::Docx),
            "json" => Ok(Self::Json),
            "bib" | "bibtex" => Ok(Self::Bibtex),
            "csl" | "csl-json" | "csl.json" => Ok(Self::CslJson),
            _ => Err(ReportFormatError(probity_research::text::line(text, 40))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ReportFormat;

    #[test]
    fn every_format_is_read_back_from_its_name_and_its_extension() {
        for format in ReportFormat::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
            assert_eq!(format.extension().parse(), Ok(format));
        }
        assert!("exe".parse::<ReportFormat>().unwrap_err().to_string().starts_with("`exe` is no format"));
    }
}
