//! Tokens of an OAuth 2.1 issuer: a resource server's half. Verifies what the issuer signed; never asks for,
//! stores or passes on a token.
//!
//! Every refusal looks the same from outside. An issuer that cannot be reached is our fault, not the
//! caller's, and is a different error.

mod key;
mod key_cache;
mod resource;
mod token;

use std::sync::Arc;

use probity_research::{Code, CodedError, principal::Principal, scope::KeyScopes, text, time::Moment};

use crate::backend::BackendFuture;

pub use resource::{ProtectedResource, TokenRefusal, WELL_KNOWN, challenge};

use key_cache::IssuerKeyCache;
use token::{TokenClaims, UnverifiedToken};

/// The claim that names the tenant, unless the operator names another.
const TENANT_CLAIM: &str = "tenant";
/// Names that are made from subjects begin like this, and no issuer may give such a name to a tenant.
const OF_SUBJECT: &str = "sub-";
/// Hexadecimal digits of a subject's hash in such a name: with the prefix it fits a principal's 32.
const SUBJECT_DIGITS: usize = 28;
/// Longest subject shown in the audit log.
const SUBJECT_CHARACTERS_MAX: usize = 100;

/// The HTTP client for the issuer: a GET that follows no redirect, has its own timeout, and gives up on more
/// than `bytes_max`.
pub trait IssuerClient: Send + Sync + 'static {
    fn fetch<'a>(&'a self, url: &'a str, bytes_max: usize) -> BackendFuture<'a, Vec<u8>>;
}

/// The issuer we trust, and our own audience.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuerSettings {
    /// As in every token's `iss`.
    pub issuer: String,
    /// As in every token's `aud`: the address of this service.
    pub audience: String,
    /// The claim that names the tenant; none takes `tenant`, and a token without one is its subject's own.
    pub tenant_claim: Option<String>,
}

/// The identity in a valid token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenIdentity {
    pub tenant: Principal,
    pub scopes: KeyScopes,
    /// For the audit log.
    pub subject: String,
}

pub struct TokenVerifier {
    trusted: IssuerSettings,
    keys: IssuerKeyCache,
    resource: ProtectedResource,
}

impl TokenVerifier {
    pub fn new(trusted: IssuerSettings, fetch: Arc<dyn IssuerClient>) -> Result<Self, CodedError> {
        let resource = ProtectedResource::new(&trusted.audience, &trusted.issuer)?;
        let keys = IssuerKeyCache::of(&trusted.issuer, fetch)?;
        Ok(Self { trusted, keys, resource })
    }

    /// The metadata of this service for clients that need a token.
    pub fn resource(&self) -> &ProtectedResource {
        &self.resource
    }

    /// `None`: not a token of ours. An error: the issuer's keys could not be fetched.
    pub async fn verify(&self, presented: &str, now: Moment) -> Result<Option<TokenIdentity>, CodedError> {
        let Some(token) = UnverifiedToken::parse(presented) else { return Ok(None) };
        let Some(key) = self.keys.find(token.key_id.as_deref(), token.algorithm).await? else {
            return Ok(None);
        };
        let claims = token.verified_claims(&key);
        let claims =
            claims.filter(|claims| claims.are_valid(&self.trusted.issuer, &self.trusted.audience, now));
        Ok(claims.and_then(|claims| self.token_identity(&claims)))
    }

    fn token_identity(&self, claims: &TokenClaims) -> Option<TokenIdentity> {
        let tenant = match (self.trusted.tenant_claim.as_deref(), claims.subject()) {
            (Some("sub"), subject) => parse_tenant(subject?).or_else(|| self.tenant_of_subject(subject?))?,
            (claim, subject) => match (claims.claim(claim.unwrap_or(TENANT_CLAIM)), claim) {
                (Some(name), _) => parse_tenant(name.as_str()?)?,
                // A claim that the operator named is never replaced by another.
                (None, Some(_)) => return None,
                (None, None) => self.tenant_of_subject(subject?)?,
            },
        };
        let subject = text::line(claims.subject().unwrap_or("token"), SUBJECT_CHARACTERS_MAX);
        Some(TokenIdentity { tenant, scopes: KeyScopes::known_in(claims.scope()), subject })
    }

    /// A tenant of one. Never the name of a tenant that an issuer names.
    fn tenant_of_subject(&self, subject: &str) -> Option<Principal> {
        let whole = format!("{}\n{subject}", self.trusted.issuer);
        let digits: String = blake3::hash(whole.as_bytes()).to_hex().chars().take(SUBJECT_DIGITS).collect();
        Principal::parse(&format!("{OF_SUBJECT}{digits}")).ok()
    }
}

fn parse_tenant(name: &str) -> Option<Principal> {
    Principal::parse(name).ok().filter(|_| !name.starts_with(OF_SUBJECT))
}

/// An address that keys may be fetched from: encrypted, or on this machine.
fn parse_issuer_url(text: &str, what: &str) -> Result<axum::http::Uri, CodedError> {
    let parsed: Option<axum::http::Uri> = text.parse().ok();
    let fits = parsed.filter(|uri| {
        let here = matches!(uri.host(), Some("localhost" | "127.0.0.1" | "[::1]"));
        let scheme = uri.scheme_str();
        (scheme == Some("https") || (scheme == Some("http") && here)) && uri.query().is_none()
    });
    let wrong = || format!("{what} is `{}`; it must be an https address", text::line(text, 100));
    fits.ok_or_else(|| CodedError::new(Code::Settings, &wrong()))
}
