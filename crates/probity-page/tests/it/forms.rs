//! Everything that can be done is done with plain forms: no script is needed.

use axum::http::{StatusCode, header};

use crate::{Browser, FIRST, RUNNING, UNWRITTEN, id, text};

/// The hidden word of a page's forms.
pub fn word(page: &str) -> String {
    let (_, rest) = page.split_once("name=\"word\" value=\"").unwrap();
    rest.split('"').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_question_is_typed_priced_and_started() {
    let browser = Browser::new().await;
    let (_, page) = browser.read("/new").await;
    assert!(page.contains("action=\"/new\" method=\"post\""));
    let word = word(&page);
    let form = format!("word={word}&question=why+%3Cb%3E+blue%3F&manner=deep_search&budget=0.50");
    let proposal = text(browser.ask(browser.post("/new", &form)).await).await;
    assert!(proposal.contains("why &lt;b&gt; blue?") && proposal.contains("$0.50"), "{proposal}");
    assert!(proposal.contains("action=\"/new/start\""));
    assert!(browser.told().is_empty(), "nothing starts before the second yes");
    let started = browser.ask(browser.post("/new/start", &form)).await;
    assert_eq!(started.status(), StatusCode::SEE_OTHER);
    assert_eq!(started.headers()[header::LOCATION].to_str().unwrap(), format!("/research/{}", id(RUNNING)));
    assert_eq!(browser.told(), ["start deep_search why <b> blue?"]);
}

#[tokio::test]
async fn depth_length_and_language_go_with_the_question() {
    let browser = Browser::new().await;
    let (_, page) = browser.read("/new").await;
    assert!(page.contains("<option value=\"exhaustive\">"), "{page}");
    let word = word(&page);
    let form = |depth: &str, words: &str, language: &str| {
        format!("word={word}&question=why%3F&manner=search&depth={depth}&words={words}&language={language}")
    };
    let whole = form("deep", "900", "pt-BR");
    let proposal = text(browser.ask(browser.post("/new", &whole)).await).await;
    for kept in
        ["name=\"depth\" value=\"deep\"", "name=\"words\" value=\"900\"", "name=\"language\" value=\"pt-BR\""]
    {
        assert!(proposal.contains(kept), "{kept}: {proposal}");
    }
    for (typed, said) in [
        (form("deepest", "", ""), "no such depth"),
        (form("", "50", ""), "a whole number from 100 to 12000"),
        (form("", "", "42"), "a language is named like"),
    ] {
        assert!(text(browser.ask(browser.post("/new", &typed)).await).await.contains(said), "{typed}");
    }
    browser.ask(browser.post("/new/start", &whole)).await;
    assert_eq!(browser.told(), ["start search why? depth deep, 900 words, pt-BR"]);
}

#[tokio::test]
async fn sources_go_with_the_question_and_through_its_price() {
    let browser = Browser::new().await;
    let (_, page) = browser.read("/new").await;
    let word = word(&page);
    assert!(page.contains("<details><summary>Sources"), "folded away while nothing is typed: {page}");
    let sources = "sites=who.int%2C+nature.com&without_sites=example.org&after=2026-01-31&before=\
                   &pages=https%3A%2F%2Fa.example%2Fx%0D%0Ahttps%3A%2F%2Fb.example%2Fy&folder=%2Fhome%2Fme%2Fmy+papers";
    let asked = format!("word={word}&question=why%3F&manner=search&{sources}");
    let proposal = text(browser.ask(browser.post("/new", &asked)).await).await;
    for kept in [
        "name=\"sites\" value=\"who.int, nature.com\"",
        "name=\"without_sites\" value=\"example.org\"",
        "name=\"after\" value=\"2026-01-31\"",
        "name=\"folder\" value=\"/home/me/my papers\"",
    ] {
        assert!(proposal.contains(kept), "{kept}: {proposal}");
    }
    let again = text(browser.ask(browser.post("/new/edit", &asked)).await).await;
    assert!(again.contains("<details open><summary>Sources"), "{again}");
    browser.ask(browser.post("/new/start", &asked)).await;
    assert_eq!(
        browser.told(),
        [
            "start search why? sites [\"who.int\", \"nature.com\"] without [\"example.org\"] from 2026-01-31 to  \
          pages [\"https://a.example/x\", \"https://b.example/y\"] folders [\"/home/me/my papers\"]"
        ]
    );
    let agent = format!("word={word}&question=why%3F&manner=start_deep_research&sites=who.int");
    assert!(text(browser.ask(browser.post("/new", &agent)).await).await.contains("an agent takes no engine"));
}

#[tokio::test]
async fn an_agent_and_an_engine_can_be_chosen() {
    let browser = Browser::new().await;
    let (_, page) = browser.read("/new").await;
    for offered in [
        "name=\"manner\" value=\"start_deep_research\"",
        "<option value=\"deep-research-max-preview-04-2026\">",
        "<option value=\"gemini-cli\">",
    ] {
        assert!(page.contains(offered), "{offered}: {page}");
    }
    let word = word(&page);
    let agent = format!(
        "word={word}&question=why%3F&manner=start_deep_research&agent=deep-research-max-preview-04-2026&engine="
    );
    let proposal = text(browser.ask(browser.post("/new", &agent)).await).await;
    for kept in [
        "Report of an agent",
        "name=\"manner\" value=\"start_deep_research\"",
        "name=\"agent\" value=\"deep-research-max-preview-04-2026\"",
    ] {
        assert!(proposal.contains(kept), "{kept}: {proposal}");
    }
    assert!(browser.told().is_empty(), "nothing starts before the second yes");
    let rounds = format!(
        "word={word}&question=why%3F&manner=deep_search&agent=deep-research-preview-04-2026&engine=web"
    );
    browser.ask(browser.post("/new/start", &agent)).await;
    browser.ask(browser.post("/new/start", &rounds)).await;
    assert_eq!(
        browser.told(),
        ["start agent deep-research-max-preview-04-2026 why?", "start deep_search on web why?"]
    );
    for (more, said) in
        [("&engine=web", "an agent takes no engine"), ("&depth=deep", "an agent takes no engine")]
    {
        let typed = format!("word={word}&question=why%3F&manner=start_deep_research{more}");
        assert!(text(browser.ask(browser.post("/new", &typed)).await).await.contains(said), "{typed}");
    }
    let typed = format!("word={word}&question=why%3F&manner=search&engine=gpt");
    assert!(text(browser.ask(browser.post("/new", &typed)).await).await.contains("no such engine"));
}

#[tokio::test]
async fn what_was_typed_wrongly_is_said_and_kept() {
    let browser = Browser::new().await;
    let (_, page) = browser.read("/new").await;
    let word = word(&page);
    for (question, budget, said) in [
        ("", "", "the question is empty"),
        ("why%3F", "-1", "a budget is written in dollars"),
        ("why%3F", "0", "a budget is written in dollars"),
    ] {
        let form = format!("word={word}&question={question}&manner=search&budget={budget}");
        let page = text(browser.ask(browser.post("/new", &form)).await).await;
        assert!(page.contains(said), "{question} {budget}: {page}");
    }
    let form = format!("word={word}&question=why%3F&manner=%3Cscript%3E&budget=");
    assert!(text(browser.ask(browser.post("/new", &form)).await).await.contains("no such way"));
    assert!(browser.told().is_empty());
}

#[tokio::test]
async fn what_is_refused_changed_or_asked_again_is_not_typed_again() {
    let browser = Browser::new().await;
    let (_, page) = browser.read("/new").await;
    let word = word(&page);
    let refused = format!("word={word}&question=why+without+a+key%3F&manner=deep_search&depth=deep&budget=2");
    let answer = browser.ask(browser.post("/new", &refused)).await;
    assert_eq!(answer.status(), StatusCode::CONFLICT);
    let page = text(answer).await;
    for kept in [
        "no key of Gemini is set",
        "href=\"/settings\">Settings",
        ">why without a key?</textarea>",
        "value=\"2\"",
    ] {
        assert!(page.contains(kept), "{kept}: {page}");
    }
    let changed = format!("word={word}&question=why%3F&manner=deep_search&depth=deep&words=900");
    let proposal = text(browser.ask(browser.post("/new", &changed)).await).await;
    assert!(proposal.contains("formaction=\"/new/edit\""), "{proposal}");
    let form = text(browser.ask(browser.post("/new/edit", &changed)).await).await;
    for kept in
        [">why?</textarea>", "value=\"deep_search\" checked", "value=\"deep\" selected", "value=\"900\""]
    {
        assert!(form.contains(kept), "{kept}: {form}");
    }
    let (_, failed) = browser.read(&format!("/research/{}", id(UNWRITTEN))).await;
    assert!(failed.contains("action=\"/new/edit\"") && failed.contains("Ask again"), "{failed}");
    assert!(browser.told().is_empty());
}

#[tokio::test]
async fn a_running_research_is_cancelled_and_given_more_money() {
    let browser = Browser::new().await;
    let address = format!("/research/{}", id(RUNNING));
    let (_, page) = browser.read(&address).await;
    let word = word(&page);
    assert!(page.contains("http-equiv=\"refresh\""), "without a script the page comes again by itself");
    for (path, form) in [("cancel", format!("word={word}")), ("budget", format!("word={word}&budget=3.25"))] {
        let answer = browser.ask(browser.post(&format!("{address}/{path}"), &form)).await;
        assert_eq!(answer.status(), StatusCode::SEE_OTHER);
        assert_eq!(answer.headers()[header::LOCATION].to_str().unwrap(), address);
    }
    let id = id(RUNNING);
    assert_eq!(browser.told(), [format!("cancel {id}"), format!("budget {id} 3250000")]);
    let refused =
        browser.ask(browser.post(&format!("{address}/budget"), &format!("word={word}&budget=lots"))).await;
    assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_running_research_is_told_what_to_do_otherwise() {
    let browser = Browser::new().await;
    let address = format!("/research/{}", id(RUNNING));
    let (_, page) = browser.read(&address).await;
    let word = word(&page);
    assert!(page.contains("F1: Why did the bridge fall?") && page.contains("leave out F2"), "{page}");
    assert!(!page.contains("value=\"F2\""), "what is left out cannot be left out again");
    for form in [
        "add=Who+paid%3F",
        "drop=F1",
        "ban_site=https%3A%2F%2Fwww.Example.org%2Fa",
        "page=https%3A%2F%2Fexample.org%2Freport",
        "finish=yes",
    ] {
        let answer =
            browser.ask(browser.post(&format!("{address}/steer"), &format!("word={word}&{form}"))).await;
        assert_eq!(answer.status(), StatusCode::SEE_OTHER, "{form}");
    }
    let id = id(RUNNING);
    let told = [
        "also look into: Who paid?",
        "leave out F1",
        "no more pages of example.org",
        "read https://example.org/report",
        "finish now",
    ];
    assert_eq!(browser.told(), told.map(|note| format!("steer {id} {note}")));
    for form in ["", "add=", "drop=second"] {
        let refused = browser.post(&format!("{address}/steer"), &format!("word={word}&{form}"));
        assert_eq!(browser.ask(refused).await.status(), StatusCode::BAD_REQUEST, "{form}");
    }
    let foreign = browser.ask(browser.post(&format!("{address}/steer"), "word=wrong&finish=yes")).await;
    assert_ne!(foreign.status(), StatusCode::SEE_OTHER);
    assert_eq!(browser.told().len(), told.len());
}

#[tokio::test]
async fn a_further_question_is_typed_below_its_report_priced_and_started() {
    let browser = Browser::new().await;
    let address = format!("/research/{}", id(FIRST));
    let (_, page) = browser.read(&address).await;
    assert!(page.contains(&format!("action=\"{address}/follow-up\" method=\"post\"")), "{page}");
    let word = word(&page);
    let form = |more: &str| format!("word={word}&question=and+%3Cb%3E+then%3F&budget=0.50{more}");
    let proposal = text(browser.ask(browser.post(&format!("{address}/follow-up"), &form(""))).await).await;
    assert!(proposal.contains("and &lt;b&gt; then?") && proposal.contains("$0.50"), "{proposal}");
    assert!(proposal.contains(&format!("action=\"{address}/follow-up/start\"")), "{proposal}");
    assert!(browser.told().is_empty(), "nothing starts before the second yes");
    for more in ["", "&search=yes"] {
        let path = format!("{address}/follow-up/start");
        let started = browser.ask(browser.post(&path, &form(more))).await;
        assert_eq!(started.status(), StatusCode::SEE_OTHER);
        let running = format!("/research/{}", id(RUNNING));
        assert_eq!(started.headers()[header::LOCATION].to_str().unwrap(), running);
    }
    let parent = id(FIRST);
    assert_eq!(
        browser.told(),
        [format!("follow-up {parent} Ask and <b> then?"), format!("follow-up {parent} Search and <b> then?")]
    );
    let foreign = browser.ask(browser.post(&format!("{address}/follow-up/start"), "word=x&question=y")).await;
    assert_eq!(foreign.status(), StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn a_form_beyond_the_bound_is_refused() {
    let browser = Browser::new().await;
    let form = format!("word=x&question={}", "y".repeat(200 * 1024));
    assert_eq!(browser.ask(browser.post("/new", &form)).await.status(), StatusCode::PAYLOAD_TOO_LARGE);
}
