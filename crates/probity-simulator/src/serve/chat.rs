//! Routes under `/simulator/chat`: choosing the script, ordering faults, reading what was paid.

use serde_json::{Value, json};

use super::{SimulatorHandle, admin::refuse};
use crate::{
    call::CallMethod,
    chat::{Asked, ChatBehaviour, ChatFault, ChatLedger, Script},
    world::route::parameter,
};

pub(super) fn answer(handle: &SimulatorHandle, method: CallMethod, name: &str, query: &str) -> (u16, Value) {
    match (method, name) {
        (CallMethod::Get, "chat/ledger") => (200, ledger_json(&handle.chat_ledger())),
        (CallMethod::Get, "chat/research") => (200, research_json(handle)),
        (CallMethod::Post, "chat/script") => script(handle, query),
        (CallMethod::Post, "chat/fault") => fault(handle, query),
        (CallMethod::Post, "chat/start-over") => {
            handle.with_chat(|chat, _| chat.start_over());
            (200, json!({}))
        }
        _ => refuse(404, "there is no such operation"),
    }
}

/// `name=obedient`.
fn script(handle: &SimulatorHandle, query: &str) -> (u16, Value) {
    match parameter(query, "name").and_then(Script::parse) {
        Some(script) => {
            handle.with_chat(|chat, _| chat.set_script(script));
            (200, json!({"name": script.as_str()}))
        }
        None => refuse(400, "there is no such script"),
    }
}

/// `kind=cut&asked=read&times=2`; the kind is a script or a fault such as `503` or `lost`.
fn fault(handle: &SimulatorHandle, query: &str) -> (u16, Value) {
    let behaviour = parameter(query, "kind").and_then(ChatBehaviour::parse);
    let asked = parameter(query, "asked").map(Asked::parse);
    let times = parameter(query, "times").unwrap_or("1").parse().ok();
    match (behaviour, asked, times) {
        (Some(behaviour), None | Some(Some(_)), Some(times)) => {
            handle
                .with_chat(|chat, _| chat.add_fault(ChatFault { asked: asked.flatten(), behaviour, times }));
            (200, json!({"times": times}))
        }
        _ => refuse(400, "a fault of the chat has a kind, a number of times and perhaps what is asked"),
    }
}

/// What the model of a research world was asked for.
fn research_json(handle: &SimulatorHandle) -> Value {
    let calls = handle.with_chat(|chat, _| chat.research().map(|model| model.calls().to_vec()));
    let calls: Vec<Value> = calls
        .unwrap_or_default()
        .iter()
        .map(|call| {
            json!({
                "task": call.task.as_str(),
                "writes": call.task.writes(),
                "input_tokens": call.input_tokens,
                "output_tokens": call.output_tokens,
                "traps": call.traps,
            })
        })
        .collect();
    json!({ "calls": calls })
}

fn ledger_json(ledger: &ChatLedger) -> Value {
    let entries: Vec<Value> = ledger
        .entries()
        .iter()
        .map(|entry| {
            json!({
                "key": entry.key,
                "asked": entry.asked.map(Asked::as_str),
                "script": entry.script.as_str(),
                "model": entry.model,
                "at_ms": entry.at_ms,
                "prompt": format!("{:016x}", entry.prompt),
                "input_tokens": entry.input_tokens,
                "output_tokens": entry.output_tokens,
                "charged_micro_usd": entry.charged_micro_usd,
            })
        })
        .collect();
    let refused: serde_json::Map<String, Value> =
        ledger.refused().iter().map(|(status, count)| (status.to_string(), json!(count))).collect();
    json!({
        "entries": entries,
        "refused": refused,
        "repeated": ledger.repeated_count(),
        "charged_micro_usd": ledger.charged_micro_usd(),
    })
}
