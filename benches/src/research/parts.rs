//! What each part of the second engine is worth: the same worlds researched with it and without it.

use std::path::Path;

use probity_research::{inquiry::InquiryPart, web::strategy::StrategyLevel};
use probity_simulator::research::ResearchWorld;

use super::{
    inside,
    runs::{SystemRun, keep},
    seeds,
};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::{kill_sweep::memory_folder, parallel_trials::run_in_parallel},
    rig::SimulatorProcess,
};

/// Worlds side by side: one works while the other waits.
const SIDE_BY_SIDE: usize = 2;

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let depth = size.pick(StrategyLevel::Medium, StrategyLevel::Deep);
    let parts: Vec<Option<InquiryPart>> = std::iter::once(None).chain(InquiryPart::ALL.map(Some)).collect();
    let worlds = seeds(size).iter().take(size.pick(1, 3));
    let trials: Vec<(u64, Option<InquiryPart>)> =
        worlds.flat_map(|seed| parts.iter().map(move |part| (*seed, *part))).collect();
    let folder = memory_folder()?;
    let runs = run_in_parallel("world", SIDE_BY_SIDE, &trials, folder.path(), |(seed, part), place| {
        one(*seed, *part, depth, place)
    })?;
    let worth = |part: Option<InquiryPart>| {
        let name = name(part);
        PartWorth::of(runs.iter().filter(|run| run.system == name))
    };
    let whole = worth(None);
    let mut figures = vec![
        Figure::judged(
            "with every part: correct cited facts, ends of chains, conflicts stated, citations exact",
            whole.facts > 0,
            whole.words(),
            "printed",
        )
        .with_note(format!(
            "{} worlds, {} depth, sums; checked by a judge without an exam",
            trials.len() / parts.len().max(1),
            depth.as_str()
        )),
    ];
    figures.extend(InquiryPart::ALL.iter().map(|part| {
        let without = worth(Some(*part));
        let goal = "less of something than with it";
        let name = format!("{}: facts, ends of chains, conflicts, citations", name(Some(*part)));
        Figure::judged(&name, without.is_less_than(&whole), without.beside(&whole), goal).aim()
    }));
    Ok(figures)
}

fn name(part: Option<InquiryPart>) -> String {
    part.map_or_else(|| "every part".to_owned(), |part| format!("without its {}", part.as_str()))
}

fn one(
    seed: u64,
    part: Option<InquiryPart>,
    depth: StrategyLevel,
    place: &Path,
) -> anyhow::Result<SystemRun> {
    let world = ResearchWorld::seeded(seed);
    let simulator = SimulatorProcess::start(&["--research-world", &seed.to_string()])?;
    let mut inquiry = inside::inquiry(depth);
    inquiry.without.extend(part);
    let question = world.request.question.as_str();
    let plan = inside::checked(inside::plan(question, inquiry)?);
    let report = inside::research(&simulator.base_url, inside::MODEL, question, plan, place)?;
    let name = name(part);
    keep(&format!("{seed}-{}.md", name.replace(' ', "-")), &report)?;
    SystemRun::read(&name, &world, &simulator, &report)
}

/// What reports hold, over all worlds.
#[derive(Debug, Default, Clone, Copy)]
struct PartWorth {
    facts: usize,
    ends: usize,
    conflicts: usize,
    exact: usize,
    cited: usize,
}

impl PartWorth {
    fn of<'a>(runs: impl Iterator<Item = &'a SystemRun>) -> Self {
        runs.fold(Self::default(), |sum, run| Self {
            facts: sum.facts + run.score.facts.reached,
            ends: sum.ends + run.score.hops.iter().map(|hops| hops.reached).sum::<usize>(),
            conflicts: sum.conflicts + run.score.conflicts_shown.reached,
            exact: sum.exact + run.score.citations.reached,
            cited: sum.cited + run.score.citations.of,
        })
    }

    /// Citations whose page says the fact, in thousandths.
    fn exactness(&self) -> usize {
        self.exact * 1_000 / self.cited.max(1)
    }

    fn numbers(&self) -> [usize; 4] {
        [self.facts, self.ends, self.conflicts, self.exactness()]
    }

    fn words(&self) -> String {
        let [facts, ends, conflicts, exact] = self.numbers();
        format!("{facts}, {ends}, {conflicts}, {}.{} %", exact / 10, exact % 10)
    }

    /// Its numbers, and by how much they differ.
    fn beside(&self, whole: &Self) -> String {
        let by = |(own, all): (usize, usize)| {
            let sign = if own < all { '-' } else { '+' };
            format!("{sign}{}", own.abs_diff(all))
        };
        let all: Vec<String> = self.numbers().into_iter().zip(whole.numbers()).map(by).collect();
        format!("{} ({} ‰)", self.words(), all.join(", "))
    }

    fn is_less_than(&self, whole: &Self) -> bool {
        self.numbers().into_iter().zip(whole.numbers()).any(|(own, all)| own < all)
    }
}

#[cfg(test)]
mod tests {
    use super::PartWorth;

    #[test]
    fn a_part_that_is_worth_nothing_falls_short() {
        let whole = PartWorth { facts: 80, ends: 9, conflicts: 10, exact: 99, cited: 100 };
        let without = PartWorth { facts: 85, conflicts: 3, exact: 98, ..whole };
        assert_eq!(without.beside(&whole), "85, 9, 3, 98.0 % (+5, +0, -7, -10 ‰)");
        assert!(without.is_less_than(&whole) && !whole.is_less_than(&whole));
        assert!(!PartWorth { facts: 81, ..whole }.is_less_than(&whole));
    }
}
