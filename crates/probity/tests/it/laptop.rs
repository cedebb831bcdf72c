//! A laptop notices nothing of the fleet: no engine, no port, no other process.

use std::{fs, path::Path};

use crate::harness::{World, figure};

/// Ports that PostgreSQL and the engine have unless they are moved.
const FLEET_PORTS: [u16; 5] = [5432, 8080, 9070, 9071, 5122];
/// As the kernel writes it.
const LISTENING: &str = "0A";

/// State and remote port of every TCP socket of the process: the numbers of its descriptors against the kernel's tables.
fn sockets(pid: u32) -> Vec<(String, u16)> {
    let process = Path::new("/proc").join(pid.to_string());
    let links =
        fs::read_dir(process.join("fd")).unwrap().filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    let own: Vec<String> = links.map(|link| link.display().to_string()).collect();
    let tables =
        ["net/tcp", "net/tcp6"].map(|table| fs::read_to_string(process.join(table)).unwrap_or_default());
    let lines = tables.iter().flat_map(|table| table.lines().skip(1));
    let fields = lines.map(|line| line.split_whitespace().collect::<Vec<&str>>());
    fields
        .filter(|fields| own.contains(&format!("socket:[{}]", fields[9])))
        .map(|fields| {
            let (_, port) = fields[2].rsplit_once(':').unwrap();
            (fields[3].to_owned(), u16::from_str_radix(port, 16).unwrap())
        })
        .collect()
}

#[test]
fn a_research_that_runs_listens_nowhere_and_starts_nothing() {
    let world = World::new();
    let mut child = world.start(&["research", "[[completed duration_ms=60000]] why is the sky blue?"]);
    world.wait_for_status("running_async");
    let (pid, sockets) = (child.id(), sockets(child.id()));
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    assert!(!sockets.iter().any(|(state, _)| state == LISTENING), "{sockets:?}");
    assert!(!sockets.iter().any(|(_, port)| FLEET_PORTS.contains(port)), "{sockets:?}");
    assert_eq!(children.trim(), "");
    figure("laptop", "0 ports, 0 child processes, 0 connections besides the provider's");
    child.kill().unwrap();
    child.wait().unwrap();
}
