//! The real Gemini CLI on the simulator: it searches, reads, fails and is cut off as it was recorded to.

use std::{collections::BTreeSet, fs, path::Path};

use probity_simulator::{Simulator, SimulatorOptions, TurnCharge};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{program, shapes::shape};

const RECORDED: &str = include_str!("../../fixtures/cli/search_stream.jsonl");
/// Only what a research needs; without it pages cannot be read headless.
const POLICY: &str = r#"
[[rule]]
toolName = ["google_web_search", "web_fetch", "read_file"]
decision = "allow"
priority = 900

[[rule]]
toolName = "*"
decision = "deny"
priority = 100
"#;

/// What one run left behind.
struct Run {
    exit_code: Option<i32>,
    lines: Vec<Value>,
}

impl Run {
    fn of_type(&self, kind: &str) -> Vec<&Value> {
        self.lines.iter().filter(|line| line["type"] == kind).collect()
    }

    fn said(&self) -> String {
        let messages = self.of_type("message").into_iter().filter(|line| line["role"] == "assistant");
        messages.map(|line| line["content"].as_str().unwrap()).collect()
    }
}

/// A simulator, and a home for the CLI that knows nothing of this machine.
struct Lab {
    simulator: Simulator,
    home: TempDir,
}

impl Lab {
    /// `None`, with a notice, where the CLI is not installed.
    async fn open() -> Option<Self> {
        if program::gemini_cli().is_none() {
            assert!(!program::is_ci(), "the Gemini CLI is not installed: run .ci/install");
            println!("notice: the Gemini CLI is not installed in .tools/gemini-cli; it was not run");
            return None;
        }
        let simulator = Simulator::start(SimulatorOptions::default()).await.unwrap();
        let home = TempDir::new().unwrap();
        for folder in [".gemini", "work", "tmp", "files"] {
            fs::create_dir(home.path().join(folder)).unwrap();
        }
        let settings = json!({
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "general": {"maxAttempts": 1, "enableAutoUpdate": false, "enableAutoUpdateNotification": false},
            "privacy": {"usageStatisticsEnabled": false},
            "telemetry": {"enabled": false},
        });
        fs::write(home.path().join(".gemini/settings.json"), settings.to_string()).unwrap();
        fs::write(home.path().join("policy.toml"), POLICY).unwrap();
        fs::write(home.path().join("system.md"), "You are a careful researcher.").unwrap();
        Some(Self { simulator, home })
    }

    async fn ask(&self, prompt: &str) -> Run {
        let home = self.home.path().to_path_buf();
        let base_url = self.simulator.base_url().to_owned();
        let prompt = prompt.to_owned();
        tokio::task::spawn_blocking(move || run(&home, &base_url, &prompt)).await.unwrap()
    }
}

fn run(home: &Path, base_url: &str, prompt: &str) -> Run {
    let path = |name: &str| home.join(name).to_str().unwrap().to_owned();
    let (policy, files, tmp, system, own) =
        (path("policy.toml"), path("files"), path("tmp"), path("system.md"), path(""));
    let arguments = [
        "-o",
        "stream-json",
        "-e",
        "none",
        "-m",
        "gemini-3.8-flash",
        "--policy",
        &policy,
        "--include-directories",
        &files,
    ];
    let environment = [
        ("HOME", own.as_str()),
        ("GEMINI_CLI_HOME", own.as_str()),
        ("GEMINI_API_KEY", "test-key"),
        ("GEMINI_CLI_NO_RELAUNCH", "1"),
        ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
        ("GEMINI_SYSTEM_MD", &system),
        ("GOOGLE_GEMINI_BASE_URL", base_url),
        ("NO_COLOR", "1"),
        ("TMPDIR", &tmp),
    ];
    let program = program::gemini_cli().unwrap();
    let output = program::run_alone(&program, &arguments, &environment, &home.join("work"), prompt);
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    Run { exit_code: output.status.code(), lines }
}

