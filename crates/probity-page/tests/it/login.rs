//! Nobody comes in without the word, from another name, or from another page.

use axum::{
    body::Body,
    http::{Method, Request, StatusCode, header},
};

use crate::{Browser, RUNNING, id, pages};

const GUARDED: [(&str, &str); 7] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("x-robots-tag", "noindex"),
    ("permissions-policy", "camera=(), microphone=(), geolocation=()"),
];

fn everything() -> Vec<String> {
    let mut all = pages();
    let id = id(RUNNING);
    all.extend([
        format!("/research/{id}/live"),
        format!("/research/{id}/report.md"),
        "/assets/page.css".to_owned(),
        "/nowhere".to_owned(),
    ]);
    all
}

#[tokio::test]
async fn no_route_answers_without_the_cookie_or_under_another_name() {
    let browser = Browser::new().await;
    for path in everything() {
        let bare = Request::get(&path).header(header::HOST, browser.door.host()).body(Body::empty()).unwrap();
        assert_eq!(browser.ask(bare).await.status(), StatusCode::UNAUTHORIZED, "{path}");
        let guessed = Request::get(&path)
            .header(header::HOST, browser.door.host())
            .header(header::COOKIE, "__Host-probity=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
            .body(Body::empty())
            .unwrap();
        assert_eq!(browser.ask(guessed).await.status(), StatusCode::UNAUTHORIZED, "{path}");
        for host in
            ["evil.example:4321", "127.0.0.1:4321", "localhost:4321", "[::1]:4321", "x.localhost:4321"]
        {
            let foreign = Request::get(&path)
                .header(header::HOST, host)
                .header(header::COOKIE, &browser.cookie)
                .body(Body::empty())
                .unwrap();
            assert_eq!(browser.ask(foreign).await.status(), StatusCode::MISDIRECTED_REQUEST, "{path} {host}");
        }
        let nameless =
            Request::get(&path).header(header::COOKIE, &browser.cookie).body(Body::empty()).unwrap();
        assert_eq!(browser.ask(nameless).await.status(), StatusCode::MISDIRECTED_REQUEST, "{path}");
    }
    for path in [
        "/new",
        "/new/start",
        &format!("/research/{}/cancel", id(RUNNING)),
        &format!("/research/{}/budget", id(RUNNING)),
        &format!("/research/{}/steer", id(RUNNING)),
    ] {
        let bare = Request::post(path)
            .header(header::HOST, browser.door.host())
            .header(header::ORIGIN, format!("http://{}", browser.door.host()));
        assert_eq!(
            browser.ask(bare.body(Body::empty()).unwrap()).await.status(),
            StatusCode::UNAUTHORIZED,
            "{path}"
        );
    }
    assert!(browser.told().is_empty());
}

#[tokio::test]
async fn the_word_opens_once_and_leaves_the_address() {
    let browser = Browser::new().await;
    let entry = browser.door.issue_token().unwrap();
    let with = |word: &str| {
        Request::get(format!("/?token={word}"))
            .header(header::HOST, browser.door.host())
            .body(Body::empty())
            .unwrap()
    };
    assert_eq!(browser.ask(with("wrong")).await.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(browser.ask(with("")).await.status(), StatusCode::UNAUTHORIZED);
    // What only looks at the address does not use it up.
    let mut preview = with(&entry);
    *preview.method_mut() = Method::HEAD;
    assert_eq!(browser.ask(preview).await.status(), StatusCode::UNAUTHORIZED);
    let opened = browser.ask(with(&entry)).await;
    assert_eq!(
        (opened.status(), opened.headers()[header::LOCATION].to_str().unwrap()),
        (StatusCode::SEE_OTHER, "/")
    );
    let cookie = opened.headers()[header::SET_COOKIE].to_str().unwrap();
    assert!(
        cookie.starts_with("__Host-") && cookie.ends_with("; HttpOnly; SameSite=Strict; Path=/; Secure"),
        "{cookie}"
    );
    assert!(!cookie.contains(&entry));
    assert_eq!(browser.ask(with(&entry)).await.status(), StatusCode::UNAUTHORIZED, "a second time");
    // Whoever is in already is not locked out by an old address.
    let known = browser.ask(browser.get(&format!("/?token={entry}"))).await;
    assert_eq!(known.status(), StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn every_answer_carries_the_same_guards_refusals_too() {
    let browser = Browser::new().await;
    let bare = Request::get("/").header(header::HOST, browser.door.host()).body(Body::empty()).unwrap();
    let mut responses = vec![browser.ask(bare).await];
    for path in everything() {
        responses.push(browser.ask(browser.get(&path)).await);
    }
    for response in responses {
        for (name, value) in GUARDED {
            assert_eq!(response.headers()[name].to_str().unwrap(), value);
        }
        assert!(response.headers().contains_key(header::CACHE_CONTROL));
        assert!(!response.headers().contains_key("access-control-allow-origin"));
    }
}

#[tokio::test]
async fn a_form_of_another_page_does_nothing() {
    let browser = Browser::new().await;
    let path = format!("/research/{}/cancel", id(RUNNING));
    let (_, page) = browser.read(&format!("/research/{}", id(RUNNING))).await;
    let word = crate::forms::word(&page);
    let (ours, secure) =
        (format!("http://{}", browser.door.host()), format!("https://{}", browser.door.host()));
    let cases = [
        (Some("http://evil.example"), Some("cross-site")),
        (Some("http://evil.example"), None),
        (Some("http://localhost:9999"), Some("same-site")),
        (Some("null"), None),
        (None, Some("cross-site")),
        (None, Some("none")),
        (None, None),
        (Some(ours.as_str()), Some("same-site")),
        (Some(secure.as_str()), None),
    ];
    for (origin, site) in cases {
        let mut request = Request::post(&path)
            .header(header::HOST, browser.door.host())
            .header(header::COOKIE, &browser.cookie)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        if let Some(origin) = origin {
            request = request.header(header::ORIGIN, origin);
        }
        if let Some(site) = site {
            request = request.header("sec-fetch-site", site);
        }
        let answer = browser.ask(request.body(Body::from(format!("word={word}"))).unwrap()).await;
        assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{origin:?} {site:?}");
    }
    for form in ["", "word=", "word=wrong", "budget=5"] {
        let answer = browser.ask(browser.post(&path, form)).await;
        assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{form}");
    }
    assert!(browser.told().is_empty());
}

#[tokio::test]
async fn a_page_that_another_page_asks_for_is_not_shown() {
    let browser = Browser::new().await;
    for (site, status) in [
        ("cross-site", StatusCode::FORBIDDEN),
        ("same-site", StatusCode::FORBIDDEN),
        ("same-origin", StatusCode::OK),
        ("none", StatusCode::OK),
    ] {
        let mut request = browser.get("/new");
        request.headers_mut().insert("sec-fetch-site", site.parse().unwrap());
        assert_eq!(browser.ask(request).await.status(), status, "{site}");
    }
}
