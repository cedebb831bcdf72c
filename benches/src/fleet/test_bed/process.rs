//! One process of the stand: started from a recipe, killed without warning, started again, and what it uses.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs::{File, OpenOptions},
    net::TcpListener,
    path::PathBuf,
    process::{Command, Stdio},
    time::Duration,
};

use anyhow::{Context, bail};

use super::plain_http;
use crate::rig::{self, ProcessGroup};

/// Killed children are gone within moments.
const CHILDREN_GONE_MAX: Duration = Duration::from_secs(5);

/// Free ports of loopback, none of them twice.
///
/// Asked ports stay free until their process starts, unless somebody else of this machine is quicker: such a start
/// fails and says so.
#[derive(Debug, Default)]
pub struct FreePorts {
    given: BTreeSet<u16>,
}

impl FreePorts {
    pub fn free(&mut self) -> anyhow::Result<u16> {
        for _ in 0..100 {
            let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
            if self.given.insert(port) {
                return Ok(port);
            }
        }
        bail!("no free port")
    }
}

/// Where a process lives: in the network of this machine, or in one of its own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ProcessNetwork {
    #[default]
    Loopback,
    Namespace {
        name: String,
        address: String,
    },
}

impl ProcessNetwork {
    /// The address by which others reach what listens there.
    pub fn address(&self) -> &str {
        match self {
            Self::Loopback => "127.0.0.1",
            Self::Namespace { address, .. } => address,
        }
    }

    /// `setpriv` and `ip` become the program, so the process keeps its id; and it dies with the one that measures,
    /// however that one ends.
    fn command(&self, program: &std::path::Path) -> Command {
        let mut command = rig::command("setpriv");
        command.args(["--pdeathsig", "KILL", "--"]);
        if let Self::Namespace { name, .. } = self {
            command.args(["ip", "netns", "exec", name]);
        }
        command.arg(program);
        command
    }
}

/// How a process is started, each time the same.
#[derive(Debug, Clone)]
pub struct ProcessRecipe {
    pub name: String,
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub environment: Vec<(String, String)>,
    pub folder: PathBuf,
    pub place: ProcessNetwork,
}

impl ProcessRecipe {
    fn command(&self) -> anyhow::Result<Command> {
        let mut command = self.place.command(&self.program);
        let log = OpenOptions::new().create(true).append(true).open(self.log())?;
        let errors = File::try_clone(&log)?;
        command
            .args(&self.arguments)
            // Nothing of the machine that measures shall matter, its proxies and keys least of all.
            .env_clear()
            .env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
            .env("LC_ALL", "C.UTF-8")
            .env("HOME", &self.folder)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(&self.folder)
            .stdout(Stdio::from(log))
            .stderr(Stdio::from(errors));
        Ok(command)
    }

    pub fn log(&self) -> PathBuf {
        self.folder.join(format!("{}.log", self.name))
    }
}

/// CPU and memory of a process with all its children.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FleetProcessUsage {
    pub cpu: Duration,
    /// Shared pages are divided among those who share them, so that sums are true.
    pub bytes: u64,
}

impl std::ops::Add for FleetProcessUsage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { cpu: self.cpu + other.cpu, bytes: self.bytes + other.bytes }
    }
}

/// A process of the stand. Dropping it kills it and all its children.
pub struct FleetProcess {
    pub recipe: ProcessRecipe,
    group: Option<ProcessGroup>,
    /// CPU of earlier lives.
    spent: Duration,
}

impl FleetProcess {
    pub fn start(recipe: ProcessRecipe) -> anyhow::Result<Self> {
        let mut part = Self { recipe, group: None, spent: Duration::ZERO };
        part.launch()?;
        Ok(part)
    }

    pub fn name(&self) -> &str {
        &self.recipe.name
    }

    pub fn pid(&self) -> Option<u32> {
        self.group.as_ref().map(|group| group.child.id())
    }

    /// Whether it still runs; one that ended by itself is a finding.
    pub fn is_alive(&mut self) -> bool {
        self.group.as_mut().is_some_and(|group| matches!(group.child.try_wait(), Ok(None)))
    }

