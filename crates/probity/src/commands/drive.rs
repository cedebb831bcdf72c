//! `probity drive`: the background process. Drives runs that are due until none is left, then ends; a second
//! one leaves its run to the first. Hidden: people use `research --detach` and `runs resume`.

use std::time::Duration;

use probity_models::ApiKey;
use probity_research::{Code, ports::Clock as _};
use probity_store::{DriveLock, DriveLockOutcome};
use secrecy::ExposeSecret as _;
use tokio_util::sync::CancellationToken;

use crate::{
    app_context::AppContext,
    command_context::CommandContext,
    command_error::CommandError,
    detach,
    exit::Exit,
    keys::ProviderKeys,
    logging, notify,
    settings::{Settings, raw::RawSettings},
    shutdown::ShutdownSignals,
};

/// How often the store is asked whether anything is still due.
const LOOK_EVERY: Duration = Duration::from_millis(500);

pub async fn run(context: &CommandContext) -> Result<Exit, CommandError> {
    let failed = |error: &std::io::Error| {
        CommandError::new(Code::StoreFailed, "could not go to the background").with_cause(error)
    };
    let settings = context.settings(RawSettings::default())?.settings;
    let keys = ProviderKeys::read(&context.environment)?;
    logging::to_file(&context.environment, &settings.store_directory).map_err(|error| failed(&error))?;
    detach::leave_session().map_err(|error| failed(&error))?;
    let setup = setup_fingerprint(&settings, &keys);
    let app = AppContext::open(&settings, Some(keys))?;
    app.ensure_writable()?;
    loop {
        let lock = match DriveLock::acquire(&settings.store_directory, &setup)? {
            DriveLockOutcome::HeldByEqual => {
                tracing::info!("another background process drives this run too");
                return Ok(Exit::Done);
            }
            // Without the lock: with other keys the living driver could not drive what this one can.
            DriveLockOutcome::HeldByOther => None,
            DriveLockOutcome::Acquired(lock) => Some(lock),
        };
        tracing::info!("background begins");
        let exit = drive_all(&app, &settings).await?;
        drop(lock);
        // A run that was handed over while this process had the lock and was about to leave is still ours.
        if exit == Exit::Done && app.store.has_due()? {
            continue;
        }
        Box::pin(app.purge_expired()).await;
        app.back_up_when_due();
        tracing::info!("background ends");
        return Ok(exit);
    }
}

/// Equal for two processes that can drive the same runs in the same way. Of the keys only a hash is written.
fn setup_fingerprint(settings: &Settings, keys: &ProviderKeys) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(env!("CARGO_PKG_VERSION").as_bytes());
    hasher.update(format!("{settings:?}").as_bytes());
    for key in [&keys.gemini, &keys.gemini_cli, &keys.chat, &keys.anthropic] {
        hasher.update(key.as_ref().map_or("", ApiKey::expose).as_bytes()).update(&[0]);
    }
    for (name, key) in &keys.endpoints {
        hasher.update(name.as_bytes()).update(key.expose().as_bytes()).update(&[0]);
    }
    for (provider, key) in &keys.search {
        hasher.update(format!("{provider:?}").as_bytes()).update(key.expose_secret().as_bytes()).update(&[0]);
    }
    hasher.finalize().to_hex().to_string()
}

/// Drives until no run is due, here or elsewhere, or until asked to stop.
async fn drive_all(app: &AppContext, settings: &Settings) -> Result<Exit, CommandError> {
    let stop = CancellationToken::new();
    let announced = CancellationToken::new();
    let telling = notify::notify_endings(app, settings, announced.clone());
    let watching = async {
        let mut leave = ShutdownSignals::new();
        let exit = loop {
            if !app.store.has_due()? {
                break Exit::Done;
            }
            tokio::select! {
                _ = leave.wait() => break Exit::Interrupted,
                () = app.clock().sleep(LOOK_EVERY) => {}
            }
        };
        Ok::<Exit, CommandError>(exit)
    };
    let watching = async {
        let exit = watching.await;
        stop.cancel();
        exit
    };
    app.researches.executor().engine().prepare();
    let driving = async {
        app.researches.executor().run(stop.clone()).await;
        announced.cancel();
    };
    let ((), exit, ()) = tokio::join!(driving, watching, telling);
    exit
}
