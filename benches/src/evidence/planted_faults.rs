//! Reports with known faults, through every engine: which faults the ledger names, kind by kind, and what it calls
//! wrong that is right. Detection is measured here, not how well a report is written.

use std::collections::BTreeMap;

use super::{
    faults::SentenceFault,
    labelled_data::{self, ABSENT},
    peer_checks,
    planted_runs::{PlantedRunRoute, PlantedRuns, runs},
    test_bed::JudgeSetup,
    verdicts::definition,
};
use crate::{
    figure::{Figure, MeasurementSize},
    output,
};

const NAME: &str = "planted faults";
const VERDICTS: &str = "sentences of checked reports that have a verdict";
const PLACES: &str = "words behind supported and quoted that stand literally in the stored page";

/// How many of how many.
#[derive(Debug, Clone, Copy, Default)]
pub struct CountShare {
    pub part: usize,
    pub whole: usize,
}

impl CountShare {
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

    pub fn summary(self) -> String {
        format!("{:.1} % ({} of {})", self.percent(), self.part, self.whole)
    }
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let Some(runs) = runs(size)? else { return labelled_data::absent(NAME, "all") };
    let mut figures: Vec<Figure> = SentenceFault::ALL.iter().map(|fault| of_kind(&runs, *fault)).collect();
    figures.push(clean(&runs));
    let others = PlantedRunRoute::ALL.iter().filter(|way| **way != PlantedRunRoute::Verify);
    figures.extend(others.filter_map(|way| of_way(&runs, *way)));
    figures.extend(peer_checks::figures(&runs)?);
    Ok(figures)
}

/// The least share that must be caught without a judge, in percent; none where it is only printed.
fn goal(fault: SentenceFault) -> Option<f64> {
    match fault {
        SentenceFault::FabricatedQuotation
        | SentenceFault::InventedAddress
        | SentenceFault::DeadAddress
        | SentenceFault::DanglingLabel => Some(100.0),
        SentenceFault::QuotedNumber | SentenceFault::QuotedNegation | SentenceFault::QuotedName => Some(99.0),
        SentenceFault::Number | SentenceFault::Date | SentenceFault::Unit | SentenceFault::Name => Some(60.0),
        SentenceFault::WrongSource => Some(50.0),
        SentenceFault::Negation
        | SentenceFault::UncitedNumber
        | SentenceFault::Copies
        | SentenceFault::PoisonedCopy
        | SentenceFault::PageInstruction => None,
        SentenceFault::Verbatim | SentenceFault::TrueQuotation | SentenceFault::Reworded => None,
    }
}

fn caught(runs: &PlantedRuns, way: PlantedRunRoute, judge: JudgeSetup, fault: SentenceFault) -> CountShare {
    let those = runs.fates.iter().filter(|(of, by, fate)| *of == way && *by == judge && fate.fault == fault);
    CountShare::of(those.map(|(_, _, fate)| fate.caught))
}

fn of_kind(runs: &PlantedRuns, fault: SentenceFault) -> Figure {
    let (alone, judged) = (
        caught(runs, PlantedRunRoute::Verify, JudgeSetup::Nobody, fault),
        caught(runs, PlantedRunRoute::Verify, JudgeSetup::Simulated, fault),
    );
    let passed = runs.fates.iter().filter(|(way, judge, fate)| {
        *way == PlantedRunRoute::Verify && *judge == JudgeSetup::Simulated && fate.fault == fault
    });
    let passed = CountShare::of(passed.map(|(_, _, fate)| fate.passed));
    let measured = format!("{}; with a judge that compares words {}", alone.summary(), judged.summary());
    let name = match fault.is_clean() {
        true => format!("{}, called contradicted or not in source", fault.words()),
        false => format!("planted and caught: {}", fault.words()),
    };
    let goal_words = match goal(fault) {
        Some(percent) if percent >= 100.0 => "all".to_owned(),
        Some(percent) => format!("at least {percent:.0} % without a judge"),
        None => "printed".to_owned(),
    };
    let reached = alone.whole > 0 && goal(fault).is_none_or(|percent| alone.percent() >= percent);
    Figure::judged(&name, reached, measured, &goal_words).with_note(format!(
        "counts as caught: {}; called supported or quoted, with the judge: {}",
        definition(fault),
        passed.summary()
    ))
}

