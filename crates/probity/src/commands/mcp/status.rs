//! `probity mcp status`: which clients have our entry, and whether the server that each would start answers.

use std::path::{Path, PathBuf};

use clap::Args;
use probity_clients::{ClientDirectories, McpClient, ServerEntry};

use super::{
    clients::{self, ConfigScope},
    file::ClientFile,
    handshake::{self, HandshakeReply, ServerLaunch},
};
use crate::{
    command_context::CommandContext,
    command_error::CommandError,
    environment,
    exit::Exit,
    output::Tone,
    wire::{
        SCHEMA_VERSION,
        clients::{ClientStatusDocument, ClientsStatusDocument},
    },
};

#[derive(Debug, Clone, Args)]
pub struct StatusArguments {
    /// Only this client; may be given several times
    #[arg(long = "client", value_name = "NAME", value_parser = clients::parse)]
    pub clients: Vec<McpClient>,
    /// Look at the files of the project you stand in instead of your own
    #[arg(long)]
    pub project: bool,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
}

/// The state of one client.
pub struct ClientStatus {
    pub client: McpClient,
    pub path: PathBuf,
    pub state: ClientState,
}

pub enum ClientState {
    Answers {
        entry: ServerEntry,
        answer: HandshakeReply,
    },
    Fails {
        entry: ServerEntry,
        why: String,
    },
    /// An entry under our name that is not ours, or must not be started.
    Foreign {
        why: String,
    },
    Unreadable {
        why: String,
        fix: String,
    },
    Absent,
}

pub async fn run(context: &CommandContext, arguments: &StatusArguments) -> Result<Exit, CommandError> {
    let places = clients::client_directories(context)?;
    let scope = ConfigScope::of(arguments.project);
    let mut chosen = arguments.clients.clone();
    if chosen.is_empty() {
        chosen = known_clients(context, &places, scope);
    }
    let mut standings = Vec::new();
    for client in chosen {
        standings.push(client_status(context, &places, client, scope).await);
    }
    let exit = if standings.iter().any(ClientStatus::is_broken) { Exit::Failed } else { Exit::Done };
    if arguments.json {
        context.output.json(&ClientsStatusDocument {
            schema_version: SCHEMA_VERSION,
            success: exit == Exit::Done,
            clients: standings.iter().map(document).collect(),
            exit_code: exit.number(),
        })?;
        return Ok(exit);
    }
    if standings.is_empty() {
        context
            .output
            .print_message("no MCP client was found here; `probity mcp install --client NAME` adds to one");
        return Ok(exit);
    }
    context.output.data(&table(context, &places, &standings))?;
    Ok(exit)
}

/// Those that are installed and those that have an entry of ours, installed or not.
pub fn known_clients(
    context: &CommandContext,
    places: &ClientDirectories,
    scope: ConfigScope,
) -> Vec<McpClient> {
    let installed = clients::installed(context, places);
    let has_file =
        |client: McpClient| clients::config_file(places, client, scope).is_ok_and(|path| path.exists());
    McpClient::ALL
        .into_iter()
        .filter(|client| match scope {
            ConfigScope::User => installed.contains(client) || has_file(*client),
            ConfigScope::Project => has_file(*client),
        })
        .collect()
}

pub async fn client_status(
    context: &CommandContext,
    places: &ClientDirectories,
    client: McpClient,
    scope: ConfigScope,
) -> ClientStatus {
    let looked = clients::config_file(places, client, scope)
        .and_then(|path| Ok((ClientFile::open(&path, scope)?, path)));
    let (file, path) = match looked {
        Ok(looked) => looked,
        Err(failure) => {
            let state = ClientState::Unreadable { why: failure.problem.message, fix: failure.hint };
            return ClientStatus { client, path: PathBuf::new(), state };
        }
    };
    let state = match file.text.as_deref().map(|text| probity_clients::read(client, text)) {
        None | Some(Ok(None)) => ClientState::Absent,
        Some(Err(error @ probity_clients::Error::Foreign { .. })) => {
            ClientState::Foreign { why: error.to_string() }
        }
        Some(Err(error)) => ClientState::Unreadable {
            why: error.to_string(),
            fix: "mend the file, then run `probity mcp status` again".to_owned(),
        },
        Some(Ok(Some(entry))) if !entry.is_ours() => {
            ClientState::Foreign { why: "an entry named `probity` starts another program".to_owned() }
        }
        Some(Ok(Some(entry))) if scope == ConfigScope::Project && !is_this_program(context, &entry) => {
            ClientState::Foreign {
                why: "the project's entry starts another program than this one; it was not started"
                    .to_owned(),
            }
        }
        Some(Ok(Some(entry))) => try_server(client, entry).await,
    };
    ClientStatus { client, path, state }
}

