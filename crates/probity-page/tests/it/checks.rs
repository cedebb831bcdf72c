//! Checking a text of one's own, an address, and the pages of a report again.

use axum::http::{StatusCode, header};

use crate::{Browser, FIRST, HOSTILE, RUNNING, forms::word, id, text};

#[tokio::test]
async fn a_text_is_typed_priced_and_checked_and_rules_alone_start_at_once() {
    let browser = Browser::new().await;
    let (_, page) = browser.read("/check").await;
    let word = word(&page);
    let form = format!("word={word}&text=It+is+%3Cb%3Eblue%3C%2Fb%3E.%0D%0AOr+red.");
    let priced = text(browser.ask(browser.post("/check", &form)).await).await;
    assert!(priced.contains("It is &lt;b&gt;blue&lt;/b&gt;.") && priced.contains("Likely cost"), "{priced}");
    assert!(priced.contains("action=\"/check/start\""), "{priced}");
    assert!(browser.told().is_empty(), "what costs something starts with the second yes");
    let running = format!("/research/{}", id(RUNNING));
    for (path, more) in [("/check/start", ""), ("/check", "&rules=yes")] {
        let started = browser.ask(browser.post(path, &format!("{form}{more}"))).await;
        assert_eq!(started.status(), StatusCode::SEE_OTHER, "{path}");
        assert_eq!(started.headers()[header::LOCATION].to_str().unwrap(), running);
    }
    let subject = "check Text(\"It is <b>blue</b>.\\nOr red.\"), rules only:";
    assert_eq!(browser.told(), [format!("{subject} false"), format!("{subject} true")]);
    let foreign = browser.ask(browser.post("/check/start", "word=x&text=y")).await;
    assert_eq!(foreign.status(), StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn what_cannot_be_checked_is_said_above_what_was_typed() {
    let browser = Browser::new().await;
    let (_, page) = browser.read("/check").await;
    let word = word(&page);
    for (typed, said) in [
        ("text=+", "there is nothing to check"),
        ("address=file%3A%2F%2F%2Fetc%2Fpasswd", "an address begins with"),
        ("text=Blue.&address=https%3A%2F%2Fa.example", "either a text or an address"),
        ("text=Blue.&budget=x", "a budget is written in dollars"),
    ] {
        let page = text(browser.ask(browser.post("/check", &format!("word={word}&{typed}"))).await).await;
        assert!(page.contains(said) && page.contains("action=\"/check\""), "{typed}: {page}");
        assert!(!typed.starts_with("text=B") || page.contains("\nBlue.</textarea>"), "{typed}: {page}");
    }
    let long = format!("word={word}&text={}", "a".repeat(1024 * 1024 + 1));
    assert!(text(browser.ask(browser.post("/check", &long)).await).await.contains("at most 1048576"));
    assert!(browser.told().is_empty());
}

#[tokio::test]
async fn the_pages_of_a_report_are_read_again_and_what_changed_is_shown() {
    let browser = Browser::new().await;
    let (_, page) = browser.read(&format!("/research/{}", id(FIRST))).await;
    assert!(page.contains("Read its pages again") && !page.contains("What changed"), "{page}");
    let form = format!("word={}&report={}&rules=yes", word(&page), id(FIRST));
    assert_eq!(browser.ask(browser.post("/check", &form)).await.status(), StatusCode::SEE_OTHER);
    assert_eq!(browser.told(), [format!("check Report({:?}), rules only: true", id(FIRST))]);
    let (_, changed) = browser.read(&format!("/research/{}", id(HOSTILE))).await;
    for said in
        ["What changed", "supported → <b>contradicted</b>", "It cost &lt;b&gt;nine&lt;/b&gt; million."]
    {
        assert!(changed.contains(said), "{said}: {changed}");
    }
}
