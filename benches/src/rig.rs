//! What the measurements share: where things are, child processes, what a process used.
#![expect(
    clippy::disallowed_methods,
    reason = "measuring needs real clocks, real processes and the environment"
)]

use std::{
    io::{BufRead, BufReader, Read},
    os::unix::process::{CommandExt, ExitStatusExt},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};

/// The repository this was built from.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// A program that was built beside this one.
pub fn built(name: &str) -> anyhow::Result<PathBuf> {
    let here = std::env::current_exe().context("finding this program")?;
    for folder in here.ancestors().skip(1).take(2) {
        let candidate = folder.join(name);
        if candidate.is_file() {
            return Ok(candidate);
        }
    }
    bail!("`{name}` is not built; run `cargo build --workspace --bins` first")
}

pub fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    Command::new(program)
}

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

pub fn has_program(name: &str) -> bool {
    Command::new("sh")
        .args(["-c", &format!("command -v {name}")])
        .stdout(Stdio::null())
        .status()
        .is_ok_and(|s| s.success())
}

/// Wall time of one call.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let began = Instant::now();
    let value = work();
    (value, began.elapsed())
}

/// Monotonic time now, for measurements that span several calls.
pub fn now() -> Instant {
    Instant::now()
}

/// Most that is kept of one child's stdout or stderr; nothing measured here says more.
const OUTPUT_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// A child that has ended, by itself or because its time was up.
#[derive(Debug)]
pub struct ChildProcessOutput {
    pub status: ExitStatus,
    pub in_time: bool,
    pub stdout: String,
    pub stderr: String,
}

impl ChildProcessOutput {
    pub fn killed(&self) -> bool {
        self.status.signal() == Some(9)
    }

    /// The first JSON document on stdout, or null.
    pub fn json(&self) -> serde_json::Value {
        let mut documents = serde_json::Deserializer::from_str(&self.stdout).into_iter();
        documents.next().and_then(Result::ok).unwrap_or_default()
    }
}

/// A child at the head of a process group of its own; dropping it ends the whole group.
pub struct ProcessGroup {
    pub child: Child,
}

impl ProcessGroup {
    pub fn spawn(command: &mut Command) -> anyhow::Result<Self> {
        let child =
            command.process_group(0).stdin(Stdio::null()).spawn().with_context(|| format!("{command:?}"))?;
        Ok(Self { child })
    }

    /// The same for a child that is talked to: its stdin stays as the command has it.
    pub fn spawn_talking(command: &mut Command) -> anyhow::Result<Self> {
        let child = command.process_group(0).spawn().with_context(|| format!("{command:?}"))?;
        Ok(Self { child })
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        if let Some(pid) = rustix::process::Pid::from_raw(self.child.id().cast_signed()) {
            // The group may have ended by itself.
            rustix::process::kill_process_group(pid, signal).ok();
        }
    }

    pub fn end(&mut self) -> std::io::Result<ExitStatus> {
        if let Some(status) = self.child.try_wait()? {
            return Ok(status);
        }
        self.signal(rustix::process::Signal::KILL);
        self.child.wait()
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.end().ok();
    }
}

