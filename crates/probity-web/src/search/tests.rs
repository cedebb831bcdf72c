mod requests;

use bytes::Bytes;
use expect_test::Expect;
use probity_types::{
    cost::MicroUsd,
    error::Code,
    web::{
        Bill, BillBasis, ProviderName, SearchCall, SearchDepth, SearchFilters,
        search::{FilterEnforcement, HITS_MAX},
    },
};
use secrecy::{ExposeSecret as _, SecretString};

use super::{
    SearchSettings, filter,
    provider::{self, ProviderQuery, ProviderReply, ReplyReading},
};
use crate::fetch::{ApiRequest, RequestValue};

fn settings() -> SearchSettings {
    let keys = ProviderName::ALL.map(|name| (name, SecretString::from(format!("key-of-{}", name.as_str()))));
    let bases = [(ProviderName::Searxng, "http://searx.example/".to_owned())];
    SearchSettings { keys: keys.into(), bases: bases.into(), contact: Some("me@example.org".to_owned()) }
}

fn call(provider: ProviderName, filters: SearchFilters) -> SearchCall {
    SearchCall {
        provider,
        query: " why is\nthe sky  blue? ".to_owned(),
        max_results: 5,
        depth: SearchDepth::Basic,
        filters,
    }
}

fn all_filters() -> SearchFilters {
    SearchFilters {
        after: Some("2025-01-01".to_owned()),
        before: Some("2025-12-31".to_owned()),
        domains: vec!["www.example.org".to_owned()],
        domains_excluded: vec!["bad.example.org".to_owned()],
        languages: vec!["de".to_owned()],
    }
}

fn shown(words: &RequestValue) -> String {
    match words {
        RequestValue::Plain(text) => text.clone(),
        RequestValue::Secret(secret) => format!("secret {}", secret.expose_secret()),
    }
}

/// The request as a reader can check it.
fn written(request: &ApiRequest) -> String {
    let mut lines = vec![format!("{:?} {}", request.verb, request.url)];
    lines.extend(request.query.iter().map(|(name, value)| format!("  {name}={}", shown(value))));
    lines.extend(request.headers.iter().map(|(name, value)| format!("  {name}: {}", shown(value))));
    if !request.body.is_empty() {
        lines.push(format!("  {}", String::from_utf8_lossy(&request.body)));
    }
    lines.join("\n") + "\n"
}

#[track_caller]
fn check_request(provider: ProviderName, filters: SearchFilters, expected: Expect) {
    let (call, settings) = (call(provider, filters), settings());
    let question = ProviderQuery::new(&call, &settings).unwrap();
    let asked = provider::request(&question);
    expected.assert_eq(&format!("{}{:?}\n", written(&asked.request), asked.heeded));
}

fn read(provider: ProviderName, body: &str) -> Result<ProviderReply, probity_types::error::CodedError> {
    let (call, settings) = (call(provider, SearchFilters::default()), settings());
    let question = ProviderQuery::new(&call, &settings).unwrap();
    match provider::read(&question, &Bytes::from(body.to_owned()))? {
        ReplyReading::Found(found) => Ok(found),
        ReplyReading::More(request) => panic!("{}", written(&request)),
    }
}

#[test]
fn providers_are_offered_as_they_are_configured() {
    let none = SearchSettings::default().available();
    assert_eq!(none.first(), Some(&ProviderName::TavilyKeyless));
    assert!(none.contains(&ProviderName::Wikipedia) && !none.contains(&ProviderName::Brave));
    let bases = [(ProviderName::Searxng, "http://searx.example".to_owned())].into();
    let private = SearchSettings { bases, ..SearchSettings::default() }.available();
    assert_eq!(private.first(), Some(&ProviderName::Searxng));
    assert!(!private.contains(&ProviderName::TavilyKeyless), "questions go to nobody who was not chosen");
    let all = settings().available();
    let paid: Vec<_> = ProviderName::ALL.into_iter().filter(|name| name.is_paid()).collect();
    assert!(all.starts_with(&paid), "what the user pays for is asked first: {all:?}");
}

