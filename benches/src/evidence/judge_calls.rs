//! What a judge is asked, against one call per claim and source: checks decide first, answers are kept, and several
//! claims share a call.

use anyhow::{Context as _, ensure};
use probity_research::ledger::ClaimKind;
use serde_json::Value;

use super::{
    cases::{CitationForm, PlantedReportMaker},
    frozen_web::FrozenWeb,
    labelled_data,
    test_bed::{EvidenceTestBed, JudgeSetup, simulated_world},
};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::kill_sweep::memory_folder,
    rig::SimulatorProcess,
};

const NAME: &str = "judge calls saved, against one per claim and source";
const GOAL: &str = "at least 60 %";
const SAVED_MIN: f64 = 60.0;
const SEED: u64 = 0x4A55_4447_4543_414C;
/// The second time nothing should be bought.
const TIMES: usize = 2;

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let Some(frozen) = FrozenWeb::load()? else { return labelled_data::absent(NAME, GOAL) };
    let mut maker = PlantedReportMaker::new(&frozen, size == MeasurementSize::Full, SEED);
    let reports: Vec<_> =
        (0..size.pick(2, 10)).map(|number| maker.report(number, CitationForm::Numbered)).collect();
    let folder = memory_folder()?;
    let simulator = simulated_world(folder.path(), &maker.pages, None)?;
    let stand = EvidenceTestBed::open(&simulator, folder.path(), JudgeSetup::Simulated)?;
    let (mut pairs, mut questions) = (0, 0);
    let mut bought = Vec::new();
    for _ in 0..TIMES {
        for report in &reports {
            let file = folder.path().join(format!("{}.md", report.name));
            std::fs::write(&file, report.text())?;
            let checked = stand.verify(&file)?;
            let facts = checked.ledger.claims.iter().filter(|claim| claim.kind == ClaimKind::Fact);
            pairs += facts.map(|claim| claim.cites.len()).sum::<usize>();
            questions += checked.ledger.questions.len();
        }
        bought.push(calls(&simulator)?);
    }
    let all = bought.last().copied().unwrap_or_default();
    let first = bought.first().copied().unwrap_or_default();
    ensure!(first > 0, "the judge was never asked");
    let saved = 100.0 - 100.0 * all as f64 / pairs.max(1) as f64;
    Ok(vec![
        Figure::judged(NAME, saved >= SAVED_MIN, format!("{saved:.1} % ({all} calls for {pairs} pairs)"), GOAL).with_note(format!(
            "{} reports of the planted set, each checked {TIMES} times; {questions} questions were open after the rules, \
             {first} calls the first time, {} the second",
            reports.len(),
            all - first
        )),
    ])
}

/// Calls to the judge so far.
fn calls(simulator: &SimulatorProcess) -> anyhow::Result<usize> {
    let ledger = simulator.get("chat/ledger")?;
    let entries = ledger.get("entries").and_then(Value::as_array).context("no entries")?;
    let asked = |entry: &&Value| entry.get("asked").and_then(Value::as_str) == Some("judge");
    Ok(entries.iter().filter(asked).count())
}
