//! A dead link and its copy, in an archive that is simulated here after the documents of the real one.

use probity_types::{
    error::{Code, CodedError},
    web::page::Provenance,
};
use probity_web::archive::{COPIED_AT, WebArchive, is_gone};

use crate::fetch::site::{NOW, Site};

const DEAD: &str = "http://gone.example/ferries?year=2013";
const COPY: &str = "/web/20130919044612id_/http://gone.example/ferries?year=2013";

fn answer(status: &str, kind: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{body}")
        .into_bytes()
}

fn available(stamp: &str) -> String {
    format!(
        r#"{{"url":"gone.example","archived_snapshots":{{"closest":{{"status":"200","available":true,"url":"http://10.0.0.1/web/{stamp}/x","timestamp":"{stamp}"}}}}}}"#
    )
}

/// An archive with the answers of its two indexes; copies are at the address of their day.
async fn archive(availability: (&'static str, String), index: &'static str) -> Site {
    Site::start(move |path, _| match path.split('?').next().unwrap_or_default() {
        "/wayback/available" => answer(availability.0, "application/json", &availability.1),
        "/cdx/search/cdx" => answer("200 OK", "application/json", index),
        _ if path == COPY => answer("200 OK", "text/html", "<html><p>Ferries sailed at noon.</p></html>"),
        _ => answer("404 Not Found", "text/plain", "no"),
    })
    .await
}

#[tokio::test]
async fn a_dead_page_comes_from_the_archive_with_the_date_of_the_copy() {
    let site = archive(("200 OK", available("20130919044612")), "[]").await;
    let fetcher = site.fetcher();
    let dead = fetcher.page(DEAD).await.unwrap_err();
    assert!(is_gone(&dead), "{dead:?}");
    let copy = WebArchive::at("http://archive.example/").copy(&fetcher, DEAD).await.unwrap();
    assert_eq!(&copy.bytes[..], b"<html><p>Ferries sailed at noon.</p></html>");
    let record = &copy.record;
    assert_eq!((record.asked_url.as_str(), record.final_url.as_str()), (DEAD, DEAD));
    assert_eq!(record.provenance, Provenance::Archive(format!("http://archive.example{COPY}")));
    assert_eq!(record.fetched_at, NOW);
    let copied = record.headers.iter().find(|(name, _)| name == COPIED_AT).map(|(_, date)| date.as_str());
    assert_eq!(copied, Some("2013-09-19T04:46:12.000Z"));
}

#[tokio::test]
async fn the_index_is_asked_when_the_first_question_brings_nothing() {
    let index = r#"[["timestamp","statuscode"],["20100101000000","200"],["20130919044612","200"]]"#;
    let nothing = r#"{"url":"x","archived_snapshots":{}}"#.to_owned();
    for availability in [("200 OK", nothing), ("503 Service Unavailable", String::new())] {
        let site = archive(availability, index).await;
        let copy = WebArchive::at("http://archive.example").copy(&site.fetcher(), DEAD).await.unwrap();
        assert_eq!(copy.record.provenance, Provenance::Archive(format!("http://archive.example{COPY}")));
        let asked = site.paths();
        let index = asked.iter().find(|path| path.starts_with("/cdx/")).unwrap();
        assert!(index.contains("url=http%3A%2F%2Fgone.example%2Fferries%3Fyear%3D2013"), "{index}");
        assert!(index.contains("limit=-1") && index.contains("filter=statuscode%3A200"), "{index}");
    }
}

#[tokio::test]
async fn no_copy_is_told_and_an_archive_that_talks_nonsense_is_an_error() {
    let nothing = || r#"{"archived_snapshots":{}}"#.to_owned();
    let site = archive(("200 OK", nothing()), "[]").await;
    let problem = WebArchive::at("http://archive.example").copy(&site.fetcher(), DEAD).await.unwrap_err();
    assert_eq!((problem.code, problem.http_status), (Code::PageUnreachable, Some(404)));
    let site = archive(("200 OK", nothing()), "<html>").await;
    let problem = WebArchive::at("http://archive.example").copy(&site.fetcher(), DEAD).await.unwrap_err();
    assert_eq!(problem.code, Code::UnreadableAnswer);
}

#[tokio::test]
async fn an_inward_address_is_not_looked_for_in_the_archive() {
    let site = archive(("200 OK", available("20130919044612")), "[]").await;
    let problem = WebArchive::at("http://archive.example")
        .copy(&site.fetcher(), "http://127.0.0.1/")
        .await
        .unwrap_err();
    assert_eq!((problem.code, site.paths()), (Code::AddressRefused, Vec::new()));
}

#[test]
fn slow_refused_and_broken_pages_are_not_gone() {
    let problem =
        |code: Code, status: Option<u16>| CodedError { http_status: status, ..CodedError::new(code, "x") };
    for (code, status, gone) in [
        (Code::PageUnreachable, Some(404), true),
        (Code::PageUnreachable, Some(410), true),
        (Code::PageUnreachable, None, true),
        (Code::PageUnreachable, Some(403), false),
        (Code::PageUnreachable, Some(503), false),
        (Code::Timeout, None, false),
        (Code::RobotsRefused, None, false),
        (Code::AddressRefused, None, false),
    ] {
        assert_eq!(is_gone(&problem(code, status)), gone, "{code} {status:?}");
    }
}
