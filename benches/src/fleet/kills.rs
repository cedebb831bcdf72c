//! `kill -9` of workers, front ends, engine nodes and the database in random order under load: nothing is lost,
//! nothing is paid twice, and nobody is told something that is not so.

pub mod load;

use std::{collections::BTreeMap, time::Duration};

use self::load::FleetLoad;
use super::{
    judge::{self, FleetJudgement},
    test_bed::{FleetPart, FleetTestBed, FleetTestBedOptions, FrontEndProcess},
};
use crate::{
    figure::{Figure, MeasurementSize},
    output, rig,
    simulation::simulation_random::SimulationRandom,
};

const NODES: usize = 3;
const WORKERS: usize = 3;
const FRONT_ENDS: usize = 2;
/// How long a part stays away: from a supervisor that restarts at once to a machine that boots.
const AWAY_MS: std::ops::Range<u64> = 200..3_000;
/// Undisturbed time between two kills; less and the parts would never be up together.
const CALM_MS: std::ops::Range<u64> = 500..3_000;
/// Everything works again within this after a kill, or it does not recover by itself.
const RECOVERY_MAX: Duration = Duration::from_secs(120);
const REST_MAX: Duration = Duration::from_secs(300);
/// One part in so many kills is two at once.
const DOUBLE_PERCENT: u64 = 15;

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let kills: usize = size.pick(8, 60);
    let plan =
        FleetTestBedOptions::of(NODES, WORKERS, FRONT_ENDS).simulated("completed duration_ms=3000 steps=3");
    let mut stand = FleetTestBed::start(&plan)?;
    let caller = judge::caller(&stand)?;
    let load = FleetLoad::begin(caller.clone(), size.pick(4, 12));
    let dice = SimulationRandom::new(7);
    let mut recoveries: BTreeMap<&'static str, Vec<Duration>> = BTreeMap::new();
    let mut done = 0;
    while done < kills {
        std::thread::sleep(Duration::from_millis(dice.within(CALM_MS)));
        let mut victims = vec![victim(&dice)];
        if dice.chance(DOUBLE_PERCENT) {
            victims.extend(Some(victim(&dice)).filter(|second| !victims.contains(second)));
        }
        let took = kill(&mut stand, &load, &victims, &dice)?;
        for which in &victims {
            recoveries.entry(kind(*which)).or_default().push(took);
        }
        done += victims.len();
        output::progress(&format!("{done} kills, {victims:?}: back in {:.1} s", took.as_secs_f64()));
    }
    let (judged, seen) = load.judged(&stand, &caller, REST_MAX)?;
    Ok(figures(&judged, done, seen.told.len(), seen.watched, recoveries))
}

fn figures(
    judged: &FleetJudgement,
    kills: usize,
    told: usize,
    watched: u64,
    mut recoveries: BTreeMap<&'static str, Vec<Duration>>,
) -> Vec<Figure> {
    let times: Vec<String> = recoveries
        .iter_mut()
        .map(|(kind, times)| {
            let half = rig::percentile(times, 0.5).as_secs_f64();
            let most = rig::percentile(times, 1.0).as_secs_f64();
            format!("{kind}: {} kills, back in {half:.1} s (at most {most:.1} s)", times.len())
        })
        .collect();
    let most = recoveries.values().flatten().max().copied().unwrap_or_default();
    vec![
        Figure::judged(
            "fleet: kill -9 of workers, front ends, engine nodes and PostgreSQL in random order under load",
            judged.is_clean() && told > 0,
            format!("{kills} kills, {told} ids told: {}", judged.words()),
            "0 lost, 0 paid twice, 0 untrue",
        )
        .with_note(format!("{watched} statuses read meanwhile; {}", judged.examples())),
        Figure::judged(
            "fleet: time until researches complete again after a kill",
            most <= RECOVERY_MAX,
            format!("at most {:.1} s", most.as_secs_f64()),
            "printed; by itself",
        )
        .timing()
        .with_note(times.join("; ")),
    ]
}

fn victim(dice: &SimulationRandom) -> FleetPart {
    match dice.within(0..10) {
        0..3 => FleetPart::Worker(dice.within(0..WORKERS as u64) as usize),
        3..5 => FleetPart::FrontEnd(dice.within(0..FRONT_ENDS as u64) as usize),
        5..8 => FleetPart::Node(dice.within(0..NODES as u64) as usize),
        _ => FleetPart::Database,
    }
}

fn kind(which: FleetPart) -> &'static str {
    match which {
        FleetPart::Node(_) => "engine node",
        FleetPart::Database => "PostgreSQL",
        FleetPart::Worker(_) => "worker",
        FleetPart::FrontEnd(_) => "front end",
    }
}

/// Kills, waits, starts again; the time from the kill until researches complete and start again.
fn kill(
    stand: &mut FleetTestBed,
    load: &FleetLoad,
    victims: &[FleetPart],
    dice: &SimulationRandom,
) -> anyhow::Result<Duration> {
    let before = load.progress(stand);
    let began = rig::now();
    for which in victims {
        stand.part(*which)?.kill();
    }
    std::thread::sleep(Duration::from_millis(dice.within(AWAY_MS)));
    for which in victims {
        stand.part(*which)?.launch()?;
    }
    if !load.goes_on(stand, before, RECOVERY_MAX) {
        let words: Vec<String> =
            victims.iter().map(|which| Ok(stand.part(*which)?.log_tail())).collect::<anyhow::Result<_>>()?;
        let ready: Vec<bool> = stand.front_ends.iter().map(FrontEndProcess::is_ready).collect();
        let moved = (before, load.progress(stand));
        anyhow::bail!(
            "nothing moves {RECOVERY_MAX:?} after the kill of {victims:?}: {ready:?} {moved:?} {words:?}"
        );
    }
    Ok(began.elapsed())
}