fn clean(runs: &PlantedRuns) -> Figure {
    let of = |judge: JudgeSetup| {
        let clean = runs.fates.iter().filter(move |(way, by, fate)| {
            *way == PlantedRunRoute::Verify && *by == judge && fate.fault.is_clean()
        });
        CountShare::of(clean.map(|(_, _, fate)| fate.refuted))
    };
    let (alone, judged) = (of(JudgeSetup::Nobody), of(JudgeSetup::Simulated));
    Figure::judged(
        "true sentences called contradicted or not in source",
        alone.whole > 0 && alone.percent() <= 3.0,
        format!("{}; with a judge that compares words {}", alone.summary(), judged.summary()),
        "at most 3 % without a judge",
    )
    .with_note("word for word, quoted, and reworded by rule; the simulated judge compares words and takes `3` for another number than `three`, which a real one does not")
}

/// Another engine: what must always be caught, and the rest in words.
fn of_way(runs: &PlantedRuns, way: PlantedRunRoute) -> Option<Figure> {
    let own: Vec<_> = runs.fates.iter().filter(|(of, _, _)| *of == way).map(|(_, _, fate)| fate).collect();
    let name = format!("planted faults on {}: quotations and addresses", way.words());
    if own.is_empty() {
        let why = "this engine is not installed here, or is left out of the quick run";
        return (way == PlantedRunRoute::Cli).then(|| Figure::skipped(&name, "all", why));
    }
    let strict = |fault: SentenceFault| goal(fault).is_some_and(|percent| percent >= 99.0);
    let caught = CountShare::of(own.iter().filter(|fate| strict(fate.fault)).map(|fate| fate.caught));
    let alarms = CountShare::of(own.iter().filter(|fate| fate.fault.is_clean()).map(|fate| fate.refuted));
    let mut by_kind: BTreeMap<SentenceFault, Vec<bool>> = BTreeMap::new();
    for fate in own.iter().filter(|fate| !fate.fault.is_clean()) {
        by_kind.entry(fate.fault).or_default().push(fate.caught);
    }
    let kinds: Vec<String> = by_kind
        .into_iter()
        .map(|(fault, hits)| format!("{} {}", fault.words(), CountShare::of(hits.into_iter()).summary()))
        .collect();
    let reached = caught.part == caught.whole && alarms.percent() <= 5.0;
    let figure = Figure::judged(
        &name,
        reached,
        format!("{}; true sentences called wrong: {}", caught.summary(), alarms.summary()),
        "all, and at most 5 % of the true ones",
    );
    Some(figure.with_note(format!("without a judge; {}", kinds.join("; "))))
}

/// Over all planted reports: every sentence has a verdict, and what stands behind `supported` and `quoted` stands in
/// the stored pages.
pub fn measure_sentences(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let Some(runs) = runs(size)? else {
        return Ok([VERDICTS, PLACES].map(|name| Figure::skipped(name, "100 %", ABSENT)).to_vec());
    };
    let behind = &runs.behind;
    behind.missing.iter().for_each(|missing| output::progress(missing));
    let with = CountShare { part: behind.sentences - behind.without_verdict, whole: behind.sentences };
    let stands = CountShare { part: behind.places - behind.missing.len(), whole: behind.places };
    let used = |way: &&PlantedRunRoute| runs.fates.iter().any(|(of, _, _)| of == *way);
    let engines: Vec<&str> = PlantedRunRoute::ALL.iter().filter(used).map(|way| way.words()).collect();
    let judged = runs.fates.iter().filter(|(_, judge, _)| *judge == JudgeSetup::Simulated).count();
    Ok(vec![
        Figure::judged(VERDICTS, with.whole > 0 && with.part == with.whole, with.summary(), "100 %")
            .with_note(format!("{} checks of reports through {}", runs.reports, engines.join(", "))),
        Figure::judged(
            PLACES,
            behind.supported > 0 && behind.quoted > 0 && behind.missing.is_empty(),
            stands.summary(),
            "100 %",
        )
        .with_note(format!(
            "{} claims supported, {} quoted, and every passage that a judge was shown, compared with the stored \
             extracts; {judged} planted sentences had a judge",
            behind.supported, behind.quoted
        )),
    ])
}
