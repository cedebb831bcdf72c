//! What the seeds promise of every answer, held against the real binary with the settings that are shipped: claims are
//! checked, and the pages behind them cannot be reached.
#![expect(clippy::disallowed_methods, reason = "starts a bus and reads the clock")]

use std::{
    collections::BTreeSet,
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    client::{Client, Era},
    harness::{World, notice, wait_until},
    notifications,
};

/// Nobody listens there.
const NOWHERE: &str = "*:80=127.0.0.1:1,*:443=127.0.0.1:1";

/// A client of a program with shipped settings; whatever page is asked for, nobody answers for it.
fn open(world: &World, variables: &[(&str, &str)]) -> Client {
    let mut all = vec![("PROBITY_WEB__REACH", NOWHERE)];
    all.extend_from_slice(variables);
    Client::open(world, Era::Old, &all)
}

#[track_caller]
fn has(answer: &Value, fields: &str) {
    for field in fields.split_whitespace() {
        assert!(!answer[field].is_null(), "no `{field}` in {answer}");
    }
}

/// What the program asked of anybody who takes money.
fn calls(world: &World) -> (usize, usize, u64) {
    let ledger = world.ledger();
    (ledger.entries().len(), ledger.turns().len(), ledger.charged_micro_usd())
}

#[test]
fn a_finished_research_has_every_field_and_costs_nothing_to_read_and_save() {
    let world = World::new();
    let mut client = open(&world, &[]);
    let started = client.done("start_deep_research", json!({ "query": "why is the sky blue?" }));
    has(&started, "success task_id status mode results cost_usd");
    assert_eq!((&started["status"], &started["mode"]), (&json!("completed"), &json!("sync")));
    has(&started["results"], "report sources metadata");
    let (paid, id) = (calls(&world), started["task_id"].as_str().unwrap().to_owned());
    let status = client.done("check_research_status", json!({ "task_id": id }));
    has(&status, "task_id status progress current_action elapsed_minutes tokens_used cost_so_far");
    has(&status["tokens_used"], "input output");
    let results = client.done("get_research_results", json!({ "task_id": id }));
    has(&results, "success task_id query report sources metadata");
    has(&results["metadata"], "duration_minutes tokens_used cost_usd mode");
    has(&results["metadata"]["tokens_used"], "input output");
    let saved = client.done("save_research_to_markdown", json!({ "task_id": id }));
    has(&saved, "success task_id file_path file_size_kb filename created_at");
    let name = saved["filename"].as_str().unwrap();
    let stamp = name.strip_prefix(&format!("research_{id}_")).unwrap().strip_suffix(".md").unwrap();
    let (day, time) = stamp.split_once('_').unwrap();
    assert!((day.len(), time.len()) == (8, 6) && (day.to_owned() + time).parse::<u64>().is_ok(), "{name}");
    let folder = format!("research_reports/{}-{}/{name}", &day[..4], &day[4..6]);
    assert!(saved["file_path"].as_str().unwrap().ends_with(&folder), "{saved}");
    assert_eq!(client.refused("cancel_research", json!({ "task_id": id })), "ALREADY_ENDED");
    assert_eq!(calls(&world), paid, "reading, saving and cancelling asked a model");
    client.leave();
}

