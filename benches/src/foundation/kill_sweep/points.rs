//! Where to kill: which system calls a run makes, how often, and which of them to choose.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use anyhow::{Context, bail};

use super::program::{COMMAND_LIMIT, ProgramInstallation};
use crate::rig;

/// Calls that read or change something outside the process, and those by which its threads meet.
/// Left out are the ones that only set up memory protection, signals and limits of the process itself.
const KINDS: &[&str] = &[
    "accept4",
    "access",
    "bind",
    "clone",
    "clone3",
    "close",
    "connect",
    "epoll_ctl",
    "epoll_pwait",
    "epoll_wait",
    "eventfd2",
    "exit_group",
    "fallocate",
    "fchmod",
    "fchown",
    "chmod",
    "fcntl",
    "fdatasync",
    "flock",
    "fstat",
    "fsync",
    "ftruncate",
    "futex",
    "getdents64",
    "getrandom",
    "ioctl",
    "lseek",
    "madvise",
    "mkdir",
    "mmap",
    "munmap",
    "newfstatat",
    "openat",
    "pipe2",
    "poll",
    "pread64",
    "pwrite64",
    "read",
    "recvfrom",
    "recvmsg",
    "rename",
    "renameat",
    "renameat2",
    "sendmsg",
    "sendto",
    "setsockopt",
    "shutdown",
    "socket",
    "socketpair",
    "statx",
    "unlink",
    "unlinkat",
    "write",
    "writev",
];

/// The calls around which something becomes durable, is told or is paid for: chosen more densely.
const DENSE: &[&str] = &[
    "connect",
    "epoll_wait",
    "fcntl",
    "fdatasync",
    "fsync",
    "futex",
    "pwrite64",
    "recvfrom",
    "sendto",
    "write",
    "writev",
];
/// How many times more densely.
const DENSITY: u32 = 5;

/// The `when`th call of this kind by one thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KillPoint {
    pub kind: String,
    pub when: u32,
}

impl KillPoint {
    /// The options of strace that make the process die there.
    pub fn options(&self) -> Vec<String> {
        let Self { kind, when } = self;
        ["-o", "/dev/null", "-e", &format!("trace={kind}"), "-e"]
            .iter()
            .map(|word| (*word).to_owned())
            .chain([format!("inject={kind}:signal=SIGKILL:when={when}")])
            .collect()
    }
}

/// How often each kind is called in an undisturbed run, by the thread that calls it most: strace counts
/// per thread.
pub fn census(
    program: &ProgramInstallation,
    arguments: &[&str],
    scratch: &Path,
) -> anyhow::Result<BTreeMap<String, u32>> {
    let trace = scratch.join("census.trace");
    let options = ["-o".to_owned(), trace.display().to_string()];
    let finished = rig::run(&mut program.traced(&options, arguments), COMMAND_LIMIT)?;
    if !finished.in_time {
        bail!("an undisturbed run did not end: {}", finished.stderr);
    }
    let text = std::fs::read(&trace).with_context(|| format!("reading {}", trace.display()))?;
    let counts = count(&String::from_utf8_lossy(&text));
    if counts.is_empty() {
        bail!("strace saw nothing: {}", finished.stderr);
    }
    Ok(counts)
}

/// Lines are `PID name(arguments…`; the second half of an interrupted call starts with `<...`.
pub fn count(trace: &str) -> BTreeMap<String, u32> {
    let mut by_thread: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    for line in trace.lines() {
        let Some((thread, rest)) = line.split_once(' ') else { continue };
        let Some((name, _)) = rest.trim_start().split_once('(') else { continue };
        if KINDS.contains(&name) {
            *by_thread.entry((thread, name)).or_default() += 1;
        }
    }
    let mut most: BTreeMap<String, u32> = BTreeMap::new();
    for ((_, name), calls) in by_thread {
        let known = most.entry(name.to_owned()).or_default();
        *known = calls.max(*known);
    }
    most
}

/// About `wanted` points: every kind is hit, rare kinds at each of their calls, frequent ones at calls
/// spread from the first to the last.
pub fn choose(census: &BTreeMap<String, u32>, wanted: usize) -> Vec<KillPoint> {
    let mut share = 0_u32;
    let places = |kind: &str, calls: u32, share: u32| {
        calls.min(if DENSE.contains(&kind) { share.saturating_mul(DENSITY) } else { share })
    };
    let chosen =
        |share: u32| census.iter().map(|(kind, calls)| places(kind, *calls, share) as usize).sum::<usize>();
    let all = chosen(u32::MAX);
    while chosen(share) < wanted.min(all) {
        share += 1;
    }
    let mut points = Vec::new();
    for (kind, calls) in census {
        let places = places(kind, *calls, share);
        let spread: BTreeSet<u32> = (0..places)
            // A single place lies past the middle: first calls belong to the start of the program.
            .map(|place| if places == 1 { 1 + calls * 2 / 3 } else { 1 + place * (calls - 1) / (places - 1) })
            .map(|when| when.min(*calls))
            .collect();
        points.extend(spread.into_iter().map(|when| KillPoint { kind: kind.clone(), when }));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::{choose, count};

    #[test]
    fn calls_are_counted_per_thread_and_halves_once() {
        let trace = "7 read(3, \"a\") = 1\n7 read(3 <unfinished ...>\n8  read(4) = 0\n7 <... read resumed>) = 0\n7 brk(0) = 0\n";
        assert_eq!(count(trace).into_iter().collect::<Vec<_>>(), [("read".to_owned(), 2)]);
    }

    #[test]
    fn every_kind_is_hit_from_its_first_to_its_last_call() {
        let census = [("read".to_owned(), 100), ("fsync".to_owned(), 2)].into_iter().collect();
        let points: Vec<String> =
            choose(&census, 7).into_iter().map(|point| format!("{}:{}", point.kind, point.when)).collect();
        assert_eq!(points, ["fsync:1", "fsync:2", "read:1", "read:25", "read:50", "read:75", "read:100"]);
    }
}
