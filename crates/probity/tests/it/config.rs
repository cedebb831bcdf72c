//! `probity config get`, `set` and `unset`: what is written where, what goes before it, and what is refused.

use std::{
    fs,
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::PathBuf,
    process::{Command, Stdio},
};

use crate::harness::{CommandOutput, World, document, finish};

const SECRET: &str = "tvly-config-canary-c9f0f895";

fn file(world: &World) -> PathBuf {
    world.home.path().join("config/probity/config.toml")
}

fn written(world: &World) -> String {
    fs::read_to_string(file(world)).unwrap_or_default()
}

fn piped(mut command: Command, text: &str) -> CommandOutput {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    // A command that refuses its arguments reads nothing.
    pipe.write_all(text.as_bytes()).ok();
    drop(pipe);
    finish(child)
}

#[test]
fn a_setting_is_set_read_and_unset_with_its_comments_kept() {
    let world = World::new();
    let set = world.run(&["config", "set", "budget.max_usd", "2.50"]);
    assert_eq!((set.code, set.out.as_str()), (0, ""), "{}", set.err);
    assert_eq!(written(&world), "[budget]\nmax_usd = 2.50\n");
    assert_eq!(fs::metadata(file(&world)).unwrap().permissions().mode() & 0o777, 0o600);
    let said = world.redacted(&set.err);
    assert!(said.starts_with("budget.max_usd is 2.50, from HOME/config/probity/config.toml:2;"), "{said}");
    world.write("config/probity/config.toml", "# mine\n[budget]\n# enough\nmax_usd = 2.50 # a lot\n");
    assert_eq!(world.run(&["config", "set", "budget.max_usd", "3"]).code, 0);
    assert_eq!(written(&world), "# mine\n[budget]\n# enough\nmax_usd = 3 # a lot\n");
    let got = world.run(&["config", "get", "budget.max_usd"]);
    assert_eq!(got.out, "3\n", "{}", got.err);
    assert!(got.err.contains("config.toml:4"), "{}", got.err);
    let unset = world.json(&["config", "unset", "budget.max_usd", "--json"]);
    assert_eq!((&unset["value"], &unset["changed"]), (&serde_json::Value::Null, &true.into()), "{unset}");
    assert_eq!(unset["origin"], "default", "{unset}");
    assert_eq!(written(&world), "# mine\n[budget]\n# enough\n");
    let again = world.json(&["config", "unset", "budget.max_usd", "--json"]);
    assert_eq!(again["changed"], false, "{again}");
}

#[test]
fn what_is_wrong_changes_nothing_and_says_what_would_be_right() {
    let world = World::new();
    let before = "[budget]\nmax_usd = 2\n";
    world.write("config/probity/config.toml", before);
    for (words, said) in [
        (&["config", "set", "budget.max_us", "3"][..], "there is no setting `budget.max_us`"),
        (&["config", "set", "budget.max_us", "3"], "the nearest are `budget.max_usd`"),
        (&["config", "get", "deadline"], "`research.deadline`"),
        (&["config", "unset", "no_such_thing"], "`probity config show` names all settings"),
        (&["config", "set", "budget.max_usd", "lots"], "`lots`, which is not an amount in US dollars"),
        (&["config", "set", "budget.max_usd", "lots"], "`probity config set budget.max_usd 2.50`"),
        (&["config", "set", "limits.driven_max", "0"], "not a whole number from 1 to 20000"),
        (&["config", "set", "research.engine", "gpt"], "`gpt` is not an engine; known: auto, gemini-api"),
        (&["config", "unset", "no_such_thing"], "the keys are GEMINI_API_KEY, "),
        (&["config", "set", "chat.base_url", "not a url"], "`chat.base_url`: the base URL is not a URL"),
        (&["config", "set", "chat.base_url", "http://evil.example/v1"], "the base URL must be https"),
        (&["config", "set", "chat.endpoints", "groq=ftp:foo"], "`chat.endpoints`: the base URL"),
        (&["config", "set", "web.proxy", "nonsense"], "`web.proxy`: the proxy's address is not an address"),
        (&["config", "set", "web.contact", "a\r\nX-Evil: 1"], "`web.contact` has a line break"),
        (&["config", "set", "chat.model", "a\u{1b}[31mRED"], "`chat.model` has a line break or another"),
        (&["config", "set", "search.searxng_url", "ftp://x y"], "`search.searxng_url` or `search.bases`: "),
        (&["config", "set", "TAVILY_API_KEY", SECRET], "can be seen by others"),
        (&["config", "set", "fleet.database", SECRET], "can be seen by others"),
    ] {
        let done = world.run(words);
        assert_eq!(done.code, 2, "{words:?}: {}", done.err);
        assert!(done.err.contains(said), "{words:?}: {}", done.err);
        assert!(!done.err.contains(SECRET), "{}", done.err);
    }
    // A variable that hides the value does not hide that it is wrong.
    let mut hidden = world.command(&["config", "set", "budget.max_usd", "lots", "--json"]);
    let done = finish(hidden.env("PROBITY_BUDGET__MAX_USD", "1").spawn().unwrap());
    assert_eq!(done.code, 2, "{}", done.err);
    assert!(document(&done).to_string().contains("lots"), "{}", done.out);
    assert_eq!(written(&world), before);
    assert!(!world.home.path().join("config/probity/keys.env").exists());
}

