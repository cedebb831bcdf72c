//! However a question ends, nothing of its process is left.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use probity_models::gemini_cli::{CliProcessReuse, GeminiCli};
use probity_research::Code;
use probity_testing::stolen_time::measured_seconds;

use super::{GONE_MAX, Lab, ask, ended, fake_cli, gone, living, settings};
use crate::harness::wait_until;

/// Ways to outlive the one who started it, with the processes that are there while it lasts: the keeper, the
/// CLI, and what the CLI started.
const STUBBORN: &[(&str, usize)] =
    &[("silent", 2), ("ignore-term", 2), ("drip", 2), ("leave-and-stay", 3), ("storm", 22)];

/// Where the owner that is killed keeps its processes.
const OWNED: &str = "CHILD_OF_A_KILLED_OWNER";

/// Listens until so many processes are there.
pub async fn running(lab: &Lab, wish: &str, count: usize) -> probity_models::gemini_cli::CliCall {
    let mut running = lab.begin(&format!("[[fake {wish}]]")).await;
    let started = Instant::now();
    while lab.living().len() < count {
        assert!(started.elapsed() < Duration::from_secs(30), "{wish}: {:?}", lab.living());
        // Nothing is written to the child while nobody listens.
        tokio::time::timeout(Duration::from_millis(20), running.next()).await.ok();
    }
    running
}

#[tokio::test]
async fn nothing_is_left_after_a_stop() {
    for reuse in [CliProcessReuse::Spawn, CliProcessReuse::Pool] {
        let lab = Lab::new(reuse);
        for (wish, count) in STUBBORN {
            let running = running(&lab, wish, *count).await;
            let asked = Instant::now();
            running.stop().await;
            lab.cli.end_session("res_1").await;
            assert!(asked.elapsed() < GONE_MAX, "{wish}: {:?}", asked.elapsed());
            lab.nothing_is_left(wish);
        }
    }
}

#[tokio::test]
async fn nothing_is_left_after_a_drop() {
    for reuse in [CliProcessReuse::Spawn, CliProcessReuse::Pool] {
        let lab = Lab::new(reuse);
        for (wish, count) in STUBBORN {
            drop(running(&lab, wish, *count).await);
            lab.nothing_is_left(wish);
        }
    }
}

#[test]
fn nothing_is_left_when_the_owner_is_killed() {
    measured_seconds("survivors", || {
        for (wish, count) in STUBBORN {
            let directory = tempfile::tempdir().unwrap();
            let mut owner = Command::new(std::env::current_exe().unwrap())
                .args(["--ignored", "--exact", "child::survivors::an_owner_that_will_be_killed"])
                .env(OWNED, directory.path())
                .env("WISH", wish)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let kept = |word: &str| word.contains("keep") || word.contains("fake-cli");
            wait_until(wish, || living(directory.path()).iter().filter(|word| kept(word)).count() >= *count);
            owner.kill().unwrap();
            owner.wait().unwrap();
            gone(directory.path(), wish);
        }
    });
}

/// Not a test: what `nothing_is_left_when_the_owner_is_killed` starts and kills.
#[tokio::test]
#[ignore = "started and killed by another test"]
async fn an_owner_that_will_be_killed() {
    let Some(directory) = std::env::var_os(OWNED).map(PathBuf::from) else { return };
    let wish = std::env::var("WISH").unwrap();
    let cli = GeminiCli::new(settings(&directory, &fake_cli(), "http://127.0.0.1:9", CliProcessReuse::Spawn));
    ended(cli.begin(ask(&format!("[[fake {wish}]]"))).await.unwrap()).await;
}

#[tokio::test]
async fn an_answer_does_not_wait_for_a_grandchild_and_ends_it() {
    let lab = Lab::new(CliProcessReuse::Spawn);
    for wish in ["hold-pipe", "leave"] {
        let asked = Instant::now();
        let ended = lab.ended(&format!("[[fake {wish}]]")).await;
        assert!(asked.elapsed() < GONE_MAX, "{wish}: {:?}", asked.elapsed());
        assert_eq!((ended.outcome, ended.text.as_str()), (Ok(()), "fine"), "{wish}");
        lab.nothing_is_left(wish);
    }
}

#[tokio::test]
async fn a_gigabyte_is_cut_off_in_bounded_memory() {
    for (reuse, wish) in [
        (CliProcessReuse::Spawn, "flood"),
        (CliProcessReuse::Spawn, "flood-errors"),
        (CliProcessReuse::Spawn, "endless-line"),
        (CliProcessReuse::Pool, "flood"),
    ] {
        let lab = Lab::new(reuse);
        let before = peak_bytes();
        let asked = Instant::now();
        let ended = lab.ended(&format!("[[fake {wish}]]")).await;
        assert_eq!(ended.outcome.unwrap_err().code, Code::CliOutputLimit, "{wish}");
        assert!(asked.elapsed() < Duration::from_secs(10), "{wish}: {:?}", asked.elapsed());
        let grown = peak_bytes().saturating_sub(before);
        assert!(grown < 48 * 1024 * 1024, "{wish}: {grown} bytes more");
        lab.nothing_is_left(wish);
    }
}

/// The most memory this process ever had.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string(Path::new("/proc/self/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

#[tokio::test]
async fn a_keeper_that_is_killed_takes_the_cli_with_it() {
    let lab = Lab::new(CliProcessReuse::Spawn);
    let mut running = running(&lab, "ignore-term", 2).await;
    let keeper = lab
        .living()
        .iter()
        .find(|word| word.contains(" keep ") && !word.contains("--keeper"))
        .unwrap()
        .clone();
    let pid =
        keeper.split(' ').next().unwrap().parse().ok().and_then(rustix::process::Pid::from_raw).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    let heard = tokio::time::timeout(GONE_MAX, async {
        loop {
            if let probity_models::gemini_cli::CliEvent::Ended(ended) = running.next().await {
                return ended;
            }
        }
    });
    assert_eq!(heard.await.unwrap().outcome.unwrap_err().code, Code::CliNoResult);
    lab.nothing_is_left("a killed keeper");
}
