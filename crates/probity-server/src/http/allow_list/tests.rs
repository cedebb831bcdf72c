use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri};
use expect_test::{Expect, expect};

use super::AllowList;

/// Headers as `name: value` lines; the answer is the status or `goes on`.
#[track_caller]
fn check(target: &str, lines: &[&str], expected: &Expect) {
    let allowed = AllowList::parse(
        &["research.example".to_owned(), "10.0.0.5:8765".to_owned()],
        &["https://app.example".to_owned(), "https://any.example:*".to_owned()],
    )
    .unwrap();
    let mut headers = HeaderMap::new();
    for line in lines {
        let (name, value) = line.split_once(": ").unwrap();
        headers.append(HeaderName::try_from(name).unwrap(), HeaderValue::from_str(value).unwrap());
    }
    let refusal = allowed.refusal(&target.parse::<Uri>().unwrap(), &headers);
    expected.assert_eq(&refusal.map_or("goes on".to_owned(), |status| status.as_str().to_owned()));
}

#[test]
fn this_machine_and_configured_hosts_go_on() {
    for host in [
        "localhost",
        "localhost:8765",
        "LOCALHOST:1",
        "127.0.0.1:8765",
        "[::1]:8765",
        "[::1]",
        "research.example:9",
        "10.0.0.5:8765",
    ] {
        check("/mcp", &[&format!("host: {host}")], &expect!["goes on"]);
    }
}

#[test]
fn other_hosts_do_not() {
    for host in [
        "evil.example",
        "localhost.evil.example",
        "localhost.",
        "evil.example:8765",
        "127.0.0.2",
        "10.0.0.5",
        "10.0.0.5:80",
        "user@localhost",
        "localhost:80@evil.example",
        "[::2]",
        "::1",
        "0.0.0.0:8765",
        "2130706433",
        "127.1",
        "localhost:99999",
    ] {
        let allowed = AllowList::parse(&["10.0.0.5:8765".to_owned()], &[]).unwrap();
        let mut headers = HeaderMap::new();
        headers.insert("host", HeaderValue::from_str(host).unwrap());
        assert!(allowed.refusal(&Uri::from_static("/mcp"), &headers).is_some(), "{host}");
    }
}

#[test]
fn a_missing_or_doubled_host_is_no_request() {
    check("/mcp", &[], &expect!["400"]);
    check("/mcp", &["host: localhost", "host: localhost"], &expect!["400"]);
    check("/mcp", &["host: a b"], &expect!["400"]);
}

#[test]
fn the_request_line_may_not_name_another_host() {
    check("http://evil.example/mcp", &["host: localhost"], &expect!["403"]);
    check("http://localhost/mcp", &["host: evil.example"], &expect!["403"]);
    check("http://localhost:8765/mcp", &["host: localhost:8765"], &expect!["goes on"]);
}

#[test]
fn origins_of_this_machine_and_configured_ones_go_on() {
    for origin in [
        "http://localhost:3000",
        "http://localhost",
        "http://127.0.0.1:1",
        "http://[::1]:6274",
        "https://app.example",
        "https://app.example:443",
        "https://any.example:9",
        "https://any.example",
    ] {
        check("/mcp", &["host: localhost", &format!("origin: {origin}")], &expect!["goes on"]);
    }
}

#[test]
fn other_origins_do_not() {
    for origin in [
        "http://evil.example",
        "https://localhost:3000",
        "null",
        "",
        "localhost",
        "http://localhost.evil.example",
        "http://localhost@evil.example",
        "http://evil.example@localhost",
        "http://localhost:3000/path",
        "https://app.example:444",
        "http://app.example",
        "file://",
        "chrome-extension://abc",
        "http://127.0.0.1:80:80",
    ] {
        check("/mcp", &["host: localhost", &format!("origin: {origin}")], &expect!["403"]);
    }
    check(
        "/mcp",
        &["host: localhost", "origin: http://localhost", "origin: http://evil.example"],
        &expect!["403"],
    );
}

#[test]
fn a_wrong_setting_is_named() {
    let refused = |hosts: &[&str], origins: &[&str]| {
        let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<String>>();
        AllowList::parse(&own(hosts), &own(origins)).unwrap_err().message
    };
    expect!["`serve.allowed_hosts`: `https://a` is not a host such as `research.example` or `10.0.0.5:8765`"]
        .assert_eq(&refused(&["https://a"], &[]));
    expect!["`serve.allowed_origins`: `app.example` is not an origin such as `https://research.example:*`"]
        .assert_eq(&refused(&[], &["app.example"]));
    for origin in ["*", "https://*", "https://a:1:*", "null", "ftp://a"] {
        refused(&[], &[origin]);
    }
}
