//! The resources the suite reads.

use rmcp::{
    ErrorData,
    model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate},
};
use serde_json::json;

use crate::samples;

const TEXT: &str = "test://static-text";
const BINARY: &str = "test://static-binary";
const WATCHED: &str = "test://watched-resource";
const TEMPLATE: &str = "test://template/{id}/data";

pub fn list() -> Vec<Resource> {
    let described = |uri: &str, name: &str, description: &str, kind: &str| {
        Resource::new(uri, name).with_description(description).with_mime_type(kind)
    };
    vec![
        described(TEXT, "static-text", "A text that never changes", "text/plain"),
        described(BINARY, "static-binary", "A picture of one pixel", samples::PNG_TYPE),
        described(WATCHED, "watched-resource", "A text that can be subscribed to", "text/plain"),
    ]
}

pub fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(TEMPLATE, "template")
            .with_description("Data of one id")
            .with_mime_type("application/json"),
    ]
}

pub fn read(uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let contents = match uri {
        TEXT => ResourceContents::text("This is the content of the static text resource.", uri)
            .with_mime_type("text/plain"),
        BINARY => ResourceContents::blob(samples::PNG, uri).with_mime_type(samples::PNG_TYPE),
        WATCHED => ResourceContents::text("Watched resource content.", uri).with_mime_type("text/plain"),
        other => {
            let id = other.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
            let id = id.filter(|id| !id.is_empty() && !id.contains('/')).ok_or_else(|| unknown(uri))?;
            let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            ResourceContents::text(data.to_string(), uri).with_mime_type("application/json")
        }
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

/// Subscribing needs a resource that is there.
pub fn check(uri: &str) -> Result<(), ErrorData> {
    read(uri).map(drop)
}

fn unknown(uri: &str) -> ErrorData {
    ErrorData::resource_not_found("resource not found", Some(json!({ "uri": uri })))
}
