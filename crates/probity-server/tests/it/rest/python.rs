//! Tokens of another language's library: Authlib mints them and serves its keys, we verify them over a real
//! connection. And a validator of OpenAPI documents reads ours. Says so and passes where Python has neither.
#![expect(clippy::disallowed_methods, reason = "starts the other library")]

use std::{
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Arc,
};

use probity_research::{
    Code, CodedError,
    principal::Principal,
    scope::{KeyScope, KeyScopes},
    time::Moment,
};
use probity_server::{
    backend::BackendFuture,
    oauth::{IssuerClient, IssuerSettings, TokenVerifier},
};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

const AUDIENCE: &str = "https://probity.example";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The interpreter, if it has the module.
fn python(module: &str) -> Option<PathBuf> {
    let python = root().join(".tools/venv/bin/python");
    let has = Command::new(&python).args(["-c", &format!("import {module}")]).output();
    if has.is_ok_and(|done| done.status.success()) {
        return Some(python);
    }
    println!("skipped: no `{module}` at {}; `.ci/install` brings it", python.display());
    None
}

struct PythonIssuer {
    process: Child,
    told: Value,
}

impl PythonIssuer {
    fn start() -> Option<Self> {
        let mut process = Command::new(python("authlib.jose")?)
            .arg(root().join("crates/probity-conformance/oauth/issuer.py"))
            .arg(AUDIENCE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Some(Self { process, told: serde_json::from_str(&line).unwrap() })
    }
}

impl Drop for PythonIssuer {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

/// A GET on a bare socket.
struct SocketIssuerClient;

impl IssuerClient for SocketIssuerClient {
    fn fetch<'a>(&'a self, url: &'a str, bytes_max: usize) -> BackendFuture<'a, Vec<u8>> {
        Box::pin(async move {
            let (authority, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
            let mut stream = TcpStream::connect(authority).await.unwrap();
            let request = format!("GET /{path} HTTP/1.0\r\nhost: {authority}\r\n\r\n");
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut answer = Vec::new();
            stream.take(bytes_max as u64).read_to_end(&mut answer).await.unwrap();
            let answer = String::from_utf8(answer).unwrap();
            let (head, body) = answer.split_once("\r\n\r\n").unwrap();
            if !head.contains(" 200 ") {
                return Err(CodedError::new(Code::Network, "not there"));
            }
            Ok(body.as_bytes().to_vec())
        })
    }
}

#[tokio::test]
async fn tokens_of_authlib_are_verified_and_its_bad_ones_refused() {
    let Some(issuer) = PythonIssuer::start() else { return };
    let trusted = IssuerSettings {
        issuer: issuer.told["issuer"].as_str().unwrap().to_owned(),
        audience: AUDIENCE.to_owned(),
        tenant_claim: None,
    };
    let verifier = TokenVerifier::new(trusted, Arc::new(SocketIssuerClient)).unwrap();
    let now = Moment(issuer.told["now"].as_i64().unwrap() * 1_000);
    let tokens = |kind: &str| {
        let named = issuer.told[kind].as_object().unwrap().clone();
        named.into_iter().map(|(name, token)| (name, token.as_str().unwrap().to_owned())).collect::<Vec<_>>()
    };
    let good = tokens("good");
    assert_eq!(good.len(), 5);
    for (name, token) in &good {
        let vouched =
            verifier.verify(token, now).await.unwrap().unwrap_or_else(|| panic!("{name} is refused"));
        assert_eq!(vouched.tenant, Principal::parse("anna").unwrap(), "{name}");
        assert_eq!(vouched.scopes, KeyScopes::of(&[KeyScope::Read, KeyScope::Start]), "{name}");
        let changed = format!("{}A", &token[..token.len() - 1]);
        let other = if changed == *token { format!("{}Q", &token[..token.len() - 1]) } else { changed };
        assert_eq!(verifier.verify(&other, now).await.unwrap(), None, "{name} with another signature");
    }
    let bad = tokens("bad");
    assert_eq!(bad.len(), 13);
    for (name, token) in &bad {
        assert_eq!(verifier.verify(token, now).await.unwrap(), None, "{name}");
    }
    println!("Authlib: {} good tokens taken, {} bad ones refused", good.len(), bad.len());
}

#[test]
fn a_validator_finds_nothing_wrong_with_the_openapi_document() {
    let Some(python) = python("openapi_spec_validator") else { return };
    let mut process = Command::new(python)
        .args(["-m", "openapi_spec_validator", "--schema", "3.1", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let document = probity_server::rest::openapi::document().to_string();
    std::io::Write::write_all(&mut process.stdin.take().unwrap(), document.as_bytes()).unwrap();
    let done = process.wait_with_output().unwrap();
    let told = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success() && told.contains("OK"), "{told}");
}
