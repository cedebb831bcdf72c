//! A page as it was fetched, and the text that was found in it.

use serde::{Deserialize, Serialize};

use crate::time::Moment;

/// Longest readable text kept of one page, in bytes: a long book chapter.
pub const TEXT_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Links kept of one page.
pub const LINKS_MAX: usize = 200;

/// The type of the bytes, detected from them; the server's header is only a hint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MediaKind {
    Html,
    Text,
    Markdown,
    Json,
    Xml,
    Pdf,
    /// Recorded, not parsed.
    Other,
}

/// Where a page came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Provenance {
    /// Fetched from its own address.
    Direct,
    /// Its own address was dead: a copy in an archive, with the archive's address.
    Archive(String),
    /// As a browser shows it after its scripts ran.
    Rendered,
    /// A file of the user's own; it never leaves the machine.
    LocalFile,
    /// Through the proxy that the user named, which does the checking of addresses.
    Proxy,
    /// Returned by a page service of this name: we did not connect to the page.
    Service(String),
}

/// How a page was fetched; its bytes and its text are stored under their digests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageRecord {
    pub asked_url: String,
    pub final_url: String,
    /// Each address that redirected, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redirects: Vec<String>,
    /// The address that was connected to; none for a local file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    pub fetched_at: Moment,
    pub status: u16,
    /// The few that matter later: type, length, dates, validators, language.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
    pub media: MediaKind,
    pub bytes: u64,
    pub provenance: Provenance,
    /// The bytes were already stored and the server says they are still current.
    #[serde(default)]
    pub revalidated: bool,
    /// The user's `web.reach` named another address for this host than its own; older records do not tell.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub overridden: bool,
}

/// What a block of text was on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExtractBlockKind {
    Heading,
    Paragraph,
    ListItem,
    Quote,
    Code,
    /// One row of a table, cells separated by ` | `.
    TableRow,
}

/// A piece of `Extract::text` and its position in the page's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtractBlock {
    pub kind: ExtractBlockKind,
    /// Byte range in `Extract::text`.
    pub start: usize,
    pub end: usize,
    /// Byte range in the snapshot, where the format has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<(usize, usize)>,
    /// Page of a PDF, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtractLink {
    /// Absolute, http or https.
    pub url: String,
    pub text: String,
}

/// Something on a page that a reader does not see or that addresses machines. Reported, never a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InjectionSign {
    HiddenText,
    InvisibleCharacters,
    SpeaksToAssistants,
    EncodedBlob,
    FalseDelimiters,
}

/// The readable text of a page, with what is known about it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Extract {
    pub text: String,
    pub blocks: Vec<ExtractBlock>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
    /// ISO 639-1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<ExtractLink>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signs: Vec<InjectionSign>,
    /// The page had more text than was stored.
    #[serde(default)]
    pub truncated: bool,
    /// Menus and buttons that were left out of a user's document; none of a page that is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub menus: Option<u32>,
}

impl Extract {
    /// The stored form. Plain data: encoding it cannot fail short of memory.
    pub fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    pub fn decode(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(bytes)
    }
}
