//! Two tenants × every route, tool, task and resource × every kind of token. Nothing opens without a valid token and
//! its scope, and another tenant's ids are told from unknown ones by nothing.

use probity_research::{RunId, scope::KeyScope};
use probity_server::{rest::operations, tools::ToolName};
use serde_json::{Value, json};

use super::{
    issuer::Issuer,
    memory_fleet::{OPERATOR, SINGLE, ended, key, running},
    server::{HttpReply, Server},
};

/// Looks like an id and belongs to nobody.
fn unknown() -> RunId {
    RunId::from_random(0xdead)
}

/// Every route with something in its path, and a body that fits.
fn requests(tenant: &str, id: RunId) -> Vec<(String, String, Option<String>, KeyScope)> {
    let body = |id: &str| match id {
        "startResearch" => Some(json!({ "query": "why?" })),
        "followUp" => Some(json!({ "question": "and why not?" })),
        "checkText" => Some(json!({ "text": "The sky is blue (https://sky.example)." })),
        "putTenant" => Some(json!({ "weight": 2 })),
        "makeKey" => Some(json!({ "scopes": ["research:read"], "expires_in_days": 3 })),
        "makeWebhook" => Some(json!({ "url": "https://hooks.example/new" })),
        _ => None,
    };
    operations()
        .into_iter()
        .map(|operation| {
            let own = if operation.path.contains("keys") {
                format!("{tenant}-user")
            } else if operation.path.contains("webhooks") {
                format!("hook-{tenant}")
            } else {
                id.to_string()
            };
            let mut path = operation.path.replace("{id}", &own).replace("{name}", tenant);
            if operation.id == "searchResearches" {
                path.push_str("?q=private");
            }
            let body = body(operation.id).map(|body| body.to_string());
            (operation.verb.as_str().to_uppercase(), path, body, operation.scope)
        })
        .collect()
}

fn tools(id: RunId) -> Vec<(ToolName, Value)> {
    let arguments = |tool: ToolName| match tool {
        ToolName::StartDeepResearch | ToolName::Search | ToolName::DeepSearch | ToolName::DeepResearch => {
            json!({ "query": "why?" })
        }
        ToolName::EstimateResearchCost => json!({ "query": "why?" }),
        ToolName::CheckCitations => json!({ "text": "The sky is blue (https://sky.example)." }),
        ToolName::FollowUpResearch => json!({ "task_id": id.to_string(), "question": "and?" }),
        ToolName::ListResearch => json!({}),
        ToolName::CheckResearchStatus
        | ToolName::GetResearchResults
        | ToolName::CancelResearch
        | ToolName::SaveResearchToMarkdown => json!({ "task_id": id.to_string() }),
    };
    ToolName::ALL.into_iter().map(|tool| (tool, arguments(tool))).collect()
}

/// Other messages of the protocol that show or change researches.
fn messages(id: RunId) -> Vec<(&'static str, Value, KeyScope)> {
    vec![
        ("tasks/get", json!({ "taskId": id.to_string() }), KeyScope::Read),
        ("tasks/cancel", json!({ "taskId": id.to_string() }), KeyScope::Cancel),
        ("resources/list", json!({}), KeyScope::Read),
        ("resources/read", json!({ "uri": format!("research://{id}/report") }), KeyScope::Read),
        ("resources/read", json!({ "uri": format!("research://{id}/evidence") }), KeyScope::Read),
        ("resources/read", json!({ "uri": format!("research://{id}/sources") }), KeyScope::Read),
        ("resources/read", json!({ "uri": format!("research://{id}/rounds/1") }), KeyScope::Read),
        (
            "prompts/get",
            json!({ "name": "verify_report", "arguments": { "task_id": id.to_string() } }),
            KeyScope::Read,
        ),
    ]
}

fn nothing_private(answer: &HttpReply, what: &str) {
    for mark in ["private", "remote-of", "hooks.example/of", "Findings"] {
        assert!(!answer.body.contains(mark), "{what}: {answer:?}");
    }
}

