//! The service: empty durable steps with durable waits between them.

use std::{collections::HashMap, net::SocketAddr, os::unix::net::UnixDatagram, sync::Mutex, time::Duration};

use restate_sdk::{endpoint::ServiceOptions, prelude::*};
use serde::{Deserialize, Serialize};
use tokio::net::{TcpListener, TcpSocket};

use crate::{ArgumentPairs, BoxError};

/// Connections waiting to be accepted; the engine opens one per 128 streams.
const BACKLOG: u32 = 1024;

/// What one invocation is to do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StepsRequest {
    pub number: u64,
    pub steps: u32,
    pub wait_ms: u64,
    /// Each wait is a choice between a timer and a signal, as a research that can be cancelled has it.
    #[serde(default)]
    pub signals: bool,
    /// A socket that hears of the end.
    pub done: String,
}

/// What a step leaves in the engine's journal: about eighty bytes, like a sequence number, a hash and a pause.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct StepRecord {
    step: u32,
    digest: String,
}

/// Whose signal to resolve.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SignalRequest {
    pub invocation: String,
    pub name: String,
}

#[derive(Default)]
pub struct Bare {
    /// Sockets to those who wait, by path.
    listeners: Mutex<HashMap<String, UnixDatagram>>,
}

#[restate_sdk::service]
impl Bare {
    #[handler]
    async fn toil(&self, ctx: Context<'_>, toil: Json<StepsRequest>) -> Result<(), HandlerError> {
        let toil = toil.into_inner();
        for step in 0..toil.steps {
            ctx.run(|| async move { Ok(Json(StepRecord { step, digest: "0123456789abcdef".repeat(4) })) })
                .await?;
            if step + 1 == toil.steps {
                break;
            }
            let pause = Duration::from_millis(toil.wait_ms);
            if toil.signals {
                let signal = ctx.signal::<String>(&format!("after-{step}"));
                restate_sdk::select! {
                    _ = ctx.sleep(pause) => {},
                    _ = signal => {},
                }
            } else {
                ctx.sleep(pause).await?;
            }
        }
        self.tell(&toil.done, &toil.number.to_string());
        Ok(())
    }

    /// Waits first, and only then asks for a signal that was resolved meanwhile.
    #[handler]
    async fn late(&self, ctx: Context<'_>, toil: Json<StepsRequest>) -> Result<(), HandlerError> {
        let toil = toil.into_inner();
        ctx.sleep(Duration::from_millis(toil.wait_ms)).await?;
        let signal = ctx.signal::<String>("early");
        let heard = restate_sdk::select! {
            word = signal => { word? },
            _ = ctx.sleep(Duration::from_secs(5)) => { "nothing".to_owned() },
        };
        self.tell(&toil.done, &heard);
        Ok(())
    }

    /// The engine takes signals from handlers only, so whoever stands outside sends one of these.
    #[handler]
    async fn nudge(&self, ctx: Context<'_>, nudge: Json<SignalRequest>) -> Result<(), HandlerError> {
        let nudge = nudge.into_inner();
        ctx.invocation_handle(nudge.invocation).signal(&nudge.name).resolve("nudged".to_owned());
        Ok(())
    }
}

impl Bare {
    /// Sending blocks while the listener's queue is full, which is what keeps every word; it never blocks for long.
    fn tell(&self, path: &str, word: &str) {
        let Ok(mut listeners) = self.listeners.lock() else { return };
        if !listeners.contains_key(path) {
            let Ok(socket) = UnixDatagram::unbound() else { return };
            if socket.connect(path).is_err() {
                // Nobody listens any more: a late repetition of a measurement that is over.
                return;
            }
            listeners.insert(path.to_owned(), socket);
        }
        if let Some(socket) = listeners.get(path) {
            socket.send(word.as_bytes()).ok();
        }
    }
}

/// `worker --listen ADDRESS [--inactivity-ms N] [--abort-ms N] [--retry-max-ms N]`
pub async fn serve(words: &ArgumentPairs) -> Result<(), BoxError> {
    let listener = listen(words.text("listen")?.parse()?)?;
    let mut options = ServiceOptions::new()
        .journal_retention(Duration::ZERO)
        .idempotency_retention(Duration::from_secs(words.number("idempotency-s", 60)?));
    if let inactivity @ 1.. = words.number("inactivity-ms", 0)? {
        options = options.inactivity_timeout(Duration::from_millis(inactivity));
    }
    if let abort @ 1.. = words.number("abort-ms", 0)? {
        options = options.abort_timeout(Duration::from_millis(abort));
    }
    if let longest @ 1.. = words.number("retry-max-ms", 0)? {
        options = options
            .retry_policy_initial_interval(Duration::from_millis(100))
            .retry_policy_max_interval(Duration::from_millis(longest))
            .retry_policy_max_attempts(words.number("retry-attempts", u64::from(u32::MAX))?);
    }
    let endpoint =
        Endpoint::builder().bind(Bare::default().into_service_definition().options(options)).build();
    HttpServer::new(endpoint).serve(listener).await;
    Ok(())
}

/// Several workers share one port: the kernel spreads the engine's connections over them.
fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.set_reuseport(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
