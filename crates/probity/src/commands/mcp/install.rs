//! `probity mcp install`: an entry that starts this program, in the settings of the clients that are there.

use clap::Args;
use probity_clients::{ClientDirectories, ForeignEntryPolicy, McpClient};
use probity_research::Code;

use super::{
    clients::{self, ConfigScope},
    plan::{self, ClientStep, FileChange, WriteArguments},
};
use crate::{command_context::CommandContext, command_error::CommandError, exit::Exit};

#[derive(Debug, Clone, Default, Args)]
pub struct InstallArguments {
    /// Only this client, such as claude-code or codex; may be given several times
    #[arg(long = "client", value_name = "NAME", value_parser = clients::parse)]
    pub clients: Vec<McpClient>,
    #[command(flatten)]
    pub writing: WriteArguments,
    /// Also replace an entry named `probity` that starts another program
    #[arg(long)]
    pub replace: bool,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
}

pub fn run(context: &CommandContext, arguments: &InstallArguments) -> Result<Exit, CommandError> {
    let places = clients::client_directories(context)?;
    let chosen = chosen(context, &places, arguments)?;
    let scope = arguments.writing.scope();
    let foreign = if arguments.replace { ForeignEntryPolicy::Replaced } else { ForeignEntryPolicy::Refused };
    let steps = chosen.into_iter().map(|client| step(context, &places, client, scope, foreign)).collect();
    plan::carry_out(context, &places, steps, arguments.writing.change_options("install", arguments.json))
}

fn chosen(
    context: &CommandContext,
    places: &ClientDirectories,
    arguments: &InstallArguments,
) -> Result<Vec<McpClient>, CommandError> {
    let mut chosen = arguments.clients.clone();
    if chosen.is_empty() {
        chosen = clients::installed(context, places);
        if arguments.writing.project {
            chosen.retain(|client| clients::config_file(places, *client, ConfigScope::Project).is_ok());
        }
    }
    chosen.sort();
    chosen.dedup();
    if chosen.is_empty() {
        let known: Vec<&str> = McpClient::ALL.iter().map(|client| client.id()).collect();
        let hint = format!("name one: `probity mcp install --client NAME`, of {}", known.join(", "));
        return Err(CommandError::new(Code::NotFound, "no MCP client was found here").with_hint(hint));
    }
    Ok(chosen)
}

fn step(
    context: &CommandContext,
    places: &ClientDirectories,
    client: McpClient,
    scope: ConfigScope,
    foreign: ForeignEntryPolicy,
) -> ClientStep {
    plan::plan_step(places, client, scope, |file| {
        let entry = clients::server_entry(context, client)?;
        let edit = probity_clients::install(client, file.text.as_deref(), &entry, foreign)
            .map_err(|error| plan::refusal(client, &entry, &error))?;
        Ok(FileChange { edit, entry, restores: None })
    })
}
