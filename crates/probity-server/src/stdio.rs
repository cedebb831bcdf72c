//! MCP over stdin and stdout, or over any pair of byte streams with one message per line.

mod lines;

use std::{io, pin::Pin, time::Duration};

use rmcp::{
    RoleServer, ServerHandler, ServiceExt as _,
    model::{
        ClientRequest, Extensions, GetExtensions as _, GetMeta as _, JsonRpcMessage, JsonRpcRequest,
        ProtocolVersion, ServerResult,
    },
    service::{QuitReason, RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage},
    transport::{Transport, async_rw::AsyncRwTransport},
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use self::lines::MessageReader;
use crate::{
    client_backlog::ClientBacklog,
    hang_up::HangUpWatch,
    open_requests::{OpenRequests, RequestIdState, refusal},
};

/// Longest line. A question has at most 32 KiB; this leaves room for any client's metadata.
pub const LINE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// A client that has closed its side and reads not one of its answers for this long does not want them.
const LAST_ANSWERS_MAX: Duration = Duration::from_secs(2);
/// How long answers are still computed for a client that does not want them: reading a large report takes a while, and
/// many of them may be under way. Runs belong to their drivers, which end by themselves.
const UNWANTED_ANSWERS_MAX: Duration = Duration::from_millis(500);

/// Serves one client until it disconnects or `stop`.
pub async fn serve<H, R, W>(
    handler: H,
    (reader, writer): (R, W),
    hang_up: HangUpWatch,
    stop: CancellationToken,
) -> Result<(), ServerInitializeError>
where
    H: ServerHandler,
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    // The library only writes here: what it cannot read it drops without an answer.
    let answers = AsyncRwTransport::new_server(tokio::io::empty(), writer);
    let leaving = ShutdownSignal(stop.child_token());
    // Also when this future is dropped: then too no user decided anything about the open calls.
    let _left = leaving.0.clone().drop_guard();
    let closed = CancellationToken::new();
    let transport = WatchedTransport {
        lines: MessageReader::new(reader),
        answers,
        leaving,
        begun: false,
        backlog: ClientBacklog::default(),
        held: None,
        requests: OpenRequests::default(),
        refusing: None,
        hang_up,
        patience: None,
        closed: closed.clone(),
    };
    // A token of its own: the library cancels the one it gets when the session ends, and `stop` is other clients' too.
    let serving = match handler.serve_with_ct(transport, stop.child_token()).await {
        Ok(serving) => serving,
        // The client disconnected before its first message, or before it got an answer.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::TransportError { .. }) => {
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    let unwanted = async {
        closed.cancelled().await;
        tokio::time::sleep(UNWANTED_ANSWERS_MAX).await;
    };
    tokio::select! {
        ended = serving.waiting() => match ended {
            Ok(QuitReason::Cancelled | QuitReason::Closed) => {}
            Ok(other) => tracing::debug!(?other, "client session ended"),
            Err(error) => tracing::warn!(%error, "client session broke"),
        },
        () = unwanted => tracing::debug!("left answers that nobody reads"),
    }
    Ok(())
}

/// This process's own stdin and stdout. Non-blocking where they are pipes, as clients start servers.
pub fn streams() -> (impl AsyncRead + Send + Unpin, impl AsyncWrite + Send + Unpin) {
    rmcp::transport::stdio_pipes()
}

/// Cancelled when the client has closed its side or this process is about to end. Travels with every request:
/// a call that waits then answers with what it has, while the answer can still be written.
#[derive(Debug, Clone)]
pub struct ShutdownSignal(CancellationToken);

impl ShutdownSignal {
    /// The token that came with a request. Over HTTP there is none; a token that is never cancelled stands
    /// for it.
    pub fn token_from(extensions: &Extensions) -> CancellationToken {
        extensions.get::<Self>().map_or_else(CancellationToken::new, |leaving| leaving.0.clone())
    }
}

type Refusing = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// Ends when a client has read nothing for too long.
type Patience = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The lines, what they say about the client, and the bounds of what it may have waiting.
struct WatchedTransport<R, T> {
    lines: MessageReader<R>,
    answers: T,
    leaving: ShutdownSignal,
    /// Whether the library has started the session. Until then it accepts anything but a request for the end.
    begun: bool,
    backlog: ClientBacklog,
    /// A request for which there is no room yet, and its length.
    held: Option<(JsonRpcRequest<ClientRequest>, usize)>,
    requests: OpenRequests,
    /// The answer to a line that is refused here, while it is written.
    refusing: Option<Refusing>,
    hang_up: HangUpWatch,
    /// Runs from the moment at which the client is seen to have closed its side.
    patience: Option<Patience>,
    /// Ends writes that a closed transport would wait for.
    closed: CancellationToken,
}

impl<R, T> Transport<RoleServer> for WatchedTransport<R, T>
where
    R: AsyncRead + Send + Unpin,
    T: Transport<RoleServer, Error = io::Error>,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if let JsonRpcMessage::Response(response) = &message {
            self.begun |= matches!(response.result, ServerResult::InitializeResult(_));
        }
        self.requests.was_sent(&message);
        self.write(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let received = self.next_message().await;
        if received.is_none() {
            self.leaving.0.cancel();
        }
        received
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.closed.cancel();
        self.answers.close().await
    }
}

