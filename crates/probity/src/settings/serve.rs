//! Settings of `probity serve`: where it listens, and which callers are allowed.

use std::net::SocketAddr;

use probity_research::Code;
use probity_server::http::{AllowList, RateLimits};

use crate::{
    command_error::CommandError,
    settings::{SettingsReader, raw::RawValue},
};

#[derive(Debug, Clone)]
pub struct ServeSettings {
    listen: SocketAddr,
    /// Where `listen` was written.
    listen_origin: String,
    beyond_loopback: bool,
    pub allowed: AllowList,
    pub pace: RateLimits,
}

impl ServeSettings {
    /// Where to listen. An address that other machines can reach must be allowed explicitly.
    pub fn address(&self) -> Result<SocketAddr, CommandError> {
        let listen = self.listen;
        if !listen.ip().is_loopback() && !self.beyond_loopback {
            let message = format!("{}: other machines can reach `{listen}`", self.listen_origin);
            return Err(CommandError::new(Code::Settings, &message).with_hint(
                "listen on 127.0.0.1; or, behind something that speaks TLS, set \
                 `serve.allow_beyond_loopback = true` and name the host in `serve.allowed_hosts`",
            ));
        }
        Ok(listen)
    }
}

pub(super) fn resolve(read: &SettingsReader<'_>) -> Result<ServeSettings, CommandError> {
    let listen: SocketAddr = read.value("serve.listen", |text| text.parse().ok())?;
    let beyond_loopback = read.value("serve.allow_beyond_loopback", |text| text.parse::<bool>().ok())?;
    let names = |key: &str| {
        let texts = read.raw.get(key).map(|written: &RawValue| written.texts.clone()).unwrap_or_default();
        texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<String>>()
    };
    let allowed = AllowList::parse(&names("serve.allowed_hosts"), &names("serve.allowed_origins"))?;
    let per_second = u32::try_from(read.count("serve.calls_per_second")?).unwrap_or(u32::MAX);
    let pace = RateLimits { per_second, burst: per_second.saturating_mul(2), ..RateLimits::default() };
    let listen_origin = read.origin("serve.listen").to_string();
    Ok(ServeSettings { listen, listen_origin, beyond_loopback, allowed, pace })
}
