//! `probity verify` as a gate on documents as people have them: Markdown, HTML, PDF and DOCX with notes, links and
//! numbered references. Files are made by pandoc and Chromium, reports are validated against the published schemas.

mod document_set;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use anyhow::{Context as _, ensure};
use probity_research::ledger::{ClaimVerdict, Ledger, NotCheckedReason, Verdict};
use serde::Deserialize;
use serde_json::Value;

use self::document_set::{DANGLING, DocumentFault, DocumentFileFormat, DocumentText};
use super::{
    lying_models::lies::LieKind,
    test_bed::{EvidenceTestBed, JudgeSetup, checked, simulated_world},
    verdicts::is_of,
};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::{kill_sweep::memory_folder, parallel_trials::run_in_parallel},
    output,
    rig::{self, SimulatorProcess},
};

const FOUND: &str = "planted faults of documents that `probity verify` finds";
const EXITS: &str = "documents with the right exit code, whatever `--fail-on` says";
const VALID: &str = "SARIF and JUnit files of these checks that are valid by the published schemas";
const TOOLS: &str = ".tools/documents";
const CHECKS: &str = "benches/checks/documents";
/// Chromium prints five pages.
const MAKE_LIMIT: Duration = Duration::from_secs(180);
const SIDE_BY_SIDE: usize = 3;
/// A claim that is at least this much of a sentence is that sentence.
const SAME_PERCENT: usize = 60;
const CONTRADICTED: i32 = 4;

/// What was seen of one document.
#[derive(Debug, Default)]
struct DocumentFindings {
    format: Option<DocumentFileFormat>,
    found: Vec<DocumentFault>,
    missed: Vec<(DocumentFault, String)>,
    /// True sentences that were called wrong.
    alarms: Vec<String>,
    wrong_exits: Vec<String>,
    exits: usize,
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let tools = rig::repository().join(TOOLS);
    if !tools.join("junit-10.xsd").exists() || !rig::has_program("chromium-headless-shell") {
        let why = "run benches/checks/documents/install first";
        return Ok([FOUND, EXITS, VALID].iter().map(|name| Figure::skipped(name, "all", why)).collect());
    }
    let folder = memory_folder()?;
    let texts = document_set::all();
    let made = folder.path().join("made");
    std::fs::create_dir_all(&made)?;
    for text in &texts {
        std::fs::write(made.join(format!("{}.md", text.name)), text.markdown())?;
    }
    script("make.py", &[&made])?;
    let pages: Vec<Value> = texts.iter().map(|text| text.topic.page()).collect();
    let simulator = simulated_world(folder.path(), &pages, None)?;
    // A faulty and a clean one of each format are the least that tells anything.
    let taken = size.pick(2, texts.len());
    let trials: Vec<(&DocumentText, DocumentFileFormat)> = texts
        .iter()
        .take(taken)
        .flat_map(|text| DocumentFileFormat::ALL.iter().map(move |format| (text, *format)))
        .collect();
    let reports = folder.path().join("reports");
    std::fs::create_dir_all(&reports)?;
    let seen = run_in_parallel("document", SIDE_BY_SIDE, &trials, folder.path(), |(text, format), place| {
        one(&simulator, text, *format, &made, &reports, place)
            .with_context(|| format!("{} as {format:?}", text.name))
    })?;
    let invalid = validated(&tools, &reports)?;
    let control = controls(&tools, &folder.path().join("broken"), &reports)?;
    Ok(figures(&seen, &invalid, 2 * trials.len(), &control))
}

/// Runs one of the scripts beside this measurement.
fn script(name: &str, arguments: &[&Path]) -> anyhow::Result<String> {
    let mut command = rig::command(rig::repository().join(TOOLS).join("python/bin/python"));
    command.arg(rig::repository().join(CHECKS).join(name)).args(arguments).stdin(Stdio::null());
    let finished = rig::run(&mut command, MAKE_LIMIT)?;
    ensure!(finished.in_time && finished.status.success(), "{name} failed: {}", finished.stderr);
    Ok(finished.stdout)
}

