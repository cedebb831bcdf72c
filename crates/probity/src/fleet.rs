//! The parts of a fleet as this program reaches them: database, objects, engine.

mod admin_backend;
mod backend;
pub mod issuer;
pub mod operations;
pub mod webhook_sender;

use std::{sync::Arc, time::Duration};

use probity_fleet::{FleetExecutor, Ingress, executor::FleetLimits};
use probity_research::{Code, OwnerId, ports::Clock as _};
use probity_runner::SystemClock;
use probity_server::webhooks::SealingKeys;
use probity_store::{
    Clocks,
    objects::{ObjectKeys, ObjectStorage},
    postgres::{Postgres, PostgresSettings},
};
use secrecy::ExposeSecret as _;

use crate::{
    app_context::random_bits,
    command_context::CommandContext,
    command_error::CommandError,
    environment::{Environment, OBJECT_KEY_ID, OBJECT_KEY_SECRET, OBJECT_SESSION, SEALING_KEY},
    settings::Settings,
};

pub use admin_backend::random_bytes;
pub use backend::FleetBackend;
pub use webhook_sender::deliver_webhooks;

/// How long a process that starts waits for the database: two minutes, then its supervisor restarts it.
const DATABASE_TRIES_MAX: u32 = 120;
const DATABASE_PAUSE: Duration = Duration::from_secs(1);

/// The database; its tables must be those of this release.
pub async fn postgres(context: &CommandContext, settings: &Settings) -> Result<Postgres, CommandError> {
    Ok(Postgres::connect(postgres_settings(context, settings)?).await?)
}

/// The same for long-running processes: waits for a database that is unreachable or just starting.
pub async fn postgres_when_up(
    context: &CommandContext,
    settings: &Settings,
) -> Result<Postgres, CommandError> {
    let clock = SystemClock::default();
    let mut tries = 0;
    loop {
        match postgres(context, settings).await {
            Err(failure)
                if tries < DATABASE_TRIES_MAX
                    && matches!(failure.problem.code, Code::StoreFailed | Code::StoreBusy) =>
            {
                tries += 1;
                tracing::warn!(cause = %failure.problem.message, "database unreachable; will retry");
                clock.sleep(DATABASE_PAUSE).await;
            }
            other => return other,
        }
    }
}

/// The database before its tables are made or brought up to date.
pub async fn postgres_to_migrate(
    context: &CommandContext,
    settings: &Settings,
) -> Result<Postgres, CommandError> {
    Ok(Postgres::connect_unchecked(postgres_settings(context, settings)?).await?)
}

fn postgres_settings(
    context: &CommandContext,
    settings: &Settings,
) -> Result<PostgresSettings, CommandError> {
    let fleet = &settings.fleet;
    let owner = OwnerId::from_random(random_bits()?);
    let url = fleet.database()?.clone();
    let objects = objects(&context.environment, settings)?;
    Ok(PostgresSettings {
        connections_max: fleet.connections,
        ..PostgresSettings::new(url, objects, owner, settings.reports_directory.clone())
    })
}

/// Without a setting, large blobs go to this machine's own directory: right for one machine only.
fn objects(environment: &Environment, settings: &Settings) -> Result<ObjectStorage, CommandError> {
    let text = match settings.fleet.objects.as_str() {
        "" => format!("dir:{}", settings.store_directory.join("objects").display()),
        text => text.to_owned(),
    };
    let keys = match (environment.text(OBJECT_KEY_ID), environment.text(OBJECT_KEY_SECRET)) {
        (Some(id), Some(secret)) => {
            Some(ObjectKeys::new(&id, &secret, environment.text(OBJECT_SESSION).as_deref())?)
        }
        _ => None,
    };
    Ok(ObjectStorage::parse(&text, keys, Clocks::of(Arc::new(SystemClock::default())))?)
}

/// Submits runs to the engine.
pub fn executor(settings: &Settings, postgres: Postgres) -> Result<FleetExecutor, CommandError> {
    let ingress = Ingress::new(&settings.fleet.engine)?;
    let limits = FleetLimits { in_flight_max: settings.fleet.in_flight_max, unknown: settings.fleet.quota };
    Ok(FleetExecutor::new(postgres, ingress, SystemClock::default(), limits))
}

/// What seals and opens the secrets of webhooks; none where nobody set it.
pub fn sealing_keys(environment: &Environment) -> Result<Option<SealingKeys>, CommandError> {
    let keys = environment.text(SEALING_KEY).map(|text| SealingKeys::parse(&text)).transpose();
    keys.map_err(|problem| {
        CommandError::from(problem)
            .with_hint(format!("set {SEALING_KEY} to what `openssl rand -base64 32` prints"))
    })
}

/// The key that seals the questions which front ends ask clients. The same at every front end of a fleet, so
/// that any of them can open the answer; it is derived from the database's address and password.
pub fn seal_key(settings: &Settings) -> Result<[u8; 32], CommandError> {
    let secret = settings.fleet.database()?.expose_secret();
    Ok(*blake3::Hasher::new_derive_key("probity fleet request state")
        .update(secret.as_bytes())
        .finalize()
        .as_bytes())
}
