//! A network for tests: answers from a script, on tokio's clock.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use probity_research::error::{Code, Problem};

use super::{HttpRequest, HttpResponse, Reached, ResponseBody, ResponseHeaders, Transport, TransportError};

/// What happens next on a connection.
#[derive(Debug, Clone)]
pub(crate) enum Play {
    Piece(&'static str),
    Bytes(usize),
    Wait(Duration),
    Cut,
    Hang,
}

/// One answer.
#[derive(Debug, Clone)]
pub(crate) enum Script {
    Fails(Reached),
    Answers { status: u16, content_type: &'static str, plays: Vec<Play> },
    Silent,
}

#[derive(Clone, Default)]
pub(crate) struct Scripted {
    scripts: Arc<Mutex<VecDeque<Script>>>,
    pub(crate) targets: Arc<Mutex<Vec<String>>>,
}

impl Scripted {
    pub(crate) fn new(scripts: impl IntoIterator<Item = Script>) -> Self {
        Self { scripts: Arc::new(Mutex::new(scripts.into_iter().collect())), targets: Arc::default() }
    }

    /// Method and what follows the version of every request so far.
    pub(crate) fn sent(&self) -> Vec<String> {
        std::mem::take(&mut self.targets.lock().unwrap())
    }
}

pub(crate) fn stream(plays: &[Play]) -> Script {
    Script::Answers { status: 200, content_type: "text/event-stream", plays: plays.to_vec() }
}

pub(crate) fn json(status: u16, body: &'static str) -> Script {
    Script::Answers { status, content_type: "application/json", plays: vec![Play::Piece(body)] }
}

fn cut(reached: Reached) -> TransportError {
    TransportError { reached, problem: Problem::new(Code::Network, "the connection was cut") }
}

impl Transport for Scripted {
    type Body = Plays;

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse<Plays>, TransportError> {
        let (_, target) = request.url.split_once("/v1/").unwrap();
        self.targets.lock().unwrap().push(format!("{:?} {target}", request.method));
        let script = self.scripts.lock().unwrap().pop_front();
        match script.expect("one request more than the script has") {
            Script::Fails(reached) => Err(cut(reached)),
            Script::Silent => std::future::pending().await,
            Script::Answers { status, content_type, plays } => {
                let headers = ResponseHeaders {
                    content_type: Some(content_type.to_owned()),
                    ..ResponseHeaders::default()
                };
                Ok(HttpResponse { status, headers, body: Plays(plays.into()) })
            }
        }
    }
}

pub(crate) struct Plays(VecDeque<Play>);

impl ResponseBody for Plays {
    async fn chunk(&mut self) -> Result<Option<Bytes>, TransportError> {
        while let Some(Play::Wait(duration)) = self.0.front().cloned() {
            tokio::time::sleep(duration).await;
            self.0.pop_front();
        }
        match self.0.pop_front() {
            None => Ok(None),
            Some(Play::Piece(text)) => Ok(Some(Bytes::from_static(text.as_bytes()))),
            Some(Play::Bytes(count)) => Ok(Some(Bytes::from(vec![b' '; count]))),
            Some(Play::Cut) => Err(cut(Reached::MaybeSent)),
            Some(Play::Hang | Play::Wait(_)) => {
                self.0.push_front(Play::Hang);
                std::future::pending().await
            }
        }
    }
}
