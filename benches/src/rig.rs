//! What the measurements share: where things are, child processes, what a process used.
#![expect(
    clippy::disallowed_methods,
    reason = "measuring needs real clocks, real processes and the environment"
)]

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
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

/// The simulator as a process of its own, so that its work is not counted as ours.
pub struct Simulator {
    child: Child,
    pub base_url: String,
}

impl Simulator {
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
        use std::io::{Read, Write};
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

impl Drop for Simulator {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a finished or running process used.
#[derive(Debug, Clone, Copy, Default)]
pub struct Used {
    pub cpu: Duration,
    pub resident_bytes: u64,
}

/// CPU time and resident memory of a living process, from /proc.
pub fn used(pid: u32) -> anyhow::Result<Used> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let fields: Vec<&str> = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
    let number = |index: usize| fields.get(index).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    let ticks = number(11) + number(12);
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0 kB");
    let kib: u64 = resident.split_whitespace().next().and_then(|text| text.parse().ok()).unwrap_or(0);
    Ok(Used { cpu: Duration::from_millis(ticks * 10), resident_bytes: kib * 1024 })
}

/// The value below which `share` of the samples lie.
pub fn percentile(samples: &mut [Duration], share: f64) -> Duration {
    samples.sort_unstable();
    let index = ((samples.len() as f64 * share) as usize).min(samples.len().saturating_sub(1));
    samples.get(index).copied().unwrap_or_default()
}
