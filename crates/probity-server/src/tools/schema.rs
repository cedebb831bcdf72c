//! JSON schemas as small as they can be and still be exact: clients put them before the model on every turn.

use std::sync::Arc;

use rmcp::model::JsonObject;
use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::transform_subschemas};
use serde_json::Value;

pub fn input<T: JsonSchema>() -> Arc<JsonObject> {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    generated::<T>(settings, slim)
}

/// Every branch of an answer must fit its one schema, so nothing is required. Field names speak for
/// themselves: descriptions would cost the model more than they tell it.
pub fn output<T: JsonSchema>() -> Arc<JsonObject> {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    generated::<T>(settings, |schema| {
        slim(schema);
        schema.remove("required");
        schema.remove("description");
        schema.remove("minimum");
    })
}

fn generated<T: JsonSchema>(mut settings: SchemaSettings, each: fn(&mut Schema)) -> Arc<JsonObject> {
    settings.meta_schema = None;
    settings.inline_subschemas = true;
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    everywhere(&mut schema, each);
    let mut object = schema.to_value().as_object().cloned().unwrap_or_default();
    // The description of the type itself is for readers of the code.
    object.remove("description");
    Arc::new(object)
}

fn everywhere(schema: &mut Schema, each: fn(&mut Schema)) {
    each(schema);
    transform_subschemas(&mut |inner: &mut Schema| everywhere(inner, each), schema);
}

/// Names of Rust types and formats that JSON Schema does not know are noise, and some clients warn about
/// them. An optional field is left out when it has no value, so `null` need not be allowed.
fn slim(schema: &mut Schema) {
    schema.remove("title");
    schema.remove("format");
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
    let only = schema.get("type").and_then(Value::as_array).and_then(|types| {
        let mut named = types.iter().filter(|name| name.as_str() != Some("null"));
        named.next().cloned().filter(|_| named.next().is_none())
    });
    if let Some(only) = only {
        schema.insert("type".to_owned(), only);
    }
}
