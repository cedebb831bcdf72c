//! `probity mcp install`, `uninstall` and `status`: files of clients in a home of their own, and the real clients.

mod real;

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
};

use crate::harness::{CommandOutput, World, figure, finish};

const SECRET: &str = "hunter2-token";

/// Files as people have them, below the home: with comments, another server and its token.
const FILES: [(&str, &str); 10] = [
    (".claude.json", "{\"numStartups\":3,\"mcpServers\":{\"a\":{\"command\":\"a\",\"env\":{\"K\":\"v\"}}}}"),
    ("config/Claude/claude_desktop_config.json", "{\n\t\"mcpServers\": {}\n}"),
    (".codex/config.toml", "# mine\nmodel = \"x\" # good\n\n[mcp_servers.a]\ncommand = \"a\"\n"),
    (".gemini/settings.json", "{\r\n  // look\r\n  \"ui\": { \"theme\": \"ANSI\", },\r\n}\r\n"),
    (".cursor/mcp.json", "{ \"mcpServers\": { \"a\": { \"url\": \"https://a.example\" } } }\n"),
    ("config/Code/User/mcp.json", "{\n  \"inputs\": [], // none\n}\n"),
    (
        "config/zed/settings.json",
        "// Zed\n{\n  \"context_servers\": {\n    \"a\": { \"enabled\": false },\n  },\n}\n",
    ),
    ("config/goose/config.yaml", "GOOSE_MODE: auto # x\nextensions:\n  a:\n    type: builtin\n"),
    (".codeium/windsurf/mcp_config.json", "\u{feff}{\"mcpServers\":{}}"),
    (
        "config/opencode/opencode.json",
        "{\n  \"mcp\": { \"a\": { \"type\": \"local\", \"command\": [\"a\"] } }\n}\n",
    ),
];