/// Which fields each kind of line has. Figures per model go by the model's name, so they are left out.
fn line_shapes<'lines>(lines: impl IntoIterator<Item = &'lines Value>) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    for line in lines {
        let kind = line["type"].as_str().unwrap();
        let of_line = shape(line).into_iter().filter(|path| !path.starts_with("$.stats.models"));
        paths.extend(of_line.map(|path| format!("{kind} {path}")));
    }
    paths
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_is_searched_read_and_answered_as_recorded() {
    let Some(lab) = Lab::open().await else { return };
    let run = lab.ask("[[rounds key=k topic=tpu turns=draft pages=numeric]] why").await;
    assert_eq!(run.exit_code, Some(0));
    let used: Vec<(&Value, &Value)> =
        run.of_type("tool_use").into_iter().map(|line| (&line["tool_name"], &line["parameters"])).collect();
    let page = "Which figures does this page state? http://[3fff::1]/tpu/1";
    let expected = [
        (&json!("google_web_search"), &json!({"query": "tpu first deployment"})),
        (&json!("google_web_search"), &json!({"query": "tpu second generation"})),
        (&json!("web_fetch"), &json!({"prompt": page})),
    ];
    assert_eq!(used, expected);
    assert!(run.of_type("tool_result").iter().all(|line| line["status"] == "success"), "{:?}", run.lines);
    let answer: Value = serde_json::from_str(&run.said()).unwrap();
    assert_eq!((&answer["success"], &answer["verified"]), (&json!(true), &json!(false)));
    let recorded: Vec<Value> = RECORDED.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let searching = run.lines.iter().filter(|line| line["tool_name"] != "web_fetch");
    assert_eq!(line_shapes(searching), line_shapes(&recorded));
    let ledger = lab.simulator.handle().ledger();
    let turns: Vec<(u32, u32)> = ledger.turns_of("k").map(|turn| (turn.number, turn.requests)).collect();
    assert_eq!((turns, ledger.turns().len()), (vec![(1, 3)], 1), "searches and pages are no turns");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn prose_is_corrected_from_a_file() {
    let Some(lab) = Lab::open().await else { return };
    let prose = lab.ask("[[rounds key=k turns=prose,corrected]] why").await.said();
    assert!(prose.contains("In Zürich") && !prose.contains('{'), "{prose}");
    let file = lab.home.path().join("files/temp-invalid-output-1794690000.txt");
    fs::write(&file, &prose).unwrap();
    let corrected =
        lab.ask(&format!("You are a JSON formatter. Read `{}` and answer.", file.display())).await;
    let used: Vec<&Value> =
        corrected.of_type("tool_use").into_iter().map(|line| &line["tool_name"]).collect();
    assert_eq!(used, ["read_file"]);
    let answer: Value = serde_json::from_str(&corrected.said()).unwrap();
    assert!(answer["report"].as_str().unwrap().contains("In Zürich"));
    assert_eq!(lab.simulator.handle().ledger().turns_charged("k"), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusal_is_an_exit_code_and_a_last_line() {
    let Some(lab) = Lab::open().await else { return };
    let run = lab.ask("[[rounds key=k turns=error-429]] why").await;
    assert_eq!(run.exit_code, Some(173));
    assert_eq!(run.of_type("result")[0]["status"], "error");
    let charges: Vec<TurnCharge> =
        lab.simulator.handle().ledger().turns_of("k").map(|turn| turn.charge).collect();
    assert_eq!(charges, [TurnCharge::Free], "it was asked to try once");
}

/// Both look like success to somebody who looks at exit code and status only.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_is_cut_and_one_without_a_word_look_like_success() {
    let Some(lab) = Lab::open().await else { return };
    let cut = lab.ask("[[rounds key=c turns=cut]] why").await;
    assert_eq!((cut.exit_code, &cut.of_type("result")[0]["status"]), (Some(0), &json!("success")));
    assert!(cut.said().starts_with('{') && serde_json::from_str::<Value>(&cut.said()).is_err());
    let silent = lab.ask("[[rounds key=s turns=silent]] why").await;
    assert_eq!((silent.exit_code, &silent.of_type("result")[0]["status"]), (Some(0), &json!("success")));
    assert_eq!((silent.said().as_str(), silent.of_type("error").len()), ("", 0));
}
