//! The redirects that citations go through: `/grounding-api-redirect/<token>` on the address the caller used.
//!
//! A token contains its page and a checksum, so that a forged one is not found. Needs no API key.

use bytes::Bytes;

use super::{errors, fingerprint, round::facts};
use crate::{
    call::{SimulatorAnswer, SimulatorCall},
    rounds::Pages,
};

/// The path of every redirect.
pub(crate) const PATH: &str = "grounding-api-redirect";
/// Where the live service's redirects are, for callers that name no host.
const LIVE: &str = "https://vertexaisearch.cloud.google.com";

/// Where the caller reached the service, without a slash at the end.
pub(crate) fn base_of(call: &SimulatorCall) -> Box<str> {
    match call.header("host") {
        Some(host) => format!("http://{host}").into(),
        None => LIVE.into(),
    }
}

/// The redirect to one page of a topic.
pub(crate) fn url(base: &str, pages: Pages, topic: &str, page: u32) -> String {
    format!("{base}/{PATH}/{}", token(pages, topic, page))
}

/// Answers the call that follows a redirect.
pub(crate) fn follow(given: &str) -> SimulatorAnswer {
    match given.split('.').collect::<Vec<&str>>().as_slice() {
        [_, pages, page, topic] => match (Pages::parse(pages), page.parse()) {
            (Some(pages), Ok(page)) if token(pages, topic, page) == given => found(pages, topic, page),
            _ => errors::html(404),
        },
        _ => errors::html(404),
    }
}

fn found(pages: Pages, topic: &str, page: u32) -> SimulatorAnswer {
    let headers = vec![
        ("location".to_owned(), facts::page_url(pages, topic, page)),
        ("content-type".to_owned(), "text/html; charset=UTF-8".to_owned()),
    ];
    SimulatorAnswer::Whole { status: 302, headers, body: Bytes::new() }
}

fn token(pages: Pages, topic: &str, page: u32) -> String {
    let checksum = fingerprint(&[Some(PATH), Some(pages.as_str()), Some(topic), Some(&page.to_string())]);
    format!("AZ{checksum:016x}.{pages}.{page}.{topic}")
}
