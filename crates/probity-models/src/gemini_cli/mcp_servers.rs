//! MCP servers of the user's own Gemini CLI that may be used inside the one we start, such as Firecrawl. None unless the
//! user names them.
//!
//! Takes their entries from the text of the CLI's own settings; nothing else of that file is used. What an entry starts
//! runs inside the same bounds as the CLI: it reads what it is made of, and connects to the ports that it names.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use probity_research::error::{Code, CodedError};
use secrecy::SecretString;
use serde_json::{Map, Value, json};
use url::Url;

use super::installation;

/// Where the CLI keeps its settings, below what it takes for the home directory.
pub const SETTINGS_FILE: &str = ".gemini/settings.json";
/// Longest settings file read; users have a few kilobytes.
pub const SETTINGS_BYTES_MAX: u64 = 1024 * 1024;
/// Servers that may be named.
pub const SERVERS_MAX: usize = 8;
const NAME_BYTES_MAX: usize = 64;
/// Values of an entry that are looked through for addresses.
const VALUES_MAX: usize = 100;

/// The servers that were named, with their entries. The default is none.
#[derive(Debug, Clone, Default)]
pub struct CliMcpServers {
    servers: Map<String, Value>,
    reads: Vec<PathBuf>,
    ports: Vec<u16>,
    /// Variables that entries refer to (`$FIRECRAWL_API_KEY`), handed to the CLI where a server is allowed.
    pub variables: Vec<(&'static str, SecretString)>,
}

/// Letters, digits and hyphens: the CLI's policy takes names with underscores apart wrongly.
pub fn is_server_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    (1..=NAME_BYTES_MAX).contains(&name.len()) && !name.starts_with('-') && name.bytes().all(fits)
}

impl CliMcpServers {
    /// The entries of these names in the text of the CLI's settings; a name without an entry is an error.
    pub fn find(names: &[String], settings: &str, path: &OsStr) -> Result<Self, CodedError> {
        let settings: Value = serde_json::from_str(&without_comments(settings)).map_err(|error| {
            let message = format!("the Gemini CLI's own settings ({SETTINGS_FILE}) cannot be read: {error}");
            CodedError::new(Code::CliConfiguration, &message)
        })?;
        let mut found = Self::default();
        for name in names.iter().take(SERVERS_MAX) {
            let entry = settings.get("mcpServers").and_then(|servers| servers.get(name));
            let Some(entry) = entry.and_then(Value::as_object).filter(|_| is_server_name(name)) else {
                let message = format!(
                    "`gemini_cli.mcp_servers` names `{name}`, which the Gemini CLI does not have; add it with \
                     `gemini mcp add`, or take the name out"
                );
                return Err(CodedError::new(Code::CliConfiguration, &message));
            };
            found.reads.extend(reads_of(entry, path));
            found.ports.extend(ports_of(entry));
            found.servers.insert(name.clone(), Value::Object(entry.clone()));
        }
        found.ports.sort_unstable();
        found.ports.dedup();
        Ok(found)
    }

    pub fn is_empty(&self) -> bool {
        self.servers.is_empty()
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.servers.keys().map(String::as_str)
    }

    pub(super) fn reads(&self) -> &[PathBuf] {
        &self.reads
    }

    pub(super) fn ports(&self) -> &[u16] {
        &self.ports
    }

    /// The words that allow them on the command line.
    pub(super) fn arguments(&self) -> Vec<OsString> {
        let names = self.names().map(OsString::from);
        let flag = (!self.is_empty()).then(|| OsString::from("--allowed-mcp-server-names"));
        flag.into_iter().chain(names).collect()
    }

    /// The settings of the private home with these servers in them.
    pub(super) fn in_settings(&self, settings: &str) -> String {
        if self.is_empty() {
            return settings.to_owned();
        }
        let mut settings: Value = serde_json::from_str(settings).unwrap_or_else(|_| json!({}));
        if let Some(settings) = settings.as_object_mut() {
            settings.insert("mcpServers".to_owned(), Value::Object(self.servers.clone()));
        }
        settings.to_string()
    }

    /// The policy with a rule for each server: its tools are allowed, as searching and fetching are.
    pub(super) fn in_policy(&self, policy: &str) -> String {
        let rules: String = self
            .names()
            .map(|name| format!("\n[[rule]]\nmcpName = \"{name}\"\ntoolName = \"*\"\ndecision = \"allow\"\npriority = 900\n"))
            .collect();
        format!("{policy}{rules}")
    }

    /// The system prompt with a sentence that says what to use them for.
    pub(super) fn in_prompt(&self, prompt: &str) -> String {
        if self.is_empty() {
            return prompt.to_owned();
        }
        let names: Vec<&str> = self.names().collect();
        format!(
            "{prompt}\n\nBeside the web search you have the tools of these MCP servers: {}. Use them, Firecrawl above all, \
             to read the pages that a search found and that promise an answer.",
            names.join(", ")
        )
    }
}

