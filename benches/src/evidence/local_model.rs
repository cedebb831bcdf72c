//! A real model of whoever measures as the judge of claims that others labelled, through the whole program: how much of
//! what is not borne out it calls supported by itself, and how much is left after exam, controls and rules.

use std::{path::Path, time::Duration};

use anyhow::ensure;
use probity_research::ledger::{CheckAuthor, Opinion};
use serde_json::{Value, json};

use super::{
    judged_verify::{SentenceFate, sentence_finding},
    labelled_data as data,
    no_judge::{LabelledClaim, held_out},
    test_bed::{CheckOutput, EvidenceTestBed, JudgeSetup, checked, simulated_world},
};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::kill_sweep::memory_folder,
    output, rig,
};

const NAME: &str = "a real model on this machine: false support";
const GOAL: &str = "at most half of what the model alone passes";
/// Claims of each set: half an hour of a model that reads some thirty tokens a second.
const CLAIMS_EACH: usize = 30;
/// A model without a graphics card answers slowly; longer than this is no measurement.
const PATIENCE: Duration = Duration::from_secs(4 * 3_600);
const TIME_MAX: &str = "4h";

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let skipped = |why: &str| Ok(vec![Figure::skipped(NAME, GOAL, why)]);
    if size == MeasurementSize::Quick {
        return skipped("half an hour of a real model: only in the full run");
    }
    let Some(url) = data::local_model_url() else {
        return skipped(&format!("set {} to an OpenAI-compatible endpoint", data::LOCAL_MODEL_VARIABLE));
    };
    let Some(folder) = data::folder() else { return data::absent(NAME, GOAL) };
    // One user's folder for both sets: the model sits its exam once.
    let home = memory_folder()?;
    let mut figures = Vec::new();
    for (set, claims) in held_out(&folder)? {
        let step = claims.len().div_ceil(CLAIMS_EACH).max(1);
        let claims: Vec<LabelledClaim> = claims.into_iter().step_by(step).collect();
        output::progress(&format!("{set}: {} claims", claims.len()));
        figures.push(figure(set, &claims, &judged(&url, home.path(), set, &claims)?)?);
    }
    Ok(figures)
}

fn address(set: &str, place: usize) -> String {
    format!("http://{}{place}.example/text", set.to_lowercase())
}

/// All claims as one report, each with its article as its only source.
fn judged(url: &str, home: &Path, set: &str, claims: &[LabelledClaim]) -> anyhow::Result<CheckOutput> {
    let place = memory_folder()?;
    let page = |(number, claim): (usize, &LabelledClaim)| json!({"url": address(set, number), "title": "Article", "text": claim.page.replace('\n', "\n\n")});
    let pages: Vec<Value> = claims.iter().enumerate().map(page).collect();
    let sentence = |(number, claim): (usize, &LabelledClaim)| {
        format!("{} [source]({})\n", claim.claim.replace('\n', " "), address(set, number))
    };
    let report: Vec<String> = claims.iter().enumerate().map(sentence).collect();
    let file = place.path().join("report.md");
    std::fs::write(&file, report.join("\n"))?;
    let simulator = simulated_world(place.path(), &pages, None)?;
    let stand = EvidenceTestBed::open(&simulator, home, JudgeSetup::Simulated)?;
    let mut command = stand.command(&["verify", &file.to_string_lossy(), "--max-time", TIME_MAX, "--json"]);
    command
        .env("PROBITY_CHAT__BASE_URL", url)
        .env("PROBITY_CHAT__MODEL", "local-model")
        .env_remove("PROBITY_CHAT__STANDS_FOR")
        .env_remove("OPENAI_API_KEY");
    let finished = rig::run(&mut command, PATIENCE)?;
    ensure!(finished.in_time, "the program hangs: {}", finished.stderr);
    checked(&finished)
}

/// Of what is not borne out: what the model called supported, and what came out as supported or quoted.
fn figure(set: &str, claims: &[LabelledClaim], told: &CheckOutput) -> anyhow::Result<Figure> {
    let ledger = &told.ledger;
    let says_yes = |claim: &LabelledClaim| {
        let its = ledger.claims.iter().filter(|one| claim.claim.contains(one.words.trim()));
        let mut checks = its.flat_map(|one| ledger.checks_of(one.id));
        checks
            .any(|check| matches!(check.by, CheckAuthor::Model { .. }) && check.opinion == Opinion::Supports)
    };
    let passes = |claim: &LabelledClaim| {
        sentence_finding(ledger, &claim.claim).is_some_and(|finding| finding.fate == SentenceFate::Passed)
    };
    let count = |supported: bool, is_so: &dyn Fn(&LabelledClaim) -> bool| {
        claims.iter().filter(|claim| claim.supported == supported && is_so(claim)).count()
    };
    let answered = ledger.checks.iter().filter(|check| matches!(check.by, CheckAuthor::Model { .. })).count();
    let wrong = count(false, &|_| true);
    let (alone, after) = (count(false, &says_yes), count(false, &passes));
    let share = |part: usize| 100.0 * part as f64 / wrong.max(1) as f64;
    ensure!(wrong > 0, "{set} has nothing that is not borne out");
    let measured = format!("{:.1} % -> {:.1} % ({alone} and {after} of {wrong})", share(alone), share(after));
    let note = format!(
        "{answered} answers of the model; of {} that are borne out it called {} supported, {} came out so",
        count(true, &|_| true),
        count(true, &says_yes),
        count(true, &passes)
    );
    Ok(Figure::judged(&format!("{NAME}, {set}"), 2 * after <= alone, measured, GOAL).aim().with_note(note))
}
