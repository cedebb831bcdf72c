//! A real PostgreSQL for the tests: one server per test process, one fresh database per test.
//!
//! The server dies with the test process, however that ends: a shell holds a pipe to it and stops the server
//! when the pipe closes. Where no server is installed the tests say so and pass.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use probity_store::{ObjectStorage, Postgres, PostgresSettings};
use tempfile::TempDir;

use crate::world::owner;

/// What the operating system's packages call the directory.
const DIRECTORIES: &str = "/usr/lib/postgresql";
const USER: &str = "probity";
/// A busy machine may take a while.
const START_MAX: Duration = Duration::from_secs(60);

/// Whether a commit waits for the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Commits {
    Durable,
    /// Cheaper, and enough where no power is cut.
    Hurried,
}

/// A server that this process started.
pub struct Server {
    binaries: PathBuf,
    root: TempDir,
    /// The shell that stops the server when its standard input closes.
    keeper: Mutex<Option<Child>>,
    commits: Commits,
    databases: AtomicU32,
    /// Creating databases from one template is done one at a time.
    creating: tokio::sync::Mutex<bool>,
}

/// The server shared by the tests of this process; `None`, with a notice, where there is none installed.
pub fn shared() -> Option<&'static Server> {
    static SHARED: OnceLock<Option<Server>> = OnceLock::new();
    SHARED.get_or_init(Server::start).as_ref()
}

/// A database of its own.
pub struct Database {
    pub name: String,
    pub url: String,
    pub files: TempDir,
}

impl Database {
    pub fn settings(&self, owner_bits: u128) -> PostgresSettings {
        let objects = ObjectStorage::Directory(self.files.path().join("objects"));
        let rescue = self.files.path().join("rescue");
        PostgresSettings::new(self.url.clone().into(), objects, owner(owner_bits), rescue)
    }

    pub async fn open(&self, owner_bits: u128) -> Postgres {
        Postgres::connect(self.settings(owner_bits)).await.unwrap()
    }
}

impl Server {
    /// A server of its own, for tests that kill it. It survives that as it would any crash but a power cut.
    pub fn start() -> Option<Self> {
        Self::start_with(Commits::Hurried)
    }

    pub fn start_with(commits: Commits) -> Option<Self> {
        let Some(binaries) = binaries() else {
            println!("skipped: no PostgreSQL server below {DIRECTORIES}");
            return None;
        };
        let root = tempfile::Builder::new().prefix("probity-postgres-").tempdir().unwrap();
        let server = Self {
            binaries,
            root,
            keeper: Mutex::new(None),
            commits,
            databases: AtomicU32::new(0),
            creating: tokio::sync::Mutex::new(false),
        };
        hand_over(server.root.path());
        run(&["cp", "-a", &shown(&template(&server.binaries)), &shown(&server.data())]);
        server.launch();
        Some(server)
    }

    fn data(&self) -> PathBuf {
        self.root.path().join("data")
    }

