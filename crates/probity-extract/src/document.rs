//! A user's document as Markdown with its links and notes in place, so that its citations can
//! be checked sentence by sentence. `extract` is for pages that are read; this keeps everything that is
//! shown.

mod docx;
mod html;
mod pdf;
mod zip;

use probity_types::{
    Code, CodedError,
    web::page::{Extract, TEXT_BYTES_MAX},
};
use serde::{Deserialize, Serialize};

use crate::{charset, language, markdown};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DocumentFormat {
    Markdown,
    Html,
    Pdf,
    Docx,
}

impl DocumentFormat {
    /// The format of a file: by its first bytes, then by its name. Plain text is Markdown without markup.
    pub fn of(name: &str, bytes: &[u8]) -> Option<Self> {
        /// Where a page says that it is one.
        const HEAD_BYTES: usize = 1024;
        let lower = name.to_ascii_lowercase();
        let named = |endings: &[&str]| endings.iter().any(|ending| lower.ends_with(ending));
        if bytes.starts_with(b"%PDF-") {
            return Some(Self::Pdf);
        }
        if bytes.starts_with(b"PK\x03\x04") {
            return named(&[".docx", ".docm", ".dotx"]).then_some(Self::Docx);
        }
        let head = bytes.get(..bytes.len().min(HEAD_BYTES)).unwrap_or_default();
        let text = String::from_utf8_lossy(head).to_ascii_lowercase();
        if named(&[".md", ".markdown", ".txt", ".text"]) {
            return (!head.contains(&0) || text.is_ascii()).then_some(Self::Markdown);
        }
        if named(&[".html", ".htm", ".xhtml"]) || text.contains("<!doctype html") || text.contains("<html") {
            return Some(Self::Html);
        }
        // Other binary formats are not guessed.
        (!head.contains(&0)).then_some(Self::Markdown)
    }
}

/// The document as Markdown in `Extract::text`, with its title and language; no blocks. Pure.
pub fn document(bytes: &[u8], format: DocumentFormat, url: &str) -> Result<Extract, CodedError> {
    let mut extract = match format {
        DocumentFormat::Markdown => {
            let decoded = charset::decode(bytes, None).text;
            let text = markdown::left_out::without_unsaid(&decoded).into_owned();
            Extract { text, ..Extract::default() }
        }
        DocumentFormat::Html => html::markdown(&charset::decode(bytes, None).text, url),
        DocumentFormat::Pdf => pdf::markdown(bytes)?,
        DocumentFormat::Docx => docx::markdown(bytes)?,
    };
    if extract.text.len() > TEXT_BYTES_MAX {
        extract.truncated = true;
        let end = extract.text.floor_char_boundary(TEXT_BYTES_MAX);
        extract.text.truncate(end);
    }
    if extract.text.trim().is_empty() {
        return Err(unreadable("no text is in the document"));
    }
    extract.language = extract.language.or_else(|| language::detect_language(&extract.text, None));
    Ok(extract)
}

fn unreadable(message: &str) -> CodedError {
    CodedError::new(Code::PageUnreadable, message)
}

#[cfg(test)]
mod tests;
