//! The fixture server as a program: prints one line with its address, then nothing until a signal.
//!
//! The official MCP conformance suite calls tools, prompts and resources of given names. Here they run on the
//! transport that the product has, so that what the suite judges is ours. Not part of what users install.

mod changes;
mod fixtures;
mod output;
mod prompts;
mod questions;
mod resources;
mod samples;
mod tools;

use std::net::SocketAddr;

use anyhow::Context as _;
use clap::Parser;
use fixtures::Fixtures;
use probity_server::http::{self, AuthPolicy, HttpSettings};
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
};
use tokio_util::sync::CancellationToken;

/// What the MCP conformance suite expects of a server, on Probity's transport.
#[derive(Debug, Parser)]
#[command(name = "probity-conformance")]
struct Arguments {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let listener = TcpListener::bind(arguments.listen)
        .await
        .with_context(|| format!("could not listen on {}", arguments.listen))?;
    let address = listener.local_addr()?;
    let fixtures = Fixtures::new()?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let stop = CancellationToken::new();
    // The suite cannot send a token; everything else is as the product has it.
    let settings = HttpSettings::new(AuthPolicy::Off);
    let serving = http::serve(listener, move || fixtures.clone(), settings, stop.clone());
    output::print_address(address);
    let stopping = async {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        stop.cancel();
    };
    let (served, ()) = tokio::join!(serving, stopping);
    served.context("serving the fixtures")
}
