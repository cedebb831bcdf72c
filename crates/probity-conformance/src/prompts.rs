//! The prompts the suite gets.

use rmcp::{
    ErrorData,
    model::{
        ContentBlock, GetPromptRequestParams, GetPromptResponse, GetPromptResult, Prompt, PromptArgument,
        PromptMessage, ResourceContents, Role,
    },
};
use serde_json::Value;

use crate::{questions, samples};

const SIMPLE: &str = "test_simple_prompt";
const WITH_ARGUMENTS: &str = "test_prompt_with_arguments";
const WITH_RESOURCE: &str = "test_prompt_with_embedded_resource";
const WITH_IMAGE: &str = "test_prompt_with_image";
const ASKING: &str = "test_input_required_result_prompt";

pub fn list() -> Vec<Prompt> {
    let required = |name: &str, description: &str| {
        PromptArgument::new(name).with_description(description).with_required(true)
    };
    let both = vec![required("arg1", "First test argument"), required("arg2", "Second test argument")];
    let uri = vec![required("resourceUri", "URI of the resource to embed")];
    vec![
        Prompt::new(SIMPLE, Some("A prompt without arguments"), None),
        Prompt::new(WITH_ARGUMENTS, Some("A prompt with two arguments"), Some(both)),
        Prompt::new(WITH_RESOURCE, Some("A prompt that embeds a resource"), Some(uri)),
        Prompt::new(WITH_IMAGE, Some("A prompt with a picture"), None),
        Prompt::new(ASKING, Some("A prompt that asks before it answers"), None),
    ]
}

pub fn get(request: &GetPromptRequestParams) -> Result<GetPromptResponse, ErrorData> {
    let messages = match request.name.as_str() {
        SIMPLE => vec![text("This is a simple prompt for testing.")],
        WITH_ARGUMENTS => {
            let (first, second) = (argument(request, "arg1")?, argument(request, "arg2")?);
            vec![text(format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))]
        }
        WITH_RESOURCE => {
            let uri = argument(request, "resourceUri")?;
            let resource = ResourceContents::text("Embedded resource content for testing.", uri)
                .with_mime_type("text/plain");
            vec![user(ContentBlock::resource(resource)), text("Please process the embedded resource above.")]
        }
        WITH_IMAGE => {
            let image = ContentBlock::image(samples::PNG, samples::PNG_TYPE);
            vec![user(image), text("Please analyze the image above.")]
        }
        ASKING => return asking(request),
        other => return Err(ErrorData::invalid_params(format!("there is no prompt `{other}`"), None)),
    };
    Ok(GetPromptResult::new(messages).into())
}

fn asking(request: &GetPromptRequestParams) -> Result<GetPromptResponse, ErrorData> {
    let answers = request.input_responses.as_ref();
    let Some(context) = questions::form_value(answers, "user_context", "context").and_then(Value::as_str)
    else {
        let question = questions::form("What context should the prompt use?", "context", "string");
        return Ok(questions::input_required_reply([("user_context", question)], None)?.into());
    };
    Ok(GetPromptResult::new(vec![text(format!("Answer in this context: {context}"))]).into())
}

fn argument<'a>(request: &'a GetPromptRequestParams, name: &str) -> Result<&'a str, ErrorData> {
    let value = request.arguments.as_ref().and_then(|arguments| arguments.get(name));
    value
        .and_then(Value::as_str)
        .ok_or_else(|| ErrorData::invalid_params(format!("the prompt needs the argument `{name}`"), None))
}

fn text(text: impl Into<String>) -> PromptMessage {
    PromptMessage::new_text(Role::User, text)
}

fn user(content: ContentBlock) -> PromptMessage {
    PromptMessage::new(Role::User, content)
}
