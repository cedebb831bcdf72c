//! Without a judge nothing is called supported: the verdict is computed for every claim of WiCE and FM2. Beside it,
//! what other tools' rules pass on the same items, if they are installed (`evals/peers/install`).
#![expect(clippy::disallowed_methods, reason = "the peers are programs of their own")]

use std::{
    io::Write as _,
    path::PathBuf,
    process::{Command, Stdio},
};

use anyhow::Context as _;
use probity_evidence::{
    compare::{
        self, ClaimComparison, Comparison, ComparisonContext, ComparisonRemark, ComparisonSource, PageFacts,
    },
    locate::locate,
    page::IndexedPage,
};
use probity_types::{
    id::Digest,
    ledger::{Check, CheckAspect, CheckAuthor, Claim, ClaimId, ClaimKind, Ledger, Opinion, Verdict},
    time::Moment,
};
use serde::Deserialize;

use crate::{
    data::{self, WiceLabel},
    outcome::{EvalExtent, EvalOutcome},
    veto::PASSAGES,
};

const GOAL: &str = "0 of the unsupported claims come out as supported";

/// A claim with the text it should rest on.
struct LabelledClaim {
    set: &'static str,
    claim: String,
    page: String,
    supported: bool,
}

#[derive(Debug, Deserialize)]
struct FoolMeTwiceItem {
    text: String,
    label: String,
    gold_evidence: Vec<FoolMeTwiceEvidence>,
    retrieved_evidence: Vec<FoolMeTwiceEvidence>,
}

#[derive(Debug, Deserialize)]
struct FoolMeTwiceEvidence {
    text: String,
}

pub fn measure(extent: EvalExtent) -> anyhow::Result<Vec<EvalOutcome>> {
    let folder = match data::folder() {
        Ok(folder) => folder,
        Err(why) => return Ok(vec![EvalOutcome::skipped("nothing is supported without a judge", GOAL, why)]),
    };
    let mut items = Vec::new();
    for file in ["claim_dev", "claim_test"] {
        for item in data::wice(&folder, file)? {
            items.push(LabelledClaim {
                set: "WiCE",
                page: item.page(),
                supported: item.label == WiceLabel::Supported,
                claim: item.claim,
            });
        }
    }
    for file in ["dev", "test"] {
        let lines: Vec<FoolMeTwiceItem> = data::lines(&folder.join("fm2").join(format!("{file}.jsonl")))?;
        items.extend(lines.into_iter().map(|line| {
            LabelledClaim {
                set: "FM2",
                page: line
                    .gold_evidence
                    .iter()
                    .chain(&line.retrieved_evidence)
                    .map(|evidence| evidence.text.as_str())
                    .collect::<Vec<_>>()
                    .join("\n"),
                supported: line.label == "SUPPORTS",
                claim: line.text,
            }
        }));
    }
    let items: Vec<LabelledClaim> = items.into_iter().step_by(extent.pick(8, 1)).collect();
    let mut rows = Vec::new();
    for set in ["WiCE", "FM2"] {
        let of: Vec<&LabelledClaim> = items.iter().filter(|item| item.set == set).collect();
        rows.extend(ours(set, &of));
        rows.extend(peers(set, &of)?);
    }
    Ok(rows)
}

/// The verdict of every claim with what the rules remark and both forged checks, which must count as nothing; then
/// each forged check alone, and a complete one alone, which must pass: otherwise nothing here could fail.
fn ours(set: &str, items: &[&LabelledClaim]) -> Vec<EvalOutcome> {
    let supported = |settled: Option<Verdict>| settled == Some(Verdict::Supported);
    let unsupported: Vec<&&LabelledClaim> = items.iter().filter(|item| !item.supported).collect();
    let passed = unsupported
        .iter()
        .filter(|item| {
            let mut checks = remarks(item);
            checks.extend([forged(ForgedCheck::ByRules), forged(ForgedCheck::WithoutPlace)]);
            supported(verdict(&item.claim, checks))
        })
        .count();
    let alone = |form: ForgedCheck| {
        items.iter().filter(|item| supported(verdict(&item.claim, vec![forged(form)]))).count()
    };
    let (by_rules, without_place) = (alone(ForgedCheck::ByRules), alone(ForgedCheck::WithoutPlace));
    let complete = alone(ForgedCheck::Complete);
    vec![
        EvalOutcome::new(
            format!("supported without a judge, {set}"),
            passed == 0,
            format!("{passed} of {}", unsupported.len()),
            GOAL,
        )
        .with_note("every claim also carried two forged checks that say it is supported"),
        EvalOutcome::new(
            format!("forged checks that pass, {set}"),
            by_rules + without_place == 0 && complete == items.len() && complete > 0,
            format!(
                "made by rules {by_rules}, by a model without a place {without_place}, complete {complete}, of {} each",
                items.len()
            ),
            "none, none, all",
        ),
    ]
}

/// A single check that says "supports".
#[derive(Debug, Clone, Copy)]
enum ForgedCheck {
    /// Perfect, except that rules made it.
    ByRules,
    /// Made by a model that names no place on the page.
    WithoutPlace,
    /// What only a judge makes who was asked.
    Complete,
}

