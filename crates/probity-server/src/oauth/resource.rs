//! The metadata of this service for clients without a token (RFC 9728), and the challenge that leads there
//! (RFC 6750).

use axum::http::HeaderValue;
use probity_research::{CodedError, scope::KeyScope};
use serde_json::{Value, json};

use super::parse_issuer_url;

/// Where the metadata is served.
pub const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtectedResource {
    identifier: String,
    issuer: String,
    /// Of the identifier, without a slash at its end.
    path: String,
    /// Scheme and authority.
    origin: String,
}

/// Why a request was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenRefusal {
    NoToken,
    BadToken,
    MissingScope(KeyScope),
}

impl ProtectedResource {
    pub(super) fn new(identifier: &str, issuer: &str) -> Result<Self, CodedError> {
        let uri = parse_issuer_url(identifier, "the audience")?;
        let authority = uri.authority().map(ToString::to_string).unwrap_or_default();
        Ok(Self {
            identifier: identifier.to_owned(),
            issuer: issuer.to_owned(),
            path: uri.path().trim_end_matches('/').to_owned(),
            origin: format!("{}://{authority}", uri.scheme_str().unwrap_or("https")),
        })
    }

    /// The path at which the description of an identifier with a path belongs.
    pub fn metadata_path(&self) -> String {
        format!("{WELL_KNOWN}{}", self.path)
    }

    pub fn document(&self) -> Value {
        let scopes: Vec<&str> = KeyScope::ALL.into_iter().map(KeyScope::as_str).collect();
        json!({
            "resource": self.identifier,
            "authorization_servers": [self.issuer],
            "scopes_supported": scopes,
            "bearer_methods_supported": ["header"],
            "resource_name": "Probity",
        })
    }

    fn metadata_url(&self) -> String {
        format!("{}{}", self.origin, self.metadata_path())
    }
}

/// `WWW-Authenticate`. Names the metadata if there is an issuer.
pub fn challenge(refusal: TokenRefusal, resource: Option<&ProtectedResource>) -> HeaderValue {
    let mut parts = Vec::new();
    match refusal {
        TokenRefusal::NoToken => {}
        TokenRefusal::BadToken => parts.push("error=\"invalid_token\"".to_owned()),
        TokenRefusal::MissingScope(scope) => {
            parts.push("error=\"insufficient_scope\"".to_owned());
            parts.push(format!("scope=\"{scope}\""));
        }
    }
    parts.extend(resource.map(|resource| format!("resource_metadata=\"{}\"", resource.metadata_url())));
    let value = if parts.is_empty() { "Bearer".to_owned() } else { format!("Bearer {}", parts.join(", ")) };
    HeaderValue::from_str(&value).unwrap_or(HeaderValue::from_static("Bearer"))
}
