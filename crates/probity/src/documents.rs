//! Reads what a user hands in to be checked: a file, an address, or stdin, as Markdown with its links in place.

use std::{
    io::Read as _,
    path::Path,
};

use bytes::Bytes;
use probity_research::{Code, web::page::Media};

use crate::{engine, failure::Failure, settings::Settings};

/// Largest file taken: a thesis with pictures.
const DOCUMENT_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// What the bytes are, by the name and by looking at them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Html,
    Pdf,
    Docx,
}

pub async fn read(settings: &Settings, what: &str) -> Result<String, Failure> {
    let (name, bytes) = match what {
        "-" => (String::new(), stdin()?),
        address if address.starts_with("http://") || address.starts_with("https://") => {
            let fetched = Box::pin(engine::fetch(settings, address)).await?;
            let name = if fetched.record.media == Media::Pdf { "a.pdf" } else { address };
            (name.to_owned(), fetched.bytes.to_vec())
        }
        path => (path.to_owned(), file(Path::new(path))?),
    };
    let text = match kind(&name, &bytes) {
        Kind::Text => String::from_utf8_lossy(&bytes).into_owned(),
        kind => {
            let parser = engine::parser()?;
            let media = if kind == Kind::Pdf { Media::Pdf } else { Media::Html };
            parser.extract(media, &name, Bytes::from(bytes)).await?.text
        }
    };
    if text.trim().is_empty() {
        return Err(Failure::new(Code::PageUnreadable, &format!("{what} has no readable text")));
    }
    Ok(probity_research::text::block(&text))
}

fn kind(name: &str, bytes: &[u8]) -> Kind {
    let lower = name.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    let start = String::from_utf8_lossy(bytes.get(..bytes.len().min(1024)).unwrap_or_default()).to_ascii_lowercase();
    let start = start.trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t']);
    if bytes.starts_with(b"%PDF-") || lower.ends_with(".pdf") {
        Kind::Pdf
    } else if lower.ends_with(".docx") || (bytes.starts_with(b"PK\x03\x04") && !lower.ends_with(".txt")) {
        Kind::Docx
    } else if lower.ends_with(".html")
        || lower.ends_with(".htm")
        || start.starts_with("<!doctype html")
        || start.starts_with("<html")
    {
        Kind::Html
    } else {
        Kind::Text
    }
}

fn file(path: &Path) -> Result<Vec<u8>, Failure> {
    let refused = |why: String| Failure::new(Code::SourceFolder, &format!("{} {why}", path.display()));
    let found = std::fs::metadata(path).map_err(|error| refused(format!("cannot be read: {error}")))?;
    if !found.is_file() {
        return Err(refused("is not a file".to_owned()));
    }
    if found.len() > DOCUMENT_BYTES_MAX {
        return Err(refused(format!("has {} bytes; at most {DOCUMENT_BYTES_MAX} are taken", found.len())));
    }
    std::fs::read(path).map_err(|error| refused(format!("cannot be read: {error}")))
}

fn stdin() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let refused = |why: String| Failure::new(Code::SourceFolder, &format!("stdin {why}"));
    std::io::stdin()
        .take(DOCUMENT_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| refused(format!("cannot be read: {error}")))?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > DOCUMENT_BYTES_MAX {
        return Err(refused(format!("has more than {DOCUMENT_BYTES_MAX} bytes")));
    }
    Ok(bytes)
}
