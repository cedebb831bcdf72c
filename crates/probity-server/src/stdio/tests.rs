use std::{
    future::{pending, ready},
    sync::{Arc, Mutex},
    time::Duration,
};

use probity_research::{
    Code, CodedError, RunId,
    agent::AgentName,
    cost::MicroUsd,
    estimate::{Estimate, estimate, follow_up},
    list::ListFilter,
    plan::Plan,
    principal::RunAccess,
    query::Query,
    report::Report,
    spending::RepeatRule,
    status::RunSummary,
    stop::PartialResults,
    time::Moment,
    work_done::WorkDone,
};
use probity_runner::tasks::TaskGroup;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio_util::sync::CancellationToken;

use crate::{
    McpServer, McpServerParts,
    backend::{
        Backend, BackendFuture, ExportOutcome, ExportRequest, PlanOptions, RunSettings, StartKind,
        StartOutcome, TextCheckRequest, WatchCondition,
    },
    hang_up::HangUpWatch,
    markdown::ReportTemplates,
};

/// Longest wait of a test for one line. Nothing here takes a tenth of it.
const PATIENCE: Duration = Duration::from_secs(20);
/// What a start stays with its run, here far beyond `PATIENCE`.
const START_WAIT: Duration = Duration::from_secs(600);

/// One run that never ends. `list` panics.
struct ScriptedBackend {
    rules: RunSettings,
    started: CancellationToken,
    cancelled: Arc<Mutex<u32>>,
}

fn summary() -> RunSummary {
    serde_json::from_value(json!({
        "id": RunId::from_random(7), "status": "running_async", "due": true, "query": "why?",
        "engine": "gemini-api", "agent": "deep-research-preview-04-2026", "asked_at": 1_794_700_000_000_i64,
        "updated_at": 1_794_701_110_000_i64, "progress_percent": 0, "progress_estimated": true,
        "current_action": "", "steps": 0, "searches": 0, "pages": 0, "attended_ms": 0,
        "cost": { "basis": "unknown" }, "sources": 0,
    }))
    .unwrap()
}

impl Backend for ScriptedBackend {
    fn run_settings(&self) -> &RunSettings {
        &self.rules
    }

    fn now(&self) -> Moment {
        Moment(1_794_701_200_000)
    }

    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }

    fn estimate<'a>(
        &'a self,
        _: &'a RunAccess,
        agent: &'a AgentName,
        query: &'a Query,
    ) -> BackendFuture<'a, Estimate> {
        Box::pin(ready(Ok(estimate(agent, query, &[]))))
    }

    fn plan<'a>(&'a self, _: &'a RunAccess, _: PlanOptions, _: &'a Query) -> BackendFuture<'a, Plan> {
        Box::pin(ready(Err(CodedError::new(Code::UnknownEngine, "no rounds in this test"))))
    }

    fn estimate_check(&self, _: &str) -> Result<Estimate, CodedError> {
        Ok(follow_up())
    }

    fn start(&self, _: Query, _: Plan, _: RepeatRule) -> BackendFuture<'_, StartOutcome> {
        self.started.cancel();
        Box::pin(ready(Ok(StartOutcome { summary: summary(), which: StartKind::New })))
    }

    fn start_check(&self, _: TextCheckRequest) -> BackendFuture<'_, StartOutcome> {
        Box::pin(ready(Ok(StartOutcome { summary: summary(), which: StartKind::New })))
    }

    fn status(&self, _: RunId) -> BackendFuture<'_, RunSummary> {
        Box::pin(ready(Ok(summary())))
    }

    fn watch(&self, _: RunId, _: WatchCondition, _: Duration) -> BackendFuture<'_, RunSummary> {
        Box::pin(pending())
    }

    fn cancel(&self, _: RunId, _: PartialResults) -> BackendFuture<'_, RunSummary> {
        *self.cancelled.lock().unwrap() += 1;
        Box::pin(ready(Ok(summary())))
    }

    fn hand_over(&self, _: RunId) -> BackendFuture<'_, RunSummary> {
        Box::pin(ready(Ok(summary())))
    }

    fn list(&self, _: ListFilter) -> BackendFuture<'_, Vec<RunSummary>> {
        panic!("this panic belongs to a test")
    }

    fn report<'a>(&'a self, _: &'a RunSummary) -> BackendFuture<'a, Option<Report>> {
        Box::pin(ready(Ok(None)))
    }

    fn work_done(&self, _: RunId) -> BackendFuture<'_, Option<WorkDone>> {
        Box::pin(ready(Ok(None)))
    }

    fn export<'a>(&'a self, _: ExportRequest<'a>) -> BackendFuture<'a, ExportOutcome> {
        Box::pin(ready(Err(CodedError::new(Code::OutputPath, "no file in this test"))))
    }
}