#[test]
fn several_researches_run_side_by_side_and_each_tells_how_it_is_going_at_once() {
    let world = World::new();
    let wait = world.json(&["config", "show", "--json"]);
    let wait = wait["settings"].as_array().unwrap().iter().find(|setting| setting["key"] == "mcp.start_wait");
    assert_eq!(wait.unwrap()["value"], "25s", "a task id is promised within 30 s");
    // Shorter than shipped: what is told after the wait is told here, not how long it is.
    let mut client = open(&world, &[("PROBITY_MCP__START_WAIT", "1s")]);
    let ids: Vec<String> = (0..3)
        .map(|number| {
            let query = format!("why is number {number} slow? [[completed duration_ms=600000]]");
            let handle = client.done("start_deep_research", json!({ "query": query }));
            has(&handle, "success task_id status mode message check_status_command");
            assert_eq!((&handle["status"], &handle["mode"]), (&json!("running_async"), &json!("async")));
            handle["task_id"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(world.ledger().entries().len(), 3);
    let mut took = Vec::new();
    for id in &ids {
        for _ in 0..5 {
            let began = Instant::now();
            let status = client.done("check_research_status", json!({ "task_id": id }));
            took.push(began.elapsed());
            has(
                &status,
                "task_id status progress current_action elapsed_minutes estimated_completion_minutes",
            );
            assert_eq!(status["status"], "running_async");
        }
    }
    took.sort();
    assert!(took[took.len() / 2] < Duration::from_millis(100), "{took:?}");
    let refused = client.call("save_research_to_markdown", json!({ "task_id": ids[0] }));
    let error = &refused["structuredContent"]["error"];
    assert_eq!(error["code"], "NOT_FINISHED");
    assert!(error["message"].as_str().unwrap().contains("running"), "{error}");
    for id in &ids {
        let cancelled = client.done("cancel_research", json!({ "task_id": id }));
        has(&cancelled, "success task_id status message cost_basis");
        assert_eq!(cancelled["status"], "cancelled", "{cancelled}");
        let known = cancelled["cost_usd"].is_number() || cancelled["cost_basis"] == "unknown";
        assert!(known, "{cancelled}");
    }
    client.leave();
}

#[test]
fn a_cancelled_research_gives_back_what_it_had_searched() {
    let world = World::new();
    let mut client = open(&world, &[("PROBITY_MCP__START_WAIT", "1s")]);
    let query = "why is it so? [[partial duration_ms=200000]]";
    let id = client.done("start_deep_research", json!({ "query": query }))["task_id"].clone();
    wait_until("a search", || {
        let status = client.done("check_research_status", json!({ "task_id": id }));
        status["searches"].as_u64().unwrap() > 0
    });
    let cancelled = client.done("cancel_research", json!({ "task_id": id }));
    assert_eq!(cancelled["status"], "cancelled", "{cancelled}");
    assert!(!cancelled.to_string().contains("nothing to keep"), "{cancelled}");
    let results = client.call("get_research_results", json!({ "task_id": id }))["structuredContent"].clone();
    let searches = results["work_done"]["searches"].as_array().map_or(0, Vec::len);
    assert!(searches > 0 || results["report"].is_string(), "{results}");
    client.leave();
}

#[test]
fn a_deep_search_that_outlasts_its_call_is_answered_with_the_same_fields() {
    let world = World::new();
    let mut client = open(&world, &[("PROBITY_MCP__CALL_WAIT", "1s")]);
    let slow = "when? [[rounds key=k topic=tpu turns=draft,agreed duration_ms=20000]]";
    let handle = client.done("deep_search", json!({ "query": slow }));
    assert_eq!(handle["status"], "running_async", "{handle}");
    let wanted = json!({ "task_id": handle["task_id"], "wait_seconds": 50 });
    let answer = client.done("get_research_results", wanted);
    has(&answer, "success result verified metadata note");
    has(&answer["metadata"], "duration_ms query model timestamp iterations sources_visited");
    has(&answer["metadata"], "search_queries_used rounds");
    assert_eq!(answer["metadata"]["rounds"][0]["round_number"], 1);
    let note = answer["note"].as_str().unwrap();
    assert!(note.starts_with("Verification was not completed"), "{note}");
    client.leave();
}

#[test]
fn an_estimate_has_every_field_and_a_larger_question_a_larger_one() {
    let world = World::new();
    let mut client = open(&world, &[]);
    let mut estimate = |query: &str| {
        let found = client.done("estimate_research_cost", json!({ "query": query }));
        has(&found, "query_complexity estimated_duration estimated_cost will_likely_go_async recommendation");
        has(&found["estimated_duration"], "min_minutes max_minutes likely_minutes");
        has(&found["estimated_cost"], "min_usd max_usd likely_usd");
        found
    };
    let simple = estimate("why is the sky blue?");
    let complex = estimate(
        "Compare Rust, Go, Zig and C++ for storage engines: latency, safety, build time, and hiring?",
    );
    assert_eq!(
        (&simple["query_complexity"], &complex["query_complexity"]),
        (&json!("simple"), &json!("complex"))
    );
    assert_eq!(complex["will_likely_go_async"], true, "{complex}");
    let likely = |found: &Value| found["estimated_cost"]["likely_usd"].as_f64().unwrap();
    assert!(likely(&simple) < likely(&complex), "{simple} {complex}");
    assert_eq!(calls(&world), (0, 0, 0));
    client.leave();
}

#[test]
fn a_provider_that_cannot_be_reached_is_not_said_to_be_working() {
    let world = World::new();
    let nowhere = ("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:1");
    let mut client = open(&world, &[nowhere, ("PROBITY_MCP__START_WAIT", "1s")]);
    let handle = client.call("start_deep_research", json!({ "query": "why?" })).to_string();
    assert!(handle.contains("the provider has not taken it"), "{handle}");
    assert!(!handle.contains("running in background"), "{handle}");
    let failed = client.call("search", json!({ "query": "why not?" })).to_string();
    assert!(!failed.contains("goes on at the provider"), "{failed}");
    client.leave();
}

/// The number of rounds is the user's; so is the most that may be spent without asking.
#[test]
fn rounds_that_may_cost_more_than_allowed_are_asked_for_and_run_once_they_are_allowed() {
    let world = World::new();
    let query = json!({ "query": "when did it first run? [[rounds key=k topic=tpu turns=draft,agreed]]" });
    let mut client = open(&world, &[("DEEP_SEARCH_MAX_ITERATIONS", "10")]);
    let asked = client.done("deep_search", query.clone());
    assert_eq!(asked["status"], "needs_confirmation", "{asked}");
    assert!(asked["message"].as_str().unwrap().contains("Nothing was started"), "{asked}");
    assert_eq!(calls(&world), (0, 0, 0));
    client.leave();
    let allowed = [("DEEP_SEARCH_MAX_ITERATIONS", "10"), ("PROBITY_MCP__ASK_ABOVE_USD", "10")];
    let mut client = open(&world, &allowed);
    assert_eq!(client.done("deep_search", query)["success"], true);
    let stderr = client.leave();
    assert!(stderr.contains("[INFO] Deep search round 1/10..."), "{stderr}");
}

/// Equal prompts have equal numbers at the provider.
#[test]
fn a_prompt_of_the_users_own_takes_the_place_of_ours_and_a_broken_one_is_named() {
    let world = World::new();
    let ask = || {
        let mut client = open(&world, &[]);
        let result =
            client.call("search", json!({ "query": "when? [[rounds key=k topic=tpu turns=draft]]" }));
        client.leave();
        result
    };
    assert_eq!((ask()["isError"].clone(), ask()["isError"].clone()), (json!(false), json!(false)));
    let own = "Answer {{query}} from one page.\n\n```json\n{{schema}}\n```\n";
    world.write("config/probity/prompts/search-prompt.md", own);
    assert_eq!(ask()["isError"], false);
    let prompts: Vec<u64> = world.ledger().turns().iter().map(|turn| turn.prompt).collect();
    assert!(prompts.len() == 3 && prompts[0] == prompts[1] && prompts[1] != prompts[2], "{prompts:?}");
    world.write("config/probity/prompts/verify-prompt.md", "Check {{query}}.");
    let error = ask()["structuredContent"]["error"].clone();
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("verify-prompt.md lacks {{current_result}}"), "{error}");
    assert_eq!(world.ledger().turns().len(), 3, "nothing is paid for before a broken prompt is found");
}

#[test]
fn state_is_one_sqlite_file_and_the_program_says_its_version() {
    let world = World::new();
    let mut client = open(&world, &[]);
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    });
    let version = world.run(&["--version"]).out;
    let said = client.ask("initialize", hello)["result"]["serverInfo"]["version"].clone();
    assert_eq!(version.split_whitespace().nth(1), said.as_str(), "{version}");
    client.done("start_deep_research", json!({ "query": "why?" }));
    client.leave();
    let database = fs::read(world.data().join("probity.db")).unwrap();
    assert!(database.starts_with(b"SQLite format 3\0"));
}

