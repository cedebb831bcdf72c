//! A client of the service: starts many researches with keys that make a start safe to repeat, and asks after them.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    sync::Arc,
    time::Duration,
};

use anyhow::{Context, bail};
use futures_util::{StreamExt as _, stream};
use serde_json::Value;

use crate::rig;

/// One request; a front end that is being killed never answers.
const ANSWER_MAX: Duration = Duration::from_secs(20);
/// Pause before a start is repeated, as a careful client makes it.
const AGAIN_AFTER: Duration = Duration::from_millis(200);

/// Starts that are under way at the same time.
pub const SIDE_BY_SIDE: usize = 64;

/// What is tried again: everything, as a client that must have its research does, or nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryPatience {
    Until(Duration),
    Once,
}

#[derive(Clone)]
pub struct FleetClient {
    runtime: Arc<tokio::runtime::Runtime>,
    client: reqwest::Client,
    bases: Vec<String>,
    key: String,
}

impl FleetClient {
    pub fn new(bases: Vec<String>, key: &str) -> anyhow::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        Ok(Self { runtime: Arc::new(runtime), client: rig::bare_client()?, bases, key: key.to_owned() })
    }

    /// The same client with another key.
    pub fn with_key(&self, key: &str) -> Self {
        Self { key: key.to_owned(), ..self.clone() }
    }

    pub fn base(&self, number: usize) -> anyhow::Result<&str> {
        let base = self.bases.get(number % self.bases.len().max(1));
        base.map(String::as_str).context("no front end")
    }

    /// One request to one front end.
    pub fn ask(
        &self,
        front_end: usize,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> anyhow::Result<(u16, Value)> {
        self.runtime.block_on(self.send(front_end, method, path, &[], body))
    }

    async fn send(
        &self,
        front_end: usize,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> anyhow::Result<(u16, Value)> {
        let method = reqwest::Method::from_bytes(method.as_bytes())?;
        let mut request = self
            .client
            .request(method, format!("{}{path}", self.base(front_end)?))
            .timeout(ANSWER_MAX)
            .header("authorization", format!("Bearer {}", self.key));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let answer = request.send().await?;
        let status = answer.status().as_u16();
        let bytes = answer.bytes().await?;
        let value = serde_json::from_slice(&bytes)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&bytes).into_owned()));
        Ok((status, value))
    }

    /// Starts them all, `side_by_side` at a time, and tells the id of each in the order of the questions.
    pub fn start_all(
        &self,
        questions: &[Value],
        side_by_side: usize,
        patience: RetryPatience,
    ) -> Vec<anyhow::Result<String>> {
        let run = nonce();
        let starts = questions
            .iter()
            .enumerate()
            .map(|(number, body)| async move { (number, self.start(number, run, body, patience).await) });
        let mut found: Vec<_> =
            self.runtime.block_on(stream::iter(starts).buffer_unordered(side_by_side).collect());
        found.sort_by_key(|(number, _)| *number);
        found.into_iter().map(|(_, started)| started).collect()
    }

    /// As many questions, all of which must start within the limit; their ids.
    pub fn start_each(&self, numbers: Range<usize>, limit: Duration) -> anyhow::Result<BTreeSet<String>> {
        let questions: Vec<_> =
            numbers.map(|number| question(&format!("what is question {number} about?"))).collect();
        let started = self.start_all(&questions, SIDE_BY_SIDE, RetryPatience::Until(limit));
        started.into_iter().map(|started| started.context("a start failed")).collect()
    }

    async fn start(
        &self,
        number: usize,
        run: u64,
        body: &Value,
        patience: RetryPatience,
    ) -> anyhow::Result<String> {
        let began = rig::now();
        let key = format!("start-{run:x}-{number}");
        let mut attempts = 0;
        loop {
            attempts += 1;
            let front_end = number + attempts as usize;
            let answer = self
                .send(front_end, "POST", "/v1/researches", &[("idempotency-key", &key)], Some(body))
                .await;
            let id = answer.as_ref().ok().and_then(|(status, value)| {
                let id = value.get("id").and_then(Value::as_str)?;
                (*status < 300).then(|| id.to_owned())
            });
            if let Some(id) = id {
                return Ok(id);
            }
            let may_pass = answer.as_ref().map_or(true, |(status, _)| *status == 429 || *status >= 500);
            let RetryPatience::Until(limit) = patience else { bail!("{answer:?}") };
            if !may_pass || began.elapsed() > limit {
                bail!("{answer:?} after {attempts} attempts");
            }
            tokio::time::sleep(AGAIN_AFTER).await;
        }
    }

    /// What the service says about each; those that it could not say anything about are missing.
    pub fn run_documents(&self, ids: &[String], side_by_side: usize) -> BTreeMap<String, Value> {
        let shown = ids.iter().enumerate().map(|(number, id)| async move {
            let answer = self.send(number, "GET", &format!("/v1/researches/{id}"), &[], None).await;
            answer.ok().filter(|(status, _)| *status == 200).map(|(_, value)| (id.clone(), value))
        });
        let shown: Vec<_> =
            self.runtime.block_on(stream::iter(shown).buffer_unordered(side_by_side).collect());
        shown.into_iter().flatten().collect()
    }
}

/// Other runs have other keys.
fn nonce() -> u64 {
    let mut bytes = [0; 8];
    // Without randomness runs would share keys, and the second would find the first's researches: it shows at once.
    getrandom::fill(&mut bytes).ok();
    u64::from_le_bytes(bytes)
}

/// The body of a start.
pub fn question(text: &str) -> Value {
    serde_json::json!({ "query": text })
}
