//! Rounds of one research share a process, and never an answer.

use std::os::unix::fs::symlink;

use probity_models::gemini_cli::{CliProcessReuse, CliRequest, PROCESSES_MAX};
use probity_research::model::ModelName;

use super::{Lab, ask, ended, fake_cli};

const WHO: &str = "[[fake process]]";

async fn process_of(lab: &Lab, session: &str, model: Option<&str>) -> String {
    let model = model.map(|model| ModelName::parse(model).unwrap());
    let ask = CliRequest { session: session.to_owned(), model, ..ask(WHO) };
    ended(lab.cli.begin(ask).await.unwrap()).await.text
}

#[tokio::test]
async fn rounds_of_a_research_share_a_process_and_another_model_has_its_own() {
    let lab = Lab::new(CliProcessReuse::Pool);
    let first = process_of(&lab, "a", None).await;
    assert_eq!(process_of(&lab, "a", None).await, first);
    assert_ne!(process_of(&lab, "a", Some("gemini-3.8-flash")).await, first);
    assert_ne!(process_of(&lab, "b", None).await, first);
    assert_eq!(process_of(&lab, "a", None).await, first);
    lab.cli.end_session("a").await;
    assert_ne!(process_of(&lab, "a", None).await, first);
    lab.cli.close().await;
    lab.nothing_is_left("a closed pool");
}

#[tokio::test]
async fn a_process_that_died_is_replaced() {
    let lab = Lab::new(CliProcessReuse::Pool);
    let first = process_of(&lab, "res_1", None).await;
    lab.ended("[[fake die 1]]").await.outcome.unwrap_err();
    let second = process_of(&lab, "res_1", None).await;
    assert_ne!(second, first);
    let pid = second.parse().ok().and_then(rustix::process::Pid::from_raw).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    crate::harness::wait_until("it to die", || lab.living().is_empty());
    assert_ne!(process_of(&lab, "res_1", None).await, second);
}

#[tokio::test]
async fn no_more_processes_wait_than_there_is_room_for() {
    let lab = Lab::new(CliProcessReuse::Pool);
    for number in 0..PROCESSES_MAX + 2 {
        process_of(&lab, &format!("research {number}"), None).await;
        // A keeper and a CLI each.
        assert!(lab.living().len() <= 2 * PROCESSES_MAX, "{:?}", lab.living());
    }
}

#[tokio::test]
async fn a_cli_without_the_protocol_gets_a_process_for_each_question() {
    let directory = tempfile::tempdir().unwrap();
    let plain = directory.path().join("plain-cli");
    symlink(fake_cli(), &plain).unwrap();
    let lab = Lab::with_program(&plain, CliProcessReuse::Pool);
    let first = process_of(&lab, "a", None).await;
    assert_ne!(process_of(&lab, "a", None).await, first);
    lab.nothing_is_left("questions of their own");
}

#[tokio::test]
async fn what_waits_goes_with_its_owner() {
    let lab = Lab::new(CliProcessReuse::Pool);
    process_of(&lab, "a", None).await;
    assert!(!lab.living().is_empty());
    let Lab { directory, cli } = lab;
    drop(cli);
    super::gone(directory.path(), "a dropped pool");
}
