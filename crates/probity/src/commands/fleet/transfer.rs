//! Moves a run that is under way from one store to another: between this machine and the fleet, or by a file.
//!
//! The journal records the departure before anything is copied, so a run is never driven in two places.
//! Copying twice gives the same rows: a transfer can be repeated after it broke off.

use std::{collections::BTreeMap, fs, path::Path};

use probity_bundle::{
    BUNDLE_BYTES_MAX, BlobCollector,
    journal::{self, JOURNAL},
    tar,
};
use probity_research::{Code, Digest, Event, RunId, StoredEvent, ports::Journal, status::RunSummary};
use probity_runner::{ExecutorContext, RunService};

use crate::{
    app_context::AppContext, command_context::CommandContext, command_error::CommandError,
    commands::bundle::pack::write_new, exit::Exit, fleet, settings::Settings,
};

/// Where the id is in the file.
const ID: &str = "research";
const BLOBS: &str = "blobs/";

struct RunTransfer {
    id: RunId,
    journal: Vec<StoredEvent>,
    blobs: BTreeMap<Digest, Vec<u8>>,
}

pub async fn move_to_fleet(
    context: &CommandContext,
    settings: &Settings,
    id: &str,
) -> Result<Exit, CommandError> {
    let app = AppContext::open(settings, None)?;
    let fleet = fleet_runs(context, settings).await?;
    let carried = Box::pin(detach_from_store(&app.researches, app.store.find_by_prefix(id)?)).await?;
    print_moved(context, &Box::pin(store_transfer(&fleet, carried)).await?, "goes on in the fleet")
}

pub async fn move_from_fleet(
    context: &CommandContext,
    settings: &Settings,
    id: &str,
) -> Result<Exit, CommandError> {
    let app = AppContext::open(settings, None)?;
    let fleet = fleet_runs(context, settings).await?;
    let id = fleet.executor().postgres().find_by_prefix(id).await?;
    let carried = Box::pin(detach_from_store(&fleet, id)).await?;
    print_moved(
        context,
        &Box::pin(store_transfer(&app.researches, carried)).await?,
        "goes on here; drive it with `probity serve`",
    )
}

pub async fn export(
    context: &CommandContext,
    settings: &Settings,
    id: &str,
    file: &Path,
) -> Result<Exit, CommandError> {
    let fleet = fleet_runs(context, settings).await?;
    let id = fleet.executor().postgres().find_by_prefix(id).await?;
    let carried = Box::pin(detach_from_store(&fleet, id)).await?;
    write_new(file, &encode(&carried)?)?;
    context.output.data(&file.display().to_string())?;
    context.output.print_message(
        "It no longer goes on in this fleet: read the file in another with `probity fleet import`.",
    );
    Ok(Exit::Done)
}

pub async fn import(
    context: &CommandContext,
    settings: &Settings,
    file: &Path,
) -> Result<Exit, CommandError> {
    let unread = |error: std::io::Error| {
        CommandError::new(Code::OutputPath, &format!("could not read {}", file.display())).with_cause(&error)
    };
    let length = fs::metadata(file).map_err(unread)?.len();
    if length > BUNDLE_BYTES_MAX as u64 {
        return Err(CommandError::new(Code::BundleRefused, "the file is larger than any research"));
    }
    let carried = decode(&fs::read(file).map_err(unread)?)?;
    let fleet = fleet_runs(context, settings).await?;
    print_moved(context, &Box::pin(store_transfer(&fleet, carried)).await?, "goes on in the fleet")
}

async fn fleet_runs(
    context: &CommandContext,
    settings: &Settings,
) -> Result<RunService<probity_fleet::FleetExecutor>, CommandError> {
    let postgres = fleet::postgres(context, settings).await?;
    Ok(RunService::new(fleet::executor(settings, postgres)?))
}

fn print_moved(context: &CommandContext, summary: &RunSummary, what: &str) -> Result<Exit, CommandError> {
    context.output.data(&format!("{} {what}", summary.id))?;
    Ok(Exit::Done)
}

async fn detach_from_store<X: ExecutorContext>(
    from: &RunService<X>,
    id: RunId,
) -> Result<RunTransfer, CommandError> {
    let journal = from.move_out(id).await?;
    let mut contents = BlobCollector::of(&journal);
    let mut blobs = BTreeMap::new();
    if let Some(StoredEvent { event: Event::Asked { plan, .. }, .. }) = journal.first()
        && let Some(given) = plan.given
    {
        blobs.insert(given, from.executor().journal().fetch_blob(given).await?);
    }
    while let Some(wanted) = contents.next_digest() {
        let bytes = from.executor().journal().fetch_blob(wanted).await?;
        contents.take(wanted, &bytes);
        blobs.insert(wanted, bytes);
    }
    Ok(RunTransfer { id, journal, blobs })
}

/// Blobs first: an event must not name bytes that are not stored.
async fn store_transfer<X: ExecutorContext>(
    at: &RunService<X>,
    carried: RunTransfer,
) -> Result<RunSummary, CommandError> {
    for (digest, bytes) in carried.blobs {
        let kept = at.executor().journal().store_blob(bytes).await?;
        if kept != digest {
            return Err(CommandError::new(
                Code::BundleRefused,
                "stored bytes do not have the name they came under",
            ));
        }
    }
    Ok(at.move_in(carried.id, carried.journal).await?)
}

fn encode(carried: &RunTransfer) -> Result<Vec<u8>, CommandError> {
    let journal = journal::encode(&carried.journal).map_err(|refused| transfer_refusal(&refused))?;
    let id = carried.id.to_string();
    let names: Vec<String> = carried.blobs.keys().map(|digest| format!("{BLOBS}{digest}")).collect();
    let mut entries = vec![
        tar::TarEntry { name: ID, bytes: id.as_bytes() },
        tar::TarEntry { name: JOURNAL, bytes: &journal },
    ];
    entries
        .extend(names.iter().zip(carried.blobs.values()).map(|(name, bytes)| tar::TarEntry { name, bytes }));
    tar::write(&entries).map_err(|refused| transfer_refusal(&refused))
}

fn decode(bytes: &[u8]) -> Result<RunTransfer, CommandError> {
    let entries = tar::read(bytes).map_err(|refused| transfer_refusal(&refused))?;
    let find = |name: &str| entries.iter().find(|entry| entry.name == name).map(|entry| entry.bytes);
    let missing = || CommandError::new(Code::BundleRefused, "this is not a research that left a store");
    let id = find(ID).and_then(|id| std::str::from_utf8(id).ok()?.parse().ok()).ok_or_else(missing)?;
    let journal =
        journal::decode(find(JOURNAL).ok_or_else(missing)?).map_err(|refused| transfer_refusal(&refused))?;
    let blob = |entry: &tar::TarEntry<'_>| {
        let digest = entry.name.strip_prefix(BLOBS)?.parse().ok()?;
        Some((digest, entry.bytes.to_vec()))
    };
    Ok(RunTransfer { id, journal, blobs: entries.iter().filter_map(blob).collect() })
}

fn transfer_refusal(refused: &probity_bundle::BundleError) -> CommandError {
    CommandError::new(Code::BundleRefused, "the file cannot be carried").with_cause(refused)
}