fn forged(form: ForgedCheck) -> Check {
    let model = CheckAuthor::Model { name: "judge".to_owned(), version: "1".to_owned() };
    let complete = Check {
        claim: ClaimId::at(0),
        aspect: CheckAspect::Meaning,
        opinion: Opinion::Supports,
        by: model,
        confidence: 99,
        source: Some(0),
        span: Some((0, 1)),
        page: Some(Digest([7; 32])),
        at: Moment(0),
        reason: "the page says so".to_owned(),
    };
    match form {
        ForgedCheck::ByRules => Check { by: CheckAuthor::Rules { version: "evals".to_owned() }, ..complete },
        ForgedCheck::WithoutPlace => Check { span: None, ..complete },
        ForgedCheck::Complete => complete,
    }
}

/// What the rules say of a claim beside its page.
fn remarks(item: &LabelledClaim) -> Vec<Check> {
    let page = IndexedPage::new(&item.page);
    let facts = PageFacts::of(&page);
    let passages = locate(&item.claim, &page, PASSAGES);
    let comparison = compare::compare(
        &item.claim,
        &ComparisonSource {
            page: &page,
            facts: &facts,
            passages: &passages,
            context: ComparisonContext::default(),
        },
    );
    as_checks(&comparison)
}

/// The verdict of a claim of which only the rules spoke.
pub fn rule_verdict(claim: &str, comparison: &ClaimComparison) -> Option<Verdict> {
    verdict(claim, as_checks(comparison))
}

fn as_checks(comparison: &ClaimComparison) -> Vec<Check> {
    let opinion = |remark: &ComparisonRemark| match remark.finding {
        Comparison::Agrees => Opinion::Agrees,
        Comparison::Weakens => Opinion::Qualifies,
        Comparison::Absent => Opinion::Absent,
        Comparison::Differs => Opinion::Contradicts,
    };
    let check = |remark: &ComparisonRemark| Check {
        aspect: CheckAspect::Coverage,
        opinion: opinion(remark),
        confidence: remark.confidence,
        span: remark.span,
        reason: String::new(),
        ..forged(ForgedCheck::ByRules)
    };
    comparison.remarks.iter().map(check).collect()
}

fn verdict(words: &str, checks: Vec<Check>) -> Option<Verdict> {
    let id = ClaimId::at(0);
    let claim = Claim {
        id,
        start: 0,
        end: words.len(),
        words: words.to_owned(),
        kind: ClaimKind::Fact,
        load_bearing: true,
        cites: vec![0],
        quotations: Vec::new(),
        derived: None,
    };
    let mut ledger = Ledger { claims: vec![claim], checks, ..Ledger::default() };
    ledger.compute_verdicts(None);
    ledger.verdict(id).map(|settled| settled.verdict.clone())
}

#[derive(Debug, Deserialize)]
struct PeerLine {
    peer: String,
    supported: bool,
    place: usize,
}

/// What the other tools' rules pass.
fn peers(set: &str, items: &[&LabelledClaim]) -> anyhow::Result<Vec<EvalOutcome>> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let python = root.join(".tools/peers/bin/python");
    if !root.join(".tools/peers/installed").exists() {
        let name = format!("other tools' rules, {set}");
        return Ok(vec![EvalOutcome::skipped(name, "shown", "not installed: run evals/peers/install")]);
    }
    let mut child = Command::new(python)
        .arg(root.join("evals/peers/run.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("starting the peers")?;
    let mut input = child.stdin.take().context("the peers take no input")?;
    let text: String = items
        .iter()
        .map(|item| format!("{}\n", serde_json::json!({"claim": item.claim, "page": item.page})))
        .collect();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().context("waiting for the peers")?;
    writer.join().map_err(|_| anyhow::anyhow!("writing to the peers"))?.context("writing to the peers")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let why = said.lines().last().unwrap_or("it said nothing").to_owned();
        return Ok(vec![EvalOutcome::skipped(format!("other tools' rules, {set}"), "shown", why)]);
    }
    let lines: Vec<PeerLine> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()
        .context("reading the peers")?;
    let left_out: Vec<EvalOutcome> = String::from_utf8_lossy(&output.stderr)
        .lines()
        .filter_map(|line| line.split_once(" left out: "))
        .map(|(peer, why)| EvalOutcome::skipped(format!("{peer}, {set}"), "shown", why))
        .collect();
    let mut names: Vec<&str> = lines.iter().map(|line| line.peer.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let row = |name: &&str| {
        let passed = |supported: bool| {
            lines
                .iter()
                .filter(|line| {
                    line.peer == *name
                        && line.supported
                        && items.get(line.place).is_some_and(|item| item.supported == supported)
                })
                .count()
        };
        let unsupported = items.iter().filter(|item| !item.supported).count();
        let (wrong, right) = (passed(false), passed(true));
        let measured = format!(
            "{wrong} of {unsupported} unsupported ones pass ({:.1} %)",
            100.0 * wrong as f64 / unsupported.max(1) as f64
        );
        let note = format!(
            "passes {right} supported ones too; precision {:.3}",
            right as f64 / (right + wrong).max(1) as f64
        );
        EvalOutcome::new(format!("{name}, {set}"), true, measured, "shown").with_note(note)
    };
    Ok(names.iter().map(row).chain(left_out).collect())
}
