//! Foreign text inside HTML, where it means only itself.

use std::fmt::{self, Write as _};

use crate::document::{Source, Verdict};

/// For text and for attributes in double quotes alike.
pub struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
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

/// A link that leaves the page. The address was parsed when the document was made; what is not one is plain text.
pub struct Link<'a> {
    pub to: &'a str,
    pub words: &'a str,
}

impl fmt::Display for Link<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = Escaped(self.words);
        match is_web(self.to) {
            true => write!(
                out,
                "<a href=\"{}\" rel=\"noopener noreferrer nofollow\"><bdi>{words}</bdi></a>",
                Escaped(self.to)
            ),
            false => write!(out, "<bdi>{words}</bdi>"),
        }
    }
}

/// A document may have been read from a file: its addresses are looked at again.
pub fn is_web(address: &str) -> bool {
    address.starts_with("https://") || address.starts_with("http://")
}

impl Source {
    pub(super) fn link(&self) -> Link<'_> {
        Link { to: &self.url, words: &self.title }
    }
}

/// The shape of a verdict; `front` defines the shapes once.
pub fn shape(verdict: Verdict) -> String {
    format!("<svg><use href=\"#shape{}\"/></svg>", class(verdict))
}

/// Short, because every sentence carries one.
pub fn class(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Supported => 0,
        Verdict::Quoted => 1,
        Verdict::Partly => 2,
        Verdict::Qualified => 3,
        Verdict::Contradicted => 4,
        Verdict::NotInSource => 5,
        Verdict::NotChecked => 6,
        Verdict::CheckFailed => 7,
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
