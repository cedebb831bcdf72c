//! The one line this program prints.
#![expect(clippy::print_stdout, reason = "the only module that prints to stdout")]

use std::net::SocketAddr;

/// Prints the address of the MCP endpoint; the parent process waits for this line.
pub fn print_address(address: SocketAddr) {
    println!("http://{address}/mcp");
}
