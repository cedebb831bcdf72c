//! The real server on a data directory of its own, and a client that writes exactly the bytes it is given.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    path::PathBuf,
    process::{Command, Stdio},
    time::Duration,
};

use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::rig::{self, ProcessGroup, SimulatorProcess};

/// Longest wait for one answer, and for the server to come up.
const PATIENCE: Duration = Duration::from_secs(60);
pub const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-11-25";
pub const SESSION: &str = "mcp-session-id";

/// Which protocol a caller speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpEra {
    Modern,
    Legacy,
}

pub struct HttpServerTestBed {
    home: TempDir,
    simulator: SimulatorProcess,
    _group: ProcessGroup,
    /// `127.0.0.1:port`.
    pub host: String,
    pub owner: String,
}

impl HttpServerTestBed {
    pub fn start() -> anyhow::Result<Self> {
        let home = tempfile::tempdir()?;
        let simulator = SimulatorProcess::start(&[])?;
        let mut command = program(&home, &simulator, &["serve", "--listen", "127.0.0.1:0"])?;
        let group = ProcessGroup::spawn(command.stdout(Stdio::null()).stderr(Stdio::null()))?;
        let began = rig::now();
        let host = loop {
            let said = std::fs::read_to_string(data(&home).join("serve.lock")).unwrap_or_default();
            let host = said.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/mcp"));
            if let Some(host) = host.filter(|host| TcpStream::connect(host).is_ok()) {
                break host.to_owned();
            }
            if began.elapsed() > PATIENCE {
                bail!("the server did not come up");
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let owner = std::fs::read_to_string(data(&home).join("serve.token"))?.trim().to_owned();
        Ok(Self { home, simulator, _group: group, host, owner })
    }

    /// A token of their own for someone, as the command line gives it.
    pub fn token(&self, name: &str) -> anyhow::Result<String> {
        let mut command = program(&self.home, &self.simulator, &["serve", "token", "add", name])?;
        let made = rig::run(&mut command, PATIENCE)?;
        let token = made.stdout.trim().to_owned();
        // The server looks for new tokens once a second.
        let began = rig::now();
        while self.call(HttpEra::Modern, &token, None, "tools/list", json!({}))?.status == 401 {
            if began.elapsed() > PATIENCE {
                bail!("the token of {name} is not taken: {}", made.stderr);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(token)
    }

    pub fn connect(&self) -> anyhow::Result<TcpStream> {
        let stream = TcpStream::connect(&self.host)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    /// Writes a request and reads until the server closes.
    pub fn send(&self, request: &[u8]) -> anyhow::Result<HttpServerResponse> {
        let mut stream = self.connect()?;
        // The server may refuse before everything is written.
        stream.write_all(request).ok();
        HttpServerResponse::read(&mut stream)
    }

    /// One JSON-RPC request with the headers of its era.
    pub fn call(
        &self,
        era: HttpEra,
        token: &str,
        session: Option<&str>,
        method: &str,
        params: Value,
    ) -> anyhow::Result<HttpServerResponse> {
        self.send(&request(&self.host, era, token, session, method, params))
    }

    /// Opens a session of the older revision.
    pub fn session(&self, token: &str) -> anyhow::Result<String> {
        let params = json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "figures", "version": "1"}});
        let answer = self.call(HttpEra::Legacy, token, None, "initialize", params)?;
        let session = answer.header(SESSION).context("no session was opened")?.to_owned();
        let told = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        self.send(&post(
            &self.host,
            &[("authorization", &bearer(token)), (SESSION, &session)],
            &told.to_string(),
        ))?;
        Ok(session)
    }
}

fn data(home: &TempDir) -> PathBuf {
    home.path().join("data")
}

fn program(home: &TempDir, simulator: &SimulatorProcess, arguments: &[&str]) -> anyhow::Result<Command> {
    let mut command = rig::command(rig::built("probity")?);
    command
        .args(arguments)
        .env("HOME", home.path())
        .env("XDG_CONFIG_HOME", home.path().join("config"))
        .env("XDG_DATA_HOME", home.path().join("share"))
        .env("PROBITY_STORE__DIRECTORY", data(home))
        .env("PROBITY_CHECKS__ENABLED", "false")
        .env("PROBITY_REPORTS__DIRECTORY", home.path().join("reports"))
        .env("PROBITY_SERVE__CALLS_PER_SECOND", "100000")
        .env("PROBITY_MCP__START_WAIT", "1s")
        .env("PROBITY_MCP__ASK_ABOVE_USD", "1000")
        .env("GEMINI_API_KEY", "simulated-key")
        .env("GOOGLE_GEMINI_BASE_URL", &simulator.base_url)
        .env("NO_COLOR", "1")
        .env_remove("PROBITY_LOG")
        .current_dir(home.path());
    Ok(command)
}

pub fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

/// A request with the usual headers, in which those given replace others of the same name.
pub fn post(host: &str, headers: &[(&str, &str)], body: &str) -> Vec<u8> {
    let length = body.len().to_string();
    let mut all = vec![
        ("host", host),
        ("accept", "application/json, text/event-stream"),
        ("content-type", "application/json"),
        ("connection", "close"),
        ("content-length", length.as_str()),
    ];
    all.retain(|(name, _)| !headers.iter().any(|(other, _)| other == name));
    all.extend(headers);
    let lines: String = all.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("POST /mcp HTTP/1.1\r\n{lines}\r\n{body}").into_bytes()
}

pub fn request(
    host: &str,
    era: HttpEra,
    token: &str,
    session: Option<&str>,
    method: &str,
    mut params: Value,
) -> Vec<u8> {
    let bearer = bearer(token);
    let mut headers = vec![("authorization", bearer.as_str())];
    headers.extend(session.map(|session| (SESSION, session)));
    let named =
        ["name", "uri", "taskId"].iter().find_map(|key| params.get(*key)?.as_str()).map(str::to_owned);
    if era == HttpEra::Modern {
        if let Some(object) = params.as_object_mut() {
            let capabilities = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
            object.insert(
                "_meta".to_owned(),
                json!({
                    "io.modelcontextprotocol/protocolVersion": MODERN,
                    "io.modelcontextprotocol/clientInfo": {"name": "figures", "version": "1"},
                    "io.modelcontextprotocol/clientCapabilities": capabilities,
                }),
            );
        }
        headers.extend([("mcp-protocol-version", MODERN), ("mcp-method", method)]);
        headers.extend(named.as_deref().map(|name| ("mcp-name", name)));
    }
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    post(host, &headers, &body.to_string())
}

/// What came back.
#[derive(Debug, Clone, Default)]
pub struct HttpServerResponse {
    /// 0 when the connection was cut without a word.
    pub status: u16,
    head: String,
    pub body: String,
}

impl HttpServerResponse {
    pub fn read(stream: &mut TcpStream) -> anyhow::Result<Self> {
        let mut bytes = Vec::new();
        // A reset after an early refusal leaves what was read before it.
        if let Err(error) = stream.read_to_end(&mut bytes)
            && error.kind() == std::io::ErrorKind::WouldBlock
        {
            bail!("neither an answer nor an end within {PATIENCE:?}");
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text.as_str(), ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let mut answer = Self { status, head: head.to_owned(), body: body.to_owned() };
        if answer.header("transfer-encoding") == Some("chunked") {
            answer.body = unchunked(body);
        }
        Ok(answer)
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    /// The answer to the request: the whole body, or the last message of a stream.
    pub fn message(&self) -> Value {
        let streamed = self.body.lines().filter_map(|line| line.strip_prefix("data: ")).next_back();
        serde_json::from_str(streamed.unwrap_or(&self.body)).unwrap_or_default()
    }

    /// Status and body, with this id taken out: what is left must not depend on whether the id exists.
    pub fn without(&self, id: &str) -> String {
        let digits = id.trim_start_matches("res_");
        let body = if self.message().is_null() { self.body.clone() } else { self.message().to_string() };
        format!("{} {}", self.status, body.replace(digits, "ID"))
    }
}

fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        let (Some(chunk), true) = (rest.get(..size), size > 0) else { break };
        whole.push_str(chunk);
        body = rest.get(size..).and_then(|rest| rest.strip_prefix("\r\n")).unwrap_or("");
    }
    whole
}
