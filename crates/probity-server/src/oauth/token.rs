//! A signed token (RFC 7519 in the compact form of RFC 7515) parsed, and the rules its claims must satisfy.
//! Pure: the moment comes in as an argument.

use probity_research::time::Moment;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::key::{IssuerKey, SigningAlgorithm, decode_base64};

/// Longest token taken; one with many claims has three kilobytes.
pub(super) const TOKEN_BYTES_MAX: usize = 8 * 1024;
/// How far the issuer's clock may be from ours.
const LEEWAY_SECONDS: i64 = 60;
/// No clock shows more; larger numbers are not times.
const SECONDS_MAX: f64 = 253_402_300_799.0;

/// The first two parts, unchecked.
pub(super) struct UnverifiedToken<'text> {
    pub(super) algorithm: SigningAlgorithm,
    pub(super) key_id: Option<String>,
    /// What was signed.
    signed: &'text str,
    claims: &'text str,
    signature: Vec<u8>,
}

#[derive(Deserialize)]
struct TokenHeader {
    alg: String,
    #[serde(default)]
    kid: Option<String>,
    #[serde(default)]
    typ: Option<String>,
    /// A verifier that does not support what is listed here must refuse the token; we support none.
    #[serde(default)]
    crit: Option<Value>,
}

impl<'text> UnverifiedToken<'text> {
    pub(super) fn parse(text: &'text str) -> Option<Self> {
        if text.len() > TOKEN_BYTES_MAX {
            return None;
        }
        let (signed, signature) = text.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        if claims.contains('.') {
            return None;
        }
        let header: TokenHeader = serde_json::from_slice(&decode_base64(header)?).ok()?;
        if header.crit.is_some() || !header.typ.as_deref().is_none_or(is_access_token) {
            return None;
        }
        Some(Self {
            algorithm: SigningAlgorithm::parse(&header.alg)?,
            key_id: header.kid,
            signed,
            claims,
            signature: decode_base64(signature)?,
        })
    }

    /// The claims, if `key` signed them. None of them is used before.
    pub(super) fn verified_claims(&self, key: &IssuerKey) -> Option<TokenClaims> {
        if !key.verifies_signature(self.signed.as_bytes(), &self.signature) {
            return None;
        }
        let bytes = decode_base64(self.claims)?;
        let known: RegisteredClaims = serde_json::from_slice(&bytes).ok()?;
        let all: Map<String, Value> = serde_json::from_slice(&bytes).ok()?;
        Some(TokenClaims { known, all })
    }
}

/// RFC 9068 writes `at+jwt`; many issuers write `JWT`. A token for something else says so here.
fn is_access_token(typ: &str) -> bool {
    ["jwt", "at+jwt", "application/at+jwt"].iter().any(|taken| typ.eq_ignore_ascii_case(taken))
}

pub(super) struct TokenClaims {
    known: RegisteredClaims,
    all: Map<String, Value>,
}

#[derive(Deserialize)]
struct RegisteredClaims {
    iss: String,
    #[serde(default)]
    sub: Option<String>,
    aud: TokenAudience,
    exp: f64,
    #[serde(default)]
    nbf: Option<f64>,
    #[serde(default)]
    iat: Option<f64>,
    #[serde(default)]
    scope: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum TokenAudience {
    One(String),
    Many(Vec<String>),
}

impl TokenClaims {
    /// Whether the token is from this issuer, for this audience, and valid now.
    pub(super) fn are_valid(&self, issuer: &str, audience: &str, now: Moment) -> bool {
        let for_us = match &self.known.aud {
            TokenAudience::One(one) => one == audience,
            TokenAudience::Many(many) => many.iter().any(|one| one == audience),
        };
        let now = now.0.div_euclid(1_000) as f64;
        let leeway = LEEWAY_SECONDS as f64;
        let is_time = |seconds: f64| seconds.is_finite() && (0.0..=SECONDS_MAX).contains(&seconds);
        let begun = |seconds: f64| is_time(seconds) && seconds <= now + leeway;
        self.known.iss == issuer
            && for_us
            && is_time(self.known.exp)
            && now < self.known.exp + leeway
            && self.known.nbf.is_none_or(begun)
            && self.known.iat.is_none_or(begun)
    }

    pub(super) fn subject(&self) -> Option<&str> {
        self.known.sub.as_deref()
    }

    pub(super) fn scope(&self) -> &str {
        self.known.scope.as_deref().unwrap_or_default()
    }

    pub(super) fn claim(&self, name: &str) -> Option<&Value> {
        self.all.get(name)
    }
}

#[cfg(test)]
mod tests;
