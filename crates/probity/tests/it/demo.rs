//! `probity demo`: everything at work, on this machine alone, and nothing left behind.
#![expect(clippy::disallowed_methods, reason = "tests start the real binary and read the clock")]

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{CommandOutput, KEY, finish, wait_until};

/// What a person waits for at most, with a machine that is busy with other tests.
const DEMO_TAKES_MAX: Duration = Duration::from_secs(60);

/// A user with keys, settings and a proxy of their own: none of it may be used.
fn demo(home: &Path, arguments: &[&str]) -> Command {
    let temporary = home.join("tmp");
    fs::create_dir_all(&temporary).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_probity"));
    command
        .arg("demo")
        .args(arguments)
        .env_clear()
        .env("HOME", home)
        .env("TMPDIR", &temporary)
        .env("GEMINI_API_KEY", KEY)
        .env("OPENAI_API_KEY", KEY)
        .env("TAVILY_API_KEY", KEY)
        .env("PROBITY_CHAT__BASE_URL", "http://127.0.0.1:9/v1")
        .env("HTTP_PROXY", "http://127.0.0.1:9")
        .env("http_proxy", "http://127.0.0.1:9")
        .current_dir(home)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(home: &Path, arguments: &[&str]) -> CommandOutput {
    finish(demo(home, arguments).spawn().unwrap())
}

/// Names of what is in the user's home and in the directory for temporary files.
fn left(home: &Path) -> Vec<String> {
    let names = |folder: &Path| -> Vec<String> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    };
    let mut left: Vec<String> = names(home).into_iter().filter(|name| name != "tmp").collect();
    left.extend(names(&home.join("tmp")));
    left
}

#[test]
fn everything_is_shown_and_nothing_is_left() {
    let home = TempDir::new().unwrap();
    let began = Instant::now();
    let done = run(home.path(), &[]);
    assert_eq!(done.code, 0, "{}\n{}", done.out, done.err);
    assert!(began.elapsed() < DEMO_TAKES_MAX, "{:?}", began.elapsed());
    let (first, last) = (done.err.find("simulated").unwrap(), done.err.rfind("simulated").unwrap());
    assert!(first < 200 && done.err.len() - last < 600, "said at the start and at the end");
    for shown in ["330 metres", "324 metres", "flutter", "resonance", "C2 contradicted", "trap.example"] {
        assert!(done.out.contains(shown), "{shown}: {}", done.out);
    }
    assert!(done.err.contains("What to type next:"), "{}", done.err);
    assert!(!format!("{}{}", done.out, done.err).contains(KEY));
    assert_eq!(left(home.path()), Vec::<String>::new());
}

#[test]
fn scripts_get_one_document() {
    let home = TempDir::new().unwrap();
    let done = run(home.path(), &["--json"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let document: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(document["simulated"], true);
    let steps = document["steps"].as_array().unwrap();
    let codes: Vec<i64> = steps.iter().map(|step| step["exit_code"].as_i64().unwrap()).collect();
    assert_eq!(codes, [0, 4, 0, 0, 0, 0]);
    let tower = &steps[0]["document"];
    assert_eq!((&tower["status"], &tower["verified"]), (&"completed".into(), &false.into()));
    let verification = &tower["evidence"]["verification"];
    assert!(verification["contested"].as_u64().unwrap() >= 2, "330 and 324 metres: {verification}");
    assert!(tower["cost_usd"].as_f64().unwrap() > 0.0, "what it would cost is shown");
    assert_eq!(steps[2]["document"]["verdict"], "contradicted", "{}", steps[2]["document"]);
    let contacts = steps[5]["document"]["contacts"].as_array().unwrap();
    let hosts: Vec<&str> = contacts.iter().map(|contact| contact["host"].as_str().unwrap()).collect();
    assert!(hosts.iter().all(|host| *host == "127.0.0.1" || host.ends_with(".example")), "{hosts:?}");
    assert_eq!(left(home.path()), Vec::<String>::new());
}

#[test]
fn what_is_kept_can_be_looked_at() {
    let home = TempDir::new().unwrap();
    let done = run(home.path(), &["--keep"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let kept = left(home.path());
    assert_eq!(kept.len(), 1, "{kept:?}");
    let folder = home.path().join("tmp").join(&kept[0]);
    assert!(done.err.contains(&folder.display().to_string()), "{}", done.err);
    assert!(fs::read_to_string(folder.join("report.html")).unwrap().contains("<html"));
    let listed = Command::new(env!("CARGO_BIN_EXE_probity"))
        .args(["runs", "list", "--json"])
        .env_clear()
        .env("HOME", home.path())
        .env("XDG_DATA_HOME", folder.join("data"))
        .output()
        .unwrap();
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed["researches"].as_array().unwrap().len(), 3, "{listed}");
}

#[test]
fn whoever_leaves_early_leaves_nothing() {
    let home = TempDir::new().unwrap();
    let child = demo(home.path(), &[]).spawn().unwrap();
    wait_until("the demo's directory", || !left(home.path()).is_empty());
    let process = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
    let done = finish(child);
    assert_eq!((done.code, left(home.path())), (130, Vec::new()), "{}", done.err);
}
