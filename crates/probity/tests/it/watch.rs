//! Watched reports: checked again when due, and what changed is told to the terminal, the feed and the webhook.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpListener,
    thread,
};

use probity_simulator::SmallWebPage;
use serde_json::Value;

use crate::{
    harness::{CommandOutput, finish},
    web::stage::{Hands, PAGES, Stage, norwick},
};

const TEXT: &str = "The harbour bridge of Norwick is 412 metres long [1](http://council.example/bridge).\n";

/// A checked text that is watched.
fn watched() -> Stage {
    let stage = Stage::new(Hands::Paid);
    fs::write(stage.world.home.path().join("text.md"), TEXT).unwrap();
    let checked = stage.run(&["verify", "text.md"]);
    assert_eq!(checked.code, 0, "{}", checked.err);
    let added = stage.run(&["watch", "add", "--every", "7d"]);
    assert_eq!(added.code, 0, "{}", added.err);
    assert!(added.out.contains("is checked again every 7 days"), "{}", added.out);
    assert!(added.out.contains("17 * * * * ") && added.out.contains("watch run"), "{}", added.out);
    stage
}

fn change_the_page(stage: &Stage) {
    let mut web = norwick();
    let (url, title, text) = PAGES[0];
    web.add(SmallWebPage::new(url, title, &text.replace("412", "398"))).unwrap();
    stage.world.handle().set_web(web);
}

fn run_with(stage: &Stage, arguments: &[&str], variables: &[(&str, &str)]) -> CommandOutput {
    finish(stage.command(arguments).envs(variables.iter().copied()).spawn().unwrap())
}

/// Answers one request; its head and body.
fn receiver() -> (String, thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/hook?token=secret", listener.local_addr().unwrap());
    let taking = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let (mut taken, mut piece) = (Vec::new(), [0; 4096]);
        loop {
            let read = stream.read(&mut piece).unwrap();
            taken.extend_from_slice(&piece[..read]);
            let text = String::from_utf8_lossy(&taken).into_owned();
            if read == 0 || text.split_once("\r\n\r\n").is_some_and(|(_, body)| body.ends_with('}')) {
                stream.write_all(b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n").unwrap();
                return text;
            }
        }
    });
    (address, taking)
}

#[test]
fn a_changed_verdict_is_told_to_everybody_once() {
    let stage = watched();
    let nothing = stage.run(&["watch", "run"]);
    assert_eq!((nothing.code, nothing.out.as_str()), (0, ""), "{}", nothing.err);
    assert!(nothing.err.contains("nothing is due"), "{}", nothing.err);

    change_the_page(&stage);
    let (address, taking) = receiver();
    let done =
        run_with(&stage, &["watch", "run", "--all", "--json"], &[("PROBITY_WATCH__WEBHOOK", &address)]);
    let document: Value = serde_json::from_str(&done.out).unwrap();
    let checked = &document["checked"][0];
    assert_eq!(done.code, 4, "{document:#}{}", done.err);
    assert_eq!(checked["last"]["outcome"], "changed", "{document:#}");
    assert_eq!(
        (checked["flips"][0]["before"].as_str(), checked["untold"].is_null()),
        (Some("supported"), true)
    );

    let posted = taking.join().unwrap();
    let (head, body) = posted.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /hook?token=secret "), "{head}");
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!((body["type"].as_str(), body["worse"].as_u64()), (Some("watch.changed"), Some(1)), "{body:#}");
    assert!(!done.err.contains("token=secret") && !done.out.contains("token=secret"));

    let feed = fs::read_to_string(stage.world.data().join("watch-feed.json")).unwrap();
    let feed: Value = serde_json::from_str(&feed).unwrap();
    assert_eq!(feed["items"].as_array().unwrap().len(), 1);
    assert!(feed["items"][0]["title"].as_str().unwrap().contains("1 verdict changed for the worse"));

    // The next check is compared with this one: nothing more to tell.
    let again = stage.run(&["watch", "run", "--all"]);
    assert!(again.code == 0 && again.out.contains("no verdict changed"), "{}{}", again.out, again.err);
}

#[test]
fn what_is_watched_is_listed_and_can_be_removed() {
    let stage = watched();
    let listed: Value = stage.json(&["watch", "list", "--json"]);
    let row = &listed["watches"][0];
    assert_eq!(row["every_seconds"], 604_800, "{listed:#}");
    let id = row["task_id"].as_str().unwrap();
    let removed = stage.run(&["watch", "remove", id]);
    assert_eq!(removed.code, 0, "{}", removed.err);
    assert_eq!(stage.json(&["watch", "list", "--json"])["watches"].as_array().unwrap().len(), 0);
    assert_ne!(stage.run(&["watch", "remove", id]).code, 0, "it is not watched any more");
    assert_ne!(stage.run(&["watch", "add", "--every", "5m"]).code, 0, "too often");
}

#[test]
fn what_would_cost_too_much_unasked_is_not_started() {
    let stage = watched();
    change_the_page(&stage);
    let asked = stage.chat().entries().len();
    let free = ("PROBITY_MCP__ASK_ABOVE_USD", "0");
    let done = run_with(&stage, &["watch", "run", "--all"], &[free]);
    assert_eq!(done.code, 5, "{}{}", done.out, done.err);
    assert!(done.out.contains("needs a yes"), "{}", done.out);
    assert_eq!(stage.chat().entries().len(), asked);
    let accepted = run_with(&stage, &["watch", "run", "--all", "--budget", "0.50"], &[free]);
    assert_eq!(accepted.code, 4, "{}{}", accepted.out, accepted.err);
}
