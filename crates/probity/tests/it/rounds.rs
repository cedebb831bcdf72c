//! Rounds over MCP with the real binary: each scenario of the deep search capability has a test of its name.

use probity_simulator::TurnApi;
use serde_json::{Value, json};

use crate::{
    client::{Client, Era},
    harness::{World, wait_until},
};

/// A question whose model follows this script.
fn scripted(turns: &str) -> Value {
    json!({ "query": format!("when did it first run? [[rounds key=k topic=tpu turns={turns}]]") })
}

fn scripted_up_to(turns: &str, max_iterations: i64) -> Value {
    let mut arguments = scripted(turns);
    arguments["max_iterations"] = json!(max_iterations);
    arguments
}

/// The answer of a deep search that must work, and what the server said on stderr.
#[track_caller]
fn deep_search(world: &World, variables: &[(&str, &str)], arguments: Value) -> (Value, String) {
    let mut client = Client::open(world, Era::Old, variables);
    let answer = client.done("deep_search", arguments);
    (answer, client.leave())
}

#[track_caller]
fn lines<'a>(stderr: &'a str, containing: &str) -> Vec<&'a str> {
    stderr.lines().filter(|line| line.contains(containing)).collect()
}

#[test]
fn scenario_successful_multi_round_deep_search() {
    let world = World::new();
    let (answer, _) = deep_search(&world, &[], scripted("draft,unsure,agreed"));
    assert_eq!((&answer["success"], &answer["verified"]), (&json!(true), &json!(true)));
    assert_eq!(answer["metadata"]["iterations"], 3);
    assert!(answer["result"].as_str().unwrap().contains("5344 units"), "{answer}");
    let ledger = world.ledger();
    assert_eq!(ledger.turns_charged("k"), 3);
    assert!(ledger.turns_of("k").all(|turn| turn.face == TurnApi::Interactions));
}

#[test]
fn scenario_early_termination_on_verification() {
    let world = World::new();
    let (answer, stderr) = deep_search(&world, &[], scripted("draft,agreed,unsure"));
    assert_eq!((&answer["verified"], &answer["metadata"]["iterations"]), (&json!(true), &json!(2)));
    assert_eq!(answer["metadata"]["stop"], "verified");
    assert_eq!(answer.get("note"), None);
    assert_eq!(world.ledger().turns_charged("k"), 2, "{stderr}");
}

/// The draft of a round is no result: nothing is called verified before the rounds are over, and what the user drops is
/// gone.
#[test]
fn a_deep_search_that_goes_on_is_not_called_verified_and_its_draft_can_be_dropped() {
    let world = World::new();
    let mut client = Client::open(&world, Era::Old, &[("PROBITY_MCP__CALL_WAIT", "1s")]);
    let id = client.done("deep_search", scripted("draft,agreed duration_ms=6000"))["task_id"].clone();
    let mut draft = Value::Null;
    wait_until("the checked draft of the first round", || {
        draft = client.call("get_research_results", json!({ "task_id": id }))["structuredContent"].clone();
        assert_ne!(draft["verified"], true, "{draft}");
        draft["verification_basis"] == "the research has not ended"
    });
    assert_eq!(draft["status"], "running_async", "{draft}");
    let id = id.as_str().unwrap();
    let shown = world.run(&["runs", "show", id]);
    assert!(!shown.out.contains("verified yes"), "{}", shown.out);
    let dropped = client.done("cancel_research", json!({ "task_id": id, "save_partial": false }));
    assert_eq!(dropped["partial_saved"], false, "{dropped}");
    client.done("check_research_status", json!({ "task_id": id, "wait_seconds": 50 }));
    let raw = world.run(&["runs", "show", id, "--raw"]);
    assert!(!raw.out.contains("5344"), "{}", raw.out);
}

