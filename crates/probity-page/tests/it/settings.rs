//! Settings, keys and trials are plain forms: what is typed is sent on, what is secret is never shown again.

use axum::http::StatusCode;

use crate::{Browser, forms::word, text};

#[tokio::test]
async fn each_setting_has_a_field_with_its_value_its_origin_and_what_empty_means() {
    let browser = Browser::new().await;
    let (status, page) = browser.read("/settings").await;
    assert_eq!(status, StatusCode::OK);
    for part in [
        "action=\"/settings\" method=\"post\"",
        "name=\"budget.max_usd\" value=\"2.00\"",
        "Empty: no cap.",
        "<select name=\"research.engine\"",
        "<option value=\"auto\">auto</option>",
        "<b><bdi>SEARXNG_URL</bdi> goes before what is saved here.</b>",
        "Save Money",
        "action=\"/settings/key\" method=\"post\"",
        "type=\"password\"",
        "name=\"what\" value=\"search:tavily\"",
        "one search, at most $0.01",
        "at their next start: <code><bdi>budget.max_usd</bdi></code>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert_eq!(page.matches("name=\"remove\"").count(), 1, "only a stored key can be removed");
    assert!(!page.contains("value=\"\"><script>"), "{page}");
}

#[tokio::test]
async fn what_is_typed_is_saved_and_what_is_wrong_is_said_and_kept() {
    let browser = Browser::new().await;
    let word = word(&browser.read("/settings").await.1);
    let saved = browser.ask(browser.post("/settings", &format!("word={word}&budget.max_usd=3.50"))).await;
    assert_eq!(saved.status(), StatusCode::OK);
    assert!(text(saved).await.contains("saved: budget.max_usd=3.50"));
    let wrong = browser.ask(browser.post("/settings", &format!("word={word}&budget.max_usd=lots"))).await;
    assert_eq!(wrong.status(), StatusCode::BAD_REQUEST);
    let page = text(wrong).await;
    assert!(page.contains("role=\"alert\"") && page.contains("which is not an amount"), "{page}");
    assert!(page.contains("name=\"budget.max_usd\" value=\"lots\""), "{page}");
    assert_eq!(browser.told(), ["settings budget.max_usd=3.50"]);
}

#[tokio::test]
async fn a_key_is_stored_and_removed_and_never_shown() {
    const KEY: &str = "tvly-canary-1234567890";
    let browser = Browser::new().await;
    let word = word(&browser.read("/settings").await.1);
    for form in [format!("name=TAVILY_API_KEY&key={KEY}"), "name=GEMINI_API_KEY&key=&remove=yes".to_owned()] {
        let done = browser.ask(browser.post("/settings/key", &format!("word={word}&{form}"))).await;
        assert_eq!(done.status(), StatusCode::OK);
        assert!(!text(done).await.contains(KEY));
    }
    let stored = format!("key store TAVILY_API_KEY {}", KEY.len());
    assert_eq!(browser.told(), [stored.as_str(), "key remove GEMINI_API_KEY 0"]);
}

#[tokio::test]
async fn a_trial_ends_in_a_sentence() {
    let browser = Browser::new().await;
    let word = word(&browser.read("/settings").await.1);
    let tried = |what: &str| browser.post("/settings/try", &format!("word={word}&what={what}"));
    let good = text(browser.ask(tried("model")).await).await;
    assert!(good.contains("role=\"status\"><bdi>&lt;b&gt;m&lt;/b&gt; answers</bdi>"), "{good}");
    let poor = text(browser.ask(tried("search:tavily")).await).await;
    assert!(poor.contains("role=\"alert\"><bdi>search:tavily does not answer</bdi>"), "{poor}");
    assert_eq!(browser.told(), ["try model", "try search:tavily"]);
}

#[tokio::test]
async fn a_form_of_somebody_else_changes_nothing() {
    let browser = Browser::new().await;
    for (path, form) in [
        ("/settings", "word=wrong&budget.max_usd=9"),
        ("/settings", "budget.max_usd=9"),
        ("/settings/key", "word=wrong&name=GEMINI_API_KEY&key=12345678"),
        ("/settings/try", "word=wrong&what=model"),
    ] {
        let refused = browser.ask(browser.post(path, form)).await;
        assert_eq!(refused.status(), StatusCode::FORBIDDEN, "{path}");
    }
    let (status, _) = browser.read("/settings/try").await;
    assert_eq!(status, StatusCode::METHOD_NOT_ALLOWED, "looking at an address tries nothing");
    assert!(browser.told().is_empty());
}
