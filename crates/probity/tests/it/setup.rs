//! `probity setup` without anybody to ask: what it finds, what it stores, and that it tells no secret.

use std::{fs, io::Write as _, os::unix::fs::PermissionsExt as _, process::Stdio};

use crate::harness::{CommandOutput, World, finish};

const KEY: &str = "AIza-setup-canary-8f14e45f";

fn run(world: &World, arguments: &[&str], stdin: Option<&str>) -> CommandOutput {
    let mut command = world.command(arguments);
    command.env_remove("GEMINI_API_KEY").env_remove("GOOGLE_GEMINI_BASE_URL");
    if stdin.is_some() {
        command.stdin(Stdio::piped());
    }
    let mut child = command.spawn().unwrap();
    if let Some(text) = stdin {
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    }
    let done = finish(child);
    assert!(!done.out.contains(KEY) && !done.err.contains(KEY), "{}{}", done.out, done.err);
    done
}

#[test]
fn without_flags_it_says_what_is_there_and_what_to_type() {
    let world = World::new();
    fs::create_dir(world.home.path().join(".codex")).unwrap();
    let done = run(&world, &["setup"], None);
    assert_eq!(done.code, 0, "{}", done.err);
    for line in [
        "· Gemini key    no GEMINI_API_KEY",
        "✓ MCP clients   Codex",
        "· spend cap     none",
        "probity setup --gemini-key - < key.txt",
        "probity setup --spend-cap 5",
        "probity setup --clients all --yes",
    ] {
        assert!(done.out.contains(line), "{line}: {}", done.out);
    }
    assert_eq!(world.files(), Vec::<std::path::PathBuf>::new(), "looking creates nothing");
}

#[test]
fn a_key_through_stdin_is_stored_for_its_owner_and_used() {
    let world = World::new();
    let done = run(&world, &["setup", "--gemini-key", "-", "--yes"], Some(&format!("{KEY}\n")));
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let path = world.home.path().join("config/probity/keys.env");
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("GEMINI_API_KEY={KEY}\n"));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(done.out.contains("present, from GEMINI_API_KEY in keys.env"), "{}", done.out);
    // A variable goes before the file.
    let both = finish(world.command(&["doctor"]).spawn().unwrap());
    assert!(both.out.contains("present, from GEMINI_API_KEY\n"), "{}", both.out);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let open = run(&world, &["doctor"], None);
    assert_eq!(open.code, 1);
    assert!(open.out.contains("keys.env can be read by others"), "{}", open.out);
    assert!(open.out.contains("→ chmod 600"), "{}", open.out);
    // Storing again closes it.
    run(&world, &["setup", "--gemini-key", "-", "--yes"], Some(KEY));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_stored_key_starts_a_research() {
    let world = World::new();
    let stored = run(&world, &["setup", "--gemini-key", "-", "--yes"], Some(KEY));
    assert_eq!(stored.code, 0, "{}", stored.err);
    let done = finish(world.command(&["research", "why"]).env_remove("GEMINI_API_KEY").spawn().unwrap());
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(!done.out.contains(KEY) && !done.err.contains(KEY));
}

#[test]
fn keys_come_from_a_file_and_settings_keep_their_comments() {
    let world = World::new();
    world.write("mine.env", &format!("# search\nTAVILY_API_KEY={KEY}\nPATH=/evil\n"));
    world.write("config/probity/config.toml", "# mine\n[budget] # money\nmax_usd = 9 # a lot\n");
    let done = run(
        &world,
        &[
            "setup",
            "--key-file",
            "mine.env",
            "--spend-cap",
            "2.50",
            "--model-endpoint",
            "http://127.0.0.1:11434/v1",
            "--model",
            "llama3.2",
            "--yes",
        ],
        None,
    );
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let keys = fs::read_to_string(world.home.path().join("config/probity/keys.env")).unwrap();
    assert_eq!(keys, format!("TAVILY_API_KEY={KEY}\n"));
    let settings = fs::read_to_string(world.home.path().join("config/probity/config.toml")).unwrap();
    assert_eq!(
        settings,
        "# mine\n[budget] # money\nmax_usd = 2.50 # a lot\n\n[chat]\nbase_url = \"http://127.0.0.1:11434/v1\"\nmodel = \"llama3.2\"\n"
    );
    assert!(done.out.contains("llama3.2 (on this machine)"), "{}", done.out);
    assert!(done.out.contains("$2.50 for each research"), "{}", done.out);
}

#[test]
fn clients_are_served_too() {
    let world = World::new();
    fs::create_dir(world.home.path().join(".codex")).unwrap();
    let done = run(&world, &["setup", "--clients", "all", "--yes"], None);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let settings = fs::read_to_string(world.home.path().join(".codex/config.toml")).unwrap();
    assert!(settings.contains("[mcp_servers.probity]"), "{settings}");
    assert!(done.out.contains("✓ Codex"), "{}", done.out);
}

#[test]
fn wrong_answers_change_nothing() {
    let world = World::new();
    world.write("empty.env", "NOTHING=here\n");
    for (words, stdin, why) in [
        (&["setup", "--gemini-key", "-"][..], Some("two words\n"), "cannot be a key"),
        (&["setup", "--gemini-key", "-"], Some(""), "cannot be a key"),
        (&["setup", "--gemini-key", KEY], None, "can be seen by others"),
        (&["setup", "--key-file", "empty.env"], None, "holds no key"),
        (&["setup", "--key-file", "missing.env"], None, "could not read"),
        (&["setup", "--spend-cap", "lots"], None, "is not an amount"),
        (&["setup", "--spend-cap", "-1"], None, ""),
        (&["setup", "--clients", "emacs"], None, "is no MCP client"),
        (&["setup", "--model", "x"], None, "--model-endpoint"),
    ] {
        let mut command = world.command(words);
        command.env_remove("GEMINI_API_KEY").stdin(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        // A command that refuses its flags reads nothing.
        pipe.write_all(stdin.unwrap_or_default().as_bytes()).ok();
        drop(pipe);
        let done = finish(child);
        assert!(!done.err.contains(KEY), "{}", done.err);
        assert_eq!(done.code, 2, "{words:?}: {}", done.err);
        assert!(done.err.contains(why), "{words:?}: {}", done.err);
    }
    assert!(!world.home.path().join("config").exists());
}
