//! The shape of JSON: which paths it has and what kind of value is there.

use std::collections::BTreeSet;

use serde_json::Value;

/// `$.steps[thought].signature: string` and so on. Tagged objects go by their tag, not by their place.
pub fn shape(value: &Value) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    walk(value, "$", &mut paths);
    paths
}

/// The shapes of many events, each under its own kind.
pub fn event_shapes(events: &[Value]) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    for event in events {
        let kind = event["event_type"].as_str().unwrap();
        walk(event, kind, &mut paths);
    }
    paths
}

fn walk(value: &Value, path: &str, paths: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (field, inner) in fields {
                let tag =
                    inner.get("type").and_then(Value::as_str).map_or(String::new(), |tag| format!("<{tag}>"));
                walk(inner, &format!("{path}.{field}{tag}"), paths);
            }
        }
        Value::Array(items) => {
            paths.insert(format!("{path}: list"));
            for item in items {
                let tag = item.get("type").and_then(Value::as_str).unwrap_or_default();
                walk(item, &format!("{path}[{tag}]"), paths);
            }
        }
        Value::String(_) => drop(paths.insert(format!("{path}: string"))),
        Value::Number(_) => drop(paths.insert(format!("{path}: number"))),
        Value::Bool(_) => drop(paths.insert(format!("{path}: bool"))),
        Value::Null => drop(paths.insert(format!("{path}: null"))),
    }
}
