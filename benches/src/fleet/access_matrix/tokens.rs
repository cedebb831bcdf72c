//! Tokens that open nothing, or not enough: keys of our own kind, and tokens of an issuer that was made with another
//! language's library.

use std::{path::PathBuf, process::Stdio};

use anyhow::Context;
use serde_json::Value;

use super::super::test_bed::FleetTestBed;
use crate::rig::{self, ProcessGroup};

/// Whom the tokens are for.
pub const AUDIENCE: &str = "https://fleet.example/mcp";

/// What a token may bring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenExpectation {
    /// 401, whatever is asked.
    Refused,
    /// 403, whatever is asked: the token has no scope at all that a route needs.
    NoScope,
    /// A tenant like any other: what belongs to others does not exist.
    Stranger,
}

#[derive(Debug, Clone)]
pub struct TestToken {
    pub name: String,
    pub text: String,
    pub expect: TokenExpectation,
}

/// An issuer of tokens, on loopback: `issuer.py` with authlib.
pub struct OauthIssuer {
    _group: ProcessGroup,
    pub url: String,
    tokens: Value,
    accepted: Value,
}

impl OauthIssuer {
    /// Nothing where Python or authlib is missing.
    pub fn start() -> anyhow::Result<Option<Self>> {
        let python: PathBuf = rig::repository().join(".tools/venv/bin/python");
        let has = rig::command(&python).args(["-c", "import authlib"]).stderr(Stdio::null()).status();
        if !has.is_ok_and(|status| status.success()) {
            return Ok(None);
        }
        let mut command = rig::command(&python);
        command.arg(rig::repository().join("benches/checks/fleet/issuer.py")).arg(AUDIENCE);
        let mut group = ProcessGroup::spawn(command.stdout(Stdio::piped()).stderr(Stdio::null()))?;
        let stdout = group.child.stdout.take().context("no stdout")?;
        let line = rig::first_line_with(stdout, "{")?;
        let said: Value = serde_json::from_str(&line)?;
        let url = said.get("url").and_then(Value::as_str).context("no url")?.to_owned();
        Ok(Some(Self {
            _group: group,
            url,
            tokens: said.get("tokens").cloned().unwrap_or_default(),
            accepted: said.get("accepted").cloned().unwrap_or_default(),
        }))
    }

    /// Tokens that must open the service, by the kind of their key.
    pub fn accepted(&self) -> serde_json::Map<String, Value> {
        self.accepted.as_object().cloned().unwrap_or_default()
    }
}

pub fn all(stand: &FleetTestBed, issuer: Option<&OauthIssuer>) -> anyhow::Result<Vec<TestToken>> {
    let token =
        |name: &str, text: &str, expect| TestToken { name: name.to_owned(), text: text.to_owned(), expect };
    let program = &stand.program;
    let other = program.key("two", super::SCOPES)?;
    let mut wrong_secret = other.clone();
    wrong_secret.pop();
    let wrong_secret = wrong_secret + if other.ends_with('0') { "1" } else { "0" };
    let mut tokens = vec![
        token("no token", "", TokenExpectation::Refused),
        token("garbage", "garbage", TokenExpectation::Refused),
        token("a key with another secret", &wrong_secret, TokenExpectation::Refused),
        token(
            "a key that was revoked",
            &program.revoked_key("one", super::SCOPES)?,
            TokenExpectation::Refused,
        ),
        token(
            "a key that has expired",
            &program.expired_key("one", super::SCOPES)?,
            TokenExpectation::Refused,
        ),
        token("the other tenant's key", &other, TokenExpectation::Stranger),
        token("a JWT without a signature", NO_SIGNATURE, TokenExpectation::Refused),
    ];
    let made = issuer.and_then(|issuer| issuer.tokens.as_object());
    for (name, text) in made.into_iter().flatten() {
        let expect = match name.as_str() {
            "good-two" => TokenExpectation::Stranger,
            "no-scope" => TokenExpectation::NoScope,
            _ => TokenExpectation::Refused,
        };
        tokens.push(token(&format!("JWT {name}"), text.as_str().unwrap_or_default(), expect));
    }
    Ok(tokens)
}

/// `{"alg":"none"}` with everything else right.
const NO_SIGNATURE: &str = "eyJhbGciOiJub25lIn0.eyJpc3MiOiJodHRwOi8vMTI3LjAuMC4xIiwiYXVkIjoiaHR0cHM6Ly9mbGVldC5leGFtcGxlL21jcCIsInN1YiI6Im9uZSIsInRlbmFudCI6Im9uZSIsInNjb3BlIjoicmVzZWFyY2g6cmVhZCByZXNlYXJjaDpzdGFydCIsImV4cCI6NDEwMjQ0NDgwMH0.";