/// Tokens of an answer that was of no use cost what its model costs.
#[test]
fn a_search_that_fails_is_priced_by_the_model_that_answered() {
    let cost = |turns: &str| {
        let world = World::new();
        let question = format!("when? [[rounds key=k topic=tpu turns={turns}]]");
        let done = world.run(&["research", "--rounds", &question, "--json"]);
        let document: Value = serde_json::from_str(&done.out).unwrap();
        let calls = world.ledger().turns_charged("k");
        (document["cost_usd"].as_f64().unwrap() / calls as f64, document["agent"].clone())
    };
    let (useless, agent) = cost("prose,prose,prose,prose,prose,prose");
    let (useful, _) = cost("draft,agreed");
    assert!(useless <= useful * 1.5, "{useless} a call, where a useful one costs {useful}");
    assert_ne!(agent, "auto");
}

#[test]
fn scenario_maximum_iterations_reached() {
    let world = World::new();
    let (answer, _) = deep_search(&world, &[], scripted_up_to("draft,unsure", 3));
    assert_eq!((&answer["success"], &answer["verified"]), (&json!(true), &json!(false)));
    assert_eq!(
        (&answer["metadata"]["iterations"], &answer["metadata"]["stop"]),
        (&json!(3), &json!("limit"))
    );
    assert!(answer["result"].as_str().unwrap().contains("5344 units"));
    let note = answer["note"].as_str().unwrap();
    assert!(note.starts_with("Verification was not completed: all 3 rounds were used"), "{note}");
}

#[test]
fn scenario_successful_response_format() {
    let world = World::new();
    let (answer, _) = deep_search(&world, &[], scripted("draft,agreed"));
    assert_eq!(answer["success"], true);
    assert!(answer["result"].as_str().unwrap().starts_with("# tpu"));
    assert_eq!((&answer["verified"], &answer["model_says_verified"]), (&json!(true), &json!(true)));
    assert!(answer["verification_basis"].as_str().unwrap().contains("3 factual sentences are supported"));
    let metadata = &answer["metadata"];
    assert!(metadata["duration_ms"].is_u64());
    assert!(metadata["query"].as_str().unwrap().starts_with("when did it first run?"));
    assert_eq!(metadata["model"], "gemini-3.8-flash");
    assert!(metadata["timestamp"].as_str().unwrap().ends_with('Z'));
    assert_eq!(metadata["iterations"], 2);
    let visited = json!(["http://pages.example/tpu/1", "http://pages.example/tpu/2"]);
    assert_eq!(metadata["sources_visited"], visited);
    let used = metadata["search_queries_used"].as_array().unwrap();
    assert!(used.len() > 2 && used[0] == "tpu first deployment", "{used:?}");
    assert_eq!(metadata["rounds"].as_array().unwrap().len(), 2);
    assert_eq!(metadata["engine"], "gemini-api");
    assert!(metadata["cost_usd"].as_f64().unwrap() > 0.0);
}

#[test]
fn scenario_per_round_metadata() {
    let world = World::new();
    let (answer, _) = deep_search(&world, &[], scripted("draft,agreed"));
    let rounds = answer["metadata"]["rounds"].as_array().unwrap();
    for (round, number) in rounds.iter().zip(1..) {
        assert_eq!(round["round_number"], number);
        assert!(!round["sources_visited"].as_array().unwrap().is_empty());
        assert!(round["search_queries"].as_array().unwrap().iter().all(Value::is_string));
        assert!(round["intermediate_result_summary"].as_str().unwrap().contains("first deployment"));
    }
    assert_eq!((&rounds[0]["verified"], &rounds[1]["verified"]), (&json!(false), &json!(true)));
}

#[test]
fn scenario_round_progress_logging() {
    let world = World::new();
    let (_, stderr) = deep_search(&world, &[], scripted_up_to("draft,unsure,agreed", 4));
    let expected = [
        "[INFO] Deep search round 1/4...",
        "[INFO] Round 1 completed, verified: false",
        "[INFO] Deep search round 2/4...",
        "[INFO] Round 2 completed, verified: false",
        "[INFO] Deep search round 3/4...",
        "[INFO] Round 3 completed, verified: true",
    ];
    let said: Vec<&str> = stderr.lines().filter(|line| line.to_lowercase().contains("round ")).collect();
    assert_eq!(said, expected);
}

