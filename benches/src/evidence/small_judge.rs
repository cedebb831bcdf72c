//! A real small model on this machine as the judge, and as the writer it judges: so weak a one says yes too often and
//! copies badly, and nothing that it invents may come out as supported, quoted or verified.

use std::{collections::BTreeSet, path::Path};

use anyhow::Context as _;
use probity_research::ledger::{CheckAuthor, Ledger, Verdict};
use serde_json::Value;

use super::{
    lying_models::lies::{LieKind, LieTopic, PageOrders, written},
    test_bed::{CheckOutput, EvidenceTestBed, JudgeSetup, checked, simulated_world},
    verdicts::letters,
};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::kill_sweep::memory_folder,
    output,
    rig::SimulatorProcess,
    web::small_model::LlamaServer,
};

const VERIFIED: &str = "reports with an invention that a real small model's word makes verified";
const PASSED: &str = "inventions called supported or quoted with a real small model as judge and as writer";
const BALANCED: &str = "a real small model as judge: balanced accuracy";
/// What one check may take; what is not judged by then says so.
const MOST: &str = "4m";
/// The page has most words of what is told of it.
const ON_PAGE_PERCENT: usize = 60;

#[derive(Debug, Default)]
struct SmallJudgeTally {
    reports: usize,
    verified: usize,
    lies: usize,
    passed: Vec<String>,
    truths: usize,
    confirmed: usize,
    /// Of the lies: what the model itself called supported, whatever the rules made of it.
    believed: usize,
    answers: usize,
    failed: usize,
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let skipped =
        |why: &str| Ok([VERIFIED, PASSED].iter().map(|name| Figure::skipped(name, "0", why)).collect());
    if size == MeasurementSize::Quick {
        return skipped("minutes of a model that writes a few tokens a second: only in the full run");
    }
    let Some(server) = LlamaServer::start()? else {
        return skipped("run benches/checks/small-model/install first");
    };
    let lies = [LieKind::Number, LieKind::Recombined, LieKind::Name];
    let topics: Vec<(LieTopic, LieKind)> = lies
        .iter()
        .enumerate()
        .map(|(place, lie)| (LieTopic::of(4_000 + place, PageOrders::Plain), *lie))
        .collect();
    let folder = memory_folder()?;
    let pages: Vec<Value> = topics.iter().map(|(topic, _)| topic.page()).collect();
    let simulator = simulated_world(folder.path(), &pages, None)?;
    let mut seen = SmallJudgeTally::default();
    for (topic, lie) in &topics {
        output::progress(&format!("the small model judges: {}", lie.words()));
        judged(&simulator, &server, topic, *lie, &folder.path().join(&topic.name), &mut seen)?;
    }
    let (topic, _) = topics.first().context("no topic")?;
    output::progress("the small model writes");
    let told = wrote(&simulator, &server, topic, &folder.path().join("writer"), &mut seen)?;
    Ok(figures(&seen, &told))
}

fn run(
    simulator: &SimulatorProcess,
    server: &LlamaServer,
    place: &Path,
    arguments: &[&str],
) -> anyhow::Result<CheckOutput> {
    let stand = EvidenceTestBed::open(simulator, place, JudgeSetup::Simulated)?;
    checked(&server.run_program(&stand, arguments, &[])?)
}

/// A report with one lie among true sentences.
fn judged(
    simulator: &SimulatorProcess,
    server: &LlamaServer,
    topic: &LieTopic,
    lie: LieKind,
    place: &Path,
    seen: &mut SmallJudgeTally,
) -> anyhow::Result<()> {
    std::fs::create_dir_all(place)?;
    let file = place.join("report.md");
    let report = written(&topic.report(Some(lie)));
    std::fs::write(&file, report.get("text").and_then(Value::as_str).unwrap_or_default())?;
    let path = file.to_string_lossy().into_owned();
    let checked = run(simulator, server, place, &["verify", &path, "--max-time", MOST, "--json"])?;
    let planted = letters(&topic.lie(lie).text);
    seen.reports += 1;
    seen.verified += usize::from(checked.is_verified());
    for (claim, settled) in checked.ledger.claims.iter().zip(&checked.ledger.settled) {
        let own = letters(&claim.words);
        let is_lie = planted.contains(&own) || own.contains(&planted);
        let is_truth = topic.truths().iter().any(|truth| letters(truth) == own);
        let passes = matches!(settled.verdict, Verdict::Supported | Verdict::Quoted);
        let said = model_verdict(&checked.ledger, claim.id.place());
        seen.answers += usize::from(said.is_some());
        seen.failed += usize::from(matches!(settled.verdict, Verdict::CheckFailed { .. }));
        if is_lie {
            seen.lies += 1;
            seen.believed += usize::from(said == Some(true));
            if passes {
                seen.passed.push(format!("{}: {} [{}]", lie.words(), claim.words, settled.verdict));
            }
        } else if is_truth {
            seen.truths += 1;
            seen.confirmed += usize::from(passes);
        }
    }
    Ok(())
}

