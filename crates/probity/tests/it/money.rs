//! Money across processes: the day's limit, who may approve a start, and a start that is made twice. Each holds for
//! the real binary with its shipped settings, and prints the figure that is published of it.

use std::{
    process::Command,
    sync::{Arc, Barrier},
    thread,
};

use probity_testing::figure_size::sized;
use serde_json::{Value, json};

use crate::{
    client::{Client, Era, UserAnswer},
    harness::{CommandOutput, World, document, finish},
};

/// What the default agent may cost.
const PRICE: u64 = 3;
/// The limit of the day: two of them.
const LIMIT: u64 = 6;
const PROCESSES: usize = 16;
/// An agent and a question that may cost more than is spent unasked as shipped.
const DEAR_AGENT: &str = "deep-research-max-preview-04-2026";
const DEAR_QUESTION: &str = "why, how and when, compared with what?";
/// A research that runs as long as the test.
const LONG: &str = "[[completed duration_ms=6000000]]";

fn run_with(world: &World, variables: &[(&str, &str)], arguments: &[&str]) -> CommandOutput {
    let mut command: Command = world.command(arguments);
    finish(command.envs(variables.iter().copied()).spawn().unwrap())
}

fn structured(answer: &Value) -> &Value {
    &answer["structuredContent"]
}

/// So that nothing goes on in the background when the test is over.
fn cancel(world: &World, ids: &[String]) {
    for id in ids {
        world.run(&["runs", "cancel", id]);
    }
}

/// All at once, one real process each; what they came back with.
fn at_once<T: Send>(clients: Vec<Client>, work: impl Fn(usize, &mut Client) -> T + Sync) -> Vec<T> {
    let barrier = Arc::new(Barrier::new(clients.len()));
    thread::scope(|scope| {
        let working: Vec<_> = clients
            .into_iter()
            .enumerate()
            .map(|(place, mut client)| {
                let (barrier, work) = (Arc::clone(&barrier), &work);
                scope.spawn(move || {
                    barrier.wait();
                    let done = work(place, &mut client);
                    client.leave();
                    done
                })
            })
            .collect();
        working.into_iter().map(|work| work.join().unwrap()).collect()
    })
}

#[test]
fn the_days_limit_holds_across_processes() {
    let starts_each = sized(6, 200);
    let world = World::new();
    let limit = LIMIT.to_string();
    let settings = [("PROBITY_BUDGET__PER_DAY_USD", limit.as_str()), ("PROBITY_MCP__START_WAIT", "1s")];
    let clients = (0..PROCESSES).map(|_| Client::open(&world, Era::New, &settings)).collect();
    let ids: Vec<String> = at_once(clients, |place, client| {
        let mut ids = Vec::new();
        for number in 0..starts_each {
            let query = format!("why {place} {number}? {LONG}");
            let answer = client.call("start_deep_research", json!({ "query": query }));
            match structured(&answer)["task_id"].as_str() {
                Some(id) => ids.push(id.to_owned()),
                None => assert_eq!(structured(&answer)["error"]["code"], "DAY_LIMIT", "{answer}"),
            }
        }
        ids
    })
    .concat();
    let started = ids.len() as u64;
    let over = (started * PRICE).saturating_sub(LIMIT);
    eprintln!("figure: budget.overspent ${over}.00 of ${LIMIT}.00, {PROCESSES} processes");
    eprintln!("figure: budget.overspent.note {starts_each} starts each; {started} of them were started");
    assert_eq!((over, started), (0, LIMIT / PRICE), "as many as fit, and not one more");
    let paid = world.ledger().entries().len() as u64;
    assert!(paid <= started, "{paid} were paid");
    cancel(&world, &ids);
}

#[test]
fn every_way_to_start_keeps_to_the_day() {
    let world = World::new();
    let settings = [("PROBITY_BUDGET__PER_DAY_USD", "1"), ("PROBITY_MCP__START_WAIT", "1s")];
    world.write("text.md", &"The bridge is 412 metres long [1](https://example.org/bridge).\n".repeat(9_000));
    for arguments in [
        &["research", "why?"][..],
        &["research", "--detach", "--yes", "why?"][..],
        &["research", "--rounds", "why?"][..],
        &["verify", "text.md"][..],
    ] {
        let refused = run_with(&world, &settings, arguments);
        assert_eq!(refused.code, 5, "{arguments:?}: {}", refused.err);
        let reached = "error[DAY_LIMIT]: the day's limit is reached: budget.per_day_usd is $1.00";
        assert!(refused.err.contains(reached), "{}", refused.err);
        assert!(
            refused.err.contains("$0.00 is spent") && !refused.err.contains("--budget"),
            "{}",
            refused.err
        );
    }
    let mut client = Client::open(&world, Era::New, &settings);
    assert_eq!(client.refused("start_deep_research", json!({ "query": "why?" })), "DAY_LIMIT");
    assert_eq!(client.refused("deep_search", json!({ "query": "why?" })), "DAY_LIMIT");
    client.leave();
    assert_eq!(world.ledger().entries().len(), 0);
}

