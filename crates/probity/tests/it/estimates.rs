//! What is told before a start: from the user's own finished runs of the same tool, once there are enough of them.

use serde_json::json;

use crate::{
    client::{Client, Era},
    harness::World,
};

/// As many as count for a history.
const ENOUGH: usize = 5;

#[test]
fn a_search_is_estimated_from_what_searches_cost_before() {
    let world = World::new();
    let estimate = |client: &mut Client, tool: &str| {
        client.done("estimate_research_cost", json!({ "query": "why is the sky blue?", "tool": tool }))
    };
    let mut client = Client::open(&world, Era::Old, &[]);
    let before = estimate(&mut client, "search");
    assert!(before["basis"].as_str().unwrap().contains("not yet your own history"), "{before}");
    let mut costs = Vec::new();
    for number in 0..ENOUGH {
        let done = client.done("search", json!({ "query": format!("why is the sky blue on day {number}?") }));
        costs.push(done["metadata"]["cost_usd"].as_f64().unwrap());
    }
    costs.sort_by(f64::total_cmp);
    let after = estimate(&mut client, "search");
    assert_eq!(after["basis"], "your own 5 newest finished researches of this kind", "{after}");
    assert_eq!(after["estimated_cost"]["likely_usd"].as_f64(), Some(costs[ENOUGH / 2]), "{after} {costs:?}");
    let other = estimate(&mut client, "deep_search");
    assert!(other["basis"].as_str().unwrap().contains("not yet your own history"), "{other}");
    client.leave();
    let planned = world.run(&["ask", "--plan", "why is the sky blue?"]);
    assert!(planned.err.contains("your own 5 newest finished researches of this kind"), "{}", planned.err);
    let planned = world.run(&["research", "--rounds", "--plan", "why is the sky blue?"]);
    assert!(planned.err.contains("not yet your own history"), "{}", planned.err);
}
