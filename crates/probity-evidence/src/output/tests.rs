mod whole_reports;

use probity_types::{
    ledger::{
        Check, CheckAspect, CheckAuthor, Claim, ClaimId, ClaimKind, ClaimVerdict, Ledger, NotCheckedReason,
        Opinion, Verdict,
    },
    report::Report,
    time::Moment,
};

use super::{CheckedText, junit, markdown, sarif};
use crate::verdict_changes::verdict_changes;

const TEXT: &str = "# T\n\nIt fell \"12 %\" <b>&. ünd it rose.\n";

fn ledger(verdicts: &[Verdict]) -> Ledger {
    let ranges = [(5, 25), (26, 38)];
    let claim = |place: usize| Claim {
        id: ClaimId::at(place),
        start: ranges[place].0,
        end: ranges[place].1,
        words: TEXT.get(ranges[place].0..ranges[place].1).unwrap().to_owned(),
        kind: ClaimKind::Fact,
        load_bearing: true,
        cites: Vec::new(),
        quotations: Vec::new(),
        derived: None,
        context: Default::default(),
        inherited: None,
        repeats: None,
        rests_on: Vec::new(),
    };
    let settled = |place: usize| ClaimVerdict {
        claim: ClaimId::at(place),
        verdict: verdicts[place].clone(),
        by: None,
        aspect: None,
        confidence: 90,
        source: None,
        span: None,
        page: None,
        at: None,
        origins: 0,
        reason: "a \u{1}<reason>".to_owned(),
    };
    Ledger {
        claims: (0..verdicts.len()).map(claim).collect(),
        settled: (0..verdicts.len()).map(settled).collect(),
        ..Ledger::default()
    }
}

fn report() -> Report {
    Report { text: TEXT.to_owned(), ..Report::default() }
}

#[test]
fn each_form_tells_every_claim_once_and_nothing_in_it_acts() {
    let ledger = ledger(&[Verdict::Contradicted, Verdict::NotChecked { why: NotCheckedReason::NoJudge }]);
    let report = report();
    let labelled = CheckedText { path: "a b/<x>.md", report: &report, ledger: &ledger };

    let sarif: serde_json::Value = serde_json::from_str(&sarif::document(&labelled)).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    let first = &results[0];
    assert_eq!((&first["ruleId"], &first["level"]), (&"contradicted".into(), &"error".into()));
    let location = &first["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "a%20b/%3Cx%3E.md");
    assert_eq!(
        (&location["region"]["startLine"], &location["region"]["startColumn"]),
        (&3.into(), &1.into())
    );
    assert_eq!(results[1]["locations"][0]["physicalLocation"]["region"]["startColumn"], 22);

    let failed = junit::FailedGate { claims: [ClaimId::at(0)].into(), whole: Vec::new() };
    let junit = junit::document(&labelled, &failed);
    assert!(junit.contains("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"1\""), "{junit}");
    assert!(
        !junit.contains('\u{1}') && !junit.contains("<b>") && junit.contains("&lt;reason&gt;"),
        "{junit}"
    );

    let shown = markdown::annotate(&labelled);
    assert!(
        shown.contains("`[C1 contradicted]`") && shown.contains("`[C2 not checked, no judge]`"),
        "{shown}"
    );
    assert!(shown.contains("2 claims: 1 contradicted, 1 not checked"), "{shown}");
    assert!(shown.contains("**Contradicted by their source (1)**\n\n- **C1** (line 3; T)"), "{shown}");
}

#[test]
fn the_mark_of_a_row_of_a_table_stands_in_its_last_cell() {
    let mut ledger = ledger(&[Verdict::Contradicted]);
    let text = "| a | b |\n|---|---|\n| Oslo | 12 |\n";
    ledger.claims[0].start = 20;
    ledger.claims[0].end = text.len() - 1;
    let report = Report { text: text.to_owned(), ..Report::default() };
    let shown = markdown::annotate(&CheckedText { path: "x.md", report: &report, ledger: &ledger });
    assert!(shown.contains("| Oslo | 12 `[C1 contradicted]` |\n"), "{shown}");
}

#[test]
fn junit_fails_what_the_caller_rules_out_and_nothing_else() {
    let ledger = ledger(&[Verdict::Contradicted, Verdict::NotChecked { why: NotCheckedReason::Uncited }]);
    let report = report();
    let labelled = CheckedText { path: "x.md", report: &report, ledger: &ledger };
    let nothing = junit::document(&labelled, &junit::FailedGate::default());
    assert!(nothing.contains("tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"2\""), "{nothing}");
    let uncited = junit::FailedGate { claims: [ClaimId::at(1)].into(), whole: Vec::new() };
    let uncited = junit::document(&labelled, &uncited);
    assert!(uncited.contains("failures=\"1\" errors=\"0\" skipped=\"1\""), "{uncited}");
    assert!(uncited.contains("<failure type=\"not-checked\""), "{uncited}");
    let whole = vec![("unverified", "1 of 2 <holds>".to_owned())];
    let whole = junit::document(&labelled, &junit::FailedGate { whole, ..Default::default() });
    assert!(whole.contains("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"2\""), "{whole}");
    assert!(whole.contains("<failure type=\"unverified\" message=\"1 of 2 &lt;holds&gt;\"/>"), "{whole}");
}

#[test]
fn a_thousand_claims_are_cut_with_a_word_and_all_are_in_the_machine_forms() {
    let mut many = ledger(&[Verdict::NotInSource]);
    let (claim, settled) = (many.claims.remove(0), many.settled.remove(0));
    for place in 0..1_000 {
        many.claims.push(Claim { id: ClaimId::at(place), ..claim.clone() });
        let verdict = if place < 600 { Verdict::NotInSource } else { Verdict::Supported };
        many.settled.push(ClaimVerdict { claim: ClaimId::at(place), verdict, ..settled.clone() });
    }
    let report = report();
    let labelled = CheckedText { path: "x.md", report: &report, ledger: &many };
    let shown = markdown::annotate(&labelled);
    assert!(shown.contains("Not in their source (600)") && shown.contains("… 500 more"), "{shown}");
    assert!(shown.contains("Supported: 400."), "{shown}");
    let sarif: serde_json::Value = serde_json::from_str(&sarif::document(&labelled)).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let of = |kind: &str| results.iter().filter(|result| result["kind"] == kind).count();
    assert_eq!((of("fail"), of("pass")), (600, 400));
    assert_eq!((&results[999]["ruleId"], &results[999]["level"]), (&"supported".into(), &"none".into()));
    let rules = &sarif["runs"][0]["tool"]["driver"]["rules"];
    let index = usize::try_from(results[0]["ruleIndex"].as_u64().unwrap()).unwrap();
    assert_eq!(rules[index]["id"], results[0]["ruleId"]);
}

#[test]
fn an_inference_is_marked_in_every_form_and_counted_apart() {
    let mut ledger = ledger(&[Verdict::Supported, Verdict::DoesNotFollow]);
    ledger.claims[1].kind = ClaimKind::Inference;
    ledger.claims[1].rests_on = vec![ClaimId::at(0)];
    let report = report();
    let labelled = CheckedText { path: "x.md", report: &report, ledger: &ledger };
    assert_eq!(ledger.tally().line(), "1 claim: 1 supported, 1 inference that is not shown to follow");
    let shown = markdown::annotate(&labelled);
    assert!(shown.contains("`[C2 inference, does not follow]`"), "{shown}");
    assert!(shown.contains("Inferences that do not follow from the claims they rest on (1)"), "{shown}");
    assert!(shown.contains("inference from C1"), "{shown}");
    let sarif: serde_json::Value = serde_json::from_str(&sarif::document(&labelled)).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&"does-not-follow".into(), &"error".into()));
    assert!(result["message"]["text"].as_str().unwrap().starts_with("inference from C1, does not follow"));
    assert_eq!(result["properties"]["restsOn"], serde_json::json!(["C1"]));
}

