//! The fetcher's guard as the policy of the browser's proxy: the same rule for a page's scripts as for us.

use std::net::SocketAddr;

use probity_types::error::{Code, CodedError};
use url::Url;

use super::proxy::ConnectionPolicy;
use crate::fetch::AddressGuard;

impl ConnectionPolicy for AddressGuard {
    fn parse(&self, url: &str) -> Result<Url, CodedError> {
        Self::parse(self, url)
    }

    async fn addresses(&self, url: &Url) -> Result<Vec<SocketAddr>, CodedError> {
        let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
            return Err(CodedError::new(Code::AddressRefused, "the address has no host"));
        };
        self.resolve(host, port).await
    }
}