#[test]
fn what_is_not_configured_is_not_asked() {
    let nothing = SearchSettings::default();
    for provider in [
        ProviderName::Tavily,
        ProviderName::Brave,
        ProviderName::Exa,
        ProviderName::Firecrawl,
        ProviderName::Searxng,
    ] {
        let call = call(provider, SearchFilters::default());
        assert_eq!(ProviderQuery::new(&call, &nothing).unwrap_err().code, Code::SearchFailed, "{provider:?}");
    }
    let empty = SearchCall {
        query: " \u{200b}\n ".to_owned(),
        ..call(ProviderName::Wikipedia, SearchFilters::default())
    };
    assert_eq!(ProviderQuery::new(&empty, &nothing).unwrap_err().code, Code::SearchFailed);
}

#[test]
fn a_language_cannot_become_another_host() {
    let languages = vec!["en.evil.example/".to_owned(), "EN".to_owned(), "d".to_owned()];
    let call = call(ProviderName::Wikipedia, SearchFilters { languages, ..SearchFilters::default() });
    let settings = SearchSettings::default();
    let request = provider::request(&ProviderQuery::new(&call, &settings).unwrap()).request;
    assert_eq!(request.url, "https://en.wikipedia.org/w/api.php");
}

#[test]
fn brave_takes_no_more_than_fifty_words() {
    let mut call = call(ProviderName::Brave, all_filters());
    call.query = "a ".repeat(300);
    let settings = settings();
    let question = ProviderQuery::new(&call, &settings).unwrap();
    let request = provider::request(&question).request;
    let query = request.query.iter().find(|(name, _)| name == "q").map(|(_, value)| shown(value)).unwrap();
    assert!(query.split_whitespace().count() <= 50 && query.chars().count() <= 400, "{query}");
}

#[test]
fn an_answer_of_another_shape_is_a_failure_for_everybody() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let hostile = [
        "",
        "null",
        "7",
        "\"text\"",
        "[]",
        "[[],{}]",
        "{}",
        "<!doctype html><title>Sign in</title>",
        "{\"results\":7}",
        "{\"results\":{\"url\":\"x\"}}",
        "{\"results\":[{}]}",
        "{\"results\":[7,null,\"x\"]}",
        "{\"type\":\"search\",\"web\":7}",
        "{\"data\":\"x\",\"hits\":7,\"items\":{},\"message\":[],\"query\":7}",
        "{\"query\":{\"pages\":[{\"index\":\"a\"}]}}",
        "{\"hits\":[{\"url\":7}],\"items\":[{\"html_url\":null}],\"data\":[[]],\"message\":{\"items\":[0]}}",
        "{\"esearchresult\":{\"idlist\":[\"../../x\"]}}",
        "{\"esearchresult\":7}",
        "{\"result\":{\"uids\":[\"1\"]}}",
        "{\"results\"",
        "\u{0}\u{1}",
        "<feed",
        "<a></b>",
        "<rss><entry/></rss>",
        &deep,
    ];
    for provider in ProviderName::ALL {
        for body in hostile {
            let problem = read(provider, body).map_err(|problem| problem.code);
            assert_eq!(
                problem,
                Err(Code::SearchFailed),
                "{provider:?}: {}",
                body.get(..60.min(body.len())).unwrap_or(body)
            );
        }
    }
}

#[test]
fn odd_fields_cost_the_field_not_the_hit() {
    let body = r#"{"results":[
        {"url":"https://a.example/1","title":7,"content":null,"published_date":[]},
        {"title":"no address"},
        {"url":"javascript:alert(1)","title":"bad"},
        {"url":"https://a.example/2","title":"<b>Two</b>\u0000\u202e","content":"x &amp; y","published_date":"Tue, 12 Nov 2024 10:00:00 GMT"}
    ],"usage":{"credits":"many"}}"#;
    let found = read(ProviderName::Tavily, body).unwrap();
    assert_eq!(found.bill.basis, BillBasis::AtLeast);
    let (hits, _) = filter::apply(&SearchFilters::default(), Default::default(), found.hits, HITS_MAX);
    let told: Vec<_> =
        hits.iter().map(|hit| (hit.title.as_str(), hit.snippet.as_str(), hit.published.as_deref())).collect();
    assert_eq!(told, [("a.example", "", None), ("Two", "x & y", Some("2024-11-12"))]);
}

#[test]
fn a_million_results_are_not_read() {
    let one = r#"{"url":"https://a.example/1","title":"x"}"#;
    let body = format!("{{\"results\":[{}]}}", vec![one; 50_000].join(","));
    assert!(read(ProviderName::Exa, &body).unwrap().hits.len() <= 100);
}

