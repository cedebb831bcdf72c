//! The one line this program prints.
#![expect(clippy::print_stdout, reason = "this is the program's one door to stdout")]

use std::net::SocketAddr;

/// Says where the MCP endpoint is; whoever started the program waits for this line.
pub fn print_address(address: SocketAddr) {
    println!("http://{address}/mcp");
}
