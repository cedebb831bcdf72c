//! What the routes answer: starts that may be repeated, lists, reports, refusals with their reasons.

use serde_json::{Value, json};

use super::{
    memory_fleet::{ended, key, running},
    server::Server,
};

#[tokio::test]
async fn a_start_may_be_repeated_with_its_key() {
    let server = Server::start().await;
    let token = key("anna", "user");
    let start = async |key: &str, body: &str, token: &str| {
        server.send("POST", "/v1/researches", Some(token), &[("idempotency-key", key)], Some(body)).await
    };
    let first = start("one", r#"{"query":"why?","max_minutes":5}"#, &token).await;
    assert_eq!(first.status, 202, "{first:?}");
    let id = first.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(first.header("location"), Some(format!("/v1/researches/{id}").as_str()));
    let again = start("one", r#"{ "max_minutes": 5, "query": "why?" }"#, &token).await;
    assert_eq!((again.status, again.header("idempotency-replayed")), (200, Some("true")));
    assert_eq!(again.json()["id"], id);
    let other = start("one", r#"{"query":"why not?"}"#, &token).await;
    assert_eq!((other.status, other.json()["code"].clone()), (422, json!("KEY_REUSED")));
    let of_ben = start("one", r#"{"query":"why?","max_minutes":5}"#, &key("ben", "user")).await;
    assert_eq!(of_ben.status, 202, "a key is a tenant's own");
    for wrong in ["", " ", "with a blank", &"x".repeat(256)] {
        assert_eq!(start(wrong, r#"{"query":"why?"}"#, &token).await.status, 400, "{wrong:?}");
    }
    assert_eq!(server.fleet.held().starts, 2);
    let notes = server.fleet.held().notes.clone();
    assert!(notes.iter().all(|note| note.action == "start" && note.actor.starts_with("key:")), "{notes:?}");
    assert_eq!(notes.len(), 4, "{notes:?}");
    server.stop().await;
}

#[tokio::test]
async fn what_does_not_fit_is_refused_in_words() {
    let server = Server::start().await;
    let token = key("anna", "user");
    let long = format!(r#"{{"query":"{}"}}"#, "x".repeat(40_000));
    for (body, status) in [
        ("", 400),
        ("not json", 400),
        ("[]", 400),
        ("{}", 400),
        (r#"{"query":""}"#, 400),
        (r#"{"query":"why?","surprise":1}"#, 400),
        (r#"{"query":"why?","manner":"guess"}"#, 400),
        (r#"{"query":"why?","rounds":3}"#, 400),
        (r#"{"query":"why?","manner":"deep_search","rounds":21}"#, 400),
        (r#"{"query":"why?","agent":"no-such-agent"}"#, 400),
        (r#"{"query":"why?","max_cost_usd":-1}"#, 400),
        (long.as_str(), 400),
        (r#"{"query":"why?","depth":"deep"}"#, 400),
        (r#"{"query":"why?","manner":"deep_research","depth":"deepest"}"#, 400),
        (r#"{"query":"why?","manner":"deep_research","words":99}"#, 400),
        (r#"{"query":"why?","manner":"deep_research","language":"42"}"#, 400),
        (r#"{"query":"why?","manner":"deep_search","rounds":3}"#, 202),
        (r#"{"query":"why not?","manner":"deep_research","depth":"quick","words":300,"language":"de"}"#, 202),
    ] {
        let answer = server.send("POST", "/v1/researches", Some(&token), &[], Some(body)).await;
        assert_eq!(answer.status, status, "{body}: {answer:?}");
        if status == 400 {
            assert_eq!(answer.header("content-type"), Some("application/problem+json"));
            let told = answer.json();
            assert_eq!(told["status"], 400);
            let page = told["type"].as_str().unwrap();
            let explained = server.send("GET", page, None, &[], None).await;
            assert_eq!(explained.status, 200, "{page}");
        }
    }
    let huge = "x".repeat(5 * 1024 * 1024);
    let answer = server.send("POST", "/v1/checks", Some(&token), &[], Some(&huge)).await;
    assert_eq!(answer.status, 413);
    for path in [
        "/v1/researches?status=happy",
        "/v1/researches?limit=many",
        "/v1/researches?cursor=x",
        "/v1/researches?since=yesterday",
        "/v1/researches?surprise=1",
        "/v1/search",
        "/v1/search?q=",
    ] {
        assert_eq!(server.get(path, &token).await.status, 400, "{path}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_research_is_listed_read_and_cancelled() {
    let server = Server::start().await;
    let token = key("anna", "user");
    let listed = server.get("/v1/researches?limit=1", &token).await.json();
    assert_eq!(listed["researches"].as_array().unwrap().len(), 1);
    let next = listed["next_cursor"].as_str().unwrap();
    let rest = server.get(&format!("/v1/researches?limit=1&cursor={next}"), &token).await.json();
    assert_eq!((rest["researches"].as_array().unwrap().len(), rest.get("next_cursor")), (1, None));
    let found = server.get("/v1/search?q=private", &token).await.json();
    assert_eq!(found["researches"].as_array().unwrap().len(), 2, "{found}");
    let usage = server.get("/v1/usage", &token).await.json();
    assert_eq!(
        usage,
        json!({ "tenant": "anna", "days": [{ "day": "2026-11-15", "researches": 1, "spent_usd": 1.0 }] })
    );

    let done = format!("/v1/researches/{}", ended("anna"));
    let shown = server.get(&done, &token).await.json();
    assert_eq!((shown["status"].clone(), shown["cost_usd"].clone()), (json!("completed"), json!(1.23)));
    let report = server.get(&format!("{done}/report"), &token).await.json();
    assert_eq!(report["report"], "# Findings\n\nThe private report of anna.");
    let markdown = [("accept", "text/markdown")];
    let markdown = server.send("GET", &format!("{done}/report"), Some(&token), &markdown, None).await;
    assert_eq!(markdown.header("content-type"), Some("text/markdown; charset=utf-8"));
    assert!(markdown.body.contains("The private report of anna."), "{markdown:?}");
    let evidence: Value = server.get(&format!("{done}/evidence"), &token).await.json();
    assert_eq!(evidence["verified"], false);

    let going = format!("/v1/researches/{}", running("anna"));
    let early = server.get(&format!("{going}/report"), &token).await;
    assert_eq!((early.status, early.json()["code"].clone()), (409, json!("NOT_FINISHED")));
    assert!(early.header("retry-after").is_some());
    let cancelled = server.post(&format!("{going}/cancel"), &token, &json!({})).await;
    assert_eq!((cancelled.status, cancelled.json()["status"].clone()), (202, json!("cancelling")));
    let late = server.post(&format!("{done}/cancel"), &token, &json!({})).await;
    assert_eq!((late.status, late.json()["code"].clone()), (409, json!("ALREADY_ENDED")));
    let further = server.post(&format!("{done}/follow-up"), &token, &json!({ "question": "and?" })).await;
    assert_eq!((further.status, further.json()["follows"].clone()), (202, json!(ended("anna").to_string())));
    server.stop().await;
}

#[tokio::test]
async fn a_fleet_writes_no_files_for_its_callers() {
    let server = Server::start().await;
    let arguments = json!({ "task_id": ended("anna").to_string() });
    let params = json!({ "name": "save_research_to_markdown", "arguments": arguments });
    let answer = server.mcp("tools/call", Some(&key("anna", "user")), params).await;
    assert!(answer.status == 200 && answer.body.contains("keeps no files"), "{answer:?}");
    server.stop().await;
}

#[tokio::test]
async fn clients_learn_where_tokens_come_from() {
    let server = Server::start().await;
    let told = server.send("GET", "/.well-known/oauth-protected-resource", None, &[], None).await.json();
    assert_eq!(told["resource"], "https://probity.example");
    assert_eq!(told["authorization_servers"], json!(["https://issuer.example/team"]));
    let scopes = ["research:read", "research:start", "research:cancel", "research:admin"];
    assert_eq!(told["scopes_supported"], json!(scopes));
    server.stop().await;
}