#[tokio::test]
async fn without_a_valid_token_nothing_opens() {
    let server = Server::start().await;
    let mut tokens = vec![
        ("none", None),
        ("garbage", Some("garbage".to_owned())),
        ("an empty key", Some("prb_".to_owned())),
        ("an unknown key", Some(key("nobody", "user"))),
        ("a revoked key", Some(key("anna", "revoked"))),
        ("an expired key", Some(key("anna", "expired"))),
        ("a suspended tenant's key", Some(key("gone", "user"))),
        ("a key of ten thousand letters", Some(format!("prb_{}", "x".repeat(10_000)))),
    ];
    tokens.extend(server.issuer.bad_tokens("anna").into_iter().map(|(what, token)| (what, Some(token))));
    let mut asked = 0;
    for (what, token) in &tokens {
        for (method, path, body, _) in requests("anna", running("anna")) {
            let answer = server.send(&method, &path, token.as_deref(), &[], body.as_deref()).await;
            assert_eq!(answer.status, 401, "{what}: {method} {path}: {answer:?}");
            assert_eq!(answer.json()["code"], "UNAUTHORISED");
            let challenge = answer.header("www-authenticate").unwrap();
            let known = "resource_metadata=\"https://probity.example/.well-known/oauth-protected-resource\"";
            assert!(challenge.starts_with("Bearer ") && challenge.contains(known), "{challenge}");
            assert_eq!(challenge.contains("invalid_token"), token.is_some(), "{what}: {challenge}");
            nothing_private(&answer, what);
            asked += 1;
        }
        for (tool, arguments) in tools(running("anna")) {
            let params = json!({ "name": tool.as_str(), "arguments": arguments });
            let answer = server.mcp("tools/call", token.as_deref(), params).await;
            assert_eq!((answer.status, answer.body.as_str()), (401, ""), "{what}: {tool:?}");
            asked += 1;
        }
        for (method, params, _) in messages(running("anna")) {
            let answer = server.mcp(method, token.as_deref(), params).await;
            assert_eq!((answer.status, answer.body.as_str()), (401, ""), "{what}: {method}");
            asked += 1;
        }
    }
    println!("0 of {asked} requests without a valid token were answered ({} kinds of token)", tokens.len());
    assert_eq!(server.fleet.held().notes.len(), 0, "nothing was done");
    assert_eq!(server.fleet.held().starts, 0);
    server.stop().await;
}

#[tokio::test]
async fn every_route_and_message_needs_its_own_scope() {
    let server = Server::start().await;
    let mut asked = 0;
    for (name, held) in SINGLE {
        let token = server.issuer.signed(&Issuer::claims("anna", held.as_str()));
        for token in [key("anna", name), token] {
            for (method, path, body, needed) in requests("anna", running("anna")) {
                // A stream would stay open as long as the research runs.
                let path = path
                    .replace(&format!("{}/events", running("anna")), &format!("{}/events", ended("anna")));
                let answer = server.send(&method, &path, Some(&token), &[], body.as_deref()).await;
                if needed == held {
                    let operators = (["PUT", "PATCH"].contains(&&*method) || path == "/v1/admin/tenants")
                        && answer.status == 403;
                    let passed = ![401, 403].contains(&answer.status);
                    assert!(
                        passed || (operators && answer.body.contains("operator")),
                        "{name} {path}: {answer:?}"
                    );
                } else {
                    assert_eq!(answer.status, 403, "{name}: {method} {path}: {answer:?}");
                    assert_eq!(answer.json()["code"], "SCOPE_MISSING");
                    let challenge = answer.header("www-authenticate").unwrap();
                    let wanted = format!("error=\"insufficient_scope\", scope=\"{needed}\"");
                    assert!(
                        challenge.contains(&wanted) && challenge.contains("resource_metadata="),
                        "{challenge}"
                    );
                    nothing_private(&answer, name);
                }
                asked += 1;
            }
            let called = tools(running("anna")).into_iter().map(|(tool, arguments)| {
                ("tools/call", json!({ "name": tool.as_str(), "arguments": arguments }), tool.scope())
            });
            for (method, params, needed) in called.chain(messages(ended("anna"))) {
                let answer = server.mcp(method, Some(&token), params.clone()).await;
                if needed == held {
                    assert_eq!(answer.status, 200, "{name}: {method} {params}: {answer:?}");
                } else {
                    assert_eq!((answer.status, answer.body.as_str()), (403, ""), "{name}: {method} {params}");
                    let challenge = answer.header("www-authenticate").unwrap();
                    assert!(challenge.contains(&format!("scope=\"{needed}\"")), "{challenge}");
                }
                asked += 1;
            }
        }
    }
    println!("{asked} requests with one scope each: each opened what it names and nothing else");
    server.stop().await;
}

