//! `probity drive`: the background process. Drives runs that are due until none is left, then ends. Hidden:
//! people use `research --detach` and `runs resume`.

use std::time::Duration;

use probity_research::{Code, ports::Clock as _};
use tokio_util::sync::CancellationToken;

use crate::{
    app_context::AppContext,
    command_context::CommandContext,
    command_error::CommandError,
    detach,
    exit::Exit,
    follow::ShutdownSignals,
    keys::ProviderKeys,
    logging, notify,
    settings::{Settings, raw::RawSettings},
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
    let app = AppContext::open(&settings, Some(keys))?;
    app.ensure_writable()?;
    tracing::info!("background begins");
    let exit = drive_all(&app, &settings).await?;
    app.back_up_when_due();
    tracing::info!("background ends");
    Ok(exit)
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
                () = leave.wait() => break Exit::Interrupted,
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
