//! The ledger judges: who was accepted, who paid twice, what the work done costs.

use probity_simulator::{Fault, FaultKind, FaultRoute, WorldLedger};
use serde_json::json;

use crate::driver::{CallObservation, WorldDriver};

fn settled(driver: &mut WorldDriver) -> WorldLedger {
    driver.world.settle(driver.now_ms);
    driver.world.ledger().clone()
}

#[test]
fn a_lost_create_that_is_tried_again_is_a_duplicate() {
    let mut driver = WorldDriver::new();
    let task = json!({"labels": {"task": "t-1"}});
    assert!(matches!(driver.create("[[create-lost]] x", task.clone()), CallObservation::Lost));
    assert_eq!(driver.world.ledger().duplicates(), Vec::<String>::new());
    driver.start_with("[[create-lost]] x", task);
    let ledger = driver.world.ledger();
    assert_eq!((ledger.creates_for("t-1"), ledger.duplicates()), (2, vec!["t-1".to_owned()]));
}

#[test]
fn the_turns_of_one_task_are_no_duplicates() {
    let mut driver = WorldDriver::new();
    let planning = |planning: bool, previous: Option<&str>| {
        json!({
            "labels": {"task": "t-1"},
            "agent_config": {"type": "deep-research", "collaborative_planning": planning},
            "previous_interaction_id": previous,
        })
    };
    let plan = driver.start_with("[[plan duration_ms=0]] x", planning(true, None));
    let refined = driver.start_with("shorter", planning(true, Some(&plan)));
    driver.start_with("go ahead", planning(false, Some(&refined)));
    let ledger = driver.world.ledger();
    assert_eq!((ledger.creates_for("t-1"), ledger.duplicates()), (3, Vec::new()));
    driver.start_with("go ahead", planning(false, Some(&refined)));
    assert_eq!(driver.world.ledger().duplicates(), ["t-1"]);
}

#[test]
fn charges_grow_with_the_work_and_stop_at_a_cancel() {
    let mut driver = WorldDriver::new();
    let cancelled = driver.start("[[cancel-ok]] x");
    driver.start("[[cancel-ok]] y");
    let mut charges = Vec::new();
    for at_ms in [0, 100_000, 300_000] {
        driver.now_ms = at_ms;
        charges.push(settled(&mut driver).entries()[0].charged_micro_usd);
    }
    assert!(
        charges.is_sorted() && charges[0] == 0 && charges[1] > 0 && charges[2] > charges[1],
        "{charges:?}"
    );
    assert!(matches!(driver.cancel(&cancelled), CallObservation::Json(200, _)));
    driver.now_ms = 600_000;
    let ledger = settled(&mut driver);
    assert_eq!(ledger.entries()[0].charged_micro_usd, charges[2]);
    assert!(ledger.entries()[1].charged_micro_usd > charges[2]);
}

/// The usage `get` shows, priced by hand, is what the ledger charges.
#[test]
fn the_charge_is_the_price_of_the_usage() {
    let mut driver = WorldDriver::new();
    let id = driver.start("[[completed duration_ms=0]] x");
    let usage = driver.read(&id)["usage"].clone();
    let number = |field: &str| usage[field].as_u64().unwrap();
    let fresh =
        number("total_input_tokens") - number("total_cached_tokens") + number("total_tool_use_tokens");
    let written = number("total_output_tokens") + number("total_thought_tokens");
    let searches = usage["grounding_tool_count"][0]["count"].as_u64().unwrap();
    let price = fresh * 2 + number("total_cached_tokens") / 5 + written * 12 + searches * 14_000;
    assert_eq!(settled(&mut driver).charged_micro_usd(), price);
}

#[test]
fn ordered_faults_happen_once_each_and_are_not_charged() {
    let mut driver = WorldDriver::new();
    for (kind, times) in [(FaultKind::Status(503), 1), (FaultKind::Drop, 1), (FaultKind::Lost, 1)] {
        driver.world.add_fault(Fault { route: FaultRoute::Create, kind, times });
    }
    driver.world.add_fault(Fault { route: FaultRoute::Get, kind: FaultKind::Status(500), times: 2 });
    assert!(matches!(driver.create("x", json!({})), CallObservation::Json(503, _)));
    assert!(matches!(driver.create("x", json!({})), CallObservation::Lost));
    assert_eq!(driver.world.ledger().entries().len(), 0);
    assert!(matches!(driver.create("x", json!({})), CallObservation::Lost));
    assert_eq!(driver.world.ledger().entries().len(), 1);
    let id = driver.start("x");
    let seen: Vec<String> = (0..3).map(|_| driver.status(&id)).collect();
    assert_eq!(seen, ["500", "500", "in_progress"]);
    assert_eq!(driver.world.ledger().refused_count(), 2);
}
