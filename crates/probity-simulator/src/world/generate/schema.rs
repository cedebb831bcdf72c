//! A value for a schema: the answer to questions without a script, such as which model should do the work.

use serde_json::{Map, Value, json};

/// A low number: the CLI's router then chooses the fast model.
const NUMBER: u32 = 20;

/// The smallest value the schema allows, as JSON text.
pub(super) fn fill_schema(schema: Option<&Value>) -> String {
    schema.map_or_else(|| json!({}), value_of).to_string()
}

fn value_of(schema: &Value) -> Value {
    if let Some(first) = schema.pointer("/enum/0") {
        return first.clone();
    }
    let kind = schema.get("type").and_then(Value::as_str).unwrap_or("object");
    match kind.to_ascii_lowercase().as_str() {
        "string" => json!("A short question."),
        "integer" | "number" => json!(NUMBER),
        "boolean" => json!(false),
        "array" => json!([]),
        _ => {
            let properties = schema.get("properties").and_then(Value::as_object);
            let fields: Map<String, Value> = properties
                .into_iter()
                .flatten()
                .map(|(name, inner)| (name.clone(), value_of(inner)))
                .collect();
            Value::Object(fields)
        }
    }
}
