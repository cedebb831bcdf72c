//! What the pages say, and that they stay light.

use axum::http::StatusCode;

use crate::{Browser, FIRST, LARGE, RUNNING, UNWRITTEN, id, pages};

const PAGE_BYTES_MAX: usize = 300 * 1024;

#[tokio::test]
async fn every_page_is_whole_and_light() {
    let browser = Browser::new().await;
    for path in pages() {
        let (status, page) = browser.read(&path).await;
        if path.ends_with("/claims/C1") && status == StatusCode::NOT_FOUND {
            continue;
        }
        assert_eq!(status, StatusCode::OK, "{path}: {page}");
        assert!(page.len() < PAGE_BYTES_MAX, "{path}: {} bytes", page.len());
        assert!(page.ends_with("</html>") || page.ends_with("</html>\n"), "{path}");
        assert_eq!(page.matches("<main").count(), 1, "{path}");
        assert!(page.contains("class=\"skip\" href=\"#main\"") && page.contains("id=\"main\""), "{path}");
        assert_eq!(page.matches("<h1").count(), 1, "{path}");
    }
}

#[tokio::test]
async fn styles_and_scripts_are_here_and_kept_by_their_digest() {
    let browser = Browser::new().await;
    let (_, page) = browser.read(&format!("/research/{}", id(RUNNING))).await;
    let addresses: Vec<&str> = page.split('"').filter(|part| part.starts_with("/assets/")).collect();
    assert!(addresses.len() >= 4, "{addresses:?}");
    for address in addresses {
        assert!(address.contains("?v="), "{address}");
        let (status, _) = browser.read(address).await;
        assert_eq!(status, StatusCode::OK, "{address}");
    }
}

#[tokio::test]
async fn the_library_is_found_by_words_and_state_and_turned_in_pages() {
    let browser = Browser::new().await;
    let (_, first) = browser.read("/").await;
    assert_eq!(first.matches("<li class=\"card\">").count(), 50);
    assert!(first.contains("1000 researches") && first.contains("Page 1 of 20"), "{first}");
    let (_, last) = browser.read("/?page=20").await;
    assert!(last.contains("rel=\"prev\"") && !last.contains("rel=\"next\""));
    let (_, beyond) = browser.read("/?page=99999999999999").await;
    assert!(beyond.contains("1000 researches"));
    let (_, found) = browser.read("/?q=TACOMA+narrows&status=completed").await;
    assert!(found.contains("Tacoma Narrows") && !found.contains("glaciers"), "{found}");
    assert!(
        found.contains("status=completed&amp;q=TACOMA%20narrows")
            || found.contains("status=completed&q=TACOMA%20narrows"),
        "{found}"
    );
    let (_, none) = browser.read("/?q=%3Cnothing%3E").await;
    assert!(none.contains("Nothing here fits") && none.contains("&lt;nothing&gt;"));
}

#[tokio::test]
async fn a_research_is_shown_live_then_read() {
    let browser = Browser::new().await;
    let address = format!("/research/{}", id(RUNNING));
    let (_, live) = browser.read(&address).await;
    assert!(
        live.contains("data-live=")
            && live.contains("Cancel and keep")
            && live.contains("aria-live=\"polite\"")
    );
    // Its first paid call is out: what it costs is unknown, which is not nothing.
    assert!(live.contains("<dt>cost</dt><dd>unknown</dd>") && live.contains("now $0.50"), "{live}");
    assert!(live.contains("Budget, now $0.50, raise to"), "{live}");
    assert!(!live.contains("$0.00"), "{live}");
    let (_, read) = browser.read(&format!("/research/{}", id(FIRST))).await;
    assert!(
        read.contains("class=\"probity page\"")
            && read.contains("report.docx")
            && !read.contains("data-live=")
    );
    let (_, failed) = browser.read(&format!("/research/{}", id(UNWRITTEN))).await;
    assert!(failed.contains("NOTHING_FOUND") && !failed.contains("data-live="), "{failed}");
}

#[tokio::test]
async fn a_long_report_is_lightened_and_each_claim_keeps_its_page() {
    let browser = Browser::new().await;
    let (_, page) = browser.read(&format!("/research/{}", id(LARGE))).await;
    assert!(page.contains("data-card=") && page.contains("id=\"evidence\""));
    let (_, card) = browser.read(&format!("/research/{}/card?claim=C101", id(LARGE))).await;
    assert_eq!(card.matches("<section class=\"c ").count(), 1);
    assert!(card.contains("id=\"C101\"") && card.contains("<mark>Item 100 went from 300"), "{card}");
    for nothing in ["C0", "C501", "", "%3Cb%3E"] {
        let (status, _) = browser.read(&format!("/research/{}/card?claim={nothing}", id(LARGE))).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{nothing}");
    }
    let (_, list) = browser.read(&format!("/research/{}/claims?verdict=contradicted", id(LARGE))).await;
    assert!(list.contains("contradicted") && list.contains("/claims/C4\""), "{list}");
    let (status, claim) = browser.read(&format!("/research/{}/claims/C4", id(LARGE))).await;
    assert_eq!(status, StatusCode::OK);
    assert!(
        claim.contains("Item 3 went from 9 to 21") && claim.contains("The figures below were collected"),
        "{claim}"
    );
}

#[tokio::test]
async fn the_trace_tells_time_tokens_tries_and_money() {
    let browser = Browser::new().await;
    let (_, page) = browser.read(&format!("/research/{}/trace", id(FIRST))).await;
    for word in [
        "attempt 1",
        "SEARCH_FAILED",
        "ROBOTS_REFUSED",
        "gemini-3.8-flash",
        "<rect class=\"fill\" x=\"",
        "By provider",
        "tavily",
    ] {
        assert!(page.contains(word), "{word}: {page}");
    }
}

#[tokio::test]
async fn costs_and_settings_say_where_they_come_from() {
    let browser = Browser::new().await;
    let (_, costs) = browser.read("/costs").await;
    for word in ["at least $21.43", "per month", "By day", "&lt;b&gt;ollama&lt;", "unknown"] {
        assert!(costs.contains(word), "{word}");
    }
    let (_, settings) = browser.read("/settings").await;
    for word in ["config.toml:3", "GEMINI_API_KEY", "budget.research"] {
        assert!(settings.contains(word), "{word}");
    }
}
