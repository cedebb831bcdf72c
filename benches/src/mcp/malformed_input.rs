//! Malformed input, which is a test of the program; and work that was under way when the client left: it is taken up by
//! the next server and paid for once.

use std::{
    collections::BTreeSet,
    io::{BufRead as _, BufReader},
    path::Path,
    process::Stdio,
    thread,
    time::Duration,
};

use anyhow::{Context as _, ensure};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::session::{ANSWER_LIMIT, McpSession, ProtocolEra, request};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::{
        kill_sweep::{
            installed,
            judge::{KillSweepJudgement, creates, judge},
            memory_folder,
            program::{ProgramInstallation, ids_in},
        },
        parallel_trials::run_in_parallel,
    },
    output,
    rig::{self, ProcessGroup, SimulatorProcess},
    tested::{self, TestedFigure},
};

const MALFORMED: TestedFigure = TestedFigure {
    test: "malformed::malformed_input_never_hangs_crashes_or_fills_the_memory",
    key: "malformed",
    name: "malformed input: hangs, crashes, panics",
    goal: "0: answered afterwards, exit code 0 within 5 s of the end of input, at most 256 MiB",
};

const NAME: &str = "work in flight when a client leaves or dies: lost or paid twice";
const GOAL: &str = "0 lost, 0 paid twice, every server gone within 5 s";
/// A client that closed stdin waits about this long before it sends a signal.
const LEAVES_WITHIN: Duration = Duration::from_secs(5);
const QUESTION: &str = "[[completed duration_ms=700]] why is the sky blue?";
const SIDE_BY_SIDE: usize = 3;
/// From before the server has read the line until after the provider has taken the research, in milliseconds.
const AFTER_MS: [u64; 12] = [0, 5, 10, 20, 40, 60, 100, 150, 250, 400, 600, 900];

/// How the client leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClientExit {
    /// It closes stdin and goes on reading.
    EndOfInput,
    /// It sends SIGTERM, as clients do that have no patience.
    Terminated,
    /// The client's process is killed: both pipes break at once.
    ClientKilled,
}

impl ClientExit {
    const ALL: [Self; 3] = [Self::EndOfInput, Self::Terminated, Self::ClientKilled];
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let mut figures = tested::measure(&[MALFORMED], size)?;
    let (simulator, folder) = (SimulatorProcess::start(&[])?, memory_folder()?);
    figures.push(in_flight(size, &simulator, folder.path())?);
    Ok(figures)
}

fn in_flight(size: MeasurementSize, simulator: &SimulatorProcess, folder: &Path) -> anyhow::Result<Figure> {
    let pauses = AFTER_MS.iter().step_by(size.pick(4, 1)).copied();
    let plan: Vec<(ClientExit, Duration)> =
        pauses.flat_map(|pause| ClientExit::ALL.map(|leave| (leave, Duration::from_millis(pause)))).collect();
    let before = creates(simulator)?;
    let outcomes =
        run_in_parallel("leaving client", SIDE_BY_SIDE, &plan, folder, |(leave, pause), place| {
            Ok((format!("{leave:?} after {pause:?}"), one(*leave, *pause, simulator, place)))
        })?;
    let (cases, mut wrong, mut told, mut unknown) = (outcomes.len(), Vec::new(), 0, 0);
    let mut stored = BTreeSet::new();
    for (name, outcome) in outcomes {
        match outcome {
            Ok((ids, seen)) => {
                told += ids;
                unknown += seen.unknown;
                stored.extend(seen.stored);
                let lines = seen.lost.into_iter().chain(seen.duplicates).chain(seen.untrue);
                wrong.extend(lines.map(|line| format!("{name}: {line}")));
            }
            Err(error) => wrong.push(format!("{name}: {error:#}")),
        }
    }
    let paid = creates(simulator)?.into_keys().filter(|id| !before.contains_key(id) && !stored.contains(id));
    wrong.extend(paid.map(|id| format!("{id} was paid for and is in no store")));
    wrong.iter().for_each(|line| output::progress(line));
    let measured = format!("{} of {cases}", wrong.len());
    let note =
        format!("{told} ids were told before the client was gone, {unknown} researches shown as unknown");
    Ok(Figure::judged(NAME, wrong.is_empty(), measured, GOAL).with_note(note))
}

