//! The guard: which addresses may be requested at all, and which sockets may be opened for them.
//!
//! `parse` checks the spelling, once, at the entry and at each redirect. `resolve` checks the target and is
//! called by the connector for every connection, literal addresses included: what it returns is what is
//! connected to, so there is no second lookup that could answer differently. Fails closed.

use std::net::{IpAddr, SocketAddr};

use probity_types::{
    error::{Code, CodedError},
    web::search::URL_BYTES_MAX,
};
use url::{Host, Url};

use super::{
    address::{AddressBlock, is_public},
    reach::ReachRules,
    resolver::NameResolver,
};

/// Ports of the web; others are services that were never meant for the public, unless the user names them.
const PORTS: [u16; 2] = [80, 443];
/// Longest host name that DNS knows.
const HOST_BYTES_MAX: usize = 253;
/// Addresses taken of one DNS answer. A name with more is either broken or hides an internal one among them.
const ADDRESSES_MAX: usize = 64;
/// Suffixes of names that are internal or nonexistent, whatever a name server says.
const INWARD: [&str; 7] = ["localhost", "localdomain", "local", "internal", "intranet", "home.arpa", "onion"];

#[derive(Debug)]
pub struct AddressGuard {
    lookup: NameResolver,
    reach: ReachRules,
    deny: Vec<AddressBlock>,
}

impl AddressGuard {
    pub fn new(lookup: NameResolver, reach: ReachRules, deny: Vec<AddressBlock>) -> Self {
        Self { lookup, reach, deny }
    }

    /// An address as typed, or as a search result or a link has it.
    pub fn parse(&self, text: &str) -> Result<Url, CodedError> {
        clean(text)?;
        let scheme_end =
            text.find("://").ok_or_else(|| refused("an address starts with http:// or https://"))?;
        let authority = text.get(scheme_end + 3..).unwrap_or_default();
        if authority.is_empty() || authority.starts_with(['/', '?', '#']) {
            return Err(refused("the address has no host"));
        }
        self.admit(
            Url::parse(text).map_err(|error| refused(&format!("the address cannot be read: {error}")))?,
        )
    }

    /// The target of a redirect, relative to the page that sent it.
    pub fn redirect(&self, from: &Url, location: &str) -> Result<Url, CodedError> {
        let location = location.trim_matches(' ');
        clean(location)?;
        let to = from
            .join(location)
            .map_err(|error| refused(&format!("the redirect's address cannot be read: {error}")))?;
        if from.scheme() == "https" && to.scheme() == "http" {
            return Err(refused("the redirect leads from https to http"));
        }
        self.admit(to)
    }

    /// Every address of a host, all of them on the open web, or the one that the user configured for it.
    pub async fn resolve(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, CodedError> {
        if let Some(address) = self.reach.find(host, port) {
            return Ok(vec![address]);
        }
        let name = match self.judge(host, port)? {
            HostTarget::Address(address) => return Ok(vec![SocketAddr::new(address, port)]),
            HostTarget::Name(name) => name,
        };
        let found = self.lookup.resolve(&name).await.map_err(|error| {
            CodedError::new(Code::PageUnreachable, &format!("{name} has no address: {error}"))
        })?;
        if found.is_empty() {
            return Err(CodedError::new(Code::PageUnreachable, &format!("{name} has no address")));
        }
        if found.len() > ADDRESSES_MAX {
            return Err(refused(&format!("{name} has more than {ADDRESSES_MAX} addresses")));
        }
        // One internal address among public ones is refused too: the connection could pick that one.
        if let Some(wrong) = found.iter().find(|address| !self.permits(**address)) {
            return Err(refused(&format!("{name} leads to {wrong}, which is not on the open web")));
        }
        Ok(found.into_iter().map(|address| SocketAddr::new(address, port)).collect())
    }

    /// For a proxy that resolves names itself: whether the name may be sent to it.
    pub fn check_name(&self, host: &str, port: u16) -> Result<(), CodedError> {
        if self.has_reach_rule(host, port) { Ok(()) } else { self.judge(host, port).map(drop) }
    }

    /// Whether the user listed this host and port.
    pub fn has_reach_rule(&self, host: &str, port: u16) -> bool {
        self.reach.find(host, port).is_some()
    }

    pub fn has_reach_rule_for(&self, url: &Url) -> bool {
        match (url.host_str(), url.port_or_known_default()) {
            (Some(host), Some(port)) => self.has_reach_rule(host, port),
            _ => false,
        }
    }

    fn permits(&self, address: IpAddr) -> bool {
        is_public(address) && !self.deny.iter().any(|block| block.contains(address))
    }

    fn admit(&self, mut url: Url) -> Result<Url, CodedError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(refused(&format!("{}: is neither http nor https", url.scheme())));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused("the address carries a user name or a password"));
        }
        if url.as_str().len() > URL_BYTES_MAX {
            return Err(refused("the address is too long"));
        }
        let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
            return Err(refused("the address has no host"));
        };
        if !self.has_reach_rule(host, port) {
            self.judge(host, port)?;
        }
        url.set_fragment(None);
        Ok(url)
    }

    /// All checks that need no name server.
    fn judge(&self, host: &str, port: u16) -> Result<HostTarget, CodedError> {
        if !PORTS.contains(&port) {
            return Err(refused(&format!("port {port} is not a port of the web")));
        }
        let address = match host.parse() {
            Ok(address) => address,
            Err(_) => match Host::parse(host).map_err(|_| refused("the host cannot be read"))? {
                Host::Ipv4(address) => IpAddr::V4(address),
                Host::Ipv6(address) => IpAddr::V6(address),
                Host::Domain(name) => return named(&name).map(HostTarget::Name),
            },
        };
        if self.permits(address) {
            Ok(HostTarget::Address(address))
        } else {
            Err(refused(&format!("{address} is not on the open web")))
        }
    }
}

enum HostTarget {
    Address(IpAddr),
    Name(String),
}

fn named(name: &str) -> Result<String, CodedError> {
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    if name.is_empty() || name.len() > HOST_BYTES_MAX || name.split('.').any(str::is_empty) {
        return Err(refused("the host is not a name"));
    }
    let inward =
        |ending: &&str| name.strip_suffix(*ending).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    if !name.contains('.') || INWARD.iter().any(inward) {
        return Err(refused(&format!("{name} is a name of this machine or its network")));
    }
    Ok(name)
}

/// Parsers disagree about these; an address that needs them is refused.
fn clean(text: &str) -> Result<(), CodedError> {
    if text.len() > URL_BYTES_MAX {
        return Err(refused("the address is too long"));
    }
    if text.chars().any(|character| character.is_control() || character.is_whitespace() || character == '\\')
    {
        return Err(refused("the address has spaces, control characters or backslashes in it"));
    }
    Ok(())
}

pub(super) fn refused(why: &str) -> CodedError {
    CodedError::new(Code::AddressRefused, why)
}

#[cfg(test)]
mod tests;
