//! `probity mcp uninstall`: the files as they were before, or at least without our entry.

use clap::Args;
use probity_clients::{Change, Client, Entry, Places};
use probity_research::Code;

use super::{
    clients::{self, Scope},
    file::File,
    plan::{self, Outcome, Step, Writing},
};
use crate::{context::Context, exit::Exit, failure::Failure};

#[derive(Debug, Clone, Args)]
pub struct UninstallArguments {
    /// Only this client; may be given several times
    #[arg(long = "client", value_name = "NAME", value_parser = clients::parse)]
    pub clients: Vec<Client>,
    #[command(flatten)]
    pub writing: Writing,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
}

pub fn run(context: &Context, arguments: &UninstallArguments) -> Result<Exit, Failure> {
    let places = clients::places(context)?;
    let scope = arguments.writing.scope();
    let named = !arguments.clients.is_empty();
    let mut chosen = if named { arguments.clients.clone() } else { Client::ALL.to_vec() };
    chosen.sort();
    chosen.dedup();
    let steps: Vec<Step> = chosen
        .into_iter()
        .filter(|client| named || has_entry(&places, *client, scope))
        .map(|client| step(&places, client, scope))
        .collect();
    if steps.is_empty() && !arguments.json {
        context.output.say("no client has an entry of ours");
    }
    plan::carry_out(context, &places, steps, arguments.writing.manner("uninstall", arguments.json))
}

fn has_entry(places: &Places, client: Client, scope: Scope) -> bool {
    let file = clients::file(places, client, scope).and_then(|path| File::look(&path, scope));
    let text = file.ok().and_then(|file| file.text);
    text.is_some_and(|text| {
        probity_clients::read(client, &text).is_ok_and(|entry| entry.is_some_and(|entry| entry.is_ours()))
    })
}

fn step(places: &Places, client: Client, scope: Scope) -> Step {
    plan::step(places, client, scope, |file| {
        let entry = Entry::serving("probity");
        let Some(text) = &file.text else {
            let edit = probity_clients::Edit { text: None, change: Change::Nothing };
            return Ok(Outcome { edit, entry, restores: None });
        };
        let backup = file.newest_backup();
        let before = Some(backup.as_ref().map(|(_, text)| text.as_str()));
        let edit = probity_clients::uninstall(client, text, before).map_err(|error| {
            Failure::new(Code::Settings, &error.to_string())
                .with_hint(format!("take the entry out by hand: {}", file.path.display()))
        })?;
        let known = probity_clients::read(client, text).ok().flatten();
        let restores = backup.filter(|(_, kept)| edit.text.as_ref() == Some(kept)).map(|(path, _)| path);
        Ok(Outcome { edit, entry: known.unwrap_or(entry), restores })
    })
}
