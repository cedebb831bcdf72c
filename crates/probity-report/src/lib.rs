//! A finished run as one typed document, and the formats it is written in.
//!
//! Pure: no sockets, clock or environment, and no files but the fonts of a PDF. `document` gathers everything once; every format is
//! rendered from the `ReportDocument` alone. Report text, titles and addresses come from the open web: no
//! format lets them act.

pub mod bibliography;
mod build;
pub mod charts;
pub mod document;
pub mod docx;
#[cfg(test)]
mod fixture;
mod format;
pub mod html;
pub mod json;
pub mod markdown;
pub mod pdf;

use std::collections::BTreeMap;

use probity_types::{Digest, report::Report, status::RunSummary, time::Moment};

pub use build::build_document;
pub use document::{CostRow, ReportDocument};
pub use format::{ReportFormat, ReportFormatError};

/// The inputs of a document.
#[derive(Debug, Clone, Copy)]
pub struct DocumentInput<'a> {
    pub summary: &'a RunSummary,
    pub report: &'a Report,
    /// Extracted texts of stored pages by the digest of the extract, as far as they are available.
    pub texts: &'a BTreeMap<Digest, String>,
    pub costs: &'a [CostRow],
    pub written_at: Moment,
    /// Of the program.
    pub version: &'a str,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("could not pack the document")]
    Pack(#[source] std::io::Error),
    #[error("the document has more than {limit} bytes")]
    TooLarge { limit: usize },
    #[error("the PDF would have more than {limit} pages")]
    TooManyPages { limit: usize },
    #[error("the PDF could not be written: {0}")]
    Pdf(String),
}
