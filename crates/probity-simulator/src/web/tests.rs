use serde_json::{Value, json};

use super::{Provider, SmallWeb, SmallWebPage, WebFault, WebFaultKind};
use crate::call::{CallMethod, SimulatorAnswer, SimulatorCall};

fn web() -> SmallWeb {
    SmallWeb::new()
        .with(
            SmallWebPage::new(
                "http://energy.example/solar",
                "Solar power in 2025",
                "Prices of solar panels fell.\n\nLast line.",
            )
            .published("2025-03-01")
            .with_link("http://energy.example/wind", "Wind"),
        )
        .with(
            SmallWebPage::new("http://energy.example/wind", "Wind power", "Wind turbines and solar panels.")
                .in_language("de"),
        )
        .with(
            SmallWebPage::new("http://old.example/a?b=1", "Old", "moved")
                .redirecting_to("http://energy.example/solar"),
        )
        .with(SmallWebPage::new("http://secret.example/", "Solar secrets", "solar").unlisted())
        .with_robots("energy.example", "User-agent: *\nDisallow: /private\n")
}

fn call(method: CallMethod, host: &str, target: &str) -> SimulatorCall {
    let mut call = SimulatorCall::new(method, target);
    call.headers = vec![("host".to_owned(), host.to_owned()), ("user-agent".to_owned(), "test".to_owned())];
    call
}

fn whole(answer: Option<SimulatorAnswer>) -> (u16, String) {
    match answer {
        Some(SimulatorAnswer::Whole { status, body, .. }) => {
            (status, String::from_utf8(body.to_vec()).unwrap())
        }
        other => panic!("{other:?}"),
    }
}

fn json_of(answer: Option<SimulatorAnswer>) -> Value {
    let (status, body) = whole(answer);
    assert_eq!(status, 200, "{body}");
    serde_json::from_str(&body).unwrap()
}

fn tavily(web: &mut SmallWeb, body: &Value) -> Option<SimulatorAnswer> {
    let mut call =
        call(CallMethod::Post, "127.0.0.1:1", "/search-api/tavily/search").with_body(body.to_string());
    call.headers.push(("authorization".to_owned(), "Bearer tvly-test".to_owned()));
    web.answer(7, &call)
}

#[test]
fn a_page_is_chosen_by_its_host_and_path() {
    let mut web = web();
    let (status, body) = whole(web.answer(0, &call(CallMethod::Get, "energy.example:80", "/solar")));
    assert_eq!(status, 200);
    assert!(
        body.contains("<title>Solar power in 2025</title>") && body.contains("<p>Last line.</p>"),
        "{body}"
    );
    assert_eq!(whole(web.answer(0, &call(CallMethod::Get, "energy.example", "/robots.txt"))).0, 200);
    assert_eq!(whole(web.answer(0, &call(CallMethod::Get, "energy.example", "/none"))).0, 404);
    assert_eq!(whole(web.answer(0, &call(CallMethod::Get, "old.example", "/a?b=1"))).0, 301);
    assert!(matches!(
        web.answer(0, &call(CallMethod::Get, "nobody.example", "/")),
        Some(SimulatorAnswer::Lost)
    ));
    assert!(web.answer(0, &call(CallMethod::Get, "127.0.0.1:9", "/v1beta/interactions/x")).is_none());
    assert_eq!(web.ledger().fetches().get("http://energy.example/solar"), Some(&1));
    assert_eq!(web.ledger().fetches().len(), 4);
}

#[test]
fn a_page_that_did_not_change_is_not_sent_again() {
    let mut web = web();
    let Some(SimulatorAnswer::Whole { headers, .. }) =
        web.answer(0, &call(CallMethod::Get, "energy.example", "/solar"))
    else {
        panic!("no page")
    };
    let tag = headers.iter().find(|(name, _)| name == "etag").unwrap().1.clone();
    let mut again = call(CallMethod::Get, "energy.example", "/solar");
    again.headers.push(("if-none-match".to_owned(), tag));
    assert_eq!(whole(web.answer(0, &again)).0, 304);
}

