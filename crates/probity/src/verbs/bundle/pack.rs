//! Packs one finished research: everything that its journal and its reports name.

use std::{
    collections::BTreeMap,
    fs::{self, OpenOptions},
    io::Write as _,
    path::{Path, PathBuf},
};

use probity_bundle::{Contents, Parts, Refused, make, own_files};
use probity_engines::{PromptName, Prompts};
use probity_research::{Code, Digest, Event, Recorded, plan::Plan, seams::Journal as _, status::Status};

use super::signing_key;
use crate::{
    context::Context,
    desk::Desk,
    engine,
    exit::Exit,
    failure::Failure,
    identify::{identify, none_yet},
    settings::written::RawSettings,
    words,
};

pub async fn run(context: &Context, id: &str, output: Option<&Path>) -> Result<Exit, Failure> {
    let settings = context.settings(RawSettings::default())?.settings;
    let desk = Desk::open_to_read(&settings)?.ok_or_else(none_yet)?;
    let summary = desk.summary(identify(&desk, id)?)?;
    if !summary.status.is_final() || summary.status == Status::Unknown {
        return Err(
            Failure::new(Code::NotFinished, "only a research that ended can be bundled").about(summary.id)
        );
    }
    let journal = desk.store.load(summary.id).await?;
    let blobs = collect(&desk, &journal).await?;
    let prompts = prompts(&engine::prompts(&settings.prompts)?, &journal);
    let parts = Parts {
        research: summary.id,
        journal: &journal,
        blobs: &blobs,
        prompts: &prompts,
        program: env!("CARGO_PKG_VERSION"),
    };
    let key = signing_key(&settings)?;
    let bundle = make(&parts, &key).map_err(|refused| too_much(&refused))?;
    let path = output.map_or_else(|| PathBuf::from(format!("{}.probity", summary.id)), Path::to_path_buf);
    write_new(&path, &bundle)?;
    context.output.data(&path.display().to_string())?;
    let size = words::bytes(u64::try_from(bundle.len()).unwrap_or(u64::MAX));
    let files = words::count(u64::try_from(blobs.len()).unwrap_or(u64::MAX), "stored file", "stored files");
    context.output.say(&format!("{size}, {files}, signed by {}", key.public()));
    let own = own_files(&parts);
    if own > 0 {
        let own = words::count(u64::try_from(own).unwrap_or(u64::MAX), "file", "files");
        context.output.say(&format!("note: {own} of your own are in it; mind whom you give it to"));
    }
    context.output.say(&format!("check it anywhere with: probity bundle verify {}", path.display()));
    Ok(Exit::Done)
}

async fn collect(desk: &Desk, journal: &[Recorded]) -> Result<BTreeMap<Digest, Vec<u8>>, Failure> {
    let mut contents = Contents::of(journal);
    let mut blobs = BTreeMap::new();
    while let Some(wanted) = contents.wanted() {
        let bytes = desk.store.fetch(wanted).await?;
        contents.take(wanted, &bytes);
        blobs.insert(wanted, bytes);
    }
    Ok(blobs)
}

/// Those that this kind of research is asked with, as they are now.
fn prompts(known: &Prompts, journal: &[Recorded]) -> BTreeMap<String, String> {
    let Some(Recorded { event: Event::Asked { plan, .. }, .. }) = journal.first() else {
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

fn too_much(refused: &Refused) -> Failure {
    Failure::new(Code::OutputPath, "this research does not fit into a bundle")
        .because(refused)
        .with_hint("its report and sources are in `probity runs show ID --json`")
}

/// Never replaces a file, except by itself.
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(Code::OutputPath, &format!("could not write {}", path.display()))
            .because(&error)
            .with_hint("name another file with `--output FILE`")
    };
    if fs::metadata(path).is_ok_and(|found| found.len() == bytes.len() as u64)
        && fs::read(path).is_ok_and(|found| found == bytes)
    {
        return Ok(());
    }
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    written.map_err(|error| {
        if let Err(error) = fs::remove_file(path) {
            tracing::warn!(%error, "an unfinished file stays");
        }
        failed(error)
    })
}
