//! CSL-JSON, as Zotero, Pandoc and citation processors read it.

use serde_json::{Map, Value, json};

use super::BibliographyDate;
use crate::document::{ReportDocument, ReportSource};

pub fn csl_json(document: &ReportDocument) -> String {
    let items: Vec<Value> = document.sources.iter().map(item).collect();
    // Plain values: encoding them cannot fail short of memory.
    let mut text = serde_json::to_string_pretty(&items).unwrap_or_default();
    text.push('\n');
    text
}

fn item(source: &ReportSource) -> Value {
    let mut fields = Map::new();
    fields.insert("id".to_owned(), json!(format!("source-{}", source.number)));
    fields.insert("type".to_owned(), json!("webpage"));
    fields.insert("title".to_owned(), json!(source.title));
    let texts = [
        ("container-title", Some(&source.host)),
        ("URL", Some(&source.url)),
        ("language", source.language.as_ref()),
        ("archive_location", source.archive.as_ref()),
    ];
    for (name, text) in texts {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            fields.insert(name.to_owned(), json!(text));
        }
    }
    for (name, text) in [("issued", &source.published), ("accessed", &source.fetched_at)] {
        if let Some(date) = text.as_deref().and_then(BibliographyDate::read) {
            let parts: Vec<u32> = [Some(date.year), date.month, date.day].into_iter().flatten().collect();
            fields.insert(name.to_owned(), json!({ "date-parts": [parts] }));
        }
    }
    Value::Object(fields)
}
