//! The fetcher's guard at the browser's gate: the same rule for a page's scripts as for us.

use std::net::SocketAddr;

use probity_research::error::{Code, Problem};
use url::Url;

use super::proxy::Gate;
use crate::fetch::Guard;

impl Gate for Guard {
    fn parse(&self, url: &str) -> Result<Url, Problem> {
        Self::parse(self, url)
    }

    async fn addresses(&self, url: &Url) -> Result<Vec<SocketAddr>, Problem> {
        let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
            return Err(Problem::new(Code::AddressRefused, "the address has no host"));
        };
        self.resolve(host, port).await
    }
}
