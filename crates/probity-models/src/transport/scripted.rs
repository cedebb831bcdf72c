//! A network for tests: answers from a script, on tokio's clock.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use probity_research::error::{Code, CodedError};

use super::{HttpRequest, HttpResponse, ResponseBody, ResponseHeaders, SendState, Transport, TransportError};

/// The next event on a connection.
#[derive(Debug, Clone)]
pub(crate) enum BodyStep {
    Piece(&'static str),
    Bytes(usize),
    Wait(Duration),
    Cut,
    Hang,
}

/// One answer.
#[derive(Debug, Clone)]
pub(crate) enum ScriptedResponse {
    Fails(SendState),
    Answers { status: u16, content_type: &'static str, plays: Vec<BodyStep> },
    Silent,
}

#[derive(Clone, Default)]
pub(crate) struct ScriptedTransport {
    scripts: Arc<Mutex<VecDeque<ScriptedResponse>>>,
    pub(crate) targets: Arc<Mutex<Vec<String>>>,
}

impl ScriptedTransport {
    pub(crate) fn new(scripts: impl IntoIterator<Item = ScriptedResponse>) -> Self {
        Self { scripts: Arc::new(Mutex::new(scripts.into_iter().collect())), targets: Arc::default() }
    }

    /// Method and what follows the version of every request so far.
    pub(crate) fn take_targets(&self) -> Vec<String> {
        std::mem::take(&mut self.targets.lock().unwrap())
    }
}

pub(crate) fn stream(plays: &[BodyStep]) -> ScriptedResponse {
    ScriptedResponse::Answers { status: 200, content_type: "text/event-stream", plays: plays.to_vec() }
}

pub(crate) fn json(status: u16, body: &'static str) -> ScriptedResponse {
    ScriptedResponse::Answers { status, content_type: "application/json", plays: vec![BodyStep::Piece(body)] }
}

fn cut(reached: SendState) -> TransportError {
    TransportError { reached, problem: CodedError::new(Code::Network, "the connection was cut") }
}

impl Transport for ScriptedTransport {
    type Body = ScriptedBody;

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse<ScriptedBody>, TransportError> {
        let (_, target) = request.url.split_once("/v1/").unwrap();
        self.targets.lock().unwrap().push(format!("{:?} {target}", request.method));
        let script = self.scripts.lock().unwrap().pop_front();
        match script.expect("one request more than the script has") {
            ScriptedResponse::Fails(reached) => Err(cut(reached)),
            ScriptedResponse::Silent => std::future::pending().await,
            ScriptedResponse::Answers { status, content_type, plays } => {
                let headers = ResponseHeaders {
                    content_type: Some(content_type.to_owned()),
                    ..ResponseHeaders::default()
                };
                Ok(HttpResponse { status, headers, body: ScriptedBody(plays.into()) })
            }
        }
    }
}

pub(crate) struct ScriptedBody(VecDeque<BodyStep>);

impl ResponseBody for ScriptedBody {
    async fn chunk(&mut self) -> Result<Option<Bytes>, TransportError> {
        while let Some(BodyStep::Wait(duration)) = self.0.front().cloned() {
            tokio::time::sleep(duration).await;
            self.0.pop_front();
        }
        match self.0.pop_front() {
            None => Ok(None),
            Some(BodyStep::Piece(text)) => Ok(Some(Bytes::from_static(text.as_bytes()))),
            Some(BodyStep::Bytes(count)) => Ok(Some(Bytes::from(vec![b' '; count]))),
            Some(BodyStep::Cut) => Err(cut(SendState::MaybeSent)),
            Some(BodyStep::Hang | BodyStep::Wait(_)) => {
                self.0.push_front(BodyStep::Hang);
                std::future::pending().await
            }
        }
    }
}
