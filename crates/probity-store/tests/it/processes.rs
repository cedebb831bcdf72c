//! Real processes: this test binary starts itself as others that share the directory.

use std::{
    collections::HashSet,
    env,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use probity_research::{
    Fence,
    ports::{Journal, JournalWriter, LeaseClaim, Leases},
};
use probity_store::{IntegrityDepth, Store};

use crate::world::{Truth, World, driver, ended, open_at, owner, started};

const DIRECTORY: &str = "PROBITY_STORE_TEST_DIRECTORY";
const OWNER: &str = "PROBITY_STORE_TEST_OWNER";
const TASKS: usize = 200;

fn start(test: &str, directory: &Path, owner_bits: u128) -> Child {
    Command::new(env::current_exe().unwrap())
        .args([test, "--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .env(DIRECTORY, directory)
        .env(OWNER, owner_bits.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn child_store() -> Store {
    let directory = env::var_os(DIRECTORY).unwrap();
    open_at(Path::new(&directory), env::var(OWNER).unwrap().parse().unwrap()).unwrap()
}

fn lines(child: &mut Child, prefix: &str, wanted: usize) -> Vec<String> {
    let output = BufReader::new(child.stdout.as_mut().unwrap());
    let found = output.lines().map(Result::unwrap);
    found.filter_map(|line| line.split_once(prefix).map(|(_, rest)| rest.to_owned())).take(wanted).collect()
}

#[tokio::test]
#[ignore = "the other process of the tests below"]
async fn child_works() {
    let store = child_store();
    loop {
        let claims = store.claim_due(store.owner(), 5).await.unwrap();
        if claims.is_empty() {
            break;
        }
        for claim in claims {
            let mut truth = Truth { id: claim.id, journal: store.load(claim.id).await.unwrap() };
            let me = JournalWriter::Driver(store.owner(), claim.fence);
            truth.append(&store, me, started(1)).await.unwrap();
            truth.append(&store, me, ended()).await.unwrap();
            println!("done {} {}", claim.id, claim.fence.0);
        }
    }
}

#[tokio::test]
#[ignore = "the other process of the tests below"]
async fn child_claims_and_hangs() {
    let store = child_store();
    let claims = store.claim_due(store.owner(), 5).await.unwrap();
    store.heartbeat(store.owner()).await.unwrap();
    println!("claimed {}", claims.len());
    // Until the parent kills this process.
    std::io::stdin().lines().for_each(drop);
}

#[tokio::test]
async fn four_processes_share_the_work_without_a_double_claim() {
    let world = World::new();
    let store = world.open(1);
    for number in 0..TASKS as u128 {
        Truth::ask(&store, number).await;
    }
    let mut children: Vec<Child> =
        (10..14).map(|bits| start("processes::child_works", &world.directory(), bits)).collect();
    let mut done = Vec::new();
    for child in &mut children {
        done.extend(lines(child, "done ", TASKS + 1));
        assert!(child.wait().unwrap().success(), "no busy error, no conflict");
    }
    let distinct: HashSet<&String> = done.iter().collect();
    assert_eq!((done.len(), distinct.len()), (TASKS, TASKS));
    assert!(done.iter().all(|line| line.ends_with(" 1")), "every task was claimed once");
    assert_eq!(store.check_integrity(IntegrityDepth::Everything).unwrap().events, TASKS as u64 * 3);
}

#[tokio::test]
async fn a_killed_process_loses_its_claims_at_once() {
    let world = World::new();
    let store = world.open(1);
    let truth = Truth::ask(&store, 1).await;
    let mut child = start("processes::child_claims_and_hangs", &world.directory(), 9);
    assert_eq!(lines(&mut child, "claimed ", 1), ["1"]);
    assert_eq!(store.claim_due(owner(1), 5).await.unwrap(), [], "the child lives");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(store.claim_due(owner(1), 5).await.unwrap(), [LeaseClaim { id: truth.id, fence: Fence(2) }]);
    store.append(truth.entry(driver(1, 2), started(1))).await.unwrap();
    assert!(!world.directory().join("owners").join(format!("{}.lock", owner(9))).exists());
}
