//! The library kept in order from the command line: found by words of the report, renamed, tagged, removed, restored and
//! purged without a trace.

use std::fs;

use serde_json::Value;

use crate::harness::{World, id_in};

/// A word that is in one question only.
const MARKER: &str = "zebrafink";

fn listed(world: &World, arguments: &[&str]) -> Vec<Value> {
    let all: Vec<&str> = ["runs", "list", "--json"].iter().chain(arguments).copied().collect();
    world.json(&all)["researches"].as_array().unwrap().clone()
}

fn ids(world: &World, arguments: &[&str]) -> Vec<String> {
    let rows = listed(world, arguments);
    rows.iter().map(|row| row["task_id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_report_is_found_by_its_words_its_title_and_its_tags() {
    let world = World::new();
    let first = id_in(&world.run(&["research", &format!("what does the {MARKER} eat?")]).err);
    let second = id_in(&world.run(&["research", "about towers"]).err);
    let report = world.json(&["runs", "show", "--json", &first])["report"].as_str().unwrap().to_owned();
    let words = report.split(|letter: char| !letter.is_ascii_alphabetic());
    let longest = words.max_by_key(|word| word.len()).unwrap();
    assert!(ids(&world, &["--search", longest]).contains(&first), "{longest}");
    assert_eq!(ids(&world, &["--search", "ZEBRAFINK eat"]), [first.as_str()]);
    assert_eq!(world.run(&["runs", "rename", &second, "  High\nplaces "]).code, 0);
    assert_eq!(world.run(&["runs", "tag", &second, "+Work", "later", "-never-there"]).code, 0);
    assert_eq!(ids(&world, &["--search", "high"]), [second.as_str()]);
    assert_eq!(ids(&world, &["--tag", "work"]), [second.as_str()]);
    let row = listed(&world, &["--tag", "later"]).remove(0);
    assert_eq!((&row["title"], &row["query"]), (&"High places".into(), &"about towers".into()));
    assert_eq!(row["tags"], serde_json::json!(["later", "work"]));
    let shown = world.run(&["runs", "list"]).out;
    assert!(shown.contains("High places #later #work") && !shown.contains("about towers"), "{shown}");
    assert_eq!(world.run(&["runs", "tag", &second, "-work"]).code, 0);
    let none = world.run(&["runs", "list", "--tag", "work", "--search", "high"]);
    assert!(none.err.contains("none of 2 stored here has the words high and the tag work"), "{}", none.err);
    let opened = world.run(&["runs", "open", &first, "--file"]);
    assert!(opened.code == 0 && opened.err.contains(".html"), "{}", opened.err);
}

#[test]
fn a_removed_research_comes_back_and_a_purged_one_leaves_no_trace() {
    let world = World::new();
    let gone = id_in(&world.run(&["research", &format!("what does the {MARKER} eat?")]).err);
    let kept = id_in(&world.run(&["research", "about towers"]).err);
    let unasked = world.run(&["runs", "rm", &gone]);
    assert_ne!(unasked.code, 0);
    assert!(
        unasked.err.contains("add `--yes`") && unasked.err.contains("The provider keeps"),
        "{}",
        unasked.err
    );
    assert_eq!(ids(&world, &[]).len(), 2);

    assert_eq!(world.run(&["runs", "rm", &gone, "--yes"]).code, 0);
    assert_eq!(ids(&world, &[]), [kept.as_str()]);
    assert_eq!(ids(&world, &["--removed"]), [gone.as_str()]);
    let hidden = world.run(&["runs", "show", &gone]);
    assert!(hidden.err.contains(&format!("probity runs restore {gone}")), "{}", hidden.err);
    let beginning: String = gone.chars().take(12).collect();
    assert_eq!(world.run(&["runs", "restore", &beginning]).code, 0);
    assert_eq!(ids(&world, &["--search", MARKER]), [gone.as_str()]);

    assert_eq!(world.run(&["runs", "rm", &gone, "--yes"]).code, 0);
    assert_ne!(world.run(&["runs", "purge"]).code, 0);
    let purged = world.run(&["runs", "purge", "--yes"]);
    assert!(purged.code == 0 && purged.err.contains("purged 1 research"), "{}", purged.err);
    assert_eq!(ids(&world, &["--removed"]), Vec::<String>::new());
    assert_eq!(ids(&world, &[]), [kept.as_str()]);
    for path in world.files() {
        let bytes = fs::read(&path).unwrap().to_ascii_lowercase();
        for mark in [MARKER, gone.as_str()] {
            let is_there = bytes.windows(mark.len()).any(|window| window == mark.as_bytes());
            assert!(!is_there, "{mark} in {}", path.display());
        }
    }
    let again = world.run(&["runs", "restore", &gone]);
    assert!(again.err.contains("is not in the trash"), "{}", again.err);
}

#[test]
fn what_is_cut_what_is_removed_and_what_a_purge_did_is_said() {
    let world = World::new();
    let gone = id_in(&world.run(&["research", &format!("what does the {MARKER} eat?")]).err);
    world.run(&["research", "about towers"]);
    let cut = world.run(&["runs", "list", "--limit", "1"]);
    assert!(cut.err.contains("1 of 2; more with `--limit 2`"), "{}", cut.err);
    assert_eq!(world.json(&["runs", "list", "--json", "--limit", "1"])["total"], 2);
    assert_eq!(world.json(&["runs", "list", "--json"])["total"], Value::Null);
    // As it is shown.
    assert_eq!(world.run(&["runs", "tag", &gone, "#birds"]).code, 0);
    assert_eq!(ids(&world, &["--tag", "#birds"]), [gone.as_str()]);

    assert_eq!(world.run(&["runs", "rm", &gone, "--yes"]).code, 0);
    let beginning: String = gone.chars().take(12).collect();
    for named in [&gone, &beginning] {
        assert_eq!(world.json(&["privacy", named, "--json"])["task_id"], gone.as_str());
    }
    let refused = world.run(&["runs", "purge"]);
    assert!(refused.code != 0 && !refused.err.contains("deleted for good"), "{}", refused.err);
    let purged = world.run(&["runs", "purge", "--yes"]);
    assert!(purged.code == 0 && purged.err.contains("are deleted for good"), "{}", purged.err);
    let again = world.run(&["runs", "purge", "--yes"]);
    assert!(again.err.contains("the trash is empty"), "{}", again.err);
}