/// A client on one end, the server on the other.
struct TestClient {
    input: Option<WriteHalf<DuplexStream>>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    stop: CancellationToken,
    started: CancellationToken,
    cancelled: Arc<Mutex<u32>>,
    tasks: TaskGroup,
}

impl TestClient {
    fn new() -> Self {
        let (input, server_input) = tokio::io::duplex(1 << 20);
        let (output, server_output) = tokio::io::duplex(1 << 20);
        let (started, cancelled) = (CancellationToken::new(), Arc::new(Mutex::new(0)));
        let rules = RunSettings {
            agent: AgentName::parse("deep-research-preview-04-2026", &[]).unwrap(),
            agents: Vec::new(),
            deadline: START_WAIT,
            budget: None,
            set_by_project: Vec::new(),
            ask_above: MicroUsd(u64::MAX),
            unasked_max: MicroUsd(0),
            notifications: probity_research::notify::NotificationChannel::SwitchedOff,
            start_wait: START_WAIT,
            call_wait: START_WAIT,
        };
        let face = McpServer::new(McpServerParts {
            backend: Arc::new(ScriptedBackend {
                rules,
                started: started.clone(),
                cancelled: Arc::clone(&cancelled),
            }),
            templates: ReportTemplates::new(None).unwrap(),
            secret: [7; 32],
            version: "0".to_owned(),
            app: None,
        });
        let (stop, tasks) = (CancellationToken::new(), TaskGroup::default());
        let stopped = stop.clone();
        tasks.spawn_named("server", |_| async move {
            let (reader, _) = tokio::io::split(server_input);
            let (_, writer) = tokio::io::split(server_output);
            Box::pin(super::serve(face, (reader, writer), HangUpWatch::none(), stopped)).await.unwrap();
        });
        let (_, input) = tokio::io::split(input);
        let (output, _) = tokio::io::split(output);
        let lines = BufReader::new(output).lines();
        Self { input: Some(input), lines, stop, started, cancelled, tasks }
    }

    async fn open() -> Self {
        let mut client = Self::new();
        client.shake_hands().await;
        client
    }

