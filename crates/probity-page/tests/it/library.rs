//! A library that is kept in order with plain forms: titles, tags, a removal that says what it takes, a trash.

use axum::http::{StatusCode, header};

use crate::{Browser, FIRST, RUNNING, UNWRITTEN, forms::word, id, text};

#[tokio::test]
async fn titles_and_tags_are_shown_and_searched() {
    let browser = Browser::new().await;
    let (_, page) = browser.read("/").await;
    assert!(page.contains("Search questions, titles and reports"), "{page}");
    assert!(page.contains("Ours &lt;script&gt;") && page.contains("#bridges"), "{page}");
    assert!(page.contains("tag=w%C3%B6rk"), "{page}");
    let (_, tagged) = browser.read("/?tag=bridges").await;
    assert!(tagged.contains("1 research") && tagged.contains("tagged <bdi>#bridges</bdi>"), "{tagged}");
    let (_, none) = browser.read("/?tag=elsewhere").await;
    assert!(none.contains("Nothing here fits"), "{none}");
    let (status, _) = browser.read("/?tag=%3Cb%3E").await;
    assert_eq!(status, StatusCode::OK);
}

#[tokio::test]
async fn a_research_is_renamed_and_tagged() {
    let browser = Browser::new().await;
    let address = format!("/research/{}", id(FIRST));
    let (_, page) = browser.read(&address).await;
    assert!(page.contains("value=\"bridges wörk\""), "{page}");
    let word = word(&page);
    for (path, form) in [
        ("title", "title=Falling+bridges"),
        ("title", "title=+"),
        ("tags", "tags=b%2C+Alps+alps"),
        ("tags", "tags="),
    ] {
        let answer =
            browser.ask(browser.post(&format!("{address}/{path}"), &format!("word={word}&{form}"))).await;
        assert_eq!(answer.status(), StatusCode::SEE_OTHER, "{form}");
        assert_eq!(answer.headers()[header::LOCATION].to_str().unwrap(), address);
    }
    let id = id(FIRST);
    let done = [
        format!("rename {id} Falling bridges"),
        format!("rename {id} the question"),
        format!("tags {id} alps,b"),
        format!("tags {id} "),
    ];
    assert_eq!(browser.told(), done);
    let long = "a".repeat(201);
    for (path, form) in [("tags", "tags=%3Cb%3E".to_owned()), ("title", format!("title={long}"))] {
        let refused = browser.post(&format!("{address}/{path}"), &format!("word={word}&{form}"));
        assert_eq!(browser.ask(refused).await.status(), StatusCode::BAD_REQUEST, "{path}");
    }
    for path in ["title", "tags", "remove", "restore"] {
        let foreign = browser.ask(browser.post(&format!("{address}/{path}"), "word=wrong")).await;
        assert_eq!(foreign.status(), StatusCode::FORBIDDEN, "{path}");
    }
    assert_eq!(browser.told().len(), done.len());
}

#[tokio::test]
async fn a_research_is_removed_after_a_page_that_says_what_goes_and_comes_back() {
    let browser = Browser::new().await;
    let address = format!("/research/{}", id(FIRST));
    let (_, page) = browser.read(&address).await;
    assert!(page.contains(&format!("href=\"{address}/remove\"")), "{page}");
    let (_, asked) = browser.read(&format!("{address}/remove")).await;
    assert!(asked.contains("The provider keeps &lt;b&gt;its own record"), "{asked}");
    assert!(asked.contains(&format!("action=\"{address}/remove\" method=\"post\"")), "{asked}");
    assert!(browser.told().is_empty(), "reading removes nothing");
    let form = format!("word={}", word(&asked));
    let removed = browser.ask(browser.post(&format!("{address}/remove"), &form)).await;
    assert_eq!(removed.status(), StatusCode::SEE_OTHER);
    assert_eq!(removed.headers()[header::LOCATION].to_str().unwrap(), "/trash");

    let (_, trash) = browser.read("/trash").await;
    let back = format!("/research/{}", id(UNWRITTEN));
    assert!(
        trash.contains("1 research.") && trash.contains(&format!("action=\"{back}/restore\"")),
        "{trash}"
    );
    let restored = browser.ask(browser.post(&format!("{back}/restore"), &form)).await;
    assert_eq!(restored.headers()[header::LOCATION].to_str().unwrap(), back);
    assert_eq!(browser.told(), [format!("remove {}", id(FIRST)), format!("restore {}", id(UNWRITTEN))]);
}

#[tokio::test]
async fn a_running_research_is_not_removed() {
    let browser = Browser::new().await;
    let address = format!("/research/{}", id(RUNNING));
    let (_, page) = browser.read(&address).await;
    assert!(!page.contains("/remove"), "{page}");
    let refused = browser.ask(browser.get(&format!("{address}/remove"))).await;
    assert_eq!(refused.status(), StatusCode::CONFLICT);
    assert!(text(refused).await.contains("cancel it first"));
}

#[tokio::test]
async fn the_first_address_may_lead_to_one_research_and_nowhere_else() {
    let browser = Browser::new().await;
    let first = id(FIRST);
    for (open, place) in [
        (first.to_string(), format!("/research/{first}")),
        ("https://evil.example/".to_owned(), "/".to_owned()),
        ("//evil.example".to_owned(), "/".to_owned()),
    ] {
        let token = browser.door.issue_token().unwrap();
        let opened = browser.ask(browser.get(&format!("/?token={token}&open={open}"))).await;
        assert_eq!(opened.status(), StatusCode::SEE_OTHER);
        assert_eq!(opened.headers()[header::LOCATION].to_str().unwrap(), place, "{open}");
    }
}
