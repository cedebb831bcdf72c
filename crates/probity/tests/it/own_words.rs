//! Sentences that only begin like the author's own words count like any other; what is no claim is counted nowhere and can
//! be listed.

use std::fs;

use serde_json::Value;

use crate::web::stage::{Hands, Stage};

const CITED: &str = "The harbour bridge of Norwick is 412 metres long [1](http://council.example/bridge).";
const OWN: &str = "This section describes the method.";

fn run(stage: &Stage, text: &str, arguments: &[&str]) -> crate::harness::CommandOutput {
    fs::write(stage.world.home.path().join("text.md"), text).unwrap();
    stage.run(&[&["verify", "text.md"], arguments].concat())
}

#[test]
fn an_invention_behind_an_opener_keeps_a_text_from_being_verified() {
    let stage = Stage::new(Hands::Paid);
    for invented in [
        "Overall, the mayor of Norwick stole two million crowns.",
        "This section describes how the mayor of Norwick murdered his wife.",
        "Did you know that the bridge collapsed and killed forty people?",
    ] {
        let text = format!("{CITED}\n\n{OWN}\n\n{invented}\n");
        let done = run(&stage, &text, &["--json", "--fail-on", "unverified"]);
        assert_eq!(done.code, 4, "{invented}: {}", done.err);
        let document: Value = serde_json::from_str(&done.out).unwrap();
        let kinds: Vec<&str> = document["evidence"]["claims"]
            .as_array()
            .unwrap()
            .iter()
            .map(|claim| claim["kind"].as_str().unwrap())
            .collect();
        assert_eq!(kinds, ["fact", "own-words", "fact"], "{invented}");
        assert_eq!(document["verified"], false, "{invented}");
        assert_ne!(document["evidence"]["settled"][2]["verdict"], "supported", "{invented}");
    }
}

#[test]
fn one_count_of_claims_and_the_rest_is_listed_on_demand() {
    let stage = Stage::new(Hands::Paid);
    let text = format!("{CITED}\n\n{OWN}\n");
    let short = run(&stage, &text, &["--fail-on", "none"]);
    assert!(short.err.contains("1 claim: 1 supported"), "{}", short.err);
    assert!(
        short.out.contains("not listed, nothing to check: 1 sentence in the text's own words"),
        "{}",
        short.out
    );
    let whole = run(&stage, &text, &["--all", "--fail-on", "none"]);
    assert!(
        whole.out.contains("Not counted, nothing to check: 1 sentence in the text's own words"),
        "{}",
        whole.out
    );
    assert!(whole.out.contains(OWN), "{}", whole.out);
    let sarif = run(&stage, &text, &["--format", "sarif", "--fail-on", "none"]);
    let sarif: Value = serde_json::from_str(&sarif.out).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 1);
    assert_eq!(sarif["runs"][0]["properties"]["claims"], "1 claim: 1 supported");
    let markdown = run(&stage, &text, &["--format", "markdown", "--fail-on", "none"]);
    assert!(markdown.out.contains("1 claim: 1 supported"), "{}", markdown.out);
}
