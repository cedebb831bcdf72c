//! Free ports of loopback, none of them twice.

use std::{collections::BTreeSet, net::TcpListener};

use anyhow::bail;

/// Asked ports stay free until their process starts, unless somebody else of this machine is quicker: such a start
/// fails and says so.
#[derive(Debug, Default)]
pub struct FreePorts {
    given: BTreeSet<u16>,
}

impl FreePorts {
    pub fn free(&mut self) -> anyhow::Result<u16> {
        for _ in 0..100 {
            let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
            if self.given.insert(port) {
                return Ok(port);
            }
        }
        bail!("no free port")
    }
}
