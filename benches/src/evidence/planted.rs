//! Reports with known faults, through every engine: which faults the ledger names, kind by kind, and what it calls
//! wrong that is right. Detection is measured here, not how well a report is written.

use std::collections::BTreeMap;

use super::{
    faults::Fault,
    peers,
    runs::{Runs, Way, runs},
    stand::Judge,
    verdicts::definition,
};
use crate::figure::{Figure, Size};

const NAME: &str = "planted faults";

/// How many of how many.
#[derive(Debug, Clone, Copy, Default)]
pub struct Share {
    pub part: usize,
    pub whole: usize,
}

impl Share {
    pub fn of(all: impl Iterator<Item = bool>) -> Self {
        let mut share = Self::default();
        for hit in all {
            share.whole += 1;
            share.part += usize::from(hit);
        }
        share
    }

    pub fn percent(self) -> f64 {
        100.0 * self.part as f64 / self.whole.max(1) as f64
    }

    pub fn told(self) -> String {
        format!("{:.1} % ({} of {})", self.percent(), self.part, self.whole)
    }
}

pub fn measure(size: Size) -> anyhow::Result<Vec<Figure>> {
    let runs = match runs(size)? {
        Ok(runs) => runs,
        Err(why) => return Ok(vec![Figure::skipped(NAME, "all", &why)]),
    };
    let mut figures: Vec<Figure> = Fault::ALL.into_iter().map(|fault| of_kind(&runs, fault)).collect();
    figures.push(clean(&runs));
    figures
        .extend(Way::ALL.into_iter().filter(|way| *way != Way::Verify).filter_map(|way| of_way(&runs, way)));
    figures.extend(peers::figures(&runs)?);
    Ok(figures)
}

/// The least share that must be caught without a judge, in percent; none where it is only printed.
fn goal(fault: Fault) -> Option<f64> {
    match fault {
        Fault::FabricatedQuotation | Fault::InventedAddress | Fault::DeadAddress | Fault::DanglingLabel => {
            Some(100.0)
        }
        Fault::QuotedNumber | Fault::QuotedNegation | Fault::QuotedName => Some(99.0),
        Fault::Number | Fault::Date | Fault::Unit | Fault::Name => Some(60.0),
        Fault::WrongSource => Some(50.0),
        Fault::Negation
        | Fault::UncitedNumber
        | Fault::Copies
        | Fault::PoisonedCopy
        | Fault::PageInstruction => None,
        Fault::Verbatim | Fault::TrueQuotation | Fault::Reworded => None,
    }
}

pub fn caught(runs: &Runs, way: Way, judge: Judge, fault: Fault) -> Share {
    let those = runs.fates.iter().filter(|(of, by, fate)| *of == way && *by == judge && fate.fault == fault);
    Share::of(those.map(|(_, _, fate)| fate.caught))
}

fn of_kind(runs: &Runs, fault: Fault) -> Figure {
    let (alone, judged) =
        (caught(runs, Way::Verify, Judge::Nobody, fault), caught(runs, Way::Verify, Judge::Simulated, fault));
    let passed = runs.fates.iter().filter(|(way, judge, fate)| {
        *way == Way::Verify && *judge == Judge::Simulated && fate.fault == fault
    });
    let passed = Share::of(passed.map(|(_, _, fate)| fate.passed));
    let measured = format!("{}; with a judge that compares words {}", alone.told(), judged.told());
    let (name, goal_words) = match (fault.is_clean(), goal(fault)) {
        (true, _) => {
            (format!("{}, called contradicted or not in source", fault.words()), "printed".to_owned())
        }
        (false, Some(percent)) if percent >= 100.0 => {
            (format!("planted and caught: {}", fault.words()), "all".to_owned())
        }
        (false, Some(percent)) => (
            format!("planted and caught: {}", fault.words()),
            format!("at least {percent:.0} % without a judge"),
        ),
        (false, None) => (format!("planted and caught: {}", fault.words()), "printed".to_owned()),
    };
    let reached = alone.whole > 0 && goal(fault).is_none_or(|percent| alone.percent() >= percent);
    Figure::judged(&name, reached, measured, &goal_words).with_note(format!(
        "counts as caught: {}; called supported or quoted, with the judge: {}",
        definition(fault),
        passed.told()
    ))
}

fn clean(runs: &Runs) -> Figure {
    let of = |judge: Judge| {
        let clean = runs
            .fates
            .iter()
            .filter(move |(way, by, fate)| *way == Way::Verify && *by == judge && fate.fault.is_clean());
        Share::of(clean.map(|(_, _, fate)| fate.refuted))
    };
    let (alone, judged) = (of(Judge::Nobody), of(Judge::Simulated));
    Figure::judged(
        "true sentences called contradicted or not in source",
        alone.whole > 0 && alone.percent() <= 3.0,
        format!("{}; with a judge that compares words {}", alone.told(), judged.told()),
        "at most 3 % without a judge",
    )
    .with_note("word for word, quoted, and reworded by rule; the simulated judge compares words and takes `3` for another number than `three`, which a real one does not")
}

/// Another engine: what must always be caught, and the rest in words.
fn of_way(runs: &Runs, way: Way) -> Option<Figure> {
    let own: Vec<_> = runs.fates.iter().filter(|(of, _, _)| *of == way).map(|(_, _, fate)| fate).collect();
    let name = format!("planted faults on {}: quotations and addresses", way.words());
    if own.is_empty() {
        let why = "this engine is not installed here, or is left out of the quick run";
        return (way == Way::Cli).then(|| Figure::skipped(&name, "all", why));
    }
    let strict = |fault: Fault| goal(fault).is_some_and(|percent| percent >= 99.0);
    let caught = Share::of(own.iter().filter(|fate| strict(fate.fault)).map(|fate| fate.caught));
    let alarms = Share::of(own.iter().filter(|fate| fate.fault.is_clean()).map(|fate| fate.refuted));
    let mut by_kind: BTreeMap<Fault, Vec<bool>> = BTreeMap::new();
    for fate in own.iter().filter(|fate| !fate.fault.is_clean()) {
        by_kind.entry(fate.fault).or_default().push(fate.caught);
    }
    let kinds: Vec<String> = by_kind
        .into_iter()
        .map(|(fault, hits)| format!("{} {}", fault.words(), Share::of(hits.into_iter()).told()))
        .collect();
    let reached = caught.part == caught.whole && alarms.percent() <= 5.0;
    let figure = Figure::judged(
        &name,
        reached,
        format!("{}; true sentences called wrong: {}", caught.told(), alarms.told()),
        "all, and at most 5 % of the true ones",
    );
    Some(figure.with_note(format!("without a judge; {}", kinds.join("; "))))
}
