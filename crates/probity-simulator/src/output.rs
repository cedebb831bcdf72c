//! The one line this program prints.
#![expect(clippy::print_stdout, reason = "this is the simulator's one door to stdout")]

use std::net::SocketAddr;

pub(crate) fn ready(address: SocketAddr) {
    println!("{{\"base_url\":\"http://{address}\"}}");
}
