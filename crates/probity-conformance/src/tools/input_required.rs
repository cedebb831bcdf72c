//! Tools that ask through their result and are called again with the answers (revision 2026-07-28).
//!
//! A state that comes back is sealed and bound to its tool: a changed one is refused, not read.

use rmcp::{
    ErrorData,
    model::{CallToolResponse, InputRequests, InputRequiredResult, InputResponses, SealOptions},
};
use serde_json::{Value, json};

use super::{FixtureCall, content};
use crate::questions;

/// Asks for a name, then greets.
pub fn name(call: &FixtureCall<'_>) -> Result<CallToolResponse, ErrorData> {
    match given_name(call) {
        Some(name) => Ok(content::text(format!("Hello, {name}!")).into()),
        None => ask_name(),
    }
}

pub fn given_name<'a>(call: &'a FixtureCall<'_>) -> Option<&'a str> {
    questions::form_value(answers(call), "user_name", "name")?.as_str()
}

pub fn ask_name() -> Result<CallToolResponse, ErrorData> {
    let question = questions::form("What is your name?", "name", "string");
    Ok(questions::input_required_reply([("user_name", question)], None)?.into())
}

pub fn sampling(call: &FixtureCall<'_>) -> Result<CallToolResponse, ErrorData> {
    if let Some(answer) = questions::sampled_text(answers(call), "capital_question") {
        return Ok(content::text(format!("The model said: {answer}")).into());
    }
    let question = questions::sampling("What is the capital of France?", 100);
    Ok(questions::input_required_reply([("capital_question", question)], None)?.into())
}

pub fn roots(call: &FixtureCall<'_>) -> Result<CallToolResponse, ErrorData> {
    if let Some(roots) = questions::listed_roots(answers(call), "client_roots") {
        let uris: Vec<&str> = roots.iter().filter_map(|root| root.get("uri")?.as_str()).collect();
        return Ok(content::text(format!("Roots: {}", uris.join(", "))).into());
    }
    Ok(questions::input_required_reply([("client_roots", questions::roots())], None)?.into())
}

pub fn sealed(call: &FixtureCall<'_>) -> Result<CallToolResponse, ErrorData> {
    let state = open(call)?;
    let confirmed = questions::form_value(answers(call), "confirm", "ok").is_some();
    if confirmed && state.is_some() {
        return Ok(content::text("state-ok").into());
    }
    let question = questions::form("Please confirm", "ok", "boolean");
    Ok(questions::input_required_reply([("confirm", question)], Some(seal(call, &json!({ "round": 1 }))?))?
        .into())
}

pub fn three(call: &FixtureCall<'_>) -> Result<CallToolResponse, ErrorData> {
    let state = open(call)?;
    let answers = answers(call);
    let name = questions::form_value(answers, "user_name", "name").and_then(Value::as_str);
    let greeting = questions::sampled_text(answers, "greeting");
    let roots = questions::listed_roots(answers, "client_roots");
    if let (Some(_), Some(name), Some(greeting), Some(roots)) = (state, name, greeting, roots) {
        let count = roots.len();
        return Ok(content::text(format!("{greeting} {name}, you have {count} roots.")).into());
    }
    let questions = questions::input_required_reply(
        [
            ("user_name", questions::form("What is your name?", "name", "string")),
            ("greeting", questions::sampling("Generate a greeting", 50)),
            ("client_roots", questions::roots()),
        ],
        Some(seal(call, &json!({ "round": 1 }))?),
    )?;
    Ok(questions.into())
}

/// Two questions, one after the other; the first answer is kept in the state.
pub fn two_rounds(call: &FixtureCall<'_>) -> Result<CallToolResponse, ErrorData> {
    let state = open(call)?.unwrap_or_default();
    let round = state.get("round").and_then(Value::as_u64);
    let name = questions::form_value(answers(call), "step1", "name").and_then(Value::as_str);
    let color = questions::form_value(answers(call), "step2", "color").and_then(Value::as_str);
    let known = state.get("name").and_then(Value::as_str);
    if let (Some(2), Some(name), Some(color)) = (round, known, color) {
        return Ok(content::text(format!("{name} likes {color}.")).into());
    }
    if let (Some(1), Some(name)) = (round, name) {
        let question = questions::form("Step 2: What is your favorite color?", "color", "string");
        let state = seal(call, &json!({ "round": 2, "name": name }))?;
        return Ok(questions::input_required_reply([("step2", question)], Some(state))?.into());
    }
    let question = questions::form("Step 1: What is your name?", "name", "string");
    Ok(questions::input_required_reply([("step1", question)], Some(seal(call, &json!({ "round": 1 }))?))?
        .into())
}

/// Asks only what the client said it can answer.
pub fn answerable(call: &FixtureCall<'_>) -> Result<CallToolResponse, ErrorData> {
    if answers(call).is_some() {
        return Ok(content::text("Thank you.").into());
    }
    let client = call.context.client_capabilities().unwrap_or_default();
    let mut requests = InputRequests::new();
    let mut add = |declared: bool, key: &str, question: Value| -> Result<(), ErrorData> {
        if declared {
            requests.insert(key.to_owned(), questions::request(question)?);
        }
        Ok(())
    };
    add(client.elicitation.is_some(), "user_name", questions::form("What is your name?", "name", "string"))?;
    add(client.sampling.is_some(), "greeting", questions::sampling("Generate a greeting", 50))?;
    add(client.roots.is_some(), "client_roots", questions::roots())?;
    if requests.is_empty() {
        return Ok(content::text("There is nothing this client could answer.").into());
    }
    Ok(InputRequiredResult::from_input_requests(requests).into())
}

fn answers<'a>(call: &'a FixtureCall<'_>) -> Option<&'a InputResponses> {
    call.request.input_responses.as_ref()
}

fn seal(call: &FixtureCall<'_>, state: &Value) -> Result<String, ErrorData> {
    let bound = SealOptions::new().associated_data(call.request.name.as_bytes());
    call.fixtures
        .states
        .seal_json_with(state, &bound)
        .map_err(|error| ErrorData::internal_error(format!("the state could not be sealed: {error}"), None))
}

/// The state that came back, if one did and it is ours.
fn open(call: &FixtureCall<'_>) -> Result<Option<Value>, ErrorData> {
    let Some(sealed) = &call.request.request_state else { return Ok(None) };
    let opened = call.fixtures.states.open_json_with(sealed, call.request.name.as_bytes());
    opened.map(Some).map_err(|error| {
        ErrorData::invalid_params(format!("the request state is not the one that was sent: {error}"), None)
    })
}
