//! A CLI that does everything to outlive its question, ended in every way: nothing is left running, nobody
//! hangs, and the server does not grow with what the child prints.
//!
//! Cancelled and killed with the real server; dropped inside this process, through the same door.

mod behaviour;
mod endings;
pub mod processes;

use std::path::PathBuf;

use self::{
    behaviour::CliBehaviour,
    endings::{SupervisionTally, TrialEnding},
};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::{kill_sweep::memory_folder, parallel_trials::run_in_parallel},
    output, rig,
};

const LEFT: &str = "processes left 5 s after a misbehaving CLI was ended by cancel, drop, kill -9 or itself";
const HUNG: &str = "questions that got no end from a misbehaving CLI";
const GROWN: &str = "memory that the server took while a CLI printed without end";
/// Most of a trial is waiting for processes that ignore signals.
const SIDE_BY_SIDE: usize = 4;
/// What a question may take beside the output that is kept of it: lines being cut, JSON being read, the answer on
/// its way to the store, and what the allocator keeps.
const BESIDE_BYTES: u64 = 32 * 1024 * 1024;
const GROWN_MAX: u64 = probity_models::gemini_cli::OUTPUT_BYTES_MAX + BESIDE_BYTES;

/// One behaviour, ended in one way, with one way to run the CLI.
#[derive(Debug, Clone, Copy)]
pub struct SupervisionTrial {
    pub behaviour: CliBehaviour,
    pub ending: TrialEnding,
    pub reuse: &'static str,
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let cli = rig::built("fake-cli")?;
    let folder = memory_folder()?;
    let plan = plan(size);
    let told = run_in_parallel("trial", SIDE_BY_SIDE, &plan, folder.path(), |trial, place| {
        let told = trial.run(&cli, place);
        told.map_err(|error| error.context(format!("{trial:?}")))
    })?;
    let control = control(&cli, folder.path().join("control"))?;
    Ok(figures(&told, &control))
}

fn plan(size: MeasurementSize) -> Vec<SupervisionTrial> {
    let mut plan = Vec::new();
    for _ in 0..size.pick(1, 5) {
        for reuse in ["spawn", "pool"] {
            for behaviour in CliBehaviour::ALL {
                let ending = |ending: &TrialEnding| behaviour.can(*ending);
                plan.extend(TrialEnding::ALL.iter().copied().filter(ending).map(|ending| SupervisionTrial {
                    behaviour,
                    ending,
                    reuse,
                }));
            }
        }
    }
    plan
}

fn figures(told: &[SupervisionTally], control: &str) -> Vec<Figure> {
    let count = |lines: fn(&SupervisionTally) -> &Vec<String>| {
        told.iter().map(|told| lines(told).len()).sum::<usize>()
    };
    for line in told.iter().flat_map(|told| told.left.iter().chain(&told.hung)) {
        output::progress(line);
    }
    let (left, hung) = (count(|told| &told.left), count(|told| &told.hung));
    let most = told.iter().map(|told| told.most).max().unwrap_or_default();
    let slowest = told.iter().map(|told| told.gone_after).max().unwrap_or_default();
    let grown: Vec<u64> = told.iter().filter_map(|told| told.grown_bytes).collect();
    let largest = grown.iter().max().copied().unwrap_or_default();
    let mebibytes = |bytes: u64| bytes as f64 / 1_048_576.0;
    let story = format!(
        "up to {most} processes at once, gone after {:.1} s at the latest; {control}",
        slowest.as_secs_f64()
    );
    let names: Vec<&str> = CliBehaviour::ALL.iter().map(|behaviour| behaviour.script_name()).collect();
    vec![
        Figure::judged(LEFT, left == 0, format!("{left} after {} endings", told.len()), "0").with_note(story),
        Figure::judged(HUNG, hung == 0, format!("{hung} of {}", told.len()), "0")
            .with_note(format!("behaviours: {}", names.join(", "))),
        Figure::judged(
            GROWN,
            !grown.is_empty() && largest <= GROWN_MAX,
            format!("at most {:.0} MiB, {} times a gigabyte or a line without end", mebibytes(largest), grown.len()),
            &format!("at most {:.0} MiB: the output that is read, and 32", mebibytes(GROWN_MAX)),
        )
        .with_note(
            "peak of the server's resident memory beyond its peak before the question, other trials running beside it",
        ),
    ]
}

/// Without a keeper: the child itself is killed, and what it started lives on.
fn control(cli: &std::path::Path, place: PathBuf) -> anyhow::Result<String> {
    std::fs::create_dir_all(&place)?;
    let wish = CliBehaviour::LeaveAndStay.script_name();
    let mut child = rig::command(cli)
        .env("HOME", &place)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        std::io::Write::write_all(&mut input, format!("[[fake {wish}]]").as_bytes())?;
    }
    let both = processes::within(processes::GONE_MAX, || processes::processes_of(&place, None).len() >= 2);
    child.kill()?;
    child.wait()?;
    let left = processes::wait_until_gone(&place, None);
    processes::end_all(&left);
    anyhow::ensure!(both && !left.is_empty(), "the check is blind: nothing survives a plain kill");
    Ok(format!("control: without the keeper {} process survives the kill of its parent", left.len()))
}
