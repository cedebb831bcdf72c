use std::{
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use probity_types::error::Code;

use super::{AddressGuard, INWARD};
use crate::fetch::{AddressBlock, NameResolver, ReachRules};

fn answers(addresses: &'static [&'static str]) -> NameResolver {
    NameResolver::from_fn(move |_| {
        let found: Vec<IpAddr> = addresses.iter().map(|text| text.parse().unwrap()).collect();
        Box::pin(async move { Ok(found) })
    })
}

fn guard(addresses: &'static [&'static str]) -> AddressGuard {
    AddressGuard::new(
        answers(addresses),
        ReachRules::parse(["wiki.corp:8080=10.0.0.5:80"]).unwrap(),
        Vec::new(),
    )
}

#[track_caller]
fn check(text: &str, expected: Result<&str, Code>) {
    let parsed = guard(&[]).parse(text);
    let parsed = parsed.as_ref().map(url::Url::as_str).map_err(|problem| problem.code);
    assert_eq!(parsed, expected, "{text:?}");
}

#[test]
fn an_address_is_spelled_plainly_or_refused() {
    check("https://example.com", Ok("https://example.com/"));
    check("HTTP://Example.COM:80/a?b#c", Ok("http://example.com/a?b"));
    check("http://bücher.example/ä", Ok("http://xn--bcher-kva.example/%C3%A4"));
    check("http://8.8.8.8/", Ok("http://8.8.8.8/"));
    check("http://wiki.corp:8080/x", Ok("http://wiki.corp:8080/x"));
    for wrong in [
        "",
        "example.com",
        "http:example.com",
        "http:///example.com",
        "//example.com/",
        "ftp://example.com/",
        "file:///etc/passwd",
        "http://user@example.com/",
        "http://user:key@example.com/",
        "http://example.com:8080/",
        "http://example.com:0/",
        "https://example.com:22/",
        "http://wiki.corp:8081/",
        "http://exa mple.com/",
        "http://example.com/\t",
        "http://example.com\\@evil.example/",
        "http://example.com/\u{0}",
        "http://exam\u{a0}ple.com/",
        "http://localhost/",
        "http://LOCALHOST./",
        "http://intranet/",
        "http://a..b.example/",
        "http://metadata.google.internal/",
        "http://127.1/",
        "http://[::1]/",
        "http://[fe80::1%25eth0]/",
    ] {
        check(wrong, Err(Code::AddressRefused));
    }
    check(&format!("http://example.com/{}", "a".repeat(2048)), Err(Code::AddressRefused));
    for ending in INWARD {
        check(&format!("http://{ending}/"), Err(Code::AddressRefused));
        check(&format!("http://a.{ending}/"), Err(Code::AddressRefused));
        check(&format!("http://a{ending}.example/"), Ok(&format!("http://a{ending}.example/")));
    }
}

#[track_caller]
fn redirect(from: &str, location: &str, expected: Result<&str, Code>) {
    let guard = guard(&[]);
    let from = guard.parse(from).unwrap();
    let to = guard.redirect(&from, location);
    assert_eq!(to.as_ref().map(url::Url::as_str).map_err(|problem| problem.code), expected, "{location:?}");
}

#[test]
fn a_redirect_is_judged_like_an_address() {
    redirect("http://a.example/x/y", "../z", Ok("http://a.example/z"));
    redirect("http://a.example/", "//b.example/", Ok("http://b.example/"));
    redirect("http://a.example/", "https://b.example/", Ok("https://b.example/"));
    redirect("http://a.example/", "/käse", Ok("http://a.example/k%C3%A4se"));
    redirect("https://a.example/", "http://a.example/", Err(Code::AddressRefused));
    for wrong in [
        "//127.0.0.1/",
        "http://0x7f.1/",
        "file:///etc/passwd",
        "data:text/html,x",
        "/a b",
        "//u:p@b.example/",
    ] {
        redirect("http://a.example/", wrong, Err(Code::AddressRefused));
    }
}

async fn resolved(guard: &AddressGuard, host: &str, port: u16) -> Result<Vec<String>, Code> {
    let found = guard.resolve(host, port).await.map_err(|problem| problem.code)?;
    Ok(found.iter().map(ToString::to_string).collect())
}

#[tokio::test]
async fn all_addresses_are_public_or_the_name_is_refused() {
    let name = "any.example";
    let refused = Err(Code::AddressRefused);
    assert_eq!(
        resolved(&guard(&["8.8.8.8", "2606:4700::1"]), name, 443).await,
        Ok(vec!["8.8.8.8:443".to_owned(), "[2606:4700::1]:443".to_owned()])
    );
    assert_eq!(resolved(&guard(&["8.8.8.8", "10.0.0.1"]), name, 443).await, refused);
    assert_eq!(resolved(&guard(&["::ffff:127.0.0.1"]), name, 80).await, refused);
    assert_eq!(resolved(&guard(&[]), name, 80).await, Err(Code::PageUnreachable));
    assert_eq!(resolved(&guard(&["8.8.8.8"]), name, 22).await, refused);
    for literal in ["127.0.0.1", "2130706433", "0x7f.1", "::1", "[::1]", "[::ffff:7f00:1]", "１２７.0.0.1"]
    {
        assert_eq!(resolved(&guard(&["8.8.8.8"]), literal, 80).await, refused, "{literal}");
    }
    assert_eq!(resolved(&guard(&["8.8.8.8"]), "9.9.9.9", 80).await, Ok(vec!["9.9.9.9:80".to_owned()]));
}

#[tokio::test]
async fn what_the_user_wrote_down_is_not_looked_up() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let lookup = NameResolver::from_fn(move |_| {
        counter.fetch_add(1, Ordering::SeqCst);
        Box::pin(async { Ok(vec!["203.0.114.7".parse().unwrap()]) })
    });
    let deny = vec![AddressBlock::parse("203.0.114.0/24").unwrap()];
    let guard = AddressGuard::new(lookup, ReachRules::parse(["wiki.corp:8080=10.0.0.5:80"]).unwrap(), deny);
    assert_eq!(resolved(&guard, "wiki.corp", 8080).await, Ok(vec!["10.0.0.5:80".to_owned()]));
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    assert_eq!(resolved(&guard, "denied.example", 80).await, Err(Code::AddressRefused));
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}
