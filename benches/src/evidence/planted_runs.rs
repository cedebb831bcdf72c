//! The planted reports through the real program, on every engine: run once, read by several figures.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Mutex, PoisonError},
};

use anyhow::Context as _;
use serde_json::json;

use super::{
    cases::{CitationForm, PlantedCase, PlantedReport, PlantedReportMaker, web_report},
    faults::SentenceFault,
    frozen_web::FrozenWeb,
    test_bed::{self, CheckOutput, EvidenceTestBed, JudgeSetup, simulated_world},
    verdicts::{NO_CLAIM, PlantedSentenceOutcome, VerdictSupport, sentence_outcome, texts, verdict_support},
};
use crate::{
    figure::MeasurementSize,
    foundation::{kill_sweep::memory_folder, parallel_trials::run_in_parallel},
    named_kinds::named_kinds,
    output,
    rig::SimulatorProcess,
    rounds::real_cli,
};

/// Runs side by side: two work while two wait.
const SIDE_BY_SIDE: usize = 3;
/// Another seed, other sentences and faults.
const SEED: u64 = 0x504C_414E_5445_4431;
/// A rule model is asked twice: once to write, once to agree.
const ROUNDS: &str = "2";

named_kinds! {
    pub enum PlantedRunRoute {
        Verify = "verify",
        Rounds = "rounds at the Gemini API",
        Agent = "the Deep Research agent",
        Web = "our web engine",
        Cli = "rounds on the Gemini CLI",
    }
}

/// What all runs told.
#[derive(Debug, Clone, Default)]
pub struct PlantedRuns {
    pub fates: Vec<(PlantedRunRoute, JudgeSetup, PlantedSentenceOutcome)>,
    pub behind: VerdictSupport,
    pub reports: usize,
    /// Every case of the bulk, for others to judge.
    pub cases: Vec<PlantedCase>,
}

/// Runs by size; measuring twice in one process gives the same.
static RUNS: Mutex<Option<(MeasurementSize, PlantedRuns)>> = Mutex::new(None);

/// The runs; none where the data is absent.
pub fn runs(size: MeasurementSize) -> anyhow::Result<Option<PlantedRuns>> {
    let mut known = RUNS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, runs)) = known.as_ref().filter(|(of, _)| *of == size) {
        return Ok(Some(runs.clone()));
    }
    let Some(frozen) = FrozenWeb::load()? else { return Ok(None) };
    let runs = run(&frozen, size)?;
    *known = Some((size, runs.clone()));
    Ok(Some(runs))
}

struct PlantedTrial {
    way: PlantedRunRoute,
    judge: JudgeSetup,
    report: PlantedReport,
    question: String,
    /// Of the development half.
    may_be_shown: bool,
}

fn run(frozen: &FrozenWeb, size: MeasurementSize) -> anyhow::Result<PlantedRuns> {
    // Quick runs use the half that may be looked at, so that nobody tunes on the other.
    let mut maker = PlantedReportMaker::new(frozen, size == MeasurementSize::Full, SEED);
    let may_be_shown = size == MeasurementSize::Quick;
    let bulk = size.pick(3, 60);
    let form =
        |number: usize| if number.is_multiple_of(2) { CitationForm::Numbered } else { CitationForm::Inline };
    let mut trials = Vec::new();
    let mut cases = Vec::new();
    for number in 0..bulk {
        let report = maker.report(number, form(number));
        cases.extend(report.cases.iter().cloned());
        for judge in [JudgeSetup::Nobody, JudgeSetup::Simulated] {
            let (report, question) = (report.clone(), String::new());
            trials.push(PlantedTrial { way: PlantedRunRoute::Verify, judge, report, question, may_be_shown });
        }
    }
    let mut number = bulk;
    let has_cli = real_cli::installed().is_some();
    for (way, count) in [
        (PlantedRunRoute::Rounds, size.pick(1, 12)),
        (PlantedRunRoute::Agent, size.pick(1, 12)),
        (PlantedRunRoute::Cli, size.pick(0, 2)),
    ] {
        for _ in 0..count {
            if way == PlantedRunRoute::Cli && !has_cli {
                continue;
            }
            let report = maker.report(number, CitationForm::Inline);
            let question = format!("What do the articles of report {number} say? [[report r{number}]]");
            trials.push(PlantedTrial { way, judge: JudgeSetup::Nobody, report, question, may_be_shown });
            number += 1;
        }
    }
    for _ in 0..size.pick(2, 20) {
        let Some((report, question)) = web_report(&mut maker, number) else { continue };
        let (way, judge) = (PlantedRunRoute::Web, JudgeSetup::Nobody);
        trials.push(PlantedTrial { way, judge, report, question, may_be_shown });
        number += 1;
    }
    let folder = memory_folder()?;
    let simulator = simulated_world(folder.path(), &maker.pages, Some(&reports(&trials)))?;
    let told = run_in_parallel("report", SIDE_BY_SIDE, &trials, folder.path(), |trial, place| {
        one(&simulator, trial, place).with_context(|| format!("{:?} {}", trial.way, trial.report.name))
    })?;
    let mut all = PlantedRuns { reports: trials.len(), cases, ..PlantedRuns::default() };
    for (fates, behind) in told {
        all.fates.extend(fates);
        all.behind.add(behind);
    }
    Ok(all)
}

