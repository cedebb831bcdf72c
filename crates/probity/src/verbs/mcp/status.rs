//! `probity mcp status`: which clients know us, and whether the server that each would start answers.

use std::path::{Path, PathBuf};

use clap::Args;
use probity_clients::{Client, Entry, Places};

use super::{
    clients::{self, Scope},
    file::File,
    handshake::{self, Answer, Start},
};
use crate::{
    context::Context,
    environment,
    exit::Exit,
    failure::Failure,
    output::Tone,
    wire::{
        SCHEMA_VERSION,
        clients::{ClientStatusDocument, StatusDocument},
    },
};

#[derive(Debug, Clone, Args)]
pub struct StatusArguments {
    /// Only this client; may be given several times
    #[arg(long = "client", value_name = "NAME", value_parser = clients::parse)]
    pub clients: Vec<Client>,
    /// Look at the files of the project you stand in instead of your own
    #[arg(long)]
    pub project: bool,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
}

/// How one client stands.
pub struct Standing {
    pub client: Client,
    pub path: PathBuf,
    pub state: State,
}

pub enum State {
    Answers {
        entry: Entry,
        answer: Answer,
    },
    Fails {
        entry: Entry,
        why: String,
    },
    /// An entry under our name that is not ours, or not to be started.
    Foreign {
        why: String,
    },
    Unreadable {
        why: String,
        fix: String,
    },
    Absent,
}

pub async fn run(context: &Context, arguments: &StatusArguments) -> Result<Exit, Failure> {
    let places = clients::places(context)?;
    let scope = Scope::of(arguments.project);
    let mut chosen = arguments.clients.clone();
    if chosen.is_empty() {
        chosen = known(context, &places, scope);
    }
    let mut standings = Vec::new();
    for client in chosen {
        standings.push(standing(context, &places, client, scope).await);
    }
    let exit = if standings.iter().any(Standing::is_broken) { Exit::Failed } else { Exit::Done };
    if arguments.json {
        context.output.json(&StatusDocument {
            schema_version: SCHEMA_VERSION,
            success: exit == Exit::Done,
            clients: standings.iter().map(document).collect(),
            exit_code: exit.number(),
        })?;
        return Ok(exit);
    }
    if standings.is_empty() {
        context.output.say("no MCP client was found here; `probity mcp install --client NAME` adds to one");
        return Ok(exit);
    }
    context.output.data(&table(context, &places, &standings))?;
    Ok(exit)
}

/// Those that are installed and those that have an entry of ours, installed or not.
pub fn known(context: &Context, places: &Places, scope: Scope) -> Vec<Client> {
    let installed = clients::installed(context, places);
    let has_file = |client: Client| clients::file(places, client, scope).is_ok_and(|path| path.exists());
    Client::ALL
        .into_iter()
        .filter(|client| match scope {
            Scope::User => installed.contains(client) || has_file(*client),
            Scope::Project => has_file(*client),
        })
        .collect()
}

pub async fn standing(context: &Context, places: &Places, client: Client, scope: Scope) -> Standing {
    let looked = clients::file(places, client, scope).and_then(|path| Ok((File::look(&path, scope)?, path)));
    let (file, path) = match looked {
        Ok(looked) => looked,
        Err(failure) => {
            let state = State::Unreadable { why: failure.problem.message, fix: failure.hint };
            return Standing { client, path: PathBuf::new(), state };
        }
    };
    let state = match file.text.as_deref().map(|text| probity_clients::read(client, text)) {
        None | Some(Ok(None)) => State::Absent,
        Some(Err(error @ probity_clients::Error::Foreign { .. })) => {
            State::Foreign { why: error.to_string() }
        }
        Some(Err(error)) => State::Unreadable {
            why: error.to_string(),
            fix: "mend the file, then run `probity mcp status` again".to_owned(),
        },
        Some(Ok(Some(entry))) if !entry.is_ours() => {
            State::Foreign { why: "an entry named `probity` starts another program".to_owned() }
        }
        Some(Ok(Some(entry))) if scope == Scope::Project && !is_this_program(context, &entry) => {
            State::Foreign {
                why: "the project's entry starts another program than this one; it was not started"
                    .to_owned(),
            }
        }
        Some(Ok(Some(entry))) => tried(client, entry).await,
    };
    Standing { client, path, state }
}

