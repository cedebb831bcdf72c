use proptest::prelude::*;

use super::{canonical, display, site};

#[track_caller]
fn same(left: &str, right: &str) {
    assert_eq!(canonical(left), canonical(right), "{left} and {right}");
    assert!(canonical(left).is_some(), "{left}");
}

#[track_caller]
fn different(left: &str, right: &str) {
    assert_ne!(canonical(left), canonical(right), "{left} and {right}");
}

#[test]
fn spellings_of_one_page_are_one() {
    same("HTTP://Example.ORG:80/a", "https://example.org:443/a/");
    same("https://example.org", "https://www.example.org/index.html#top");
    same("https://example.org/a?utm_source=x&b=2&a=1&fbclid=9", "https://example.org/a?a=1&b=2");
    same("https://example.org/%7euser/%c3%a9", "https://example.org/~user/é");
    same("https://user:secret@example.org/a", "https://example.org/a");
    same("https://example.org./a", "https://example.org/a");
    same("https://example.org/a?", "https://example.org/a");
}

#[test]
fn forms_for_small_screens_are_the_same_page() {
    same("https://en.m.wikipedia.org/wiki/Rust", "https://en.wikipedia.org/wiki/Rust");
    same("https://m.example.co.uk/a", "https://example.co.uk/a");
    same("https://amp.example.com/a", "https://example.com/a");
    same("https://example.com/a/amp/", "https://example.com/a");
    same("https://example.com/amp/a", "https://example.com/a");
    same("https://example.com/a.amp.html", "https://example.com/a.html");
    same("https://example.com/a?amp=1", "https://example.com/a");
    same("https://www.google.com/amp/s/example.com/a", "https://example.com/a");
    same("https://example-com.cdn.ampproject.org/c/s/example.com/a", "https://example.com/a");
}

#[test]
fn different_pages_stay_different() {
    different("https://example.org/a?id=1", "https://example.org/a?id=2");
    different("https://example.org/a", "https://example.org/A");
    different("https://example.org:8080/", "https://example.org/");
    different("https://m.com/a", "https://com.com/a");
    different("https://a.example.org/", "https://b.example.org/");
    different("https://example.org/tree?ref=main", "https://example.org/tree?ref=next");
    different("https://example.org/a?x=1&x=2", "https://example.org/a?x=2&x=1");
    different("https://example.org/a%2Fb", "https://example.org/a/b");
    different("https://example.org/amp", "https://example.org/ample");
}

#[test]
fn what_is_no_web_address_has_no_form() {
    for address in ["", "ftp://example.org/", "javascript:alert(1)", "file:///etc/passwd", "http://", "a b c"]
    {
        assert_eq!((canonical(address), site(address)), (None, None), "{address}");
    }
}

#[test]
fn a_site_is_what_someone_registered() {
    let check =
        |address: &str, expected: &str| assert_eq!(site(address).as_deref(), Some(expected), "{address}");
    check("https://news.bbc.co.uk/1", "bbc.co.uk");
    check("https://en.m.wikipedia.org/wiki/X", "wikipedia.org");
    check("https://someone.github.io/post", "someone.github.io");
    check("https://other.github.io/post", "other.github.io");
    check("https://localhost:8080/", "localhost");
    check("http://[::1]:80/", "[::1]");
    check("http://10.0.0.1/", "10.0.0.1");
    check("https://a.b.公司.cn/", "b.xn--55qx5d.cn");
    check("https://www.MÜNCHEN.de/", "xn--mnchen-3ya.de");
}

#[test]
fn a_host_that_mixes_scripts_is_shown_in_punycode() {
    let check = |address: &str, expected: &str| assert_eq!(display(address), expected);
    check("https://xn--mnchen-3ya.de/a", "https://münchen.de/a");
    check("https://пример.рф/", "https://пример.рф/");
    check("https://日本語abc.jp/", "https://日本語abc.jp/");
    check("https://аррlе.com/", "https://xn--l-7sbq6ba.com/");
    check("https://xn--80ak6aa92e.com/", "https://xn--80ak6aa92e.com/");
    check("https://example.org@evil.example/a", "https://evil.example/a");
    check("https://example.org/xn--mnchen-3ya.de", "https://example.org/xn--mnchen-3ya.de");
}

/// Addresses made of the pieces that the rules look at.
fn address() -> impl Strategy<Value = String> {
    let scheme = prop::sample::select(vec!["http", "https"]);
    let host = prop::sample::select(vec![
        "example.org",
        "m.example.org",
        "www.amp.a.co.uk",
        "amp.com",
        "10.1.2.3",
        "x.github.io",
    ]);
    let part = prop::sample::select(vec![
        "amp",
        "a",
        "",
        "index.html",
        "b.amp.html",
        "%7e",
        "%zz",
        ".amp",
        "c/s/x.org",
        "index.html.amp",
    ]);
    let pair = prop::sample::select(vec!["utm_a=1", "b=2", "a=1", "a=0", "amp", "", "%61=1", "gclid", "=x"]);
    (scheme, host, prop::collection::vec(part, 0..4), prop::collection::vec(pair, 0..4)).prop_map(
        |(scheme, host, parts, pairs)| format!("{scheme}://{host}/{}?{}#f", parts.join("/"), pairs.join("&")),
    )
}

proptest! {
    #[test]
    fn any_text_is_survived(text in "\\PC{0,60}") {
        let _ = (canonical(&text), site(&text), display(&text));
    }

    #[test]
    fn what_follows_a_reader_never_makes_a_new_page(address in address(), value in "[a-z0-9]{0,8}") {
        let followed = address.replace("#f", &format!("&utm_source={value}&fbclid={value}"));
        prop_assert_eq!(canonical(&followed), canonical(&address));
    }

    #[test]
    fn a_canonical_address_is_on_the_same_site(address in address()) {
        let key = canonical(&address).unwrap();
        prop_assert_eq!(site(&key), site(&address));
    }
}
