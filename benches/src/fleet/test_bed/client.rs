//! A client of the service: starts many researches with keys that make a start safe to repeat, and asks after them.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use anyhow::{Context, bail};
use serde_json::Value;

use crate::rig;

/// One request; a front end that is being killed never answers.
const ANSWER_MAX: Duration = Duration::from_secs(20);
/// Pause before a start is repeated, as a careful client makes it.
const AGAIN_AFTER: Duration = Duration::from_millis(200);

/// What became of one start.
#[derive(Debug, Clone)]
pub struct StartReceipt {
    pub id: String,
    /// From the first attempt to the answer.
    pub took: Duration,
    pub attempts: u32,
}

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
        let asked = self.clone();
        let (method, path, body) = (method.to_owned(), path.to_owned(), body.cloned());
        self.runtime.block_on(async move { asked.send(front_end, &method, &path, &[], body.as_ref()).await })
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

    /// Starts them all, `side_by_side` at a time, and tells what became of each in the order of the questions.
    pub fn start_all(
        &self,
        questions: &[Value],
        side_by_side: usize,
        patience: RetryPatience,
    ) -> Vec<anyhow::Result<StartReceipt>> {
        let next = Arc::new(AtomicUsize::new(0));
        let questions: Arc<Vec<Value>> = Arc::new(questions.to_vec());
        let count = questions.len();
        let run = nonce();
        let found = self.runtime.block_on(async {
            let mut tasks = tokio::task::JoinSet::new();
            for _ in 0..side_by_side.min(count) {
                let (caller, next, questions) = (self.clone(), Arc::clone(&next), Arc::clone(&questions));
                tasks.spawn(async move {
                    let mut found = Vec::new();
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some(body) = questions.get(number) else { return found };
                        found.push((number, caller.start(number, run, body, patience).await));
                    }
                });
            }
            tasks.join_all().await
        });
        let mut found: Vec<_> = found.into_iter().flatten().collect();
        found.sort_by_key(|(number, _)| *number);
        found.into_iter().map(|(_, started)| started).collect()
    }

    async fn start(
        &self,
        number: usize,
        run: u64,
        body: &Value,
        patience: RetryPatience,
    ) -> anyhow::Result<StartReceipt> {
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
                return Ok(StartReceipt { id, took: began.elapsed(), attempts });
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
        let next = Arc::new(AtomicUsize::new(0));
        let ids: Arc<Vec<String>> = Arc::new(ids.to_vec());
        let found = self.runtime.block_on(async {
            let mut tasks = tokio::task::JoinSet::new();
            for _ in 0..side_by_side.min(ids.len()) {
                let (caller, next, ids) = (self.clone(), Arc::clone(&next), Arc::clone(&ids));
                tasks.spawn(async move {
                    let mut found = Vec::new();
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some(id) = ids.get(number) else { return found };
                        let answer =
                            caller.send(number, "GET", &format!("/v1/researches/{id}"), &[], None).await;
                        if let Ok((200, value)) = answer {
                            found.push((id.clone(), value));
                        }
                    }
                });
            }
            tasks.join_all().await
        });
        found.into_iter().flatten().collect()
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
