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
    let count = names.lines().count();
    let ended = |name: &str| (ends(name, &port), ends(&format!("free:{name}"), &port));
    let ended: Vec<_> = names.lines().map(|name| (name, ended(name))).collect();
    let refused = ended.iter().filter(|(_, (confined, _))| *confined == Some(0)).count();
    let worked = ended.iter().filter(|(_, (confined, _))| *confined == Some(1)).count();
    let unclear: Vec<&str> =
        ended.iter().filter(|(_, (code, _))| !matches!(code, Some(0 | 1))).map(|(name, _)| *name).collect();
    let free = ended.iter().filter(|(_, (_, free))| *free == Some(1)).count();
    eprintln!("figure: inside.worked {worked} of {count}");
    eprintln!(
        "figure: inside.worked.note files, folders, programs, sockets, signals, threads, limits; unclear: {unclear:?}"
    );
    eprintln!("figure: inside.free {free} of {count}");
    assert_eq!(refused, count, "{ended:?}");
    // Without bounds the same attacks work; a few depend on what the machine runs.
    assert!(free * 2 > count, "{ended:?}");
    for name in
        ["read-file", "list-folder", "start-program", "connect", "listen", "start-thread", "signal-parent"]
    {
        assert!(
            ended.iter().any(|(other, (_, free))| *other == name && *free == Some(1)),
            "{name}: {ended:?}"
        );
    }
}
