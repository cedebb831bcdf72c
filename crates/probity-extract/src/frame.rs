//! The frames between the parent and the confined process: length first.

use std::io::{self, Read, Write};

use probity_types::{
    CodedError,
    web::page::{Extract, MediaKind},
};
use serde::{Deserialize, Serialize};

use crate::document::DocumentFormat;

/// Largest page taken. The fetcher stops at half of it; a user's own file may be larger than a web page.
pub const PAGE_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Largest reply taken: two megabytes of text, each byte escaped at worst, and its blocks.
pub const ANSWER_BYTES_MAX: usize = 24 * 1024 * 1024;
/// The request without its page: an address and a kind.
const HEAD_BYTES_MAX: usize = 16 * 1024;

#[derive(Debug, Serialize, Deserialize)]
pub struct ParseRequest {
    pub media: MediaKind,
    pub url: String,
    /// The page is a document that is wanted as Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<DocumentFormat>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct ParseReply {
    pub page: Result<Extract, CodedError>,
    /// The process ends after this one.
    pub is_last: bool,
}

/// A request as bytes, without its page, whose length is at the end.
pub fn encode_request(head: &ParseRequest, page_bytes: usize) -> Vec<u8> {
    let words = serde_json::to_vec(head).unwrap_or_default();
    let mut frame = Vec::with_capacity(words.len() + 8);
    frame.extend_from_slice(&length(words.len()));
    frame.extend_from_slice(&words);
    frame.extend_from_slice(&length(page_bytes));
    frame
}

fn length(bytes: usize) -> [u8; 4] {
    u32::try_from(bytes).unwrap_or(u32::MAX).to_le_bytes()
}

/// The next request; `None` when the parent closed the pipe.
pub fn read_request(input: &mut impl Read) -> io::Result<Option<(ParseRequest, Vec<u8>)>> {
    let mut size = [0; 4];
    if let Err(error) = input.read_exact(&mut size) {
        return if error.kind() == io::ErrorKind::UnexpectedEof { Ok(None) } else { Err(error) };
    }
    let head = read_frame(input, size, HEAD_BYTES_MAX)?;
    input.read_exact(&mut size)?;
    let page = read_frame(input, size, PAGE_BYTES_MAX)?;
    Ok(Some((serde_json::from_slice(&head).map_err(io::Error::other)?, page)))
}

fn read_frame(input: &mut impl Read, size: [u8; 4], bytes_max: usize) -> io::Result<Vec<u8>> {
    let bytes = size_of_frame(size, bytes_max)?;
    let mut taken = vec![0; bytes];
    input.read_exact(&mut taken)?;
    Ok(taken)
}

pub fn size_of_frame(size: [u8; 4], bytes_max: usize) -> io::Result<usize> {
    let bytes = usize::try_from(u32::from_le_bytes(size)).unwrap_or(usize::MAX);
    if bytes > bytes_max {
        return Err(io::Error::other(format!("a frame of {bytes} bytes")));
    }
    Ok(bytes)
}

pub fn write_reply(output: &mut impl Write, answer: &ParseReply) -> io::Result<()> {
    let words = serde_json::to_vec(answer).map_err(io::Error::other)?;
    output.write_all(&length(words.len()))?;
    output.write_all(&words)?;
    output.flush()
}
