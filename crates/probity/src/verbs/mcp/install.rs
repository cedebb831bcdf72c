//! `probity mcp install`: an entry that starts this program, in the settings of the clients that are there.

use clap::Args;
use probity_clients::{Client, Foreign, Places};
use probity_research::Code;

use super::{
    clients::{self, Scope},
    plan::{self, Outcome, Step, Writing},
};
use crate::{context::Context, exit::Exit, failure::Failure};

#[derive(Debug, Clone, Default, Args)]
pub struct InstallArguments {
    /// Only this client, such as claude-code or codex; may be given several times
    #[arg(long = "client", value_name = "NAME", value_parser = clients::parse)]
    pub clients: Vec<Client>,
    #[command(flatten)]
    pub writing: Writing,
    /// Also replace an entry named `probity` that starts another program
    #[arg(long)]
    pub replace: bool,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
}

pub fn run(context: &Context, arguments: &InstallArguments) -> Result<Exit, Failure> {
    let places = clients::places(context)?;
    let chosen = chosen(context, &places, arguments)?;
    let scope = arguments.writing.scope();
    let foreign = if arguments.replace { Foreign::Replaced } else { Foreign::Refused };
    let steps = chosen.into_iter().map(|client| step(context, &places, client, scope, foreign)).collect();
    plan::carry_out(context, &places, steps, arguments.writing.manner("install", arguments.json))
}

fn chosen(context: &Context, places: &Places, arguments: &InstallArguments) -> Result<Vec<Client>, Failure> {
    let mut chosen = arguments.clients.clone();
    if chosen.is_empty() {
        chosen = clients::installed(context, places);
        if arguments.writing.project {
            chosen.retain(|client| clients::file(places, *client, Scope::Project).is_ok());
        }
    }
    chosen.sort();
    chosen.dedup();
    if chosen.is_empty() {
        let known: Vec<&str> = Client::ALL.iter().map(|client| client.id()).collect();
        let hint = format!("name one: `probity mcp install --client NAME`, of {}", known.join(", "));
        return Err(Failure::new(Code::NotFound, "no MCP client was found here").with_hint(hint));
    }
    Ok(chosen)
}

fn step(context: &Context, places: &Places, client: Client, scope: Scope, foreign: Foreign) -> Step {
    plan::step(places, client, scope, |file| {
        let entry = clients::entry(context, client)?;
        let edit = probity_clients::install(client, file.text.as_deref(), &entry, foreign)
            .map_err(|error| plan::left_alone(client, &entry, &error))?;
        Ok(Outcome { edit, entry, restores: None })
    })
}
