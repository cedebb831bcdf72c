//! What the rules ask of a fleet at sizes that no machine here can hold: researches of a day in virtual time, looked at
//! as the rules look, one by one. Says how many are in flight, how many durable steps a second that makes, and how late
//! a finished report is found. What a step costs is measured elsewhere; here it is only counted.

use std::{cmp::Reverse, collections::BinaryHeap, time::Duration};

use probity_research::react::poll_pause_for_load;

use crate::{
    figure::{Figure, MeasurementSize},
    simulation::simulation_random::SimulationRandom,
};

/// How long a research takes at the provider: five to twenty-five minutes, as Deep Research runs do.
const DURATION_MS: std::ops::Range<u64> = 300_000..1_500_000;
/// Virtual time that is simulated after the fleet has filled up.
const WATCHED: Duration = Duration::from_secs(1_800);
/// Time until it has.
const FILLING: Duration = Duration::from_secs(1_500);
/// Researches whose own course is followed; above that each stands for several, and the crowd is counted in full.
const FOLLOWED_MAX: f64 = 60_000.0;
/// How late a report may be found, as the rules promise: one longest pause, spread by a tenth.
const LATE_MAX: Duration = Duration::from_secs(330);

/// What a day of so many researches asks for.
#[derive(Debug)]
struct FleetDay {
    per_day: u64,
    in_flight_most: f64,
    steps_per_second: f64,
    steps_each: f64,
    late_median: Duration,
    late_most: Duration,
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let days: &[u64] = match size {
        MeasurementSize::Quick => &[1_000, 100_000],
        MeasurementSize::Full => &[1, 1_000, 100_000, 10_000_000],
    };
    Ok(days.iter().map(|per_day| figure(&simulated(*per_day))).collect())
}

fn figure(day: &FleetDay) -> Figure {
    Figure::judged(
        &format!("{} researches a day, simulated", day.per_day),
        day.late_most <= LATE_MAX,
        format!(
            "{:.0} in flight, {:.1} durable steps a second ({:.0} each), a finished report is found after {:.0} s \
             (at most {:.0} s)",
            day.in_flight_most,
            day.steps_per_second,
            day.steps_each,
            day.late_median.as_secs_f64(),
            day.late_most.as_secs_f64()
        ),
        "every report found within 330 s",
    )
}

fn simulated(per_day: u64) -> FleetDay {
    let every_ms = 86_400_000.0 / per_day as f64;
    let mean_ms = (DURATION_MS.start + DURATION_MS.end) as f64 / 2.0;
    // One that is followed stands for this many.
    let weight = (mean_ms / every_ms / FOLLOWED_MAX).max(1.0);
    let gap_ms = every_ms * weight;
    let dice = SimulationRandom::new(per_day);
    let (filled, end) = (FILLING.as_millis() as f64, (FILLING + WATCHED).as_millis() as f64);
    let mut looks: BinaryHeap<Reverse<(u64, u64)>> = BinaryHeap::new();
    let (mut next_start, mut in_flight, mut most) = (0.0_f64, 0.0_f64, 0.0_f64);
    let (mut steps, mut ended) = (0.0, 0.0);
    let mut late: Vec<u64> = Vec::new();
    loop {
        let next_look = looks.peek().map_or(f64::MAX, |Reverse((at, _))| *at as f64);
        if next_start.min(next_look) > end {
            break;
        }
        let counted = next_start.min(next_look) >= filled;
        if next_start <= next_look {
            let done_at = next_start as u64 + dice.within(DURATION_MS);
            looks.push(Reverse((next_start as u64 + pause_ms(in_flight, &dice), done_at)));
            in_flight += weight;
            most = most.max(in_flight);
            next_start += gap_ms;
        } else if let Some(Reverse((at, done_at))) = looks.pop() {
            if at >= done_at {
                in_flight -= weight;
                if counted {
                    late.push(at - done_at);
                    ended += weight;
                }
            } else {
                looks.push(Reverse((at + pause_ms(in_flight, &dice), done_at)));
            }
        }
        if counted {
            steps += weight;
        }
    }
    late.sort_unstable();
    let at =
        |share: f64| late.get((late.len().saturating_sub(1) as f64 * share) as usize).copied().unwrap_or(0);
    FleetDay {
        per_day,
        in_flight_most: most,
        steps_per_second: steps / WATCHED.as_secs_f64(),
        steps_each: steps / f64::max(ended, 1.0),
        late_median: Duration::from_millis(at(0.5)),
        late_most: Duration::from_millis(at(1.0)),
    }
}

/// The rules' pause for this crowd, spread as the rules spread it.
fn pause_ms(crowd: f64, dice: &SimulationRandom) -> u64 {
    let pause = poll_pause_for_load(crowd as usize).as_millis() as u64;
    pause * 9 / 10 + dice.within(0..pause / 5 + 1)
}
