//! Where each client keeps its settings, as a function of the directories of a machine.

use std::path::{Path, PathBuf};

use crate::client::McpClient;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperatingSystem {
    Linux,
    MacOs,
    Windows,
}

/// The directories of one user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientDirectories {
    pub system: OperatingSystem,
    pub home: PathBuf,
    /// `$XDG_CONFIG_HOME` or `~/.config`; some clients use it on macOS too.
    pub config: PathBuf,
    /// `%APPDATA%`; only asked on Windows.
    pub roaming: PathBuf,
    /// `$CLAUDE_CONFIG_DIR`, `$CODEX_HOME` and `$GEMINI_CLI_HOME` move their client's files.
    pub claude: Option<PathBuf>,
    pub codex: Option<PathBuf>,
    pub gemini: Option<PathBuf>,
}

impl ClientDirectories {
    /// A user with nothing moved.
    pub fn with_defaults(system: OperatingSystem, home: impl Into<PathBuf>) -> Self {
        let home = home.into();
        Self {
            system,
            config: home.join(".config"),
            roaming: home.join("AppData").join("Roaming"),
            home,
            claude: None,
            codex: None,
            gemini: None,
        }
    }

    /// The user's own file; with several names the first that exists counts, and else the first is made.
    pub fn user_files(&self, client: McpClient) -> Vec<PathBuf> {
        let home = &self.home;
        match client {
            McpClient::ClaudeCode => vec![self.claude.as_ref().unwrap_or(home).join(".claude.json")],
            McpClient::ClaudeDesktop => vec![self.application("Claude").join("claude_desktop_config.json")],
            McpClient::Codex => vec![self.codex_home().join("config.toml")],
            McpClient::GeminiCli => vec![self.gemini_home().join("settings.json")],
            McpClient::Cursor => vec![home.join(".cursor").join("mcp.json")],
            McpClient::VsCode => vec![self.application("Code").join("User").join("mcp.json")],
            McpClient::Zed => vec![self.zed().join("settings.json")],
            McpClient::Goose => vec![self.goose().join("config.yaml")],
            McpClient::Windsurf => vec![home.join(".codeium").join("windsurf").join("mcp_config.json")],
            McpClient::OpenCode => {
                let folder = self.config.join("opencode");
                vec![folder.join("opencode.json"), folder.join("opencode.jsonc")]
            }
        }
    }

    /// The file in a project's folder; empty where the client knows none.
    pub fn project_files(client: McpClient, project: &Path) -> Vec<PathBuf> {
        match client {
            McpClient::ClaudeCode => vec![project.join(".mcp.json")],
            McpClient::Codex => vec![project.join(".codex").join("config.toml")],
            McpClient::GeminiCli => vec![project.join(".gemini").join("settings.json")],
            McpClient::Cursor => vec![project.join(".cursor").join("mcp.json")],
            McpClient::VsCode => vec![project.join(".vscode").join("mcp.json")],
            McpClient::Zed => vec![project.join(".zed").join("settings.json")],
            McpClient::OpenCode => vec![project.join("opencode.json"), project.join("opencode.jsonc")],
            McpClient::ClaudeDesktop | McpClient::Goose | McpClient::Windsurf => vec![],
        }
    }

    /// Folders and files that only an installed client leaves behind.
    pub fn install_markers(&self, client: McpClient) -> Vec<PathBuf> {
        match client {
            McpClient::ClaudeCode => match &self.claude {
                Some(moved) => vec![moved.clone()],
                None => vec![self.home.join(".claude"), self.home.join(".claude.json")],
            },
            McpClient::ClaudeDesktop => vec![self.application("Claude")],
            McpClient::Codex => vec![self.codex_home()],
            McpClient::GeminiCli => vec![self.gemini_home()],
            McpClient::Cursor => vec![self.home.join(".cursor")],
            McpClient::VsCode => vec![self.application("Code").join("User")],
            McpClient::Zed => vec![self.zed()],
            McpClient::Goose => vec![self.goose()],
            McpClient::Windsurf => vec![self.home.join(".codeium").join("windsurf")],
            McpClient::OpenCode => vec![self.config.join("opencode")],
        }
    }

    fn application(&self, name: &str) -> PathBuf {
        match self.system {
            OperatingSystem::Linux => self.config.join(name),
            OperatingSystem::MacOs => self.home.join("Library").join("Application Support").join(name),
            OperatingSystem::Windows => self.roaming.join(name),
        }
    }

    fn codex_home(&self) -> PathBuf {
        self.codex.clone().unwrap_or_else(|| self.home.join(".codex"))
    }

    fn gemini_home(&self) -> PathBuf {
        self.gemini.as_ref().unwrap_or(&self.home).join(".gemini")
    }

    /// On macOS not where applications usually are.
    fn zed(&self) -> PathBuf {
        match self.system {
            OperatingSystem::Linux => self.config.join("zed"),
            OperatingSystem::MacOs => self.home.join(".config").join("zed"),
            OperatingSystem::Windows => self.roaming.join("Zed"),
        }
    }

    fn goose(&self) -> PathBuf {
        match self.system {
            OperatingSystem::Linux | OperatingSystem::MacOs => self.config.join("goose"),
            OperatingSystem::Windows => self.roaming.join("Block").join("goose").join("config"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ClientDirectories, OperatingSystem};
    use crate::client::McpClient;

    fn check(places: &ClientDirectories, client: McpClient, expected: &str) {
        let first = places.user_files(client).remove(0);
        assert_eq!(first.to_string_lossy().replace('\\', "/"), expected, "{client:?}");
    }

    #[test]
    fn each_system_has_its_folders() {
        let linux = ClientDirectories::with_defaults(OperatingSystem::Linux, "/home/a");
        check(&linux, McpClient::ClaudeDesktop, "/home/a/.config/Claude/claude_desktop_config.json");
        check(&linux, McpClient::VsCode, "/home/a/.config/Code/User/mcp.json");
        check(&linux, McpClient::Goose, "/home/a/.config/goose/config.yaml");
        let mac = ClientDirectories::with_defaults(OperatingSystem::MacOs, "/Users/a");
        check(
            &mac,
            McpClient::ClaudeDesktop,
            "/Users/a/Library/Application Support/Claude/claude_desktop_config.json",
        );
        check(&mac, McpClient::Zed, "/Users/a/.config/zed/settings.json");
        let windows = ClientDirectories::with_defaults(OperatingSystem::Windows, "C:/Users/a");
        check(&windows, McpClient::Zed, "C:/Users/a/AppData/Roaming/Zed/settings.json");
        check(&windows, McpClient::Goose, "C:/Users/a/AppData/Roaming/Block/goose/config/config.yaml");
        check(&windows, McpClient::ClaudeCode, "C:/Users/a/.claude.json");
    }

    #[test]
    fn variables_of_the_clients_move_their_files() {
        let mut moved = ClientDirectories::with_defaults(OperatingSystem::Linux, "/home/a");
        (moved.claude, moved.codex, moved.gemini) = (Some("/c".into()), Some("/x".into()), Some("/g".into()));
        check(&moved, McpClient::ClaudeCode, "/c/.claude.json");
        check(&moved, McpClient::Codex, "/x/config.toml");
        check(&moved, McpClient::GeminiCli, "/g/.gemini/settings.json");
    }

    #[test]
    fn only_some_clients_read_files_of_a_project() {
        let with = McpClient::ALL
            .into_iter()
            .filter(|client| !ClientDirectories::project_files(*client, "/p".as_ref()).is_empty());
        assert_eq!(with.count(), 7);
    }
}
