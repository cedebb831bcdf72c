//! Starts many invocations, waits for all of them and tells what they took.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use serde::Serialize;
use tokio::{net::UnixDatagram, task::JoinSet, time::timeout};

use crate::{
    ArgumentPairs, BoxError,
    client::HttpConnection,
    process_sample::{ProcessSample, used},
    service::{SignalRequest, StepsRequest},
};

/// Connections that submit side by side; more do not make one engine faster.
const SUBMITTERS: u64 = 64;

/// All nodes know a service within this.
const HEARD_MAX: Duration = Duration::from_secs(30);

/// Memory and CPU of one watched process.
#[derive(Debug, Serialize)]
struct WatchedProcess {
    pid: u32,
    before: ProcessSample,
    /// When all invocations had been accepted.
    submitted: ProcessSample,
    most_kib: u64,
    after: ProcessSample,
}

/// What was measured.
#[derive(Debug, Serialize)]
struct BareEngineReport {
    count: u64,
    done: u64,
    steps: u32,
    seconds: f64,
    submit_seconds: f64,
    per_second: f64,
    steps_per_second: f64,
    /// Time beyond the waits themselves, over all steps of one invocation.
    late_ms_half: u64,
    late_ms_most: u64,
    watched: Vec<WatchedProcess>,
}

/// `register --admin URL --worker URL`: the engine learns where the service is.
pub async fn register(words: &ArgumentPairs) -> Result<(), BoxError> {
    let body = serde_json::json!({ "uri": words.text("worker")?, "force": true });
    let mut admin = HttpConnection::open(words.text("admin")?).await?;
    let (status, answer) = admin.post("/deployments", "", &body.to_string()).await?;
    if status >= 300 {
        return Err(format!("the engine answers {status}: {answer}").into());
    }
    Ok(())
}

/// `drive --ingress URL[,URL…] --count N --steps N --wait-ms N [--signals 1] [--pids PID,…] [--limit-s N]`
pub async fn drive(words: &ArgumentPairs) -> Result<String, BoxError> {
    let count = words.number("count", 1000)?;
    let steps = u32::try_from(words.number("steps", 8)?)?;
    let wait_ms = words.number("wait-ms", 1000)?;
    let limit = Duration::from_secs(words.number("limit-s", 600)?);
    let pids: Vec<u32> = words.list("pids").iter().filter_map(|pid| pid.parse().ok()).collect();
    let mailbox = CompletionMailbox::open()?;
    let toil = StepsRequest {
        number: 0,
        steps,
        wait_ms,
        signals: words.number("signals", 0)? > 0,
        done: mailbox.path.clone(),
    };
    let before: Vec<ProcessSample> = pids.iter().map(|pid| used(*pid)).collect();
    let began = Instant::now();
    let mut submitting = tokio::spawn(submit(words.list("ingress"), toil, count, began, pids.clone()));
    let most = Arc::new(most_of(&pids));
    let watching = tokio::spawn(watch(Arc::clone(&most)));
    let collecting = mailbox.collect(count, began, limit);
    let mut collecting = std::pin::pin!(collecting);
    let (ended, submitted) = tokio::select! {
        ended = &mut collecting => (ended, None),
        submitted = &mut submitting => {
            // A start that failed ends the measurement at once.
            let submitted = submitted??;
            (collecting.await, Some(submitted))
        }
    };
    let seconds = began.elapsed().as_secs_f64();
    watching.abort();
    let (starts, submit_seconds, submitted) = match submitted {
        Some(submitted) => submitted,
        None => timeout(limit, submitting).await???,
    };
    let done = ended.iter().filter(|end| **end > 0).count() as u64;
    let waits = u64::from(steps.saturating_sub(1)) * wait_ms * 1000;
    let mut late: Vec<u64> = ended
        .iter()
        .zip(&starts)
        .filter(|(end, _)| **end > 0)
        .map(|(end, start)| end.saturating_sub(start + waits) / 1000)
        .collect();
    late.sort_unstable();
    let watched = pids.iter().enumerate().map(|(index, pid)| WatchedProcess {
        pid: *pid,
        before: before.get(index).copied().unwrap_or_default(),
        submitted: submitted.get(index).copied().unwrap_or_default(),
        most_kib: most.get(index).map_or(0, |(_, most)| most.load(Ordering::Relaxed)),
        after: used(*pid),
    });
    let report = BareEngineReport {
        count,
        done,
        steps,
        seconds,
        submit_seconds,
        per_second: done as f64 / seconds,
        steps_per_second: done as f64 * f64::from(steps) / seconds,
        late_ms_half: late.get(late.len() / 2).copied().unwrap_or(0),
        late_ms_most: late.last().copied().unwrap_or(0),
        watched: watched.collect(),
    };
    Ok(serde_json::to_string(&report)?)
}

