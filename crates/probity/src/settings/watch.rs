//! Settings for watched reports: who checks them, and whom a changed verdict is told.

use secrecy::SecretString;
use url::Url;

use crate::{
    command_error::CommandError,
    settings::{SettingsReader, raw::RawValue, web::own_host},
};

#[derive(Debug, Clone)]
pub struct WatchSettings {
    /// `probity serve` does what is due.
    pub by_server: bool,
    /// May have a password of its receiver in it.
    pub webhook: Option<SecretString>,
    /// Hosts that the webhook may reach although they are not public: what the user lists, and the webhook's own
    /// where that is an address.
    pub reach: Vec<String>,
}

pub(super) fn resolve(read: &SettingsReader<'_>) -> Result<WatchSettings, CommandError> {
    let webhook = read.optional("watch.webhook", webhook)?;
    let mut reach =
        read.raw.get("web.reach").map(|written: &RawValue| written.texts.clone()).unwrap_or_default();
    reach.retain(|text| !text.is_empty());
    reach.extend(webhook.as_deref().and_then(own_host));
    Ok(WatchSettings {
        by_server: read.switch("watch.by_server")?,
        webhook: webhook.map(SecretString::from),
        reach,
    })
}

/// `https` anywhere, `http` on this machine.
fn webhook(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let is_here = match url.host()? {
        url::Host::Domain(name) => name == "localhost",
        url::Host::Ipv4(address) => address.is_loopback(),
        url::Host::Ipv6(address) => address.is_loopback(),
    };
    (url.scheme() == "https" || (url.scheme() == "http" && is_here)).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::webhook;

    #[test]
    fn a_webhook_is_https_or_on_this_machine() {
        for taken in
            ["https://hooks.example/x", "http://127.0.0.1:9/x", "http://localhost:9/", "http://[::1]:9/"]
        {
            assert!(webhook(taken).is_some(), "{taken}");
        }
        for refused in ["http://hooks.example/x", "http://192.168.1.5/x", "ftp://127.0.0.1/", "hooks.example"]
        {
            assert!(webhook(refused).is_none(), "{refused}");
        }
    }
}
