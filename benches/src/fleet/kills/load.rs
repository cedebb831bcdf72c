//! Clients that never stop: some start researches, one asks after those that were told and remembers what it heard.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

use serde_json::Value;

use super::super::{
    judge::{self, FleetJudgement},
    test_bed::{
        FleetTestBed, FrontEndProcess,
        client::{FleetClient, RetryPatience, question},
        plain_http,
    },
};

/// A client gives up after this; then its start counts as not told.
const PATIENCE: Duration = Duration::from_secs(90);
/// Between two starts of one client.
const PAUSE: Duration = Duration::from_millis(150);
/// Statuses that nothing follows, unless a person asks for more.
const FINAL: &[&str] = &["completed", "failed", "cancelled", "unknown", "expired"];

/// What clients saw.
#[derive(Debug, Default, Clone)]
pub struct LoadObservations {
    pub told: BTreeSet<String>,
    pub untrue: Vec<String>,
    pub watched: u64,
    /// Starts that a patient client gave up.
    pub failed: usize,
}

pub struct FleetLoad {
    stop: Arc<AtomicBool>,
    started: Arc<AtomicU64>,
    seen: Arc<Mutex<LoadObservations>>,
    threads: Vec<JoinHandle<()>>,
}

impl FleetLoad {
    pub fn begin(caller: FleetClient, clients: usize) -> Self {
        let (stop, started, seen) = (
            Arc::<AtomicBool>::default(),
            Arc::<AtomicU64>::default(),
            Arc::<Mutex<LoadObservations>>::default(),
        );
        let mut threads = Vec::new();
        for client in 0..clients {
            let (caller, stop, started, seen) = (caller.clone(), stop.clone(), started.clone(), seen.clone());
            threads.push(std::thread::spawn(move || {
                let mut number = 0;
                while !stop.load(Ordering::Relaxed) {
                    number += 1;
                    let asked = [question(&format!("question {number} of client {client}"))];
                    for told in caller.start_all(&asked, 1, RetryPatience::Until(PATIENCE)) {
                        match told {
                            Ok(told) => {
                                started.fetch_add(1, Ordering::Relaxed);
                                locked(&seen).told.insert(told);
                            }
                            Err(_) => locked(&seen).failed += 1,
                        }
                    }
                    std::thread::sleep(PAUSE);
                }
            }));
        }
        let (watched, stopped) = (Arc::clone(&seen), Arc::clone(&stop));
        threads.push(std::thread::spawn(move || watch(&caller, &watched, &stopped)));
        Self { stop, started, seen, threads }
    }

    /// How many have started and how many have ended; none can be counted while the database is away.
    pub fn progress(&self, stand: &FleetTestBed) -> (u64, u64) {
        let ended = stand.database.count("SELECT count(*) FROM research WHERE NOT due").unwrap_or(0);
        (self.started.load(Ordering::Relaxed), ended)
    }

    /// Whether every front end is ready, and researches have started and ended since, within the limit.
    pub fn goes_on(&self, stand: &FleetTestBed, since: (u64, u64), limit: Duration) -> bool {
        plain_http::until(limit, || {
            let (started, ended) = self.progress(stand);
            stand.front_ends.iter().all(FrontEndProcess::is_ready) && started > since.0 && ended > since.1
        })
    }

    /// Ends the load, waits until everything rests and judges it; also what clients saw and what the parts wrote.
    pub fn judged(
        self,
        stand: &FleetTestBed,
        caller: &FleetClient,
        limit: Duration,
    ) -> anyhow::Result<(FleetJudgement, LoadObservations)> {
        let seen = self.end();
        let idle = judge::wait_until_idle(stand, limit);
        let mut judged = judge::judge(stand, caller, &seen.told)?;
        judged.untrue.extend(idle.err().map(|error| error.to_string()));
        judged.untrue.extend(seen.untrue.iter().cloned().chain(stand.panics()));
        Ok((judged, seen))
    }

    /// Ends all clients and tells what they saw.
    fn end(self) -> LoadObservations {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads {
            // A client that panicked has told what it saw so far; the judge finds the rest.
            thread.join().ok();
        }
        locked(&self.seen).clone()
    }
}

/// An id that was told is never unknown later, and what has ended never goes on.
fn watch(caller: &FleetClient, seen: &Mutex<LoadObservations>, stop: &AtomicBool) {
    let mut ended: BTreeMap<String, String> = BTreeMap::new();
    let mut turn = 0;
    while !stop.load(Ordering::Relaxed) {
        let ids: Vec<String> = locked(seen).told.iter().cloned().collect();
        turn += 1;
        let Some(id) = ids.get(turn * 7919 % ids.len().max(1)) else {
            std::thread::sleep(PAUSE);
            continue;
        };
        let Ok((status, document)) = caller.ask(turn, "GET", &format!("/v1/researches/{id}"), None) else {
            continue;
        };
        let mut seen = locked(seen);
        seen.watched += 1;
        let said = document.get("status").and_then(Value::as_str).unwrap_or_default().to_owned();
        match status {
            200 if FINAL.contains(&said.as_str()) => {
                if let Some(before) = ended.insert(id.clone(), said.clone()).filter(|before| *before != said)
                {
                    seen.untrue.push(format!("{id} was {before} and is {said}"));
                }
            }
            200 => {
                if let Some(before) = ended.get(id) {
                    seen.untrue.push(format!("{id} had ended as {before} and is {said}"));
                }
            }
            404 => seen.untrue.push(format!("{id} was told and is not found")),
            // Refused while something is away: no status is told, so none is wrong.
            _ => {}
        }
    }
}

fn locked(seen: &Mutex<LoadObservations>) -> std::sync::MutexGuard<'_, LoadObservations> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}
