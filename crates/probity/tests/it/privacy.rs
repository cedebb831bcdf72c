//! `probity privacy`: every host that was asked for something, and no word of a key.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    harness::World,
    web::stage::{Hands, QUESTION, Stage},
};

fn hosts(document: &Value, kind: &str) -> BTreeSet<String> {
    let contacts = document["contacts"].as_array().unwrap();
    let of_kind = contacts.iter().filter(|contact| contact["kind"] == kind);
    of_kind.map(|contact| contact["host"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn hosts_are_those_that_were_really_asked() {
    let stage = Stage::new(Hands::Paid);
    stage.run(&["research", "--web", QUESTION]);
    let told = stage.json(&["privacy", "--json"]);
    let fetched: BTreeSet<String> = stage
        .fetches()
        .iter()
        .map(|(url, _)| url.trim_start_matches("http://").split('/').next().unwrap().to_owned())
        .collect();
    assert!(fetched.len() >= 2);
    assert_eq!(hosts(&told, "page"), fetched);
    let here: BTreeSet<String> = ["127.0.0.1".to_owned()].into();
    assert_eq!((hosts(&told, "search"), hosts(&told, "model")), (here.clone(), here));
    let requests = |kind: &str| -> u64 {
        let contacts = told["contacts"].as_array().unwrap();
        contacts
            .iter()
            .filter(|contact| contact["kind"] == kind)
            .map(|one| one["requests"].as_u64().unwrap())
            .sum()
    };
    assert_eq!(requests("search"), stage.web().searches().len() as u64);
    assert_eq!(requests("model") + requests("judge"), stage.chat().entries().len() as u64);
    let shown = stage.run(&["privacy", "last"]);
    assert_eq!(shown.code, 0, "{}", shown.err);
    for word in ["no telemetry", "council.example", "tavily", "gpt-5", "data/probity"] {
        assert!(shown.out.contains(word), "{word}: {}", shown.out);
    }
    assert!(!shown.out.contains("simulated"), "keys are not shown: {}", shown.out);
}

#[test]
fn what_google_does_is_told_as_googles() {
    let world = World::new();
    world.run(&["research", "why"]);
    let told = world.json(&["privacy", "--json"]);
    assert_eq!(hosts(&told, "agent"), ["127.0.0.1".to_owned()].into());
    let agent =
        told["contacts"].as_array().unwrap().iter().find(|contact| contact["kind"] == "agent").unwrap();
    assert!(agent["sent"].as_str().unwrap().contains("Google's machines"));
    assert_eq!(told["telemetry"], false);
}

#[test]
fn before_the_first_research_nothing_was_sent_and_nothing_is_created() {
    let world = World::new();
    let done = world.run(&["privacy"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.contains("nothing was sent to anybody"), "{}", done.out);
    assert!(!world.data().exists());
    let missing = world.run(&["privacy", "--json", "last"]);
    let told: Value = serde_json::from_str(&missing.out).unwrap();
    assert_eq!((&told["task_id"], &told["contacts"]), (&Value::Null, &Value::Null));
}
