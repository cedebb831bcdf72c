//! Networks that break between the parts of a fleet: packets vanish, nobody is told, and after a while they pass
//! again. The parts live in networks of their own, joined by a bridge.

use std::{collections::BTreeSet, time::Duration};

use serde::{Deserialize, Serialize};

use super::{
    judge,
    kills::load::FleetLoad,
    test_bed::{FleetTestBed, FleetTestBedOptions, network::BridgedNetwork, process::ProcessNetwork},
};
use crate::{
    figure::{Figure, MeasurementSize},
    output, rig,
};

const NODES: usize = 3;
const WORKERS: usize = 2;
const FRONT_ENDS: usize = 2;
const NAME: &str = "fleet: networks cut between parts under load";
const GOAL: &str = "0 lost, 0 paid twice, 0 untrue; recovers by itself";
/// Everything together, with room for a busy machine.
const WORK_MAX: Duration = Duration::from_secs(1_500);
/// Longer than most timeouts on the way and shorter than a lease; then longer than a lease: somebody else takes over, and
/// the one who was away comes back.
const CUTS: [Duration; 2] = [Duration::from_secs(12), Duration::from_secs(45)];
const RECOVERY_MAX: Duration = Duration::from_secs(180);
const REST_MAX: Duration = Duration::from_secs(300);

/// What the process in its own network found.
#[derive(Debug, Default, Serialize, Deserialize)]
struct PartitionOutcome {
    cuts: usize,
    told: usize,
    clean: bool,
    words: String,
    examples: String,
    /// Each cut with the seconds until everything worked again after it was mended.
    recoveries: Vec<(String, f64)>,
    not_recovered: Vec<String>,
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    // Not in CI: networks of their own take minutes.
    if size == MeasurementSize::Quick {
        return Ok(Vec::new());
    }
    for program in ["unshare", "ip", "nft"] {
        if !rig::has_program(program) {
            return Ok(vec![Figure::skipped(NAME, GOAL, &format!("`{program}` is not installed"))]);
        }
    }
    if !rig::is_root() {
        return Ok(vec![Figure::skipped(NAME, GOAL, "networks of their own need root")]);
    }
    let mut command = rig::command("unshare");
    command
        .args(["--net", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"])
        .arg(rig::built("figures")?);
    command.args(["fleet-worker", "--", "partitions"]);
    let finished = rig::run(&mut command, WORK_MAX)?;
    let Ok(outcome) = serde_json::from_str::<PartitionOutcome>(&finished.stdout) else {
        anyhow::bail!("the measurement in its own network said: {}{}", finished.stdout, finished.stderr)
    };
    let times: Vec<String> =
        outcome.recoveries.iter().map(|(cut, seconds)| format!("{cut}: {seconds:.1} s")).collect();
    Ok(vec![
        Figure::judged(
            NAME,
            outcome.clean && outcome.not_recovered.is_empty() && outcome.told > 0,
            format!("{} cuts, {} ids told: {}", outcome.cuts, outcome.told, outcome.words),
            GOAL,
        )
        .with_note(format!(
            "working again after mending: {}; {}{}",
            times.join(", "),
            outcome.not_recovered.join(" | "),
            outcome.examples
        )),
    ])
}

/// In a network of its own.
pub fn work() -> anyhow::Result<()> {
    let plan =
        FleetTestBedOptions::of(NODES, WORKERS, FRONT_ENDS).simulated("completed duration_ms=3000 steps=3");
    let network = BridgedNetwork::build(FleetTestBed::places_of(&plan))?;
    let stand = FleetTestBed::start_in(&plan, &network)?;
    let caller = judge::caller(&stand)?;
    let load = FleetLoad::begin(caller.clone(), 4);
    let mut outcome = PartitionOutcome::default();
    for (name, pairs) in cuts(&network)? {
        for cut in CUTS {
            std::thread::sleep(Duration::from_secs(2));
            for (one, other) in &pairs {
                network.cut(one, other)?;
            }
            std::thread::sleep(cut);
            network.heal()?;
            outcome.cuts += 1;
            let began = rig::now();
            match load.goes_on(&stand, load.progress(&stand), RECOVERY_MAX) {
                true => outcome.recoveries.push((name.clone(), began.elapsed().as_secs_f64())),
                false => outcome.not_recovered.push(format!("nothing moves after {name}")),
            }
            output::progress(&format!("{name}: {:?}", outcome.recoveries.last()));
        }
    }
    let (judged, seen) = load.judged(&stand, &caller, REST_MAX)?;
    outcome.told = seen.told.len();
    outcome.clean = judged.is_clean();
    outcome.words = judged.words();
    outcome.examples = judged.examples();
    output::line(&serde_json::to_string(&outcome)?);
    Ok(())
}

type PartitionCut = (String, Vec<(ProcessNetwork, ProcessNetwork)>);

/// Which connections are cut together, by name. Places are in the order of the stand: database, simulator, nodes,
/// workers, front ends.
fn cuts(network: &BridgedNetwork) -> anyhow::Result<Vec<PartitionCut>> {
    let places = |numbers: std::ops::Range<usize>| {
        numbers.map(|number| network.place(number)).collect::<anyhow::Result<Vec<_>>>()
    };
    let (database, provider) = (network.place(0)?, network.place(1)?);
    let nodes = places(2..2 + NODES)?;
    let workers = places(2 + NODES..2 + NODES + WORKERS)?;
    let front_ends = places(2 + NODES + WORKERS..2 + NODES + WORKERS + FRONT_ENDS)?;
    let all: Vec<ProcessNetwork> =
        [vec![database.clone()], nodes.clone(), workers.clone(), front_ends.clone()].concat();
    let between = |one: &[ProcessNetwork],
                   other: &[ProcessNetwork]|
     -> Vec<(ProcessNetwork, ProcessNetwork)> {
        let pairs = one.iter().flat_map(|one| other.iter().map(move |other| (one.clone(), other.clone())));
        let mut seen = BTreeSet::new();
        pairs.filter(|(one, other)| one != other && seen.insert(format!("{one:?}{other:?}"))).collect()
    };
    let first = |places: &[ProcessNetwork]| places.iter().take(1).cloned().collect::<Vec<_>>();
    let database = [database];
    let cut = |name: &str, pairs| (name.to_owned(), pairs);
    Ok(vec![
        cut("one worker from the database", between(&first(&workers), &database)),
        cut("one worker from all engine nodes", between(&first(&workers), &nodes)),
        cut("all workers from the provider", between(&workers, &[provider])),
        cut("one engine node from everything", between(&first(&nodes), &all)),
        cut("one front end from the database", between(&first(&front_ends), &database)),
        cut("one front end from all engine nodes", between(&first(&front_ends), &nodes)),
        cut("the database from everything", between(&database, &all)),
        cut("engine nodes from each other", between(&nodes, &nodes)),
        cut("one worker from everything", between(&first(&workers), &all)),
        cut("all workers from all engine nodes", between(&workers, &nodes)),
    ])
}
