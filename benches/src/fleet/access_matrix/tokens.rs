//! Tokens that open nothing, or not enough: keys of our own kind, and tokens of an issuer that was made with another
//! language's library.

use std::process::Stdio;

use anyhow::Context;
use serde_json::Value;

use super::{super::test_bed::FleetTestBed, OWNER, SCOPES, STRANGER};
use crate::rig::{self, ProcessGroup};

/// Whom the tokens are for.
pub const AUDIENCE: &str = "https://fleet.example/mcp";
/// Kinds of keys whose tokens open the service.
const ALGORITHMS: [&str; 3] = ["RS256", "ES256", "EdDSA"];

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

/// An issuer of tokens, on loopback, made with authlib.
pub struct OauthIssuer {
    _group: ProcessGroup,
    pub url: String,
    /// Everything that it minted.
    minted: Value,
}

impl OauthIssuer {
    /// Nothing where Python or authlib is missing.
    pub fn start() -> anyhow::Result<Option<Self>> {
        let python = rig::repository().join(".tools/venv/bin/python");
        let has = rig::command(&python).args(["-c", "import authlib"]).stderr(Stdio::null()).status();
        if !has.is_ok_and(|status| status.success()) {
            return Ok(None);
        }
        let mut command = rig::command(&python);
        command.arg(rig::repository().join("crates/probity-conformance/oauth/issuer.py")).arg(AUDIENCE);
        // It serves for as long as its standard input is open.
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut group = ProcessGroup::spawn_talking(&mut command)?;
        let stdout = group.child.stdout.take().context("no stdout")?;
        let minted: Value = serde_json::from_str(&rig::first_line_with(stdout, "{")?)?;
        let url = minted.get("issuer").and_then(Value::as_str).context("no address")?.to_owned();
        Ok(Some(Self { _group: group, url, minted }))
    }

    /// Tokens of the owner that must open the service, by the kind of their key.
    pub fn accepted(&self) -> Vec<(String, String)> {
        self.minted("good").into_iter().filter(|(name, _)| ALGORITHMS.contains(&name.as_str())).collect()
    }

    fn minted(&self, kind: &str) -> Vec<(String, String)> {
        let named = self.minted.get(kind).and_then(Value::as_object).into_iter().flatten();
        named.map(|(name, token)| (name.clone(), token.as_str().unwrap_or_default().to_owned())).collect()
    }
}

pub fn all(stand: &FleetTestBed, issuer: Option<&OauthIssuer>) -> anyhow::Result<Vec<TestToken>> {
    let token =
        |name: &str, text: &str, expect| TestToken { name: name.to_owned(), text: text.to_owned(), expect };
    let program = &stand.program;
    let other = program.key(STRANGER, SCOPES)?;
    let mut wrong_secret = other.clone();
    wrong_secret.pop();
    let wrong_secret = wrong_secret + if other.ends_with('0') { "1" } else { "0" };
    let mut tokens = vec![
        token("no token", "", TokenExpectation::Refused),
        token("garbage", "garbage", TokenExpectation::Refused),
        token("a key with another secret", &wrong_secret, TokenExpectation::Refused),
        token("a key that was revoked", &program.revoked_key(OWNER, SCOPES)?, TokenExpectation::Refused),
        token("a key that has expired", &program.expired_key(OWNER, SCOPES)?, TokenExpectation::Refused),
        token("the other tenant's key", &other, TokenExpectation::Stranger),
        token("a JWT without a signature", NO_SIGNATURE, TokenExpectation::Refused),
    ];
    for (name, text) in issuer.iter().flat_map(|issuer| issuer.minted("bad")) {
        tokens.push(token(&format!("JWT {name}"), &text, TokenExpectation::Refused));
    }
    for (name, text) in issuer.iter().flat_map(|issuer| issuer.minted("strangers")) {
        let without_scope = name == "no scope";
        let expect = if without_scope { TokenExpectation::NoScope } else { TokenExpectation::Stranger };
        tokens.push(token(&format!("JWT {name}"), &text, expect));
    }
    Ok(tokens)
}

/// `{"alg":"none"}` with everything else right.
const NO_SIGNATURE: &str = "eyJhbGciOiJub25lIn0.eyJpc3MiOiJodHRwOi8vMTI3LjAuMC4xIiwiYXVkIjoiaHR0cHM6Ly9mbGVldC5leGFtcGxlL21jcCIsInN1YiI6ImFubmEiLCJ0ZW5hbnQiOiJhbm5hIiwic2NvcGUiOiJyZXNlYXJjaDpyZWFkIHJlc2VhcmNoOnN0YXJ0IiwiZXhwIjo0MTAyNDQ0ODAwfQ.";
