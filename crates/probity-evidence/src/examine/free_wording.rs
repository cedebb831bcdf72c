//! Measures the rules on claims in free wording, from a folder that `PROBITY_FREE_WORDING` names. Does nothing without
//! it: the set is not part of the sources.

#![expect(clippy::disallowed_methods, reason = "a measurement that a setting switches on reads it here")]

use std::{collections::BTreeMap, fmt::Write as _, path::Path};

use probity_types::{
    checking::task::{CitedPage, JudgeLocation},
    ledger::{Check, CheckAspect, CheckAuthor, JudgeStanding, Ledger, Opinion, Verdict, verdict::is_final},
};
use serde::Deserialize;

use super::{is_witness, tests};

#[derive(Debug, Deserialize)]
struct Case {
    key: String,
    lang: String,
    cat: String,
    gold: String,
    claim: String,
}

#[derive(Debug, Deserialize)]
struct PageFile {
    body: String,
}

/// Paragraphs and rows as lines, as the extractor writes them.
fn text(html: &str) -> String {
    let body = html.split_once("<main>").map_or(html, |(_, rest)| rest);
    let body = body.split_once("</main>").map_or(body, |(main, _)| main);
    let mut lines = String::new();
    let mut rest = body;
    while let Some((before, after)) = rest.split_once('<') {
        lines.push_str(before);
        let (tag, behind) = after.split_once('>').unwrap_or((after, ""));
        match tag.split_whitespace().next().unwrap_or_default() {
            "/p" | "/h1" | "/h2" | "/li" | "/tr" | "hr" | "p" | "ul" => lines.push('\n'),
            "/td" | "/th" if behind.starts_with("<td") || behind.starts_with("<th") => lines.push_str(" | "),
            _ => {}
        }
        rest = behind;
    }
    lines.push_str(rest);
    let lines = lines.replace("&amp;", "&").replace("&quot;", "\"").replace("&#39;", "'");
    lines.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// The ledger after a judge that gives this opinion, with a true quotation.
fn judged(mut ledger: Ledger, opinion: Opinion, standing: JudgeStanding) -> Ledger {
    let questions = ledger.questions.clone();
    for question in questions {
        let passage = &ledger.passages[question.passages[0] as usize];
        let (source, span) = (passage.source, (passage.start, passage.end));
        let page = ledger.sources[source as usize].state.snapshot();
        ledger.checks.push(Check {
            claim: question.claim,
            aspect: CheckAspect::Meaning,
            opinion,
            by: CheckAuthor::Model { name: "judge".to_owned(), version: "1".to_owned() },
            confidence: 90,
            source: Some(source),
            span: Some(span),
            page,
            at: ledger.checks.first().map_or(probity_types::time::Moment(0), |check| check.at),
            reason: String::new(),
        });
    }
    ledger.judge_standing = standing;
    ledger.compute_verdicts(None);
    ledger
}

#[derive(Debug, Default)]
struct Tally {
    all: usize,
    caught: usize,
}

fn stands(ledger: &Ledger) -> bool {
    ledger.settled.iter().all(|settled| matches!(settled.verdict, Verdict::Supported | Verdict::Quoted))
}

fn refuted(ledger: &Ledger) -> bool {
    let against = |verdict: &Verdict| matches!(verdict, Verdict::Contradicted | Verdict::NotInSource);
    ledger.settled.iter().any(|settled| against(&settled.verdict))
}

#[test]
fn free_wording_is_measured_where_the_set_is() {
    let Ok(folder) = std::env::var("PROBITY_FREE_WORDING") else { return };
    let folder = Path::new(&folder);
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let cases: Vec<Case> = serde_json::from_str(&read("cases.json")).unwrap();
    let pages: BTreeMap<String, BTreeMap<String, PageFile>> =
        serde_json::from_str(&read("pages.json")).unwrap();
    let mut said = String::new();
    let mut by_kind: BTreeMap<String, Tally> = BTreeMap::new();
    let (mut yes, mut wrong_passed, mut unexamined_passed) = (0, 0, 0);
    let (mut true_refuted, mut true_lost, mut true_doubted, mut truths, mut falsehoods) = (0, 0, 0, 0, 0);
    for case in &cases {
        let url = format!("http://{}.test-pages.example/page", case.key);
        let host = format!("{}.test-pages.example", case.key);
        let body = text(&pages[&host]["/page"].body);
        let cited = || -> Vec<CitedPage> { vec![tests::page(&url, &body)] };
        let report = format!("{} [source]({url})", case.claim);
        let alone = tests::ledger(&report, cited(), JudgeLocation::Absent);
        let asked = || tests::ledger(&report, cited(), JudgeLocation::Remote);
        let witness =
            |check: &&Check| is_witness(check.opinion) && matches!(check.by, CheckAuthor::Rules { .. });
        let against: Vec<&Check> = alone.checks.iter().filter(witness).collect();
        let is_true = case.gold == "T";
        let mark = match (is_true, against.is_empty(), refuted(&alone)) {
            (true, _, true) => "TRUE REFUTED",
            (true, false, _) => "true doubted",
            (true, true, _) => "true",
            (false, true, _) => "WRONG MISSED",
            (false, false, _) => "wrong caught",
        };
        writeln!(said, "{mark} [{} {} {}] {}", case.lang, case.cat, case.key, case.claim).unwrap();
        for check in &against {
            let sure = if is_final(check) { "final" } else { "" };
            writeln!(
                said,
                "      {:?} {:?} {} {sure} {}",
                check.aspect, check.opinion, check.confidence, check.reason
            )
            .unwrap();
        }
        if is_true {
            truths += 1;
            true_refuted += usize::from(refuted(&alone));
            true_doubted += usize::from(!against.is_empty());
            let supported = judged(asked(), Opinion::Supports, JudgeStanding::Trusted);
            true_lost += usize::from(!stands(&supported));
            yes += usize::from(stands(&supported));
        } else {
            falsehoods += 1;
            wrong_passed += usize::from(stands(&judged(asked(), Opinion::Supports, JudgeStanding::Trusted)));
            unexamined_passed +=
                usize::from(stands(&judged(asked(), Opinion::Supports, JudgeStanding::Unexamined)));
            for name in [format!("kind {}", case.cat), format!("language {}", case.lang)] {
                let tally = by_kind.entry(name).or_default();
                tally.all += 1;
                tally.caught += usize::from(!against.is_empty());
            }
        }
    }
    let caught: usize =
        by_kind.iter().filter(|(name, _)| name.starts_with("kind")).map(|(_, tally)| tally.caught).sum();
    for (name, tally) in &by_kind {
        writeln!(said, "{name}: {} of {}", tally.caught, tally.all).unwrap();
    }
    writeln!(said, "true {truths}: refuted without a judge {true_refuted}, doubted {true_doubted}, lost under a perfect judge {true_lost}, kept {yes}").unwrap();
    writeln!(said, "wrong {falsehoods}: caught by a witness {caught}; passed by a judge that always says yes: trusted {wrong_passed}, unexamined {unexamined_passed}").unwrap();
    std::fs::write(std::env::temp_dir().join("free-wording.txt"), &said).unwrap();
}
