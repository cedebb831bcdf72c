//! Routes under `/simulator/web`: putting pages there, ordering faults, reading what was searched and fetched.

use bytes::Bytes;
use serde_json::{Value, json};

use super::{SimulatorHandle, admin::refuse};
use crate::{
    call::CallMethod,
    web::{Provider, RequestRecord, SmallWeb, WebFault, WebFaultKind, WebLedger},
    world::route::parameter,
};

pub(super) fn answer(
    handle: &SimulatorHandle,
    method: CallMethod,
    name: &str,
    query: &str,
    body: &Bytes,
) -> (u16, Value) {
    match (method, name) {
        (CallMethod::Post, "web") => load(handle, body),
        (CallMethod::Get, "web/ledger") => (200, ledger_json(&handle.web_ledger())),
        (CallMethod::Get, "web/requests") => (200, requests_json(&handle.web_ledger())),
        (CallMethod::Post, "web/fault") => fault(handle, query),
        (CallMethod::Post, "web/start-over") => {
            handle.with_web(|web, _| web.start_over());
            (200, json!({}))
        }
        _ => refuse(404, "there is no such operation"),
    }
}

/// The body is what `SmallWeb::from_json` reads.
fn load(handle: &SimulatorHandle, body: &Bytes) -> (u16, Value) {
    let web = std::str::from_utf8(body).ok().map(SmallWeb::from_json);
    match web {
        Some(Ok(web)) => {
            let pages = web.page_count();
            handle.set_web(web);
            (200, json!({"pages": pages}))
        }
        Some(Err(error)) => refuse(400, &error.to_string()),
        None => refuse(400, "the pages must be JSON"),
    }
}

/// `provider=tavily&kind=429&times=2`.
fn fault(handle: &SimulatorHandle, query: &str) -> (u16, Value) {
    let provider = parameter(query, "provider").and_then(Provider::parse);
    let kind = parameter(query, "kind").and_then(WebFaultKind::parse);
    let times = parameter(query, "times").unwrap_or("1").parse().ok();
    match (provider, kind, times) {
        (Some(provider), Some(kind), Some(times)) => {
            handle.add_web_fault(WebFault { provider, kind, times });
            (200, json!({"times": times}))
        }
        _ => refuse(400, "a fault of the web has a provider, a kind and a number of times"),
    }
}

fn ledger_json(ledger: &WebLedger) -> Value {
    let searches: Vec<Value> = ledger
        .searches()
        .iter()
        .map(|search| {
            json!({
                "provider": search.provider.as_str(),
                "query": search.query,
                "at_ms": search.at_ms,
                "charged_micro_usd": search.charged_micro_usd,
                "hits": search.hits,
            })
        })
        .collect();
    let mut per_query = serde_json::Map::new();
    for ((provider, query), count) in ledger.per_query() {
        let queries = per_query.entry(provider).or_insert_with(|| json!({}));
        if let Some(queries) = queries.as_object_mut() {
            queries.insert(query.to_owned(), json!(count));
        }
    }
    json!({
        "searches": searches,
        "per_query": per_query,
        "paid": ledger.paid_count(),
        "paid_again": ledger.paid_again(),
        "charged_micro_usd": ledger.charged_micro_usd(),
        "refused": ledger.refused(),
        "fetches": ledger.fetches(),
    })
}

fn requests_json(ledger: &WebLedger) -> Value {
    let one = |recorded: &RequestRecord| {
        let headers: serde_json::Map<String, Value> =
            recorded.headers.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        json!({
            "provider": recorded.provider.as_str(),
            "method": recorded.method,
            "target": recorded.target,
            "headers": headers,
            "body": recorded.body,
        })
    };
    Value::Array(ledger.requests().iter().map(one).collect())
}