#[test]
fn nothing_found_is_an_empty_answer() {
    let empty = [
        (ProviderName::TavilyKeyless, r#"{"results":[]}"#),
        (ProviderName::Brave, r#"{"type":"search","query":{}}"#),
        (ProviderName::Exa, r#"{"results":[],"costDollars":{"total":0.007}}"#),
        (ProviderName::Firecrawl, r#"{"success":true,"data":{}}"#),
        (ProviderName::Firecrawl, r#"{"success":true,"data":{"web":[]},"creditsUsed":2}"#),
        (ProviderName::Searxng, r#"{"results":[],"unresponsive_engines":[]}"#),
        (ProviderName::Wikipedia, r#"{"batchcomplete":true}"#),
        (
            ProviderName::Arxiv,
            r#"<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>q</title></feed>"#,
        ),
        (ProviderName::Openalex, r#"{"results":[]}"#),
        (ProviderName::SemanticScholar, r#"{"total":0,"offset":0}"#),
        (ProviderName::Pubmed, r#"{"esearchresult":{"idlist":[]}}"#),
        (ProviderName::Crossref, r#"{"message":{"items":[]}}"#),
        (ProviderName::Github, r#"{"items":[],"incomplete_results":false}"#),
        (ProviderName::HackerNews, r#"{"hits":[]}"#),
    ];
    for (provider, body) in empty {
        assert_eq!(read(provider, body).map(|found| found.hits.len()), Ok(0), "{provider:?}");
    }
}

#[test]
fn empty_because_engines_failed_is_a_failure() {
    let failed = [
        (
            ProviderName::Searxng,
            r#"{"results":[],"unresponsive_engines":[["google","timeout"],["bing","CAPTCHA"]]}"#,
            "google: timeout",
        ),
        (ProviderName::Searxng, r#"{"results":[],"unresponsive_engines":["google"]}"#, "google"),
        (ProviderName::Github, r#"{"items":[],"incomplete_results":true}"#, "ran out of time"),
        (ProviderName::Firecrawl, r#"{"success":false,"error":"no engine answered"}"#, "no engine answered"),
        (ProviderName::Wikipedia, r#"{"error":{"code":"x","info":"too busy"}}"#, "too busy"),
        (ProviderName::Pubmed, r#"{"esearchresult":{"ERROR":"Search Backend failed"}}"#, "Backend failed"),
        (
            ProviderName::Arxiv,
            "<feed><entry><id>http://arxiv.org/api/errors#x</id><title>Error</title><summary>incorrect id</summary></entry></feed>",
            "incorrect id",
        ),
    ];
    for (provider, body, words) in failed {
        let problem = read(provider, body).unwrap_err();
        assert_eq!(problem.code, Code::SearchFailed);
        assert!(problem.message.contains(words), "{problem}");
    }
    let partly =
        r#"{"results":[{"url":"https://a.example/"}],"unresponsive_engines":[["bing","\u001b[2J"],[7],{}]}"#;
    assert_eq!(read(ProviderName::Searxng, partly).unwrap().silent_engines, ["bing: [2J"]);
}

#[test]
fn bills_are_what_the_provider_counted() {
    let bill = |provider, body: &str| read(provider, body).unwrap().bill;
    let counted = bill(ProviderName::Tavily, r#"{"results":[],"usage":{"credits":2}}"#);
    assert_eq!(
        (counted.basis, counted.cost, counted.usage.searches),
        (BillBasis::Counted, MicroUsd(16_000), 1)
    );
    let uncounted = bill(ProviderName::Tavily, r#"{"results":[]}"#);
    assert_eq!((uncounted.basis, uncounted.cost), (BillBasis::AtLeast, MicroUsd(8_000)));
    assert_eq!(bill(ProviderName::TavilyKeyless, r#"{"results":[],"usage":{"credits":2}}"#), Bill::NOTHING);
    assert_eq!(bill(ProviderName::Brave, r#"{"type":"search"}"#).cost, MicroUsd(5_000));
    let exa = bill(ProviderName::Exa, r#"{"results":[],"costDollars":{"total":0.0070001}}"#);
    assert_eq!((exa.basis, exa.cost), (BillBasis::Counted, MicroUsd(7_001)));
    for odd in ["-1", "1e300", "\"0.1\"", "null"] {
        let body = format!(r#"{{"results":[],"costDollars":{{"total":{odd}}}}}"#);
        assert_eq!(bill(ProviderName::Exa, &body).basis, BillBasis::AtLeast, "{odd}");
    }
    assert_eq!(bill(ProviderName::Searxng, r#"{"results":[]}"#), Bill::NOTHING);
}

#[test]
fn credits_of_a_plan_are_no_dollars_and_a_server_of_the_users_own_charges_nobody() {
    let body = Bytes::from_static(br#"{"success":true,"data":{"web":[]},"creditsUsed":2}"#);
    let call = call(ProviderName::Firecrawl, SearchFilters::default());
    let bill = |settings: &SearchSettings| {
        let question = ProviderQuery::new(&call, settings).unwrap();
        match provider::read(&question, &body).unwrap() {
            ReplyReading::Found(found) => found.bill,
            ReplyReading::More(request) => panic!("{}", written(&request)),
        }
    };
    let keyed = bill(&settings());
    assert_eq!((keyed.basis, keyed.cost, keyed.usage.searches), (BillBasis::Unknown, MicroUsd(0), 1));
    let own = SearchSettings::default().with_base(ProviderName::Firecrawl, "http://firecrawl.example:3002");
    assert_eq!(bill(&own), Bill::NOTHING);
    assert_eq!(own.available().first(), Some(&ProviderName::Firecrawl));
    assert!(own.has_chosen_search() && !own.is_billed(ProviderName::Firecrawl));
    let request = provider::request(&ProviderQuery::new(&call, &own).unwrap()).request;
    assert_eq!(request.url, "http://firecrawl.example:3002/v2/search");
    assert!(request.headers.is_empty(), "{:?}", request.headers);
}

#[test]
fn keyless_access_that_is_used_up_says_so_whatever_the_status() {
    let problem = read(
        ProviderName::TavilyKeyless,
        r#"{"error":{"code":"cap","window":"day","retry_after_seconds":60}}"#,
    )
    .unwrap_err();
    assert_eq!((problem.code, problem.retry_after_ms), (Code::QuotaExhausted, Some(60_000)));
}

#[test]
fn an_arxiv_feed_is_read() {
    let feed = r#"<?xml version='1.0' encoding='UTF-8'?><feed xmlns="http://www.w3.org/2005/Atom"><id>feed</id><title>feed</title>
      <entry><id>http://arxiv.org/abs/2401.1v1</id><title>Sky &amp;
        light</title><summary><![CDATA[Because <b>]]></summary><published>2024-01-02T00:00:00Z</published>
        <author><name>A</name></author><link href="x"/></entry><entry><title>no id</title></entry></feed>"#;
    let found = read(ProviderName::Arxiv, feed).unwrap();
    let (hits, _) = filter::apply(&SearchFilters::default(), Default::default(), found.hits, HITS_MAX);
    let hit = hits.first().unwrap();
    assert_eq!(
        (hits.len(), hit.title.as_str(), hit.published.as_deref()),
        (1, "Sky & light", Some("2024-01-02"))
    );
    assert_eq!(hit.url, "http://arxiv.org/abs/2401.1v1");
}

#[test]
fn an_abstract_in_pieces_is_put_together() {
    let body = r#"{"results":[{"id":"https://openalex.org/W1","doi":"https://doi.org/10.1/x","display_name":"T",
        "abstract_inverted_index":{"sky":[1,99999999999],"the":[0],"is":[2],"odd":"x"}}]}"#;
    let found = read(ProviderName::Openalex, body).unwrap();
    let hit = found.hits.first().unwrap();
    assert_eq!((hit.url.as_str(), hit.snippet.as_str()), ("https://doi.org/10.1/x", "the sky is"));
}

#[test]
fn several_languages_are_not_one() {
    let filters =
        SearchFilters { languages: vec!["de".to_owned(), "fr".to_owned()], ..SearchFilters::default() };
    let (call, settings) = (call(ProviderName::Tavily, filters), settings());
    let asked = provider::request(&ProviderQuery::new(&call, &settings).unwrap());
    assert_eq!(asked.heeded.languages, Some(FilterEnforcement::NotPossible));
    assert!(!String::from_utf8_lossy(&asked.request.body).contains("language"));
}