/// `early --ingress URL`: is a signal kept that is resolved before anybody asks for it?
pub async fn early(words: &ArgumentPairs) -> Result<String, BoxError> {
    let ingress = words.text("ingress")?;
    let mailbox = CompletionMailbox::open()?;
    let toil = StepsRequest { number: 0, steps: 1, wait_ms: 3000, signals: true, done: mailbox.path.clone() };
    let mut connection = HttpConnection::open(ingress).await?;
    let (_, answer) = connection.post("/Bare/late/send", "", &serde_json::to_string(&toil)?).await?;
    let answer: serde_json::Value = serde_json::from_str(&answer)?;
    let invocation =
        answer.get("invocationId").and_then(|id| id.as_str()).ok_or("no invocationId")?.to_owned();
    let nudge = SignalRequest { invocation, name: "early".to_owned() };
    let (status, _) = connection.post("/Bare/nudge", "", &serde_json::to_string(&nudge)?).await?;
    let mut bytes = [0; 64];
    let length = timeout(Duration::from_secs(20), mailbox.socket.recv(&mut bytes)).await??;
    let heard = String::from_utf8_lossy(bytes.get(..length).unwrap_or_default()).into_owned();
    Ok(serde_json::json!({ "nudge_status": status, "heard": heard }).to_string())
}

/// When each was accepted, how long all took, and what the processes used then.
type SubmissionRecord = (Vec<u64>, f64, Vec<ProcessSample>);

/// Sends all of them; answers with the microsecond at which each was accepted.
async fn submit(
    ingress: Vec<String>,
    toil: StepsRequest,
    count: u64,
    began: Instant,
    pids: Vec<u32>,
) -> Result<SubmissionRecord, BoxError> {
    let next = Arc::new(AtomicU64::new(0));
    let mut tasks = JoinSet::new();
    for number in 0..SUBMITTERS.min(count) {
        let (next, mut toil) = (Arc::clone(&next), toil.clone());
        let index = usize::try_from(number)? % ingress.len().max(1);
        let base = ingress.get(index).cloned().ok_or("--ingress is missing")?;
        tasks.spawn(async move {
            let mut connection = HttpConnection::open(&base).await?;
            let mut starts = Vec::new();
            loop {
                toil.number = next.fetch_add(1, Ordering::Relaxed);
                if toil.number >= count {
                    return Ok::<_, BoxError>(starts);
                }
                let key = format!("idempotency-key: {}-{}\r\n", toil.done, toil.number);
                let body = serde_json::to_string(&toil)?;
                while let (status @ 300.., answer) = connection.post("/Bare/toil/send", &key, &body).await? {
                    // A node hears of a new service some seconds after the one that was told.
                    if began.elapsed() > HEARD_MAX {
                        return Err(format!("the engine answers {status}: {answer}").into());
                    }
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
                starts.push((toil.number, micros(began)));
            }
        });
    }
    let mut starts = vec![0; usize::try_from(count)?];
    while let Some(finished) = tasks.join_next().await {
        for (number, at) in finished?? {
            if let Some(start) = starts.get_mut(usize::try_from(number)?) {
                *start = at;
            }
        }
    }
    Ok((starts, began.elapsed().as_secs_f64(), pids.iter().map(|pid| used(*pid)).collect()))
}

fn micros(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX)
}

fn most_of(pids: &[u32]) -> Vec<(u32, AtomicU64)> {
    pids.iter().map(|pid| (*pid, AtomicU64::new(used(*pid).resident_kib))).collect()
}

async fn watch(most: Arc<Vec<(u32, AtomicU64)>>) {
    loop {
        for (pid, most) in most.iter() {
            most.fetch_max(used(*pid).resident_kib, Ordering::Relaxed);
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// Where the service says that an invocation has ended.
struct CompletionMailbox {
    path: String,
    socket: UnixDatagram,
}

impl CompletionMailbox {
    fn open() -> Result<Self, BoxError> {
        let path = std::env::temp_dir().join(format!("bare-engine-{}", std::process::id()));
        std::fs::remove_file(&path).ok();
        let socket = UnixDatagram::bind(&path)?;
        Ok(Self { path: path.display().to_string(), socket })
    }

    /// The microsecond at which each ended, 0 for those that did not; ends early when nothing has come for `limit`.
    async fn collect(&self, count: u64, began: Instant, limit: Duration) -> Vec<u64> {
        let mut ended = vec![0; usize::try_from(count).unwrap_or(0)];
        let mut missing = ended.len();
        let mut bytes = [0; 64];
        while missing > 0 {
            let Ok(Ok(length)) =
                timeout(limit.saturating_sub(began.elapsed()), self.socket.recv(&mut bytes)).await
            else {
                break;
            };
            let number = std::str::from_utf8(bytes.get(..length).unwrap_or_default()).ok();
            let Some(end) = number.and_then(|text| ended.get_mut(text.parse::<usize>().ok()?)) else {
                continue;
            };
            // A step can run twice: only the first word counts.
            if *end == 0 {
                *end = micros(began);
                missing -= 1;
            }
        }
        ended
    }
}

impl Drop for CompletionMailbox {
    fn drop(&mut self) {
        std::fs::remove_file(&self.path).ok();
    }
}
