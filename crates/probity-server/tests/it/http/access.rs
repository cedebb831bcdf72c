//! Host, origin and token: every combination, and what a stranger can learn.

use super::harness::{ANNA, BEN, OWNER, Server, bearer, header, modern, modern_headers, status};

#[tokio::test]
async fn only_an_own_host_an_own_origin_and_a_known_token_get_in() {
    let server = Server::usual().await;
    let hosts = [
        ("localhost", true),
        ("127.0.0.1:8765", true),
        ("[::1]", true),
        ("evil.example", false),
        ("localhost.evil.example", false),
    ];
    let origins = [
        (None, true),
        (Some("http://localhost:6274"), true),
        (Some("http://evil.example"), false),
        (Some("null"), false),
    ];
    let (owner, wrong) = (bearer(OWNER), bearer("guess"));
    let tokens = [
        (Some(owner.as_str()), true),
        (Some(wrong.as_str()), false),
        (Some("Bearer"), false),
        (Some("Basic b3duZXI6"), false),
        (None, false),
    ];
    for (host, host_fits) in hosts {
        for (origin, origin_fits) in origins {
            for (token, token_fits) in tokens {
                let mut headers = vec![("host", host)];
                headers.extend(modern_headers("whoami"));
                headers.extend(origin.map(|origin| ("origin", origin)));
                headers.extend(token.map(|token| ("authorization", token)));
                let answer = server.post(&headers, &modern("whoami")).await;
                let expected = match (host_fits && origin_fits, token_fits) {
                    (false, _) => 403,
                    (true, false) => 401,
                    (true, true) => 200,
                };
                assert_eq!(status(&answer), expected, "{host} {origin:?} {token:?}: {answer}");
                assert_eq!(answer.contains("Everything"), expected == 200, "{answer}");
            }
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn a_refusal_says_how_to_ask_and_nothing_else() {
    let server = Server::usual().await;
    let answer = server.post(&modern_headers("whoami"), &modern("whoami")).await;
    assert_eq!(header(&answer, "www-authenticate"), Some("Bearer"));
    assert_eq!(header(&answer, "content-length"), Some("0"));
    server.stop().await;
}

#[tokio::test]
async fn the_handler_learns_who_asked() {
    let server = Server::usual().await;
    for (token, reach) in
        [(OWNER, "Everything"), (ANNA, r#"Of(Principal(\"anna\"))"#), (BEN, r#"Of(Principal(\"ben\"))"#)]
    {
        let token = bearer(token);
        let mut headers = vec![("authorization", token.as_str())];
        headers.extend(modern_headers("whoami"));
        let answer = server.post(&headers, &modern("whoami")).await;
        assert!(answer.contains(&format!("Some({reach})")), "{answer}");
    }
    server.stop().await;
}

#[tokio::test]
async fn health_needs_no_token_and_other_paths_are_not_there() {
    let server = Server::usual().await;
    let get = async |target: &str, host: &str| {
        server
            .send(format!("GET {target} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n").as_bytes())
            .await
    };
    let health = get("/health", "localhost").await;
    assert_eq!((status(&health), health.rsplit("\r\n").next()), (200, Some("ok")));
    assert_eq!(status(&get("/health", "evil.example").await), 403);
    for target in ["/", "/mcp/", "/mcp/x", "//mcp", "/.well-known/oauth-protected-resource", "/health/../mcp"]
    {
        assert_eq!(status(&get(target, "localhost").await), 404, "{target}");
    }
    assert_eq!(status(&get("/mcp", "localhost").await), 401);
    server.stop().await;
}

#[tokio::test]
async fn a_request_without_a_host_or_with_two_is_refused() {
    let server = Server::usual().await;
    for head in [
        "GET /health HTTP/1.1\r\n",
        "GET /health HTTP/1.0\r\n",
        "GET /health HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n",
    ] {
        let answer = server.send(format!("{head}connection: close\r\n\r\n").as_bytes()).await;
        assert_eq!(status(&answer), 400, "{head}");
    }
    server.stop().await;
}
