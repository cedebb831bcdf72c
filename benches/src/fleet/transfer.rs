//! A research that began on a laptop goes on in the fleet, one of the fleet goes on on a laptop, and one goes there and
//! back: each is paid for once and ends once.

use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::Value;

use super::{
    judge,
    test_bed::{FleetTestBed, FleetTestBedOptions, client::question, plain_http},
};
use crate::figure::{Figure, MeasurementSize};

const REST_MAX: Duration = Duration::from_secs(120);

/// Where it begins and whether it comes back.
#[derive(Debug, Clone, Copy)]
enum TransferRoute {
    ToTheFleet,
    ToTheLaptop,
    ThereAndBack,
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let each: usize = size.pick(1, 5);
    let plan = judge::unlimited(FleetTestBedOptions::of(1, 1, 1)).simulated("slow duration_ms=12000");
    let stand = FleetTestBed::start(&plan)?;
    let mut wrong = Vec::new();
    let mut carried = 0;
    for way in [TransferRoute::ToTheFleet, TransferRoute::ToTheLaptop, TransferRoute::ThereAndBack] {
        for number in 0..each {
            carried += 1;
            if let Err(error) = carry(&stand, way, number) {
                wrong.push(format!("{way:?} {number}: {error:#}"));
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

fn carry(stand: &FleetTestBed, way: TransferRoute, number: usize) -> anyhow::Result<()> {
    let words = format!("what is carried {way:?} {number}?");
    match way {
        TransferRoute::ToTheFleet => {
            let id = start_on_laptop(stand, &words)?;
            verb(stand, &["fleet", "take", &id])?;
            finish_in_fleet(stand, &id)
        }
        TransferRoute::ToTheLaptop => {
            let id = start_in_fleet(stand, &words)?;
            verb(stand, &["fleet", "bring", &id])?;
            finish_on_laptop(stand, &id)
        }
        TransferRoute::ThereAndBack => {
            let id = start_on_laptop(stand, &words)?;
            verb(stand, &["fleet", "take", &id])?;
            verb(stand, &["fleet", "bring", &id])?;
            finish_on_laptop(stand, &id)
        }
    }
}

/// Started in the background of this machine, and running at the provider.
fn start_on_laptop(stand: &FleetTestBed, words: &str) -> anyhow::Result<String> {
    let started = stand.program.run(&["research", "--detach", "--json", words])?;
    let document: Value = serde_json::from_str(&started.stdout)
        .with_context(|| format!("{}{}", started.stdout, started.stderr))?;
    let id = document.get("task_id").and_then(Value::as_str).context("no id")?.to_owned();
    let runs = || laptop_status(stand, &id).is_ok_and(|status| status == "running_async");
    ensure!(plain_http::until(REST_MAX, runs), "it did not start: {:?}", laptop_status(stand, &id));
    Ok(id)
}

fn start_in_fleet(stand: &FleetTestBed, words: &str) -> anyhow::Result<String> {
    let caller = judge::caller(stand)?;
    let (status, document) = caller.ask(0, "POST", "/v1/researches", Some(&question(words)))?;
    let id = document.get("id").and_then(Value::as_str).with_context(|| format!("{status} {document}"))?;
    let runs = || fleet_status(stand, id).is_ok_and(|status| status == "running_async");
    ensure!(plain_http::until(REST_MAX, runs), "it did not start: {:?}", fleet_status(stand, id));
    Ok(id.to_owned())
}

fn finish_on_laptop(stand: &FleetTestBed, id: &str) -> anyhow::Result<()> {
    verb(stand, &["runs", "resume", id])?;
    ensure!(laptop_status(stand, id)? == "completed", "here it is {:?}", laptop_status(stand, id));
    Ok(())
}

fn finish_in_fleet(stand: &FleetTestBed, id: &str) -> anyhow::Result<()> {
    let done = || fleet_status(stand, id).is_ok_and(|status| status == "completed");
    ensure!(plain_http::until(REST_MAX, done), "in the fleet it is {:?}", fleet_status(stand, id));
    Ok(())
}

fn laptop_status(stand: &FleetTestBed, id: &str) -> anyhow::Result<String> {
    let shown = stand.program.run(&["runs", "show", id, "--json"])?;
    let document: Value =
        serde_json::from_str(&shown.stdout).with_context(|| format!("{}{}", shown.stdout, shown.stderr))?;
    document.get("status").and_then(Value::as_str).map(str::to_owned).context("no status")
}

fn fleet_status(stand: &FleetTestBed, id: &str) -> anyhow::Result<String> {
    let hex = id.trim_start_matches("res_");
    let sql = format!("SELECT status FROM research WHERE id = decode('{hex}', 'hex')");
    Ok(stand.database.ask(&sql)?.trim().to_owned())
}

fn verb(stand: &FleetTestBed, arguments: &[&str]) -> anyhow::Result<()> {
    let done = stand.program.run(arguments)?;
    ensure!(done.status.success(), "`{}`: {}", arguments.join(" "), done.stderr);
    Ok(())
}
