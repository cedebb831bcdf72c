//! Links to a run's resources, as answers and lists contain them.

use probity_research::{status::RunSummary, text};
use rmcp::model::{Annotations, Resource};

use super::address;

/// Longest question in a title.
const TITLE_CHARACTERS_MAX: usize = 120;

pub fn report(summary: &RunSummary) -> Resource {
    let mut annotations = Annotations::default();
    annotations.last_modified = Some(summary.ended_at.unwrap_or(summary.updated_at).to_string());
    Resource::new(address::resource_uri(summary.id, "report"), format!("{} report", summary.id))
        .with_title(text::line(&summary.query, TITLE_CHARACTERS_MAX))
        .with_mime_type("text/markdown")
        .with_annotations(annotations)
}

pub fn sources(summary: &RunSummary) -> Resource {
    Resource::new(address::resource_uri(summary.id, "sources"), format!("{} sources", summary.id))
        .with_title(format!("{} sources", summary.sources))
        .with_mime_type("application/json")
}

pub fn evidence(summary: &RunSummary) -> Resource {
    Resource::new(address::resource_uri(summary.id, "evidence"), format!("{} evidence", summary.id))
        .with_title("every claim with its verdict")
        .with_mime_type("application/json")
}