    /// Starts it; nothing happens when it runs.
    pub fn launch(&mut self) -> anyhow::Result<()> {
        if self.is_alive() {
            return Ok(());
        }
        let group = ProcessGroup::spawn(&mut self.recipe.command()?);
        self.group = Some(group.with_context(|| format!("starting {}", self.recipe.name))?);
        Ok(())
    }

    /// `kill -9`, children included: those that set up groups of their own would outlive it.
    pub fn kill(&mut self) {
        self.spent += self.used().cpu;
        let Some(mut group) = self.group.take() else { return };
        let children = descendants(group.child.id());
        group.end().ok();
        for pid in &children {
            if let Some(pid) = rustix::process::Pid::from_raw(pid.cast_signed()) {
                // It may have ended with its parent.
                rustix::process::kill_process(pid, rustix::process::Signal::KILL).ok();
            }
        }
        // A successor refuses to start beside them.
        plain_http::until(CHILDREN_GONE_MAX, || children.iter().all(|pid| bytes_of(*pid) == 0));
    }

    /// Asks it to end and waits for that; a process that does not is killed and named.
    pub fn stop(&mut self, limit: Duration) -> anyhow::Result<Duration> {
        let began = rig::now();
        if let Some(group) = self.group.as_mut() {
            if let Some(pid) = rustix::process::Pid::from_raw(group.child.id().cast_signed()) {
                rustix::process::kill_process(pid, rustix::process::Signal::TERM).ok();
            }
            while group.child.try_wait()?.is_none() {
                if began.elapsed() > limit {
                    self.kill();
                    bail!("{} did not end within {limit:?} of being asked", self.recipe.name);
                }
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        self.group = None;
        Ok(began.elapsed())
    }

    /// What it used over all its lives, and the memory it has now.
    pub fn used(&self) -> FleetProcessUsage {
        let Some(pid) = self.pid() else { return FleetProcessUsage { cpu: self.spent, bytes: 0 } };
        let (own, waited) = cpu_of(pid);
        let mut used = FleetProcessUsage { cpu: self.spent + own + waited, bytes: bytes_of(pid) };
        for child in descendants(pid) {
            used = used + FleetProcessUsage { cpu: cpu_of(child).0, bytes: bytes_of(child) };
        }
        used
    }

    /// The end of what it wrote, for messages about what went wrong.
    pub fn log_tail(&self) -> String {
        let lines = self.lines_with(&[""]);
        lines.split_at(lines.len().saturating_sub(12)).1.join("\n")
    }

    /// Lines of its log with one of the words in them: panics, or what must never be written.
    pub fn lines_with(&self, words: &[&str]) -> Vec<String> {
        let text = std::fs::read(self.recipe.log()).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        text.lines().filter(|line| words.iter().any(|word| line.contains(word))).map(str::to_owned).collect()
    }
}

impl Drop for FleetProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Of the process itself, and of its children that have ended.
fn cpu_of(pid: u32) -> (Duration, Duration) {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    // The kernel counts in hundredths of a second.
    let time = |first: usize| Duration::from_millis((ticks(first) + ticks(first + 1)) * 10);
    (time(11), time(13))
}

fn bytes_of(pid: u32) -> u64 {
    let rollup = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let share = rollup.lines().find_map(|line| line.strip_prefix("Pss:")).unwrap_or_default();
    let kib: u64 = share.split_whitespace().next().and_then(|text| text.parse().ok()).unwrap_or(0);
    kib * 1024
}

/// All living processes below this one.
fn descendants(pid: u32) -> Vec<u32> {
    let Ok(folder) = std::fs::read_dir("/proc") else { return Vec::new() };
    let parents: Vec<(u32, u32)> = folder
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|child: u32| {
            let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).ok()?;
            let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
            Some((child, parent))
        })
        .collect();
    let mut found = vec![pid];
    let mut looked = 0;
    while let Some(parent) = found.get(looked).copied() {
        found.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(child, _)| *child));
        looked += 1;
    }
    found.split_off(1)
}
