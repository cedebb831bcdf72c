//! Exceptions that the user configured: "this host on this port is at that address". It is how an intranet
//! wiki, a search engine on this machine or a simulated web is reached. Never filled from pages, answers or
//! models.

use std::net::SocketAddr;

use probity_types::error::{Code, CodedError};

#[derive(Debug, Clone, PartialEq, Eq)]
enum AddressPattern {
    /// One host as the URL parser spells it, an address included.
    Exactly(String),
    /// Every name below this one; not the name itself.
    Below(String),
    /// Every name. Addresses are never matched: they are listed themselves.
    AnyName,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct ReachRule {
    who: AddressPattern,
    port: u16,
    to: SocketAddr,
}

/// Rules in the order in which they are tried.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReachRules(Vec<ReachRule>);

impl ReachRules {
    /// Each text is `HOST:PORT=ADDRESS:PORT`; HOST may be `*.suffix` or `*`.
    pub fn parse<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Result<Self, CodedError> {
        texts.into_iter().map(|text| ReachRule::parse(text.as_ref())).collect::<Result<_, _>>().map(Self)
    }

    /// The address that the user configured for a host, if any.
    pub fn find(&self, host: &str, port: u16) -> Option<SocketAddr> {
        let host = spelled(host)?;
        self.0.iter().find(|rule| rule.port == port && rule.who.is(&host)).map(|rule| rule.to)
    }
}

impl ReachRule {
    fn parse(text: &str) -> Result<Self, CodedError> {
        let wrong = || {
            let form = "`HOST:PORT=ADDRESS:PORT`, such as `wiki.example:443=10.0.0.5:443`";
            CodedError::new(Code::Settings, &format!("`{text}` is not of the form {form}"))
        };
        let (from, to) = text.trim().split_once('=').ok_or_else(wrong)?;
        let (host, port) = from.rsplit_once(':').ok_or_else(wrong)?;
        let port = port.parse().ok().filter(|port| *port != 0).ok_or_else(wrong)?;
        let to: SocketAddr = to.parse().ok().filter(|to: &SocketAddr| to.port() != 0).ok_or_else(wrong)?;
        let who = match host.strip_prefix("*.") {
            _ if host == "*" => AddressPattern::AnyName,
            Some(suffix) => {
                AddressPattern::Below(spelled(suffix).and_then(RuleHost::name).ok_or_else(wrong)?)
            }
            None => AddressPattern::Exactly(spelled(host).ok_or_else(wrong)?.text()),
        };
        Ok(Self { who, port, to })
    }
}

impl AddressPattern {
    fn is(&self, host: &RuleHost) -> bool {
        match (self, host) {
            (Self::Exactly(known), RuleHost::Name(text) | RuleHost::Address(text)) => known == text,
            (Self::Below(suffix), RuleHost::Name(name)) => {
                name.strip_suffix(suffix.as_str()).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
            }
            (Self::AnyName, RuleHost::Name(_)) => true,
            (Self::Below(_) | Self::AnyName, RuleHost::Address(_)) => false,
        }
    }
}

enum RuleHost {
    Name(String),
    Address(String),
}

impl RuleHost {
    fn text(self) -> String {
        match self {
            Self::Name(text) | Self::Address(text) => text,
        }
    }

    fn name(self) -> Option<String> {
        match self {
            Self::Name(text) => Some(text),
            Self::Address(_) => None,
        }
    }
}

/// A host in the one spelling that the URL parser gives it, without the root's dot.
fn spelled(host: &str) -> Option<RuleHost> {
    match url::Host::parse(host).ok()? {
        url::Host::Domain(name) => {
            let name = name.strip_suffix('.').unwrap_or(&name);
            (!name.is_empty()).then(|| RuleHost::Name(name.to_owned()))
        }
        url::Host::Ipv4(address) => Some(RuleHost::Address(address.to_string())),
        url::Host::Ipv6(address) => Some(RuleHost::Address(address.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::ReachRules;

    #[track_caller]
    fn check(rules: &[&str], host: &str, port: u16, expected: Option<&str>) {
        let reach = ReachRules::parse(rules).unwrap();
        assert_eq!(reach.find(host, port).map(|to| to.to_string()).as_deref(), expected, "{host}:{port}");
    }

    #[test]
    fn a_rule_means_the_hosts_it_names() {
        let rules =
            ["wiki.example:443=10.0.0.5:8443", "*.sim:80=127.0.0.1:9000", "127.0.0.1:8888=127.0.0.1:8888"];
        check(&rules, "wiki.example", 443, Some("10.0.0.5:8443"));
        check(&rules, "WIKI.example.", 443, Some("10.0.0.5:8443"));
        check(&rules, "wiki.example", 80, None);
        check(&rules, "a.b.sim", 80, Some("127.0.0.1:9000"));
        check(&rules, "sim", 80, None);
        check(&rules, ".sim", 80, None);
        check(&rules, "notsim", 80, None);
        check(&rules, "2130706433", 8888, Some("127.0.0.1:8888"));
        check(&rules, "127.0.0.2", 8888, None);
        check(&["[::1]:80=[::1]:9"], "[::1]", 80, Some("[::1]:9"));
    }

    #[test]
    fn every_name_is_not_every_address() {
        check(&["*:80=127.0.0.1:9000"], "any.example", 80, Some("127.0.0.1:9000"));
        check(&["*:80=127.0.0.1:9000"], "127.0.0.1", 80, None);
        check(&["*:80=127.0.0.1:9000"], "[::1]", 80, None);
    }

    #[test]
    fn a_rule_that_cannot_be_read_is_refused() {
        for wrong in [
            "",
            "host=1.2.3.4:5",
            "host:80=name:80",
            "host:0=1.2.3.4:5",
            "host:80=1.2.3.4:0",
            "*.1.2.3.4:80=1.2.3.4:5",
        ] {
            assert!(ReachRules::parse([wrong]).is_err(), "{wrong}");
        }
    }
}
