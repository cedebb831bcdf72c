//! JSON schemas as small as they can be and still be exact: clients put them before the model on every turn.

use std::sync::Arc;

use rmcp::model::JsonObject;
use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::transform_subschemas};
use serde_json::Value;

use super::arguments::HIDDEN;

/// What a model needs to write the arguments: names, types, words, meanings. Limits stand in the meanings; a client that
/// checked them would refuse what we take.
pub fn input<T: JsonSchema>() -> Arc<JsonObject> {
    let mut object = (*full_input::<T>()).clone();
    if let Some(fields) = object.get_mut("properties").and_then(Value::as_object_mut) {
        fields.retain(|_, field| field.get(HIDDEN).is_none());
        for field in fields.values_mut().filter_map(Value::as_object_mut) {
            field.retain(|key, _| LISTED.contains(&key.as_str()));
            // Whoever leaves it out means no.
            if field.get("default") == Some(&Value::Bool(false)) {
                field.remove("default");
            }
        }
    }
    Arc::new(object)
}

/// What the listed schema says of an argument.
const LISTED: [&str; 5] = ["type", "description", "default", "enum", "items"];

/// The same with limits, examples, other names and hidden arguments, for whoever reads the arguments.
pub fn full_input<T: JsonSchema>() -> Arc<JsonObject> {
    generated::<T>(SchemaSettings::draft2020_12().for_deserialize(), strip_null)
}

/// Every branch of an answer must fit its one schema, so nothing is required. Field names speak for
/// themselves, inner objects are described by the reference page, and a field without a type is a plain value:
/// more would cost a model on every turn more than it tells.
pub fn output<T: JsonSchema>() -> Arc<JsonObject> {
    let mut object = (*full_output::<T>()).clone();
    let fields = object.get_mut("properties").and_then(Value::as_object_mut);
    for field in fields.into_iter().flat_map(|fields| fields.values_mut()).filter_map(Value::as_object_mut) {
        field.retain(|key, value| key == "type" && (value == "object" || value == "array"));
    }
    Arc::new(object)
}

/// The same with everything inside, for the reference page.
pub fn full_output<T: JsonSchema>() -> Arc<JsonObject> {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    generated::<T>(settings, |schema| {
        strip_absent(schema);
        strip_noise(schema);
        schema.remove("required");
        schema.remove("description");
    })
}

fn generated<T: JsonSchema>(mut settings: SchemaSettings, each: fn(&mut Schema)) -> Arc<JsonObject> {
    settings.meta_schema = None;
    settings.inline_subschemas = true;
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    visit_schemas(&mut schema, each);
    let mut object = schema.to_value().as_object().cloned().unwrap_or_default();
    // The description of the type itself is for readers of the code.
    object.remove("description");
    Arc::new(object)
}

fn visit_schemas(schema: &mut Schema, each: fn(&mut Schema)) {
    each(schema);
    transform_subschemas(&mut |inner: &mut Schema| visit_schemas(inner, each), schema);
}

/// Names of Rust types and formats that JSON Schema does not know are noise, and some clients warn about
/// them.
fn strip_noise(schema: &mut Schema) {
    schema.remove("title");
    schema.remove("format");
    schema.remove("minimum");
}

/// A field that is left out when it has no value is never `null`; one that is always there may be.
fn strip_absent(schema: &mut Schema) {
    let required = schema.get("required").cloned().unwrap_or_default();
    let is_required =
        |name: &str| required.as_array().is_some_and(|names| names.iter().any(|one| one == name));
    let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (_, field) in fields.into_iter().flatten().filter(|(name, _)| !is_required(name)) {
        if let Ok(field) = field.try_into() {
            strip_null(field);
        }
    }
}

/// An optional field is left out when it has no value, so `null` need not be allowed.
fn strip_null(schema: &mut Schema) {
    if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        values.retain(|value| !value.is_null());
    }
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