/// What the bus's monitor has heard of the desktop's own interface.
struct Desktop {
    processes: Vec<Child>,
    address: String,
    heard: Arc<Mutex<String>>,
}

impl Desktop {
    fn start(world: &World) -> Option<Self> {
        let (bus, address) = notifications::bus(world)?;
        let mut monitor = Command::new("dbus-monitor");
        monitor.args(["--address", &address, "interface='org.freedesktop.Notifications'"]);
        let mut monitor = monitor.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let output = BufReader::new(monitor.stdout.take().unwrap());
        let heard = Arc::new(Mutex::new(String::new()));
        let hearing = Arc::clone(&heard);
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                hearing.lock().unwrap().push_str(&format!("{line}\n"));
            }
        });
        let desktop = Self { processes: vec![monitor, bus], address, heard };
        // Its own name goes when it becomes a monitor.
        wait_until("the monitor", || desktop.heard().contains("NameLost"));
        Some(desktop)
    }

    fn heard(&self) -> String {
        self.heard.lock().unwrap().clone()
    }

    fn told(&self) -> usize {
        self.heard().matches("member=Notify").count()
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        for process in &mut self.processes {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }
}

/// Its connection to the provider is cut on the way. Who does not want to be told is not.
#[test]
fn a_research_that_outlasts_its_call_keeps_the_four_promised_times_and_tells_the_desktop() {
    let world = World::new();
    let Some(desktop) = Desktop::start(&world) else {
        return notice("dbus-daemon is not installed; no notification was looked at");
    };
    let bus = ("DBUS_SESSION_BUS_ADDRESS", desktop.address.as_str());
    let mut client = open(&world, &[bus, ("PROBITY_MCP__START_WAIT", "1s")]);
    client.done("start_deep_research", json!({ "query": "why?", "enable_notifications": false }));
    let query = "why is my question private? [[drop-after duration_ms=30000]]";
    let began = Instant::now();
    let handle = client.done("start_deep_research", json!({ "query": query }));
    assert!(began.elapsed() < Duration::from_secs(30));
    assert_eq!(handle["status"], "running_async", "{handle}");
    let id = handle["task_id"].as_str().unwrap().to_owned();
    assert_eq!(desktop.told(), 0, "{}", desktop.heard());
    let mut took = Vec::new();
    let mut ended = None;
    wait_until("the end", || {
        let began = Instant::now();
        let status = client.done("check_research_status", json!({ "task_id": id }));
        took.push(began.elapsed());
        ended = Some(Instant::now());
        status["status"] == "completed"
    });
    wait_until("the notification", || desktop.told() > 0);
    let told = ended.unwrap().elapsed();
    assert!(told < Duration::from_secs(2), "{told:?}");
    wait_until("its words", || desktop.heard().contains("research completed"));
    assert!(!desktop.heard().contains("private"), "{}", desktop.heard());
    took.sort();
    assert!(took[took.len() / 2] < Duration::from_millis(100), "{took:?}");
    let mut save = || {
        let began = Instant::now();
        client.done("save_research_to_markdown", json!({ "task_id": id }));
        began.elapsed()
    };
    let fastest = (0..5).map(|_| save()).min().unwrap();
    assert!(fastest < Duration::from_millis(100), "{fastest:?}");
    client.leave();
    assert_eq!(desktop.told(), 1, "{}", desktop.heard());
}

#[test]
fn a_thousand_saves_leave_a_thousand_files() {
    let world = World::new();
    let mut client = open(&world, &[]);
    let id = client.done("start_deep_research", json!({ "query": "why?" }))["task_id"].clone();
    let mut paths = BTreeSet::new();
    for number in 0..1_000 {
        let wanted = json!({ "task_id": id, "filename_prefix": format!("save-{number}") });
        let saved = client.done("save_research_to_markdown", wanted);
        paths.insert(saved["file_path"].as_str().unwrap().to_owned());
    }
    assert!(paths.len() == 1_000 && paths.iter().all(|path| Path::new(path).is_file()));
    client.leave();
}
