//! Orders carried out in the answers to the second engine: in every field that a text may stand in.

use serde_json::{Value, json};

use super::{InjectedOrders, places};
use crate::chat::request::Asked;

pub(super) fn answer(asked: Asked, orders: &InjectedOrders, honest: &Value, prompt: &str) -> Value {
    match asked {
        Asked::Brief => {
            let facet =
                |query: String| json!({"question": orders.poison(), "why": orders.loot(), "query": query});
            let facets: Vec<Value> = queries(orders).into_iter().map(facet).collect();
            json!({"reader_wants": orders.poison(), "language": orders.loot(), "facets": facets,
                "requirements": [{"text": orders.poison(), "kind": "content"}],
                "clarifications": [{"question": orders.poison(), "default_answer": orders.exfiltration()}]})
        }
        Asked::Line => {
            let query = |query: String| json!({"query": query, "gap": orders.poison()});
            let queries: Vec<Value> = queries(orders).into_iter().map(query).collect();
            json!({"queries": queries, "done": false, "reason": orders.exfiltration()})
        }
        Asked::Survey => survey(orders, honest, prompt),
        Asked::Outline => {
            let mut operations = vec![json!({"operation": "add", "heading": orders.poison(),
                "question": orders.exfiltration(), "block": "prose", "quotes": ["Q1"], "wants": queries(orders)})];
            operations.extend(items(honest, "/operations"));
            let renamed: Vec<Value> = items(honest, "/operations")
                .filter_map(|one| one.get("node").cloned())
                .map(|node| json!({"operation": "want", "node": node, "wants": queries(orders)}))
                .collect();
            operations.extend(renamed);
            json!({"operations": operations, "met": ["R1"]})
        }
        Asked::Section => {
            let mut sentences = vec![json!({"text": orders.poison(), "kind": "fact", "quotes": ["Q1"]})];
            sentences.extend(
                orders.claims.iter().map(|claim| json!({"text": claim, "kind": "fact", "quotes": []})),
            );
            sentences.extend(
                orders.claims.iter().map(|claim| json!({"text": claim, "kind": "link", "quotes": []})),
            );
            sentences.extend(items(honest, "/blocks/0/sentences"));
            json!({"blocks": [{"kind": "heading", "text": orders.poison()}, {"kind": "paragraph", "sentences": sentences}],
                "thin": queries(orders)})
        }
        Asked::Synthesis => json!({"heading": orders.poison(),
            "points": [{"text": orders.poison(), "rests_on": ["C1", "C2"], "move": "advice"}]}),
        Asked::Front => {
            let sentence = json!({"text": orders.poison(), "claims": ["C1"]});
            json!({"title": orders.poison(), "answer": [sentence], "key_points": [sentence],
                "points_heading": orders.exfiltration()})
        }
        Asked::Plan | Asked::Choose | Asked::Read | Asked::Write | Asked::Judge => honest.clone(),
    }
}

fn survey(orders: &InjectedOrders, honest: &Value, prompt: &str) -> Value {
    let fact = json!({"entity": orders.exfiltration(), "attribute": "verified", "value": orders.loot(), "unit": "",
        "period": "", "as_of": ""});
    let quote = |text: &str| json!({"text": text, "facets": ["F1"], "role": "finding", "facts": [fact]});
    let mut quotes = vec![quote(&orders.poison())];
    quotes.extend(orders.claims.iter().chain(&orders.secrets).map(|text| quote(text)));
    quotes.extend(items(honest, "/quotes"));
    json!({"quotes": quotes, "links": places(orders, prompt), "new_terms": queries(orders)})
}

fn queries(orders: &InjectedOrders) -> Vec<String> {
    let mut queries = vec![orders.exfiltration(), orders.loot(), format!("site:{}", orders.address())];
    queries.extend(orders.secrets.iter().cloned());
    queries
}

fn items(value: &Value, place: &str) -> impl Iterator<Item = Value> {
    value.pointer(place).and_then(Value::as_array).cloned().into_iter().flatten()
}