#[test]
fn searches_rank_and_are_written_down_with_their_price() {
    let mut web = web();
    let found =
        json_of(tavily(&mut web, &json!({"query": "the price of solar panels", "search_depth": "advanced"})));
    let urls: Vec<&str> =
        found["results"].as_array().unwrap().iter().map(|hit| hit["url"].as_str().unwrap()).collect();
    assert_eq!(urls, ["http://energy.example/solar", "http://energy.example/wind"]);
    assert_eq!(found["usage"]["credits"], 2);
    assert_eq!(web.ledger().charged_micro_usd(), 16_000);
    tavily(&mut web, &json!({"query": "the price of solar panels"}));
    assert_eq!((web.ledger().paid_count(), web.ledger().paid_again()), (2, 1));
    tavily(&mut web, &json!({}));
    assert_eq!(web.ledger().refused().get("tavily"), Some(&1));
}

#[test]
fn filters_are_heeded() {
    let mut web = web();
    let mut count = |body: Value| json_of(tavily(&mut web, &body))["results"].as_array().unwrap().len();
    assert_eq!(count(json!({"query": "solar", "start_date": "2025-01-01", "end_date": "2025-12-31"})), 1);
    assert_eq!(count(json!({"query": "solar", "start_date": "2026-01-01"})), 0);
    assert_eq!(count(json!({"query": "solar", "include_domains": ["other.example"]})), 0);
    assert_eq!(count(json!({"query": "solar", "exclude_domains": ["energy.example"]})), 0);
    assert_eq!(count(json!({"query": "solar", "language": "de", "filter_by_language": true})), 1);
}

#[test]
fn faults_say_what_was_processed() {
    let mut web = web();
    let faults =
        |kind, web: &mut SmallWeb| web.add_fault(WebFault { provider: Provider::Tavily, kind, times: 1 });
    faults(WebFaultKind::Status(500), &mut web);
    assert_eq!(whole(tavily(&mut web, &json!({"query": "solar"}))).0, 500);
    assert_eq!(web.ledger().paid_count(), 0);
    faults(WebFaultKind::Lost, &mut web);
    assert!(matches!(tavily(&mut web, &json!({"query": "solar"})), Some(SimulatorAnswer::Lost)));
    assert_eq!(web.ledger().paid_count(), 1);
    faults(WebFaultKind::Slow(500), &mut web);
    assert!(matches!(
        tavily(&mut web, &json!({"query": "solar"})),
        Some(SimulatorAnswer::Later { at_ms: 507, .. })
    ));
}

#[test]
fn a_web_is_read_from_json() {
    let text = r#"{"pages": [{"url": "http://a.example/", "title": "A", "text": "words", "delay_ms": 5}], "robots": {}}"#;
    let mut web = SmallWeb::from_json(text).unwrap();
    assert!(matches!(
        web.answer(1, &call(CallMethod::Get, "a.example", "/")),
        Some(SimulatorAnswer::Later { at_ms: 6, .. })
    ));
    for wrong in ["{}", "[]", r#"{"pages": [{"url": "no address"}]}"#, r#"{"pages": [{"adress": "x"}]}"#] {
        assert!(SmallWeb::from_json(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn every_provider_answers_the_question_it_is_asked() {
    let targets = [
        (Provider::Brave, "brave/res/v1/web/search?q=solar&count=5"),
        (Provider::Searxng, "searxng/search?q=solar&format=json"),
        (Provider::Wikipedia, "wikipedia/en/w/api.php?action=query&generator=search&gsrsearch=solar"),
        (Provider::Arxiv, "arxiv/api/query?search_query=all:solar"),
        (Provider::Openalex, "openalex/works?search=solar"),
        (Provider::SemanticScholar, "semantic-scholar/graph/v1/paper/search?query=solar"),
        (Provider::Pubmed, "pubmed/entrez/eutils/esearch.fcgi?db=pubmed&term=solar&retmode=json"),
        (Provider::Crossref, "crossref/works?query=solar"),
        (Provider::Github, "github/search/repositories?q=solar"),
        (Provider::HackerNews, "hacker-news/api/v1/search?query=solar"),
    ];
    let mut web = web();
    for (provider, target) in targets {
        let mut call = call(CallMethod::Get, "127.0.0.1:1", &format!("/search-api/{target}"));
        call.headers.push(("x-subscription-token".to_owned(), "key".to_owned()));
        let (status, body) = whole(web.answer(0, &call));
        assert_eq!(status, 200, "{target}: {body}");
        let search = web.ledger().searches_of(provider).next().unwrap_or_else(|| panic!("{target}"));
        assert_eq!(search.query.trim(), "solar");
        assert!(search.hits > 0, "{target}: {body}");
    }
}
