//! The keys to object storage: checked once, shown never.

use std::{fmt, sync::Arc};

use probity_research::error::{Code, CodedError};
use secrecy::{ExposeSecret, SecretString};

/// Longest key taken: session tokens have about a thousand characters, and a header line must stay small.
const KEY_BYTES_MAX: usize = 4096;

/// Who signs requests. Cloning shares it.
#[derive(Clone)]
pub struct ObjectKeys {
    id: String,
    secret: Arc<SecretString>,
    session: Option<Arc<SecretString>>,
}

impl ObjectKeys {
    /// As in `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and, for passing keys, `AWS_SESSION_TOKEN`.
    pub fn new(id: &str, secret: &str, session: Option<&str>) -> Result<Self, CodedError> {
        // A slash in the id would end it early inside the signature's scope.
        let id = checked(id).filter(|id| !id.contains(['/', ','])).ok_or_else(|| refused("id"))?;
        let secret = checked(secret).ok_or_else(|| refused("secret"))?;
        let session =
            session.map(|token| checked(token).ok_or_else(|| refused("session token"))).transpose()?;
        Ok(Self { id, secret: hidden(secret), session: session.map(hidden) })
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// For the signature, and nothing else.
    pub(super) fn secret(&self) -> &str {
        self.secret.expose_secret()
    }

    /// For its header, and nothing else.
    pub(super) fn session(&self) -> Option<&str> {
        self.session.as_deref().map(ExposeSecret::expose_secret)
    }
}

impl fmt::Debug for ObjectKeys {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[keys]")
    }
}

fn checked(text: &str) -> Option<String> {
    let text = text.trim();
    let fits = !text.is_empty() && text.len() <= KEY_BYTES_MAX;
    (fits && text.bytes().all(|byte| byte.is_ascii_graphic())).then(|| text.to_owned())
}

fn hidden(text: String) -> Arc<SecretString> {
    Arc::new(SecretString::from(text))
}

fn refused(what: &str) -> CodedError {
    CodedError::new(
        Code::Settings,
        &format!("the {what} of the object storage's key has characters that no key has"),
    )
}
