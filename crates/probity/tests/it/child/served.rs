//! A CLI that does everything to outlive its question, ended in every way: nothing is left running, nobody hangs, and
//! the server does not grow with what the child prints. Yields figures.
//!
//! Cancelled and killed with the real server; dropped inside this process, through the same door.

use std::{
    path::Path,
    process::{Command, Stdio},
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use probity_models::gemini_cli::{CliProcessReuse, OUTPUT_BYTES_MAX};
use serde_json::json;

use super::{GONE_MAX, Lab, fake_cli, processes_of, survivors::running};
use crate::{
    client::{Client, Era},
    harness::{World, figure, id_in, side_by_side, sized, wait_until},
};

/// What the CLI does instead of answering, with the processes that are there while it lasts: the keeper, the CLI, and
/// what the CLI started. What has none ends by itself.
const BEHAVIOURS: &[(&str, usize)] = &[
    ("storm", 22),
    ("leave-and-stay", 3),
    ("ignore-term", 2),
    ("silent", 2),
    ("drip", 2),
    ("flood", 0),
    ("flood-errors", 0),
    ("endless-line", 0),
    ("hold-pipe", 0),
    ("leave", 0),
    ("invalid-text", 0),
    ("die 1", 0),
];
/// Three tries of a round that ends by itself, with their pauses.
const ITSELF_MAX: Duration = Duration::from_secs(90);
/// What a question may take beside the output that is kept of it: lines being cut, JSON being read, the answer on
/// its way to the store, and what the allocator keeps.
const GROWN_MAX: u64 = OUTPUT_BYTES_MAX + 32 * 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// `cancel_research`.
    Cancel,
    /// Whoever listens lets go of the question.
    Drop,
    /// `kill -9` of the server.
    Kill,
    /// The client leaves, and the server with it.
    Leave,
    /// Nobody ends it: it floods, answers or dies.
    Itself,
}

