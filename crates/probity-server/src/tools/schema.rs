//! JSON schemas as small as they can be and still be exact: clients put them before the model on every turn.

use std::sync::Arc;

use rmcp::model::JsonObject;
use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::transform_subschemas};
use serde_json::Value;

pub fn input<T: JsonSchema>() -> Arc<JsonObject> {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    generated::<T>(settings, strip_noise)
}

/// Every branch of an answer must fit its one schema, so nothing is required. Field names speak for
/// themselves, and inner objects are described by the reference page: a schema that a model reads on every
/// turn would cost more than it tells.
pub fn output<T: JsonSchema>() -> Arc<JsonObject> {
    let mut object = (*full_output::<T>()).clone();
    let fields = object.get_mut("properties").and_then(Value::as_object_mut);
    for field in fields.into_iter().flat_map(|fields| fields.values_mut()).filter_map(Value::as_object_mut) {
        field.remove("properties");
        field.remove("items");
        field.remove("additionalProperties");
    }
    Arc::new(object)
}

/// The same with everything inside, for the reference page.
pub fn full_output<T: JsonSchema>() -> Arc<JsonObject> {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    generated::<T>(settings, |schema| {
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
/// them. An optional field is left out when it has no value, so `null` need not be allowed.
fn strip_noise(schema: &mut Schema) {
    schema.remove("title");
    schema.remove("format");
    schema.remove("minimum");
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