fn one(
    simulator: &SimulatorProcess,
    text: &DocumentText,
    format: DocumentFileFormat,
    made: &Path,
    reports: &Path,
    place: &Path,
) -> anyhow::Result<DocumentFindings> {
    let stand = EvidenceTestBed::open(simulator, place, JudgeSetup::Simulated)?;
    let name = format!("{}.{}", text.name, format.words());
    let file: PathBuf = made.join(&name);
    let path = file.to_string_lossy().into_owned();
    let mut seen = DocumentFindings { format: Some(format), ..DocumentFindings::default() };
    let run = |flags: &[&str]| {
        let arguments: Vec<&str> =
            ["verify", path.as_str()].into_iter().chain(flags.iter().copied()).collect();
        stand.run(&mut stand.command(&arguments))
    };
    let told = run(&["--json"])?;
    let ledger = checked(&told)?.ledger;
    judge_document(text, &ledger, &mut seen);
    use DocumentFault::{Dangling, Lie};
    let is_open =
        |fault: &DocumentFault| matches!(fault, Dangling | Lie(LieKind::Uncited | LieKind::InventedAddress));
    let unchecked = text.faults.iter().any(is_open);
    let refuted = text.faults.iter().any(|fault| !is_open(fault));
    let mut exit = |flags: &str, code: Option<i32>, fails: bool| {
        seen.exits += 1;
        let wanted = if fails { CONTRADICTED } else { 0 };
        if code != Some(wanted) {
            seen.wrong_exits.push(format!("{name} {flags}: {code:?} instead of {wanted}"));
        }
    };
    exit("", told.status.code(), refuted);
    exit("--fail-on none", run(&["--fail-on", "none", "--json"])?.status.code(), false);
    let strict = run(&["--fail-on", "not-checked,check-failed", "--json"])?;
    exit("--fail-on not-checked,check-failed", strict.status.code(), unchecked);
    for (form, ending) in [("sarif", "sarif"), ("junit", "xml")] {
        let finished = run(&["--format", form])?;
        exit(form, finished.status.code(), refuted);
        std::fs::write(reports.join(format!("{name}.{ending}")), finished.stdout)?;
    }
    Ok(seen)
}

fn judge_document(text: &DocumentText, ledger: &Ledger, seen: &mut DocumentFindings) {
    let of = |sentence: &str| -> Vec<&ClaimVerdict> {
        let claims = ledger.claims.iter().zip(&ledger.settled);
        claims
            .filter(|(claim, _)| is_of(&claim.words, sentence, SAME_PERCENT))
            .map(|(_, settled)| settled)
            .collect()
    };
    for fault in &text.faults {
        let settled = of(&text.sentence(*fault).text);
        let all = |wanted: fn(&Verdict) -> bool| {
            !settled.is_empty() && settled.iter().all(|it| wanted(&it.verdict))
        };
        let found = match fault {
            DocumentFault::Dangling => {
                let told = ledger.mended.iter().any(|mended| mended.contains(&DANGLING.to_string()));
                told && all(|verdict| !matches!(verdict, Verdict::Supported | Verdict::Quoted))
            }
            DocumentFault::Lie(LieKind::Uncited) => {
                all(|verdict| *verdict == Verdict::NotChecked { why: NotCheckedReason::Uncited })
            }
            DocumentFault::Lie(LieKind::InventedAddress) => {
                all(|verdict| *verdict == Verdict::NotChecked { why: NotCheckedReason::Unreachable })
            }
            DocumentFault::Lie(_) => {
                all(|verdict| matches!(verdict, Verdict::Contradicted | Verdict::NotInSource))
            }
        };
        let told: Vec<String> = settled.iter().map(|it| format!("{} ({})", it.verdict, it.reason)).collect();
        match found {
            true => seen.found.push(*fault),
            false => seen.missed.push((*fault, format!("{told:?}, mended: {:?}", ledger.mended))),
        }
    }
    for truth in text.topic.report(None) {
        let settled = of(&truth.text);
        let stands = settled.iter().all(|it| matches!(it.verdict, Verdict::Supported | Verdict::Quoted));
        if settled.is_empty() || !stands {
            let told: Vec<String> =
                settled.iter().map(|it| format!("{} ({})", it.verdict, it.reason)).collect();
            seen.alarms.push(format!("{}: {}: {told:?}", text.name, truth.text));
        }
    }
}

#[derive(Debug, Deserialize)]
struct SchemaValidation {
    file: String,
    errors: Vec<String>,
}

