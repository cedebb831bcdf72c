//! The stream of a running research: at once, in order, and on again where it broke.

use std::time::Duration;

use axum::{
    body::Body,
    http::{Request, Response, StatusCode, header},
};
use http_body_util::BodyExt;

use crate::{Browser, FIRST, RUNNING, id};

/// A stream that says nothing for so long has nothing to say.
const SILENCE: Duration = Duration::from_millis(1_500);

async fn open(browser: &Browser, research: u128, last: Option<&str>) -> Response<Body> {
    let mut request = Request::get(format!("/research/{}/live", id(research)))
        .header(header::HOST, browser.door.host())
        .header(header::COOKIE, &browser.cookie);
    if let Some(last) = last {
        request = request.header("last-event-id", last);
    }
    browser.ask(request.body(Body::empty()).unwrap()).await
}

/// The next event, with its name and id.
async fn event(response: &mut Response<Body>) -> Option<(String, String, String)> {
    let frame = tokio::time::timeout(SILENCE, response.body_mut().frame()).await.ok()??.unwrap();
    let text = String::from_utf8(frame.into_data().ok()?.to_vec()).unwrap();
    let field = |name: &str| {
        text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim().to_owned()
    };
    Some((field("event:"), field("id:"), text))
}

#[tokio::test]
async fn each_event_brings_the_whole_view_and_its_place() {
    let browser = Browser::new().await;
    let mut stream = open(&browser, RUNNING, None).await;
    assert_eq!(stream.headers()[header::CONTENT_TYPE], "text/event-stream");
    let (name, place, text) = event(&mut stream).await.unwrap();
    assert_eq!((name.as_str(), place.as_str()), ("view", "2"));
    assert!(text.contains("what to look up") && text.contains("under way"), "{text}");
    assert!(browser.house.advance());
    let (_, place, text) = event(&mut stream).await.unwrap();
    assert_eq!(place, "3");
    assert!(text.contains("3 queries"), "{text}");
}

#[tokio::test]
async fn a_broken_stream_goes_on_after_the_last_event_that_was_seen() {
    let browser = Browser::new().await;
    let mut seen = open(&browser, RUNNING, Some("2")).await;
    assert_eq!(event(&mut seen).await, None, "nothing new is not told again");
    assert!(browser.house.advance() && browser.house.advance());
    let (_, place, _) = event(&mut seen).await.unwrap();
    assert_eq!(place, "4", "what was passed over is in the newest view");
    let mut again = open(&browser, RUNNING, Some("3")).await;
    assert_eq!(event(&mut again).await.unwrap().1, "4");
    for nonsense in ["", "x", "-1", "99999999999999999999999"] {
        let mut fresh = open(&browser, RUNNING, Some(nonsense)).await;
        assert_eq!(event(&mut fresh).await.unwrap().1, "4", "{nonsense}");
    }
}

#[tokio::test]
async fn the_end_is_told_and_closes_the_stream() {
    let browser = Browser::new().await;
    while browser.house.advance() {}
    for research in [RUNNING, FIRST] {
        let mut stream = open(&browser, research, None).await;
        let (name, _, _) = event(&mut stream).await.unwrap();
        assert_eq!(name, "over");
        let rest = tokio::time::timeout(SILENCE, stream.body_mut().frame()).await.unwrap();
        assert!(rest.is_none(), "the stream ends");
    }
    let missing = open(&browser, 999_999, None).await;
    assert_eq!(missing.status(), StatusCode::NOT_FOUND);
}
