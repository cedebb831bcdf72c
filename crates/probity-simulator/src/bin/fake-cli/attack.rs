//! Tries what a confined program must not be able to do, and reports what succeeded.

use std::{
    fs,
    net::{Ipv4Addr, TcpStream},
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};

/// A connection to this machine is there at once or never.
const CONNECT_MAX: Duration = Duration::from_secs(2);

/// `read=FILE list=DIRECTORY write=FILE port=N pid=N socket=NAME`: each is tried, the successes are named.
pub fn report(wish: &str) -> String {
    let tries = wish.split_whitespace().filter_map(|word| word.split_once('='));
    let results: Vec<String> = tries
        .map(|(kind, target)| match attempt(kind, target) {
            Some(()) => format!("{kind}:succeeded"),
            None => format!("{kind}:refused"),
        })
        .collect();
    results.join(" ")
}

fn attempt(kind: &str, target: &str) -> Option<()> {
    match kind {
        "read" => fs::read(target).ok().map(drop),
        "list" => fs::read_dir(target).ok().map(drop),
        "write" => fs::write(target, "x").ok(),
        "port" => {
            let address = (Ipv4Addr::LOCALHOST, target.parse().ok()?).into();
            TcpStream::connect_timeout(&address, CONNECT_MAX).ok().map(drop)
        }
        "pid" => kill_process(Pid::from_raw(target.parse().ok()?)?, Signal::TERM).ok(),
        "environment" => fs::read(format!("/proc/{target}/environ")).ok().map(drop),
        #[cfg(target_os = "linux")]
        "socket" => {
            use std::os::{linux::net::SocketAddrExt as _, unix::net};
            let address = net::SocketAddr::from_abstract_name(target).ok()?;
            net::UnixStream::connect_addr(&address).ok().map(drop)
        }
        _ => None,
    }
}
