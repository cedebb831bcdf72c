//! Honest answers as plain lines, as a model without JSON would write them when it is shown the forms.

use serde_json::Value;

use crate::chat::request::Asked;

/// The lines of an answer; empty for questions that have none.
pub(in crate::chat) fn as_lines(asked: Asked, honest: &Value) -> String {
    let lines = match asked {
        Asked::Brief => brief(honest),
        Asked::Line => line(honest),
        Asked::Survey => survey(honest),
        Asked::Outline => outline(honest),
        Asked::Section => section(honest),
        Asked::Synthesis => synthesis(honest),
        Asked::Front => front(honest),
        Asked::Plan | Asked::Choose | Asked::Read | Asked::Write | Asked::Judge => Vec::new(),
    };
    format!("Here are the lines:\n{}\n", lines.join("\n"))
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn items<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn ids(value: &Value, name: &str) -> String {
    items(value, name).filter_map(Value::as_str).collect::<Vec<_>>().join(",")
}

fn brief(honest: &Value) -> Vec<String> {
    let mut lines = vec![format!("W | {}", text(honest, "reader_wants")), "L | en".to_owned()];
    lines.extend(
        items(honest, "requirements").map(|one| format!("R {} | {}", text(one, "kind"), text(one, "text"))),
    );
    lines.extend(
        items(honest, "facets").map(|one| format!("F | {} | {}", text(one, "question"), text(one, "query"))),
    );
    lines
}

fn line(honest: &Value) -> Vec<String> {
    if honest["done"] == true {
        return vec![format!("D | {}", text(honest, "reason"))];
    }
    items(honest, "queries").map(|one| format!("Q | {} | {}", text(one, "query"), text(one, "gap"))).collect()
}

fn survey(honest: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    for quote in items(honest, "quotes") {
        lines.push(format!("Q finding | {} | {}", text(quote, "text"), ids(quote, "facets")));
        lines.extend(items(quote, "facts").map(|fact| {
            let part = |name| text(fact, name);
            format!("V | {} | {} | {} | {} |", part("entity"), part("attribute"), part("value"), part("unit"))
        }));
    }
    lines.extend(items(honest, "links").map(|link| format!("L | {link}")));
    lines.extend(items(honest, "new_terms").filter_map(Value::as_str).map(|term| format!("T | {term}")));
    lines
}

fn outline(honest: &Value) -> Vec<String> {
    let operation = |one: &Value| match text(one, "operation") {
        "add" => Some(format!(
            "A {} | {} | {} | {}",
            text(one, "block"),
            text(one, "heading"),
            text(one, "question"),
            ids(one, "quotes")
        )),
        "bind" => Some(format!("B {} | {}", text(one, "node"), ids(one, "quotes"))),
        _ => None,
    };
    let mut lines: Vec<String> = items(honest, "operations").filter_map(operation).collect();
    lines.extend(items(honest, "met").filter_map(Value::as_str).map(|id| format!("M | {id}")));
    lines
}

fn section(honest: &Value) -> Vec<String> {
    let block = |block: &Value| -> Vec<String> {
        let letter = if text(block, "kind") == "list" { 'I' } else { 'S' };
        items(block, "sentences")
            .map(|one| {
                format!("{letter} {} | {} | {}", text(one, "kind"), text(one, "text"), ids(one, "quotes"))
            })
            .collect()
    };
    items(honest, "blocks").flat_map(block).collect()
}

fn synthesis(honest: &Value) -> Vec<String> {
    let mut lines = vec![format!("H | {}", text(honest, "heading"))];
    lines
        .extend(items(honest, "points").map(|one| {
            format!("S {} | {} | {}", text(one, "move"), text(one, "text"), ids(one, "rests_on"))
        }));
    lines
}

fn front(honest: &Value) -> Vec<String> {
    let mut lines = vec![format!("T | {}", text(honest, "title"))];
    for (letter, name) in [('A', "answer"), ('K', "key_points")] {
        lines.extend(
            items(honest, name)
                .map(|one| format!("{letter} | {} | {}", text(one, "text"), ids(one, "claims"))),
        );
    }
    lines
}
