//! Text from the open web is shown and never acts.

use axum::http::{StatusCode, header};

use crate::{Browser, FIRST, id, pages};

/// The tags of a page, each as written.
fn tags(page: &str) -> Vec<&str> {
    page.split('<').skip(1).filter_map(|part| part.split_once('>').map(|(tag, _)| tag)).collect()
}

/// Values of an attribute in a tag that we wrote: names are lower case and values are quoted.
fn value<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    rest.split('"').next()
}

#[tokio::test]
async fn no_page_has_a_tag_or_an_attribute_that_foreign_text_brought() {
    let browser = Browser::new().await;
    for path in pages() {
        let (status, page) = browser.read(&path).await;
        assert!(status.is_success() || status == StatusCode::NOT_FOUND, "{path}: {status}");
        for tag in tags(&page) {
            let name = tag.split([' ', '/']).find(|part| !part.is_empty()).unwrap_or_default();
            assert!(
                !["iframe", "img", "object", "embed", "style", "base"].contains(&name),
                "{path}: <{tag}>"
            );
            if name == "script" && !tag.starts_with('/') {
                assert!(value(tag, "src").is_some_and(|src| src.starts_with("/assets/")), "{path}: <{tag}>");
            }
            // What stands inside quotation marks cannot begin an attribute.
            let outside: String = tag.split('"').step_by(2).collect();
            assert!(!outside.contains(" style=") && !outside.contains(" on"), "{path}: <{tag}>");
            assert!(!outside.contains('\''), "{path}: <{tag}>");
            if let Some(href) = value(tag, "href") {
                let web = href.starts_with("https://") || href.starts_with("http://");
                assert!(web || href.starts_with(['/', '#']) || href == "data:,", "{path}: <{tag}>");
                if web {
                    let rel = value(tag, "rel").unwrap_or_default();
                    assert!(
                        ["noopener", "noreferrer", "nofollow"].iter().all(|one| rel.contains(one)),
                        "{path}: <{tag}>"
                    );
                }
            }
        }
    }
}

#[tokio::test]
async fn foreign_words_are_set_apart_and_lose_what_acts_unseen() {
    let browser = Browser::new().await;
    let (_, page) = browser.read(&format!("/research/{}/trace", id(crate::HOSTILE))).await;
    assert!(page.contains("&lt;script&gt;alert(1)&lt;"), "{page}");
    assert!(!page.contains('\u{202E}') && !page.contains('\u{0}'));
    let (_, page) = browser.read("/settings").await;
    assert!(
        page.contains("<bdi>https:&#x2f;&#x2f;search.example&#x2f;&lt;script&gt;")
            || page.contains("<bdi>https://search.example/&lt;script&gt;"),
        "{page}"
    );
    assert!(page.contains("<i>set</i>") && page.contains("<i>not set</i>"));
}

#[tokio::test]
async fn addresses_that_name_nothing_are_answered_calmly() {
    let browser = Browser::new().await;
    let first = id(FIRST);
    for path in [
        "/research/res_zzz".to_owned(),
        "/research/%3Cscript%3E".to_owned(),
        format!("/research/{}", id(999_999)),
        format!("/research/{first}/report.exe"),
        format!("/research/{first}/..%2f..%2fetc%2fpasswd"),
        format!("/research/{first}/claims/C0"),
        format!("/research/{first}/claims/%22%3E"),
        "/assets/..%2f..%2fCargo.toml".to_owned(),
        "/nowhere".to_owned(),
    ] {
        let (status, page) = browser.read(&path).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{path}");
        assert!(!page.contains("<script>"), "{path}: {page}");
    }
}

#[tokio::test]
async fn a_downloaded_file_is_saved_under_a_tame_name_and_never_shown() {
    let browser = Browser::new().await;
    for extension in ["md", "html", "pdf", "docx", "json", "bib", "csl.json"] {
        let answer = browser.ask(browser.get(&format!("/research/{}/report.{extension}", id(FIRST)))).await;
        assert_eq!(answer.status(), StatusCode::OK, "{extension}");
        let disposition = answer.headers()[header::CONTENT_DISPOSITION].to_str().unwrap();
        assert_eq!(disposition, format!("attachment; filename=\"evilname.{extension}\""));
    }
}
