//! Which scope a message of the protocol needs, read from its bytes before anything acts on them.
//!
//! So that a client gets the status that makes it ask for more. The MCP server checks again before it acts: a
//! message that is read differently here and there is refused there.

use std::borrow::Cow;

use probity_research::scope::KeyScope;
use serde::Deserialize;

use crate::tools::ToolName;

#[derive(Deserialize)]
struct ProtocolMessage<'body> {
    #[serde(borrow)]
    method: Cow<'body, str>,
    #[serde(borrow, default)]
    params: Option<ProtocolParams<'body>>,
}

#[derive(Deserialize)]
struct ProtocolParams<'body> {
    #[serde(borrow, default)]
    name: Option<Cow<'body, str>>,
}

/// `None`: any caller with a valid token may send this. A message that cannot be parsed is refused by the
/// protocol.
pub(super) fn required_scope(body: &[u8]) -> Option<KeyScope> {
    let message: ProtocolMessage<'_> = serde_json::from_slice(body).ok()?;
    match message.method.as_ref() {
        "tools/call" => {
            let tool = message.params.and_then(|params| ToolName::parse(params.name?.as_ref()));
            Some(tool.map_or(KeyScope::Read, ToolName::scope))
        }
        "tasks/cancel" => Some(KeyScope::Cancel),
        method => needs_read(method).then_some(KeyScope::Read),
    }
}

/// Methods that show runs. Handshakes, notifications and the lists that are the same for all callers do not.
fn needs_read(method: &str) -> bool {
    let is_common = matches!(method, "resources/templates/list" | "prompts/list");
    let of_researches = ["resources/", "prompts/", "tasks/", "completion/", "subscriptions/"];
    !is_common && of_researches.iter().any(|beginning| method.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use probity_research::scope::KeyScope;

    use super::required_scope;
    use crate::tools::ToolName;

    #[track_caller]
    fn check(body: &str, expected: Option<KeyScope>) {
        assert_eq!(required_scope(body.as_bytes()), expected, "{body}");
    }

    #[test]
    fn each_tool_needs_its_scope() {
        for tool in ToolName::ALL {
            let body = format!(
                r#"{{"method":"tools/call","params":{{"name":"{}","arguments":{{}}}}}}"#,
                tool.as_str()
            );
            check(&body, Some(tool.scope()));
        }
        check(r#"{"method":"tools/call","params":{"name":"of another house"}}"#, Some(KeyScope::Read));
        check(r#"{"method":"tools/call"}"#, Some(KeyScope::Read));
    }

    #[test]
    fn what_shows_researches_needs_read_and_greetings_need_nothing() {
        for method in ["resources/read", "resources/list", "tasks/get", "prompts/get", "completion/complete"]
        {
            check(&format!(r#"{{"method":"{method}"}}"#), Some(KeyScope::Read));
        }
        check(r#"{"method":"tasks/cancel","params":{"taskId":"x"}}"#, Some(KeyScope::Cancel));
        for method in ["initialize", "server/discover", "ping", "tools/list", "notifications/initialized"] {
            check(&format!(r#"{{"method":"{method}"}}"#), None);
        }
        check("nonsense", None);
        check(r#"[{"method":"tools/call"}]"#, None);
    }
}