    async fn shake_hands(&mut self) {
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
        self.send(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello })).await;
        assert!(self.answer(0).await["result"].is_object());
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    }

    async fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.input.as_mut().unwrap().write_all(line.as_bytes()).await.unwrap();
    }

    async fn call(&mut self, id: u64, tool: &str, arguments: Value) {
        let params = json!({ "name": tool, "arguments": arguments });
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })).await;
    }

    async fn answer(&mut self, id: u64) -> Value {
        loop {
            let line = tokio::time::timeout(PATIENCE, self.lines.next_line()).await.expect("no answer");
            let message: Value = serde_json::from_str(&line.unwrap().expect("the server left")).unwrap();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Starts a run whose call stays open.
    async fn start(&mut self, id: u64) {
        self.call(id, "start_deep_research", json!({ "query": "why?" })).await;
        tokio::time::timeout(PATIENCE, self.started.cancelled()).await.unwrap();
    }

    fn cancelled(&self) -> u32 {
        *self.cancelled.lock().unwrap()
    }
}

#[track_caller]
fn check_is_handle(answer: &Value) {
    let told = &answer["result"]["structuredContent"];
    let handle = (told["task_id"].clone(), told["status"].clone());
    assert_eq!(handle, (json!(summary().id), json!("running_async")), "{answer}");
}

#[tokio::test]
async fn a_panic_is_answered_and_ends_nothing_else() {
    let mut client = TestClient::open().await;
    client.call(1, "list_research", json!({})).await;
    assert_eq!(client.answer(1).await["error"]["code"], -32603);
    client.send(&json!({ "jsonrpc": "2.0", "id": 2, "method": "resources/list" })).await;
    assert_eq!(client.answer(2).await["error"]["code"], -32603);
    client.call(3, "check_research_status", json!({ "task_id": summary().id })).await;
    assert_eq!(client.answer(3).await["result"]["structuredContent"]["status"], "running_async");
}

#[tokio::test]
async fn a_client_that_closes_its_side_gets_the_id_and_keeps_the_research() {
    let mut client = TestClient::open().await;
    client.start(1).await;
    client.input = None;
    check_is_handle(&client.answer(1).await);
    client.tasks.close().await;
    assert_eq!(*client.cancelled.lock().unwrap(), 0);
}

#[tokio::test]
async fn a_second_call_with_an_open_id_is_refused_and_the_first_keeps_its_answer() {
    let mut client = TestClient::open().await;
    client.start(1).await;
    client.call(1, "check_research_status", json!({ "task_id": summary().id })).await;
    let refused = client.answer(1).await;
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    client.call(2, "check_research_status", json!({ "task_id": summary().id })).await;
    assert_eq!(client.answer(2).await["result"]["structuredContent"]["status"], "running_async");
    client.call(2, "check_research_status", json!({ "task_id": summary().id })).await;
    assert!(client.answer(2).await["result"].is_object(), "an id that was answered is free");
    client.input = None;
    check_is_handle(&client.answer(1).await);
}

#[tokio::test]
async fn every_line_that_cannot_be_read_is_answered() {
    let mut client = TestClient::open().await;
    let long = "x".repeat(super::LINE_BYTES_MAX);
    client.call(1, "check_research_status", json!({ "task_id": long })).await;
    let refused = client.answer(1).await;
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    assert!(refused["error"]["message"].as_str().unwrap().contains("4194304"), "{refused}");
    client.input.as_mut().unwrap().write_all(&[b"[".repeat(200_000), b"\n".to_vec()].concat()).await.unwrap();
    let line = tokio::time::timeout(PATIENCE, client.lines.next_line()).await.unwrap().unwrap().unwrap();
    let refused: Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&refused["error"]["code"], refused.get("id")), (&json!(-32700), None), "{refused}");
    client.call(2, "check_research_status", json!({ "task_id": summary().id })).await;
    assert_eq!(client.answer(2).await["result"]["structuredContent"]["status"], "running_async");
}

#[tokio::test]
async fn a_process_that_is_told_to_end_cancels_no_research() {
    let mut client = TestClient::open().await;
    client.start(1).await;
    client.stop.cancel();
    check_is_handle(&client.answer(1).await);
    client.tasks.close().await;
    assert_eq!(*client.cancelled.lock().unwrap(), 0);
}

#[tokio::test]
async fn only_a_client_that_says_so_cancels_its_research() {
    let mut client = TestClient::open().await;
    client.start(1).await;
    let params = json!({ "requestId": 1 });
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params })).await;
    for _ in 0..200 {
        if client.cancelled() > 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(client.cancelled(), 1);
}

#[tokio::test]
async fn what_comes_before_the_first_request_is_passed_over() {
    let mut client = TestClient::new();
    client
        .send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 4 } }))
        .await;
    client.send(&json!({ "jsonrpc": "2.0", "id": 4, "result": {} })).await;
    client.send(&json!({ "jsonrpc": "2.0", "id": 5, "error": { "code": 1, "message": "x" } })).await;
    client.shake_hands().await;
    client.start(1).await;
}
