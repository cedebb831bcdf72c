//! The one line this program prints.
#![expect(clippy::print_stdout, reason = "the only module that prints to stdout")]

use std::net::SocketAddr;

pub(crate) fn ready(address: SocketAddr) {
    println!("{{\"base_url\":\"http://{address}\"}}");
}
