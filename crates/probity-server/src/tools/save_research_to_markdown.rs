//! `save_research_to_markdown`: a finished report as a file below the configured roots.

use probity_research::{Code, Problem};
use rmcp::model::Tool;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Effect, ToolName, defined,
    get_research_results::{not_finished, without_report},
    start_deep_research::yes,
};
use crate::{
    answer::Answer,
    caller::Caller,
    desk::Export,
    face::Face,
    http::Files,
    markdown::{Metadata, Page, Sources},
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    pub task_id: String,
    /// Below the user's reports directory
    #[serde(default = "output_dir")]
    pub output_dir: String,
    #[serde(default = "filename_prefix")]
    pub filename_prefix: String,
    #[serde(default = "yes")]
    pub include_metadata: bool,
    #[serde(default = "yes")]
    pub include_sources: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    pub success: bool,
    pub task_id: String,
    pub file_path: String,
    pub file_size_kb: f64,
    pub filename: String,
    pub created_at: String,
}

pub fn definition() -> Tool {
    defined::<Input, Output>(
        ToolName::SaveResearchToMarkdown,
        "Save a finished report as a permanent Markdown file. Free.",
        Effect::Adds,
    )
}

pub async fn run(face: &Face, caller: &Caller, input: Input) -> Result<Answer, Problem> {
    let summary = face.find(caller, &input.task_id).await?;
    if caller.admitted.files == Files::NotOffered {
        let message = "this service keeps no files for its callers; read the report with get_research_results \
                       and save it where you are";
        return Err(Problem::new(Code::OutputPath, message));
    }
    if !summary.status.is_final() {
        return Err(not_finished(&summary));
    }
    let Some(report) = face.desk().report(&summary).await? else { return Ok(without_report(&summary)) };
    let at = face.desk().now();
    let page = Page {
        summary: &summary,
        report: &report,
        metadata: if input.include_metadata { Metadata::Shown } else { Metadata::Hidden },
        sources: if input.include_sources { Sources::Listed } else { Sources::Omitted },
        written_at: at,
    };
    let markdown = face.templates().render(&page)?;
    let exported = face
        .desk()
        .export(Export {
            output_dir: &input.output_dir,
            filename_prefix: &input.filename_prefix,
            id: summary.id,
            at,
            markdown: &markdown,
        })
        .await?;
    let output = Output {
        success: true,
        task_id: summary.id.to_string(),
        file_size_kb: (exported.bytes as f64 / 102.4).round() / 10.0,
        file_path: exported.path,
        filename: exported.filename,
        created_at: at.to_string(),
    };
    let text = format!("saved {} ({} kB)", output.file_path, output.file_size_kb);
    Ok(Answer::new(&output, text))
}

fn output_dir() -> String {
    "./research_reports".to_owned()
}

fn filename_prefix() -> String {
    "research".to_owned()
}
