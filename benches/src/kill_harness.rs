//! One way to kill: starts the real program, kills it at a chosen place, starts it again and adds up what the judge
//! of an area found. Each area supplies its scenarios, what must be true afterwards, and faults that it plants.
//!
//! `system_calls` kills at the Nth system call of each kind, `requests` at the Nth request that leaves the program.

pub mod kill_proxy;
pub mod requests;
pub mod system_calls;

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    figure::{Figure, MeasurementSize},
    output, rig,
};

/// What kills left behind: every fault by its kind, and what was counted on the way.
#[derive(Debug, Default, Clone)]
pub struct KillTally {
    pub kills: usize,
    /// Planned kills that never came: no two runs make the same calls.
    pub not_reached: usize,
    pub faults: BTreeMap<&'static str, Vec<String>>,
    pub counts: BTreeMap<&'static str, usize>,
    /// Every run that a store knows.
    pub ids: BTreeSet<String>,
}

impl KillTally {
    pub fn fault(&mut self, kind: &'static str, line: String) {
        self.faults.entry(kind).or_default().push(line);
    }

    pub fn count(&mut self, what: &'static str, count: usize) {
        *self.counts.entry(what).or_default() += count;
    }

    pub fn get(&self, what: &str) -> usize {
        self.counts.get(what).copied().unwrap_or(0)
    }

    /// How many faults of one kind there are.
    pub fn wrong(&self, kind: &str) -> usize {
        self.faults.get(kind).map_or(0, Vec::len)
    }

    pub fn all_wrong(&self) -> usize {
        self.faults.values().map(Vec::len).sum()
    }

    /// The same, with its one planned kill counted and the place named in every fault.
    pub fn at(mut self, place: &str, killed: bool) -> Self {
        self.kills += usize::from(killed);
        self.not_reached += usize::from(!killed);
        self.name_place(place);
        self
    }

    /// The same for all planned kills of a story.
    pub fn of_story<S>(mut self, place: &str, story: &requests::KilledStory<S>) -> Self {
        self.kills += story.kills.len();
        self.not_reached += story.not_reached;
        self.name_place(place);
        self
    }

    fn name_place(&mut self, place: &str) {
        self.faults.values_mut().flatten().for_each(|line| *line = format!("{place}: {line}"));
    }

    pub fn add(&mut self, other: Self) {
        self.kills += other.kills;
        self.not_reached += other.not_reached;
        for (kind, lines) in other.faults {
            self.faults.entry(kind).or_default().extend(lines);
        }
        other.counts.into_iter().for_each(|(what, count)| self.count(what, count));
        self.ids.extend(other.ids);
    }

    pub fn sum(tallies: impl IntoIterator<Item = Self>) -> Self {
        let mut total = Self::default();
        tallies.into_iter().for_each(|tally| total.add(tally));
        total
    }

    pub fn print_faults(&self) {
        self.faults.values().flatten().for_each(|line| output::progress(line));
    }

    /// No fault of one kind over at least `wanted` kills; `over` names what was killed at.
    pub fn figure(&self, name: &str, kind: &str, wanted: usize, over: &str, goal: &str) -> Figure {
        let wrong = self.wrong(kind);
        let measured = format!("{wrong} over {} {over}", self.kills);
        Figure::judged(name, self.kills >= wanted && wrong == 0, measured, goal)
    }
}

/// The figures of a sweep over system calls, or why there are none.
pub fn with_strace(
    names: &[&str],
    size: MeasurementSize,
    sweep: impl FnOnce(MeasurementSize) -> anyhow::Result<Vec<Figure>>,
) -> anyhow::Result<Vec<Figure>> {
    if rig::has_program("strace") {
        return sweep(size);
    }
    Ok(names.iter().map(|name| Figure::skipped(name, "0", "strace is not installed")).collect())
}
