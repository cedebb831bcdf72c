//! Where there is no desktop: one line in the log, nothing lost, and never the question.
#![expect(clippy::disallowed_methods, reason = "starts a bus")]

use std::{
    fs,
    io::{BufRead as _, BufReader},
    os::unix::net::UnixListener,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    client::{Client, Era},
    harness::{World, figure, finish, wait_until},
};

fn background_log(world: &World) -> String {
    let log = world.data().join("drive.log");
    wait_until("the background to end", || {
        fs::read_to_string(&log).is_ok_and(|text| text.contains("background ends"))
    });
    fs::read_to_string(&log).unwrap()
}

/// A session bus of its own, on which nothing else can be started: no desktop of this machine is asked.
pub fn bus(world: &World) -> Option<(Child, String)> {
    let folder = world.home.path().display();
    world.write(
        "bus.conf",
        &format!(
            "<busconfig><type>session</type><listen>unix:dir={folder}</listen><policy context=\"default\">\
             <allow send_destination=\"*\" eavesdrop=\"true\"/><allow eavesdrop=\"true\"/><allow own=\"*\"/>\
             </policy></busconfig>"
        ),
    );
    let mut command = Command::new("dbus-daemon");
    command.args([&format!("--config-file={folder}/bus.conf"), "--nofork", "--print-address=1"]);
    let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let mut address = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut address).unwrap();
    Some((process, address.trim().to_owned()))
}

/// No bus, a bus that takes the call and never answers, and a bus without a notification daemon.
#[test]
fn where_no_desktop_answers_the_log_is_told_once() {
    let (mut cases, mut slowest) = (Vec::new(), Duration::ZERO);
    for case in ["no bus", "a bus that never answers", "a bus without a daemon"] {
        let world = World::new();
        let silent = world.home.path().join("silent.sock");
        let _listening = UnixListener::bind(&silent).unwrap();
        let bus = if case == "a bus without a daemon" { bus(&world) } else { None };
        let address = match case {
            "no bus" => "unix:path=/nonexistent/bus".to_owned(),
            "a bus that never answers" => format!("unix:path={}", silent.display()),
            _ => match &bus {
                Some((_, address)) => address.clone(),
                None => continue,
            },
        };
        let mut command = world.command(&["research", "--detach", "why is my question private?"]);
        finish(command.env("DBUS_SESSION_BUS_ADDRESS", address).spawn().unwrap());
        let id = world.wait_for_status("completed");
        let began = Instant::now();
        let log = background_log(&world);
        slowest = slowest.max(began.elapsed());
        let told: Vec<&str> = log.lines().filter(|line| line.contains("no desktop notification")).collect();
        assert_eq!(told.len(), 1, "{case}: {log}");
        assert!(told[0].contains("Probity: research completed") && told[0].contains(&id), "{case}: {log}");
        assert!(!log.contains("private"), "{case}: {log}");
        assert_ne!(world.json(&["runs", "show", &id, "--json"])["report"].as_str().unwrap(), "", "{case}");
        if let Some((mut process, _)) = bus {
            process.kill().unwrap();
            process.wait().unwrap();
        }
        cases.push(case);
    }
    assert!(slowest < Duration::from_secs(4), "{slowest:?}");
    figure(
        "notifications",
        &format!(
            "{} cases, 0 wrong; the background ended {} ms after the research at the latest",
            cases.len(),
            slowest.as_millis()
        ),
    );
    figure("notifications.note", &cases.join("; "));
}

#[test]
fn notifications_can_be_switched_off() {
    let world = World::new();
    world.write("config/probity/config.toml", "[notifications]\nenabled = false\n");
    world.run(&["research", "--detach", "why?"]);
    world.wait_for_status("completed");
    let log = background_log(&world);
    assert!(!log.contains("desktop notification"), "{log}");
}

#[test]
fn a_notification_is_promised_only_where_one_will_come() {
    let world = World::new();
    let desktop = world.home.path().join("bus.sock");
    let _listening = UnixListener::bind(&desktop).unwrap();
    let there = format!("unix:path={}", desktop.display());
    let told = "Research running in background. ";
    for (variables, arguments, expected) in [
        (vec![("DBUS_SESSION_BUS_ADDRESS", there.as_str())], json!({}), "Notification when complete."),
        (
            vec![("DBUS_SESSION_BUS_ADDRESS", there.as_str())],
            json!({ "enable_notifications": false }),
            "No notification will come: none was asked for.",
        ),
        (
            vec![("DBUS_SESSION_BUS_ADDRESS", there.as_str()), ("PROBITY_NOTIFICATIONS__ENABLED", "false")],
            json!({}),
            "No notification will come: notifications are switched off.",
        ),
        (vec![], json!({}), "No notification will come: there is no desktop here."),
    ] {
        let mut variables = variables;
        variables.push(("PROBITY_MCP__START_WAIT", "1s"));
        let mut client = Client::open(&world, Era::Old, &variables);
        let mut question = arguments;
        question["query"] = json!("why? [[completed duration_ms=600000]]");
        question["again"] = json!(true);
        let handle = client.done("start_deep_research", question);
        let message = handle["message"].as_str().unwrap();
        assert!(message.starts_with(&format!("{told}{expected}")), "{message}");
        client.done("cancel_research", json!({ "task_id": handle["task_id"] }));
        client.leave();
    }
}

#[test]
fn every_ended_run_gets_its_line_where_there_is_no_desktop() {
    let world = World::new();
    let mut client = Client::open(&world, Era::Old, &[]);
    let mut ended = Vec::new();
    for (number, scenario) in ["completed", "failed", "incomplete", "error-401", "empty-report", "completed"]
        .into_iter()
        .enumerate()
    {
        let question = json!({ "query": format!("[[{scenario}]] number {number}") });
        let answer = client.call("start_deep_research", question);
        ended.push(answer["structuredContent"]["task_id"].as_str().unwrap().to_owned());
    }
    wait_until("a line for every one of them", || {
        let said = client.said();
        let lines: Vec<&str> = said.lines().filter(|line| line.contains("no desktop notification")).collect();
        ended.iter().all(|id| lines.iter().filter(|line| line.contains(id.as_str())).count() == 1)
    });
    client.leave();
}

#[test]
fn progress_moves_while_the_provider_says_nothing() {
    let world = World::new();
    let mut client = Client::open(&world, Era::Old, &[("PROBITY_MCP__START_WAIT", "1s")]);
    let handle = client.done("start_deep_research", json!({ "query": "why? [[stuck]]" }));
    let mut seen: Vec<u64> = Vec::new();
    wait_until("progress", || {
        let status = client.done("check_research_status", json!({ "task_id": handle["task_id"] }));
        assert_eq!(status["tokens_basis"], "unknown", "{status}");
        assert_eq!(status["cost_basis"], "unknown", "{status}");
        seen.push(status["progress"].as_u64().unwrap());
        seen.last() > seen.first()
    });
    assert!(seen.is_sorted() && seen.iter().all(|percent| *percent < 100), "{seen:?}");
    client.done("cancel_research", json!({ "task_id": handle["task_id"] }));
    client.leave();
}
