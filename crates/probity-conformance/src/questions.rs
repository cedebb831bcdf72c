//! What a server may ask a client in the middle of a request, and how the answers are read.
//!
//! Questions are written in wire format; the suite describes them that way too.

use rmcp::{
    ErrorData,
    model::{ElicitRequestParams, InputRequest, InputRequests, InputRequiredResult, InputResponses},
};
use serde_json::{Value, json};

/// A form with one required field.
pub fn form(message: &str, field: &str, kind: &str) -> Value {
    json!({
        "method": "elicitation/create",
        "params": {
            "message": message,
            "requestedSchema": {
                "type": "object",
                "properties": { field: { "type": kind } },
                "required": [field],
            },
        },
    })
}

pub fn sampling(prompt: &str, tokens_max: u32) -> Value {
    json!({
        "method": "sampling/createMessage",
        "params": {
            "messages": [{ "role": "user", "content": { "type": "text", "text": prompt } }],
            "maxTokens": tokens_max,
        },
    })
}

pub fn roots() -> Value {
    json!({ "method": "roots/list", "params": {} })
}

pub fn request(question: Value) -> Result<InputRequest, ErrorData> {
    serde_json::from_value(question).map_err(malformed)
}

/// The parameters of a form that is sent as a request of its own, as revisions before 2026-07-28 do it.
pub fn elicitation(message: &str, schema: Value) -> Result<ElicitRequestParams, ErrorData> {
    let params = json!({ "mode": "form", "message": message, "requestedSchema": schema });
    serde_json::from_value(params).map_err(malformed)
}

/// The answer "ask these first", with or without state for the next round.
pub fn input_required_reply<const COUNT: usize>(
    questions: [(&str, Value); COUNT],
    state: Option<String>,
) -> Result<InputRequiredResult, ErrorData> {
    let mut requests = InputRequests::new();
    for (key, question) in questions {
        requests.insert(key.to_owned(), request(question)?);
    }
    Ok(InputRequiredResult::new(Some(requests), state))
}

/// What the user entered in the form `key`; nothing if there was no such form or it was declined.
pub fn form_value<'a>(answers: Option<&'a InputResponses>, key: &str, field: &str) -> Option<&'a Value> {
    let answer = answers?.get(key)?;
    accepted_content(answer)?.get(field)
}

/// The content of an accepted form.
pub fn accepted_content(answer: &Value) -> Option<&Value> {
    (answer.get("action")? == "accept").then_some(())?;
    answer.get("content")
}

pub fn sampled_text<'a>(answers: Option<&'a InputResponses>, key: &str) -> Option<&'a str> {
    answers?.get(key)?.pointer("/content/text")?.as_str()
}

pub fn listed_roots<'a>(answers: Option<&'a InputResponses>, key: &str) -> Option<&'a Vec<Value>> {
    answers?.get(key)?.get("roots")?.as_array()
}

fn malformed(error: serde_json::Error) -> ErrorData {
    ErrorData::internal_error(format!("a fixture's question is malformed: {error}"), None)
}
