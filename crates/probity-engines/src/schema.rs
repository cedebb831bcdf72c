//! The shape of an answer, as a schema for services that enforce one and as an example for models that do not.

use serde_json::{Value, json};

/// A full example: the prompts show it.
pub const EXAMPLE: &str = r##"{
  "success": true,
  "verified": false,
  "report": "# Title\n\nA statement [1](https://example.org/page).",
  "metadata": {
    "sources_visited": ["https://example.org/page"],
    "search_queries_used": ["what was searched for"]
  }
}"##;

pub fn schema() -> Value {
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    json!({
        "type": "object",
        "properties": {
            "success": { "type": "boolean" },
            "verified": { "type": "boolean" },
            "report": { "type": "string", "description": "the whole report in Markdown" },
            "metadata": {
                "type": "object",
                "properties": { "sources_visited": texts, "search_queries_used": texts },
                "required": ["sources_visited", "search_queries_used"]
            }
        },
        "required": ["success", "verified", "report", "metadata"]
    })
}

#[cfg(test)]
mod tests {
    use super::{EXAMPLE, schema};

    #[test]
    fn the_example_has_exactly_the_fields_of_the_schema_and_is_read_as_an_answer() {
        let example: serde_json::Value = serde_json::from_str(EXAMPLE).unwrap();
        let named: Vec<&String> = example.as_object().unwrap().keys().collect();
        let schema = schema();
        let mut required: Vec<&str> =
            schema["required"].as_array().unwrap().iter().filter_map(|name| name.as_str()).collect();
        let mut named: Vec<&str> = named.into_iter().map(String::as_str).collect();
        required.sort_unstable();
        named.sort_unstable();
        assert_eq!(named, required);
        assert!(!probity_research::rounds::answer::parse_model_answer(EXAMPLE).unwrap().verified);
    }
}
