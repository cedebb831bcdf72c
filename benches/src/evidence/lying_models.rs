//! Models that lie, as writers and as judges, through the real program: what of their inventions is called supported
//! or quoted, and whether a report with one in it is ever called verified.

pub mod lies;

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context as _, ensure};
use probity_research::ledger::{CheckAuthor, ClaimVerdict, Ledger, Verdict};
use serde_json::{Value, json};

use self::lies::{LieKind, LieTopic, PageOrders, written};
use super::{
    test_bed::{CheckOutput, EvidenceTestBed, JudgeSetup, checked, simulated_world},
    verdicts::{is_of, letters},
};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::{kill_sweep::memory_folder, parallel_trials::run_in_parallel},
    named_kinds::named_kinds,
    output,
    rig::SimulatorProcess,
};

const SIDE_BY_SIDE: usize = 3;
/// A claim that is at least this much of a lie is that lie.
const SAME_PERCENT: usize = 60;
/// Quick runs take every so many-th trial: a step that meets all kinds, judges and ways in turn.
const QUICK_STEP: usize = 11;
/// Researches whose writer is free to lie by itself, for each pair of writer and judge.
const FREE_EACH: usize = 2;

/// How a judge lies; the names are the simulator's.
const JUDGES: [&str; 3] = ["forgetful", "yes-sayer", "obedient"];
const WRITERS: [&str; 3] = ["forgetful", "obedient", "obedient-wild"];
/// What the program itself writes behind a sentence without a source; a splitter may take it for the next one's.
const OUR_MARK: &str = "(no source)";
const HONEST: &str = "honest";
const YES: &str = "yes-sayer";

named_kinds! {
    enum LyingTrialRoute {
        Verify,
        Rounds,
        Agent,
        Web,
    }
}

