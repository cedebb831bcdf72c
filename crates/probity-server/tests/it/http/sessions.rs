//! Sessions of older clients: whose they are, and how many there may be.

use probity_server::http::{HttpSettings, SessionLimits};

use super::harness::{
    ANNA, BEN, OWNER, Server, bearer, header, initialize, legacy, modern, modern_headers, settings, status,
};

async fn open(server: &Server, token: &str) -> String {
    let token = bearer(token);
    let answer = server.post(&[("authorization", &token)], &initialize()).await;
    assert_eq!(status(&answer), 200, "{answer}");
    let session = header(&answer, "mcp-session-id").unwrap().to_owned();
    let initialized = serde_json::json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let answer = server.post(&[("authorization", &token), ("mcp-session-id", &session)], &initialized).await;
    assert_eq!(status(&answer), 202, "{answer}");
    session
}

async fn call(server: &Server, token: &str, session: &str) -> String {
    let token = bearer(token);
    server.post(&[("authorization", &token), ("mcp-session-id", session)], &legacy("whoami")).await
}

async fn plain(server: &Server, method: &str, token: &str, session: &str) -> String {
    let text = format!(
        "{method} /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nconnection: close\r\n\
         authorization: Bearer {token}\r\nmcp-session-id: {session}\r\n\r\n"
    );
    server.send(text.as_bytes()).await
}

/// Everything but the date, which is not about the session.
fn shape(answer: &str) -> String {
    answer.lines().filter(|line| !line.starts_with("date:")).collect::<Vec<&str>>().join("\n")
}

#[tokio::test]
async fn a_session_serves_whoever_opened_it() {
    let server = Server::usual().await;
    let session = open(&server, ANNA).await;
    let answer = call(&server, ANNA, &session).await;
    assert!(status(&answer) == 200 && answer.contains("anna"), "{answer}");
    server.stop().await;
}

#[tokio::test]
async fn anothers_session_looks_like_one_that_never_was() {
    let server = Server::usual().await;
    let session = open(&server, ANNA).await;
    let never = "00000000-0000-4000-8000-000000000000";
    for token in [BEN, OWNER] {
        let (stolen, invented) = (call(&server, token, &session).await, call(&server, token, never).await);
        assert_eq!((status(&stolen), shape(&stolen)), (404, shape(&invented)));
        for method in ["GET", "DELETE"] {
            let stolen = plain(&server, method, token, &session).await;
            assert_eq!(shape(&stolen), shape(&plain(&server, method, token, never).await), "{method}");
        }
    }
    // And it still serves its owner: the foreign DELETE did nothing.
    assert_eq!(status(&call(&server, ANNA, &session).await), 200);
    server.stop().await;
}

#[tokio::test]
async fn a_second_session_header_does_not_help() {
    let server = Server::usual().await;
    let (annas, bens) = (open(&server, ANNA).await, open(&server, BEN).await);
    let token = bearer(BEN);
    let headers = [
        ("authorization", token.as_str()),
        ("mcp-session-id", bens.as_str()),
        ("mcp-session-id", annas.as_str()),
    ];
    let answer = server.post(&headers, &legacy("whoami")).await;
    assert!(!answer.contains("anna"), "{answer}");
    let headers = [headers[0], headers[2], headers[1]];
    assert_eq!(status(&server.post(&headers, &legacy("whoami")).await), 404);
    server.stop().await;
}

/// Text of the answers to two calls that are sent at once with the same id.
async fn twice(
    first: impl Future<Output = String>,
    second: impl Future<Output = String>,
) -> (String, String) {
    let both = async { tokio::join!(first, second) };
    tokio::time::timeout(std::time::Duration::from_secs(5), both)
        .await
        .expect("one of them was never answered")
}

#[tokio::test]
async fn two_calls_with_one_id_are_both_answered_and_never_mixed_up() {
    let server = Server::usual().await;
    let session = open(&server, ANNA).await;
    let token = bearer(ANNA);
    let headers = [("authorization", token.as_str()), ("mcp-session-id", session.as_str())];
    let later = async {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        server.post(&headers, &legacy("whoami")).await
    };
    let (slow, quick) = twice(server.post(&headers, &legacy("slow")), later).await;
    assert!(status(&slow) == 200 && slow.contains("anna") && slow.contains("\"result\""), "{slow}");
    assert!(status(&quick) == 200 && quick.contains("\"error\"") && !quick.contains("anna"), "{quick}");
    assert!(quick.contains("not answered yet"), "{quick}");
    let again = server.post(&headers, &legacy("whoami")).await;
    assert!(
        again.contains("\"result\"") && again.contains("anna"),
        "an id that was answered is free: {again}"
    );

    let [version, method, name] = modern_headers("slow");
    let own = [("authorization", token.as_str()), version, method, name];
    let (one, other) = twice(server.post(&own, &modern("slow")), server.post(&own, &modern("slow"))).await;
    assert!(one.contains("\"result\"") && other.contains("\"result\""), "{one}\n{other}");
    server.stop().await;
}

#[tokio::test]
async fn a_closed_session_is_gone_and_leaves_room() {
    let max = SessionLimits { total: 2, per_caller: 1 };
    let server = Server::start(HttpSettings { sessions_max: max, ..settings() }).await;
    let session = open(&server, ANNA).await;

    let token = bearer(ANNA);
    let full = server.post(&[("authorization", &token)], &initialize()).await;
    assert_eq!((status(&full), header(&full, "retry-after")), (503, Some("30")));
    open(&server, BEN).await;
    let token = bearer(OWNER);
    assert_eq!(
        status(&server.post(&[("authorization", &token)], &initialize()).await),
        503,
        "two are all there is"
    );

    assert_eq!(status(&plain(&server, "DELETE", ANNA, &session).await), 202);
    assert_eq!(status(&call(&server, ANNA, &session).await), 404);
    open(&server, OWNER).await;
    server.stop().await;
}
