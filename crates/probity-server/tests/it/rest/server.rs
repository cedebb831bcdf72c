//! The whole service on port 0, and a client that shows what came back.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use probity_runner::tasks::TaskGroup;
use probity_server::{
    McpServer, McpServerParts,
    http::{AuthPolicy, HttpSettings, RateLimits, SharedAuthenticator},
    markdown::ReportTemplates,
    oauth::TokenVerifier,
    rest::{FleetAuthenticator, RestApi},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};
use tokio_util::sync::CancellationToken;

use super::{
    issuer::Issuer,
    memory_fleet::{MemoryFleet, OPERATOR},
};

const PATIENCE: Duration = Duration::from_secs(20);

pub struct Server {
    pub address: SocketAddr,
    pub fleet: Arc<MemoryFleet>,
    pub issuer: Issuer,
    stop: CancellationToken,
    tasks: TaskGroup,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpReply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl HttpReply {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

impl Server {
    pub async fn start() -> Self {
        let (house, issuer) = (Arc::new(MemoryFleet::new()), Issuer::new());
        let face = Arc::new(McpServer::new(McpServerParts {
            backend: house.clone(),
            templates: ReportTemplates::new(None).unwrap(),
            secret: [7; 32],
            version: "0".to_owned(),
            app: None,
        }));
        let verifier = TokenVerifier::new(Issuer::trusted(), Arc::new(issuer.documents())).unwrap();
        let keeper = FleetAuthenticator::new(house.clone(), house.clone())
            .with_tokens_of(verifier)
            .with_operator(blake3::hash(OPERATOR.as_bytes()));
        let settings = HttpSettings {
            api: Some(Arc::new(RestApi::new(Arc::clone(&face), house.clone()))),
            // The matrix asks faster than any client.
            pace: RateLimits { per_second: 100_000, burst: 100_000, open_max: 128 },
            ..HttpSettings::new(AuthPolicy::External(SharedAuthenticator(Arc::new(keeper))))
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, tasks) = (CancellationToken::new(), TaskGroup::default());
        let stopped = stop.clone();
        tasks.spawn_named("server", |_| async move {
            face.serve_http(listener, settings, stopped).await.unwrap();
        });
        Self { address, fleet: house, issuer, stop, tasks }
    }

    pub async fn stop(self) {
        self.stop.cancel();
        tokio::time::timeout(PATIENCE, self.tasks.close()).await.expect("the server does not end");
    }

    /// One request on a connection of its own, read to its end.
    pub async fn send(
        &self,
        method: &str,
        path: &str,
        token: Option<&str>,
        more: &[(&str, &str)],
        body: Option<&str>,
    ) -> HttpReply {
        let mut stream = self.open(method, path, token, more, body).await;
        let mut bytes = Vec::new();
        let reading = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut bytes));
        reading.await.expect("the server neither answers nor closes").ok();
        answer(&bytes)
    }

    pub async fn open(
        &self,
        method: &str,
        path: &str,
        token: Option<&str>,
        more: &[(&str, &str)],
        body: Option<&str>,
    ) -> TcpStream {
        let mut text = format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n");
        if let Some(token) = token {
            text.push_str(&format!("authorization: Bearer {token}\r\n"));
        }
        for (name, value) in more {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        let body = body.unwrap_or_default();
        text.push_str(&format!(
            "content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        ));
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        // The server may refuse before everything is written.
        stream.write_all(text.as_bytes()).await.ok();
        stream
    }

    pub async fn get(&self, path: &str, token: &str) -> HttpReply {
        self.send("GET", path, Some(token), &[], None).await
    }

    pub async fn post(&self, path: &str, token: &str, body: &Value) -> HttpReply {
        self.send("POST", path, Some(token), &[], Some(&body.to_string())).await
    }

    /// A message of the protocol without sessions.
    pub async fn mcp(&self, method: &str, token: Option<&str>, mut params: Value) -> HttpReply {
        let name = params.get("name").or(params.get("uri")).or(params.get("taskId"));
        let name = name.and_then(Value::as_str).unwrap_or_default().to_owned();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}},
        });
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let mut more = vec![
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", method),
        ];
        if !name.is_empty() {
            more.push(("mcp-name", name.as_str()));
        }
        self.send("POST", "/mcp", token, &more, Some(&body)).await
    }
}

fn answer(bytes: &[u8]) -> HttpReply {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text.as_str(), ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let chunked = head.to_lowercase().contains("transfer-encoding: chunked");
    let body = if chunked { unchunked(body) } else { body.to_owned() };
    HttpReply { status, head: head.to_owned(), body }
}

pub fn unchunked(mut text: &str) -> String {
    let mut whole = String::new();
    while let Some((length, rest)) = text.split_once("\r\n") {
        let length = usize::from_str_radix(length.trim(), 16).unwrap_or(0);
        if length == 0 || rest.len() < length {
            break;
        }
        whole.push_str(&rest[..length]);
        text = rest[length..].trim_start_matches("\r\n");
    }
    whole
}
