//! Escapes foreign text for HTML.

use std::fmt::{self, Write as _};

use crate::document::{DisplayVerdict, ReportClaim, ReportSource};

/// For text and for attributes in double quotes alike.
pub struct HtmlEscape<'a>(pub &'a str);

impl fmt::Display for HtmlEscape<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(['&', '<', '>', '"', '\'']) {
            let (plain, behind) = rest.split_at_checked(at).unwrap_or((rest, ""));
            out.write_str(plain)?;
            let mut characters = behind.chars();
            match characters.next() {
                Some('&') => out.write_str("&amp;")?,
                Some('<') => out.write_str("&lt;")?,
                Some('>') => out.write_str("&gt;")?,
                Some('"') => out.write_str("&quot;")?,
                _ => out.write_str("&#39;")?,
            }
            rest = characters.as_str();
        }
        out.write_str(rest)
    }
}

/// A link that leaves the page. The address was parsed when the document was made; anything else is plain
/// text.
pub struct HtmlLink<'a> {
    pub to: &'a str,
    pub words: &'a str,
}

impl fmt::Display for HtmlLink<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = HtmlEscape(self.words);
        match is_web(self.to) {
            true => write!(
                out,
                "<a href=\"{}\" rel=\"noopener noreferrer nofollow\"><bdi>{words}</bdi></a>",
                HtmlEscape(self.to)
            ),
            false => write!(out, "<bdi>{words}</bdi>"),
        }
    }
}

/// A document may have been read from a file: its addresses are validated again.
pub fn is_web(address: &str) -> bool {
    address.starts_with("https://") || address.starts_with("http://")
}

impl ReportSource {
    pub(super) fn link(&self) -> HtmlLink<'_> {
        HtmlLink { to: &self.url, words: &self.title }
    }
}

/// The shape of a verdict; `header` defines the shapes once.
pub fn verdict_icon(verdict: DisplayVerdict) -> String {
    format!("<svg><use href=\"#shape{}\"/></svg>", verdict_class(verdict))
}

/// The shape of a claim: its verdict's, and a second one where another source disagrees.
pub fn claim_icon(claim: &ReportClaim) -> String {
    let disputed = if claim.is_contested() { "<svg><use href=\"#shaped\"/></svg>" } else { "" };
    format!("{}{disputed}", verdict_icon(claim.verdict))
}

/// Short, because every sentence has one.
pub fn verdict_class(verdict: DisplayVerdict) -> u8 {
    match verdict {
        DisplayVerdict::Supported => 0,
        DisplayVerdict::Quoted => 1,
        DisplayVerdict::Partly => 2,
        DisplayVerdict::Qualified => 3,
        DisplayVerdict::Contradicted => 4,
        DisplayVerdict::NotInSource => 5,
        DisplayVerdict::NotChecked => 6,
        DisplayVerdict::CheckFailed => 7,
        DisplayVerdict::Follows => 8,
        DisplayVerdict::DoesNotFollow => 9,
    }
}

/// `2026-11-14` of a moment.
pub fn day(moment: &str) -> &str {
    moment.get(..10).unwrap_or(moment)
}

/// Numbers of sources as links into the list.
pub fn numbers(cites: &[u32]) -> String {
    let mut written = String::new();
    for number in cites {
        let _ = write!(written, "<a href=\"#source-{number}\">{number}</a>");
    }
    written
}
