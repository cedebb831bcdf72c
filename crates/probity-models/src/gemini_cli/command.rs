//! The only module that starts the Gemini CLI: fixed arguments, a listed environment, no shell.
#![expect(clippy::disallowed_methods, reason = "the module that starts the Gemini CLI")]

use std::{
    ffi::{OsStr, OsString},
    path::Path,
    process::Stdio,
};

use probity_research::model::ModelName;
use secrecy::ExposeSecret as _;
use tokio::process::Command;

use super::{
    CliSettings, installation::CliInstallation, mcp_servers::CliMcpServers, process_folder::ProcessFolder,
};

/// Google's own service: the CLI's default.
const DEFAULT_HOST: &str = "generativelanguage.googleapis.com";
/// Pages are read over TLS only.
const PORT_TLS: u16 = 443;

/// What the CLI is started for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CliMode {
    /// One question on stdin, the answer as lines of JSON.
    Question,
    /// The Agent Client Protocol on stdin and stdout.
    Protocol,
    /// Its version.
    Version,
}

/// Everything in the child's environment, with the reason. Nothing of ours is inherited. Where an MCP server of the
/// user's own CLI is allowed, the variables that its entry may refer to are added.
pub const ENVIRONMENT: &[(&str, &str)] = &[
    ("PATH", "the CLI is a script that looks for its runtime"),
    ("HOME", "the private folder: nothing of the user's is read or written"),
    ("GEMINI_CLI_HOME", "the same, for the CLI's own files"),
    ("TMPDIR", "the CLI writes prompts into error reports there"),
    ("LANG", "text is UTF-8"),
    ("NO_COLOR", "words, not colours"),
    ("GEMINI_API_KEY", "the one place where the key is handed over"),
    ("GOOGLE_GEMINI_BASE_URL", "only where the user chose another service"),
    ("GEMINI_SYSTEM_MD", "our prompt in place of one for programmers"),
    ("GEMINI_CLI_NO_RELAUNCH", "one process instead of two, of which the first ignores signals"),
    ("GEMINI_CLI_TRUST_WORKSPACE", "the folder is empty and ours"),
];

/// The supervisor with the CLI as its child, ready to start.
pub fn supervised_command(
    settings: &CliSettings,
    found: &CliInstallation,
    folder: &ProcessFolder,
    mode: CliMode,
    model: Option<&ModelName>,
) -> Command {
    let mut words = settings.supervisor.iter();
    let supervisor: &OsStr = words.next().map_or(OsStr::new("probity"), OsString::as_os_str);
    let mut command = Command::new(supervisor);
    command.args(words);
    command.arg("--own").arg(folder.path());
    for path in found.reads.iter().chain(settings.mcp.reads()) {
        command.arg("--read").arg(path);
    }
    for port in ports(settings) {
        command.arg("--port").arg(port.to_string());
    }
    command.arg("--").arg(&found.program).args(arguments(folder, mode, model, &settings.mcp));
    command.env_clear().envs(environment(settings, folder));
    let variables = settings.mcp.variables.iter().filter(|_| !settings.mcp.is_empty());
    command.envs(variables.map(|(name, value)| (*name, value.expose_secret())));
    command
        .current_dir(folder.work())
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// The command line of the CLI. No argument comes from a question.
pub fn arguments(
    folder: &ProcessFolder,
    mode: CliMode,
    model: Option<&ModelName>,
    mcp: &CliMcpServers,
) -> Vec<OsString> {
    let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    let mut arguments = match mode {
        CliMode::Version => return words(&["--version"]),
        CliMode::Question => words(&["-o", "stream-json"]),
        CliMode::Protocol => words(&["--acp"]),
    };
    arguments.extend(words(&["-e", "none", "--policy"]));
    arguments.push(folder.policy().into());
    arguments.push("--include-directories".into());
    arguments.push(folder.attached().into());
    arguments.extend(mcp.arguments());
    if let Some(model) = model {
        arguments.push("--model".into());
        arguments.push(model.as_str().into());
    }
    arguments
}

fn environment(settings: &CliSettings, folder: &ProcessFolder) -> Vec<(&'static str, OsString)> {
    let value = |name: &str| -> Option<OsString> {
        match name {
            "PATH" => Some(settings.path.clone()),
            "HOME" | "GEMINI_CLI_HOME" => Some(folder.home().into()),
            "TMPDIR" => Some(folder.temporary().into()),
            "LANG" => Some("C.UTF-8".into()),
            "GEMINI_API_KEY" => Some(settings.key.expose().into()),
            "GOOGLE_GEMINI_BASE_URL" => {
                let chosen = settings.base_url.host_str() != Some(DEFAULT_HOST);
                chosen.then(|| settings.base_url.as_str().trim_end_matches('/').into())
            }
            "GEMINI_SYSTEM_MD" => Some(folder.system_prompt().into()),
            "GEMINI_CLI_NO_RELAUNCH" | "NO_COLOR" => Some("1".into()),
            "GEMINI_CLI_TRUST_WORKSPACE" => Some("true".into()),
            _ => None,
        }
    };
    ENVIRONMENT.iter().filter_map(|(name, _)| Some((*name, value(name)?))).collect()
}

/// Where the child may connect to.
fn ports(settings: &CliSettings) -> Vec<u16> {
    let mut ports = vec![PORT_TLS];
    ports.extend(settings.base_url.port_or_known_default().filter(|port| *port != PORT_TLS));
    ports.extend(settings.mcp.ports().iter().filter(|port| **port != PORT_TLS));
    ports
}

/// Kills whatever is left in the group of a supervisor that can no longer do it.
pub fn kill_group(leader: u32) {
    let Some(leader) = i32::try_from(leader).ok().and_then(rustix::process::Pid::from_raw) else { return };
    if let Err(error) = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL) {
        tracing::debug!(%error, "process group is empty");
    }
}

/// This program again, as the second step of the supervisor.
pub fn program_command(program: &Path) -> std::process::Command {
    std::process::Command::new(program)
}

#[cfg(test)]
mod tests;
