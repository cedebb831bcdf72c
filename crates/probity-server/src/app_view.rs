//! The view that hosts with interfaces can show beside our tools: offered only to hosts that declare support,
//! so that it costs no other client a token.

use rmcp::model::{ClientCapabilities, MetaObject, ReadResourceResult, ResourceContents, Tool};
use serde_json::{Value, json};

use crate::tools::{ToolName, ToolView};

/// The extension by which a host says that it shows views.
const EXTENSION: &str = "io.modelcontextprotocol/ui";
/// The view of one build never changes.
const FRESH_MS: u64 = 3_600_000;

/// One self-contained page.
#[derive(Debug, Clone)]
pub struct AppView {
    pub uri: &'static str,
    pub media_type: &'static str,
    pub html: &'static str,
    /// The view's metadata for a host.
    pub meta: Value,
}

impl AppView {
    pub(crate) fn read(&self) -> ReadResourceResult {
        let contents = ResourceContents::text(self.html, self.uri).with_mime_type(self.media_type);
        let contents = contents.with_meta(object(&self.meta));
        ReadResourceResult::new(vec![contents]).with_ttl_ms(FRESH_MS)
    }

    /// The same tool with its view, where it has one.
    pub(crate) fn attach_to(&self, tool: Tool) -> Tool {
        match ToolName::parse(&tool.name).map_or(ToolView::Absent, |name| name.facts().view) {
            ToolView::Progress => tool.with_meta(object(&json!({ "ui": { "resourceUri": self.uri } }))),
            ToolView::Absent => tool,
        }
    }
}

pub(crate) fn client_supports_views(client: Option<&ClientCapabilities>) -> bool {
    client.and_then(|client| client.extensions.as_ref()).is_some_and(|known| known.contains_key(EXTENSION))
}

fn object(value: &Value) -> MetaObject {
    MetaObject(value.as_object().cloned().unwrap_or_default())
}
