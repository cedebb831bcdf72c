//! Real processes: this test binary starts itself as others that share the directory. Yields figures.

use std::{
    collections::BTreeMap,
    env, fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use probity_research::{
    Fence,
    ports::{Journal, JournalWriter, LeaseClaim, Leases},
    status::RunStatus,
};
use probity_store::{IntegrityDepth, ListFilter, Store};
use probity_testing::figure_size::sized;
use rusqlite::{Connection, OptionalExtension as _};

use crate::world::{Truth, World, driver, ended, id, open_at, owner, started};

const DIRECTORY: &str = "PROBITY_STORE_TEST_DIRECTORY";
const OWNER: &str = "PROBITY_STORE_TEST_OWNER";
const PROCESSES: u128 = 4;
/// Claims taken at a time: few, so that the processes keep meeting.
const ROOM: usize = 4;

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

/// Waits until every process is there, so that all of them compete from the first task on.
fn gather() -> std::path::PathBuf {
    let directory = std::path::PathBuf::from(env::var_os(DIRECTORY).unwrap());
    fs::write(directory.join(format!("here-{}", env::var(OWNER).unwrap())), "").unwrap();
    let until = Instant::now() + Duration::from_secs(30);
    while !(10..10 + PROCESSES).all(|bits| directory.join(format!("here-{bits}")).exists()) {
        assert!(Instant::now() < until, "the other processes did not come");
        thread::sleep(Duration::from_millis(1));
    }
    directory
}

/// Any refusal is told: the goal is that there is none.
fn told<T, E: std::fmt::Display>(result: Result<T, E>) -> Option<T> {
    result.inspect_err(|error| println!("did refused {error}")).ok()
}

#[tokio::test]
#[ignore = "the other process of the tests below"]
async fn child_works() {
    gather();
    let store = child_store();
    let waiting = ListFilter { status: Some(RunStatus::Pending), limit: 1, ..ListFilter::default() };
    told(store.heartbeat(store.owner()).await);
    loop {
        let claims = told(store.claim_due(store.owner(), ROOM).await).unwrap_or_default();
        for claim in &claims {
            println!("did claim {}", claim.id);
            let Some(journal) = told(store.load(claim.id).await) else { continue };
            let mut truth = Truth { id: claim.id, journal };
            let me = JournalWriter::Driver(store.owner(), claim.fence);
            if told(truth.append(&store, me, ended()).await).is_some() {
                println!("did ended {}", claim.id);
            }
        }
        if claims.is_empty() {
            if store.list(&waiting).unwrap().is_empty() {
                break;
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// The control: SQLite alone, claiming with a select and then an update.
#[test]
#[ignore = "the other process of the tests below"]
fn child_claims_bare() {
    let connection = bare(&gather());
    let mut free = connection.prepare("SELECT number FROM task WHERE owner IS NULL LIMIT 1").unwrap();
    let mut take = connection.prepare("UPDATE task SET owner = 1 WHERE number = ?1").unwrap();
    while let Some(number) = free.query_row([], |row| row.get::<_, i64>(0)).optional().unwrap() {
        // What a program decides between the two; without it they rarely meet on so small a table.
        thread::sleep(Duration::from_micros(100));
        take.execute([number]).unwrap();
        println!("did claim {number}");
    }
}

fn bare(directory: &Path) -> Connection {
    let connection = Connection::open(directory.join("bare.db")).unwrap();
    connection.busy_timeout(Duration::from_secs(30)).unwrap();
    connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;").unwrap();
    connection
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

/// What four processes told, by its first word and task: how often.
fn run_four(test: &str, directory: &Path) -> BTreeMap<String, usize> {
    let mut children: Vec<Child> = (10..10 + PROCESSES).map(|bits| start(test, directory, bits)).collect();
    let mut did = BTreeMap::new();
    for child in &mut children {
        let lines = lines(child, "did ", usize::MAX);
        assert!(child.wait().unwrap().success(), "{lines:?}");
        assert!(lines.iter().any(|line| line.starts_with("claim ")), "a process claimed nothing at all");
        lines.into_iter().for_each(|line| *did.entry(line).or_default() += 1);
    }
    did
}

fn twice(did: &BTreeMap<String, usize>) -> usize {
    did.iter().filter(|(line, count)| line.starts_with("claim ") && **count > 1).count()
}

#[expect(clippy::print_stderr, reason = "the figures read it there")]
fn figure(key: &str, value: &str) {
    eprintln!("figure: {key} {value}");
}

#[tokio::test]
async fn four_processes_share_the_work_without_a_double_claim() {
    let tasks: usize = sized(200, 1_500);
    let world = World::new();
    let store = world.open(1);
    for number in 0..tasks as u128 {
        Truth::ask(&store, number).await;
    }
    let began = Instant::now();
    let did = run_four("processes::child_works", &world.directory());
    let rate = tasks as f64 / began.elapsed().as_secs_f64();
    let mut wrong = Vec::new();
    for number in 0..tasks as u128 {
        let told = |word: &str| did.get(&format!("{word} {}", id(number))).copied().unwrap_or(0);
        let events = store.load(id(number)).await.unwrap().len();
        if (told("claim") > 0, told("ended"), events) != (true, 1, 2) {
            wrong.push(format!("{}: {} told, {events} events", id(number), told("ended")));
        }
    }
    let refused: usize =
        did.iter().filter(|(line, _)| line.starts_with("refused ")).map(|(_, count)| count).sum();
    let bare_directory = world.root.path().join("bare");
    fs::create_dir_all(&bare_directory).unwrap();
    let connection = bare(&bare_directory);
    let numbers =
        format!("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {tasks})");
    let table = "CREATE TABLE task (number INTEGER PRIMARY KEY, owner INTEGER);";
    connection.execute_batch(&format!("{table} INSERT INTO task {numbers} SELECT i, NULL FROM n;")).unwrap();
    let control = twice(&run_four("processes::child_claims_bare", &bare_directory));
    let claims = twice(&did);
    figure(
        "double_claims",
        &format!("{claims} double claims, {} wrong endings of {tasks} tasks, {rate:.0} tasks/s", wrong.len()),
    );
    figure(
        "double_claims.note",
        &format!(
            "each with one claim, one load and one final event; control: select-then-update on bare SQLite claims {control} twice"
        ),
    );
    figure("refused_claims", &format!("{refused} of {tasks} tasks"));
    assert_eq!((claims, refused, wrong), (0, 0, Vec::new()));
    assert!(control > 0, "the check is blind: bare SQLite claims nothing twice");
    assert_eq!(store.check_integrity(IntegrityDepth::Everything).unwrap().researches, tasks as u64);
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
