//! Claims checked by the real program: any text, the program's own reports, and what flipped months later.

use std::fs;

use probity_simulator::Script;
use serde_json::Value;

use super::stage::{Hands, PAGES, QUESTION, Stage, norwick};
use crate::client::{Client, Era};

const TEXT: &str = "# The bridge\n\n\
    The harbour bridge of Norwick is 412 metres long [1](http://council.example/bridge). \
    The harbour bridge of Norwick is 512 metres long [1](http://council.example/bridge).\n\n\
    It did open \"on 3 May 1987 before eleven thousand people\" [2](http://gazette.example/opening). \
    It did open \"on 3 May 1988 before eleven thousand people\" [2](http://gazette.example/opening). \
    A tunnel is planned [3](http://nowhere.example/tunnel).\n";

fn verdicts(document: &Value) -> Vec<String> {
    let claims = document["evidence"]["settled"].as_array().unwrap();
    claims.iter().map(|settled| settled["verdict"].as_str().unwrap().to_owned()).collect()
}

fn verify(stage: &Stage, arguments: &[&str]) -> (i32, Value) {
    fs::write(stage.world.home.path().join("text.md"), TEXT).unwrap();
    let done = stage.run(&[&["verify", "text.md", "--json"], arguments].concat());
    (done.code, serde_json::from_str(&done.out).unwrap())
}

#[test]
fn any_text_is_checked_and_the_exit_code_gates() {
    let stage = Stage::new(Hands::Paid);
    let (code, document) = verify(&stage, &[]);
    assert_eq!(code, 4);
    assert_eq!(
        verdicts(&document),
        ["supported", "contradicted", "supported", "contradicted", "not-checked"]
    );
    assert_eq!(document["verified"], false);
    let (code, _) = verify(&stage, &["--fail-on", "none"]);
    assert_eq!(code, 0);
    let (code, document) = verify(&stage, &["--no-judge", "--fail-on", "not-in-source"]);
    assert_eq!(code, 0, "nothing is only not there, it is contradicted");
    assert_eq!(verdicts(&document)[2], "quoted", "without a judge this is the ceiling");

    let explained = stage.run(&["explain", "C4"]);
    assert!(explained.out.contains("does not stand on the cited page"), "{}", explained.out);
    assert!(explained.out.contains("1988"), "{}", explained.out);
    let sarif = stage.run(&["verify", "text.md", "--format", "sarif", "--fail-on", "none"]);
    let sarif: Value = serde_json::from_str(&sarif.out).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let rules: Vec<&str> = results.iter().map(|result| result["ruleId"].as_str().unwrap()).collect();
    assert_eq!(rules, ["contradicted", "contradicted", "unreachable", "supported", "supported"]);
    let (uncited, _) = verify(&stage, &["--fail-on", "uncited"]);
    let (unverified, _) = verify(&stage, &["--fail-on", "unverified"]);
    assert_eq!((uncited, unverified), (0, 4), "every sentence cites, and two are contradicted");
    let listed = stage.run(&["verify", "text.md", "--fail-on", "none"]);
    assert!(listed.out.starts_with("Contradicted by their source (2)\n"), "{}", listed.out);
    assert!(listed.out.contains("\nSources (") && listed.out.contains(", line "), "{}", listed.out);
}

#[test]
fn a_question_that_was_bought_is_not_bought_again() {
    let stage = Stage::new(Hands::Paid);
    verify(&stage, &[]);
    let bought = stage.chat().entries().len();
    verify(&stage, &[]);
    // The judge's exam, and one call with the claims.
    assert_eq!((bought, stage.chat().entries().len()), (6, 6));
}

#[test]
fn a_judge_that_invents_supports_nothing() {
    let stage = Stage::new(Hands::Paid).scripted(Script::Forgetful);
    let (_, document) = verify(&stage, &[]);
    assert!(!verdicts(&document).contains(&"supported".to_owned()), "{:?}", verdicts(&document));
}

