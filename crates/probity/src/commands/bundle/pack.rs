//! Packs one finished run: everything that its journal and its reports name.

use std::{
    collections::BTreeMap,
    fs::{self, OpenOptions},
    io::Write as _,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use probity_bundle::{BlobCollector, BundleError, BundleParts, count_own_files, make_bundle, page_origins};
use probity_engines::{PromptName, Prompts};
use probity_research::{
    Code, Digest, Event, StoredEvent, plan::Plan, ports::Journal as _, status::RunStatus,
};

use super::{BundleArguments, signing_key};
use crate::{
    app_context::AppContext,
    command_context::CommandContext,
    command_error::CommandError,
    engine,
    exit::Exit,
    format,
    identify::{identify, no_runs_error},
    settings::raw::RawSettings,
};

pub async fn run(context: &CommandContext, arguments: &BundleArguments) -> Result<Exit, CommandError> {
    let settings = context.settings(RawSettings::default())?.settings;
    let app = AppContext::open_to_read(&settings)?.ok_or_else(no_runs_error)?;
    let summary = app.summary(identify(&app, &arguments.id)?)?;
    if !summary.status.is_final() || summary.status == RunStatus::Unknown {
        return Err(CommandError::new(Code::NotFinished, "only a research that ended can be bundled")
            .with_run_id(summary.id));
    }
    let journal = app.store.load(summary.id).await?;
    if !arguments.private_pages {
        refuse_private_pages(&journal)?;
    }
    let blobs = collect_blobs(&app, &journal).await?;
    let prompts = prompts(&engine::prompts(&settings.prompts)?, &journal);
    let parts = BundleParts {
        research: summary.id,
        journal: &journal,
        blobs: &blobs,
        prompts: &prompts,
        program: env!("CARGO_PKG_VERSION"),
    };
    let key = signing_key(&settings)?;
    let bundle = make_bundle(&parts, &key).map_err(|refused| too_much(&refused))?;
    let path = arguments.output.clone().unwrap_or_else(|| PathBuf::from(format!("{}.probity", summary.id)));
    write_new(&path, &bundle)?;
    context.output.data(&path.display().to_string())?;
    let size = format::bytes(u64::try_from(bundle.len()).unwrap_or(u64::MAX));
    let files = format::count(u64::try_from(blobs.len()).unwrap_or(u64::MAX), "stored file", "stored files");
    context.output.print_message(&format!("{size}, {files}, signed by {}", key.public()));
    let own = count_own_files(&parts);
    if own > 0 {
        let own = format::count(u64::try_from(own).unwrap_or(u64::MAX), "file", "files");
        context.output.print_message(&format!("note: {own} of your own are in it; mind whom you give it to"));
    }
    let flag = if page_origins(&journal).iter().any(|(origin, _)| origin.is_private()) {
        " --private-pages"
    } else {
        ""
    };
    context
        .output
        .print_message(&format!("check it anywhere with: probity bundle verify{flag} {}", path.display()));
    Ok(Exit::Done)
}

/// A bundle is for others: pages that only this machine could see are no evidence to them, and may be private.
fn refuse_private_pages(journal: &[StoredEvent]) -> Result<(), CommandError> {
    let origins = page_origins(journal);
    let mut private = origins.iter().filter(|(origin, _)| origin.is_private());
    let Some((origin, record)) = private.next() else { return Ok(()) };
    let more = private.count();
    let others = if more > 0 { format!(" and {more} more") } else { String::new() };
    let message = format!(
        "{} came from {} ({}){others}: no page of the open web",
        record.final_url,
        record.address.as_deref().unwrap_or("an unknown address"),
        origin.as_str(),
    );
    let hint = "pack it all the same with `--private-pages`, for readers who know of it";
    Err(CommandError::new(Code::BundleRefused, &message).with_hint(hint))
}

async fn collect_blobs(
    app: &AppContext,
    journal: &[StoredEvent],
) -> Result<BTreeMap<Digest, Vec<u8>>, CommandError> {
    let mut contents = BlobCollector::of(journal);
    let mut blobs = BTreeMap::new();
    while let Some(wanted) = contents.next_digest() {
        let bytes = app.store.fetch_blob(wanted).await?;
        contents.take(wanted, &bytes);
        blobs.insert(wanted, bytes);
    }
    Ok(blobs)
}

/// The prompts of this kind of run, as they are now.
fn prompts(known: &Prompts, journal: &[StoredEvent]) -> BTreeMap<String, String> {
    let Some(StoredEvent { event: Event::Asked { plan, .. }, .. }) = journal.first() else {
        return BTreeMap::new();
    };
    let used = PromptName::ALL.into_iter().filter(|name| is_used(plan, name.file_name()));
    used.map(|name| (name.file_name().to_owned(), known.text(name).to_owned())).collect()
}

fn is_used(plan: &Plan, file: &str) -> bool {
    let of_web = file.starts_with("web-");
    let of_checks = file.starts_with("judge");
    match (of_checks, of_web) {
        (true, _) => plan.checks.is_some(),
        (false, true) => plan.web.is_some(),
        (false, false) => plan.web.is_none() && plan.rounds.is_some(),
    }
}

fn too_much(refused: &BundleError) -> CommandError {
    CommandError::new(Code::OutputPath, "this research does not fit into a bundle")
        .with_cause(refused)
        .with_hint("its report and sources are in `probity runs show ID --json`")
}

/// Never replaces a file, except by itself.
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    let failed = |error: std::io::Error| {
        CommandError::new(Code::OutputPath, &format!("could not write {}", path.display()))
            .with_cause(&error)
            .with_hint("name another file with `--output FILE`")
    };
    if fs::metadata(path).is_ok_and(|found| found.len() == bytes.len() as u64)
        && fs::read(path).is_ok_and(|found| found == bytes)
    {
        return Ok(());
    }
    // It may hold the user's own files: theirs alone until they say otherwise.
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(failed)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    written.map_err(|error| {
        if let Err(error) = fs::remove_file(path) {
            tracing::warn!(%error, "unfinished bundle file was not removed");
        }
        failed(error)
    })
}
