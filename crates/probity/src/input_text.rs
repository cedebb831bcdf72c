//! Reads the text that a user wants checked: a file, an address, or stdin, as Markdown with its links in
//! place.

use std::{io::Read as _, path::Path};

use bytes::Bytes;
use probity_extract::DocumentFormat;
use probity_research::{
    Code,
    ledger::{SkippedKind, SkippedParts},
    web::page::{Extract, TEXT_BYTES_MAX},
};

use crate::{command_error::CommandError, engine, settings::Settings};

/// Largest file taken: a thesis with pictures.
const DOCUMENT_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// For a document that cannot be read.
const AS_TEXT: &str = "save it as Markdown, text, HTML, PDF with text, or DOCX: `probity verify FILE`";

/// How it begins that the end of a document was not read, or parts of it; other limits are those of a check.
const BEHIND_THE_FIRST: &str = "what follows the first";
const PARTS_OF: &str = "parts of";

/// A text to be checked.
pub struct InputText {
    pub text: String,
    /// What of the document was not read, in words.
    pub unread: Option<String>,
    /// What of it is not read on purpose.
    pub skipped: Vec<SkippedParts>,
}

pub async fn read(settings: &Settings, what: &str) -> Result<InputText, CommandError> {
    let (name, bytes) = match what {
        "-" => (String::new(), stdin()?),
        address if is_address(address) => {
            let fetched = Box::pin(engine::fetch_page(settings, address)).await;
            let fetched = fetched.map_err(|problem| {
                CommandError::from(problem)
                    .with_hint("save the page and check the file: `probity verify FILE`")
            })?;
            (fetched.record.final_url, fetched.bytes.to_vec())
        }
        path => (path.to_owned(), file(Path::new(path))?),
    };
    let format = DocumentFormat::of(&name, &bytes).ok_or_else(|| {
        CommandError::new(Code::PageUnreadable, &format!("{what} is of a kind that is not read"))
            .with_hint(AS_TEXT)
    })?;
    let Extract { text, truncated, menus, .. } = engine::parser()?
        .document(format, &name, Bytes::from(bytes))
        .await
        .map_err(|problem| CommandError::from(problem).with_hint(AS_TEXT))?;
    if text.trim().is_empty() {
        let failure = CommandError::new(Code::PageUnreadable, &format!("{what} has no readable text"));
        return Err(failure.with_hint(AS_TEXT));
    }
    let unread = truncated.then(|| unread(what, &text));
    let navigation = |count| SkippedParts { kind: SkippedKind::Navigation, count, with_sentences: 0 };
    let skipped = menus.map(navigation).into_iter().collect();
    Ok(InputText { text: probity_research::text::block(&text), unread, skipped })
}

/// What of a document was not read.
fn unread(what: &str, text: &str) -> String {
    // The last character may not have fitted.
    if text.len() + char::MAX.len_utf8() > TEXT_BYTES_MAX {
        return format!("{BEHIND_THE_FIRST} {TEXT_BYTES_MAX} bytes of {what}: no more is read of a document");
    }
    format!("{PARTS_OF} {what}: they could not be read, or are nested too deeply")
}

/// Whether a line of a ledger says what of the document was not read.
pub fn is_of_document(unread: &str) -> bool {
    unread.starts_with(BEHIND_THE_FIRST) || unread.starts_with(PARTS_OF)
}

/// Whether the text is a page, and not a file or stdin.
pub fn is_address(what: &str) -> bool {
    what.starts_with("http://") || what.starts_with("https://")
}

fn file(path: &Path) -> Result<Vec<u8>, CommandError> {
    let refused = |why: String| {
        CommandError::new(Code::SourceFolder, &format!("{} {why}", path.display())).with_hint(
            "name a file that you may read: `probity verify FILE`; a hyphen in its place reads stdin",
        )
    };
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
    let refused = |why: String| {
        CommandError::new(Code::SourceFolder, &format!("stdin {why}"))
            .with_hint("name the file instead: `probity verify FILE`")
    };
    std::io::stdin()
        .take(DOCUMENT_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| refused(format!("cannot be read: {error}")))?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > DOCUMENT_BYTES_MAX {
        return Err(refused(format!("has more than {DOCUMENT_BYTES_MAX} bytes")));
    }
    Ok(bytes)
}
