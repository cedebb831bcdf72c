//! The service: empty durable steps with durable waits between them.

use std::{collections::HashMap, net::SocketAddr, os::unix::net::UnixDatagram, sync::Mutex, time::Duration};

use restate_sdk::{endpoint::ServiceOptions, prelude::*};
use serde::{Deserialize, Serialize};
use tokio::net::{TcpListener, TcpSocket};

use crate::{ArgumentPairs, BoxError};

/// Connections waiting to be accepted; the engine opens one per 128 streams.
const BACKLOG: u32 = 1024;
/// As long as a repeated start may come.
const IDEMPOTENCY: Duration = Duration::from_secs(60);

/// What one invocation is to do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StepsRequest {
    pub number: u64,
    pub steps: u32,
    pub wait_ms: u64,
    /// A socket that hears of the end.
    pub done: String,
}

/// What a step leaves in the engine's journal: about eighty bytes, like a sequence number, a hash and a pause.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct StepRecord {
    step: u32,
    digest: String,
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
            // Each wait is a choice between a timer and a signal, as a research that can be cancelled has it.
            let signal = ctx.signal::<String>(&format!("after-{step}"));
            restate_sdk::select! {
                _ = ctx.sleep(Duration::from_millis(toil.wait_ms)) => {},
                _ = signal => {},
            }
        }
        self.tell(&toil.done, &toil.number.to_string());
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

/// `worker --listen ADDRESS --inactivity-ms N`
pub async fn serve(words: &ArgumentPairs) -> Result<(), BoxError> {
    let listener = listen(words.text("listen")?.parse()?)?;
    let options = ServiceOptions::new()
        .journal_retention(Duration::ZERO)
        .idempotency_retention(IDEMPOTENCY)
        .inactivity_timeout(Duration::from_millis(words.number("inactivity-ms")?));
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
