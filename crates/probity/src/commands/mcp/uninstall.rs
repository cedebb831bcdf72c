//! `probity mcp uninstall`: the files as they were before, or at least without our entry.

use clap::Args;
use probity_clients::{ClientDirectories, EditKind, McpClient, ServerEntry};
use probity_research::Code;

use super::{
    clients::{self, ConfigScope},
    file::ClientFile,
    plan::{self, ClientStep, FileChange, WriteArguments},
};
use crate::{command_context::CommandContext, command_error::CommandError, exit::Exit};

#[derive(Debug, Clone, Args)]
pub struct UninstallArguments {
    /// Only this client; may be given several times
    #[arg(long = "client", value_name = "NAME", value_parser = clients::parse)]
    pub clients: Vec<McpClient>,
    #[command(flatten)]
    pub writing: WriteArguments,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
}

pub fn run(context: &CommandContext, arguments: &UninstallArguments) -> Result<Exit, CommandError> {
    let places = clients::client_directories(context)?;
    let scope = arguments.writing.scope();
    let named = !arguments.clients.is_empty();
    let mut chosen = if named { arguments.clients.clone() } else { McpClient::ALL.to_vec() };
    chosen.sort();
    chosen.dedup();
    let steps: Vec<ClientStep> = chosen
        .into_iter()
        .filter(|client| named || has_entry(&places, *client, scope))
        .map(|client| step(&places, client, scope))
        .collect();
    if steps.is_empty() && !arguments.json {
        context.output.print_message("no client has an entry of ours");
    }
    plan::carry_out(context, &places, steps, arguments.writing.change_options("uninstall", arguments.json))
}

fn has_entry(places: &ClientDirectories, client: McpClient, scope: ConfigScope) -> bool {
    let file = clients::config_file(places, client, scope).and_then(|path| ClientFile::open(&path, scope));
    let text = file.ok().and_then(|file| file.text);
    text.is_some_and(|text| {
        probity_clients::read(client, &text).is_ok_and(|entry| entry.is_some_and(|entry| entry.is_ours()))
    })
}

fn step(places: &ClientDirectories, client: McpClient, scope: ConfigScope) -> ClientStep {
    plan::plan_step(places, client, scope, |file| {
        let entry = ServerEntry::for_program("probity");
        let Some(text) = &file.text else {
            let edit = probity_clients::FileEdit { text: None, change: EditKind::Nothing };
            return Ok(FileChange { edit, entry, restores: None });
        };
        let backup = file.newest_backup();
        let before = Some(backup.as_ref().map(|(_, text)| text.as_str()));
        let edit = probity_clients::uninstall(client, text, before).map_err(|error| {
            CommandError::new(Code::Settings, &error.to_string())
                .with_hint(format!("take the entry out by hand: {}", file.path.display()))
        })?;
        let known = probity_clients::read(client, text).ok().flatten();
        let restores = backup.filter(|(_, kept)| edit.text.as_ref() == Some(kept)).map(|(path, _)| path);
        Ok(FileChange { edit, entry: known.unwrap_or(entry), restores })
    })
}