/// A project may name any program `probity`: only ourselves are started for it.
fn is_this_program(context: &Context, entry: &Entry) -> bool {
    let named = Path::new(&entry.command);
    let found = match named.is_absolute() {
        true => Some(named.to_owned()),
        false if entry.command.contains('/') => None,
        false => clients::on_path(&entry.command, &context.environment.path()),
    };
    match (found, environment::program()) {
        (Some(found), Ok(own)) => clients::same_file(&found, &own),
        _ => false,
    }
}

async fn tried(client: Client, entry: Entry) -> State {
    let start = Start {
        command: entry.command.clone(),
        args: entry.args.clone(),
        set: entry.env.clone().into_iter().collect(),
        only: client.variables().map(environment::only),
    };
    match handshake::with(&start).await {
        Ok(answer) => State::Answers { entry, answer },
        Err(silent) => State::Fails { entry, why: silent.why },
    }
}

impl Standing {
    pub fn is_broken(&self) -> bool {
        match self.state {
            State::Fails { .. } | State::Unreadable { .. } => true,
            State::Answers { .. } | State::Foreign { .. } | State::Absent => false,
        }
    }

    pub fn detail(&self) -> String {
        match &self.state {
            State::Answers { answer, .. } => format!(
                "answers in {} ms with {} tools ({} {})",
                answer.took.as_millis(),
                answer.tools,
                answer.server,
                answer.version
            ),
            State::Fails { why, .. } => format!("does not answer: {why}"),
            State::Foreign { why } | State::Unreadable { why, .. } => why.clone(),
            State::Absent => "no entry".to_owned(),
        }
    }

    pub fn fix(&self) -> Option<String> {
        let id = self.client.id();
        match &self.state {
            State::Answers { .. } => None,
            State::Fails { .. } | State::Absent => Some(format!("probity mcp install --client {id}")),
            State::Foreign { .. } => Some(format!("probity mcp install --client {id} --replace")),
            State::Unreadable { fix, .. } => Some(fix.clone()),
        }
    }
}

fn table(context: &Context, places: &Places, standings: &[Standing]) -> String {
    let output = &context.output;
    let names = standings.iter().map(|standing| standing.client.title().len()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for standing in standings {
        let (mark, tone) = match standing.state {
            State::Answers { .. } => ("✓", Tone::Good),
            State::Fails { .. } | State::Unreadable { .. } => ("✗", Tone::Bad),
            State::Foreign { .. } => ("⚠", Tone::Warning),
            State::Absent => ("·", Tone::Quiet),
        };
        let line =
            format!("{} {:<names$}  {}", output.out(tone, mark), standing.client.title(), standing.detail());
        lines.push(output.fit_out(&line, names + 4));
        if !matches!(standing.state, State::Absent) {
            let file = clients::shown(places, &standing.path);
            lines.push(format!("  {:<names$}  {}", "", output.out(Tone::Quiet, &file)));
        }
        if let Some(fix) = standing.fix() {
            lines.push(output.fit_out(&format!("  {:<names$}  → {fix}", ""), names + 6));
        }
    }
    lines.join("\n")
}

fn document(standing: &Standing) -> ClientStatusDocument {
    let (entry, answer) = match &standing.state {
        State::Answers { entry, answer } => (Some(entry), Some(answer)),
        State::Fails { entry, .. } => (Some(entry), None),
        State::Foreign { .. } | State::Unreadable { .. } | State::Absent => (None, None),
    };
    ClientStatusDocument {
        client: standing.client.id(),
        file: standing.path.display().to_string(),
        state: match standing.state {
            State::Answers { .. } => "answers",
            State::Fails { .. } => "fails",
            State::Foreign { .. } => "foreign",
            State::Unreadable { .. } => "unreadable",
            State::Absent => "absent",
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
