//! Which MCP clients have an entry for us. Files are only read; with `--probe` each client's server is
//! started and asked.

use std::path::Path;

use probity_clients::{ClientDirectories, McpClient, ServerEntry};

use super::{DoctorCheck, MCP_CLIENTS, ProviderProbe};
use crate::{
    command_context::CommandContext,
    command_error::CommandError,
    commands::mcp::{
        clients::{self, ConfigScope},
        file::ClientFile,
        status::{self, ClientState, ClientStatus},
    },
};

pub async fn all(context: &CommandContext, provider: ProviderProbe) -> Vec<DoctorCheck> {
    let Ok(places) = clients::client_directories(context) else { return Vec::new() };
    let known = status::known_clients(context, &places, ConfigScope::User);
    if known.is_empty() {
        let detail = "none found; `probity mcp install --client NAME` adds Probity to one";
        return vec![DoctorCheck::fine(MCP_CLIENTS, "clients", detail)];
    }
    let mut checks = Vec::new();
    for client in known {
        checks.push(match provider {
            ProviderProbe::Asked => {
                status_check(&status::client_status(context, &places, client, ConfigScope::User).await)
            }
            ProviderProbe::LeftAlone => client_check(context, &places, client),
        });
    }
    checks
}

/// Our entry in the client's own file.
pub fn entry(places: &ClientDirectories, client: McpClient) -> Result<Option<ServerEntry>, CommandError> {
    let path = clients::config_file(places, client, ConfigScope::User)?;
    let Some(text) = ClientFile::open(&path, ConfigScope::User)?.text else { return Ok(None) };
    probity_clients::read(client, &text)
        .map_err(|error| CommandError::new(probity_research::Code::Settings, &error.to_string()))
}

fn client_check(context: &CommandContext, places: &ClientDirectories, client: McpClient) -> DoctorCheck {
    let name = client.title();
    let install = format!("probity mcp install --client {}", client.id());
    match entry(places, client) {
        Err(failure) => DoctorCheck::warning(
            MCP_CLIENTS,
            name,
            failure.problem.message,
            format!("probity mcp status --client {}", client.id()),
        ),
        Ok(None) => DoctorCheck::fine(MCP_CLIENTS, name, format!("no entry; `{install}` adds one")),
        Ok(Some(entry)) if !entry.is_ours() => DoctorCheck::warning(
            MCP_CLIENTS,
            name,
            "an entry named `probity` starts another program",
            format!("{install} --replace"),
        ),
        Ok(Some(entry)) if !is_there(context, &entry) => DoctorCheck::failed(
            MCP_CLIENTS,
            name,
            format!(
                "its entry starts {}, which is not there",
                probity_research::text::line(&entry.command, 200)
            ),
            install,
        ),
        Ok(Some(_)) => DoctorCheck::fine(MCP_CLIENTS, name, "has Probity; `probity mcp status` tries it"),
    }
}

fn is_there(context: &CommandContext, entry: &ServerEntry) -> bool {
    match entry.command.contains('/') {
        true => Path::new(&entry.command).is_file(),
        false => clients::find_on_path(&entry.command, &context.environment.path()).is_some(),
    }
}

fn status_check(standing: &ClientStatus) -> DoctorCheck {
    let (name, detail) = (standing.client.title(), standing.detail());
    match (&standing.state, standing.fix()) {
        (ClientState::Foreign { .. }, Some(fix)) => DoctorCheck::warning(MCP_CLIENTS, name, detail, fix),
        (ClientState::Absent, Some(fix)) => {
            DoctorCheck::fine(MCP_CLIENTS, name, format!("no entry; `{fix}` adds one"))
        }
        (_, Some(fix)) => DoctorCheck::failed(MCP_CLIENTS, name, detail, fix),
        (_, None) => DoctorCheck::fine(MCP_CLIENTS, name, detail),
    }
}
