//! A home of its own, a simulator of its own, and the real binary between them.
#![expect(clippy::disallowed_methods, reason = "tests start the real binary and read the clock")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use probity_simulator::{Simulator, SimulatorHandle, SimulatorOptions, TimeMode, WorldLedger};
pub use probity_testing::figure_size::sized;
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// Longest wait for anything here; a loaded machine is slow, a hanging test is worse.
pub const WAIT_MAX: Duration = Duration::from_secs(60);

/// An address at which nobody listens: what is not simulated is refused at once.
const NOBODY: &str = "127.0.0.1:1";

/// Reported when a test prints it by mistake; `canary.rs` looks for it everywhere.
pub const KEY: &str = "canary-5d41402abc4b2a76";

pub struct World {
    pub home: TempDir,
    simulator: Simulator,
    runtime: Runtime,
}

/// What a finished command left behind.
#[derive(Debug)]
pub struct CommandOutput {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl World {
    /// World time runs ten times faster than ours: a two-second research takes a fifth of a second.
    pub fn new() -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let options =
            SimulatorOptions { time: TimeMode::Real { speed: 10.0 }, ..SimulatorOptions::default() };
        let simulator = runtime.block_on(Simulator::start(options)).unwrap();
        Self { home: TempDir::new().unwrap(), simulator, runtime }
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_probity"));
        command
            .args(arguments)
            .env_clear()
            .env("HOME", self.home.path())
            .env("XDG_CONFIG_HOME", self.home.path().join("config"))
            .env("XDG_DATA_HOME", self.home.path().join("data"))
            .env("PROBITY_WEB__REACH", self.reach())
            // Nobody's desktop is to be told about tests.
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus")
            .env("GEMINI_API_KEY", KEY)
            .env("GOOGLE_GEMINI_BASE_URL", self.simulator.base_url())
            .current_dir(self.home.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Address and port of the simulator.
    fn authority(&self) -> &str {
        self.base_url().trim_start_matches("http://")
    }

    /// The simulator is the whole web; nobody answers behind https.
    pub fn reach(&self) -> String {
        let here = self.authority();
        format!("*:80={here},[3fff::1]:80={here},{here}={here},*:443={NOBODY}")
    }

    pub fn run(&self, arguments: &[&str]) -> CommandOutput {
        finish(self.command(arguments).spawn().unwrap())
    }

    pub fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).spawn().unwrap()
    }

    pub fn ledger(&self) -> WorldLedger {
        self.handle().ledger()
    }

    pub fn handle(&self) -> &SimulatorHandle {
        self.simulator.handle()
    }

    /// Without a slash at the end.
    pub fn base_url(&self) -> &str {
        self.simulator.base_url()
    }

    pub fn data(&self) -> PathBuf {
        self.home.path().join("data/probity")
    }

    /// The one document that a `--json` command printed.
    #[track_caller]
    pub fn json(&self, arguments: &[&str]) -> Value {
        let done = self.run(arguments);
        document(&done)
    }

    /// Waits until a status answer says so.
    #[track_caller]
    pub fn wait_for_status(&self, wanted: &str) -> String {
        let mut last = String::new();
        wait_until(&format!("status {wanted}"), || {
            let listed = self.json(&["runs", "list", "--json"]);
            let first = &listed["researches"][0];
            last = first["task_id"].as_str().unwrap_or_default().to_owned();
            first["status"] == wanted
        });
        last
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.home.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The home's path is different in every run.
    pub fn redacted(&self, text: &str) -> String {
        let text = text.replace(&self.home.path().display().to_string(), "HOME");
        let text = text.replace(self.simulator.base_url(), "BASE_URL");
        redact_ids(&text.replace(self.authority(), "SIMULATOR"))
    }

    pub fn files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        collect(self.home.path(), &mut found);
        found
    }

    /// The simulator runs on this; kept until the world ends.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }
}

pub fn finish(child: Child) -> CommandOutput {
    let output = child.wait_with_output().unwrap();
    CommandOutput {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

#[track_caller]
pub fn document(done: &CommandOutput) -> Value {
    serde_json::from_str(&done.out)
        .unwrap_or_else(|error| panic!("not one JSON document ({error})\n{}\n{}", done.out, done.err))
}

#[track_caller]
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < WAIT_MAX, "waited too long for {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// The id that `research … started` names on stderr, as soon as it is there.
pub fn id_in(text: &str) -> String {
    let start = text.find("res_").expect("an id");
    text[start..].chars().take(36).collect()
}

fn redact_ids(text: &str) -> String {
    let mut redacted = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("res_") {
        let (before, after) = rest.split_at(start);
        redacted.push_str(before);
        let digits = after[4..].chars().take_while(char::is_ascii_hexdigit).count();
        redacted.push_str(if digits == 32 { "res_ID" } else { "res_" });
        rest = &after[4 + if digits == 32 { 32 } else { 0 }..];
    }
    redacted.push_str(rest);
    redacted
}

fn collect(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() { collect(&path, found) } else { found.push(path) }
    }
}

/// The installed Gemini CLI; a notice where there is none.
#[expect(clippy::print_stdout, reason = "a test that was not run says so")]
pub fn gemini_cli() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.tools/gemini-cli/node_modules/.bin");
    let program = fs::canonicalize(folder).ok().map(|folder| folder.join("gemini"));
    let program = program.filter(|program| program.exists());
    if program.is_none() {
        assert!(!is_ci(), "the Gemini CLI is not installed: run .ci/install");
        println!("notice: the Gemini CLI is not installed in .tools/gemini-cli; it was not run");
    }
    program
}

/// Whether what is missing is a failure and not a choice.
fn is_ci() -> bool {
    std::env::var_os("CI").is_some()
}

/// Works off a list with a few threads; a panic in one of them is the test's.
pub fn side_by_side<T: Sync>(threads: usize, plan: &[T], trial: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(planned) = plan.get(next.fetch_add(1, Ordering::Relaxed)) {
                    trial(planned);
                }
            });
        }
    });
}

/// A line that the figures read.
#[expect(clippy::print_stderr, reason = "the figures read it there")]
pub fn figure(key: &str, value: &str) {
    eprintln!("figure: {key} {value}");
}

/// Says what a test could not try on this machine.
#[expect(clippy::print_stderr, reason = "a reader of the test's output should know")]
pub fn notice(text: &str) {
    eprintln!("notice: {text}");
}

pub fn send_signal(child: &Child, signal: rustix::process::Signal) {
    rustix::process::kill_process(rustix::process::Pid::from_child(child), signal).unwrap();
}
