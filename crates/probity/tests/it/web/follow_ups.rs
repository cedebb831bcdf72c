//! Further questions on a finished research, as a user asks them: what they cost, what they fetch, and what they say where
//! there is nothing to say.

use probity_simulator::Asked;
use serde_json::json;

use super::{
    overmcp::client,
    stage::{Hands, QUESTION, Stage},
};

const FURTHER: &str = "How many tonnes of steel does the harbour bridge of Norwick have?";

/// Searches, pages that were fetched, and calls that read pages or wrote texts.
fn effort(stage: &Stage) -> (usize, usize, usize, usize) {
    let (web, chat) = (stage.web(), stage.chat());
    (web.searches().len(), stage.fetches().len(), chat.paid_for(Asked::Read), chat.paid_for(Asked::Write))
}

fn finished(stage: &Stage) -> String {
    stage.json(&["ask", "--json", QUESTION])["task_id"].as_str().unwrap().to_owned()
}

#[test]
fn a_further_question_is_answered_from_the_pages_that_were_read_with_one_call() {
    let stage = Stage::new(Hands::Paid);
    let parent = finished(&stage);
    let (searches, fetches, reads, writes) = effort(&stage);
    let told = stage.json(&["follow-up", &parent, "--json", FURTHER]);
    assert_eq!(told["status"], "completed", "{told}");
    let report = told["report"].as_str().unwrap();
    assert!(report.contains("6200 tonnes of steel") && report.contains(" [1]"), "{report}");
    assert!(report.contains("nothing was searched"), "{report}");
    let settled = told["evidence"]["settled"].as_array().unwrap();
    assert!(!settled.is_empty(), "every claim is checked as always: {told}");
    assert_eq!(effort(&stage), (searches, fetches, reads, writes + 1));

    let child = told["task_id"].as_str().unwrap().to_owned();
    assert_eq!(stage.json(&["runs", "show", "--json", &child])["follows"], parent.as_str());
    let shown = stage.run(&["runs", "show", &child]);
    assert!(shown.err.contains("follows") && shown.err.contains(&parent), "{}", shown.err);
    let shown = stage.run(&["runs", "show", &parent]);
    assert!(shown.err.contains("follow-ups") && shown.err.contains(&child), "{}", shown.err);

    let plan = stage.run(&["follow-up", &parent, "--plan", FURTHER]);
    assert!(plan.err.contains("one answer from") && plan.err.contains("nothing was started"), "{}", plan.err);
    let refresh = stage.run(&["follow-up", &parent, "--refresh"]);
    let named = format!("probity recheck {parent}");
    assert!(refresh.code != 0 && refresh.err.contains(&named), "{}", refresh.err);
}

#[test]
fn where_no_page_says_anything_on_it_nothing_is_paid_and_the_search_is_named() {
    let stage = Stage::new(Hands::Paid);
    let parent = finished(&stage);
    let calls = stage.chat().entries().len();
    let done = stage.run(&["follow-up", &parent, "Which quokka ate zebrafish?"]);
    assert!(done.code != 0 && done.err.contains("says anything on this question"), "{}", done.err);
    assert!(done.err.contains(&format!("probity follow-up {parent} --search")), "{}", done.err);
    assert_eq!(stage.chat().entries().len(), calls);
    let listed = stage.json(&["runs", "list", "--json"]);
    assert_eq!(listed["researches"].as_array().unwrap().len(), 1, "{listed}");
}

#[test]
fn a_search_begins_with_what_was_read_and_fetches_no_page_twice() {
    let stage = Stage::new(Hands::Paid);
    let parent = finished(&stage);
    let (searches, _, reads, writes) = effort(&stage);
    let told = stage.json(&["follow-up", &parent, "--search", "--json", FURTHER]);
    assert_eq!(told["status"], "completed", "{told}");
    assert!(told["report"].as_str().unwrap().contains("6200 tonnes of steel"), "{told}");
    let after = effort(&stage);
    assert!(after.0 > searches, "it searched");
    assert_eq!((after.2, after.3), (reads, writes + 1), "all pages of this web were read before");
    assert!(stage.fetches().iter().all(|(_, times)| *times == 1), "{:?}", stage.fetches());
}

#[test]
fn an_agent_asks_further_over_mcp_and_gets_the_one_form_of_its_tool() {
    let stage = Stage::new(Hands::Paid);
    let parent = finished(&stage);
    let before = effort(&stage);
    let mut client = client(&stage);
    let next = client.done("follow_up_research", json!({ "task_id": parent, "question": FURTHER }));
    assert_eq!(next["status"], "completed", "{next}");
    assert!(next["results"]["report"].as_str().unwrap().contains("6200 tonnes of steel"), "{next}");
    client.leave();
    assert_eq!(effort(&stage), (before.0, before.1, before.2, before.3 + 1));
}

#[test]
fn an_agent_searches_further_over_mcp() {
    let stage = Stage::new(Hands::Paid);
    let parent = finished(&stage);
    let searches = effort(&stage).0;
    let mut client = client(&stage);
    let asked = json!({ "task_id": parent, "question": FURTHER, "search": true });
    let next = client.done("follow_up_research", asked);
    assert_eq!(next["status"], "completed", "{next}");
    client.leave();
    assert!(effort(&stage).0 > searches, "it searched");
}

#[test]
fn without_a_model_the_answer_is_made_of_quotations() {
    let stage = Stage::new(Hands::Nothing);
    let parent = finished(&stage);
    let done = stage.run(&["follow-up", &parent, FURTHER]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.contains("no language model wrote it"), "{}", done.out);
    assert!(done.out.contains("6200 tonnes of steel"), "{}", done.out);
}
