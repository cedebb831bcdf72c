//! One page of the small web, and the answer its server gives.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::call::{SimulatorAnswer, SimulatorCall};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SmallWebLink {
    pub url: String,
    pub text: String,
}

/// Everything but `url` may be left out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SmallWebPage {
    /// `http://host/path?query`.
    pub url: String,
    pub title: String,
    /// Paragraphs, separated by empty lines.
    pub text: String,
    pub links: Vec<SmallWebLink>,
    /// ISO 639-1.
    pub language: Option<String>,
    /// `YYYY-MM-DD`.
    pub published: Option<String>,
    pub author: Option<String>,
    /// 200, or 301 where `redirect` is given.
    pub status: Option<u16>,
    pub delay_ms: u64,
    /// Where `Location` points.
    pub redirect: Option<String>,
    pub headers: Vec<(String, String)>,
    /// Sent unchanged instead of the HTML made from title, text and links.
    pub body: Option<String>,
    pub content_type: Option<String>,
    /// For bodies that are no text.
    #[serde(skip)]
    pub bytes: Option<Vec<u8>>,
    /// Served, but found by no search.
    pub unlisted: bool,
    /// Names of the providers that find it; empty means all.
    pub known_to: Vec<String>,
}

impl SmallWebPage {
    pub fn new(url: &str, title: &str, text: &str) -> Self {
        Self { url: url.to_owned(), title: title.to_owned(), text: text.to_owned(), ..Self::default() }
    }

    #[must_use]
    pub fn with_link(mut self, url: &str, text: &str) -> Self {
        self.links.push(SmallWebLink { url: url.to_owned(), text: text.to_owned() });
        self
    }

    #[must_use]
    pub fn published(mut self, date: &str) -> Self {
        self.published = Some(date.to_owned());
        self
    }

    #[must_use]
    pub fn in_language(mut self, language: &str) -> Self {
        self.language = Some(language.to_owned());
        self
    }

    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    #[must_use]
    pub fn after_ms(mut self, delay_ms: u64) -> Self {
        self.delay_ms = delay_ms;
        self
    }

    #[must_use]
    pub fn redirecting_to(mut self, url: &str) -> Self {
        self.redirect = Some(url.to_owned());
        self
    }

    #[must_use]
    pub fn with_bytes(mut self, content_type: &str, bytes: Vec<u8>) -> Self {
        self.content_type = Some(content_type.to_owned());
        self.bytes = Some(bytes);
        self
    }

    #[must_use]
    pub fn unlisted(mut self) -> Self {
        self.unlisted = true;
        self
    }

    /// Host and path with query.
    pub(super) fn place(&self) -> Option<(String, String)> {
        let url = url::Url::parse(&self.url).ok()?;
        let host = url.host_str()?.to_ascii_lowercase();
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        matches!(url.scheme(), "http" | "https").then(|| (host, format!("{}{query}", url.path())))
    }

    pub(super) fn answer(&self, now_ms: u64, call: &SimulatorCall) -> SimulatorAnswer {
        let answer = self.at_once(call);
        match self.delay_ms {
            0 => answer,
            delay_ms => {
                SimulatorAnswer::Later { at_ms: now_ms.saturating_add(delay_ms), then: Box::new(answer) }
            }
        }
    }

    fn at_once(&self, call: &SimulatorCall) -> SimulatorAnswer {
        let mut headers = self.headers.clone();
        if let Some(target) = &self.redirect {
            headers.push(("location".to_owned(), target.clone()));
            let status = self.status.unwrap_or(301);
            return SimulatorAnswer::Whole { status, headers, body: Bytes::new() };
        }
        let body = self.content();
        let tag = format!("\"{:016x}\"", fingerprint(&body));
        headers.push(("etag".to_owned(), tag.clone()));
        let kind = self.content_type.as_deref().unwrap_or("text/html; charset=utf-8");
        headers.push(("content-type".to_owned(), kind.to_owned()));
        if self.status.is_none() && call.header("if-none-match") == Some(tag.as_str()) {
            return SimulatorAnswer::Whole { status: 304, headers, body: Bytes::new() };
        }
        SimulatorAnswer::Whole { status: self.status.unwrap_or(200), headers, body }
    }

    fn content(&self) -> Bytes {
        match (&self.bytes, &self.body) {
            (Some(bytes), _) => Bytes::from(bytes.clone()),
            (None, Some(body)) => Bytes::from(body.clone()),
            (None, None) => Bytes::from(self.html()),
        }
    }

    pub(super) fn html(&self) -> String {
        let language = self.language.as_deref().unwrap_or("en");
        let meta = |name: &str, value: &Option<String>| {
            let value = value.as_deref()?;
            Some(format!("<meta {name} content=\"{}\">\n", escape(value)))
        };
        let published = meta("property=\"article:published_time\"", &self.published).unwrap_or_default();
        let author = meta("name=\"author\"", &self.author).unwrap_or_default();
        let paragraphs: String = self
            .text
            .split("\n\n")
            .map(|paragraph| format!("<p>{}</p>\n", escape(paragraph.trim())))
            .collect();
        let links: String = self
            .links
            .iter()
            .map(|link| format!("<li><a href=\"{}\">{}</a></li>\n", escape(&link.url), escape(&link.text)))
            .collect();
        let list = if links.is_empty() { String::new() } else { format!("<ul>\n{links}</ul>\n") };
        let title = escape(&self.title);
        format!(
            "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
             {published}{author}</head>\n<body>\n<main><article>\n<h1>{title}</h1>\n{paragraphs}{list}</article></main>\n\
             </body>\n</html>\n"
        )
    }
}

pub(super) fn plain(status: u16, content_type: &str, text: &str) -> SimulatorAnswer {
    let headers = vec![("content-type".to_owned(), content_type.to_owned())];
    SimulatorAnswer::Whole { status, headers, body: Bytes::from(text.to_owned()) }
}

pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Equal bytes, equal number (FNV-1a).
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