fn read(world: &World, name: &str) -> String {
    fs::read_to_string(world.home.path().join(name)).unwrap()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Every file of the home with its bytes.
fn all(world: &World) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = world
        .files()
        .into_iter()
        .filter(|path| !path.starts_with(world.home.path().join(".local")))
        .filter(|path| !path.starts_with(world.home.path().join("data")))
        .map(|path| (path.display().to_string(), fs::read(&path).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn a_client_that_is_there_gets_us_and_gives_us_back() {
    let world = World::new();
    for folder in [".codex", ".gemini", ".claude", ".cursor", "config/goose", "config/zed"] {
        fs::create_dir_all(world.home.path().join(folder)).unwrap();
    }
    let installed = world.json(&["mcp", "install", "--yes", "--json"]);
    let names: Vec<&str> = installed["clients"]
        .as_array()
        .unwrap()
        .iter()
        .map(|client| client["client"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["claude-code", "codex", "gemini-cli", "cursor", "zed", "goose"]);
    assert!(installed["clients"].as_array().unwrap().iter().all(|client| client["change"] == "added"));
    assert_eq!(mode(&world.home.path().join(".codex/config.toml")), 0o600);
    let status = world.json(&["mcp", "status", "--json"]);
    for client in status["clients"].as_array().unwrap() {
        assert_eq!(client["state"], "answers", "{client}");
        assert_eq!(client["server"], "probity", "{client}");
        assert!(client["tools"].as_u64().unwrap() >= 9, "{client}");
    }
    let again = world.json(&["mcp", "install", "--yes", "--json"]);
    assert!(
        again["clients"].as_array().unwrap().iter().all(|client| client["change"] == "nothing"),
        "{again}"
    );
    let gone = world.run(&["mcp", "uninstall", "--yes"]);
    assert_eq!(gone.code, 0, "{}", gone.err);
    assert_eq!(all(&world), []);
}

#[test]
fn a_file_with_a_history_comes_back_byte_by_byte() {
    let world = World::new();
    let before = format!(
        "{{\r\n  // mine\r\n  \"mcpServers\": {{\r\n    \"notes\": {{ \"command\": \"notes\", \"env\": {{ \"TOKEN\": \"{SECRET}\" }} }},\r\n  }},\r\n}}\r\n"
    );
    world.write("dotfiles/gemini.json", &before);
    fs::set_permissions(world.home.path().join("dotfiles/gemini.json"), fs::Permissions::from_mode(0o640))
        .unwrap();
    fs::create_dir(world.home.path().join(".gemini")).unwrap();
    let link = world.home.path().join(".gemini/settings.json");
    symlink("../dotfiles/gemini.json", &link).unwrap();
    let done = world.run(&["mcp", "install", "--yes"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert!(done.out.contains("+         \"probity\": {") || done.out.contains("+ "), "{}", done.out);
    assert!(!done.out.contains(SECRET) && !done.err.contains(SECRET), "{}", done.out);
    assert!(done.err.contains("Gemini CLI: done; start `gemini` anew"), "{}", done.err);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(mode(&link), 0o640);
    let backup = world.home.path().join("dotfiles/gemini.json.probity-backup");
    assert_eq!((mode(&backup), fs::read_to_string(&backup).unwrap()), (0o600, before.clone()));
    assert!(read(&world, "dotfiles/gemini.json").contains("// mine\r\n"));
    let done = world.run(&["mcp", "uninstall", "--yes"]);
    assert!(done.err.contains("Gemini CLI: as it was before"), "{}", done.err);
    assert_eq!(read(&world, "dotfiles/gemini.json"), before);
    assert!(!backup.exists());
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
}

#[test]
fn settings_of_ten_clients_come_back_byte_by_byte() {
    let world = World::new();
    FILES.iter().for_each(|(file, text)| world.write(file, text));
    assert_eq!(world.run(&["mcp", "install", "--yes"]).code, 0);
    for (file, _) in FILES {
        assert!(read(&world, file).contains("probity"), "{file}");
    }
    assert_eq!(world.run(&["mcp", "uninstall", "--yes"]).code, 0);
    for (file, text) in FILES {
        assert_eq!(read(&world, file), text, "{file}");
    }
    figure("clients.bytes", &format!("{0} of {0} ({0} had the entry)", FILES.len()));
}

#[test]
fn what_was_written_since_stays() {
    let world = World::new();
    world.write(".codex/config.toml", "model = \"a\" # mine\n");
    world.run(&["mcp", "install", "--yes"]);
    let now = read(&world, ".codex/config.toml");
    world.write(".codex/config.toml", &format!("# later\n{now}\n[tui]\ntheme = \"b\"\n"));
    let done = world.run(&["mcp", "uninstall", "--yes"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert_eq!(read(&world, ".codex/config.toml"), "# later\nmodel = \"a\" # mine\n\n[tui]\ntheme = \"b\"\n");
    assert!(done.err.contains("Codex: our entry is gone"), "{}", done.err);
    // The backup holds what the user had: it stays, and a second one stands beside it.
    world.run(&["mcp", "install", "--yes"]);
    assert_eq!(read(&world, ".codex/config.toml.probity-backup"), "model = \"a\" # mine\n");
    assert!(read(&world, ".codex/config.toml.probity-backup-2").starts_with("# later\n"));
}

#[test]
fn nobody_is_asked_through_a_pipe_and_nothing_is_written() {
    let world = World::new();
    world.write(".codex/config.toml", "model = \"a\"\n");
    let before = all(&world);
    let refused = world.run(&["mcp", "install"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("nothing was written: 1 file would change"), "{}", refused.err);
    assert!(refused.err.contains("`probity mcp install --yes`"), "{}", refused.err);
    let shown = world.run(&["mcp", "install", "--dry-run"]);
    assert_eq!(shown.code, 0);
    assert!(shown.out.contains("  + [mcp_servers.probity]\n"), "{}", shown.out);
    assert!(shown.out.contains("    model = \"…\"\n"), "{}", shown.out);
    let document = world.json(&["mcp", "install", "--dry-run", "--json"]);
    assert_eq!((&document["written"], &document["clients"][0]["change"]), (&false.into(), &"added".into()));
    assert_eq!(all(&world), before);
}

#[test]
fn what_is_not_understood_is_left_alone_and_the_others_are_served() {
    let world = World::new();
    world.write(".cursor/mcp.json", "{ broken");
    world.write("config/goose/config.yaml", "extensions: {a: {type: builtin}}\n");
    world.write(".codex/config.toml", "");
    let done = world.run(&["mcp", "install", "--yes"]);
    assert_eq!(done.code, 1);
    assert!(done.out.contains("the file is not valid JSON"), "{}", done.out);
    assert!(
        done.out.contains("→ add these lines by hand:\n      extensions:\n        probity:\n"),
        "{}",
        done.out
    );
    assert_eq!(read(&world, ".cursor/mcp.json"), "{ broken");
    assert!(read(&world, ".codex/config.toml").contains("[mcp_servers.probity]"));
}

#[test]
fn somebody_else_under_our_name_stays_unless_told() {
    let world = World::new();
    let other = "{\"mcpServers\": {\"probity\": {\"url\": \"https://probity.example/mcp\"}}}\n";
    world.write(".cursor/mcp.json", other);
    let refused = world.run(&["mcp", "install", "--client", "cursor", "--yes"]);
    assert_eq!(refused.code, 1);
    assert!(refused.out.contains("`probity mcp install --client cursor --replace`"), "{}", refused.out);
    assert_eq!(world.json(&["mcp", "status", "--json"])["clients"][0]["state"], "foreign");
    assert_eq!(read(&world, ".cursor/mcp.json"), other);
    let replaced = world.run(&["mcp", "install", "--client", "cursor", "--yes", "--replace"]);
    assert_eq!(replaced.code, 0, "{}", replaced.err);
    assert_eq!(read(&world, ".cursor/mcp.json.probity-backup"), other);
    assert_eq!(world.json(&["mcp", "status", "--json"])["clients"][0]["state"], "answers");
}

#[test]
fn a_server_that_does_not_answer_is_told_with_its_last_words() {
    let world = World::new();
    world.write("bin/probity", "#!/bin/sh\necho 'error: out of luck' >&2\nexit 3\n");
    let program = world.home.path().join("bin/probity");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let entry = |command: &str| {
        format!("{{\"mcpServers\": {{\"probity\": {{\"command\": \"{command}\", \"args\": [\"mcp\"]}}}}}}")
    };
    world.write(".cursor/mcp.json", &entry(&program.display().to_string()));
    let done = world.run(&["mcp", "status"]);
    assert_eq!(done.code, 1);
    assert!(done.out.contains("it said: error: out of luck"), "{}", done.out);
    assert!(done.out.contains("→ probity mcp install --client cursor"), "{}", done.out);
    world.write("bin/probity", "#!/bin/sh\necho 'Welcome!'\nsleep 60\n");
    let done = world.run(&["mcp", "status"]);
    assert!(done.out.contains("it wrote something to stdout that is not MCP"), "{}", done.out);
    world.write(".cursor/mcp.json", &entry("/nowhere/probity"));
    let done = world.run(&["mcp", "status", "--json"]);
    assert!(done.out.contains("could not be started"), "{}", done.out);
    let doctor = world.run(&["doctor"]);
    assert_eq!(doctor.code, 1);
    assert!(doctor.out.contains("its entry starts /nowhere/probity, which is not there"), "{}", doctor.out);
}

#[test]
fn a_project_cannot_lead_us_astray() {
    let world = World::new();
    world.write("outside.json", "{}\n");
    fs::create_dir(world.home.path().join("project")).unwrap();
    let project = world.home.path().join("project");
    symlink("../outside.json", project.join(".mcp.json")).unwrap();
    let inside = |arguments: &[&str]| -> CommandOutput {
        finish(world.command(arguments).current_dir(&project).spawn().unwrap())
    };
    let refused = inside(&["mcp", "install", "--project", "--client", "claude-code", "--yes"]);
    assert_eq!(refused.code, 1);
    assert!(refused.out.contains("leads out of the project"), "{}", refused.out);
    assert_eq!(read(&world, "outside.json"), "{}\n");
    // A program that only has our name is not started for a project.
    fs::remove_file(project.join(".mcp.json")).unwrap();
    let marker = world.home.path().join("started");
    world.write("project/probity", &format!("#!/bin/sh\ntouch {}\n", marker.display()));
    fs::set_permissions(project.join("probity"), fs::Permissions::from_mode(0o755)).unwrap();
    for command in [project.join("probity").display().to_string(), "./probity".to_owned()] {
        world.write(
            "project/.mcp.json",
            &format!(
                "{{\"mcpServers\": {{\"probity\": {{\"command\": \"{command}\", \"args\": [\"mcp\"]}}}}}}"
            ),
        );
        let done = inside(&["mcp", "status", "--project"]);
        assert!(done.out.contains("it was not started"), "{}", done.out);
    }
    assert!(!marker.exists());
    fs::remove_file(project.join(".mcp.json")).unwrap();
    let done = inside(&["mcp", "install", "--project", "--client", "claude-code", "--yes"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert_eq!(mode(&project.join(".mcp.json")), 0o644);
    let none = inside(&["mcp", "install", "--project", "--client", "goose", "--yes"]);
    assert!(none.out.contains("Goose reads no settings from projects"), "{}", none.out);
}

#[test]
fn without_a_client_the_next_command_is_named() {
    let world = World::new();
    let done = world.run(&["mcp", "install", "--yes"]);
    assert_eq!(done.code, 1);
    assert!(done.err.contains("no MCP client was found here"), "{}", done.err);
    assert!(done.err.contains("`probity mcp install --client NAME`"), "{}", done.err);
    let wrong = world.run(&["mcp", "install", "--client", "emacs"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("expected one of claude-code, claude-desktop, codex"), "{}", wrong.err);
    assert_eq!(world.run(&["mcp", "uninstall"]).code, 0);
    assert_eq!(all(&world), []);
}

#[test]
fn serving_is_what_it_was() {
    let world = World::new();
    for words in [&["mcp"][..], &["mcp", "serve"]] {
        let done = world.run(words);
        // Nobody speaks: the end of the input is the end.
        assert!(done.out.is_empty(), "{}", done.out);
    }
}