    pub fn launch(&self) {
        let script = format!(
            "{bin}/postgres -D {data} -k {root} -c listen_addresses= -c fsync={fsync} -c max_connections=200 \
             -c shared_buffers=64MB -c log_min_messages=fatal >>{root}/log 2>&1 & \
             server=$!; read word; kill -QUIT $server; wait $server; \
             [ \"$word\" = keep ] || rm -rf {root}",
            fsync = if self.commits == Commits::Durable { "on" } else { "off" },
            bin = self.binaries.display(),
            data = self.data().display(),
            root = self.root.path().display()
        );
        let mut shell = command(&["sh", "-c", &script]);
        let child = shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        *self.keeper.lock().unwrap() = Some(child);
        let began = Instant::now();
        loop {
            let ready = command(&[
                &self.binaries.join("pg_isready").display().to_string(),
                "-q",
                "-h",
                &self.root.path().display().to_string(),
            ])
            .status()
            .unwrap();
            if ready.success() {
                return;
            }
            assert!(began.elapsed() < START_MAX, "the server did not start: {}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Ends the server at once, as a crash does: nothing is written down, everyone is cut off.
    pub fn crash(&self) {
        let mut keeper = self.keeper.lock().unwrap().take().unwrap();
        keeper.stdin.take().unwrap().write_all(b"keep\n").unwrap();
        keeper.wait().unwrap();
    }

    fn log(&self) -> String {
        fs::read_to_string(self.root.path().join("log")).unwrap_or_default()
    }

    pub fn url(&self, database: &str) -> String {
        format!("postgresql:///{database}?host={}&user={USER}", self.root.path().display())
    }

    /// Runs SQL as the server's owner, each text on its own; for making and damaging things.
    pub fn sql(&self, database: &str, text: &str) -> String {
        let done = command(&[
            &self.binaries.join("psql").display().to_string(),
            "-X",
            "-q",
            "-A",
            "-t",
            "-v",
            "ON_ERROR_STOP=1",
            "-h",
            &self.root.path().display().to_string(),
            "-U",
            USER,
            "-d",
            database,
            "-c",
            text,
        ])
        .output()
        .unwrap();
        assert!(done.status.success(), "{text}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap().trim_end().to_owned()
    }

    /// A new database without tables.
    pub async fn empty(&self) -> Database {
        let _one_at_a_time = self.creating.lock().await;
        self.create("template1")
    }

    /// A new database with all tables: a copy of one that was migrated once.
    pub async fn fresh(&self) -> Database {
        let mut is_made = self.creating.lock().await;
        if !*is_made {
            self.sql("postgres", "CREATE DATABASE made");
            let database = Database {
                name: "made".to_owned(),
                url: self.url("made"),
                files: tempfile::tempdir().unwrap(),
            };
            let store = Postgres::connect_unchecked(database.settings(0xFFFF)).await.unwrap();
            store.migrate().await.unwrap();
            drop(store);
            *is_made = true;
        }
        self.create("made")
    }

    fn create(&self, from: &str) -> Database {
        let number = self.databases.fetch_add(1, Ordering::Relaxed);
        let name = format!("test_{number}");
        let begun = Instant::now();
        // Whoever migrated the template may not have hung up yet.
        self.sql(
            "postgres",
            &format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{from}'"),
        );
        self.sql("postgres", &format!("CREATE DATABASE {name} TEMPLATE {from}"));
        assert!(begun.elapsed() < START_MAX);
        Database { url: self.url(&name), name, files: tempfile::tempdir().unwrap() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut keeper) = self.keeper.lock().unwrap().take() {
            drop(keeper.stdin.take());
            drop(keeper.wait());
        }
    }
}

fn binaries() -> Option<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(DIRECTORIES).ok()?.flatten().map(|entry| entry.path().join("bin")).collect();
    found.retain(|path| path.join("initdb").exists());
    found.sort();
    found.pop()
}

/// A data directory as `initdb` leaves it, made once and copied for every server.
fn template(binaries: &Path) -> PathBuf {
    let version = binaries.parent().and_then(Path::file_name).unwrap().to_string_lossy().into_owned();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("postgres-{version}-{}", is_root()));
    let target = folder.join("made");
    if !target.exists() {
        fs::create_dir_all(&folder).unwrap();
        hand_over(&folder);
        let unfinished = folder.join(format!("unfinished-{}", std::process::id()));
        let initdb = shown(&binaries.join("initdb"));
        run(&[
            &initdb,
            "-D",
            &shown(&unfinished),
            "-U",
            USER,
            "-A",
            "trust",
            "--no-sync",
            "-E",
            "UTF8",
            "--locale=C",
        ]);
        // Another test process may have been faster; both made the same.
        if fs::rename(&unfinished, &target).is_err() {
            fs::remove_dir_all(&unfinished).unwrap();
        }
    }
    target
}

fn hand_over(path: &Path) {
    if is_root() {
        let done = Command::new("chown").arg("postgres").arg(path).status().unwrap();
        assert!(done.success());
    }
}

fn run(words: &[&str]) {
    let done = command(words).output().unwrap();
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|data| std::os::unix::fs::MetadataExt::uid(&data) == 0)
}

/// The server refuses to run as root, so root runs it as the user that the packages made for it.
fn command(words: &[&str]) -> Command {
    let mut command = if is_root() {
        let mut command = Command::new("runuser");
        command.args(["-u", "postgres", "--"]).args(words);
        command
    } else {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]);
        command
    };
    command.current_dir("/");
    command
}