/// The same text, with a second judge beside the first: the document, and what a person reads below it.
fn verify_with_second(stage: &Stage, second: &str, exam: &str) -> (Value, String) {
    fs::write(stage.world.home.path().join("text.md"), TEXT).unwrap();
    let mut command = stage.command(&["verify", "text.md", "--json", "--fail-on", "none"]);
    command.env("PROBITY_CHECKS__SECOND_JUDGE", second).env("PROBITY_CHECKS__EXAM", exam);
    let done = crate::harness::finish(command.spawn().unwrap());
    assert_eq!(done.code, 0, "{done:?}");
    (serde_json::from_str(&done.out).unwrap(), done.err)
}

#[test]
fn a_second_judge_is_examined_confirms_contests_or_does_not_count() {
    let stage = Stage::new(Hands::Paid);
    let (document, told) = verify_with_second(&stage, "gpt-5-mini", "required");
    let usual = ["supported", "contradicted", "supported", "contradicted", "not-checked"];
    assert_eq!(verdicts(&document), usual);
    let second = &document["evidence"]["second_judge"];
    assert_eq!(
        (&second["name"], &second["asked"], &second["agreed"]),
        (&"gpt-5-mini".into(), &2.into(), &2.into())
    );
    assert_eq!((&second["exam"]["right"], &second["doubt"]), (&40.into(), &Value::Null), "{second:#}");
    assert!(told.contains("judged by gpt-5; second judge gpt-5-mini (40 of 40 in the exam"), "{told}");
    assert!(told.contains("agrees on 2 of 2 claims"), "{told}");
    // Each sits its exam and is asked about the claims once; what was bought is not bought again.
    assert_eq!(stage.chat().entries().len(), 12);
    verify_with_second(&stage, "gpt-5-mini", "required");
    assert_eq!(stage.chat().entries().len(), 12);
    let mut doctor = stage.command(&["doctor"]);
    let doctor =
        crate::harness::finish(doctor.env("PROBITY_CHECKS__SECOND_JUDGE", "gpt-5-mini").spawn().unwrap());
    assert!(doctor.out.contains("second judge's exam"), "{}", doctor.out);

    let (document, told) = verify_with_second(&stage, "yes-sayer", "required");
    assert_eq!(verdicts(&document), usual, "as without it");
    let second = &document["evidence"]["second_judge"];
    assert_eq!((&second["standing"], &second["agreed"]), (&"failed".into(), &0.into()), "{second:#}");
    assert!(told.contains("second judge yes-sayer did not count: the exam asks for 85 %"), "{told}");

    let (document, told) = verify_with_second(&stage, "nay-sayer", "trusted");
    assert_eq!(verdicts(&document), ["partly", "contradicted", "partly", "contradicted", "not-checked"]);
    let reason = document["evidence"]["settled"][0]["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("contested: gpt-5 calls it supported, the second judge nay-sayer"),
        "{reason}"
    );
    assert!(told.contains("contested: its judges disagree"), "{told}");

    let (document, _) = verify_with_second(&stage, "gpt-5", "required");
    assert_eq!(document["evidence"]["second_judge"], Value::Null, "the judge itself is no second one");
}

#[test]
fn recheck_says_what_flipped() {
    let stage = Stage::new(Hands::Paid);
    verify(&stage, &["--fail-on", "none"]);
    let mut web = norwick();
    let (url, title, text) = PAGES[0];
    web.add(probity_simulator::SmallWebPage::new(url, title, &text.replace("412", "398"))).unwrap();
    stage.world.handle().set_web(web);
    let done = stage.run(&["recheck", "--json"]);
    let document: Value = serde_json::from_str(&done.out).unwrap();
    let flips = document["flips"].as_array().unwrap();
    assert_eq!((done.code, flips.len()), (4, 1), "{document:#}");
    assert_eq!((flips[0]["before"].as_str(), flips[0]["worse"].as_bool()), (Some("supported"), Some(true)));
}

