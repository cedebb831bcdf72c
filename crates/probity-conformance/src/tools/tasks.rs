//! Tools whose work goes on as a task (extension `io.modelcontextprotocol/tasks`).
//!
//! A task is only made for a client that declared the extension and speaks 2026-07-28: older revisions know
//! tasks of another shape, and a client would lose the result.

use std::time::Duration;

use rmcp::{
    ErrorData,
    model::{CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, CreateTaskResult},
    task_manager::{TaskContext, TaskExit, TaskFuture, TaskOptions},
};

use super::{FixtureCall, content, input_required};
use crate::questions;

/// The suite never asks for more than a minute.
const COMPUTE_MAX: Duration = Duration::from_secs(120);
/// Short enough that a fixture which fails at once is seen as a task first.
const MOMENT: Duration = Duration::from_millis(50);

pub async fn slow(call: &FixtureCall<'_>) -> Result<CallToolResponse, ErrorData> {
    let time = Duration::try_from_secs_f64(call.number("seconds")).unwrap_or_default().min(COMPUTE_MAX);
    let label = call.text("label").to_owned();
    if !knows_tasks(call) {
        return Ok(computed(time, &label).await.into());
    }
    Ok(create(call, move |task| {
        Box::pin(async move {
            tokio::select! {
                () = task.cancelled() => Err(TaskExit::Cancelled),
                result = computed(time, &label) => Ok(result),
            }
        })
    }))
}

async fn computed(time: Duration, label: &str) -> CallToolResult {
    tokio::time::sleep(time).await;
    content::text(format!("Computed {label} in {} seconds.", time.as_secs_f64()))
}

pub fn failing(call: &FixtureCall<'_>) -> Result<CallToolResponse, ErrorData> {
    required(call)?;
    Ok(create(call, |_task| {
        Box::pin(async {
            tokio::time::sleep(MOMENT).await;
            Ok(CallToolResult::error(vec![ContentBlock::text("The job failed, as it should.")]))
        })
    }))
}

pub fn protocol_error(call: &FixtureCall<'_>) -> Result<CallToolResponse, ErrorData> {
    required(call)?;
    Ok(create(call, |_task| {
        Box::pin(async {
            tokio::time::sleep(MOMENT).await;
            Err(ErrorData::internal_error("the job broke, as it should", None).into())
        })
    }))
}

pub fn confirmed(call: &FixtureCall<'_>) -> Result<CallToolResponse, ErrorData> {
    required(call)?;
    let file = call.text("filename").to_owned();
    Ok(create(call, move |task| {
        Box::pin(async move {
            let yes = confirm(&task, "confirm", &format!("Delete {file}?")).await?;
            let done = if yes { "deleted" } else { "kept" };
            Ok(content::text(format!("{file} was {done}.")))
        })
    }))
}

pub fn two_answers(call: &FixtureCall<'_>) -> Result<CallToolResponse, ErrorData> {
    required(call)?;
    Ok(create(call, |task| {
        Box::pin(async move {
            let (first, second) =
                tokio::try_join!(confirm(&task, "first", "First?"), confirm(&task, "second", "Second?"))?;
            Ok(content::text(format!("First: {first}, second: {second}.")))
        })
    }))
}

/// The question is answered before there is a task; the answer is in the task's result.
pub fn after_asking(call: &FixtureCall<'_>) -> Result<CallToolResponse, ErrorData> {
    required(call)?;
    let Some(name) = input_required::given_name(call) else { return input_required::ask_name() };
    let name = name.to_owned();
    Ok(create(call, move |_task| {
        Box::pin(async move {
            tokio::time::sleep(MOMENT).await;
            Ok(content::text(format!("Worked for {name}.")))
        })
    }))
}

/// Whether the user accepted, once `tasks/update` brought the answer.
async fn confirm(task: &TaskContext, key: &str, message: &str) -> Result<bool, TaskExit> {
    let question = questions::request(questions::form(message, "confirm", "boolean"))?;
    let answer = task.request_input(key, question).await?;
    let content = questions::accepted_content(&answer);
    Ok(content.and_then(|content| content.get("confirm")?.as_bool()).unwrap_or_default())
}

fn create(call: &FixtureCall<'_>, work: impl FnOnce(TaskContext) -> TaskFuture) -> CallToolResponse {
    let options = TaskOptions::new().with_poll_interval_ms(200);
    CreateTaskResult::new(call.fixtures.tasks.spawn(options, work)).into()
}

fn knows_tasks(call: &FixtureCall<'_>) -> bool {
    call.is_modern() && call.context.client_capabilities().is_some_and(|client| client.supports_tasks())
}

/// For tools that only exist as tasks.
fn required(call: &FixtureCall<'_>) -> Result<(), ErrorData> {
    if knows_tasks(call) {
        return Ok(());
    }
    let extension = ClientCapabilities::builder().enable_tasks().build();
    Err(ErrorData::missing_required_client_capability(extension))
}
