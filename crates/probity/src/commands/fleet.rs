//! `probity fleet`: bring the database up to date, show the parts, set up tenants and keys, move runs
//! from one store to another.

mod key;
mod status;
mod tenant;
mod transfer;

use std::path::PathBuf;

use clap::Subcommand;
use probity_research::Code;
use probity_server::webhooks::open_secret;
use probity_store::postgres::StoredSecret;

use crate::{
    command_context::CommandContext,
    command_error::CommandError,
    environment::SEALING_KEY,
    exit::Exit,
    fleet,
    settings::{Settings, raw::RawSettings},
};

#[derive(Debug, Subcommand)]
pub enum FleetCommand {
    /// Make the tables, or bring them up to date; safe to repeat
    Migrate,
    /// Look at database, objects, engine, workers and tenants
    Status {
        /// Print exactly one JSON document on stdout
        #[arg(long)]
        json: bool,
    },
    /// Set up tenants, list them, suspend one
    #[command(subcommand)]
    Tenant(tenant::TenantCommand),
    /// Make API keys, list them, revoke one
    #[command(subcommand)]
    Key(key::KeyCommand),
    /// Seal stored secrets with the newest key: after the first one was set, or before the old one is taken away
    Reseal,
    /// Carry a research of this machine to the fleet, where it goes on
    Take {
        /// The research, or the beginning of its id
        id: String,
    },
    /// Carry a research of the fleet to this machine, where it goes on
    Bring {
        /// The research
        id: String,
    },
    /// Write a research that goes on elsewhere into a file
    Export {
        id: String,
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Read a research from such a file; it goes on in this fleet
    Import {
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

impl FleetCommand {
    pub fn wants_json(&self) -> bool {
        matches!(self, Self::Status { json: true })
    }
}

pub async fn run(context: &CommandContext, verb: &FleetCommand) -> Result<Exit, CommandError> {
    let settings: Settings = context.settings(RawSettings::default())?.settings;
    match verb {
        FleetCommand::Migrate => migrate(context, &settings).await,
        FleetCommand::Status { json } => Box::pin(status::run(context, &settings, *json)).await,
        FleetCommand::Tenant(verb) => Box::pin(tenant::run(context, &settings, verb)).await,
        FleetCommand::Key(verb) => Box::pin(key::run(context, &settings, verb)).await,
        FleetCommand::Reseal => reseal(context, &settings).await,
        FleetCommand::Take { id } => Box::pin(transfer::move_to_fleet(context, &settings, id)).await,
        FleetCommand::Bring { id } => Box::pin(transfer::move_from_fleet(context, &settings, id)).await,
        FleetCommand::Export { id, file } => Box::pin(transfer::export(context, &settings, id, file)).await,
        FleetCommand::Import { file } => Box::pin(transfer::import(context, &settings, file)).await,
    }
}

async fn migrate(context: &CommandContext, settings: &Settings) -> Result<Exit, CommandError> {
    let postgres = fleet::postgres_to_migrate(context, settings).await?;
    let migrated = postgres.migrate().await?;
    let line = match migrated.performed.as_slice() {
        [] => "nothing to do: the tables are those of this release".to_owned(),
        steps => format!("performed: {}", steps.join(", ")),
    };
    context.output.data(&line)?;
    Ok(Exit::Done)
}

async fn reseal(context: &CommandContext, settings: &Settings) -> Result<Exit, CommandError> {
    let Some(keys) = fleet::sealing_keys(&context.environment)? else {
        return Err(CommandError::new(Code::Settings, "there is no key to seal with")
            .with_hint(format!("set {SEALING_KEY} to what `openssl rand -base64 32` prints")));
    };
    let postgres = fleet::postgres(context, settings).await?;
    let (mut sealed, mut current) = (0_usize, 0_usize);
    for (number, url, stored) in postgres.webhook_secrets().await? {
        let opened = open_secret(Some(&keys), &stored.0, &url)?;
        if opened.is_current {
            current += 1;
            continue;
        }
        let new = StoredSecret(keys.seal(&opened.secret, &url)?);
        sealed += usize::from(postgres.replace_webhook_secret(number, &stored, &new).await?);
    }
    context
        .output
        .data(&format!("sealed {sealed} secrets anew; {current} were sealed with the newest key already"))?;
    Ok(Exit::Done)
}
