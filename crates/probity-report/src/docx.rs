//! The document as a word processor's file: headings, lists, tables, links, sources as footnotes, and a table of
//! verdicts at the end. Only what every word processor reads; nothing in it is loaded from elsewhere.

mod body;
mod parts;
mod xml;
mod zip;

use self::{body::DocxBody, zip::ZipWriter};
use crate::{Error, ReportDocument};

/// Longest file: the longest text, in markup, is a few of them.
const BYTES_MAX: usize = 64 * 1024 * 1024;

pub fn render(document: &ReportDocument) -> Result<Vec<u8>, Error> {
    let mut body = DocxBody::new(document);
    body.report();
    body.conflicts();
    body.sources();
    body.verdicts();
    let written = body.finish();
    let size = written.document.len() + written.footnotes.len();
    if size > BYTES_MAX {
        return Err(Error::TooLarge { limit: BYTES_MAX });
    }
    let properties = parts::properties(document);
    let mut archive = ZipWriter::default();
    for (name, text) in [
        ("[Content_Types].xml", parts::CONTENT_TYPES),
        ("_rels/.rels", parts::RELATIONSHIPS),
        ("docProps/core.xml", &properties),
        ("word/document.xml", &written.document),
        ("word/_rels/document.xml.rels", &written.relationships),
        ("word/styles.xml", parts::STYLES),
        ("word/numbering.xml", &written.numbering),
        ("word/footnotes.xml", &written.footnotes),
    ] {
        archive.add(name, text.as_bytes()).map_err(Error::Pack)?;
    }
    archive.finish().map_err(Error::Pack)
}

#[cfg(test)]
mod tests;
