//! Rounds with the shipped settings, every claim checked: honest material is verified, what nobody can read is named,
//! and no round is paid for whose text was already there.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

use probity_simulator::rounds::Item;
use serde_json::{Value, json};

use crate::{
    client::{Client, Era},
    harness::{World, figure, side_by_side, sized},
};

/// Questions, what they are about, and how the model gets to its answer. Its pages say what it says.
const HONEST: [(&str, &str, &str); 12] = [
    ("When did it first run?", "tpu", "draft,agreed"),
    ("How many units of the reactor were there?", "reactor", "draft,agreed"),
    ("Which ferry came first?", "ferry", "draft,unsure,agreed"),
    ("What did the tests of the kiln measure?", "kiln", "unsure,draft,agreed"),
    ("How large was the second telescope?", "telescope", "fenced,agreed"),
    ("Was the harbour crane better than the old one?", "harbour-crane", "sloppy,agreed"),
    ("Wann lief die erste Seilbahn?", "seilbahn", "draft,agreed"),
    ("Combien d'éoliennes y avait-il?", "eolienne", "prose,corrected,agreed"),
    ("What is known about the loom?", "loom", "draft,error-429,agreed"),
    ("How much energy does the pump use?", "pump", "drifting,draft,agreed"),
    ("When was the lighthouse lit?", "lighthouse", "draft,agreed"),
    ("What became of the tram?", "tram", "invented,draft,agreed"),
];

/// The model's word alone, as a client without checks would take it.
const MODELS_WORD: [(&str, &str); 2] =
    [("PROBITY_CHECKS__ENABLED", "false"), ("PROBITY_ROUNDS__VERIFICATION", "model")];

fn scripted(question: &str, topic: &str, pages: &str, turns: &str) -> Value {
    json!({ "query": format!("{question} [[rounds key=k topic={topic} pages={pages} turns={turns}]]") })
}

#[track_caller]
fn deep_search(world: &World, variables: &[(&str, &str)], arguments: Value) -> Value {
    let mut client = Client::open(world, Era::Old, variables);
    let answer = client.done("deep_search", arguments);
    client.leave();
    answer
}

#[test]
fn honest_material_is_verified_and_costs_little_more_than_the_models_word() {
    let runs: Mutex<Vec<(bool, f64, f64, String)>> = Mutex::default();
    side_by_side(2, &HONEST, |(question, topic, turns)| {
        let asked = scripted(question, topic, "named", turns);
        let checked = deep_search(&World::new(), &[], asked.clone());
        let trusted = deep_search(&World::new(), &MODELS_WORD, asked);
        let cost = |answer: &Value| answer["metadata"]["cost_usd"].as_f64().unwrap();
        let verified = checked["verified"] == true && checked["metadata"]["stop"] == "verified";
        let told = format!(
            "{topic}: {} {} {}",
            checked["note"], checked["metadata"]["stop"], checked["metadata"]["rounds"]
        );
        let run = (verified, cost(&checked), cost(&trusted), told);
        runs.lock().unwrap_or_else(PoisonError::into_inner).push(run);
    });
    let runs = runs.into_inner().unwrap();
    let verified = runs.iter().filter(|(verified, ..)| *verified).count();
    let (checked, trusted): (f64, f64) =
        runs.iter().fold((0.0, 0.0), |sum, run| (sum.0 + run.1, sum.1 + run.2));
    let (all, ratio) = (runs.len(), checked / trusted);
    figure("rounds.verified_share", &format!("{verified} of {all}"));
    figure("rounds.cost_ratio", &format!("{ratio:.2} times"));
    figure(
        "rounds.cost_ratio.note",
        &format!(
            "${:.3} per verified answer, ${:.3} on the model's word",
            checked / all as f64,
            trusted / all as f64
        ),
    );
    let unverified: Vec<&String> = runs.iter().filter(|run| !run.0).map(|run| &run.3).collect();
    assert!(verified * 100 >= all * 95, "{unverified:#?}");
    assert!(ratio <= 1.3, "{ratio}: {runs:#?}");
}

