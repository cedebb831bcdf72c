//! The schemas of what `--json` and `--stream-json` print: promises, published in `docs/generated`.
//! `UPDATE=1 cargo test -p probity schema` writes them anew.

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Value, json};

use super::{
    DoctorDocument, FailureDocument, HandleDocument, ListDocument, PlanDocument, ResearchDocument,
    SettingValueDocument, SettingsDocument,
    bundle::BundleDocument,
    clients::{ClientsDocument, ClientsStatusDocument},
    stream::StreamLine,
};
use crate::generated;

/// A command and the definition that its document follows.
type CommandSchema = (&'static str, Value);

fn printed<T: JsonSchema>(generator: &mut SchemaGenerator, command: &'static str) -> CommandSchema {
    (command, generator.subschema_for::<T>().to_value())
}

/// Any command may print the document of a failure instead.
fn documents(generator: &mut SchemaGenerator) -> Vec<CommandSchema> {
    vec![
        printed::<ResearchDocument>(generator, "research, ask, runs show, runs resume, runs cancel"),
        printed::<HandleDocument>(generator, "research --detach"),
        printed::<PlanDocument>(generator, "research --plan, ask --plan"),
        printed::<ListDocument>(generator, "runs list"),
        printed::<DoctorDocument>(generator, "doctor"),
        printed::<SettingsDocument>(generator, "config show"),
        printed::<SettingValueDocument>(generator, "config get, config set, config unset"),
        printed::<ClientsDocument>(generator, "mcp install, mcp uninstall"),
        printed::<ClientsStatusDocument>(generator, "mcp status"),
        printed::<BundleDocument>(generator, "bundle verify"),
        printed::<FailureDocument>(generator, "any, when it fails"),
    ]
}

/// What is printed, so what is there: fields that are left out when empty are not required.
fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12().for_serialize().into_generator()
}

#[track_caller]
fn check(name: &str, schema: &Value) {
    let text = serde_json::to_string_pretty(schema).unwrap();
    generated::compare_with_committed(&format!("generated/{name}"), &format!("{text}\n"));
}

#[test]
fn one_document() {
    let mut generator = generator();
    let shapes: Vec<Value> = documents(&mut generator)
        .into_iter()
        .map(|(command, mut shape)| {
            shape["description"] = json!(command);
            shape
        })
        .collect();
    check(
        "json.schema.json",
        &json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "What `--json` prints",
            "anyOf": shapes,
            "$defs": generator.take_definitions(true),
        }),
    );
}

#[test]
fn typed_lines() {
    let mut schema = generator().into_root_schema_for::<StreamLine>().to_value();
    schema["title"] = json!("One line of `--stream-json`");
    check("stream-json.schema.json", &schema);
}
