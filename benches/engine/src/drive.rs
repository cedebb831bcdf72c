//! Starts many invocations, waits for all of them and tells what they took.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{net::UnixDatagram, task::JoinSet, time::timeout};

use crate::{ArgumentPairs, BoxError, service::StepsRequest};

/// Connections that submit side by side; more do not make one engine faster.
const SUBMITTERS: u64 = 64;
/// All nodes know a service within this.
const HEARD_MAX: Duration = Duration::from_secs(30);

/// `drive --ingress URL[,URL…] --count N --steps N --wait-ms N --limit-s N`: how many ended, in which time, and how many
/// steps a second that makes.
pub async fn drive(words: &ArgumentPairs) -> Result<String, BoxError> {
    let (count, steps) = (words.number("count")?, u32::try_from(words.number("steps")?)?);
    let limit = Duration::from_secs(words.number("limit-s")?);
    let mailbox = CompletionMailbox::open()?;
    let toil =
        StepsRequest { number: 0, steps, wait_ms: words.number("wait-ms")?, done: mailbox.path.clone() };
    let ingress: Vec<String> = words.text("ingress")?.split(',').map(str::to_owned).collect();
    let began = Instant::now();
    let submitting = submit(ingress, toil, count, began);
    // A start that failed ends the measurement at once.
    let ((), done) = tokio::try_join!(submitting, async { Ok(mailbox.collect(count, began, limit).await) })?;
    let seconds = began.elapsed().as_secs_f64();
    let steps_per_second = done as f64 * f64::from(steps) / seconds;
    let report =
        serde_json::json!({ "done": done, "seconds": seconds, "steps_per_second": steps_per_second });
    Ok(report.to_string())
}

async fn submit(
    ingress: Vec<String>,
    toil: StepsRequest,
    count: u64,
    began: Instant,
) -> Result<(), BoxError> {
    let client = reqwest::Client::builder().tcp_nodelay(true).no_proxy().build()?;
    let next = Arc::new(AtomicU64::new(0));
    let mut tasks = JoinSet::new();
    for (_, base) in (0..SUBMITTERS.min(count)).zip(ingress.iter().cycle()) {
        let (client, next, mut toil) = (client.clone(), Arc::clone(&next), toil.clone());
        let url = format!("{base}/Bare/toil/send");
        tasks.spawn(async move {
            loop {
                toil.number = next.fetch_add(1, Ordering::Relaxed);
                if toil.number >= count {
                    return Ok::<_, BoxError>(());
                }
                send(&client, &url, &toil, began).await?;
            }
        });
    }
    while let Some(finished) = tasks.join_next().await {
        finished??;
    }
    Ok(())
}

/// A node hears of a new service some seconds after the one that was told.
async fn send(
    client: &reqwest::Client,
    url: &str,
    toil: &StepsRequest,
    began: Instant,
) -> Result<(), BoxError> {
    let body = serde_json::to_string(toil)?;
    loop {
        let request = client
            .post(url)
            .header("content-type", "application/json")
            .header("idempotency-key", format!("{}-{}", toil.done, toil.number));
        let answer = request.body(body.clone()).send().await?;
        let (status, text) = (answer.status(), answer.text().await?);
        if status.is_success() {
            return Ok(());
        }
        if began.elapsed() > HEARD_MAX {
            return Err(format!("the engine answers {status}: {text}").into());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
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

    /// How many have ended, all of them or those within `limit`. A step can run twice: each is counted once.
    async fn collect(&self, count: u64, began: Instant, limit: Duration) -> usize {
        let mut ended = BTreeSet::new();
        let mut bytes = [0; 64];
        while (ended.len() as u64) < count {
            let left = limit.saturating_sub(began.elapsed());
            let Ok(Ok(length)) = timeout(left, self.socket.recv(&mut bytes)).await else { break };
            let number = std::str::from_utf8(bytes.get(..length).unwrap_or_default()).ok();
            ended.extend(number.and_then(|text| text.parse::<u64>().ok()).filter(|number| *number < count));
        }
        ended.len()
    }
}

impl Drop for CompletionMailbox {
    fn drop(&mut self) {
        std::fs::remove_file(&self.path).ok();
    }
}