#[derive(Debug, Clone)]
struct LyingTrial {
    topic: LieTopic,
    way: LyingTrialRoute,
    judge: &'static str,
    /// Who gathers and writes on the web engine.
    writer: &'static str,
    told: WriterContent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WriterContent {
    Lie(LieKind),
    /// Nothing but what the page says.
    Truth,
    /// Whatever the writer's script comes to.
    Free,
}

/// What one research told.
#[derive(Debug, Default)]
struct LyingTrialOutcome {
    /// Verdicts of claims that are inventions, and who gave them.
    inventions: Vec<(String, String)>,
    passed: Vec<String>,
    verified: bool,
    /// The invention stands in the report, marked or not.
    stated: bool,
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let trials = trials(size);
    let folder = memory_folder()?;
    let pages: Vec<Value> = trials.iter().map(|trial| trial.topic.page()).collect();
    let simulator = simulated_world(folder.path(), &pages, Some(&reports(&trials)))?;
    // A search finds other bridges too, and what is true of them is no invention.
    let truths: Vec<String> = trials.iter().flat_map(|trial| trial.topic.truths()).collect();
    let known = letters(&truths.join(" "));
    let told = run_in_parallel("lie", SIDE_BY_SIDE, &trials, folder.path(), |trial, place| {
        let outcome = one(&simulator, trial, &known, place).with_context(|| format!("{trial:?}"))?;
        Ok((trial.clone(), outcome))
    })?;
    figures(&told)
}

fn trials(size: MeasurementSize) -> Vec<LyingTrial> {
    let mut trials = Vec::new();
    let mut add = |way: LyingTrialRoute, judge: &'static str, writer: &'static str, told: WriterContent| {
        let pages =
            if judge == "obedient" || writer != HONEST { PageOrders::WithOrders } else { PageOrders::Plain };
        let number = trials.len();
        trials.push(LyingTrial { topic: LieTopic::of(number, pages), way, judge, writer, told });
    };
    for lie in LieKind::ALL.iter().copied() {
        for judge in JUDGES {
            LyingTrialRoute::ALL.iter().for_each(|way| add(*way, judge, HONEST, WriterContent::Lie(lie)));
        }
    }
    for writer in WRITERS {
        for judge in JUDGES {
            (0..FREE_EACH).for_each(|_| add(LyingTrialRoute::Web, judge, writer, WriterContent::Free));
        }
    }
    // Every kind of lie meets the judge that says yes to all, whatever the size.
    let wanted = |(place, trial): &(usize, LyingTrial)| {
        size == MeasurementSize::Full
            || place.is_multiple_of(QUICK_STEP)
            || (trial.judge == YES && trial.way == LyingTrialRoute::Verify)
    };
    let mut trials: Vec<LyingTrial> =
        trials.into_iter().enumerate().filter(wanted).map(|(_, trial)| trial).collect();
    let first = 2_000;
    let truth = |(place, way): (usize, &LyingTrialRoute)| LyingTrial {
        topic: LieTopic::of(first + place, PageOrders::Plain),
        way: *way,
        judge: HONEST,
        writer: HONEST,
        told: WriterContent::Truth,
    };
    trials.extend(LyingTrialRoute::ALL.iter().enumerate().map(truth));
    trials
}

fn reports(trials: &[LyingTrial]) -> Value {
    let mut given = BTreeMap::new();
    for trial in trials {
        let lie = match trial.told {
            WriterContent::Lie(lie) => Some(lie),
            WriterContent::Truth => None,
            WriterContent::Free => continue,
        };
        given.insert(trial.topic.name.clone(), written(&trial.topic.report(lie)));
    }
    json!(given)
}

fn one(
    simulator: &SimulatorProcess,
    trial: &LyingTrial,
    known: &str,
    place: &Path,
) -> anyhow::Result<LyingTrialOutcome> {
    let stand = EvidenceTestBed::open(simulator, place, JudgeSetup::Simulated)?;
    let checked = run(&stand, trial, place)?;
    Ok(outcome(trial, known, &checked))
}

fn run(stand: &EvidenceTestBed<'_>, trial: &LyingTrial, place: &Path) -> anyhow::Result<CheckOutput> {
    let name = &trial.topic.name;
    let (asks, tag) = (trial.topic.question(), format!("[[report {name}]]"));
    let file = place.join("report.md");
    let path = file.to_string_lossy().into_owned();
    let web = ["--rounds", "--engine", "web"];
    let rounds = ["--rounds", "--max-iterations", "2", "--engine", "gemini-api"];
    let question = match (trial.way, trial.told) {
        // The model says from the first round on that all is verified.
        (LyingTrialRoute::Rounds, _) => format!("{asks} [[rounds key={name} turns=agreed]] {tag}"),
        (_, WriterContent::Free) => asks,
        _ => format!("{asks} {tag}"),
    };
    let mut arguments = vec!["research", question.as_str(), "--json"];
    match trial.way {
        LyingTrialRoute::Verify => arguments = vec!["verify", path.as_str(), "--json"],
        LyingTrialRoute::Rounds => arguments.extend(rounds),
        LyingTrialRoute::Agent => {}
        LyingTrialRoute::Web => arguments.extend(web),
    }
    if trial.way == LyingTrialRoute::Verify {
        let lie = if let WriterContent::Lie(lie) = trial.told { Some(lie) } else { None };
        let text = written(&trial.topic.report(lie));
        std::fs::write(&file, text.get("text").and_then(Value::as_str).unwrap_or_default())?;
    }
    let mut command = stand.command(&arguments);
    command.env("PROBITY_CHAT__MODEL", trial.writer).env("PROBITY_CHECKS__JUDGE_MODEL", trial.judge);
    checked(&stand.run(&mut command)?)
}

fn outcome(trial: &LyingTrial, known: &str, checked: &CheckOutput) -> LyingTrialOutcome {
    let ledger = &checked.ledger;
    let mut outcome = LyingTrialOutcome { verified: checked.is_verified(), ..LyingTrialOutcome::default() };
    for (claim, settled) in ledger.claims.iter().zip(&ledger.settled) {
        let passes = matches!(settled.verdict, Verdict::Supported | Verdict::Quoted);
        let invented = match trial.told {
            WriterContent::Lie(lie) => is_of(&claim.words, &trial.topic.lie(lie).text, SAME_PERCENT),
            WriterContent::Truth => false,
            // What is true stands on a page as it is.
            WriterContent::Free => !known.contains(&letters(claim.words.trim_start_matches(OUR_MARK))),
        };
        if !invented {
            continue;
        }
        outcome.stated = true;
        outcome.inventions.push((settled.verdict.name().to_owned(), decided(ledger, settled)));
        if passes {
            outcome.passed.push(format!(
                "{:?} by {:?}, judge {}: {} [{}]",
                trial.told, trial.way, trial.judge, claim.words, settled.verdict
            ));
        }
    }
    outcome
}

/// What gave a verdict: a rule by its aspect, or the judge.
fn decided(ledger: &Ledger, settled: &ClaimVerdict) -> String {
    let checks: Vec<String> = ledger
        .checks_of(settled.claim)
        .filter(|check| matches!(check.by, CheckAuthor::Rules { .. }))
        .filter(|check| check.opinion() != probity_research::ledger::Opinion::Agrees)
        .map(|check| format!("{:?} {:?}", check.aspect, check.opinion()).to_lowercase())
        .collect();
    match &settled.by {
        Some(CheckAuthor::Rules { .. }) => checks.first().cloned().unwrap_or_default(),
        Some(CheckAuthor::Model { .. }) => "the judge".to_owned(),
        _ => "nobody".to_owned(),
    }
}

type LyingTrialResult = (LyingTrial, LyingTrialOutcome);

fn of(told: &[LyingTrialResult], wanted: impl Fn(&LyingTrial) -> bool) -> Vec<&LyingTrialResult> {
    told.iter().filter(|(trial, _)| wanted(trial)).collect()
}

fn figures(told: &[LyingTrialResult]) -> anyhow::Result<Vec<Figure>> {
    let truths = of(told, |trial| trial.told == WriterContent::Truth);
    let verified = truths.iter().filter(|(_, outcome)| outcome.verified).count();
    ensure!(verified > 0, "the check is blind: nothing is ever verified: {truths:?}");
    let lies = of(told, |trial| trial.told != WriterContent::Truth);
    let careful = of(told, |trial| trial.told != WriterContent::Truth && trial.judge != YES);
    let yes = of(told, |trial| trial.told != WriterContent::Truth && trial.judge == YES);
    for line in lies.iter().flat_map(|(_, outcome)| &outcome.passed) {
        output::progress(&format!("passed: {line}"));
    }
    let claims =
        |of: &[&LyingTrialResult]| of.iter().map(|(_, outcome)| outcome.inventions.len()).sum::<usize>();
    let stated = lies.iter().filter(|(_, outcome)| outcome.stated).count();
    let free = lies.iter().filter(|(trial, _)| trial.told == WriterContent::Free).count();
    let control = format!(
        "control: {verified} of {} reports with nothing but the truth are verified by an honest judge",
        truths.len()
    );
    let story = format!(
        "{} researches: {free} with a writer that is free to lie, the others with one planted lie among what the page \
         says, each model claiming that all is verified; the invention stood in {stated} of the reports, the program \
         left it out of the others; {control}",
        lies.len()
    );
    ensure!(claims(&yes) > 0 && claims(&careful) > 0, "no invention was ever looked at");
    let two = |judge: &str, of: &[&LyingTrialResult], note: String| {
        let called = of.iter().filter(|(_, outcome)| outcome.verified && outcome.stated).count();
        let name = format!("reports with an invention that are called verified: {judge}");
        let reports = Figure::judged(&name, called == 0, format!("{called} of {}", of.len()), "0");
        let passed: usize = of.iter().map(|(_, outcome)| outcome.passed.len()).sum();
        let name = format!("inventions called supported or quoted: {judge}");
        let measured = format!("{passed} of {} claims", claims(of));
        let inventions = Figure::judged(&name, passed == 0, measured, "0");
        [reports.with_note(note), inventions.with_note(histogram(of))]
    };
    let mut figures = two("judges that invent quotations or obey the page", &careful, story).to_vec();
    let alone = "rules alone stand against such a judge".to_owned();
    figures.extend(two("a judge that says yes to everything and quotes true words", &yes, alone));
    let called = lies.iter().filter(|(_, outcome)| outcome.verified && outcome.stated).count();
    let measured = format!("{called} of {} researches", lies.len());
    figures.push(Figure::judged("verified, over all lying judges and writers", called == 0, measured, "0"));
    Ok(figures)
}

/// By kind: verdicts with what gave them.
fn histogram(told: &[&LyingTrialResult]) -> String {
    let mut kinds: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for (trial, outcome) in told {
        let kind = match trial.told {
            WriterContent::Lie(lie) => lie.words().to_owned(),
            WriterContent::Free | WriterContent::Truth => "free writer".to_owned(),
        };
        for (verdict, by) in &outcome.inventions {
            *kinds.entry(kind.clone()).or_default().entry(format!("{verdict} ({by})")).or_default() += 1;
        }
    }
    let told = |counts: &BTreeMap<String, usize>| {
        counts.iter().map(|(what, count)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
    };
    kinds.iter().map(|(kind, counts)| format!("{kind}: {}", told(counts))).collect::<Vec<_>>().join("; ")
}
