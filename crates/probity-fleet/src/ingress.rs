//! Talks to the engine from outside: submit a run, wake one, register workers, ask for its health.
#![expect(clippy::disallowed_methods, reason = "this is the one door to the engine's own HTTP")]

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use probity_research::{CodedError, RunId, Sequence, error::Code};
use reqwest::{Client, RequestBuilder, header::CONTENT_TYPE};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    endpoint::{RunCommand, SERVICE, WakeRequest},
    turn_request::TurnRequest,
};

/// The engine answers in milliseconds; a node that does not is down.
const ANSWER_TAKES_MAX: Duration = Duration::from_secs(10);
const CONNECT_TAKES_MAX: Duration = Duration::from_secs(2);
/// Registering makes the engine call the worker back.
const REGISTER_TAKES_MAX: Duration = Duration::from_secs(30);

const JSON: &str = "application/json";

/// The engine's nodes; any that answers will do.
pub struct Ingress {
    client: Client,
    nodes: Vec<String>,
    /// The node that answered last.
    preferred: AtomicUsize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SubmissionResponse {
    invocation_id: String,
}

impl Ingress {
    /// `nodes`: one or more addresses, separated by commas.
    pub fn new(nodes: &str) -> Result<Self, CodedError> {
        let nodes: Vec<String> = nodes
            .split(',')
            .map(|node| node.trim().trim_end_matches('/').to_owned())
            .filter(|node| !node.is_empty())
            .collect();
        if nodes.is_empty() {
            return Err(CodedError::new(Code::Settings, "`fleet.engine` names no address of the engine"));
        }
        let client = Client::builder()
            .no_proxy()
            .timeout(ANSWER_TAKES_MAX)
            .connect_timeout(CONNECT_TAKES_MAX)
            .tcp_nodelay(true)
            .build()
            .map_err(|error| unreachable_engine(&error))?;
        Ok(Self { client, nodes, preferred: AtomicUsize::new(0) })
    }

    /// Submits a run. `due` is the event that made it due: the same submission twice is one invocation.
    pub async fn submit(&self, id: RunId, due: Sequence) -> Result<String, CodedError> {
        let key = format!("{id}-{}", due.0);
        let order = json!(TurnRequest::new(id)).to_string();
        let answer = self
            .ask(|client, node| {
                client
                    .post(format!("{node}/{SERVICE}/drive/send"))
                    .header("idempotency-key", &key)
                    .body(order.clone())
                    .header(CONTENT_TYPE, JSON)
            })
            .await?;
        serde_json::from_value::<SubmissionResponse>(answer).map(|accepted| accepted.invocation_id).map_err(
            |error| {
                CodedError::new(
                    Code::EngineUnreachable,
                    &format!("the engine answered something else: {error}"),
                )
            },
        )
    }

    /// Wakes the turn loop that waits in `invocation` for the event after `sequence`. Lost if none waits.
    pub async fn wake(
        &self,
        invocation: &str,
        sequence: Sequence,
        wish: RunCommand,
    ) -> Result<(), CodedError> {
        let call =
            json!(WakeRequest { invocation: invocation.to_owned(), sequence: sequence.0, wish }).to_string();
        self.ask(|client, node| {
            client.post(format!("{node}/{SERVICE}/wake/send")).body(call.clone()).header(CONTENT_TYPE, JSON)
        })
        .await?;
        Ok(())
    }

    /// Whether a node answers.
    pub async fn check(&self) -> Result<(), CodedError> {
        self.ask(|client, node| client.get(format!("{node}/restate/health"))).await.map(drop)
    }

    /// Tells the engine where the workers are. Safe to repeat; `admin` is a list like the ingress's.
    pub async fn register(&self, admin: &str, workers: &str) -> Result<(), CodedError> {
        let body = json!({ "uri": workers, "force": true, "use_http_11": false }).to_string();
        let admins = Self {
            nodes: Self::new(admin)?.nodes,
            client: self.client.clone(),
            preferred: AtomicUsize::new(0),
        };
        admins
            .ask(|client, node| {
                client
                    .post(format!("{node}/deployments"))
                    .timeout(REGISTER_TAKES_MAX)
                    .body(body.clone())
                    .header(CONTENT_TYPE, JSON)
            })
            .await
            .map(drop)
    }

    /// One round over the nodes: every request made here may be repeated.
    async fn ask(&self, request: impl Fn(&Client, &str) -> RequestBuilder) -> Result<Value, CodedError> {
        let first = self.preferred.load(Ordering::Relaxed);
        let mut last = None;
        for turn in 0..self.nodes.len() {
            let place = (first + turn) % self.nodes.len();
            let Some(node) = self.nodes.get(place) else { continue };
            match self.ask_one(request(&self.client, node)).await {
                Ok(answer) => {
                    self.preferred.store(place, Ordering::Relaxed);
                    return Ok(answer);
                }
                Err(problem) => last = Some(problem),
            }
        }
        Err(last.unwrap_or_else(|| CodedError::new(Code::EngineUnreachable, "there is no engine to ask")))
    }

    async fn ask_one(&self, request: RequestBuilder) -> Result<Value, CodedError> {
        let answer = request.send().await.map_err(|error| unreachable_engine(&error))?;
        let status = answer.status();
        let bytes = answer.bytes().await.map_err(|error| unreachable_engine(&error))?;
        if !status.is_success() {
            let said = probity_research::text::line(&String::from_utf8_lossy(&bytes), 200);
            return Err(CodedError::new(
                Code::EngineUnreachable,
                &format!("the engine said {status}: {said}"),
            ));
        }
        Ok(serde_json::from_slice(&bytes).unwrap_or(Value::Null))
    }
}

/// Without the address: it may contain a password.
fn unreachable_engine(error: &reqwest::Error) -> CodedError {
    let why = match (error.is_timeout(), error.is_connect()) {
        (true, _) => "it did not answer in time",
        (_, true) => "nobody listens there",
        _ => "the connection broke",
    };
    CodedError::new(Code::EngineUnreachable, &format!("the engine cannot be reached: {why}"))
}
