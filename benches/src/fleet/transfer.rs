//! A research that began on a laptop goes on in the fleet, one of the fleet goes on on a laptop, and one goes there and
//! back: each is paid for once and ends once.

use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::Value;

use super::{
    judge,
    test_bed::{FleetTestBed, FleetTestBedOptions, client::question, plain_http},
};
use crate::{
    figure::{Figure, MeasurementSize},
    rig::ChildProcessOutput,
};

const REST_MAX: Duration = Duration::from_secs(120);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunPlace {
    Laptop,
    Fleet,
}

/// Where it begins, the commands that carry it, and where it ends.
const ROUTES: [(RunPlace, &[&str], RunPlace); 3] = [
    (RunPlace::Laptop, &["take"], RunPlace::Fleet),
    (RunPlace::Fleet, &["bring"], RunPlace::Laptop),
    (RunPlace::Laptop, &["take", "bring"], RunPlace::Laptop),
];

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let each: usize = size.pick(1, 5);
    let plan = FleetTestBedOptions::of(1, 1, 1).simulated("slow duration_ms=12000");
    let stand = FleetTestBed::start(&plan)?;
    let mut wrong = Vec::new();
    let mut carried = 0;
    for (from, commands, to) in ROUTES {
        for number in 0..each {
            carried += 1;
            if let Err(error) = carry(&stand, from, commands, to, number) {
                wrong.push(format!("{commands:?} {number}: {error:#}"));
            }
        }
    }
    let twice = judge::creates(&stand)?.into_iter().filter(|(_, paid)| *paid != 1).count();
    Ok(vec![
        Figure::judged(
            "researches carried between a laptop and the fleet while they run: lost, stuck or paid twice",
            wrong.is_empty() && twice == 0,
            format!("{} wrong, {twice} not paid exactly once, of {carried}", wrong.len()),
            "0",
        )
        .with_note(wrong.join("; ")),
    ])
}

fn carry(
    stand: &FleetTestBed,
    from: RunPlace,
    commands: &[&str],
    to: RunPlace,
    number: usize,
) -> anyhow::Result<()> {
    let words = format!("what is carried by {commands:?} {number}?");
    let document = match from {
        // In the background of this machine.
        RunPlace::Laptop => run(stand, &["research", "--detach", "--json", &words])?.json(),
        RunPlace::Fleet => judge::caller(stand)?.ask(0, "POST", "/v1/researches", Some(&question(&words)))?.1,
    };
    let id = document.get("task_id").or_else(|| document.get("id")).and_then(Value::as_str);
    let id = id.with_context(|| format!("it did not start: {document}"))?;
    until(stand, from, id, "running_async")?;
    for command in commands {
        run(stand, &["fleet", command, id])?;
    }
    if to == RunPlace::Laptop {
        run(stand, &["runs", "resume", id])?;
        let status = status(stand, to, id)?;
        ensure!(status == "completed", "here it is {status}");
    }
    until(stand, to, id, "completed")
}

fn until(stand: &FleetTestBed, place: RunPlace, id: &str, wanted: &str) -> anyhow::Result<()> {
    let so = || status(stand, place, id).is_ok_and(|status| status == wanted);
    ensure!(plain_http::until(REST_MAX, so), "{place:?}: not {wanted} but {:?}", status(stand, place, id));
    Ok(())
}

fn status(stand: &FleetTestBed, place: RunPlace, id: &str) -> anyhow::Result<String> {
    if place == RunPlace::Fleet {
        let hex = id.trim_start_matches("res_");
        return stand.database.ask(&format!("SELECT status FROM research WHERE id = decode('{hex}', 'hex')"));
    }
    let document = stand.program.run(&["runs", "show", id, "--json"])?.json();
    document.get("status").and_then(Value::as_str).map(str::to_owned).context("no status")
}

fn run(stand: &FleetTestBed, arguments: &[&str]) -> anyhow::Result<ChildProcessOutput> {
    let done = stand.program.run(arguments)?;
    ensure!(done.status.success(), "`{}`: {}", arguments.join(" "), done.stderr);
    Ok(done)
}
