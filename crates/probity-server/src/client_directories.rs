//! Where the client of a call works: its MCP roots, then the directory in which its process was started.
//!
//! For clients of this machine's own user only: a path of another machine means nothing here. Whether a directory can
//! be written is up to the backend.
#![expect(deprecated, reason = "the newest protocol deprecates roots; the clients in use have them")]

use std::{path::PathBuf, time::Duration};

use rmcp::model::{InputRequest, InputRequests, InputRequiredResult, ListRootsRequest, ListRootsResult};

use crate::{caller::Caller, mcp_server::McpServer, tools::ToolCall};

/// A client answers from memory; one that does not answer is not waited for.
const ROOTS_WITHIN: Duration = Duration::from_secs(3);
/// Roots that are looked at. A workspace of an editor has a handful.
const ROOTS_MAX: usize = 16;
/// Name of the question to a client of the new era.
const QUESTION: &str = "roots";

pub enum DirectoriesOutcome {
    /// Best first; none for a client whose files are not here.
    Known(Vec<PathBuf>),
    /// The client calls again with its roots.
    Ask(Box<InputRequiredResult>),
}

impl McpServer {
    pub(crate) async fn client_directories(
        &self,
        caller: &Caller,
        call: &mut ToolCall,
    ) -> DirectoriesOutcome {
        if !caller.is_on_this_machine() {
            return DirectoriesOutcome::Known(Vec::new());
        }
        let has_roots = caller.capabilities().is_some_and(|client| client.roots.is_some());
        let roots = match (has_roots, caller.is_modern()) {
            (false, _) => None,
            (true, false) => during_the_call(caller).await,
            (true, true) => match call.input_responses.take() {
                Some(mut answers) => answers
                    .remove(QUESTION)
                    .and_then(|answer| serde_json::from_value::<ListRootsResult>(answer).ok()),
                None => return DirectoriesOutcome::Ask(Box::new(question())),
            },
        };
        let roots = roots.map(|listed| listed.roots).unwrap_or_default();
        let mut directories: Vec<PathBuf> =
            roots.iter().take(ROOTS_MAX).filter_map(|root| local_path(&root.uri)).collect();
        directories.extend(self.working_directory().cloned());
        DirectoriesOutcome::Known(directories)
    }
}

async fn during_the_call(caller: &Caller) -> Option<ListRootsResult> {
    match tokio::time::timeout(ROOTS_WITHIN, caller.peer().list_roots()).await {
        Ok(Ok(listed)) => Some(listed),
        Ok(Err(error)) => {
            tracing::debug!(%error, "the client did not list its roots");
            None
        }
        Err(_) => {
            tracing::debug!("the client did not list its roots in time");
            None
        }
    }
}

fn question() -> InputRequiredResult {
    let asked = InputRequest::ListRoots(ListRootsRequest::default());
    InputRequiredResult::new(Some(InputRequests::from([(QUESTION.to_owned(), asked)])), None)
}

/// The path of a `file://` address of this machine; none for every other address.
fn local_path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let decoded = percent_decoded(path)?;
    (decoded.starts_with('/') && !decoded.contains('\0')).then(|| PathBuf::from(decoded))
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = std::str::from_utf8(after.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = after.get(2..)?;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::local_path;

    #[track_caller]
    fn check(uri: &str, expected: Option<&str>) {
        assert_eq!(local_path(uri), expected.map(PathBuf::from), "{uri}");
    }

    #[test]
    fn only_files_of_this_machine_are_directories() {
        check("file:///home/anna/my%20project", Some("/home/anna/my project"));
        check("file://localhost/srv/w%C3%A4rme", Some("/srv/wärme"));
        check("file://server/share", None);
        check("file:relative", None);
        check("file:///a%00b", None);
        check("file:///cut%2", None);
        check("https://example.com/home", None);
        check("/home/anna", None);
    }
}
