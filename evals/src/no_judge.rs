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
    compare::{self, Context, Finding, PageFacts, Remark, Source},
    locate::locate,
    page::Page,
};
use probity_research::{
    ledger::{Aspect, By, Check, Claim, ClaimId, ClaimKind, Ledger, Opinion, Verdict},
    time::Moment,
};
use serde::Deserialize;

use crate::{
    data::{self, WiceLabel},
    outcome::{Extent, Outcome},
    veto::PASSAGES,
};

const GOAL: &str = "0 of the unsupported claims come out as supported";

/// A claim with the text it should rest on.
struct Item {
    set: &'static str,
    claim: String,
    page: String,
    supported: bool,
}

#[derive(Debug, Deserialize)]
struct FoolMeTwice {
    text: String,
    label: String,
    gold_evidence: Vec<Evidence>,
    retrieved_evidence: Vec<Evidence>,
}

#[derive(Debug, Deserialize)]
struct Evidence {
    text: String,
}

pub fn measure(extent: Extent) -> anyhow::Result<Vec<Outcome>> {
    let folder = match data::folder() {
        Ok(folder) => folder,
        Err(why) => return Ok(vec![Outcome::skipped("nothing is supported without a judge", GOAL, why)]),
    };
    let mut items = Vec::new();
    for file in ["claim_dev", "claim_test"] {
        for item in data::wice(&folder, file)? {
            items.push(Item {
                set: "WiCE",
                page: item.page(),
                supported: item.label == WiceLabel::Supported,
                claim: item.claim,
            });
        }
    }
    for file in ["dev", "test"] {
        let lines: Vec<FoolMeTwice> = data::lines(&folder.join("fm2").join(format!("{file}.jsonl")))?;
        items.extend(lines.into_iter().map(|line| {
            Item {
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
    let items: Vec<Item> = items.into_iter().step_by(extent.pick(8, 1)).collect();
    let mut rows = Vec::new();
    for set in ["WiCE", "FM2"] {
        let of: Vec<&Item> = items.iter().filter(|item| item.set == set).collect();
        rows.push(ours(set, &of));
        rows.extend(peers(set, &of)?);
    }
    Ok(rows)
}

/// The verdict of every claim; each also gets a forged check by which rules "support" it, which must count as nothing.
fn ours(set: &str, items: &[&Item]) -> Outcome {
    let passed =
        items.iter().filter(|item| !item.supported && verdict(item) == Some(Verdict::Supported)).count();
    let unsupported = items.iter().filter(|item| !item.supported).count();
    Outcome::judged(
        format!("supported without a judge, {set}"),
        passed == 0,
        format!("{passed} of {unsupported}"),
        GOAL,
    )
    .with_note("every claim also carried a forged check of rules that says it is supported")
}

fn verdict(item: &Item) -> Option<Verdict> {
    let page = Page::new(&item.page);
    let facts = PageFacts::of(&page);
    let passages = locate(&item.claim, &page, PASSAGES);
    let comparison = compare::compare(
        &item.claim,
        &Source { page: &page, facts: &facts, passages: &passages, context: Context::default() },
    );
    let id = ClaimId::at(0);
    let claim = Claim {
        id,
        start: 0,
        end: item.claim.len(),
        words: item.claim.clone(),
        kind: ClaimKind::Fact,
        load_bearing: true,
        cites: vec![0],
        quotations: Vec::new(),
        derived: None,
    };
    let check = |aspect, opinion, confidence, span| Check {
        claim: id,
        aspect,
        opinion,
        by: By::Rules { version: "evals".to_owned() },
        confidence,
        source: Some(0),
        span,
        page: None,
        at: Moment(0),
        reason: String::new(),
    };
    let opinion = |remark: &Remark| match remark.finding {
        Finding::Agrees => Opinion::Agrees,
        Finding::Weakens => Opinion::Qualifies,
        Finding::Absent => Opinion::Absent,
        Finding::Differs => Opinion::Contradicts,
    };
    let mut checks: Vec<Check> = comparison
        .remarks
        .iter()
        .map(|remark| check(Aspect::Coverage, opinion(remark), remark.confidence, remark.span))
        .collect();
    checks.push(check(Aspect::Meaning, Opinion::Supports, 99, Some((0, 1))));
    let mut ledger = Ledger { claims: vec![claim], checks, ..Ledger::default() };
    ledger.settle(None);
    ledger.verdict(id).map(|settled| settled.verdict.clone())
}

#[derive(Debug, Deserialize)]
struct PeerLine {
    peer: String,
    supported: bool,
    place: usize,
}

/// What the other tools' rules pass.
fn peers(set: &str, items: &[&Item]) -> anyhow::Result<Vec<Outcome>> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let python = root.join(".tools/peers/bin/python");
    if !root.join(".tools/peers/installed").exists() {
        let name = format!("other tools' rules, {set}");
        return Ok(vec![Outcome::skipped(name, "shown", "not installed: run evals/peers/install")]);
    }
    let mut child = Command::new(python)
        .arg(root.join("evals/peers/run.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
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
    let lines: Vec<PeerLine> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()
        .context("reading the peers")?;
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
        Outcome::judged(format!("{name}, {set}"), true, measured, "shown").with_note(note)
    };
    Ok(names.iter().map(row).collect())
}
