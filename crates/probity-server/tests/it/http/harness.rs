//! A server with a handler of three tools on port 0, and a client that writes exactly the bytes it is given.

use std::{net::SocketAddr, time::Duration};

use probity_runner::tasks::TaskGroup;
use probity_server::http::{AuthPolicy, HttpSettings, Principal, RunAccess, TokenTable, serve};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ServerCapabilities,
        ServerConfig,
    },
    service::RequestContext,
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};
use tokio_util::sync::CancellationToken;

pub const OWNER: &str = "the-owners-own-token";
pub const ANNA: &str = "annas-token";
pub const BEN: &str = "bens-token";
/// Longest wait of a test for one answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// `whoami` says the reach it was called with; `wait` ends only when it is cancelled; `slow` takes 300 ms.
#[derive(Debug, Clone)]
pub struct Handler;

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let parts = context.extensions.get::<axum::http::request::Parts>();
        let reach = parts.and_then(|parts| parts.extensions.get::<RunAccess>());
        match request.name.as_ref() {
            "wait" => context.ct.cancelled().await,
            "slow" => tokio::time::sleep(Duration::from_millis(300)).await,
            _ => {}
        }
        Ok(CallToolResponse::Complete(CallToolResult::success(vec![ContentBlock::text(format!(
            "{reach:?}"
        ))])))
    }
}

pub struct Server {
    pub address: SocketAddr,
    pub stop: CancellationToken,
    tasks: TaskGroup,
}

impl Server {
    pub async fn start(settings: HttpSettings) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, tasks) = (CancellationToken::new(), TaskGroup::default());
        let stopped = stop.clone();
        tasks.spawn_named("server", |_| async move {
            serve(listener, || Handler, settings, stopped).await.unwrap();
        });
        Self { address, stop, tasks }
    }

    /// With the tokens above and the usual limits.
    pub async fn usual() -> Self {
        Self::start(settings()).await
    }

    pub async fn stop(self) {
        self.stop.cancel();
        self.tasks.close().await;
    }

    pub async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Writes the bytes and reads until the server closes.
    pub async fn send(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect().await;
        // The server may refuse before everything is written.
        stream.write_all(bytes).await.ok();
        read_to_end(&mut stream).await
    }

    pub async fn post(&self, headers: &[(&str, &str)], body: &Value) -> String {
        self.send(&post(headers, body)).await
    }
}

pub fn settings() -> HttpSettings {
    let named = [("anna", ANNA), ("ben", BEN)];
    let named = named.map(|(name, token)| (blake3::hash(token.as_bytes()), Principal::parse(name).unwrap()));
    HttpSettings::new(AuthPolicy::Tokens(TokenTable::new(blake3::hash(OWNER.as_bytes()), named).into()))
}

/// One request that closes its connection. Later headers replace the usual ones of the same name.
pub fn post(headers: &[(&str, &str)], body: &Value) -> Vec<u8> {
    let body = body.to_string();
    let length = body.len().to_string();
    let mut all = vec![
        ("host", "localhost"),
        ("accept", "application/json, text/event-stream"),
        ("content-type", "application/json"),
        ("connection", "close"),
        ("content-length", length.as_str()),
    ];
    all.retain(|(name, _)| !headers.iter().any(|(other, _)| other == name));
    all.extend(headers);
    let mut text = "POST /mcp HTTP/1.1\r\n".to_owned();
    for (name, value) in all {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    text.push_str(&body);
    text.into_bytes()
}

pub async fn read_to_end(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    let reading = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer));
    // A reset after an early refusal still leaves what was read before it.
    reading.await.expect("the server neither answers nor closes").ok();
    String::from_utf8_lossy(&answer).into_owned()
}

pub fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
}

pub fn header<'answer>(answer: &'answer str, name: &str) -> Option<&'answer str> {
    let (head, _) = answer.split_once("\r\n\r\n")?;
    head.lines().find_map(|line| {
        let (found, value) = line.split_once(": ")?;
        found.eq_ignore_ascii_case(name).then_some(value)
    })
}

pub fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

/// A call in the revision without sessions.
pub fn modern(tool: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": {}, "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }}})
}

/// The headers that go with `modern`, without a token.
pub fn modern_headers(tool: &str) -> [(&'static str, &str); 3] {
    [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", tool)]
}

pub fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    }})
}

pub fn legacy(tool: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": {}}})
}
