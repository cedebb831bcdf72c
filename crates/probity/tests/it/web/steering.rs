//! A research that is told what to do otherwise, by another process, while its pages are on their way.

use probity_simulator::{SmallWeb, SmallWebPage};
use serde_json::json;

use super::stage::{Hands, PAGES, QUESTION, Stage};
use crate::harness::{document, finish, wait_until};

/// World time; long enough that what is said comes before the page.
const SLOW_MS: u64 = 80_000;
/// No search finds it.
const OWN_PAGE: &str = "http://ledger.example/toll";

/// Sites that answer at once before those that take their time.
fn web(quick: usize) -> SmallWeb {
    let pages = PAGES.iter().enumerate().map(|(place, (url, title, text))| {
        let page = SmallWebPage::new(url, title, text);
        if place >= quick { page.after_ms(SLOW_MS) } else { page }
    });
    let own = SmallWebPage::new(OWN_PAGE, "Accounts", "Three crowns were taken of each cart in that year.");
    pages.fold(SmallWeb::new().with(own), SmallWeb::with)
}

fn started(stage: &Stage, count: &str, least: u64) -> (std::process::Child, String) {
    let child = stage.start(&["research", "--web", "--depth", "deep", "--budget", "20", QUESTION]);
    let mut id = String::new();
    wait_until("the first pages", || {
        let listed = stage.json(&["runs", "list", "--json"]);
        let first = &listed["researches"][0];
        id = first["task_id"].as_str().unwrap_or_default().to_owned();
        first["progress"][count].as_u64().unwrap_or_default() >= least
    });
    (child, id)
}

#[test]
fn a_site_is_left_out_and_a_page_is_read_as_the_user_says() {
    let stage = Stage::with(Hands::Paid, web(0));
    let (child, id) = started(&stage, "searches", 1);
    let said = stage.run(&["runs", "steer", &id, "--ban-site", "museum.example"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.err.contains("no more pages of museum.example"), "{}", said.err);
    let said = stage.run(&["runs", "steer", &id, "--page", OWN_PAGE]);
    assert_eq!(said.code, 0, "{}", said.err);
    let parts = stage.run(&["runs", "steer", &id]);
    assert!(parts.out.contains("part") && parts.out.contains("F1 (searched): "), "{}", parts.out);
    let wrong = stage.run(&["runs", "steer", &id, "--drop", "F99"]);
    assert_eq!(wrong.code, 2, "{}", wrong.err);
    assert!(wrong.err.contains("there is no part F99"), "{}", wrong.err);

    let done = finish(child);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.contains("412 metres") && !done.out.contains("14 months"), "{}", done.out);
    assert!(!done.out.contains("museum.example/norwick"), "{}", done.out);
    assert!(
        stage.fetches().iter().any(|(url, times)| url == OWN_PAGE && *times == 1),
        "{:?}",
        stage.fetches()
    );
    let shown = stage.run(&["runs", "show", &id]);
    assert!(shown.err.contains("no more pages of museum.example"), "{}", shown.err);
    assert!(shown.err.contains(&format!("read {OWN_PAGE}")), "{}", shown.err);

    let late = stage.run(&["runs", "steer", &id, "--finish"]);
    assert_eq!(late.code, 1, "{}", late.err);
    assert!(late.err.contains("error[ALREADY_ENDED]: this research has ended"), "{}", late.err);
}

#[test]
fn it_is_written_from_what_there_is_when_the_user_has_enough() {
    let stage = Stage::with(Hands::Paid, web(2));
    let (child, id) = started(&stage, "pages", 2);
    let said = stage.run(&["runs", "steer", &id, "--finish"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let done = finish(child);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.contains("412 metres"), "{}", done.out);
    assert!(done.out.contains("The search was ended early, as its user wished"), "{}", done.out);
    let shown = stage.json(&["runs", "show", "--json", &id]);
    assert_eq!(shown["web"]["stop"], "finished", "{shown}");
}

#[test]
fn a_plan_that_the_user_wrote_is_kept_and_shown_before_it_starts() {
    let stage = Stage::with(Hands::Paid, web(PAGES.len()));
    stage
        .world
        .write("plan.txt", "words: 900\npart: Who paid for the bridge?\nquery: Norwick bridge funding\n");
    let asked = ["research", "--plan", "--json", "--budget", "20", "--plan-file", "plan.txt", QUESTION];
    let planned = stage.json(&asked);
    assert_eq!(planned["parts"], json!(["Who paid for the bridge?"]), "{planned}");
    assert_eq!((&planned["depth"], &planned["words"]), (&json!("deep"), &json!(900)), "{planned}");

    stage.world.write("editor.sh", "printf 'part: Who warned of it?\\n' >> \"$1\"\n");
    let mut edited = stage.command(&["research", "--edit-plan", "--json", "--budget", "20", QUESTION]);
    edited.env_remove("VISUAL").env("EDITOR", "sh editor.sh");
    let planned = document(&finish(edited.spawn().unwrap()));
    assert_eq!(planned["parts"], json!(["Who warned of it?"]), "{planned}");
    assert!(stage.chat().entries().is_empty() && stage.fetches().is_empty());

    stage.world.write("wrong.txt", "part: a\nparts: b\n");
    let refused = stage.run(&["research", "--plan-file", "wrong.txt", QUESTION]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("line 2 of the plan begins with none of"), "{}", refused.err);

    // A research that begins with it searches for it first.
    let done = stage.run(&["research", "--budget", "20", "--plan-file", "plan.txt", QUESTION]);
    assert_eq!(done.code, 0, "{}", done.err);
    let queries = stage.json(&["runs", "show", "--json"])["queries"].clone();
    assert_eq!(queries[0], "Norwick bridge funding", "{queries}");
}