/// What the simulator is to write, by the name in the question.
fn reports(trials: &[PlantedTrial]) -> serde_json::Value {
    let mut written = BTreeMap::new();
    for trial in trials.iter().filter(|trial| trial.way != PlantedRunRoute::Verify) {
        let sentence = |case: &PlantedCase| {
            let like: Vec<&str> = match case.fault {
                SentenceFault::UncitedNumber => Vec::new(),
                // In no note: a number that no note has.
                SentenceFault::DanglingLabel => vec!["\u{0}"],
                _ => vec![&case.truth],
            };
            json!({"text": case.sentence, "like": like})
        };
        let sentences: Vec<_> = trial.report.cases.iter().map(sentence).collect();
        written
            .insert(trial.report.name.clone(), json!({"text": trial.report.text(), "sentences": sentences}));
    }
    json!(written)
}

type PlantedTrialResult = (Vec<(PlantedRunRoute, JudgeSetup, PlantedSentenceOutcome)>, VerdictSupport);

fn one(
    simulator: &SimulatorProcess,
    trial: &PlantedTrial,
    place: &Path,
) -> anyhow::Result<PlantedTrialResult> {
    let stand = EvidenceTestBed::open(simulator, place, trial.judge)?;
    let checked = checked(&stand, trial, place)?;
    let fates: Vec<(PlantedRunRoute, JudgeSetup, PlantedSentenceOutcome)> = trial
        .report
        .cases
        .iter()
        .map(|case| (trial.way, trial.judge, sentence_outcome(&checked.text, &checked.ledger, case)))
        .filter(|(way, _, fate)| *way != PlantedRunRoute::Web || is_planted(fate))
        .collect();
    let cases =
        trial.report.cases.iter().filter(|case| fates.iter().any(|(_, _, fate)| fate.fault == case.fault));
    for ((_, _, fate), case) in fates.iter().zip(cases) {
        let wrong = fate.caught == fate.fault.is_clean();
        // Only sentences of the half that may be looked at.
        if wrong && trial.may_be_shown {
            let (way, judge) = (trial.way.words(), trial.judge);
            let (fault, told) = (fate.fault.words(), &fate.verdict);
            output::progress(&format!(
                "{way}, {judge:?}, {fault}: {} | page: {} | {told}",
                case.sentence, case.truth
            ));
        }
    }
    let texts = texts(&checked.ledger, stand.program.data())?;
    Ok((fates, verdict_support(&checked.ledger, &texts)))
}

/// Where the reader did not quote the sentence there is no note to cite, and nothing false is said of a source. Where the
/// sentence was compared with its quotation and taken out or replaced, nothing false is left to be found.
fn is_planted(fate: &PlantedSentenceOutcome) -> bool {
    if fate.verdict == NO_CLAIM {
        return false;
    }
    matches!(fate.fault, SentenceFault::UncitedNumber | SentenceFault::DanglingLabel) || !fate.uncited
}

fn checked(stand: &EvidenceTestBed<'_>, trial: &PlantedTrial, place: &Path) -> anyhow::Result<CheckOutput> {
    let rounds = ["--rounds", "--max-iterations", ROUNDS, "--engine"];
    let with = |engine: &'static str| rounds.iter().copied().chain([engine]).collect::<Vec<&str>>();
    match trial.way {
        PlantedRunRoute::Verify => {
            let file = place.join("report.md");
            std::fs::write(&file, trial.report.text())?;
            stand.verify(&file)
        }
        PlantedRunRoute::Rounds => stand.research(&trial.question, &with("gemini-api")),
        PlantedRunRoute::Agent => stand.research(&trial.question, &[]),
        PlantedRunRoute::Web => stand.research(&trial.question, &["--rounds", "--engine", "web"]),
        PlantedRunRoute::Cli => {
            let cli = real_cli::installed().context(real_cli::WHY_NOT)?;
            let arguments: Vec<&str> = ["research", trial.question.as_str(), "--json"]
                .into_iter()
                .chain(with("gemini-cli"))
                .collect();
            let finished = stand.run(&mut cli.known_to(stand.command(&arguments)))?;
            test_bed::checked(&finished)
        }
    }
}
