//! A laptop notices nothing of the fleet: no engine, no port, no other process, and the program starts as quickly.

use std::{process::Stdio, time::Duration};

use anyhow::Context;

use crate::{
    figure::{Figure, MeasurementSize},
    foundation::kill_sweep::program::{ForegroundRun, ProgramInstallation},
    rig::{self, SimulatorProcess},
};

/// The first word of the program is there after this on an idle machine.
const START_GOAL: Duration = Duration::from_millis(60);
const START_RATIO_GOAL: f64 = 1.1;

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    Ok(vec![alone()?, start(size)?])
}

/// While a research runs: what listens, and which processes there are.
fn alone() -> anyhow::Result<Figure> {
    let simulator = SimulatorProcess::start(&[])?;
    let folder = tempfile::tempdir()?;
    let program = ProgramInstallation::new(&simulator.base_url, folder.path(), &folder.path().join("data"))?;
    let running = ForegroundRun::start(&program, "[[completed duration_ms=3000]] why is the sky blue?")?;
    std::thread::sleep(Duration::from_millis(800));
    let pid = running.group.child.id();
    let listening = listening(pid)?;
    let children = children(pid)?;
    let files = engine_files(pid)?;
    Ok(Figure::judged(
        "laptop mode: ports, child processes and connections to an engine or a database while a research runs",
        listening == 0 && children.is_empty() && files == 0,
        format!("{listening} ports, {} child processes, {files} connections besides the provider's", children.len()),
        "0",
    )
    .with_note(children.join(", ")))
}

/// Sockets of this process, from /proc: inode numbers of its descriptors against the table of sockets.
fn sockets(pid: u32) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(format!("/proc/{pid}/fd"))?.flatten() {
        if let Ok(target) = std::fs::read_link(entry.path()) {
            let target = target.display().to_string();
            found.extend(
                target.strip_prefix("socket:[").and_then(|rest| rest.strip_suffix(']')).map(str::to_owned),
            );
        }
    }
    Ok(found)
}

/// `(state, remote port)` of every TCP socket of the process.
fn connections(pid: u32) -> anyhow::Result<Vec<(String, u16)>> {
    let own = sockets(pid)?;
    let mut found = Vec::new();
    for table in ["tcp", "tcp6"] {
        let text = std::fs::read_to_string(format!("/proc/{pid}/net/{table}")).unwrap_or_default();
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let (Some(remote), Some(state), Some(inode)) = (fields.get(2), fields.get(3), fields.get(9))
            else {
                continue;
            };
            let port =
                remote.rsplit_once(':').and_then(|(_, port)| u16::from_str_radix(port, 16).ok()).unwrap_or(0);
            if own.iter().any(|own| own == inode) {
                found.push(((*state).to_owned(), port));
            }
        }
    }
    Ok(found)
}

fn listening(pid: u32) -> anyhow::Result<usize> {
    Ok(connections(pid)?.iter().filter(|(state, _)| state == "0A").count())
}

/// Ports that PostgreSQL and the engine have unless they are moved.
fn engine_files(pid: u32) -> anyhow::Result<usize> {
    let known = [5432, 8080, 9070, 9071, 5122];
    Ok(connections(pid)?.iter().filter(|(_, port)| known.contains(port)).count())
}

fn children(pid: u32) -> anyhow::Result<Vec<String>> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    let names = text.split_whitespace().map(|child| {
        std::fs::read_to_string(format!("/proc/{child}/comm")).unwrap_or_default().trim().to_owned()
    });
    Ok(names.collect())
}

/// Time from the start of the process to its version on stdout, the middle of many; beside the release before the
/// fleet where `target/previous/probity` is one, taking turns so that both meet the same machine.
fn start(size: MeasurementSize) -> anyhow::Result<Figure> {
    let name = "laptop mode: start of the program, fleet code included";
    let binary = rig::built("probity")?;
    let before = Some(rig::repository().join("target/previous/probity")).filter(|path| path.is_file());
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..size.pick(15, 60) {
        ours.push(once(&binary)?);
        if let Some(before) = &before {
            theirs.push(once(before)?);
        }
    }
    let half = rig::percentile(&mut ours, 0.5);
    let bytes = std::fs::metadata(&binary)?.len() / 1_000_000;
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    if before.is_some() {
        let other = rig::percentile(&mut theirs, 0.5);
        let ratio = ms(half) / ms(other).max(0.001);
        let measured = format!(
            "{ratio:.2} times ({:.1} ms against {:.1} ms), a binary of {bytes} MB",
            ms(half),
            ms(other)
        );
        return Ok(Figure::judged(
            name,
            ratio <= START_RATIO_GOAL,
            measured,
            "at most 1.1 times the release before it",
        )
        .timing());
    }
    let measured = format!("{:.1} ms, a binary of {bytes} MB", ms(half));
    Ok(Figure::judged(name, half <= START_GOAL, measured, "at most 60 ms").timing())
}

fn once(binary: &std::path::Path) -> anyhow::Result<Duration> {
    let (status, time) = rig::timed(|| rig::command(binary).arg("--version").stdout(Stdio::null()).status());
    anyhow::ensure!(status.context("starting the program")?.success(), "`--version` failed");
    Ok(time)
}
