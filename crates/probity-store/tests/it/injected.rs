//! Disk errors at chosen system calls, injected from outside into a process that appends.

use std::{
    collections::BTreeMap,
    env, fs,
    path::Path,
    process::{Command, Stdio},
};

use probity_research::ports::{Journal, JournalError, JournalWriter};
use probity_store::{IntegrityDepth, Store};

use crate::world::{Truth, World, asked, id, observed, open_at};

const DIRECTORY: &str = "PROBITY_STORE_TEST_DIRECTORY";
const APPENDS: u32 = 25;

/// Appends, and after a refusal looks what is there and goes on, as a driver does.
#[tokio::test]
#[ignore = "the other process of the test below"]
async fn child_appends_through_errors() {
    let directory = env::var_os(DIRECTORY).unwrap();
    let store = match open_at(Path::new(&directory), 5) {
        Ok(store) => store,
        Err(problem) => return println!("refused {}", problem.code),
    };
    let mut truth = Truth::new(id(1));
    for searches in 0..APPENDS {
        let event = if truth.journal.is_empty() { asked("will it hold?") } else { observed(searches) };
        match truth.append(&store, JournalWriter::Client, event).await {
            Ok(sequence) => println!("acked {}", sequence.0),
            Err(JournalError::Refused(problem)) => println!("refused {}", problem.code),
            Err(other) => println!("refused {other}"),
        }
        if let Ok(journal) = store.load(truth.id).await {
            truth.journal = journal;
        }
    }
    println!("alive");
}

fn run(store: &Path, log: &Path, fault: &str) -> Option<String> {
    let call = fault.split(':').next().unwrap();
    let child = Command::new("strace")
        .args(["-f", "-qq", "-e", &format!("trace={call}"), "-e", &format!("inject={fault}"), "-o"])
        .arg(log)
        .arg(env::current_exe().unwrap())
        .args(["injected::child_appends_through_errors", "--exact", "--ignored", "--nocapture"])
        .env(DIRECTORY, store)
        .stderr(Stdio::null())
        .output()
        .ok()?;
    assert!(child.status.success(), "{fault}: {}", String::from_utf8_lossy(&child.stdout));
    Some(String::from_utf8(child.stdout).unwrap())
}

/// The highest acknowledged event, and how often each code was told.
fn told(output: &str, codes: &mut BTreeMap<String, u32>) -> usize {
    let after = |line: &str, word: &str| line.split_once(word).map(|(_, rest)| rest.to_owned());
    for code in output.lines().filter_map(|line| after(line, "refused ")) {
        *codes.entry(code).or_default() += 1;
    }
    output
        .lines()
        .filter_map(|line| after(line, "acked "))
        .map(|number| number.parse().unwrap())
        .max()
        .unwrap_or(0)
}

#[tokio::test]
async fn a_failed_sync_or_write_is_told_and_loses_nothing_that_was_acknowledged() {
    let world = World::new();
    let mut codes = BTreeMap::new();
    let faults = ["fdatasync:error=EIO", "fsync:error=EIO", "pwrite64:error=EIO", "pwrite64:error=ENOSPC"];
    for (number, fault) in faults.into_iter().flat_map(|fault| (0..8).map(move |n| (n, fault))) {
        // One failing call, and in every second run all calls from there on for a while.
        let when = 3 + number * 5;
        let when = if number % 2 == 0 { format!("{when}") } else { format!("{when}..{}", when + 12) };
        let directory = world.root.path().join(format!("{fault}-{number}").replace([':', '='], "-"));
        let Some(output) = run(&directory, &world.root.path().join("log"), &format!("{fault}:when={when}"))
        else {
            return println!("skipped: strace is not installed");
        };
        let acked = told(&output, &mut codes);
        if acked == 0 {
            continue;
        }
        assert!(output.contains("alive"), "{fault} {when}: {output}");
        let store: Store = open_at(&directory, 6).unwrap();
        let journal = store.load(id(1)).await.unwrap();
        assert!(journal.len() >= acked, "{fault} {when}: {acked} acknowledged, {} there", journal.len());
        store.check_integrity(IntegrityDepth::Everything).unwrap();
        drop(store);
        fs::remove_dir_all(&directory).unwrap();
    }
    println!("codes told: {codes:?}");
    let known = ["STORE_DISK", "STORE_FULL"];
    assert!(codes.keys().all(|code| known.contains(&code.as_str())), "{codes:?}");
    assert!(known.iter().all(|code| codes.contains_key(*code)), "{codes:?}");
}