#[derive(Debug, Clone, Copy)]
struct Trial {
    behaviour: (&'static str, usize),
    ending: Ending,
    reuse: &'static str,
}

#[derive(Debug, Default)]
struct TrialObservations {
    left: Vec<String>,
    hung: Vec<String>,
    /// Processes at once.
    most: usize,
    gone_after: Duration,
    grown: Vec<u64>,
}

fn plan() -> Vec<Trial> {
    let mut plan = Vec::new();
    for reuse in ["spawn", "pool"].repeat(sized(1, 5)) {
        for behaviour in BEHAVIOURS.iter().copied() {
            let endings: &[Ending] = match behaviour.1 {
                0 => &[Ending::Itself],
                _ => &[Ending::Cancel, Ending::Drop, Ending::Kill, Ending::Leave],
            };
            plan.extend(endings.iter().map(|ending| Trial { behaviour, ending: *ending, reuse }));
        }
    }
    plan
}

/// What is left after the time that everything has to go.
fn left(place: &Path, except: Option<u32>) -> Vec<String> {
    let until = Instant::now() + GONE_MAX;
    loop {
        let living = processes_of(place, except);
        if living.is_empty() || Instant::now() >= until {
            return living;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

fn dropped(trial: Trial, seen: &mut TrialObservations) {
    let reuse = if trial.reuse == "pool" { CliProcessReuse::Pool } else { CliProcessReuse::Spawn };
    let lab = Lab::new(reuse);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let began = runtime.block_on(async {
        let running = running(&lab, trial.behaviour.0, trial.behaviour.1).await;
        seen.most = lab.living().len();
        drop(running);
        Instant::now()
    });
    seen.left = left(&lab.directory.path().join("cli"), None);
    seen.gone_after = began.elapsed();
}

fn served(trial: Trial, seen: &mut TrialObservations) {
    let (world, (wish, count)) = (World::new(), trial.behaviour);
    let place = world.home.path();
    let program = fake_cli().display().to_string();
    let variables = [
        ("PROBITY_RESEARCH__ENGINE", "gemini-cli"),
        ("PROBITY_GEMINI_CLI__PROGRAM", program.as_str()),
        ("PROBITY_GEMINI_CLI__REUSE", trial.reuse),
        ("PROBITY_MCP__CALL_WAIT", "170s"),
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
    ];
    let mut client = Client::open(&world, Era::Old, &variables);
    let server = client.pid();
    let before = peak_bytes(server);
    let call = client.begin_call("search", json!({ "query": format!("why? [[fake {wish}]]") }));
    wait_until(wish, || processes_of(place, Some(server)).len() >= count);
    seen.most = processes_of(place, Some(server)).len();
    let mut began = Instant::now();
    match trial.ending {
        Ending::Cancel => {
            let id = id_in(&client.done("list_research", json!({})).to_string());
            let told = client.done("cancel_research", json!({ "task_id": id }));
            assert_eq!(told["status"], "cancelled", "{told}");
        }
        Ending::Kill => client.kill(),
        Ending::Leave => client.close_input(),
        Ending::Itself | Ending::Drop => {
            if client.answer_within(call, ITSELF_MAX).is_none() {
                seen.hung.push("no answer".to_owned());
            }
            began = Instant::now();
            if wish.contains("flood") || wish == "endless-line" {
                seen.grown.push(peak_bytes(server).saturating_sub(before));
            }
        }
    }
    // A process may wait for the next question of its run only as long as there can be one.
    seen.left = left(place, Some(server));
    seen.gone_after = began.elapsed();
    if !client.end(ITSELF_MAX).in_time {
        seen.hung.push("the server did not end".to_owned());
    }
}

/// The most memory that a process ever had.
fn peak_bytes(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

/// Without a keeper: the child itself is killed, and what it started lives on.
fn survivors_without_a_keeper() -> usize {
    let place = tempfile::tempdir().unwrap();
    let mut child = Command::new(fake_cli())
        .env("HOME", place.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"[[fake leave-and-stay]]").unwrap();
    wait_until("a grandchild", || processes_of(place.path(), None).len() >= 2);
    child.kill().unwrap();
    child.wait().unwrap();
    let left = left(place.path(), None);
    for process in &left {
        let pid = process.split(' ').next().unwrap().parse().ok().and_then(rustix::process::Pid::from_raw);
        rustix::process::kill_process(pid.unwrap(), rustix::process::Signal::KILL).unwrap();
    }
    left.len()
}

#[test]
#[ignore = "takes minutes: run for its figures"]
fn nothing_outlives_its_question_however_it_ends() {
    let plan = plan();
    let all: Mutex<Vec<TrialObservations>> = Mutex::default();
    side_by_side(4, &plan, |trial| {
        let mut seen = TrialObservations::default();
        match trial.ending {
            Ending::Drop => dropped(*trial, &mut seen),
            _ => served(*trial, &mut seen),
        }
        seen.left.iter_mut().chain(&mut seen.hung).for_each(|line| *line = format!("{trial:?}: {line}"));
        all.lock().unwrap().push(seen);
    });
    let all = all.into_inner().unwrap();
    let survivors = survivors_without_a_keeper();
    let (left, hung): (Vec<&String>, Vec<&String>) =
        (all.iter().flat_map(|seen| &seen.left).collect(), all.iter().flat_map(|seen| &seen.hung).collect());
    let grown: Vec<u64> = all.iter().flat_map(|seen| seen.grown.iter().copied()).collect();
    let largest = grown.iter().max().copied().unwrap_or_default();
    let most = all.iter().map(|seen| seen.most).max().unwrap_or_default();
    let slowest = all.iter().map(|seen| seen.gone_after).max().unwrap_or_default();
    figure("supervision_left", &format!("{} after {} endings", left.len(), all.len()));
    figure(
        "supervision_left.note",
        &format!(
            "up to {most} processes at once, gone after {:.1} s at the latest; control: without the keeper {survivors} process survives the kill of its parent",
            slowest.as_secs_f64()
        ),
    );
    figure("supervision_hung", &format!("{} of {}", hung.len(), all.len()));
    let names: Vec<&str> = BEHAVIOURS.iter().map(|(name, _)| *name).collect();
    figure("supervision_hung.note", &format!("behaviours: {}", names.join(", ")));
    figure(
        "supervision_grown",
        &format!(
            "at most {:.0} MiB, {} times a gigabyte or a line without end",
            largest as f64 / 1_048_576.0,
            grown.len()
        ),
    );
    figure(
        "supervision_grown.note",
        "peak of the server's resident memory beyond its peak before the question, other trials running beside it",
    );
    assert!(survivors > 0, "the check is blind: nothing survives a plain kill");
    assert!(left.is_empty() && hung.is_empty(), "{left:?} {hung:?}");
    assert!(!grown.is_empty() && largest <= GROWN_MAX, "{largest} bytes more");
}