/// Which text a turn of the scripted model has.
fn text_of(item: Item, number: u32) -> String {
    match item {
        Item::Unsure | Item::Drifting => format!("{item} {number}"),
        Item::Changed | Item::Invented | Item::Obedient => item.to_string(),
        _ => "as found".to_owned(),
    }
}

/// Rounds that were paid for after one had shown that there is nothing new to come.
fn paid_again(world: &World) -> usize {
    let ledger = world.ledger();
    let mut seen = BTreeSet::new();
    let mut is_known = false;
    ledger
        .turns_of("k")
        .filter(|turn| {
            let again = is_known;
            is_known |= !seen.insert(text_of(turn.item, turn.number));
            again
        })
        .count()
}

#[test]
fn no_round_is_paid_for_whose_text_was_already_there() {
    let turns = [
        "draft,agreed",
        "agreed",
        "draft",
        "draft,invented",
        "changed",
        "drifting",
        "obedient",
        "unsure,agreed",
    ];
    let kinds = ["named", "paywall", "robots", "scripts", "dead"];
    let mut plan: Vec<(&str, &str)> =
        kinds.iter().flat_map(|pages| turns.map(|turns| (*pages, turns))).collect();
    // Each kind of page and each kind of model is among a few of them.
    plan = plan.into_iter().step_by(sized(3, 1)).collect();
    let counted: Mutex<(usize, usize)> = Mutex::default();
    side_by_side(2, &plan, |(pages, turns)| {
        let world = World::new();
        let answer = deep_search(&world, &[], scripted("When?", "tpu", pages, turns));
        let (paid, again) = (world.ledger().turns_charged("k"), paid_again(&world));
        assert_eq!(again, 0, "{pages} {turns}: {answer:#}");
        if *pages != "named" {
            assert_eq!(answer["verified"], false, "{pages} {turns}: {answer:#}");
        }
        let mut counted = counted.lock().unwrap_or_else(PoisonError::into_inner);
        *counted = (counted.0 + again, counted.1 + paid);
    });
    let (again, paid) = counted.into_inner().unwrap();
    figure("rounds.paid_again", &format!("{again} of {paid}"));
    figure(
        "rounds.paid_again.note",
        &format!("{} searches; readable, paywall, robots, scripts, dead", plan.len()),
    );
}

#[test]
fn what_nobody_can_read_is_named_after_two_rounds() {
    for (pages, why) in
        [("paywall", "402"), ("robots", "robots"), ("scripts", "no readable text"), ("dead", "410")]
    {
        let world = World::new();
        let answer = deep_search(&world, &[], scripted("When?", "tpu", pages, "draft,agreed"));
        let metadata = &answer["metadata"];
        assert_eq!(
            (&metadata["stop"], &metadata["iterations"]),
            (&json!("uncheckable"), &json!(2)),
            "{answer:#}"
        );
        assert_eq!((&answer["verified"], &answer["model_says_verified"]), (&json!(false), &json!(true)));
        assert_eq!(world.ledger().turns_charged("k"), 2);
        let note = answer["note"].as_str().unwrap();
        assert!(note.starts_with("Verification was not completed: 3 claims could not be checked"), "{note}");
        assert!(note.contains(&format!("http://{pages}.example/tpu/1")) && note.contains(why), "{note}");
        assert!(
            answer["result"].as_str().unwrap().contains("5344 units"),
            "what was found is there all the same"
        );
    }
}

#[test]
fn a_model_that_never_confirms_is_asked_twice() {
    let world = World::new();
    let answer = deep_search(&world, &[], scripted("When?", "tpu", "named", "draft"));
    assert_eq!((&answer["verified"], &answer["metadata"]["stop"]), (&json!(false), &json!("saturated")));
    assert_eq!(world.ledger().turns_charged("k"), 2, "{answer:#}");
}
