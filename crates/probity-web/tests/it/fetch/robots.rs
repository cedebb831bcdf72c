//! What a site asks of programs is heeded.

use probity_types::error::Code;

use super::site::{Site, answer, html, missing};

async fn site_with(robots: Vec<u8>) -> Site {
    Site::start(move |path, _| if path == "/robots.txt" { robots.clone() } else { html("<html>page") }).await
}

fn file(text: &str) -> Vec<u8> {
    answer("200 OK", &[("content-type", "text/plain")], text.as_bytes())
}

async fn outcome(site: &Site, path: &str) -> Result<(), Code> {
    let page = site.fetcher().page(&format!("http://a.example{path}")).await;
    page.map(drop).map_err(|problem| problem.code)
}

#[tokio::test]
async fn a_rule_for_all_and_a_rule_for_us() {
    let site = site_with(file("User-agent: *\nDisallow: /private\n")).await;
    assert_eq!(outcome(&site, "/private/x").await, Err(Code::RobotsRefused));
    assert_eq!(outcome(&site, "/open").await, Ok(()));
    let site = site_with(file("User-agent: *\nDisallow: /\n\nUser-agent: probity\nAllow: /\n")).await;
    assert_eq!(outcome(&site, "/open").await, Ok(()));
    let site = site_with(file("User-agent: Probity\nDisallow: /\n")).await;
    assert_eq!(outcome(&site, "/open").await, Err(Code::RobotsRefused));
}

#[tokio::test]
async fn no_file_is_no_wish_and_a_broken_site_is_left_alone() {
    assert_eq!(outcome(&site_with(missing()).await, "/").await, Ok(()));
    assert_eq!(outcome(&site_with(html("<html>not robots")).await, "/").await, Ok(()));
    assert_eq!(outcome(&site_with(answer("500 Oops", &[], b"")).await, "/").await, Err(Code::RobotsRefused));
    assert_eq!(outcome(&site_with(answer("429 Slow", &[], b"")).await, "/").await, Err(Code::RobotsRefused));
    assert_eq!(outcome(&site_with(Vec::new()).await, "/").await, Err(Code::PageUnreachable));
    let inwards = answer("302 Found", &[("location", "http://127.0.0.1/robots.txt")], b"");
    assert_eq!(outcome(&site_with(inwards).await, "/").await, Err(Code::AddressRefused));
}

#[tokio::test]
async fn a_huge_or_hostile_file_is_cut_not_trusted() {
    let rules = "User-agent: *\nDisallow: /private\n";
    let huge = format!("{rules}{}", "Allow: /*a*a*a*a*a*a*a*b$\n".repeat(40_000));
    let site = site_with(file(&huge)).await;
    assert_eq!(outcome(&site, &format!("/private/{}", "a".repeat(1000))).await, Err(Code::RobotsRefused));
    let bytes: Vec<u8> = (0..=255_u8).cycle().take(600_000).collect();
    assert_eq!(outcome(&site_with(answer("200 OK", &[], &bytes)).await, "/").await, Ok(()));
}

#[tokio::test]
async fn a_site_is_asked_once() {
    let site = site_with(file("User-agent: *\nAllow: /\n")).await;
    let fetcher = site.fetcher();
    let (one, two) = tokio::join!(fetcher.page("http://a.example/1"), fetcher.page("http://a.example/2"));
    assert!(one.is_ok() && two.is_ok());
    fetcher.page("http://a.example/3").await.unwrap();
    assert_eq!(site.paths().iter().filter(|path| *path == "/robots.txt").count(), 1);
}
