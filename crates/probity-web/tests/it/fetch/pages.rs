//! Pages: what comes back, what follows, what stops.

use std::time::Duration;

use probity_types::{
    error::Code,
    web::{
        MediaKind,
        page::{PageRecord, Provenance},
    },
};
use probity_web::fetch::{FetchLimits, Fetcher, FetcherSettings, ROBOT_NAME};

use super::site::{NOW, Site, answer, html, missing};

fn redirect(status: &str, to: &str) -> Vec<u8> {
    answer(status, &[("location", to)], b"moved")
}

#[tokio::test]
async fn a_page_comes_with_its_history() {
    let site = Site::start(|path, _| match path {
        "/old" => redirect("301 Moved", "/newer?a=1#part"),
        "/newer?a=1" => redirect("302 Found", "http://other.example/page"),
        "/page" => html("<!doctype html><p>words"),
        _ => missing(),
    })
    .await;
    let page = site.fetcher().page("http://start.example/old#top").await.unwrap();
    let expected = PageRecord {
        asked_url: "http://start.example/old".to_owned(),
        final_url: "http://other.example/page".to_owned(),
        redirects: vec!["http://start.example/old".to_owned(), "http://start.example/newer?a=1".to_owned()],
        address: Some(site.address.to_string()),
        fetched_at: NOW,
        status: 200,
        headers: vec![
            ("content-type".to_owned(), "text/html; charset=utf-8".to_owned()),
            ("content-length".to_owned(), "23".to_owned()),
        ],
        media: MediaKind::Html,
        bytes: 23,
        provenance: Provenance::Direct,
        revalidated: false,
        overridden: true,
    };
    assert_eq!(page.record, expected);
    assert_eq!(&page.bytes[..], b"<!doctype html><p>words");
    let asked = site.asked.lock().unwrap();
    let last = asked.last().unwrap().to_ascii_lowercase();
    assert!(last.contains(&format!("user-agent: {}/", ROBOT_NAME.to_ascii_lowercase())), "{last}");
    assert!(
        last.contains("host: other.example") && !last.contains("referer") && !last.contains("cookie"),
        "{last}"
    );
}

#[tokio::test]
async fn redirects_end() {
    let site = Site::start(|path, _| match path.trim_start_matches("/step").parse::<u32>() {
        Ok(0) => html("<html>there"),
        Ok(step) => redirect("308 Permanent", &format!("/step{}", step - 1)),
        Err(_) => missing(),
    })
    .await;
    let fetcher = site.fetcher();
    assert_eq!(fetcher.page("http://a.example/step5").await.unwrap().record.redirects.len(), 5);
    let problem = fetcher.page("http://a.example/step6").await.unwrap_err();
    assert_eq!(problem.code, Code::PageUnreachable);
}

#[tokio::test]
async fn refresh_is_not_followed() {
    let site = Site::start(|path, _| match path {
        "/" => answer(
            "200 OK",
            &[("refresh", "0; url=/secret")],
            b"<html><meta http-equiv=refresh content='0;url=/secret'>",
        ),
        _ => missing(),
    })
    .await;
    site.fetcher().page("http://a.example/").await.unwrap();
    assert_eq!(site.paths(), ["/robots.txt", "/"]);
}

#[tokio::test]
async fn an_error_carries_its_status_and_wait() {
    let site = Site::start(|path, _| match path {
        "/busy" => answer("503 Busy", &[("retry-after", "7")], b""),
        _ => missing(),
    })
    .await;
    let fetcher = site.fetcher();
    let problem = fetcher.page("http://a.example/busy").await.unwrap_err();
    assert_eq!(
        (problem.code, problem.http_status, problem.retry_after_ms),
        (Code::PageUnreachable, Some(503), Some(7000))
    );
    let problem = fetcher.page("http://a.example/gone").await.unwrap_err();
    assert_eq!((problem.code, problem.http_status), (Code::PageUnreachable, Some(404)));
}

#[tokio::test]
async fn a_page_that_still_holds_is_not_sent_again() {
    let site = Site::start(|path, head| match path {
        "/page" if head.to_ascii_lowercase().contains("if-none-match: \"one\"") => {
            b"HTTP/1.1 304 Not Modified\r\nconnection: close\r\n\r\n".to_vec()
        }
        "/page" => answer("200 OK", &[("content-type", "text/html"), ("etag", "\"one\"")], b"<html>kept"),
        "/secret" => answer("200 OK", &[("etag", "\"two\""), ("cache-control", "no-store")], b"<html>x"),
        _ => missing(),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let first = site.caching(folder.path().to_owned()).page("http://a.example/page").await.unwrap();
    assert!(!first.record.revalidated);
    let again = site.caching(folder.path().to_owned()).page("http://a.example/page").await.unwrap();
    assert!(again.record.revalidated);
    assert_eq!((again.bytes, again.record.status, again.record.media), (first.bytes, 200, MediaKind::Html));
    site.caching(folder.path().to_owned()).page("http://a.example/secret").await.unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no-store is not stored");
}

#[tokio::test]
async fn limits_of_size_and_time() {
    let site = Site::start(|path, _| match path {
        "/large" => html(&"a".repeat(300_000)),
        "/lying" => b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nshort".to_vec(),
        "/twice" => answer("200 OK", &[("content-encoding", "gzip, gzip")], b"x"),
        "/headers" => answer("200 OK", &[("x", &"y".repeat(70_000))], b""),
        _ => missing(),
    })
    .await;
    let limits = FetchLimits { wire_bytes_max: 100_000, ..site.settings().limits };
    let fetcher = Fetcher::new(FetcherSettings { limits, ..site.settings() }).unwrap();
    for (path, code) in [
        ("large", Code::PageTooLarge),
        ("lying", Code::PageUnreachable),
        ("twice", Code::PageUnreadable),
        ("headers", Code::PageTooLarge),
    ] {
        let problem = fetcher.page(&format!("http://a.example/{path}")).await.unwrap_err();
        assert_eq!(problem.code, code, "{path}: {problem}");
    }
}

#[tokio::test]
async fn silence_ends() {
    let site = Site::start(|path, _| {
        if path == "/robots.txt" {
            missing()
        } else {
            std::thread::park_timeout(Duration::from_millis(400));
            Vec::new()
        }
    })
    .await;
    let limits = FetchLimits { first_byte: Duration::from_millis(100), ..site.settings().limits };
    let fetcher = Fetcher::new(FetcherSettings { limits, ..site.settings() }).unwrap();
    let problem = fetcher.page("http://a.example/").await.unwrap_err();
    assert_eq!((problem.code, problem.message.as_str()), (Code::PageUnreachable, "no answer came in time"));
}
