//! Calls of APIs and webhooks: once, not elsewhere, and honest about whether anything was sent.

use std::time::Duration;

use probity_types::error::Code;
use probity_web::fetch::{
    ApiRequest, Fetcher, FetcherSettings, NameResolver, RequestValue, SendStatus, WebhookPost,
};
use secrecy::SecretString;

use super::site::{Site, answer};

fn key() -> SecretString {
    SecretString::from("canary-key")
}

#[tokio::test]
async fn a_call_carries_its_key_and_follows_nothing() {
    let site = Site::start(|_, _| answer("302 Found", &[("location", "/elsewhere")], b"{}")).await;
    let request = ApiRequest::post_json("http://api.example/search?a=1", "{\"q\":1}")
        .with_query("b", "2 3")
        .with_secret_query("api_key", key())
        .with_secret_header("authorization", SecretString::from("Bearer canary-key"));
    assert!(!format!("{request:?}").contains("canary-key"));
    let answer = site.fetcher().call(request).await.unwrap();
    assert_eq!(
        (answer.status, answer.header("location"), &answer.body[..]),
        (302, Some("/elsewhere"), &b"{}"[..])
    );
    assert_eq!(site.paths(), ["/search?a=1&b=2+3&api_key=canary-key"], "no robots, no redirect");
    let asked = site.asked.lock().unwrap().join("").to_ascii_lowercase();
    assert!(
        asked.contains("authorization: bearer canary-key\r\n")
            && asked.contains("content-type: application/json")
    );
}

#[tokio::test]
async fn a_failure_says_whether_anything_was_sent() {
    let site = Site::start(|_, _| Vec::new()).await;
    let fetcher = site.fetcher();
    let failed = fetcher.call(ApiRequest::get("http://api.example/")).await.unwrap_err();
    assert_eq!((failed.sent, failed.problem.code), (SendStatus::Maybe, Code::Network), "{failed}");
    let closed = site.address;
    drop(site);
    tokio::time::timeout(Duration::from_secs(5), async {
        while tokio::net::TcpStream::connect(closed).await.is_ok() {
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap();
    let failed = fetcher.call(ApiRequest::get("http://api.example/")).await.unwrap_err();
    assert_eq!((failed.sent, failed.problem.code), (SendStatus::No, Code::Network), "{failed}");
    let failed = fetcher.call(ApiRequest::get("http://127.0.0.1/")).await.unwrap_err();
    assert_eq!((failed.sent, failed.problem.code), (SendStatus::No, Code::AddressRefused));
}

#[tokio::test]
async fn a_late_answer_may_have_been_paid() {
    let site = Site::start(|_, _| {
        std::thread::park_timeout(Duration::from_millis(300));
        Vec::new()
    })
    .await;
    let request = ApiRequest::get("http://api.example/").with_time_max(Duration::from_millis(50));
    let failed = site.fetcher().call(request).await.unwrap_err();
    assert_eq!((failed.sent, failed.problem.code), (SendStatus::Maybe, Code::Timeout));
}

#[tokio::test]
async fn a_key_does_not_travel_in_the_clear() {
    let mut settings = FetcherSettings::new(|| super::site::NOW);
    settings.lookup = NameResolver::from_fn(|_| Box::pin(async { Ok(vec!["198.41.0.4".parse().unwrap()]) }));
    let fetcher = Fetcher::new(settings).unwrap();
    for request in [
        ApiRequest::get("http://api.example/").with_secret_header("x-key", key()),
        ApiRequest::get("http://api.example/").with_secret_query("key", key()),
    ] {
        let failed = fetcher.call(request).await.unwrap_err();
        assert_eq!((failed.sent, failed.problem.code), (SendStatus::No, Code::AddressRefused));
        assert!(!failed.problem.message.contains("canary"));
    }
}

#[tokio::test]
async fn a_webhook_is_delivered_once_as_it_is() {
    let site = Site::start(|_, _| answer("307 Elsewhere", &[("location", "/other")], b"")).await;
    let delivery = |url: &str| WebhookPost {
        url: url.to_owned(),
        headers: vec![("x-signature".to_owned(), RequestValue::Plain("abc".to_owned()))],
        content_type: "application/json".to_owned(),
        body: "{\"id\":\"res_1\"}".into(),
    };
    let fetcher = site.fetcher();
    assert_eq!(fetcher.deliver(delivery("http://hook.example/in")).await, Ok(307));
    assert_eq!(site.paths(), ["/in"]);
    assert!(site.asked.lock().unwrap()[0].ends_with("\r\n\r\n{\"id\":\"res_1\"}"));
    let failed = fetcher.deliver(delivery("http://10.0.0.1/in")).await.unwrap_err();
    assert_eq!((failed.sent, failed.problem.code), (SendStatus::No, Code::AddressRefused));
    let plain = Fetcher::new(FetcherSettings::new(|| super::site::NOW)).unwrap();
    let failed = plain.deliver(delivery("http://hook.example/in")).await.unwrap_err();
    assert_eq!(failed.problem.message, "a webhook is delivered by https only");
}