#[test]
fn what_goes_before_the_file_is_said() {
    let world = World::new();
    let mut command = world.command(&["config", "set", "budget.max_usd", "4", "--json"]);
    let done = finish(command.env("PROBITY_BUDGET__MAX_USD", "1").spawn().unwrap());
    let set = document(&done);
    assert_eq!(set["overridden_by"], "PROBITY_BUDGET__MAX_USD", "{set}");
    assert_eq!((&set["value"], &set["changed"]), (&"1".into(), &true.into()), "{set}");
    assert_eq!(written(&world), "[budget]\nmax_usd = 4\n");
    world.write("probity.toml", "[budget]\nmax_usd = 3\n");
    let said = world.redacted(&world.run(&["config", "set", "budget.max_usd", "5"]).err);
    assert!(said.contains("note: HOME/probity.toml:2 goes before what that file says"), "{said}");
}

#[test]
fn a_file_with_a_wrong_value_is_mended_by_setting_it() {
    let world = World::new();
    world.write("config/probity/config.toml", "[budget]\nmax_usd = \"lots\"\n");
    assert_eq!(world.run(&["config", "show"]).code, 2);
    assert_eq!(world.run(&["config", "set", "budget.max_usd", "2"]).code, 0);
    assert_eq!(written(&world), "[budget]\nmax_usd = 2\n");
}

#[test]
fn secrets_come_through_stdin_and_are_never_printed() {
    let world = World::new();
    let stored = piped(world.command(&["config", "set", "TAVILY_API_KEY", "-"]), &format!("{SECRET}\n"));
    assert_eq!(stored.code, 0, "{}", stored.err);
    let keys = world.home.path().join("config/probity/keys.env");
    assert_eq!(fs::read_to_string(&keys).unwrap(), format!("TAVILY_API_KEY={SECRET}\n"));
    assert_eq!(fs::metadata(&keys).unwrap().permissions().mode() & 0o777, 0o600);
    let got = world.run(&["config", "get", "TAVILY_API_KEY"]);
    assert_eq!(got.out, "(set, not shown)\n", "{}", got.err);
    // The harness sets this one as a variable.
    let behind = piped(world.command(&["config", "set", "GEMINI_API_KEY", "-"]), SECRET);
    assert!(behind.err.contains("note: GEMINI_API_KEY goes before"), "{}", behind.err);
    let hook = format!("https://user:{SECRET}@hooks.example/x");
    let set = piped(world.command(&["config", "set", "watch.webhook", "-"]), &hook);
    assert_eq!(set.code, 0, "{}", set.err);
    assert!(written(&world).contains(&hook));
    let wrong = piped(world.command(&["config", "set", "watch.webhook", "-"]), &format!("ftp://{SECRET}/"));
    assert_eq!(wrong.code, 2, "{}", wrong.err);
    let nothing = piped(world.command(&["config", "set", "TAVILY_API_KEY", "-"]), "two words");
    assert!(nothing.code == 2 && nothing.err.contains("cannot be a key"), "{}", nothing.err);
    let gone = world.run(&["config", "unset", "TAVILY_API_KEY"]);
    assert_eq!(gone.code, 0, "{}", gone.err);
    assert_eq!(fs::read_to_string(&keys).unwrap(), format!("GEMINI_API_KEY={SECRET}\n"));
    for said in [stored, got, behind, set, wrong, nothing, gone] {
        assert!(!said.out.contains(SECRET) && !said.err.contains(SECRET), "{}{}", said.out, said.err);
    }
}

#[test]
fn a_broken_setting_is_marked_among_all_the_others_and_by_the_doctor() {
    let world = World::new();
    let broken = "[budget]\nmax_usd = \"lots\"\nbogus = 1\n[web]\nproxy = \"nonsense\"\n";
    world.write("config/probity/config.toml", &format!("{broken}[limits]\ndriven_max = 7\n"));
    let shown = world.run(&["config", "show", "--origin"]);
    assert_eq!(shown.code, 2, "{}", shown.err);
    let line = |key: &str| shown.out.lines().find(|line| line.starts_with(key)).unwrap().to_owned();
    for key in ["budget.max_usd", "web.proxy"] {
        assert!(line(key).ends_with("✗ cannot be used"), "{}", line(key));
    }
    assert!(line("limits.driven_max").contains(" 7 ") && !line("limits.driven_max").contains('✗'));
    for said in ["`lots`, which is not an amount", "no setting `budget.bogus`", "`web.proxy`: the proxy"] {
        assert!(shown.err.contains(said), "{said}: {}", shown.err);
    }
    world.write("config/probity/config.toml", "[web]\nproxy = \"nonsense\"\n");
    let doctor = world.run(&["doctor"]);
    assert!(doctor.out.contains("✗ pages"), "{}", doctor.out);
    // Said before anything is started, and nothing is stored.
    let started = world.run(&["research", "--web", "--yes", "why is it blue?"]);
    assert_eq!(started.code, 2, "{}", started.err);
    assert!(started.err.contains("`web.proxy`: ") && !started.err.contains(" started"), "{}", started.err);
}