#[test]
fn scenario_final_result_logging() {
    let world = World::new();
    let (_, stderr) = deep_search(&world, &[("PROBITY_LOG", "off")], scripted("draft,agreed"));
    assert_eq!(
        lines(&stderr, "Deep search completed"),
        ["[INFO] Deep search completed: 2 rounds, verified: true"]
    );
}

#[test]
fn scenario_default_iteration_count() {
    let world = World::new();
    let (answer, stderr) = deep_search(&world, &[], scripted("draft,unsure"));
    assert_eq!(answer["metadata"]["iterations"], 5);
    assert_eq!(lines(&stderr, "round 1/5...").len(), 1, "{stderr}");
}

#[test]
fn scenario_custom_iteration_count() {
    let world = World::new();
    let (answer, _) = deep_search(&world, &[("DEEP_SEARCH_MAX_ITERATIONS", "3")], scripted("draft,unsure"));
    assert_eq!(answer["metadata"]["iterations"], 3);
    assert_eq!(world.ledger().turns_charged("k"), 3);
}

#[test]
fn scenario_minimum_iteration_count() {
    for too_few in ["1", "0", "-7"] {
        let world = World::new();
        let variables = [("DEEP_SEARCH_MAX_ITERATIONS", too_few)];
        let (answer, stderr) = deep_search(&world, &variables, scripted("draft,unsure"));
        assert_eq!(answer["metadata"]["iterations"], 2, "{stderr}");
    }
}

#[test]
fn scenario_single_round_failure() {
    let world = World::new();
    let turns = "draft,error-503,error-503,error-503,agreed";
    let (answer, stderr) = deep_search(&world, &[], scripted_up_to(turns, 3));
    assert_eq!((&answer["success"], &answer["verified"]), (&json!(true), &json!(true)));
    let rounds = answer["metadata"]["rounds"].as_array().unwrap();
    assert!(rounds[1]["problem"].as_str().unwrap().starts_with("CREATE_UNCERTAIN"), "{rounds:?}");
    assert_eq!(rounds[2]["round_number"], 3);
    assert_eq!(lines(&stderr, "[ERROR] Round 2 failed").len(), 3, "{stderr}");
}

#[test]
fn scenario_single_round_failure_at_the_limit() {
    let world = World::new();
    let (answer, _) = deep_search(&world, &[], scripted_up_to("draft,error-503", 2));
    assert_eq!((&answer["success"], &answer["verified"]), (&json!(true), &json!(false)));
    assert!(answer["result"].as_str().unwrap().contains("5344 units"));
    assert!(answer["note"].as_str().unwrap().contains("best result obtained, from round 1"), "{answer}");
}

#[test]
fn scenario_gemini_cli_unavailable() {
    let world = World::new();
    let mut client = Client::open(&world, Era::Old, &[("PROBITY_RESEARCH__ENGINE", "gemini-cli")]);
    for tool in ["search", "deep_search", "deep_research"] {
        let result = client.call(tool, json!({ "query": "when?" }));
        let answer = &result["structuredContent"];
        assert_eq!((&result["isError"], &answer["success"]), (&json!(true), &json!(false)));
        assert_eq!(answer["error"]["code"], "CLI_NOT_FOUND");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("npm install -g @google/gemini-cli"), "{message}");
    }
    assert_eq!(world.ledger().turns().len(), 0);
    client.leave();
}

#[test]
fn decision_search_is_one_round() {
    let world = World::new();
    let mut client = Client::open(&world, Era::Old, &[]);
    let answer = client.done("search", scripted("draft"));
    assert_eq!((&answer["success"], &answer["metadata"]["iterations"]), (&json!(true), &json!(1)));
    assert_eq!(answer["metadata"].get("rounds"), None);
    // Its prompt does not ask the model, so the ledger alone says whether it is verified.
    assert_eq!((&answer["verified"], answer.get("model_says_verified")), (&json!(true), None), "{answer}");
    assert!(!answer["verification_basis"].as_str().unwrap().contains("confirm"), "{answer}");
    assert_eq!(world.ledger().turns_charged("k"), 1);
    client.leave();
}

