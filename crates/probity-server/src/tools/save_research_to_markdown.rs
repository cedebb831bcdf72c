//! `save_research_to_markdown`: a finished report as a file where the client works, or below the configured roots.

use std::path::PathBuf;

use probity_research::{Code, CodedError, scope::KeyScope, status::RunSummary};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ToolCall, ToolEffect, ToolFacts, ToolSchemas, ToolView,
    get_research_results::{not_finished, without_report},
    meanings,
    start_deep_research::yes,
};
use crate::{
    answer::{ToolAnswer, ToolReply},
    backend::ExportRequest,
    caller::Caller,
    client_directories::DirectoriesOutcome,
    http::FileAccess,
    markdown::{MarkdownPage, MetadataVisibility, SourceListVisibility},
    mcp_server::McpServer,
};

const PREFIX_BYTES_MAX: usize = 64;
const PREFIX_HINT: &str = "call again with a filename_prefix of 1 to 64 letters, digits, `_`, `-` and `.` that begins \
    with a letter, a digit or `_`, such as 'research'; the folder is named by output_dir";

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Input")]
pub struct SaveResearchToMarkdownInput {
    #[schemars(description = meanings::TASK_ID, example = meanings::TASK_ID_EXAMPLE)]
    pub task_id: String,
    /// Below the client's root or working directory, else the user's reports directory
    #[serde(default = "output_dir")]
    pub output_dir: String,
    /// Begins the file's name
    #[schemars(extend("x-takes-numbers" = true))]
    #[serde(default = "filename_prefix")]
    pub filename_prefix: String,
    /// Put cost, time and model on top
    #[serde(default = "yes")]
    pub include_metadata: bool,
    #[schemars(description = meanings::INCLUDE_SOURCES)]
    #[serde(default = "yes")]
    pub include_sources: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Output")]
pub struct SaveResearchToMarkdownOutput {
    pub success: bool,
    pub task_id: String,
    pub file_path: String,
    pub file_size_kb: f64,
    pub filename: String,
    pub created_at: String,
}

pub const FACTS: ToolFacts = ToolFacts {
    name: "save_research_to_markdown",
    description: "Save a finished report as a permanent Markdown file. Free, instant. To read it here: get_research_results.",
    effect: ToolEffect::Adds,
    scope: KeyScope::Read,
    view: ToolView::Absent,
    schemas: ToolSchemas::of::<SaveResearchToMarkdownInput, SaveResearchToMarkdownOutput>(),
};

pub async fn run(server: &McpServer, caller: &Caller, mut call: ToolCall) -> Result<ToolReply, CodedError> {
    let client_directories = match server.client_directories(caller, &mut call).await {
        DirectoriesOutcome::Known(directories) => directories,
        DirectoriesOutcome::Ask(question) => return Ok(ToolReply::Ask(question)),
    };
    save(server, caller, call, &client_directories).await.map(ToolReply::Done)
}

async fn save(
    server: &McpServer,
    caller: &Caller,
    mut call: ToolCall,
    client_directories: &[PathBuf],
) -> Result<ToolAnswer, CodedError> {
    let input: SaveResearchToMarkdownInput = call.input()?;
    let summary = server.find(caller, &input.task_id).await?;
    if caller.admitted.files == FileAccess::NotOffered {
        let message = "this service keeps no files for its callers; read the report with get_research_results \
                       and save it where you are";
        return Err(CodedError::new(Code::OutputPath, message));
    }
    if !summary.status.is_final() {
        return Ok(ToolAnswer::of_run_problem(&not_finished(&summary), &summary));
    }
    let Some(report) = server.backend().report(&summary).await? else {
        return Ok(without_report(server, &summary).await);
    };
    let at = server.backend().now();
    let page = MarkdownPage {
        summary: &summary,
        report: &report,
        metadata: if input.include_metadata { MetadataVisibility::Shown } else { MetadataVisibility::Hidden },
        sources: if input.include_sources {
            SourceListVisibility::Listed
        } else {
            SourceListVisibility::Omitted
        },
        written_at: at,
    };
    let markdown = server.templates().render(&page)?;
    let saved = server
        .backend()
        .export(ExportRequest {
            output_dir: &input.output_dir,
            filename_prefix: &input.filename_prefix,
            id: summary.id,
            at,
            markdown: &markdown,
            client_directories,
        })
        .await;
    let exported = match saved {
        Ok(exported) => exported,
        Err(problem) if problem.code == Code::OutputPath && !is_plain(&input.filename_prefix) => {
            return Ok(ToolAnswer::with_hint(&problem, Some(summary.id), PREFIX_HINT));
        }
        // The usual folder is no way out of its own failure.
        Err(problem) if problem.code == Code::OutputPath && input.output_dir == output_dir() => {
            return Ok(ToolAnswer::with_hint(&problem, Some(summary.id), &unwritable_hint(&summary)));
        }
        Err(problem) => return Err(problem),
    };
    let output = SaveResearchToMarkdownOutput {
        success: true,
        task_id: summary.id.to_string(),
        file_size_kb: (exported.bytes as f64 / 102.4).round() / 10.0,
        file_path: exported.path,
        filename: exported.filename,
        created_at: at.to_string(),
    };
    let text = format!("saved {} ({} kB)", output.file_path, output.file_size_kb);
    Ok(ToolAnswer::new(&output, text))
}

/// What the store takes as the beginning of a name; it has the last word.
fn is_plain(prefix: &str) -> bool {
    (1..=PREFIX_BYTES_MAX).contains(&prefix.len())
        && prefix.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
        && !prefix.starts_with(['.', '-'])
}

fn unwritable_hint(summary: &RunSummary) -> String {
    format!(
        "for the user: make that folder one that can be written, or name another with `reports.directory`; to read the \
         report here, call get_research_results(task_id='{}')",
        summary.id
    )
}

fn output_dir() -> String {
    "./research_reports".to_owned()
}

fn filename_prefix() -> String {
    "research".to_owned()
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn a_prefix_is_a_part_of_a_name_and_no_path() {
        for fits in ["research", "_a-1.b", "2026"] {
            assert!(is_plain(fits), "{fits}");
        }
        for wrong in ["", "../../../tmp/evil", ".hidden", "-x", "a b", "ä"] {
            assert!(!is_plain(wrong), "{wrong}");
        }
    }
}
