//! Carries a research that goes on from one store to another: between this machine and the fleet, or by a file.
//!
//! The journal says that it left before anything is copied, so it is never driven in two places. What was copied
//! twice is the same: carrying can be repeated after it broke off.

use std::{collections::BTreeMap, fs, path::Path};

use probity_bundle::{
    BUNDLE_BYTES_MAX, Contents,
    journal::{self, JOURNAL},
    tar,
};
use probity_research::{Code, Digest, Event, Recorded, ResearchId, seams::Journal, status::Summary};
use probity_runner::{House, Researches};

use crate::{
    context::Context, desk::Desk, exit::Exit, failure::Failure, fleet, settings::Settings,
    verbs::bundle::pack::write_new,
};

/// Where the id stands in the file.
const ID: &str = "research";
const BLOBS: &str = "blobs/";

struct Carried {
    id: ResearchId,
    journal: Vec<Recorded>,
    blobs: BTreeMap<Digest, Vec<u8>>,
}

pub async fn take(context: &Context, settings: &Settings, id: &str) -> Result<Exit, Failure> {
    let desk = Desk::open(settings, None)?;
    let fleet = researches(context, settings).await?;
    let carried = Box::pin(leave(&desk.researches, desk.store.find_by_prefix(id)?)).await?;
    told(context, &Box::pin(arrive(&fleet, carried)).await?, "goes on in the fleet")
}

pub async fn bring(context: &Context, settings: &Settings, id: &str) -> Result<Exit, Failure> {
    let desk = Desk::open(settings, None)?;
    let fleet = researches(context, settings).await?;
    let id = fleet.executor().postgres().find_by_prefix(id).await?;
    let carried = Box::pin(leave(&fleet, id)).await?;
    told(
        context,
        &Box::pin(arrive(&desk.researches, carried)).await?,
        "goes on here; drive it with `probity serve`",
    )
}

pub async fn export(context: &Context, settings: &Settings, id: &str, file: &Path) -> Result<Exit, Failure> {
    let fleet = researches(context, settings).await?;
    let id = fleet.executor().postgres().find_by_prefix(id).await?;
    let carried = Box::pin(leave(&fleet, id)).await?;
    write_new(file, &encode(&carried)?)?;
    context.output.data(&file.display().to_string())?;
    context
        .output
        .say("It no longer goes on in this fleet: read the file in another with `probity fleet import`.");
    Ok(Exit::Done)
}

pub async fn import(context: &Context, settings: &Settings, file: &Path) -> Result<Exit, Failure> {
    let unread = |error: std::io::Error| {
        Failure::new(Code::OutputPath, &format!("could not read {}", file.display())).because(&error)
    };
    let length = fs::metadata(file).map_err(unread)?.len();
    if length > BUNDLE_BYTES_MAX as u64 {
        return Err(Failure::new(Code::BundleRefused, "the file is larger than any research"));
    }
    let carried = decode(&fs::read(file).map_err(unread)?)?;
    let fleet = researches(context, settings).await?;
    told(context, &Box::pin(arrive(&fleet, carried)).await?, "goes on in the fleet")
}

async fn researches(
    context: &Context,
    settings: &Settings,
) -> Result<Researches<probity_fleet::FleetExecutor>, Failure> {
    let postgres = fleet::postgres(context, settings).await?;
    Ok(Researches::new(fleet::executor(settings, postgres)?))
}

fn told(context: &Context, summary: &Summary, what: &str) -> Result<Exit, Failure> {
    context.output.data(&format!("{} {what}", summary.id))?;
    Ok(Exit::Done)
}

async fn leave<X: House>(from: &Researches<X>, id: ResearchId) -> Result<Carried, Failure> {
    let journal = from.leave(id).await?;
    let mut contents = Contents::of(&journal);
    let mut blobs = BTreeMap::new();
    if let Some(Recorded { event: Event::Asked { plan, .. }, .. }) = journal.first()
        && let Some(given) = plan.given
    {
        blobs.insert(given, from.executor().journal().fetch(given).await?);
    }
    while let Some(wanted) = contents.wanted() {
        let bytes = from.executor().journal().fetch(wanted).await?;
        contents.take(wanted, &bytes);
        blobs.insert(wanted, bytes);
    }
    Ok(Carried { id, journal, blobs })
}

/// Bytes first: an event must not name what is not there.
async fn arrive<X: House>(at: &Researches<X>, carried: Carried) -> Result<Summary, Failure> {
    for (digest, bytes) in carried.blobs {
        let kept = at.executor().journal().keep(bytes).await?;
        if kept != digest {
            return Err(Failure::new(
                Code::BundleRefused,
                "stored bytes do not have the name they came under",
            ));
        }
    }
    Ok(at.arrive(carried.id, carried.journal).await?)
}

fn encode(carried: &Carried) -> Result<Vec<u8>, Failure> {
    let journal = journal::encode(&carried.journal).map_err(|refused| unfit(&refused))?;
    let id = carried.id.to_string();
    let names: Vec<String> = carried.blobs.keys().map(|digest| format!("{BLOBS}{digest}")).collect();
    let mut entries =
        vec![tar::Entry { name: ID, bytes: id.as_bytes() }, tar::Entry { name: JOURNAL, bytes: &journal }];
    entries.extend(names.iter().zip(carried.blobs.values()).map(|(name, bytes)| tar::Entry { name, bytes }));
    tar::write(&entries).map_err(|refused| unfit(&refused))
}

fn decode(bytes: &[u8]) -> Result<Carried, Failure> {
    let entries = tar::read(bytes).map_err(|refused| unfit(&refused))?;
    let find = |name: &str| entries.iter().find(|entry| entry.name == name).map(|entry| entry.bytes);
    let missing = || Failure::new(Code::BundleRefused, "this is not a research that left a store");
    let id = find(ID).and_then(|id| std::str::from_utf8(id).ok()?.parse().ok()).ok_or_else(missing)?;
    let journal = journal::decode(find(JOURNAL).ok_or_else(missing)?).map_err(|refused| unfit(&refused))?;
    let blob = |entry: &tar::Entry<'_>| {
        let digest = entry.name.strip_prefix(BLOBS)?.parse().ok()?;
        Some((digest, entry.bytes.to_vec()))
    };
    Ok(Carried { id, journal, blobs: entries.iter().filter_map(blob).collect() })
}

fn unfit(refused: &probity_bundle::Refused) -> Failure {
    Failure::new(Code::BundleRefused, "the file cannot be carried").because(refused)
}
