//! The tools the suite calls: their list, and which name runs which fixture.

mod client_requests;
mod content;
mod input_required;
mod streaming;
mod tasks;

use anyhow::bail;
use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolRequestParams, CallToolResponse, ProtocolVersion, Tool},
    service::RequestContext,
};
use serde_json::{Value, json};

use crate::{changes::ListChange, fixtures::Fixtures};

/// One call with everything a fixture may read.
pub struct FixtureCall<'a> {
    pub fixtures: &'a Fixtures,
    pub request: CallToolRequestParams,
    pub context: RequestContext<RoleServer>,
}

impl FixtureCall<'_> {
    /// A string argument, or an empty text.
    fn text(&self, name: &str) -> &str {
        let value = self.request.arguments.as_ref().and_then(|arguments| arguments.get(name));
        value.and_then(Value::as_str).unwrap_or_default()
    }

    fn number(&self, name: &str) -> f64 {
        let value = self.request.arguments.as_ref().and_then(|arguments| arguments.get(name));
        value.and_then(Value::as_f64).unwrap_or_default()
    }

    /// Whether the request follows revision 2026-07-28 or a later one.
    fn is_modern(&self) -> bool {
        self.context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
    }
}

/// Tools without arguments. The order is the one clients see.
const PLAIN: &[(&str, &str)] = &[
    ("test_simple_text", "Answers with a text"),
    ("test_image_content", "Answers with a picture"),
    ("test_audio_content", "Answers with a sound"),
    ("test_embedded_resource", "Answers with an embedded resource"),
    ("test_multiple_content_types", "Answers with a text, a picture and a resource"),
    ("test_error_handling", "Fails, as tools may"),
    ("test_tool_with_logging", "Logs three times while it works"),
    ("test_logging_tool", "Logs only if the request set a level"),
    ("test_tool_with_progress", "Reports progress three times while it works"),
    ("test_reconnection", "Answers on the stream it was called on"),
    ("test_elicitation_sep1034_defaults", "Asks with a default in every field"),
    ("test_elicitation_sep1330_enums", "Asks with every kind of choice"),
    ("test_missing_capability", "Needs a client that can sample"),
    ("test_streaming_elicitation", "Asks through its result, never by a request on the stream"),
    ("test_trigger_tool_change", "Announces that the list of tools changed"),
    ("test_trigger_prompt_change", "Announces that the list of prompts changed"),
    ("test_input_required_result_elicitation", "Asks for a name first"),
    ("test_input_required_result_sampling", "Asks the client's model first"),
    ("test_input_required_result_list_roots", "Asks for the client's roots first"),
    ("test_input_required_result_request_state", "Asks first and checks the echoed state"),
    ("test_input_required_result_multiple_inputs", "Asks three things at once"),
    ("test_input_required_result_multi_round", "Asks twice, one after the other"),
    ("test_input_required_result_tampered_state", "Refuses a state that was changed"),
    ("test_input_required_result_capabilities", "Asks only what the client can answer"),
    ("test_tool_with_task", "Asks for a name, then works on as a task"),
    ("failing_job", "A task that fails as a tool; needs a client that knows tasks"),
    ("protocol_error_job", "A task that ends in a protocol error; needs a client that knows tasks"),
    ("multi_input", "A task that waits for two answers at once"),
];

/// All tools, in a fixed order.
pub fn list() -> anyhow::Result<Vec<Tool>> {
    let nothing = || json!({ "type": "object", "properties": {}, "additionalProperties": false });
    let text = |field: &str, meaning: &str| {
        json!({
            "type": "object",
            "properties": { field: { "type": "string", "description": meaning } },
            "required": [field],
        })
    };
    let mut tools = Vec::new();
    for (name, description) in PLAIN {
        tools.push(tool(name, description, nothing())?);
    }
    let described = [
        ("greet", "Greets by name, at once", text("name", "Whom to greet")),
        ("test_sampling", "Asks the client's model", text("prompt", "What to ask")),
        ("test_elicitation", "Asks the user", text("message", "What to ask")),
        ("confirm_delete", "A task that waits for a yes", text("filename", "What would be deleted")),
        ("slow_compute", "A task that takes its time", content::computation()),
        ("test_header_parameter", "Takes an argument that is also a header", content::header_parameter()),
        ("json_schema_2020_12_tool", "Has a schema with the wider vocabulary", content::wide_schema()),
    ];
    for (name, description, schema) in described {
        tools.push(tool(name, description, schema)?);
    }
    Ok(tools)
}

fn tool(name: &str, description: &str, schema: Value) -> anyhow::Result<Tool> {
    let Value::Object(schema) = schema else { bail!("the schema of `{name}` is not an object") };
    Ok(Tool::new(name.to_owned(), description.to_owned(), schema))
}

pub async fn call(call: FixtureCall<'_>) -> Result<CallToolResponse, ErrorData> {
    let name = call.request.name.clone();
    if let Some(answer) = content::fixed(&name) {
        return Ok(answer.into());
    }
    match name.as_ref() {
        "greet" => Ok(content::text(format!("Hello, {}!", call.text("name"))).into()),
        "test_header_parameter" | "json_schema_2020_12_tool" => Ok(content::echo(&call.request).into()),
        "test_trigger_tool_change" => Ok(streaming::announce(&call, ListChange::Tools).await),
        "test_trigger_prompt_change" => Ok(streaming::announce(&call, ListChange::Prompts).await),
        "test_tool_with_logging" | "test_logging_tool" => Ok(streaming::logging(&call).await),
        "test_tool_with_progress" => Ok(streaming::progress(&call).await),
        "test_sampling" => Box::pin(client_requests::sampling(&call)).await,
        "test_elicitation" => Box::pin(client_requests::user(&call)).await,
        "test_elicitation_sep1034_defaults" => Box::pin(client_requests::defaults(&call)).await,
        "test_elicitation_sep1330_enums" => Box::pin(client_requests::choices(&call)).await,
        "test_missing_capability" => client_requests::needs_sampling(&call),
        "test_input_required_result_elicitation" | "test_streaming_elicitation" => {
            input_required::name(&call)
        }
        "test_input_required_result_sampling" => input_required::sampling(&call),
        "test_input_required_result_list_roots" => input_required::roots(&call),
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => {
            input_required::sealed(&call)
        }
        "test_input_required_result_multiple_inputs" => input_required::three(&call),
        "test_input_required_result_multi_round" => input_required::two_rounds(&call),
        "test_input_required_result_capabilities" => input_required::answerable(&call),
        "test_tool_with_task" => tasks::after_asking(&call),
        "slow_compute" => tasks::slow(&call).await,
        "failing_job" => tasks::failing(&call),
        "protocol_error_job" => tasks::protocol_error(&call),
        "confirm_delete" => tasks::confirmed(&call),
        "multi_input" => tasks::two_answers(&call),
        other => Err(ErrorData::invalid_params(format!("there is no tool `{other}`"), None)),
    }
}