#[test]
fn decision_deep_research_is_one_prompt() {
    let world = World::new();
    let mut client = Client::open(&world, Era::Old, &[]);
    let answer = client.done("deep_research", scripted("draft"));
    assert_eq!((&answer["success"], &answer["metadata"]["iterations"]), (&json!(true), &json!(1)));
    assert_eq!(answer["metadata"].get("rounds"), None);
    assert_eq!(world.ledger().turns_charged("k"), 1);
    client.leave();
}

/// The model's word alone ends the loop only where the user says so.
#[test]
fn decision_completion_on_the_models_word() {
    let world = World::new();
    let model = [("PROBITY_ROUNDS__VERIFICATION", "model")];
    let (answer, _) = deep_search(&world, &model, scripted("draft,changed,agreed"));
    assert_eq!((&answer["verified"], &answer["metadata"]["iterations"]), (&json!(true), &json!(2)));
    assert!(answer["verification_basis"].as_str().unwrap().starts_with("by the model's own word alone"));
    let nowhere = json!({ "query": "when? [[rounds key=k topic=tpu turns=draft,agreed pages=dead]]" });
    let (doubted, _) = deep_search(&World::new(), &[], nowhere);
    let round = &doubted["metadata"]["rounds"][1];
    assert_eq!((&round["verified"], &round["model_says_verified"]), (&json!(false), &json!(true)));
    assert_eq!(doubted["verified"], false);
    let (obedient, _) = deep_search(&World::new(), &[], scripted_up_to("draft,obedient", 2));
    assert!(!obedient["result"].as_str().unwrap().contains("127.0.0.1"), "{obedient}");
}

