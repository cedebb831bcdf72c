//! Kills at the Nth system call of each kind: which calls a run makes, how often, and which of them to choose.
//!
//! The kill comes before the call is made, so "after a call" is the kill at the next one. A signal cannot lose what
//! the kernel already has: power cuts are measured in `foundation::power_cuts`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::Path,
};

use anyhow::{Context as _, ensure};

use super::KillTally;
use crate::{foundation::parallel_trials::run_in_parallel, output};

/// Calls that read or change something outside the process, and those by which its threads meet.
/// Left out are the ones that only set up memory protection, signals and limits of the process itself.
#[rustfmt::skip]
const KINDS: &[&str] = &[
    "accept4", "access", "bind", "clone", "clone3", "close", "connect", "epoll_ctl", "epoll_pwait",
    "epoll_wait", "eventfd2", "exit_group", "fallocate", "fchmod", "fchown", "chmod", "fcntl", "fdatasync",
    "flock", "fstat", "fsync", "ftruncate", "futex", "getdents64", "getrandom", "ioctl", "lseek", "madvise",
    "mkdir", "mmap", "munmap", "newfstatat", "openat", "pipe2", "poll", "pread64", "pwrite64", "read",
    "recvfrom", "recvmsg", "rename", "renameat", "renameat2", "sendmsg", "sendto", "setsockopt", "shutdown",
    "socket", "socketpair", "statx", "unlink", "unlinkat", "write", "writev",
];

/// The calls around which something becomes durable, is told or is paid for: chosen more densely.
#[rustfmt::skip]
const DENSE: &[&str] = &[
    "connect", "epoll_wait", "fcntl", "fdatasync", "fsync", "futex", "pwrite64", "recvfrom", "sendto",
    "write", "writev",
];
/// How many times more densely.
const DENSITY: u32 = 5;

/// The `when`th call of this kind by one thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KillPoint {
    pub kind: String,
    pub when: u32,
}

impl fmt::Display for KillPoint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.kind, self.when)
    }
}

/// Stories that run side by side; most of one is waiting.
const SIDE_BY_SIDE: usize = 4;

/// How many kills a sweep needs, and how many more it plans: threads do not make the same calls in every run, so some
/// points are never reached.
#[derive(Debug, Clone, Copy)]
pub struct KillCount {
    pub wanted: usize,
    pub slack: f64,
    pub kinds: KindCoverage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KindCoverage {
    /// At least one kill at each kind of call, however few kills are wanted.
    All,
    /// A quick run takes some kinds.
    Some,
}

/// Runs each scenario undisturbed and then once for every chosen point. `trial` carries out one run under strace, with
/// `options(point, …)`, and judges it; the share is that of all points.
pub fn sweep<S: Copy + fmt::Debug + Sync>(
    scenarios: &[(S, f64)],
    count: KillCount,
    folder: &Path,
    trial: impl Fn(S, Option<&KillPoint>, &Path) -> anyhow::Result<KillTally> + Sync,
) -> anyhow::Result<KillTally> {
    let (mut plan, mut total) = (Vec::new(), KillTally::default());
    for (scenario, share) in scenarios {
        let place = folder.join(format!("census-{scenario:?}"));
        let undisturbed =
            trial(*scenario, None, &place).with_context(|| format!("{scenario:?} undisturbed"))?;
        ensure!(undisturbed.kills == 0, "an undisturbed run was killed: {scenario:?}");
        ensure!(
            undisturbed.all_wrong() == 0,
            "the judge sees ghosts: {scenario:?}: {:?}",
            undisturbed.faults
        );
        total.ids.extend(undisturbed.ids);
        let census = census(&place)?;
        let points =
            choose_some(&census, (count.wanted as f64 * share * count.slack).ceil() as usize, count.kinds);
        output::progress(&format!("{scenario:?}: {} kinds of call, {} points", census.len(), points.len()));
        plan.extend(points.into_iter().map(|point| (*scenario, point)));
    }
    let trials = run_in_parallel("kill point", SIDE_BY_SIDE, &plan, folder, |(scenario, point), place| {
        trial(*scenario, Some(point), place).with_context(|| format!("{scenario:?} killed at {point}"))
    })?;
    trials.into_iter().for_each(|tally| total.add(tally));
    total.print_faults();
    Ok(total)
}

/// The options of strace that make the process die at `point`, or that write down all its calls for the census.
pub fn options(point: Option<&KillPoint>, place: &Path) -> Vec<String> {
    let Some(KillPoint { kind, when }) = point else {
        return vec!["-o".to_owned(), place.join(CENSUS).display().to_string()];
    };
    let inject = format!("inject={kind}:signal=SIGKILL:when={when}");
    ["-o", "/dev/null", "-e", &format!("trace={kind}"), "-e", &inject].map(str::to_owned).to_vec()
}

const CENSUS: &str = "census.trace";

/// How often each kind was called in the run below `place`, by the thread that calls it most: strace counts per thread.
pub fn census(place: &Path) -> anyhow::Result<BTreeMap<String, u32>> {
    let trace = place.join(CENSUS);
    let text = std::fs::read(&trace).with_context(|| format!("reading {}", trace.display()))?;
    let counts = count(&String::from_utf8_lossy(&text));
    ensure!(!counts.is_empty(), "strace saw nothing");
    Ok(counts)
}

/// Lines are `PID name(arguments…`; the second half of an interrupted call starts with `<...`.
fn count(trace: &str) -> BTreeMap<String, u32> {
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

fn choose_some(census: &BTreeMap<String, u32>, wanted: usize, kinds: KindCoverage) -> Vec<KillPoint> {
    let points = choose(census, wanted);
    let step = if kinds == KindCoverage::All { 1 } else { (points.len() / wanted.max(1)).max(1) };
    points.into_iter().step_by(step).collect()
}

/// About `wanted` points: every kind is hit, rare kinds at each of their calls, frequent ones at calls
/// spread from the first to the last.
fn choose(census: &BTreeMap<String, u32>, wanted: usize) -> Vec<KillPoint> {
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
