//! One view for MCP hosts that show interfaces: progress, approval of the cost, claims with their verdicts.
//!
//! Self-contained: it loads nothing, talks only to the window that shows it, and inserts foreign text as
//! text. It calls the tools that the model has too, through the host; it decides nothing.

/// Where the resource is found, and what tools name in `_meta.ui.resourceUri`.
pub const URI: &str = "ui://probity/research.html";
/// What hosts know such a resource by.
pub const MEDIA_TYPE: &str = "text/html;profile=mcp-app";
pub const HTML: &str = include_str!("../assets/app.html");

/// What the host gets about the resource: nothing external is loaded, and a border is preferred.
pub fn meta() -> serde_json::Value {
    serde_json::json!({
        "ui": {
            "csp": { "connectDomains": [], "resourceDomains": [], "frameDomains": [], "baseUriDomains": [] },
            "prefersBorder": true,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::HTML;

    #[test]
    fn it_is_small_and_needs_nothing_from_outside() {
        assert!(HTML.len() < 60 * 1024, "{} bytes", HTML.len());
        for outside in [
            "src=",
            "href=",
            "@import",
            "url(",
            "fetch(",
            "XMLHttpRequest",
            "WebSocket",
            "EventSource",
            "import(",
        ] {
            assert!(!HTML.contains(outside), "{outside}");
        }
    }

    #[test]
    fn foreign_text_is_only_ever_written_as_text() {
        for door in [
            "innerHTML",
            "outerHTML",
            "insertAdjacent",
            "document.write",
            "eval(",
            "Function(",
            "srcdoc",
            "DOMParser",
        ] {
            assert!(!HTML.contains(door), "{door}");
        }
        assert!(HTML.contains("event.source !== parent"));
    }
}