/// Runs a command to its end, or to `limit`: then its whole process group is killed.
pub fn run(command: &mut Command, limit: Duration) -> anyhow::Result<ChildProcessOutput> {
    let mut group = ProcessGroup::spawn(command.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    let stdout = group.child.stdout.take().context("no stdout")?;
    let stderr = group.child.stderr.take().context("no stderr")?;
    let stdout = thread::spawn(move || read_all(stdout));
    let stderr = thread::spawn(move || read_all(stderr));
    let until = Instant::now() + limit;
    let mut in_time = true;
    let status = loop {
        if let Some(status) = group.child.try_wait()? {
            break status;
        }
        if Instant::now() >= until {
            in_time = false;
            break group.end()?;
        }
        thread::sleep(Duration::from_millis(3));
    };
    let text = |reader: thread::JoinHandle<String>| reader.join().unwrap_or_default();
    Ok(ChildProcessOutput { status, in_time, stdout: text(stdout), stderr: text(stderr) })
}

/// The first line that contains `word`; what comes after it is read and thrown away, so that nobody waits.
pub fn first_line_with(pipe: impl Read + Send + 'static, word: &str) -> anyhow::Result<String> {
    let mut lines = BufReader::new(pipe);
    let mut line = String::new();
    loop {
        line.clear();
        if lines.read_line(&mut line)? == 0 {
            bail!("no line with `{word}`");
        }
        if line.contains(word) {
            break;
        }
    }
    thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
    Ok(line)
}

fn read_all(pipe: impl Read) -> String {
    let mut bytes = Vec::new();
    // A pipe that breaks has told what it had to tell.
    pipe.take(OUTPUT_BYTES_MAX).read_to_end(&mut bytes).ok();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The simulator as a process of its own, so that its work is not counted as ours.
pub struct SimulatorProcess {
    child: Child,
    pub base_url: String,
}

impl SimulatorProcess {
    pub fn start(arguments: &[&str]) -> anyhow::Result<Self> {
        let mut child = Command::new(built("probity-simulator")?)
            .args(["--listen", "127.0.0.1:0"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .context("starting the simulator")?;
        let stdout = child.stdout.take().context("the simulator has no stdout")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let ready: serde_json::Value = serde_json::from_str(&line).context("the simulator's first line")?;
        let base_url = ready.get("base_url").and_then(|url| url.as_str()).context("no base_url")?.to_owned();
        Ok(Self { child, base_url })
    }

    /// Asks an admin route, such as `ledger` or `stats`.
    pub fn get(&self, route: &str) -> anyhow::Result<serde_json::Value> {
        self.ask("GET", route)
    }

    pub fn post(&self, route: &str) -> anyhow::Result<serde_json::Value> {
        self.ask("POST", route)
    }

    /// One request over a plain socket: a measuring program needs no HTTP library for it.
    fn ask(&self, method: &str, route: &str) -> anyhow::Result<serde_json::Value> {
        use std::io::Write;
        let host = self.base_url.trim_start_matches("http://");
        let mut socket = std::net::TcpStream::connect(host)?;
        socket.set_read_timeout(Some(Duration::from_secs(60)))?;
        write!(
            socket,
            "{method} /simulator/{route} HTTP/1.1\r\nhost: {host}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        )?;
        let mut answer = String::new();
        socket.read_to_string(&mut answer)?;
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        // A chunked body has its sizes on lines of their own; the admin answers are single JSON documents.
        let start = body.find(['{', '[']).unwrap_or(0);
        let end = body.rfind(['}', ']']).map_or(body.len(), |end| end + 1);
        serde_json::from_str(body.get(start..end).unwrap_or("null"))
            .with_context(|| format!("reading {route}: {body}"))
    }
}

impl Drop for SimulatorProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The HTTP client that ours is built on, with nothing around it.
pub fn bare_client() -> anyhow::Result<reqwest::Client> {
    Ok(reqwest::Client::builder().tcp_nodelay(true).build()?)
}

/// What a finished or running process used.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProcessUsage {
    pub cpu: Duration,
    pub resident_bytes: u64,
}

/// CPU time and resident memory of a living process, from /proc.
pub fn used(pid: u32) -> anyhow::Result<ProcessUsage> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let fields: Vec<&str> = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
    let number = |index: usize| fields.get(index).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    let ticks = number(11) + number(12);
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0 kB");
    let kib: u64 = resident.split_whitespace().next().and_then(|text| text.parse().ok()).unwrap_or(0);
    Ok(ProcessUsage { cpu: Duration::from_millis(ticks * 10), resident_bytes: kib * 1024 })
}

/// The value below which `share` of the samples lie.
pub fn percentile(samples: &mut [Duration], share: f64) -> Duration {
    samples.sort_unstable();
    let index = ((samples.len() as f64 * share) as usize).min(samples.len().saturating_sub(1));
    samples.get(index).copied().unwrap_or_default()
}
