//! A parser that somebody has taken over can do nothing with it.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "the attacks run in a process of their own")]

use std::{net::TcpListener, process::Command};

const PROBE: &str = env!("CARGO_BIN_EXE_parser-probe");

fn ends(attack: &str, port: &str) -> Option<i32> {
    Command::new(PROBE).args([attack, port]).env_clear().status().unwrap().code()
}

#[test]
fn no_attack_from_inside_works() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().to_string();
    let names = Command::new(PROBE).arg("names").output().unwrap().stdout;
    let names = String::from_utf8(names).unwrap();
    assert!(names.lines().count() >= 12);
    for name in names.lines() {
        assert_eq!(ends(name, &port), Some(0), "{name}");
    }
    // Without bounds the same attacks work; a few depend on what the machine runs.
    for name in
        ["read-file", "list-folder", "start-program", "connect", "listen", "start-thread", "signal-parent"]
    {
        assert_eq!(ends(&format!("free:{name}"), &port), Some(1), "{name}");
    }
}
