//! The OpenAPI document is a promise: it is kept in the repository, and what it says is what is served.
//! `UPDATE=1 cargo test -p probity-server openapi` writes it anew.
#![expect(clippy::disallowed_methods, reason = "tests read UPDATE; the program does not")]

use std::{collections::BTreeSet, fs, path::Path};

use probity_server::rest::{openapi, operations};
use serde_json::Value;

use super::server::Server;

#[test]
fn the_document_is_what_we_published() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/generated/openapi.json");
    let made = format!("{}\n", serde_json::to_string_pretty(&openapi::document()).unwrap());
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, made).unwrap();
        return;
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == made,
        "docs/generated/openapi.json is out of date: run `UPDATE=1 cargo test -p probity-server openapi`"
    );
}

#[test]
fn every_route_is_in_it_and_every_reference_leads_somewhere() {
    let document = openapi::document();
    let mut ids = BTreeSet::new();
    for operation in operations() {
        let described = &document["paths"][operation.path][operation.verb.as_str()];
        assert_eq!(described["operationId"], operation.id);
        assert_eq!(described["security"][0]["bearer"][0], operation.scope.as_str());
        assert!(ids.insert(operation.id), "{} twice", operation.id);
    }
    let mut references = Vec::new();
    collect(&document, &mut references);
    assert!(references.len() > 20);
    for reference in references {
        let target = document.pointer(reference.strip_prefix('#').unwrap());
        assert!(target.is_some_and(Value::is_object), "{reference}");
    }
}

fn collect(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            found.extend(object.get("$ref").and_then(Value::as_str).map(str::to_owned));
            object.values().for_each(|inner| collect(inner, found));
        }
        Value::Array(values) => values.iter().for_each(|inner| collect(inner, found)),
        _ => {}
    }
}

#[tokio::test]
async fn it_is_served_without_a_token() {
    let server = Server::start().await;
    let answer = server.send("GET", "/v1/openapi.json", None, &[], None).await;
    assert_eq!((answer.status, answer.json()["openapi"].clone()), (200, Value::from("3.1.0")));
    server.stop().await;
}