/// What is left of an answer when the id is taken out.
fn without_id(answer: &HttpReply, id: &str) -> (u16, String) {
    (answer.status, answer.body.replace(id, "ID"))
}

#[tokio::test]
async fn what_belongs_to_another_tenant_is_not_there() {
    let server = Server::start().await;
    let all = "research:read research:start research:cancel research:admin";
    let anna = server.issuer.signed(&Issuer::claims("anna", all));
    let mut compared = 0;
    for theirs in [ended("ben"), running("ben")] {
        let pairs = requests("ben", theirs).into_iter().zip(requests("nobody", unknown()));
        for ((method, path, body, _), (_, nowhere, _, _)) in pairs {
            let hers = server.send(&method, &path, Some(&anna), &[], body.as_deref()).await;
            let none = server.send(&method, &nowhere, Some(&anna), &[], body.as_deref()).await;
            if path != nowhere {
                assert_eq!(
                    without_id(&hers, &theirs.to_string()),
                    without_id(&none, &unknown().to_string()),
                    "{method} {path} and {nowhere}"
                );
                assert!([403, 404].contains(&hers.status), "{method} {path}: {hers:?}");
                compared += 1;
            }
            assert!(
                !hers.body.contains("ben") && !hers.body.contains(&theirs.to_string()) || hers.status == 404
            );
            assert!(!hers.body.contains("of ben") && !hers.body.contains("of-ben"), "{path}: {hers:?}");
        }
        for ((tool, arguments), (_, nowhere)) in tools(theirs).into_iter().zip(tools(unknown())) {
            let call = |arguments: Value| json!({ "name": tool.as_str(), "arguments": arguments });
            let hers = server.mcp("tools/call", Some(&anna), call(arguments.clone())).await;
            let none = server.mcp("tools/call", Some(&anna), call(nowhere.clone())).await;
            assert!(!hers.body.contains("of ben"), "{tool:?}: {hers:?}");
            if arguments != nowhere {
                let hers = without_id(&hers, &theirs.to_string());
                assert_eq!(hers, without_id(&none, &unknown().to_string()), "{tool:?}");
                assert!(hers.1.contains("NOT_FOUND"), "{hers:?}");
                compared += 1;
            }
        }
        for ((method, params, _), (_, nowhere, _)) in messages(theirs).into_iter().zip(messages(unknown())) {
            let hers = server.mcp(method, Some(&anna), params.clone()).await;
            let none = server.mcp(method, Some(&anna), nowhere.clone()).await;
            assert!(!hers.body.contains("of ben"), "{method}: {hers:?}");
            if params != nowhere {
                let hers = without_id(&hers, &theirs.to_string());
                assert_eq!(hers, without_id(&none, &unknown().to_string()), "{method}");
                compared += 1;
            }
        }
    }
    println!("{compared} answers about another tenant's things are those about things that do not exist");
    assert!(compared > 40, "{compared}");
    server.stop().await;
}

