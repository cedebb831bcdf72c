//! One page to its text: detects the encoding and passes the page to the parser of its format. Pure.

use probity_types::{
    Code, CodedError,
    web::page::{Extract, ExtractBlock, ExtractBlockKind, MediaKind, TEXT_BYTES_MAX},
};

use crate::{charset, html, injection_signs, json, language, markdown, pdf, text, xml};

/// Blocks kept of one page. A book of two megabytes has a tenth of it.
const BLOCKS_MAX: usize = 60_000;

/// The readable text of a page. A page without any gives an empty text, not an error.
pub fn extract(bytes: &[u8], media: MediaKind, url: &str) -> Result<Extract, CodedError> {
    let mut extract = match media {
        MediaKind::Other => return Err(CodedError::new(Code::PageUnreadable, "a format that is not read")),
        MediaKind::Pdf => pdf::extract(bytes)?,
        MediaKind::Html | MediaKind::Text | MediaKind::Markdown | MediaKind::Json | MediaKind::Xml => {
            let decoded = charset::decode(bytes, top_level_domain(url));
            let mut extract = match media {
                MediaKind::Html => {
                    let extract = html::extract(&decoded.text, url);
                    // Nothing follows such a page: its reader has to cite where it leads.
                    let target =
                        extract.text.trim().is_empty().then(|| html::forwards_to(&decoded.text, url));
                    if let Some(target) = target.flatten() {
                        return Err(CodedError::new(
                            Code::PageUnreadable,
                            &format!("the page only forwards to {target}"),
                        ));
                    }
                    extract
                }
                MediaKind::Markdown => {
                    let unseen = markdown::left_out::comments(&decoded.text);
                    with_language_and_signs(markdown::extract(&decoded.text, url), &unseen)
                }
                MediaKind::Json => with_language_and_signs(json::extract(&decoded.text), ""),
                MediaKind::Xml => with_language_and_signs(xml::extract(&decoded.text, url), ""),
                MediaKind::Text | MediaKind::Pdf | MediaKind::Other => {
                    with_language_and_signs(text::extract(&decoded.text), "")
                }
            };
            for (start, end) in extract.blocks.iter_mut().filter_map(|block| block.source.as_mut()) {
                *start = decoded.source(*start);
                *end = decoded.source(*end);
            }
            extract
        }
    };
    bound(&mut extract);
    Ok(extract)
}

/// The text of a page without what stands beside it, for comparison with pages that people have labelled.
pub fn main_text(bytes: &[u8], url: &str) -> String {
    html::read(&charset::decode(bytes, top_level_domain(url)).text, url, html::Reading::MainText).text
}

/// What formats that show all but comments have in common.
fn with_language_and_signs(mut extract: Extract, unseen: &str) -> Extract {
    extract.language = language::detect_language(&extract.text, None);
    extract.signs = injection_signs::find_injection_signs(&extract.text, unseen, false, 0);
    extract
}

/// The last label of the host, in lower case as the detector wants it.
fn top_level_domain(url: &str) -> Option<&str> {
    let host = url.split_once("://")?.1.split(['/', '?', '#', ':']).next()?;
    let label = host.rsplit('.').next()?;
    (!label.is_empty() && label.bytes().all(|byte| byte.is_ascii_lowercase())).then_some(label)
}

/// Leaves out whole blocks from the end until the text is as long as is kept.
fn bound(extract: &mut Extract) {
    while extract.blocks.len() > BLOCKS_MAX || extract.text.len() > TEXT_BYTES_MAX {
        extract.truncated = true;
        if extract.blocks.len() > BLOCKS_MAX {
            extract.blocks.truncate(BLOCKS_MAX);
        } else if extract.blocks.len() > 1 {
            let fits = extract.blocks.partition_point(|block| block.end <= TEXT_BYTES_MAX);
            extract.blocks.truncate(fits.max(1));
        }
        let end = extract.blocks.last().map_or(0, |block| block.end);
        let end = extract.text.floor_char_boundary(end.min(TEXT_BYTES_MAX));
        extract.text.truncate(end);
        if let Some(block) = extract.blocks.last_mut() {
            block.end = block.end.min(end);
        }
    }
}

/// Adds blocks one after another, each on a line of its own.
#[derive(Debug, Default)]
pub struct ExtractWriter {
    pub extract: Extract,
}

impl ExtractWriter {
    pub fn push(&mut self, kind: ExtractBlockKind, text: &str, source: Option<(usize, usize)>) {
        if self.extract.text.len() > TEXT_BYTES_MAX {
            self.extract.truncated = true;
            return;
        }
        if !self.extract.text.is_empty() {
            self.extract.text.push('\n');
        }
        let start = self.extract.text.len();
        self.extract.text.push_str(text);
        self.extract.blocks.push(ExtractBlock {
            kind,
            start,
            end: self.extract.text.len(),
            source,
            page: None,
        });
    }
}

#[cfg(test)]
mod tests;
