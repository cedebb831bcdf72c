//! `probity drive`: the background. Drives what is due until nothing is left, then ends. Hidden: people use
//! `research --detach` and `runs resume`.

use std::time::Duration;

use probity_research::{Code, seams::Clock as _};
use tokio_util::sync::CancellationToken;

use crate::{
    context::Context,
    desk::Desk,
    detach,
    exit::Exit,
    failure::Failure,
    follow::Leave,
    keys::Keys,
    logging, notify,
    settings::{Settings, written::RawSettings},
};

/// How often the store is asked whether anything is still due.
const LOOK_EVERY: Duration = Duration::from_millis(500);

pub async fn run(context: &Context) -> Result<Exit, Failure> {
    let failed = |error: &std::io::Error| {
        Failure::new(Code::StoreFailed, "could not go to the background").because(error)
    };
    let settings = context.settings(RawSettings::default())?.settings;
    let keys = Keys::read(&context.environment)?;
    logging::to_file(&context.environment, &settings.store_directory).map_err(|error| failed(&error))?;
    detach::stand_alone().map_err(|error| failed(&error))?;
    let desk = Desk::open(&settings, Some(keys))?;
    desk.writable()?;
    tracing::info!("background begins");
    let exit = drive_all(&desk, &settings).await?;
    desk.copy_when_old();
    tracing::info!("background ends");
    Ok(exit)
}

/// Drives until nothing is due, here or elsewhere, or until told to leave.
async fn drive_all(desk: &Desk, settings: &Settings) -> Result<Exit, Failure> {
    let stop = CancellationToken::new();
    let all_told = CancellationToken::new();
    let telling = notify::watch(desk, settings, all_told.clone());
    let watching = async {
        let mut leave = Leave::new();
        let exit = loop {
            if !desk.store.has_due()? {
                break Exit::Done;
            }
            tokio::select! {
                () = leave.asked() => break Exit::Interrupted,
                () = desk.clock().sleep(LOOK_EVERY) => {}
            }
        };
        Ok::<Exit, Failure>(exit)
    };
    let watching = async {
        let exit = watching.await;
        stop.cancel();
        exit
    };
    desk.researches.executor().engine().prepare();
    let driving = async {
        desk.researches.executor().run(stop.clone()).await;
        all_told.cancel();
    };
    let ((), exit, ()) = tokio::join!(driving, watching, telling);
    exit
}
