//! Lines that no client should send, clients that leave in the middle of a word, and clients that die.
//!
//! Each case runs on a server of its own, before and after the handshake; then all of them in one session,
//! and many lines made by seeded mutation. A valid request afterwards must be answered.

mod in_flight;
mod lines;

pub use self::in_flight::finish;

use std::{path::Path, time::Duration};

use anyhow::{Context as _, ensure};
use serde_json::json;

use self::lines::{MalformedLine, cases};
use super::session::{ANSWER_LIMIT, McpSession, ProtocolEra, ServerExit};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::{
        kill_sweep::{installed, memory_folder, program::ProgramInstallation},
        parallel_trials::run_in_parallel,
    },
    output,
    rig::{self, SimulatorProcess},
    simulation::simulation_random::SimulationRandom,
};

const NAME: &str = "malformed input: hangs, crashes, panics";
const GOAL: &str = "0: answered afterwards, exit code 0 within 5 s of the end of input, at most 256 MiB";
/// A client that closed stdin waits about this long before it sends a signal.
pub const LEAVES_WITHIN: Duration = Duration::from_secs(5);
/// A server at rest has a tenth of this; a line of 16 MiB must not be kept.
const RESIDENT_BYTES_MAX: u64 = 256 * 1024 * 1024;
const SIDE_BY_SIDE: usize = 4;
/// Lines between two looks whether the server still answers. Small enough that no pipe fills up.
const LINES_AT_ONCE: u64 = 25;
/// Any seed will do; a fixed one makes a failure repeatable.
const SEED: u64 = 20_261_115;

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let simulator = SimulatorProcess::start(&[])?;
    let folder = memory_folder()?;
    let mut found = MalformedInputTally::default();
    let plan: Vec<(MalformedLine, InjectionPoint)> =
        cases().into_iter().flat_map(|case| InjectionPoint::ALL.map(|when| (case.clone(), when))).collect();
    let outcomes =
        run_in_parallel("malformed case", SIDE_BY_SIDE, &plan, folder.path(), |(case, when), place| {
            let name = format!("{} ({when:?})", case.name);
            Ok((name, one(case, *when, &installed(&simulator, place)?)))
        })?;
    outcomes.into_iter().for_each(|(name, outcome)| found.add(&name, outcome));
    let program = installed(&simulator, &folder.path().join("all"))?;
    found.add("all in one session", all_in_one(&program));
    let lines = size.pick(500, 5_000);
    found.add("mutated lines", mutated(&program, lines));
    let control = control(folder.path())?;
    for line in &found.wrong {
        output::progress(line);
    }
    let measured = format!("{} of {} cases", found.wrong.len(), found.cases);
    let story = format!("one of them {lines} mutated lines; most memory {} MiB", found.resident_most >> 20);
    let figure = Figure::judged(NAME, found.wrong.is_empty(), measured, GOAL);
    Ok(vec![
        figure.with_note(format!("{story}; {control}")),
        in_flight::measure(size, &simulator, folder.path())?,
    ])
}

/// Where in a session the bad bytes come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InjectionPoint {
    First,
    AfterHandshake,
}

impl InjectionPoint {
    const ALL: [Self; 2] = [Self::First, Self::AfterHandshake];
}

#[derive(Debug, Default)]
struct MalformedInputTally {
    cases: usize,
    wrong: Vec<String>,
    resident_most: u64,
}

impl MalformedInputTally {
    fn add(&mut self, name: &str, outcome: anyhow::Result<u64>) {
        self.cases += 1;
        match outcome {
            Ok(resident) if resident <= RESIDENT_BYTES_MAX => {
                self.resident_most = self.resident_most.max(resident);
            }
            Ok(resident) => self.wrong.push(format!("{name}: {} MiB", resident >> 20)),
            Err(error) => self.wrong.push(format!("{name}: {error:#}")),
        }
    }
}

/// One case on a server of its own; the memory it had at the end.
fn one(case: &MalformedLine, when: InjectionPoint, program: &ProgramInstallation) -> anyhow::Result<u64> {
    let mut session = McpSession::start(&mut program.command(&["mcp"]), ProtocolEra::Handshake)?;
    if when == InjectionPoint::AfterHandshake {
        session.initialize()?;
    }
    session.send_bytes(&case.bytes)?;
    if case.is_cut() {
        return ended_cleanly(&session.end(LEAVES_WITHIN)?).map(|()| 0);
    }
    if when == InjectionPoint::First {
        session.initialize()?;
    }
    answers(&mut session)?;
    let resident = rig::used(session.pid())?.resident_bytes;
    ended_cleanly(&session.end(LEAVES_WITHIN)?)?;
    Ok(resident)
}

fn answers(session: &mut McpSession) -> anyhow::Result<()> {
    let answer = session.call("list_research", &json!({}), ANSWER_LIMIT)?;
    ensure!(answer.get("result").is_some(), "a valid call was answered with {answer}");
    Ok(())
}

fn ended_cleanly(ended: &ServerExit) -> anyhow::Result<()> {
    let ServerExit { status, took, stderr, .. } = ended;
    ensure!(ended.cleanly(), "ended with {status} after {took:?}: {stderr}");
    Ok(())
}

fn all_in_one(program: &ProgramInstallation) -> anyhow::Result<u64> {
    let mut session = McpSession::open(&mut program.command(&["mcp"]), ProtocolEra::Handshake)?;
    for case in cases().iter().filter(|case| !case.is_cut()) {
        session.send_bytes(&case.bytes)?;
        answers(&mut session).with_context(|| format!("after {}", case.name))?;
    }
    let resident = rig::used(session.pid())?.resident_bytes;
    ended_cleanly(&session.end(LEAVES_WITHIN)?)?;
    Ok(resident)
}

/// Lines that were valid before some of their bytes were changed.
fn mutated(program: &ProgramInstallation, lines: u64) -> anyhow::Result<u64> {
    let dice = SimulationRandom::new(SEED);
    let mut session = McpSession::open(&mut program.command(&["mcp"]), ProtocolEra::Handshake)?;
    let mut sent = 0;
    while sent < lines {
        for _ in 0..LINES_AT_ONCE {
            session.send_bytes(&lines::mutated(&dice))?;
        }
        sent += LINES_AT_ONCE;
        answers(&mut session).with_context(|| format!("after {sent} lines of seed {SEED}"))?;
    }
    let resident = rig::used(session.pid())?.resident_bytes;
    ended_cleanly(&session.end(LEAVES_WITHIN)?)?;
    Ok(resident)
}

/// The judge must see a server that hangs, one that dies and one that panics.
fn control(folder: &Path) -> anyhow::Result<String> {
    let scripts = [
        ("hangs", "while :; do sleep 1; done"),
        ("dies", "exit 3"),
        ("panics", "cat >/dev/null; echo \"thread 'main' panicked at x\" >&2"),
    ];
    for (name, script) in scripts {
        let mut command = rig::command("sh");
        command.args(["-c", script]).current_dir(folder);
        let session = McpSession::start(&mut command, ProtocolEra::Handshake)?;
        let ended = session.end(Duration::from_secs(1))?;
        ensure!(ended_cleanly(&ended).is_err(), "the judge is blind: it did not see a server that {name}");
    }
    Ok(format!("control: {} of {} planted failures were seen", scripts.len(), scripts.len()))
}
