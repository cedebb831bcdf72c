//! Without a judge nothing is called supported: the verdict is computed for every claim of WiCE and FM2. Beside it,
//! what other tools' rules pass on the same items, if they are installed (`evals/peers/install`).

use std::path::Path;

use probity_evidence::compare::{self, ClaimComparison, Comparison, ComparisonRemark};
use probity_research::{
    id::Digest,
    ledger::{Check, CheckAspect, CheckAuthor, Claim, ClaimId, ClaimKind, Ledger, Opinion, Verdict},
    time::Moment,
};
use serde::Deserialize;

use super::{
    labelled_data::{self as data, WiceItem, WiceLabel},
    peer_checks, veto,
};
use crate::figure::{Figure, MeasurementSize};

const GOAL: &str = "0 of the unsupported claims come out as supported";

/// A claim with the text it should rest on.
pub struct LabelledClaim {
    set: &'static str,
    pub claim: String,
    pub page: String,
    pub supported: bool,
}

/// The halves that nothing was tuned on, by set.
pub fn held_out(folder: &Path) -> anyhow::Result<[(&'static str, Vec<LabelledClaim>); 2]> {
    Ok([("WiCE", wice_claims(folder, "claim_test")?), ("FM2", fool_me_twice_claims(folder, "test")?)])
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

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let Some(folder) = data::folder() else {
        return data::absent("nothing is supported without a judge", GOAL);
    };
    let mut items = Vec::new();
    for file in ["claim_dev", "claim_test"] {
        items.extend(wice_claims(&folder, file)?);
    }
    for file in ["dev", "test"] {
        items.extend(fool_me_twice_claims(&folder, file)?);
    }
    let items: Vec<LabelledClaim> = items.into_iter().step_by(size.pick(8, 1)).collect();
    let mut rows = Vec::new();
    for set in ["WiCE", "FM2"] {
        let of: Vec<&LabelledClaim> = items.iter().filter(|item| item.set == set).collect();
        rows.extend(ours(set, &of));
        rows.extend(peers(set, &of));
    }
    Ok(rows)
}

fn wice_claims(folder: &Path, file: &str) -> anyhow::Result<Vec<LabelledClaim>> {
    let claim = |item: WiceItem| LabelledClaim {
        set: "WiCE",
        page: item.page(),
        supported: item.label == WiceLabel::Supported,
        claim: item.claim,
    };
    Ok(data::wice(folder, file)?.into_iter().map(claim).collect())
}

fn fool_me_twice_claims(folder: &Path, file: &str) -> anyhow::Result<Vec<LabelledClaim>> {
    let lines: Vec<FoolMeTwiceItem> = data::lines(&folder.join("fm2").join(format!("{file}.jsonl")))?;
    let claim = |line: FoolMeTwiceItem| {
        let evidence = line.gold_evidence.iter().chain(&line.retrieved_evidence);
        let page = evidence.map(|evidence| evidence.text.as_str()).collect::<Vec<_>>().join("\n");
        LabelledClaim { set: "FM2", page, supported: line.label == "SUPPORTS", claim: line.text }
    };
    Ok(lines.into_iter().map(claim).collect())
}

/// The verdict of every claim with what the rules remark and both forged checks, which must count as nothing; then
/// each forged check alone, and a complete one alone, which must pass: otherwise nothing here could fail.
fn ours(set: &str, items: &[&LabelledClaim]) -> Vec<Figure> {
    let supported = |settled: Option<Verdict>| settled == Some(Verdict::Supported);
    let unsupported: Vec<&&LabelledClaim> = items.iter().filter(|item| !item.supported).collect();
    let passed = unsupported
        .iter()
        .filter(|item| {
            let page = veto::indexed(&item.page);
            let comparison = veto::beside(&item.claim, &page, |source| compare::compare(&item.claim, source));
            let mut checks = as_checks(&comparison);
            checks.extend([forged(ForgedCheck::ByRules), forged(ForgedCheck::WithoutPlace)]);
            supported(verdict(&item.claim, checks))
        })
        .count();
    let alone = |form: ForgedCheck| {
        items.iter().filter(|item| supported(verdict(&item.claim, vec![forged(form)]))).count()
    };
    let (by_rules, without_place) = (alone(ForgedCheck::ByRules), alone(ForgedCheck::WithoutPlace));
    let complete = alone(ForgedCheck::Complete);
    let name = format!("supported without a judge, {set}");
    let measured = format!("{passed} of {}", unsupported.len());
    let without = Figure::judged(&name, passed == 0, measured, GOAL)
        .with_note("every claim also carried two forged checks that say it is supported");
    let name = format!("forged checks that pass, {set}");
    let reached = by_rules + without_place == 0 && complete == items.len() && complete > 0;
    let measured = format!(
        "made by rules {by_rules}, by a model without a place {without_place}, complete {complete}, of {} each",
        items.len()
    );
    vec![without, Figure::judged(&name, reached, measured, "none, none, all")]
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
        context: Default::default(),
        inherited: None,
        repeats: None,
        rests_on: Vec::new(),
    };
    let mut ledger = Ledger { claims: vec![claim], checks, ..Ledger::default() };
    ledger.compute_verdicts(None);
    ledger.verdict(id).map(|settled| settled.verdict.clone())
}

/// What the other tools' rules pass.
fn peers(set: &str, items: &[&LabelledClaim]) -> Vec<Figure> {
    let skipped = |who: &str, why: &str| Figure::skipped(&format!("{who}, {set}"), "shown", why);
    if !peer_checks::installed() {
        return vec![skipped("other tools' rules", "not installed: run evals/peers/install")];
    }
    let replies = match peer_checks::ask(items.iter().map(|item| (item.claim.as_str(), item.page.as_str()))) {
        Ok(replies) => replies,
        Err(error) => return vec![skipped("other tools' rules", &format!("{error:#}"))],
    };
    let unsupported = items.iter().filter(|item| !item.supported).count();
    let row = |(peer, passes): (&String, &Vec<(usize, bool)>)| {
        let passed = |supported: bool| {
            let is_so = |place: usize| items.get(place).is_some_and(|item| item.supported == supported);
            passes.iter().filter(|(place, passes)| *passes && is_so(*place)).count()
        };
        let (wrong, right) = (passed(false), passed(true));
        let share = 100.0 * wrong as f64 / unsupported.max(1) as f64;
        let measured = format!("{wrong} of {unsupported} unsupported ones pass ({share:.1} %)");
        let precision = right as f64 / (right + wrong).max(1) as f64;
        let note = format!("passes {right} supported ones too; precision {precision:.3}");
        Figure::judged(&format!("{peer}, {set}"), true, measured, "shown").with_note(note)
    };
    let left_out = replies.left_out.iter().map(|(peer, why)| skipped(peer, why));
    replies.verdicts.iter().map(row).chain(left_out).collect()
}
