//! `probity fleet`: bring the database up to date, look at the parts, set up tenants and keys, carry researches
//! from one store to another.

mod carry;
mod key;
mod status;
mod tenant;

use std::path::PathBuf;

use clap::Subcommand;

use crate::{
    context::Context,
    exit::Exit,
    failure::Failure,
    fleet,
    settings::{Settings, written::RawSettings},
};

#[derive(Debug, Subcommand)]
pub enum FleetVerb {
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
    Tenant(tenant::TenantVerb),
    /// Make API keys, list them, revoke one
    #[command(subcommand)]
    Key(key::KeyVerb),
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

impl FleetVerb {
    pub fn wants_json(&self) -> bool {
        matches!(self, Self::Status { json: true })
    }
}

pub async fn run(context: &Context, verb: &FleetVerb) -> Result<Exit, Failure> {
    let settings: Settings = context.settings(RawSettings::default())?.settings;
    match verb {
        FleetVerb::Migrate => migrate(context, &settings).await,
        FleetVerb::Status { json } => Box::pin(status::run(context, &settings, *json)).await,
        FleetVerb::Tenant(verb) => Box::pin(tenant::run(context, &settings, verb)).await,
        FleetVerb::Key(verb) => Box::pin(key::run(context, &settings, verb)).await,
        FleetVerb::Take { id } => Box::pin(carry::take(context, &settings, id)).await,
        FleetVerb::Bring { id } => Box::pin(carry::bring(context, &settings, id)).await,
        FleetVerb::Export { id, file } => Box::pin(carry::export(context, &settings, id, file)).await,
        FleetVerb::Import { file } => Box::pin(carry::import(context, &settings, file)).await,
    }
}

async fn migrate(context: &Context, settings: &Settings) -> Result<Exit, Failure> {
    let postgres = fleet::postgres_to_migrate(context, settings).await?;
    let migrated = postgres.migrate().await?;
    let line = match migrated.performed.as_slice() {
        [] => "nothing to do: the tables are those of this release".to_owned(),
        steps => format!("performed: {}", steps.join(", ")),
    };
    context.output.data(&line)?;
    Ok(Exit::Done)
}
