//! The schema is a promise: `UPDATE=1 cargo test -p probity-report schema` writes it anew.
#![expect(clippy::disallowed_methods, reason = "tests read UPDATE; the program does not")]

use std::{fs, path::Path};

use serde_json::Value;

use super::{render, schema};
use crate::{
    ReportDocument,
    fixture::{FixtureDocument as _, hostile, research},
};

#[test]
fn the_schema_is_what_we_published() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/generated/report.schema.json");
    let made = format!("{}\n", serde_json::to_string_pretty(&schema()).unwrap());
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, made).unwrap();
        return;
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == made,
        "report.schema.json is out of date: run `UPDATE=1 cargo test -p probity-report schema`"
    );
}

#[test]
fn a_document_is_read_back_as_it_was_written() {
    for fixture in [research(), hostile()] {
        let document = fixture.document();
        let read: ReportDocument = serde_json::from_str(&render(&document)).unwrap();
        assert_eq!(read, document);
    }
}

/// Every field that is written is in the schema.
#[test]
fn the_schema_knows_every_field() {
    let schema = schema();
    let written: Value = serde_json::from_str(&render(&research().document())).unwrap();
    let fields = schema["properties"].as_object().unwrap();
    for name in written.as_object().unwrap().keys() {
        assert!(fields.contains_key(name), "{name}");
    }
    for (name, list) in [("Claim", "claims"), ("Source", "sources"), ("Conflict", "conflicts")] {
        let known = schema["$defs"][name]["properties"].as_object().unwrap();
        for field in written[list][0].as_object().unwrap().keys() {
            assert!(known.contains_key(field), "{name}.{field}");
        }
    }
}