#[test]
fn every_form_counts_the_same_claims() {
    let mut ledger = ledger(&[Verdict::Supported, Verdict::NotChecked { why: NotCheckedReason::OwnWords }]);
    ledger.claims[1].kind = ClaimKind::OwnWords;
    let report = report();
    let labelled = CheckedText { path: "x.md", report: &report, ledger: &ledger };
    assert_eq!(ledger.tally().line(), "1 claim: 1 supported");
    let shown = markdown::annotate(&labelled);
    assert!(
        shown.contains("*1 claim: 1 supported*") && shown.contains("1 sentence in the text's own words"),
        "{shown}"
    );
    let sarif: serde_json::Value = serde_json::from_str(&sarif::document(&labelled)).unwrap();
    let run = &sarif["runs"][0];
    assert_eq!(run["results"].as_array().unwrap().len(), 1);
    assert_eq!(run["properties"]["claims"], "1 claim: 1 supported");
    assert_eq!(run["properties"]["notListed"], "1 sentence in the text's own words");
}

#[test]
fn only_flipped_claims_are_told() {
    let (before, now) =
        (ledger(&[Verdict::Supported, Verdict::Quoted]), ledger(&[Verdict::NotInSource, Verdict::Quoted]));
    let flipped = verdict_changes(&before, &now);
    assert_eq!(flipped.len(), 1);
    assert_eq!(
        (flipped[0].before.as_str(), flipped[0].now.as_str(), flipped[0].worse),
        ("supported", "not in source", true)
    );
    assert!(!verdict_changes(&now, &before)[0].worse);
}

#[test]
fn without_a_judge_what_a_page_no_longer_says_is_a_change() {
    let no_judge = || Verdict::NotChecked { why: NotCheckedReason::NoJudge };
    let (quoted, silent) = (ledger(&[Verdict::Quoted]), ledger(&[no_judge()]));
    let change = &verdict_changes(&quoted, &silent)[0];
    assert_eq!(change.now, "not checked: no judge; its words do not stand on the page as they did");
    assert!(change.worse);
    let mut objected = ledger(&[no_judge()]);
    objected.checks.push(Check {
        claim: objected.claims[0].id,
        aspect: CheckAspect::Number,
        opinion: Opinion::Absent,
        by: CheckAuthor::Rules { version: "1".to_owned() },
        confidence: 40,
        source: Some(0),
        span: None,
        page: None,
        at: Moment(0),
        reason: "40 is nowhere on the page".to_owned(),
    });
    let change = &verdict_changes(&silent, &objected)[0];
    assert_eq!(
        (change.now.as_str(), change.worse),
        ("not checked: no judge; 40 is nowhere on the page", true)
    );
    assert!(verdict_changes(&objected, &objected).is_empty());
    assert!(verdict_changes(&silent, &silent).is_empty());
}
