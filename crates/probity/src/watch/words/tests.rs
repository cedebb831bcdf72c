use probity_evidence::verdict_changes::VerdictChange;
use probity_research::{RunId, ledger::ClaimId, time::Moment};
use serde_json::Value;

use super::{WatchNews, cron_line, summary, told};
use crate::notify::ShowQuery;

fn change(number: usize, before: &str, now: &str, worse: bool) -> VerdictChange {
    VerdictChange {
        claim: ClaimId::at(number),
        words: format!("Claim <b>{number}</b>."),
        before: before.to_owned(),
        now: now.to_owned(),
        worse,
        difference: "- 12 %\n+ 9 %".to_owned(),
    }
}

fn news(changes: &[VerdictChange], check: u128) -> WatchNews<'_> {
    WatchNews {
        watched: RunId::from_random(1),
        check: RunId::from_random(check),
        title: "how did revenue develop?",
        at: Moment(1_800_000_000_000),
        changes,
    }
}

#[test]
fn only_what_says_something_about_the_pages_is_told() {
    let changes = vec![
        change(0, "supported", "contradicted", true),
        change(1, "supported", "not checked: deadline", true),
        change(2, "supported", "not checked: budget", true),
        change(3, "supported", "not checked: beyond a limit", true),
        change(4, "supported", "not checked: no judge", true),
        change(5, "supported", "check failed: the judge did not answer", true),
        change(6, "supported", "not checked: unreachable", true),
        change(7, "not checked: unreachable", "supported", false),
    ];
    let kept: Vec<usize> = told(changes).iter().map(|change| change.claim.place()).collect();
    assert_eq!(kept, [0, 6, 7]);
}

#[test]
fn the_words_count_what_changed() {
    let (bad, good) = (change(0, "supported", "contradicted", true), change(1, "partly", "supported", false));
    assert_eq!(summary(std::slice::from_ref(&bad)), "1 verdict changed for the worse");
    assert_eq!(summary(std::slice::from_ref(&good)), "1 verdict changed");
    assert_eq!(summary(&[bad, good]), "2 verdicts changed, 1 of them for the worse");
}

#[test]
fn a_notification_shows_the_question_only_where_that_is_allowed() {
    let changes = [change(0, "supported", "contradicted", true)];
    let hidden = news(&changes, 2).notification(ShowQuery::No);
    assert_eq!(hidden.title, "Probity: 1 verdict changed for the worse");
    assert!(!hidden.body.contains("revenue"), "{}", hidden.body);
    assert_eq!(news(&changes, 2).notification(ShowQuery::Yes).body, "how did revenue develop?");
}

#[test]
fn the_message_is_bounded_and_says_how_many_there_are() {
    let changes: Vec<VerdictChange> =
        (0..5_000).map(|number| change(number, "supported", "contradicted", true)).collect();
    let message = serde_json::to_value(news(&changes, 2).message()).unwrap();
    assert_eq!((&message["changed"], &message["worse"]), (&5_000.into(), &5_000.into()));
    assert_eq!(message["changes"].as_array().unwrap().len(), 20);
    assert_eq!(message["type"], "watch.changed");
    assert!(message.to_string().len() < 16_384);
}

#[test]
fn the_feed_grows_from_the_top_is_bounded_and_takes_an_entry_once() {
    let changes = [change(0, "supported", "contradicted", true)];
    let mut feed = news(&changes, 1).feed(Some(b"not a feed"));
    for check in (2..150).chain([149]) {
        feed = news(&changes, check).feed(Some(&feed));
    }
    let feed: Value = serde_json::from_slice(&feed).unwrap();
    assert_eq!(feed["version"], "https://jsonfeed.org/version/1.1");
    let items = feed["items"].as_array().unwrap();
    assert_eq!(items.len(), 100);
    let id = |place: usize| items[place]["id"].as_str().unwrap().to_owned();
    assert_eq!(id(0), format!("probity:{}", RunId::from_random(149)));
    assert_eq!(id(1), format!("probity:{}", RunId::from_random(148)));
    let words = items[0]["content_text"].as_str().unwrap();
    assert!(words.starts_with("C1 supported -> contradicted: Claim"), "{words}");
}

#[test]
fn the_line_of_cron_takes_any_path() {
    assert_eq!(cron_line("/usr/bin/probity"), "17 * * * * /usr/bin/probity watch run");
    assert_eq!(cron_line("/my programs/100%/probity"), r"17 * * * * '/my programs/100\%/probity' watch run");
}