impl<R, T> WatchedTransport<R, T>
where
    R: AsyncRead + Send + Unpin,
    T: Transport<RoleServer, Error = io::Error>,
{
    fn write(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let unread = self.backlog.add_answer(&message);
        let reading = self.backlog.reading();
        let writing = self.answers.send(message);
        let (leaving, closed) = (self.leaving.0.clone(), self.closed.clone());
        async move {
            let gone = async {
                leaving.cancelled().await;
                reading.stalls(LAST_ANSWERS_MAX).await;
            };
            tokio::select! {
                biased;
                written = writing => written.inspect(|()| unread.was_written()),
                () = closed.cancelled() => Err(io::ErrorKind::NotConnected.into()),
                () = gone => {
                    // The answers behind this one are not tried.
                    closed.cancel();
                    Err(io::ErrorKind::TimedOut.into())
                }
            }
        }
    }

    /// Written like every answer, but no id is freed: one that is taken is that of the request before.
    fn refuse(&mut self, answer: TxJsonRpcMessage<RoleServer>) {
        let refusing = self.write(answer);
        self.refusing = Some(Box::pin(refusing));
    }

    /// `None` when the client has left. The library drops this future whenever something else happens, so
    /// what was read and has no room yet stays in `self`.
    async fn next_message(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        while self.held.is_none() {
            if let Some(refusing) = &mut self.refusing {
                if let Err(error) = refusing.await {
                    tracing::debug!(%error, "refusal not written");
                }
                self.refusing = None;
            }
            tokio::select! {
                biased;
                () = self.backlog.wait_until_read() => {}
                () = abandoned(&self.hang_up, &self.backlog, &mut self.patience) => {
                    self.closed.cancel();
                    return None;
                }
            }
            let (message, bytes) = match self.lines.next_message().await? {
                Ok(read) => read,
                Err(bad) => {
                    self.refuse(bad.answer());
                    continue;
                }
            };
            match message {
                JsonRpcMessage::Request(request) => {
                    self.begun = self.begun || starts_session(&request.request);
                    match self.requests.take(&request.id) {
                        RequestIdState::Free => self.held = Some((request, bytes)),
                        RequestIdState::Taken => self.refuse(refusal(request.id)),
                    }
                }
                other if self.begun => return Some(other),
                _ => tracing::debug!("ignored a message before the first request"),
            }
        }
        let (request, bytes) = self.held.as_mut()?;
        let charge = tokio::select! {
            biased;
            charge = self.backlog.charge_request(&request.request, *bytes) => charge,
            () = abandoned(&self.hang_up, &self.backlog, &mut self.patience) => {
                    self.closed.cancel();
                    return None;
                }
        };
        request.request.extensions_mut().insert(charge);
        request.request.extensions_mut().insert(self.leaving.clone());
        self.held.take().map(|(request, _)| JsonRpcMessage::Request(request))
    }
}

/// Returns when a client that is not read from has closed its side, and some time later still reads nothing.
async fn abandoned(hang_up: &HangUpWatch, backlog: &ClientBacklog, patience: &mut Option<Patience>) {
    hang_up.wait().await;
    let reading = backlog.reading();
    patience.get_or_insert_with(|| Box::pin(async move { reading.stalls(LAST_ANSWERS_MAX).await })).await;
    tracing::warn!("client left without reading its answers; they are dropped");
}

/// Whether a request begins a session without a handshake.
fn starts_session(request: &ClientRequest) -> bool {
    let probe = matches!(
        request,
        ClientRequest::InitializeRequest(_)
            | ClientRequest::PingRequest(_)
            | ClientRequest::DiscoverRequest(_)
    );
    let meta = request.get_meta();
    !probe
        && meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
        && meta.protocol_version() == Some(ProtocolVersion::V_2026_07_28)
}

#[cfg(test)]
mod tests;
