//! What the kernel keeps from the CLI. Says so and passes where the kernel keeps nothing.

use std::{
    fs,
    net::TcpListener,
    os::{linux::net::SocketAddrExt as _, unix::net},
    process::{Command, Stdio},
};

use probity_models::gemini_cli::{CliProcessReuse, confinement, supervisor::confine::KernelEnforcement};

use super::Lab;

#[tokio::test]
async fn none_of_seven_attacks_succeeds() {
    let can = confinement();
    if [can.files, can.connections, can.signals].contains(&KernelEnforcement::Not) {
        println!("notice: {can}; the attacks were not tried");
        return;
    }
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("id_ed25519");
    fs::write(&secret, "secret").unwrap();
    let written = outside.path().join("written");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let name = format!("probity-test-{}", std::process::id());
    let address = net::SocketAddr::from_abstract_name(&name).unwrap();
    let socket = net::UnixListener::bind_addr(&address).unwrap();
    let mut bystander =
        Command::new("sleep").arg("60").stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let wish = format!(
        "attack read={} list={} write={} port={port} pid={pid} environment={pid} socket={name}",
        secret.display(),
        outside.path().display(),
        written.display(),
        pid = bystander.id(),
    );
    let lab = Lab::new(CliProcessReuse::Spawn);
    let report = lab.ended(&format!("[[fake {wish}]]")).await.text;
    let alive = bystander.try_wait().unwrap().is_none();
    bystander.kill().unwrap();
    bystander.wait().unwrap();
    drop((listener, socket));
    let expected = ["read", "list", "write", "port", "pid", "environment", "socket"]
        .map(|kind| format!("{kind}:refused"))
        .join(" ");
    assert_eq!(report, expected);
    assert!(alive && !written.exists());
}

/// The attacks are real ones: without the keeper's bounds each of them succeeds.
#[test]
fn the_same_attacks_succeed_without_a_keeper() {
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("id_ed25519");
    fs::write(&secret, "secret").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let wish = format!(
        "[[fake attack read={} write={} port={}]]",
        secret.display(),
        outside.path().join("written").display(),
        listener.local_addr().unwrap().port()
    );
    let mut child =
        Command::new(super::fake_cli()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), wish.as_bytes()).unwrap();
    let printed = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert!(printed.contains("read:succeeded write:succeeded port:succeeded"), "{printed}");
}
