//! A proxy that the user named: it is told whole addresses, opens tunnels, and never hears of inward ones.

use std::sync::Arc;

use probity_types::{error::Code, web::page::Provenance};
use probity_web::fetch::{Fetcher, FetcherSettings, NameResolver, ReachRules, UpstreamProxy};
use secrecy::SecretString;

use super::site::{NOW, Site, answer, html, missing};

#[tokio::test]
async fn pages_come_through_the_named_proxy_and_say_so() {
    let proxy = Site::start(|path, head| match path {
        _ if head.starts_with("CONNECT") => answer("403 Forbidden", &[], b""),
        _ if path.ends_with("/robots.txt") => missing(),
        _ => html("<html>by proxy"),
    })
    .await;
    let wiki = Site::start(|_, _| html("<html>wiki")).await;
    let mut settings = FetcherSettings::new(|| NOW);
    settings.lookup =
        NameResolver::from_fn(|_| Box::pin(async { Err(std::io::Error::other("nobody looks up")) }));
    settings.reach = ReachRules::parse([format!("wiki.corp:80={}", wiki.address)]).unwrap();
    let key = SecretString::from("Basic canary");
    settings.proxy =
        Some(Arc::new(UpstreamProxy::new(&format!("http://{}", proxy.address), Some(&key)).unwrap()));
    let fetcher = Fetcher::new(settings).unwrap();

    let page = fetcher.page("http://any.example/page").await.unwrap();
    assert_eq!((page.record.provenance, &page.bytes[..]), (Provenance::Proxy, &b"<html>by proxy"[..]));
    assert_eq!(proxy.paths(), ["http://any.example/robots.txt", "http://any.example/page"]);
    assert!(proxy.asked.lock().unwrap()[1].contains("proxy-authorization: Basic canary\r\n"));

    let problem = fetcher.page("https://any.example/page").await.unwrap_err();
    assert_eq!(problem.code, Code::PageUnreachable);
    assert_eq!(proxy.paths().last().unwrap(), "any.example:443");
    let known = proxy.paths().len();
    for inward in ["http://127.0.0.1/", "https://10.0.0.1/", "http://localhost/", "http://any.example:8080/"]
    {
        assert_eq!(fetcher.page(inward).await.unwrap_err().code, Code::AddressRefused, "{inward}");
    }
    let reached = fetcher.page("http://wiki.corp/").await.unwrap();
    assert_eq!(reached.record.provenance, Provenance::Direct);
    assert!(!wiki.asked.lock().unwrap().join("").contains("canary"), "the proxy's key stays with the proxy");
    assert_eq!(proxy.paths().len(), known);
}

#[test]
fn a_proxy_is_a_plain_address() {
    for wrong in ["", "proxy:3128", "socks5://proxy:1080", "https://proxy:3128", "http://user:key@proxy:3128"]
    {
        assert!(UpstreamProxy::new(wrong, None).is_err(), "{wrong}");
    }
}
