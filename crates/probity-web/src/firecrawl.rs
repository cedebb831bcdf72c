//! What searches and page fetches at Firecrawl share: how the key is sent.

use secrecy::{ExposeSecret as _, SecretString};

use crate::fetch::ApiRequest;

/// The request with the key, where there is one.
pub(crate) fn with_key(request: ApiRequest, key: Option<&SecretString>) -> ApiRequest {
    match key {
        Some(key) => {
            let bearer = SecretString::from(format!("Bearer {}", key.expose_secret()));
            request.with_secret_header("authorization", bearer)
        }
        None => request,
    }
}