/// A project may name any program `probity`: for a project's entry only this very program is started.
fn is_this_program(context: &CommandContext, entry: &ServerEntry) -> bool {
    let named = Path::new(&entry.command);
    let found = match named.is_absolute() {
        true => Some(named.to_owned()),
        false if entry.command.contains('/') => None,
        false => clients::find_on_path(&entry.command, &context.environment.path()),
    };
    match (found, environment::program()) {
        (Some(found), Ok(own)) => clients::same_file(&found, &own),
        _ => false,
    }
}

async fn try_server(client: McpClient, entry: ServerEntry) -> ClientState {
    let start = ServerLaunch {
        command: entry.command.clone(),
        args: entry.args.clone(),
        set: entry.env.clone().into_iter().collect(),
        only: client.variables().map(environment::present_variables),
    };
    match handshake::run_handshake(&start).await {
        Ok(answer) => ClientState::Answers { entry, answer },
        Err(silent) => ClientState::Fails { entry, why: silent.why },
    }
}

impl ClientStatus {
    pub fn is_broken(&self) -> bool {
        match self.state {
            ClientState::Fails { .. } | ClientState::Unreadable { .. } => true,
            ClientState::Answers { .. } | ClientState::Foreign { .. } | ClientState::Absent => false,
        }
    }

    pub fn detail(&self) -> String {
        match &self.state {
            ClientState::Answers { answer, .. } => format!(
                "answers in {} ms with {} tools ({} {})",
                answer.took.as_millis(),
                answer.tools,
                answer.server,
                answer.version
            ),
            ClientState::Fails { why, .. } => format!("does not answer: {why}"),
            ClientState::Foreign { why } | ClientState::Unreadable { why, .. } => why.clone(),
            ClientState::Absent => "no entry".to_owned(),
        }
    }

    pub fn fix(&self) -> Option<String> {
        let id = self.client.id();
        match &self.state {
            ClientState::Answers { .. } => None,
            ClientState::Fails { .. } | ClientState::Absent => {
                Some(format!("probity mcp install --client {id}"))
            }
            ClientState::Foreign { .. } => Some(format!("probity mcp install --client {id} --replace")),
            ClientState::Unreadable { fix, .. } => Some(fix.clone()),
        }
    }
}

fn table(context: &CommandContext, places: &ClientDirectories, standings: &[ClientStatus]) -> String {
    let output = &context.output;
    let names = standings.iter().map(|standing| standing.client.title().len()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for standing in standings {
        let (mark, tone) = match standing.state {
            ClientState::Answers { .. } => ("✓", Tone::Good),
            ClientState::Fails { .. } | ClientState::Unreadable { .. } => ("✗", Tone::Bad),
            ClientState::Foreign { .. } => ("⚠", Tone::Warning),
            ClientState::Absent => ("·", Tone::Quiet),
        };
        let line = format!(
            "{} {:<names$}  {}",
            output.style_out(tone, mark),
            standing.client.title(),
            standing.detail()
        );
        lines.push(output.fit_out(&line, names + 4));
        if !matches!(standing.state, ClientState::Absent) {
            let file = clients::display_path(places, &standing.path);
            lines.push(format!("  {:<names$}  {}", "", output.style_out(Tone::Quiet, &file)));
        }
        if let Some(fix) = standing.fix() {
            lines.push(output.fit_out(&format!("  {:<names$}  → {fix}", ""), names + 6));
        }
    }
    lines.join("\n")
}

fn document(standing: &ClientStatus) -> ClientStatusDocument {
    let (entry, answer) = match &standing.state {
        ClientState::Answers { entry, answer } => (Some(entry), Some(answer)),
        ClientState::Fails { entry, .. } => (Some(entry), None),
        ClientState::Foreign { .. } | ClientState::Unreadable { .. } | ClientState::Absent => (None, None),
    };
    ClientStatusDocument {
        client: standing.client.id(),
        file: standing.path.display().to_string(),
        state: match standing.state {
            ClientState::Answers { .. } => "answers",
            ClientState::Fails { .. } => "fails",
            ClientState::Foreign { .. } => "foreign",
            ClientState::Unreadable { .. } => "unreadable",
            ClientState::Absent => "absent",
        },
        command: entry.map(|entry| entry.command.clone()),
        args: entry.map(|entry| entry.args.clone()).unwrap_or_default(),
        server: answer.map(|answer| answer.server.clone()),
        version: answer.map(|answer| answer.version.clone()),
        tools: answer.map(|answer| answer.tools),
        took_ms: answer.map(|answer| u64::try_from(answer.took.as_millis()).unwrap_or(u64::MAX)),
        problem: standing.is_broken().then(|| standing.detail()),
        fix: standing.fix(),
    }
}