/// The program of an entry and its arguments, as far as they are files: what it is made of.
fn reads_of(entry: &Map<String, Value>, path: &OsStr) -> Vec<PathBuf> {
    let command = entry.get("command").and_then(Value::as_str);
    let program = command.and_then(|command| installation::find_program(Path::new(command), path));
    let arguments = entry.get("args").and_then(Value::as_array).into_iter().flatten().take(VALUES_MAX);
    let files = arguments
        .filter_map(Value::as_str)
        .map(PathBuf::from)
        .filter(|argument| argument.is_absolute() && argument.is_file());
    program.into_iter().chain(files).flat_map(|file| installation::reads_of_program(&file)).collect()
}

/// The ports of the addresses in an entry: of the server itself, and of services that it is told about.
fn ports_of(entry: &Map<String, Value>) -> Vec<u16> {
    let texts = |name: &str| entry.get(name).and_then(Value::as_str);
    let own = [texts("url"), texts("httpUrl")].into_iter().flatten();
    let told = entry.get("env").and_then(Value::as_object).into_iter().flatten().take(VALUES_MAX);
    let told = told.filter_map(|(_, value)| value.as_str());
    own.chain(told)
        .filter_map(|text| Url::parse(text).ok())
        .filter(|url| matches!(url.scheme(), "http" | "https"))
        .filter_map(|url| url.port_or_known_default())
        .collect()
}

/// JSON without `//` and `/* */` comments, which the CLI allows; texts stay as they are.
fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut in_text = false;
    while let Some(character) = rest.next() {
        match (in_text, character, rest.peek()) {
            (true, '\\', _) => {
                kept.push(character);
                kept.extend(rest.next());
                continue;
            }
            (_, '"', _) => in_text = !in_text,
            (false, '/', Some('/')) => {
                while rest.peek().is_some_and(|next| *next != '\n') {
                    rest.next();
                }
                continue;
            }
            (false, '/', Some('*')) => {
                rest.next();
                let mut last = ' ';
                for next in rest.by_ref() {
                    if last == '*' && next == '/' {
                        break;
                    }
                    last = next;
                }
                continue;
            }
            _ => {}
        }
        kept.push(character);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::{CliMcpServers, Code, is_server_name, without_comments};

    const SETTINGS: &str = r#"{
        // mine
        "theme": "dark", /* "mcpServers": 7 */
        "mcpServers": {
            "firecrawl": { "command": "npx", "args": ["-y", "firecrawl-mcp"],
                "env": { "FIRECRAWL_API_KEY": "fc-1//2", "FIRECRAWL_API_URL": "http://localhost:3002" } },
            "hosted": { "httpUrl": "https://mcp.example/v2/mcp" },
            "shell": { "command": "/bin/sh" }
        }
    }"#;

    fn find(names: &[&str]) -> Result<CliMcpServers, Code> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        CliMcpServers::find(&names, SETTINGS, "/nonexistent".as_ref()).map_err(|problem| problem.code)
    }

    #[test]
    fn only_what_was_named_is_taken_over() {
        let servers = find(&["firecrawl"]).unwrap();
        let settings = servers.in_settings(r#"{"telemetry":{"enabled":false}}"#);
        assert!(settings.contains("fc-1//2") && settings.contains(r#""telemetry""#), "{settings}");
        assert!(!settings.contains("shell") && !settings.contains("theme"), "{settings}");
        assert_eq!(servers.ports(), [3002]);
        assert_eq!(servers.arguments(), ["--allowed-mcp-server-names", "firecrawl"]);
        let policy = servers.in_policy("# ours\n");
        assert!(policy.starts_with("# ours\n") && policy.contains("mcpName = \"firecrawl\""), "{policy}");
        assert!(servers.in_prompt("Answer.").contains("MCP servers: firecrawl."));
        assert_eq!(find(&["hosted"]).unwrap().ports(), [443]);
    }

    #[test]
    fn none_named_changes_nothing() {
        let none = find(&[]).unwrap();
        assert!(none.is_empty() && none.arguments().is_empty() && none.reads().is_empty());
        assert_eq!(
            (none.in_settings("x"), none.in_policy("x"), none.in_prompt("x")),
            ("x".into(), "x".into(), "x".into())
        );
    }

    #[test]
    fn a_name_that_is_missing_or_could_mean_something_else_is_refused() {
        assert_eq!(find(&["firecrawl", "other"]).unwrap_err(), Code::CliConfiguration);
        let broken = CliMcpServers::find(&["x".to_owned()], "{", "".as_ref()).unwrap_err();
        assert_eq!(broken.code, Code::CliConfiguration);
        for name in ["", "a_b", "-x", "a b", "a\"", "ä", &"x".repeat(65)] {
            assert!(!is_server_name(name), "{name}");
        }
        assert!(is_server_name("firecrawl") && is_server_name("my-server-2"));
    }

    #[test]
    fn comments_go_and_texts_stay() {
        let check = |text: &str, expected: &str| assert_eq!(without_comments(text), expected, "{text}");
        check("{} // x\n1", "{} \n1");
        check("{/* x */}", "{}");
        check(r#"{"a":"// \" /* x"}"#, r#"{"a":"// \" /* x"}"#);
        check("{/* never", "{");
        check("\"\\", "\"\\");
    }
}