/// Whether the model called a claim supported, before rules had their say; nothing if it never answered.
fn model_verdict(ledger: &Ledger, place: usize) -> Option<bool> {
    let by_model = |by: &CheckAuthor| matches!(by, CheckAuthor::Model { .. });
    let checks = ledger.checks.iter().filter(|check| check.claim.place() == place && by_model(&check.by));
    checks
        .map(|check| check.opinion == probity_research::ledger::Opinion::Supports)
        .reduce(|any, one| any || one)
}

/// A whole research that it plans, reads, writes and judges. What it says beyond the page is its invention.
fn wrote(
    simulator: &SimulatorProcess,
    server: &LlamaServer,
    topic: &LieTopic,
    place: &Path,
    seen: &mut SmallJudgeTally,
) -> anyhow::Result<String> {
    std::fs::create_dir_all(place)?;
    let question = topic.question();
    let arguments = ["research", "--web", "--scope", "tiny", "--max-time", MOST, "--json", &question];
    let checked = run(simulator, server, place, &arguments)?;
    let page = topic.text();
    let (mut invented, mut passed) = (0, 0);
    for (claim, settled) in checked.ledger.claims.iter().zip(&checked.ledger.settled) {
        if is_in_page(&page, &claim.words) {
            continue;
        }
        invented += 1;
        if matches!(settled.verdict, Verdict::Supported | Verdict::Quoted) {
            passed += 1;
            seen.passed.push(format!("written by it: {} [{}]", claim.words, settled.verdict));
        }
    }
    seen.lies += invented;
    seen.reports += usize::from(invented > 0);
    seen.verified += usize::from(invented > 0 && checked.is_verified());
    let claims = checked.ledger.claims.len();
    Ok(format!("as writer: {invented} of {claims} claims go beyond the page, {passed} of them passed"))
}

/// All numbers and most words of it are the page's.
fn is_in_page(page: &str, told: &str) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        let split = text.split(|letter: char| !letter.is_alphanumeric());
        split.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    };
    let (page, told) = (words(page), words(told));
    let is_number = |word: &&String| word.chars().any(|letter| letter.is_ascii_digit());
    let numbers = told.iter().filter(is_number).all(|number| page.contains(number));
    let known = told.iter().filter(|word| page.contains(*word)).count();
    numbers && known * 100 >= told.len() * ON_PAGE_PERCENT
}

fn figures(seen: &SmallJudgeTally, told: &str) -> Vec<Figure> {
    seen.passed.iter().for_each(|line| output::progress(&format!("passed: {line}")));
    let share = |part: usize, of: usize| 100.0 * part as f64 / of.max(1) as f64;
    let refused = seen.lies - seen.passed.len().min(seen.lies);
    let balanced = f64::midpoint(share(seen.confirmed, seen.truths), share(refused, seen.lies));
    let story = format!(
        "SmolLM2-135M on llama.cpp's server; {} of its answers were usable, {} claims say that their check failed; it \
         believed {} of the lies; {told}",
        seen.answers, seen.failed, seen.believed
    );
    vec![
        Figure::judged(
            VERIFIED,
            seen.verified == 0 && seen.reports > 0,
            format!("{} of {}", seen.verified, seen.reports),
            "0",
        )
        .with_note(story),
        Figure::judged(
            PASSED,
            seen.passed.is_empty() && seen.lies > 0,
            format!("{} of {}", seen.passed.len(), seen.lies),
            "0",
        ),
        Figure::judged(
            BALANCED,
            seen.truths > 0,
            format!(
                "{balanced:.0} % ({} of {} true sentences confirmed, {refused} of {} lies not)",
                seen.confirmed, seen.truths, seen.lies
            ),
            "measured, no goal",
        )
        .with_note("a handful of claims with a model of 135 million parameters: it shows the way, not what a judge can do"),
    ]
}