#[test]
fn what_ended_counts_for_its_cost_and_a_raise_must_fit_too() {
    let world = World::new();
    let settings = [("PROBITY_BUDGET__PER_DAY_USD", "3")];
    let done = run_with(&world, &settings, &["research", "why?"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let refused = run_with(&world, &settings, &["research", "why not?"]);
    assert_eq!(refused.code, 5, "{}", refused.err);
    assert!(refused.err.contains("it has room again at 20"), "{}", refused.err);
    let more = [("PROBITY_BUDGET__PER_DAY_USD", "5")];
    let running = run_with(&world, &more, &["research", "--detach", &format!("what else? {LONG}")]);
    assert_eq!(running.code, 0, "{}", running.err);
    let id = running.out.trim().to_owned();
    let raised = run_with(&world, &more, &["runs", "raise", &id, "--budget", "9"]);
    assert_eq!(raised.code, 5, "{}", raised.err);
    assert!(raised.err.contains("error[DAY_LIMIT]: the day's limit is reached"), "{}", raised.err);
    cancel(&world, &[id]);
}

#[test]
fn a_model_approves_nothing_where_its_client_can_ask() {
    const CALLS: usize = 100;
    let world = World::new();
    let settings = [("PROBITY_MCP__ASK_ABOVE_USD", "0.10"), ("PROBITY_MCP__UNASKED_MAX_USD", "1000")];
    let (mut started, mut asked) = (0, 0);
    for era in [Era::Old, Era::New] {
        let mut client = Client::that_asks(&world, era, &settings, UserAnswer::No);
        for number in 0..CALLS / 2 {
            let tool = ["start_deep_research", "deep_search", "search", "deep_research"][number % 4];
            let query = format!("why {number}?");
            let answer = client.call(tool, json!({ "query": query, "confirmed_cost_usd": 999 }));
            let told = structured(&answer)["task_id"].as_str().unwrap_or_default();
            started += usize::from(!told.is_empty() || answer["resultType"] == "task");
            asked += usize::from(answer["resultType"] == "input_required");
        }
        asked += usize::try_from(client.questions).unwrap();
        client.leave();
    }
    eprintln!("figure: approval.unasked {started} of {CALLS}");
    eprintln!("figure: approval.unasked.note the user was asked {asked} times and declined");
    assert_eq!((started, asked, world.ledger().entries().len()), (0, CALLS, 0));
    assert_eq!(world.ledger().turns().len(), 0);
}

#[test]
fn a_yes_is_recorded_with_its_channel() {
    let world = World::new();
    let cheap = [("PROBITY_MCP__ASK_ABOVE_USD", "0.10")];
    let mut client = Client::that_asks(&world, Era::Old, &cheap, UserAnswer::Yes);
    assert_eq!(client.done("start_deep_research", json!({ "query": "one?" }))["status"], "completed");
    assert_eq!(client.questions, 1);
    client.leave();
    let mut client = Client::open(&world, Era::Old, &cheap);
    let confirmed = json!({ "query": "two?", "confirmed_cost_usd": 999 });
    assert_eq!(client.done("start_deep_research", confirmed)["status"], "completed");
    client.leave();
    for (arguments, channel, up_to) in [
        (&["research", "three?"][..], "setting", json!(null)),
        (&["research", "--yes", "four?"][..], "flag", json!(null)),
        (&["research", "--budget", "4", "five?"][..], "flag", json!(4.0)),
    ] {
        assert_eq!(world.run(arguments).code, 0);
        let shown = world.json(&["runs", "show", "--json"]);
        assert_eq!(
            (&shown["approval"]["channel"], &shown["approval"]["up_to_usd"]),
            (&json!(channel), &up_to)
        );
    }
    let listed = world.json(&["runs", "list", "--json"]);
    let of = |query: &str| {
        let rows = listed["researches"].as_array().unwrap();
        rows.iter().find(|row| row["query"] == query).unwrap()["approval"].clone()
    };
    assert_eq!(of("one?"), json!({ "channel": "elicitation", "up_to_usd": 3.0 }));
    assert_eq!(of("two?"), json!({ "channel": "argument", "up_to_usd": 3.0 }), "capped at what is allowed");
    let shown = world.run(&["runs", "show", "last"]);
    assert!(
        shown.err.contains("approved  on the command line, without a question; up to $4.00"),
        "{}",
        shown.err
    );
}

#[test]
fn where_a_client_cannot_ask_a_model_confirms_little() {
    let world = World::new();
    let settings = [("PROBITY_MCP__ASK_ABOVE_USD", "0.10"), ("PROBITY_MCP__UNASKED_MAX_USD", "1")];
    let mut client = Client::open(&world, Era::Old, &settings);
    let told = client.done("start_deep_research", json!({ "query": "why?", "confirmed_cost_usd": 999 }));
    let message = told["message"].as_str().unwrap();
    assert_eq!(told["status"], "needs_confirmation");
    assert!(message.contains("mcp.unasked_max_usd") && message.contains("probity research"), "{message}");
    client.leave();
    // As shipped: what the settings do not start by themselves, no argument starts.
    let mut client = Client::open(&world, Era::Old, &[]);
    let dear = json!({ "query": DEAR_QUESTION, "model": DEAR_AGENT, "confirmed_cost_usd": 999 });
    assert_eq!(client.done("start_deep_research", dear)["status"], "needs_confirmation");
    client.leave();
    assert_eq!(world.ledger().entries().len(), 0);
}

#[test]
fn the_command_line_needs_a_yes_for_what_is_dear() {
    let world = World::new();
    let dear = ["research", "--agent", DEAR_AGENT, DEAR_QUESTION];
    let refused = world.run(&dear);
    assert_eq!(refused.code, 2, "{}", refused.err);
    for named in
        ["error[INVALID_ARGUMENTS]", "up to $7.00", "`--yes`", "`--budget USD`", "nothing was started"]
    {
        assert!(refused.err.contains(named), "{named}: {}", refused.err);
    }
    assert_eq!(world.ledger().entries().len(), 0);
    assert_eq!(world.run(&[&dear[..], &["--yes"]].concat()).code, 0);
    assert_eq!(world.run(&[&dear[..], &["--budget", "9"]].concat()).code, 0);
    assert_eq!(world.ledger().entries().len(), 2);
}

#[test]
fn the_same_start_from_many_processes_is_paid_once() {
    let processes = sized(6, PROCESSES);
    let world = World::new();
    let settings = [("PROBITY_MCP__START_WAIT", "1s")];
    let question = format!("why? {LONG}");
    let clients = (0..processes).map(|_| Client::open(&world, Era::Old, &settings)).collect();
    let answers =
        at_once(clients, |_, client| client.done("start_deep_research", json!({ "query": question })));
    let ids: std::collections::BTreeSet<&str> =
        answers.iter().map(|answer| answer["task_id"].as_str().unwrap()).collect();
    let told = answers.iter().filter(|answer| {
        answer["message"].as_str().is_some_and(|message| message.contains("started before"))
    });
    let (beyond, told) = (ids.len() - 1, told.count());
    eprintln!("figure: start.twice {beyond} paid beyond the first, {processes} processes");
    assert_eq!((beyond, told), (0, processes - 1));
    let id = (*ids.first().unwrap()).to_owned();
    // The command line and the page's backend ask the same store.
    let again = document(&run_with(&world, &[], &["research", "--detach", "--json", &question]));
    assert_eq!(again["task_id"], id);
    let mut client = Client::open(&world, Era::Old, &settings);
    let another = client.done("start_deep_research", json!({ "query": question, "again": true }));
    assert_ne!(another["task_id"], id);
    client.leave();
    let third = run_with(&world, &[], &["research", "--detach", "--again", &question]);
    assert_eq!(third.code, 0, "{}", third.err);
    let listed = world.json(&["runs", "list", "--json"]);
    assert_eq!(listed["researches"].as_array().unwrap().len(), 3);
    assert!(world.ledger().entries().len() <= 3);
    let rows = listed["researches"].as_array().unwrap();
    let ids: Vec<String> = rows.iter().map(|row| row["task_id"].as_str().unwrap().to_owned()).collect();
    cancel(&world, &ids);
}