fn one(
    leave: ClientExit,
    pause: Duration,
    simulator: &SimulatorProcess,
    place: &Path,
) -> anyhow::Result<(usize, KillSweepJudgement)> {
    let program = installed(simulator, place)?;
    let told = match leave {
        ClientExit::ClientKilled => killed(&program, pause, place)?,
        ClientExit::EndOfInput | ClientExit::Terminated => start_and_leave(leave, &program, pause)?,
    };
    finish(&program)?;
    let mut judged = judge(&program, simulator, &told)?;
    // Whoever leaves after everything was on disk must find it done, not in doubt.
    if judged.stored.len() != 1 && pause > Duration::from_millis(500) {
        judged.untrue.push(format!("{} researches on disk", judged.stored.len()));
    }
    Ok((told.len(), judged))
}

fn start_request(id: u64) -> Value {
    let arguments = json!({ "query": QUESTION, "enable_notifications": false });
    let params = json!({ "name": "start_deep_research", "arguments": arguments });
    request(ProtocolEra::EachRequest, id, "tools/call", params)
}

fn start_and_leave(
    leave: ClientExit,
    program: &ProgramInstallation,
    pause: Duration,
) -> anyhow::Result<BTreeSet<String>> {
    let mut session = McpSession::open(&mut program.command(&["mcp"]), ProtocolEra::EachRequest)?;
    session.send(&start_request(1))?;
    thread::sleep(pause);
    let ended = if leave == ClientExit::Terminated {
        session.signal(Signal::TERM);
        session.wait(rig::now(), LEAVES_WITHIN)?
    } else {
        session.end(LEAVES_WITHIN)?
    };
    // A signal that comes before anything is set up ends a process in the system's way.
    let in_the_systems_way = leave == ClientExit::Terminated && pause < Duration::from_millis(100);
    let clean = ended.cleanly() || (in_the_systems_way && ended.in_time && !ended.panicked());
    ensure!(clean, "ended with {} after {:?}: {}", ended.status, ended.took, ended.stderr);
    let lines = ended.lines.iter().map(|line| String::from_utf8_lossy(line));
    Ok(lines.flat_map(|line| ids_in(&line)).collect())
}

/// A shell is the client: it holds the only other ends of the server's pipes and dies by SIGKILL.
fn killed(program: &ProgramInstallation, pause: Duration, place: &Path) -> anyhow::Result<BTreeSet<String>> {
    // The server's number is told when its pipes are open: a client cannot die of it before there is one.
    const CLIENT: &str = r#"mkfifo up down && { "$@" <up >down 2>server.err & } &&
        exec 3>up 4<down && echo $! && printf '%s\n' "$REQUEST" >&3 && while read -r line <&4; do echo "$line"; done"#;
    let server = program.command(&["mcp"]);
    let mut client = rig::command("sh");
    for (name, value) in server.get_envs() {
        match value {
            Some(value) => client.env(name, value),
            None => client.env_remove(name),
        };
    }
    client.args(["-c", CLIENT, "client"]).arg(server.get_program()).args(server.get_args());
    client.current_dir(place).env("REQUEST", start_request(1).to_string());
    let mut group = ProcessGroup::spawn(client.stdout(Stdio::piped()).stderr(Stdio::null()))?;
    let mut lines = BufReader::new(group.child.stdout.take().context("no stdout")?).lines();
    let server: u32 = lines.next().context("the client said nothing")??.trim().parse()?;
    thread::sleep(pause);
    group.child.kill()?;
    let mut told = BTreeSet::new();
    for line in lines {
        told.extend(ids_in(&line?));
    }
    let until = rig::now() + LEAVES_WITHIN;
    while lives(server) {
        ensure!(rig::now() < until, "the server outlived its client by {LEAVES_WITHIN:?}");
        thread::sleep(Duration::from_millis(5));
    }
    let stderr = std::fs::read_to_string(place.join("server.err")).unwrap_or_default();
    ensure!(!stderr.contains("panicked at"), "{stderr}");
    Ok(told)
}

/// Whether the process runs; one that nobody has waited for has ended too.
fn lives(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// The next server takes up what is there, without being asked to.
pub fn finish(program: &ProgramInstallation) -> anyhow::Result<()> {
    let mut session = McpSession::open(&mut program.command(&["mcp"]), ProtocolEra::Handshake)?;
    let listed = session.call_structured("list_research", &json!({ "limit": 50 }), ANSWER_LIMIT)?;
    let rows = listed.get("researches").and_then(Value::as_array).cloned().unwrap_or_default();
    for row in rows {
        let id = row.get("task_id").cloned().unwrap_or_default();
        session.call_structured(
            "check_research_status",
            &json!({ "task_id": id, "wait_seconds": 20 }),
            ANSWER_LIMIT,
        )?;
    }
    let ended = session.end(LEAVES_WITHIN)?;
    ensure!(ended.cleanly(), "the next server ended with {}: {}", ended.status, ended.stderr);
    Ok(())
}