/// Files with what is wrong with them; a list of all files, empty errors where nothing is.
fn validated(tools: &Path, folder: &Path) -> anyhow::Result<Vec<SchemaValidation>> {
    let said = script("validate.py", &[tools, folder])?;
    said.lines().map(|line| serde_json::from_str(line).context("what the validator says")).collect()
}

/// The validators must refuse what is broken.
fn controls(tools: &Path, folder: &Path, reports: &Path) -> anyhow::Result<String> {
    std::fs::create_dir_all(folder)?;
    for entry in std::fs::read_dir(reports)? {
        let path = entry?.path();
        let text = std::fs::read_to_string(&path)?;
        let broken = text
            .replace("\"level\"", "\"lvl\"")
            .replace("\"ruleId\"", "\"rule\"")
            .replace("<testcase ", "<testcase sorrow=\"1\" ");
        if broken != text {
            std::fs::write(folder.join(path.file_name().context("no name")?), broken)?;
        }
    }
    let seen = validated(tools, folder)?;
    let refused = seen.iter().filter(|file| !file.errors.is_empty()).count();
    ensure!(refused == seen.len() && refused > 1, "the validators are blind: {seen:?}");
    Ok(format!("control: {refused} of {refused} files with a wrong field are refused"))
}

fn figures(
    seen: &[DocumentFindings],
    validated: &[SchemaValidation],
    files: usize,
    control: &str,
) -> Vec<Figure> {
    for seen in seen {
        seen.missed.iter().for_each(|(fault, told)| {
            output::progress(&format!("missed: {:?} {fault:?}: {told}", seen.format))
        });
        seen.alarms.iter().for_each(|alarm| output::progress(&format!("alarm: {:?} {alarm}", seen.format)));
        seen.wrong_exits.iter().for_each(|exit| output::progress(&format!("exit: {exit}")));
    }
    let invalid: Vec<&SchemaValidation> = validated.iter().filter(|file| !file.errors.is_empty()).collect();
    invalid.iter().for_each(|file| output::progress(&format!("invalid: {} {:?}", file.file, file.errors)));
    let sum = |count: fn(&DocumentFindings) -> usize| seen.iter().map(count).sum::<usize>();
    let (found, missed) = (sum(|seen| seen.found.len()), sum(|seen| seen.missed.len()));
    let (alarms, wrong) = (sum(|seen| seen.alarms.len()), sum(|seen| seen.wrong_exits.len()));
    let exits = sum(|seen| seen.exits);
    let mut formats: BTreeMap<DocumentFileFormat, (usize, usize)> = BTreeMap::new();
    let mut kinds: BTreeMap<DocumentFault, (usize, usize)> = BTreeMap::new();
    for seen in seen {
        let all = seen.found.iter().map(|fault| (*fault, 1));
        for (fault, hit) in all.chain(seen.missed.iter().map(|(fault, _)| (*fault, 0))) {
            let format = formats.entry(seen.format.unwrap_or(DocumentFileFormat::Markdown)).or_default();
            *format = (format.0 + hit, format.1 + 1);
            let kind = kinds.entry(fault).or_default();
            *kind = (kind.0 + hit, kind.1 + 1);
        }
    }
    let formats: Vec<String> = formats
        .iter()
        .map(|(format, (found, all))| format!("{}: {found} of {all}", format.words()))
        .collect();
    let kinds: Vec<String> =
        kinds.iter().map(|(fault, (found, all))| format!("{}: {found} of {all}", fault.words())).collect();
    vec![
        Figure::judged(
            FOUND,
            missed == 0 && found > 0 && alarms == 0,
            format!(
                "{found} of {} in {} documents, {alarms} true sentences not confirmed",
                found + missed,
                seen.len()
            ),
            "all, and every true sentence confirmed",
        )
        .with_note(format!(
            "{}; {}; files made by pandoc and Chromium, a simulated judge",
            formats.join(", "),
            kinds.join(", ")
        )),
        Figure::judged(EXITS, wrong == 0 && exits > 0, format!("{} of {exits} runs", exits - wrong), "all"),
        Figure::judged(
            VALID,
            invalid.is_empty() && validated.len() == files,
            format!("{} of {files}", validated.len() - invalid.len()),
            "all",
        )
        .with_note(format!("SARIF 2.1.0 of OASIS, JUnit of Jenkins' xUnit plugin; {control}")),
    ]
}
