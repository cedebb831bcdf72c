//! Which MCP clients know us. Files are only read; with `--probe` each one's server is started and asked.

use std::path::Path;

use probity_clients::{Client, Entry, Places};

use super::{Check, MCP_CLIENTS, Provider};
use crate::{
    context::Context,
    failure::Failure,
    verbs::mcp::{
        clients::{self, Scope},
        file::File,
        status::{self, Standing, State},
    },
};

pub async fn all(context: &Context, provider: Provider) -> Vec<Check> {
    let Ok(places) = clients::places(context) else { return Vec::new() };
    let known = status::known(context, &places, Scope::User);
    if known.is_empty() {
        let detail = "none found; `probity mcp install --client NAME` adds Probity to one";
        return vec![Check::fine(MCP_CLIENTS, "clients", detail)];
    }
    let mut checks = Vec::new();
    for client in known {
        checks.push(match provider {
            Provider::Asked => standing(&status::standing(context, &places, client, Scope::User).await),
            Provider::LeftAlone => look(context, &places, client),
        });
    }
    checks
}

/// Our entry in the client's own file.
pub fn entry(places: &Places, client: Client) -> Result<Option<Entry>, Failure> {
    let path = clients::file(places, client, Scope::User)?;
    let Some(text) = File::look(&path, Scope::User)?.text else { return Ok(None) };
    probity_clients::read(client, &text)
        .map_err(|error| Failure::new(probity_research::Code::Settings, &error.to_string()))
}

fn look(context: &Context, places: &Places, client: Client) -> Check {
    let name = client.title();
    let install = format!("probity mcp install --client {}", client.id());
    match entry(places, client) {
        Err(failure) => Check::warning(
            MCP_CLIENTS,
            name,
            failure.problem.message,
            format!("probity mcp status --client {}", client.id()),
        ),
        Ok(None) => Check::fine(MCP_CLIENTS, name, format!("no entry; `{install}` adds one")),
        Ok(Some(entry)) if !entry.is_ours() => Check::warning(
            MCP_CLIENTS,
            name,
            "an entry named `probity` starts another program",
            format!("{install} --replace"),
        ),
        Ok(Some(entry)) if !is_there(context, &entry) => Check::failed(
            MCP_CLIENTS,
            name,
            format!(
                "its entry starts {}, which is not there",
                probity_research::text::line(&entry.command, 200)
            ),
            install,
        ),
        Ok(Some(_)) => Check::fine(MCP_CLIENTS, name, "has Probity; `probity mcp status` tries it"),
    }
}

fn is_there(context: &Context, entry: &Entry) -> bool {
    match entry.command.contains('/') {
        true => Path::new(&entry.command).is_file(),
        false => clients::on_path(&entry.command, &context.environment.path()).is_some(),
    }
}

fn standing(standing: &Standing) -> Check {
    let (name, detail) = (standing.client.title(), standing.detail());
    match (&standing.state, standing.fix()) {
        (State::Foreign { .. }, Some(fix)) => Check::warning(MCP_CLIENTS, name, detail, fix),
        (State::Absent, Some(fix)) => Check::fine(MCP_CLIENTS, name, format!("no entry; `{fix}` adds one")),
        (_, Some(fix)) => Check::failed(MCP_CLIENTS, name, detail, fix),
        (_, None) => Check::fine(MCP_CLIENTS, name, detail),
    }
}
