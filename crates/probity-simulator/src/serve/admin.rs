//! Routes under `/simulator/`: reading the ledger and the load, scripting time and faults.

use serde_json::{Value, json};

use super::{SimulatorHandle, chat, web};
use crate::{
    call::{CallMethod, SimulatorCall},
    fault::{Fault, FaultKind, FaultRoute},
    ledger::{TurnApi, TurnCharge, TurnRecord, WorldLedger},
    scenario::Scenario,
    world::route::parameter,
};

/// Answers one operation: the target after `/simulator/`.
pub(super) fn answer(handle: &SimulatorHandle, call: &SimulatorCall, operation: &str) -> (u16, Value) {
    let (name, query) = operation.split_once('?').unwrap_or((operation, ""));
    match (call.method, name) {
        (CallMethod::Get, "ledger") => (200, ledger_json(&handle.ledger())),
        (CallMethod::Get, "stats") => (200, stats_json(handle)),
        (CallMethod::Post, "reset") => {
            handle.reset();
            (200, json!({"now_ms": handle.now_ms()}))
        }
        (CallMethod::Post, "advance") => advance(handle, query),
        (CallMethod::Post, "default-scenario") => default_scenario(handle, query),
        (CallMethod::Post, "fault") => fault(handle, query),
        (method, name) if name.starts_with("chat/") => chat::answer(handle, method, name, query),
        (method, name) if name == "web" || name.starts_with("web/") => {
            web::answer(handle, method, name, query, &call.body)
        }
        _ => refuse(404, "there is no such operation"),
    }
}

fn advance(handle: &SimulatorHandle, query: &str) -> (u16, Value) {
    match parameter(query, "ms").map(str::parse) {
        Some(Ok(by_ms)) => {
            handle.advance(by_ms);
            (200, json!({"now_ms": handle.now_ms()}))
        }
        Some(Err(_)) | None => refuse(400, "`ms` must be a number of milliseconds"),
    }
}

/// `name=slow&duration_ms=5`: the keys are those of the scenario.
fn default_scenario(handle: &SimulatorHandle, query: &str) -> (u16, Value) {
    let mut text = parameter(query, "name").unwrap_or_default().to_owned();
    for pair in query.split('&').filter(|pair| !pair.starts_with("name=") && !pair.is_empty()) {
        text.push(' ');
        text.push_str(pair);
    }
    match text.parse::<Scenario>() {
        Ok(scenario) => {
            handle.set_default_scenario(scenario);
            (200, json!({"name": scenario.name.as_str()}))
        }
        Err(error) => refuse(400, &error.to_string()),
    }
}

/// `kind=503&times=2&route=create`.
fn fault(handle: &SimulatorHandle, query: &str) -> (u16, Value) {
    let kind = parameter(query, "kind").and_then(FaultKind::parse);
    let route = FaultRoute::parse(parameter(query, "route").unwrap_or("create"));
    let times = parameter(query, "times").unwrap_or("1").parse().ok();
    match (kind, route, times) {
        (Some(kind), Some(route), Some(times)) => {
            handle.add_fault(Fault { route, kind, times });
            (200, json!({"times": times}))
        }
        _ => refuse(400, "a fault has a kind, a route and a number of times"),
    }
}

fn ledger_json(ledger: &WorldLedger) -> Value {
    let entries: Vec<Value> = ledger
        .entries()
        .iter()
        .map(|entry| {
            json!({
                "interaction_id": entry.interaction_id,
                "task": entry.task,
                "at_ms": entry.at_ms,
                "agent": entry.agent,
                "previous_interaction_id": entry.previous_interaction_id,
                "charged_micro_usd": entry.charged_micro_usd,
            })
        })
        .collect();
    let turns: Vec<Value> = ledger.turns().iter().map(turn_json).collect();
    let refused: serde_json::Map<String, Value> =
        ledger.refused().iter().map(|(status, count)| (status.to_string(), json!(count))).collect();
    json!({
        "entries": entries,
        "turns": turns,
        "refused": refused,
        "refused_count": ledger.refused_count(),
        "duplicates": ledger.duplicates(),
        "charged_micro_usd": ledger.charged_micro_usd(),
    })
}

fn turn_json(turn: &TurnRecord) -> Value {
    json!({
        "key": turn.key,
        "number": turn.number,
        "item": turn.item.as_str(),
        "model": turn.model,
        "face": match turn.face { TurnApi::Interactions => "interactions", TurnApi::GenerateContent => "generateContent" },
        "at_ms": turn.at_ms,
        "charged": turn.charge == TurnCharge::Charged,
        "charged_micro_usd": turn.charged_micro_usd,
        "prompt": format!("{:016x}", turn.prompt),
        "requests": turn.requests,
        "interaction_id": turn.interaction_id,
    })
}

fn stats_json(handle: &SimulatorHandle) -> Value {
    let stats = handle.stats();
    let (interactions, unfinished) =
        handle.with_world(|world, now_ms| (world.interaction_count(), world.unfinished_count(now_ms)));
    json!({
        "now_ms": handle.now_ms(),
        "interactions": interactions,
        "unfinished": unfinished,
        "short_requests": {"current": stats.short_current, "peak": stats.short_peak},
        "streams": {"current": stats.streams_current, "peak": stats.streams_peak},
        "connections": {"current": stats.connections_current, "peak": stats.connections_peak},
        "totals": {
            "create": stats.creates, "get": stats.gets, "stream": stats.resumes,
            "cancel": stats.cancels, "delete": stats.deletes, "generate": stats.generates, "other": stats.others,
        },
    })
}

pub(super) fn refuse(status: u16, message: &str) -> (u16, Value) {
    (status, json!({"error": message}))
}