#[tokio::test]
async fn the_operator_reaches_every_tenant_and_a_tenant_its_own() {
    let server = Server::start().await;
    let tenants = server.get("/v1/admin/tenants", OPERATOR).await.json();
    assert_eq!(tenants["tenants"].as_array().unwrap().len(), 3);
    assert_eq!(server.get("/v1/admin/tenants/ben", OPERATOR).await.json()["name"], "ben");
    let put =
        server.send("PUT", "/v1/admin/tenants/carla", Some(OPERATOR), &[], Some(r#"{"weight":3}"#)).await;
    assert_eq!((put.status, put.json()["weight"].clone()), (200, json!(3)));
    let patch = async |change: &str| {
        let path = "/v1/admin/tenants/carla";
        server.send("PATCH", path, Some(OPERATOR), &[], Some(change)).await.json()
    };
    let limited = patch(r#"{"budget_per_day_usd":2.5,"suspended":true}"#).await;
    assert_eq!((&limited["weight"], &limited["budget_per_day_usd"]), (&json!(3), &json!(2.5)));
    let resumed = patch(r#"{"suspended":false}"#).await;
    assert_eq!((&resumed["budget_per_day_usd"], &resumed["suspended"]), (&json!(2.5), &json!(false)));
    assert_eq!(patch(r#"{"budget_per_day_usd":null}"#).await.get("budget_per_day_usd"), None);
    assert_eq!(patch(r#"{"weight":0}"#).await["status"], 400);
    assert_eq!(server.get("/v1/admin/keys", OPERATOR).await.status, 400, "the operator names a tenant");
    let wanted = json!({ "scopes": ["research:read"], "expires_in_days": 30 });
    let made = server.post("/v1/admin/keys", &key("anna", "admin"), &wanted).await;
    assert_eq!((made.status, made.json()["tenant"].clone()), (201, json!("anna")));
    let foreign = json!({ "tenant": "ben", "scopes": ["research:read"], "expires_in_days": 30 });
    assert_eq!(server.post("/v1/admin/keys", &key("anna", "admin"), &foreign).await.status, 404);
    for wrong in [json!([]), json!(["research:everything"])] {
        let body = json!({ "scopes": wrong, "expires_in_days": 30 });
        assert_eq!(server.post("/v1/admin/keys", &key("anna", "admin"), &body).await.status, 400);
    }
    let notes = server.fleet.held().notes.clone();
    let told: Vec<(&str, &str)> =
        notes.iter().map(|note| (note.action.as_str(), note.actor.as_str())).collect();
    let patched = ("patch-tenant", "operator");
    assert_eq!(told, [("put-tenant", "operator"), patched, patched, patched, ("make-key", "key:anna-admin")]);
    server.stop().await;
}

#[tokio::test]
async fn a_token_without_a_tenant_is_its_subjects_own() {
    let server = Server::start().await;
    let mut claims = Issuer::claims("anna", "research:read research:start");
    claims.as_object_mut().unwrap().remove("tenant");
    claims["sub"] = json!("anna");
    let token = server.issuer.on_the_curve(&claims);
    let listed = server.get("/v1/researches", &token).await;
    assert_eq!(
        (listed.status, listed.json()["researches"].clone()),
        (200, json!([])),
        "not the tenant of that name"
    );
    let started = server.post("/v1/researches", &token, &json!({ "query": "why?" })).await;
    assert_eq!(started.status, 202);
    assert_eq!(server.get("/v1/researches", &token).await.json()["researches"].as_array().unwrap().len(), 1);
    claims["sub"] = json!("ben");
    let other = server.issuer.on_the_curve(&claims);
    assert_eq!(server.get("/v1/researches", &other).await.json()["researches"], json!([]));
    server.stop().await;
}

#[tokio::test]
async fn strangers_cannot_make_us_ask_the_issuer() {
    let server = Server::start().await;
    let good = server.issuer.signed(&Issuer::claims("anna", "research:read"));
    assert_eq!(server.get("/v1/researches", &good).await.status, 200);
    let before = server.issuer.asked.load(std::sync::atomic::Ordering::SeqCst);
    for number in 0..50 {
        let header = json!({ "alg": "EdDSA", "kid": format!("invented-{number}") });
        let token = server.issuer.with_header(&header, &Issuer::claims("anna", "research:read"));
        assert_eq!(server.get("/v1/researches", &token).await.status, 401);
    }
    assert_eq!(server.get("/v1/researches", &good).await.status, 200);
    assert_eq!(server.issuer.asked.load(std::sync::atomic::Ordering::SeqCst), before);
    server.stop().await;
}
