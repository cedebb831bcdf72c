//! Where there is no desktop: one line in the log, nothing lost, and never the question.

use std::fs;

use crate::harness::{World, wait_until};

fn background_log(world: &World) -> String {
    let log = world.data().join("drive.log");
    wait_until("the background to end", || {
        fs::read_to_string(&log).is_ok_and(|text| text.contains("background ends"))
    });
    fs::read_to_string(&log).unwrap()
}

#[test]
fn without_a_desktop_the_log_is_told_once() {
    let world = World::new();
    world.run(&["research", "--detach", "why is my question private?"]);
    let id = world.wait_for_status("completed");
    let log = background_log(&world);
    let told: Vec<&str> = log.lines().filter(|line| line.contains("no desktop notification")).collect();
    assert_eq!(told.len(), 1, "{log}");
    assert!(told[0].contains("Probity: research completed") && told[0].contains(&id), "{log}");
    assert!(!log.contains("private"), "{log}");
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
