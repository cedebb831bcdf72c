//! The supported clients, and what each wants: format, key, fields. Read from their own packages and pages,
//! 2026-11.

use crate::{
    entry::{EntryField, FieldValue, ServerEntry},
    tree::ConfigTree,
};

/// Calls answer within `mcp.call_wait`, 45 seconds unless the user sets minutes. Some clients time out after
/// a minute.
const CALL_SECONDS_MAX: u64 = 600;
/// We start in milliseconds; a machine that swaps gets this long.
const START_SECONDS_MAX: u64 = 30;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum McpClient {
    ClaudeCode,
    ClaudeDesktop,
    Codex,
    GeminiCli,
    Cursor,
    VsCode,
    Zed,
    Goose,
    Windsurf,
    OpenCode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigFormat {
    /// With comments and trailing commas.
    Json,
    Toml,
    Yaml,
}

/// How an entry names the program it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandForm {
    Apart { command: &'static str, args: &'static str, env: &'static str },
    Together { command: &'static str, env: &'static str },
}

impl McpClient {
    pub const ALL: [Self; 10] = [
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::Codex,
        Self::GeminiCli,
        Self::Cursor,
        Self::VsCode,
        Self::Zed,
        Self::Goose,
        Self::Windsurf,
        Self::OpenCode,
    ];

    /// As typed after `--client`.
    pub fn id(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Zed => "zed",
            Self::Goose => "goose",
            Self::Windsurf => "windsurf",
            Self::OpenCode => "opencode",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.id() == text)
    }

    /// As its vendor writes it.
    pub fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Codex => "Codex",
            Self::GeminiCli => "Gemini CLI",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Zed => "Zed",
            Self::Goose => "Goose",
            Self::Windsurf => "Windsurf",
            Self::OpenCode => "OpenCode",
        }
    }

    /// Programs whose presence shows that the client is installed.
    pub fn programs(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &["claude"],
            Self::ClaudeDesktop => &["claude-desktop"],
            Self::Codex => &["codex"],
            Self::GeminiCli => &["gemini"],
            Self::Cursor => &["cursor", "cursor-agent"],
            Self::VsCode => &["code"],
            Self::Zed => &["zed", "zeditor"],
            Self::Goose => &["goose"],
            Self::Windsurf => &["windsurf"],
            Self::OpenCode => &["opencode"],
        }
    }

    pub fn format(self) -> ConfigFormat {
        match self {
            Self::Codex => ConfigFormat::Toml,
            Self::Goose => ConfigFormat::Yaml,
            Self::ClaudeCode
            | Self::ClaudeDesktop
            | Self::GeminiCli
            | Self::Cursor
            | Self::VsCode
            | Self::Zed
            | Self::Windsurf
            | Self::OpenCode => ConfigFormat::Json,
        }
    }

    /// Desktop clients are started without the shell's search path, so they need the whole path of a program.
    pub fn has_search_path(self) -> bool {
        match self {
            Self::ClaudeCode | Self::Codex | Self::GeminiCli | Self::Goose | Self::OpenCode => true,
            Self::ClaudeDesktop | Self::Cursor | Self::VsCode | Self::Zed | Self::Windsurf => false,
        }
    }

    /// The only variables that a server gets from the client's own environment; `None` where it gets all.
    pub fn variables(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Codex => Some(&[
                "HOME",
                "LOGNAME",
                "PATH",
                "SHELL",
                "USER",
                "LANG",
                "LC_ALL",
                "TERM",
                "TMPDIR",
                "TZ",
                "__CF_USER_TEXT_ENCODING",
            ]),
            Self::ClaudeCode
            | Self::ClaudeDesktop
            | Self::GeminiCli
            | Self::Cursor
            | Self::VsCode
            | Self::Zed
            | Self::Goose
            | Self::Windsurf
            | Self::OpenCode => None,
        }
    }

    /// What the user does for the client to notice the entry.
    pub fn next_step(self) -> &'static str {
        match self {
            Self::ClaudeCode => "start `claude` anew; `/mcp` shows the server",
            Self::ClaudeDesktop => "quit Claude Desktop and open it again",
            Self::Codex => "start `codex` anew; `codex mcp list` shows the server",
            Self::GeminiCli => "start `gemini` anew; `/mcp` shows the server",
            Self::Cursor => "switch `probity` on under Settings, MCP",
            Self::VsCode => "run `MCP: List Servers` from the command palette and start `probity`",
            Self::Zed => "open the agent panel; the server starts by itself",
            Self::Goose => "start `goose session` anew",
            Self::Windsurf => "press refresh in the MCP panel of Cascade",
            Self::OpenCode => "start `opencode` anew; `opencode mcp list` shows the server",
        }
    }

    /// The client's own command that does the same, where it has one.
    pub fn own_command(self, entry: &ServerEntry) -> Option<String> {
        let words = std::iter::once(&entry.command).chain(&entry.args);
        let start = words.map(|word| quoted(word)).collect::<Vec<String>>().join(" ");
        match self {
            Self::ClaudeCode => Some(format!("claude mcp add --scope user probity -- {start}")),
            Self::Codex => Some(format!("codex mcp add probity -- {start}")),
            Self::GeminiCli => Some(format!("gemini mcp add --scope user probity {start}")),
            Self::ClaudeDesktop
            | Self::Cursor
            | Self::VsCode
            | Self::Zed
            | Self::Goose
            | Self::Windsurf
            | Self::OpenCode => None,
        }
    }

    /// The keys that lead to the servers in a file that says this.
    pub(crate) fn path(self, tree: &ConfigTree) -> Vec<&'static str> {
        match self {
            Self::ClaudeCode | Self::ClaudeDesktop | Self::GeminiCli | Self::Cursor | Self::Windsurf => {
                vec!["mcpServers"]
            }
            Self::Codex => vec!["mcp_servers"],
            Self::VsCode => vec!["servers"],
            Self::Zed => vec!["context_servers"],
            Self::Goose => vec!["extensions"],
            // Its second generation nests once more, and still reads what the first wrote.
            Self::OpenCode => match tree.at(&["mcp", "servers"]) {
                Some(servers @ ConfigTree::Map(_)) if servers.get("type").is_none() => vec!["mcp", "servers"],
                _ => vec!["mcp"],
            },
        }
    }

    pub(crate) fn command_form(self) -> CommandForm {
        match self {
            Self::Goose => CommandForm::Apart { command: "cmd", args: "args", env: "envs" },
            Self::OpenCode => CommandForm::Together { command: "command", env: "environment" },
            Self::ClaudeCode
            | Self::ClaudeDesktop
            | Self::Codex
            | Self::GeminiCli
            | Self::Cursor
            | Self::VsCode
            | Self::Zed
            | Self::Windsurf => CommandForm::Apart { command: "command", args: "args", env: "env" },
        }
    }

    /// What changes when our program moves.
    pub(crate) fn start_fields(self, entry: &ServerEntry) -> Vec<EntryField> {
        match self.command_form() {
            CommandForm::Apart { command, args, .. } => {
                vec![
                    text(command, &entry.command),
                    EntryField { key: args, value: FieldValue::List(entry.args.clone()) },
                ]
            }
            CommandForm::Together { command, .. } => {
                let words = std::iter::once(&entry.command).chain(&entry.args).cloned().collect();
                vec![EntryField { key: command, value: FieldValue::List(words) }]
            }
        }
    }

    /// A whole new entry, in the order the client itself writes it.
    pub(crate) fn fields(self, entry: &ServerEntry, path: &[&str]) -> Vec<EntryField> {
        let start = self.start_fields(entry);
        let number = |key, value| EntryField { key, value: FieldValue::Number(value) };
        let (first, last) = match self {
            Self::ClaudeCode => {
                (vec![text("type", "stdio")], vec![number("timeout", CALL_SECONDS_MAX * 1_000)])
            }
            Self::VsCode => (vec![text("type", "stdio")], vec![]),
            Self::Codex => (
                vec![],
                vec![
                    number("startup_timeout_sec", START_SECONDS_MAX),
                    number("tool_timeout_sec", CALL_SECONDS_MAX),
                ],
            ),
            Self::GeminiCli => (vec![], vec![number("timeout", CALL_SECONDS_MAX * 1_000)]),
            Self::Zed => (vec![], vec![number("timeout", CALL_SECONDS_MAX)]),
            Self::Goose => (
                vec![
                    text("name", "probity"),
                    text("description", "Deep research whose every sentence can be checked"),
                    text("type", "stdio"),
                ],
                vec![
                    EntryField { key: "enabled", value: FieldValue::Switch(true) },
                    number("timeout", CALL_SECONDS_MAX),
                ],
            ),
            Self::OpenCode if path.len() == 1 => (
                vec![text("type", "local")],
                vec![EntryField { key: "enabled", value: FieldValue::Switch(true) }],
            ),
            Self::OpenCode => (vec![text("type", "local")], vec![]),
            Self::ClaudeDesktop | Self::Cursor | Self::Windsurf => (vec![], vec![]),
        };
        first.into_iter().chain(start).chain(last).collect()
    }
}

fn text(key: &'static str, value: &str) -> EntryField {
    EntryField { key, value: FieldValue::Text(value.to_owned()) }
}

/// For a shell: plain words as they are, everything else in single quotes.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+@%:,=".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
