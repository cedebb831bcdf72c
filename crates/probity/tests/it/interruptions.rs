//! Ctrl-C, kill -9 and the background: paid work is neither lost nor paid for twice.

use std::process::Child;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::harness::{World, document, finish, id_in, wait_until};

/// Long enough to be interrupted, short enough to end soon after.
const SLOW: &str = "[[slow duration_ms=20000]] how slow";

#[test]
fn killed_in_the_middle_and_resumed_it_was_paid_once() {
    let world = World::new();
    let mut child = world.start(&["research", SLOW]);
    let id = world.wait_for_status("running_async");
    child.kill().unwrap();
    child.wait().unwrap();
    let done = world.run(&["runs", "resume", &id]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.starts_with("# how slow\n"), "{}", done.out);
    let ledger = world.ledger();
    assert_eq!((ledger.entries().len(), ledger.creates_for(&id), ledger.duplicates()), (1, 1, Vec::new()));
}

#[test]
fn ctrl_c_leaves_the_work_at_the_provider() {
    let world = World::new();
    let child = world.start(&["research", SLOW]);
    let id = world.wait_for_status("running_async");
    interrupt(&child);
    let done = finish(child);
    assert_eq!(done.code, 130, "{}", done.err);
    assert!(done.err.contains("left: the research goes on at the provider"), "{}", done.err);
    assert!(done.err.contains(&format!("to come back: probity runs watch {id}")), "{}", done.err);
    let shown = world.json(&["runs", "show", "--json", &id]);
    // The provider may be done by now where this machine is slow; here nothing ended it.
    assert!(matches!(shown["status"].as_str(), Some("running_async" | "completed")), "{shown}");
    let back = world.run(&["runs", "watch", &id]);
    assert_eq!(back.code, 0, "{}", back.err);
    assert!(back.out.starts_with("# how slow\n"), "{}", back.out);
    assert_eq!(world.ledger().entries().len(), 1);
}

#[test]
fn in_the_background_it_goes_on_and_can_be_watched() {
    let world = World::new();
    let done = world.run(&["research", "--detach", "--json", "--max-time", "60s", SLOW]);
    assert_eq!(done.code, 0, "{}", done.err);
    let handle = document(&done);
    let id = id_in(&done.out);
    let expected = json!({
        "schema_version": 1,
        "success": true,
        "task_id": id,
        "status": "running_async",
        "mode": "async",
        "message": "Research running in background. No notification will come: there is no desktop here.",
        "check_status_command": format!("check_research_status(task_id='{id}')"),
    });
    assert_eq!(handle, expected);
    let watched = world.run(&["runs", "watch", &id]);
    assert_eq!(watched.code, 0, "{}", watched.err);
    assert!(watched.out.starts_with("# how slow\n"), "{}", watched.out);
    assert_eq!(world.ledger().entries().len(), 1);
    let log = world.data().join("drive.log");
    wait_until("the background to end", || {
        std::fs::read_to_string(&log).is_ok_and(|text| text.contains("background ends"))
    });
}

#[test]
fn many_in_the_background_share_one_process() {
    let world = World::new();
    let ids: Vec<String> = (0..5)
        .map(|number| {
            let question = format!("[[slow duration_ms=100000]] how slow is number {number}");
            id_in(&world.run(&["research", "--detach", &question]).out)
        })
        .collect();
    wait_until("all of them to be driven", || world.ledger().entries().len() == ids.len());
    wait_until("one process to be left", || drivers(&world) == 1);
    for id in &ids {
        let watched = world.run(&["runs", "watch", id]);
        assert_eq!(watched.code, 0, "{}", watched.err);
    }
    wait_until("the background to end", || drivers(&world) == 0);
    // One after another, each as the one before it leaves: none is left behind.
    for number in 0..5 {
        let id = id_in(&world.run(&["research", "--detach", &format!("short {number}")]).out);
        wait_until("the end of a short one", || {
            world.json(&["runs", "show", "--json", &id])["status"] == "completed"
        });
    }
    assert_eq!(world.ledger().entries().len(), 10);
}

/// Background processes of this world.
fn drivers(world: &World) -> usize {
    let home = world.home.path().display().to_string();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let drives = processes.filter(|process| {
        let read = |name: &str| std::fs::read(process.path().join(name)).unwrap_or_default();
        read("cmdline").ends_with(b"\0drive\0") && String::from_utf8_lossy(&read("environ")).contains(&home)
    });
    drives.count()
}

#[test]
fn two_watchers_and_a_driver_pay_once() {
    let world = World::new();
    let driver = world.start(&["research", SLOW]);
    let id = world.wait_for_status("running_async");
    let watchers = [world.start(&["runs", "watch", &id]), world.start(&["runs", "watch", "last"])];
    for child in watchers.into_iter().chain([driver]) {
        let done = finish(child);
        assert_eq!(done.code, 0, "{}", done.err);
        assert!(done.out.starts_with("# how slow\n"), "{}", done.out);
    }
    assert_eq!(world.ledger().entries().len(), 1);
}

#[test]
fn a_watcher_takes_over_when_the_driver_leaves() {
    let world = World::new();
    let driver = world.start(&["research", SLOW]);
    let id = world.wait_for_status("running_async");
    let watcher = world.start(&["runs", "watch", &id]);
    interrupt(&driver);
    assert_eq!(finish(driver).code, 130);
    let done = finish(watcher);
    assert_eq!(done.code, 0, "{}", done.err);
    assert_eq!(world.ledger().entries().len(), 1);
}

fn interrupt(child: &Child) {
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
}