#[test]
fn a_search_that_outlasts_its_call_is_handed_over_and_every_tool_reads_it() {
    let world = World::new();
    let mut client = Client::open(&world, Era::Old, &[("PROBITY_MCP__CALL_WAIT", "1s")]);
    let slow = "when? [[rounds key=k topic=tpu turns=draft,agreed duration_ms=20000]]";
    let handle = client.done("deep_search", json!({ "query": slow }));
    assert_eq!((&handle["status"], &handle["mode"]), (&json!("running_async"), &json!("async")));
    let id = handle["task_id"].as_str().unwrap().to_owned();
    assert_eq!(handle["check_status_command"], format!("check_research_status(task_id='{id}')"));
    let mut rounds_seen = false;
    wait_until("the end", || {
        let status = client.done("check_research_status", json!({ "task_id": id }));
        rounds_seen |= status["current_action"].as_str().unwrap().starts_with("round 1/5");
        status["status"] == "completed"
    });
    assert!(rounds_seen);
    let results = client.done("get_research_results", json!({ "task_id": id }));
    assert_eq!(
        (&results["metadata"]["verified"], &results["metadata"]["model"]),
        (&json!(true), &json!("gemini-3.8-flash"))
    );
    let saved = client.done("save_research_to_markdown", json!({ "task_id": id }));
    let file = std::fs::read_to_string(saved["file_path"].as_str().unwrap()).unwrap();
    assert!(file.contains("verified: true") && file.contains("3 claims: 3 supported"), "{file}");
    assert_eq!(client.done("list_research", json!({}))["researches"][0]["task_id"], id);
    let read = client.ask("resources/read", json!({ "uri": format!("research://{id}/rounds/2") }));
    let round: Value = serde_json::from_str(read["result"]["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!((&round["round_number"], &round["verified"]), (&json!(2), &json!(true)));
    let missing = client.ask("resources/read", json!({ "uri": format!("research://{id}/rounds/3") }));
    assert!(missing["error"]["code"].is_i64());
    // No word of it is on a page that is stored: nothing is started for it.
    let further = json!({ "task_id": id, "question": "and then?" });
    assert_eq!(client.refused("follow_up_research", further), "NOTHING_FOUND");
    assert_eq!(client.refused("cancel_research", json!({ "task_id": id })), "ALREADY_ENDED");
    client.leave();
}

#[test]
fn a_task_holds_what_the_call_would_have_answered() {
    let world = World::new();
    let mut client = Client::open(&world, Era::NewWithTasks, &[]);
    let slow = "when? [[rounds key=k topic=tpu turns=draft,agreed duration_ms=15000]]";
    let task = client.call("deep_search", json!({ "query": slow }));
    assert_eq!(task["resultType"], "task", "{task}");
    let id = task["taskId"].as_str().unwrap().to_owned();
    let mut answer = Value::Null;
    wait_until("the task", || {
        let found = client.ask("tasks/get", json!({ "taskId": id }))["result"].clone();
        answer = found["result"]["structuredContent"].clone();
        found["status"] == "completed"
    });
    assert_eq!((&answer["success"], &answer["verified"]), (&json!(true), &json!(true)));
    assert_eq!(answer["metadata"]["rounds"][1]["round_number"], 2);
    client.leave();
}

#[test]
fn rounds_ask_before_they_cost_more_than_allowed_and_keep_to_the_day() {
    let world = World::new();
    let mut client = {
        let settings = [("PROBITY_MCP__ASK_ABOVE_USD", "0.5"), ("PROBITY_MCP__UNASKED_MAX_USD", "5")];
        Client::open(&world, Era::Old, &settings)
    };
    let asked = client.done("deep_search", scripted("draft,agreed"));
    assert_eq!((&asked["status"], &asked["success"]), (&json!("needs_confirmation"), &json!(false)));
    assert_eq!(world.ledger().turns().len(), 0);
    let mut confirmed = scripted("draft,agreed");
    confirmed["confirmed_cost_usd"] = json!(3.0);
    assert_eq!(client.done("deep_search", confirmed)["verified"], true);
    client.leave();
    let mut poor = Client::open(&world, Era::Old, &[("PROBITY_BUDGET__PER_DAY_USD", "1")]);
    assert_eq!(poor.refused("deep_search", scripted("draft,agreed")), "DAY_LIMIT");
    poor.leave();
}

#[test]
fn wrong_arguments_of_rounds_are_told() {
    let world = World::new();
    let mut client = Client::open(&world, Era::New, &[]);
    for (tool, arguments, code) in [
        ("search", json!({ "query": " " }), "INVALID_QUERY"),
        ("search", json!({ "question": "why?" }), "INVALID_ARGUMENTS"),
        ("deep_search", json!({ "query": "why?", "max_iterations": 21 }), "INVALID_ARGUMENTS"),
        ("deep_search", json!({ "query": "why?", "max_iterations": "many" }), "INVALID_ARGUMENTS"),
        ("deep_research", json!({ "query": 7 }), "INVALID_ARGUMENTS"),
    ] {
        assert_eq!(client.refused(tool, arguments), code);
    }
    client.leave();
}

#[test]
fn the_command_line_asks_researches_shows_and_refuses_to_resume() {
    let world = World::new();
    let question = "when did it run? [[rounds key=k topic=tpu turns=draft,agreed]]";
    let asked = world.run(&[question]);
    assert_eq!(asked.code, 0, "{}", asked.err);
    assert!(asked.out.starts_with("# tpu") && !asked.err.contains("confirm"), "{}", asked.err);
    assert!(asked.err.contains("\nverified: all "), "{}", asked.err);
    let another = question.replace("key=k", "key=j");
    let searched = world.json(&["research", "--rounds", "--json", "--max-iterations", "3", &another]);
    assert_eq!((&searched["verified"], &searched["rounds"]["rounds_max"]), (&json!(true), &json!(3)));
    assert_eq!(searched["rounds"]["rounds"][1]["verified"], true);
    let shown = world.run(&["runs", "show"]);
    assert!(shown.err.contains("round     2: verified · 2 sources"), "{}", shown.err);
    let cli = world.run(&["ask", "--engine", "gemini-cli", question]);
    assert_eq!(cli.code, 6, "{}", cli.err);
    let resumed = world.run(&["runs", "resume", "last"]);
    assert!(resumed.err.contains("error[ALREADY_ENDED]"), "{}", resumed.err);
    assert_eq!(world.run(&["ask", "--engine", "pigeon", question]).code, 2);
}
