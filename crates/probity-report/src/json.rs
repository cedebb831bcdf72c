//! The document itself, as JSON with a published schema.

use crate::ReportDocument;

pub fn render(document: &ReportDocument) -> String {
    // Plain data: encoding it cannot fail short of memory.
    let mut text = serde_json::to_string_pretty(document).unwrap_or_default();
    text.push('\n');
    text
}

pub fn schema() -> serde_json::Value {
    schemars::schema_for!(ReportDocument).to_value()
}

#[cfg(test)]
mod tests;
