//! Where each client keeps its settings, as a function of the directories of a machine.

use std::path::{Path, PathBuf};

use crate::client::Client;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    Linux,
    MacOs,
    Windows,
}

/// The directories of one user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    pub system: System,
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

impl Places {
    /// A user with nothing moved.
    pub fn usual(system: System, home: impl Into<PathBuf>) -> Self {
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
    pub fn user_files(&self, client: Client) -> Vec<PathBuf> {
        let home = &self.home;
        match client {
            Client::ClaudeCode => vec![self.claude.as_ref().unwrap_or(home).join(".claude.json")],
            Client::ClaudeDesktop => vec![self.application("Claude").join("claude_desktop_config.json")],
            Client::Codex => vec![self.codex_home().join("config.toml")],
            Client::GeminiCli => vec![self.gemini_home().join("settings.json")],
            Client::Cursor => vec![home.join(".cursor").join("mcp.json")],
            Client::VsCode => vec![self.application("Code").join("User").join("mcp.json")],
            Client::Zed => vec![self.zed().join("settings.json")],
            Client::Goose => vec![self.goose().join("config.yaml")],
            Client::Windsurf => vec![home.join(".codeium").join("windsurf").join("mcp_config.json")],
            Client::OpenCode => {
                let folder = self.config.join("opencode");
                vec![folder.join("opencode.json"), folder.join("opencode.jsonc")]
            }
        }
    }

    /// The file that a project brings along; empty where the client knows none.
    pub fn project_files(client: Client, project: &Path) -> Vec<PathBuf> {
        match client {
            Client::ClaudeCode => vec![project.join(".mcp.json")],
            Client::Codex => vec![project.join(".codex").join("config.toml")],
            Client::GeminiCli => vec![project.join(".gemini").join("settings.json")],
            Client::Cursor => vec![project.join(".cursor").join("mcp.json")],
            Client::VsCode => vec![project.join(".vscode").join("mcp.json")],
            Client::Zed => vec![project.join(".zed").join("settings.json")],
            Client::OpenCode => vec![project.join("opencode.json"), project.join("opencode.jsonc")],
            Client::ClaudeDesktop | Client::Goose | Client::Windsurf => vec![],
        }
    }

    /// Folders and files that only an installed client leaves behind.
    pub fn signs(&self, client: Client) -> Vec<PathBuf> {
        match client {
            Client::ClaudeCode => match &self.claude {
                Some(moved) => vec![moved.clone()],
                None => vec![self.home.join(".claude"), self.home.join(".claude.json")],
            },
            Client::ClaudeDesktop => vec![self.application("Claude")],
            Client::Codex => vec![self.codex_home()],
            Client::GeminiCli => vec![self.gemini_home()],
            Client::Cursor => vec![self.home.join(".cursor")],
            Client::VsCode => vec![self.application("Code").join("User")],
            Client::Zed => vec![self.zed()],
            Client::Goose => vec![self.goose()],
            Client::Windsurf => vec![self.home.join(".codeium").join("windsurf")],
            Client::OpenCode => vec![self.config.join("opencode")],
        }
    }

    fn application(&self, name: &str) -> PathBuf {
        match self.system {
            System::Linux => self.config.join(name),
            System::MacOs => self.home.join("Library").join("Application Support").join(name),
            System::Windows => self.roaming.join(name),
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
            System::Linux => self.config.join("zed"),
            System::MacOs => self.home.join(".config").join("zed"),
            System::Windows => self.roaming.join("Zed"),
        }
    }

    fn goose(&self) -> PathBuf {
        match self.system {
            System::Linux | System::MacOs => self.config.join("goose"),
            System::Windows => self.roaming.join("Block").join("goose").join("config"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Places, System};
    use crate::client::Client;

    fn check(places: &Places, client: Client, expected: &str) {
        let first = places.user_files(client).remove(0);
        assert_eq!(first.to_string_lossy().replace('\\', "/"), expected, "{client:?}");
    }

    #[test]
    fn each_system_has_its_folders() {
        let linux = Places::usual(System::Linux, "/home/a");
        check(&linux, Client::ClaudeDesktop, "/home/a/.config/Claude/claude_desktop_config.json");
        check(&linux, Client::VsCode, "/home/a/.config/Code/User/mcp.json");
        check(&linux, Client::Goose, "/home/a/.config/goose/config.yaml");
        let mac = Places::usual(System::MacOs, "/Users/a");
        check(
            &mac,
            Client::ClaudeDesktop,
            "/Users/a/Library/Application Support/Claude/claude_desktop_config.json",
        );
        check(&mac, Client::Zed, "/Users/a/.config/zed/settings.json");
        let windows = Places::usual(System::Windows, "C:/Users/a");
        check(&windows, Client::Zed, "C:/Users/a/AppData/Roaming/Zed/settings.json");
        check(&windows, Client::Goose, "C:/Users/a/AppData/Roaming/Block/goose/config/config.yaml");
        check(&windows, Client::ClaudeCode, "C:/Users/a/.claude.json");
    }

    #[test]
    fn variables_of_the_clients_move_their_files() {
        let mut moved = Places::usual(System::Linux, "/home/a");
        (moved.claude, moved.codex, moved.gemini) = (Some("/c".into()), Some("/x".into()), Some("/g".into()));
        check(&moved, Client::ClaudeCode, "/c/.claude.json");
        check(&moved, Client::Codex, "/x/config.toml");
        check(&moved, Client::GeminiCli, "/g/.gemini/settings.json");
    }

    #[test]
    fn only_some_clients_read_files_of_a_project() {
        let with = Client::ALL
            .into_iter()
            .filter(|client| !Places::project_files(*client, "/p".as_ref()).is_empty());
        assert_eq!(with.count(), 7);
    }
}
