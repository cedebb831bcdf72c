//! What processes use: CPU time and resident memory, from /proc.

use serde::Serialize;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ProcessSample {
    pub cpu_ms: u64,
    pub resident_kib: u64,
}

/// Nothing for a process that has ended.
pub fn used(pid: u32) -> ProcessSample {
    let read = |name: &str| std::fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap_or_default();
    let stat = read("stat");
    let fields: Vec<&str> = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    let status = read("status");
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    let resident_kib = resident.split_whitespace().next().and_then(|text| text.parse().ok()).unwrap_or(0);
    // The kernel counts in hundredths of a second.
    ProcessSample { cpu_ms: (ticks(11) + ticks(12)) * 10, resident_kib }
}
