//! The clients themselves, as their makers publish them: each lists us after `install` and no longer after `uninstall`.
#![expect(clippy::disallowed_methods, reason = "tests start the real clients")]

use std::{
    fs,
    path::PathBuf,
    process::{Command, Stdio},
};

use crate::harness::{World, figure, finish, gemini_cli};

/// Below `.tools`, where the installer of the checks puts it.
#[expect(clippy::print_stdout, reason = "a test that was not run says so")]
fn tool(path: &str) -> Option<PathBuf> {
    let tools = fs::canonicalize(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.tools")).ok();
    let program = tools.map(|tools| tools.join("clients/node_modules").join(path));
    let program = program.filter(|program| program.exists());
    if program.is_none() {
        println!("notice: {path} is not installed (benches/checks/clients/install); it was not run");
    }
    program
}

/// What the client itself says, in the world's home and without the network.
fn said(world: &World, program: &PathBuf) -> String {
    let mut command = Command::new(program);
    command
        .args(["mcp", "list"])
        .env_clear()
        .env("HOME", world.home.path())
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("TERM", "dumb")
        // Otherwise the Gemini CLI lists servers of strange folders as disabled.
        .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .env("DISABLE_AUTOUPDATER", "1")
        .current_dir(world.home.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let done = finish(command.spawn().unwrap());
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    format!("{}{}", done.out, done.err)
}

fn check(client: &str, program: &PathBuf, listed: &str) {
    let world = World::new();
    let installed = world.run(&["mcp", "install", "--client", client, "--yes"]);
    assert_eq!(installed.code, 0, "{}{}", installed.out, installed.err);
    let before = said(&world, program);
    assert!(before.contains(listed), "{before}");
    // Clients write their own files: ours must not need ours alone.
    assert_eq!(
        world.json(&["mcp", "status", "--client", client, "--json"])["clients"][0]["state"],
        "answers"
    );
    let gone = world.run(&["mcp", "uninstall", "--client", client, "--yes"]);
    assert_eq!(gone.code, 0, "{}{}", gone.out, gone.err);
    let after = said(&world, program);
    assert!(!after.contains("probity mcp") && !after.contains("probity: "), "{after}");
}

#[test]
fn real_clients_list_us() {
    let codex = "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex";
    let claude = "@anthropic-ai/claude-code-linux-x64/claude";
    let clients = [
        ("codex", tool(codex), "mcp   -    -    enabled"),
        ("claude-code", tool(claude), "Connected"),
        ("gemini-cli", gemini_cli(), "Connected"),
    ];
    let (mut tried, mut absent) = (Vec::new(), Vec::new());
    for (client, program, listed) in clients {
        match program {
            Some(program) => {
                check(client, &program, listed);
                tried.push(client);
            }
            None => absent.push(client),
        }
    }
    if tried.is_empty() {
        figure("clients.real", "skipped: no client is installed; run benches/checks/clients/install");
        return;
    }
    figure("clients.real", &format!("{0} of {0} ({1})", tried.len(), tried.join(", ")));
    if !absent.is_empty() {
        figure("clients.real.note", &format!("not installed and not tried: {}", absent.join(", ")));
    }
}
