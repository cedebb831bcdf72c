//! Reads the text that a user wants checked: a file, an address, or stdin, as Markdown with its links in
//! place.

use std::{io::Read as _, path::Path};

use bytes::Bytes;
use probity_extract::DocumentFormat;
use probity_research::Code;

use crate::{command_error::CommandError, engine, settings::Settings};

/// Largest file taken: a thesis with pictures.
const DOCUMENT_BYTES_MAX: u64 = 32 * 1024 * 1024;

pub async fn read(settings: &Settings, what: &str) -> Result<String, CommandError> {
    let (name, bytes) = match what {
        "-" => (String::new(), stdin()?),
        address if address.starts_with("http://") || address.starts_with("https://") => {
            let fetched = Box::pin(engine::fetch_page(settings, address)).await?;
            (fetched.record.final_url, fetched.bytes.to_vec())
        }
        path => (path.to_owned(), file(Path::new(path))?),
    };
    let format = DocumentFormat::of(&name, &bytes).ok_or_else(|| {
        CommandError::new(Code::PageUnreadable, &format!("{what} is of a kind that is not read"))
    })?;
    let text = engine::parser()?.document(format, &name, Bytes::from(bytes)).await?.text;
    if text.trim().is_empty() {
        return Err(CommandError::new(Code::PageUnreadable, &format!("{what} has no readable text")));
    }
    Ok(probity_research::text::block(&text))
}

fn file(path: &Path) -> Result<Vec<u8>, CommandError> {
    let refused = |why: String| CommandError::new(Code::SourceFolder, &format!("{} {why}", path.display()));
    let found = std::fs::metadata(path).map_err(|error| refused(format!("cannot be read: {error}")))?;
    if !found.is_file() {
        return Err(refused("is not a file".to_owned()));
    }
    if found.len() > DOCUMENT_BYTES_MAX {
        return Err(refused(format!("has {} bytes; at most {DOCUMENT_BYTES_MAX} are taken", found.len())));
    }
    std::fs::read(path).map_err(|error| refused(format!("cannot be read: {error}")))
}

fn stdin() -> Result<Vec<u8>, CommandError> {
    let mut bytes = Vec::new();
    let refused = |why: String| CommandError::new(Code::SourceFolder, &format!("stdin {why}"));
    std::io::stdin()
        .take(DOCUMENT_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| refused(format!("cannot be read: {error}")))?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > DOCUMENT_BYTES_MAX {
        return Err(refused(format!("has more than {DOCUMENT_BYTES_MAX} bytes")));
    }
    Ok(bytes)
}
