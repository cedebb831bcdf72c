//! The worker's side of the engine: one service, its handlers, and the listener they answer on.
//!
//! The loop of a run: take a turn, wait for its pause or for a wake-up, take the next. Only what the engine's
//! journal needs to be deterministic happens here.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use probity_runner::tasks::TaskGroup;
use restate_sdk::{endpoint::Endpoint, hyper::HyperEndpoint, prelude::*};
use tokio::net::{TcpListener, TcpSocket};
use tokio_util::sync::CancellationToken;

use crate::turn_request::{NextAction, TurnHandler, TurnReply, TurnRequest};

/// Turns of one invocation: replaying its journal after a long wait reads all of them, so the invocation ends
/// before that costs much. The next invocation goes on where this one ended.
pub const TURNS_MAX: u64 = 48;
/// Invocations under way on one connection; each is a stream with some kilobytes.
const STREAMS_MAX: u32 = 20_000;
/// Connections that wait to be accepted.
const BACKLOG: u32 = 1_024;

/// The engine's name for our service. Part of every address: it never changes.
pub const SERVICE: &str = "ProbityResearch";

/// A wake-up for the turn loop that waits in an invocation.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct WakeRequest {
    pub invocation: String,
    pub sequence: u64,
    pub wish: RunCommand,
}

/// Why the loop is woken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunCommand {
    /// Something was appended to the journal.
    Read,
    /// The provider has news: poll it.
    Look,
}

struct ProbityResearch {
    turns: Arc<dyn TurnHandler>,
}

#[restate_sdk::service(
    name = "ProbityResearch",
    inactivity_timeout = "35s",
    abort_timeout = "6h",
    journal_retention = "0s",
    idempotency_retention = "1 day",
    invocation_retry_policy(
        initial_interval = "100ms",
        factor = 2.0,
        max_interval = "5s",
        max_attempts = 1_000_000_000,
        on_max_attempts = "pause"
    )
)]
impl ProbityResearch {
    /// Drives one run until it is at rest, or passes it to the next invocation.
    #[handler]
    async fn drive(&self, ctx: Context<'_>, order: Json<TurnRequest>) -> Result<(), HandlerError> {
        let Json(mut order) = order;
        order.invocation = Some(ctx.invocation_id().to_owned());
        for _ in 0..TURNS_MAX {
            let asked = order.clone();
            let turn = ctx.run(|| async move { Ok(Json(self.turns.take_turn(asked).await)) });
            let Json(TurnReply { then, sequence, memory }) = turn.name("turn").await?;
            order = TurnRequest { memory, turns: order.turns + 1, invocation: None, ..order };
            match then {
                NextAction::Rest => return Ok(()),
                NextAction::Again => {}
                NextAction::Wait { ms } => {
                    let called = signal_name(sequence);
                    restate_sdk::select! {
                        _ = ctx.sleep(Duration::from_millis(ms)) => { order.memory.attention.pause = None; },
                        wish = ctx.signal::<Json<RunCommand>>(&called) => {
                            if let Ok(Json(RunCommand::Look)) = wish {
                                order.memory.attention.pause = None;
                            }
                        },
                    }
                }
            }
        }
        let key = format!("{}-{}", ctx.invocation_id(), order.turns);
        ctx.service_client::<ProbityResearchClient<'_>>().drive(Json(order)).idempotency_key(key).send();
        Ok(())
    }

    /// Wakes a run that waits: a client appended to its journal.
    #[handler]
    async fn wake(&self, ctx: Context<'_>, call: Json<WakeRequest>) -> Result<(), HandlerError> {
        let Json(call) = call;
        ctx.invocation_handle(call.invocation).signal(signal_name(call.sequence)).resolve(Json(call.wish));
        Ok(())
    }
}

fn signal_name(sequence: u64) -> String {
    format!("after-{sequence}")
}

/// Listens on an address that other workers of this machine share: the kernel spreads connections over them.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    #[cfg(unix)]
    socket.set_reuseport(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves the engine until `stop`; then invocations under way end by themselves and new work goes elsewhere.
pub async fn serve(listener: TcpListener, turns: Arc<dyn TurnHandler>, stop: CancellationToken) {
    let endpoint = HyperEndpoint::new(Endpoint::builder().bind(ProbityResearch { turns }).build());
    let connections = TaskGroup::child_of(&CancellationToken::new());
    loop {
        let accepted = tokio::select! {
            biased;
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _)) = accepted else { continue };
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "could not set nodelay on an engine connection");
        }
        let (endpoint, draining) = (endpoint.clone(), stop.clone());
        connections.spawn_named("engine", |_| async move {
            let connection = http2::Builder::new(TokioExecutor::default())
                .max_concurrent_streams(STREAMS_MAX)
                .serve_connection(TokioIo::new(stream), endpoint);
            let mut connection = std::pin::pin!(connection);
            tokio::select! {
                ended = connection.as_mut() => log_connection_error(ended),
                () = draining.cancelled() => {
                    connection.as_mut().graceful_shutdown();
                    log_connection_error(connection.await);
                }
            }
        });
    }
    drop(listener);
    connections.close().await;
}

fn log_connection_error(ended: hyper::Result<()>) {
    if let Err(error) = ended {
        tracing::debug!(%error, "engine connection broke");
    }
}