#[test]
fn a_stored_page_that_is_gone_is_noticed() {
    let mut web = norwick();
    let (url, title, text) = PAGES[0];
    // So long that it is a file of its own.
    let long = format!("{text}\n\n{}", "The council keeps its minutes in the town hall. ".repeat(2_000));
    web.add(probity_simulator::SmallWebPage::new(url, title, &long)).unwrap();
    let stage = Stage::with(Hands::Paid, web);
    verify(&stage, &["--fail-on", "none"]);
    let whole = stage.run(&["doctor"]).out;
    assert!(whole.contains("whole: 1 research"), "{whole}");
    let blobs = stage.world.data().join("blobs");
    let mut pages = stage.world.files();
    pages.retain(|path| path.starts_with(&blobs));
    assert!(!pages.is_empty());
    pages.iter().for_each(|path| fs::remove_file(path).unwrap());
    let told = stage.run(&["doctor"]).out;
    assert!(told.contains("missing, of 1 research") && !told.contains("whole:"), "{told}");
    let shown = stage.run(&["runs", "show"]);
    assert!(shown.err.contains("what rests on them cannot be looked at again"), "{}", shown.err);
}

#[test]
fn a_removed_text_takes_its_rechecks_along() {
    let stage = Stage::new(Hands::Paid);
    let (_, document) = verify(&stage, &["--fail-on", "none"]);
    let first = document["task_id"].as_str().unwrap();
    stage.run(&["recheck", "--json"]);
    let listed = |arguments: &[&str]| {
        let all: Vec<&str> = ["runs", "list", "--json"].iter().chain(arguments).copied().collect();
        stage.json(&all)["researches"].as_array().unwrap().len()
    };
    assert_eq!(listed(&[]), 2);
    let removed = stage.run(&["runs", "rm", first, "--yes"]);
    assert!(removed.err.contains("Its rechecks go with it"), "{}", removed.err);
    assert_eq!((listed(&[]), listed(&["--removed"])), (0, 2));
}

#[test]
fn a_report_of_our_own_ends_with_a_verdict_for_every_claim() {
    let stage = Stage::new(Hands::Paid);
    let child = stage.command(&["ask", QUESTION, "--json"]).spawn().unwrap();
    let document = crate::harness::document(&crate::harness::finish(child));
    let evidence = &document["evidence"];
    let claims = evidence["claims"].as_array().unwrap().len();
    assert!(claims > 0 && evidence["settled"].as_array().unwrap().len() == claims, "{evidence:#}");
    let basis = document["verification_basis"].as_str().unwrap();
    assert!(basis.starts_with("all 5 factual sentences are supported by stored pages"), "{basis}");
    assert!(document["web"]["receipt"]["queries"].as_array().is_some_and(|queries| !queries.is_empty()));
}

#[test]
fn agents_check_a_text_over_mcp() {
    let stage = Stage::new(Hands::Nothing);
    let variables = stage.variables();
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut client = Client::open(&stage.world, Era::Old, &variables);
    let told = client.done("check_citations", serde_json::json!({ "text": TEXT }));
    assert_eq!(
        (told["success"].as_bool(), told["verified"].as_bool()),
        (Some(true), Some(false)),
        "{told:#}"
    );
    let summary = told["summary"].as_str().unwrap();
    assert!(summary.contains("2 contradicted") && !summary.contains("supported"), "{summary}");
    let metadata = &told["metadata"];
    assert_eq!(
        (&metadata["model"], &metadata["cost_basis"], &metadata["tokens_used"]["input"]),
        (&serde_json::json!("none"), &serde_json::json!("nothing was billed"), &serde_json::json!(0)),
        "{told:#}"
    );
    assert!(metadata["duration_ms"].is_u64(), "{told:#}");
    client.leave();
}
