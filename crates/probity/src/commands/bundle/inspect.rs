//! Verifies or replays a bundle, made here or elsewhere. Touches no store.

use std::{fs::File, io::Read as _, path::Path};

use bytes::Bytes;
use probity_bundle::{
    BUNDLE_BYTES_MAX, Bundle, BundleError, BundleIssue, PromiseStatus, ReplayReaders, VerifyOptions,
    page_origins, verify as look_into,
};
use probity_extract::ParserPool;
use probity_models::gemini::{report::assemble, wire::Interaction};
use probity_research::{
    Code,
    report::Report,
    web::{
        origin::PageOrigin,
        page::{Extract, MediaKind, PageRecord, Provenance},
    },
};
use tokio::runtime::Handle;

use super::{BundleReplayArguments, BundleVerifyArguments, pack::write_new, private_pages};
use crate::{
    command_context::CommandContext,
    command_error::CommandError,
    engine,
    exit::Exit,
    output::{ConsoleOutput, Tone},
    wire::bundle::BundleDocument,
};

/// Addresses in a bundle are foreign text; longer ones are cut where they are shown.
const URL_CHARACTERS_MAX: usize = 300;

const OUTSIDE: ReplayReaders<'static> =
    ReplayReaders { raw: Some(&read_answer), examine: Some(&probity_evidence::examine::examine) };

pub fn verify(context: &CommandContext, arguments: &BundleVerifyArguments) -> Result<Exit, CommandError> {
    let bytes = read(&arguments.file)?;
    let bundle = open(&arguments.file, &bytes)?;
    let parser = engine::parser()?;
    let page = |media: MediaKind, url: &str, bytes: &[u8]| read_page(&parser, media, url, bytes);
    let means = VerifyOptions {
        pinned: arguments.key,
        program: env!("CARGO_PKG_VERSION"),
        outside: OUTSIDE,
        page: Some(&page),
        private_pages: private_pages(arguments.private_pages),
    };
    let findings = look_into(&bundle, &means);
    let exit = exit_for(&findings);
    if arguments.json {
        context.output.json(&BundleDocument::of(&bundle, &findings, exit))?;
        return Ok(exit);
    }
    for finding in &findings {
        context.output.data(&line(&context.output, finding))?;
    }
    for (origin, record) in page_origins(&bundle.journal) {
        context.output.data(&page_line(&context.output, origin, record))?;
    }
    if exit == Exit::Failed {
        return Err(CommandError::new(Code::BundleRefused, "this bundle does not hold what it promises"));
    }
    Ok(exit)
}

pub fn replay(context: &CommandContext, arguments: &BundleReplayArguments) -> Result<Exit, CommandError> {
    let bytes = read(&arguments.file)?;
    let bundle = open(&arguments.file, &bytes)?;
    let document = probity_bundle::replay(&bundle, OUTSIDE).map_err(|error| {
        CommandError::new(Code::BundleRefused, "the report does not come out again")
            .with_cause(&error)
            .with_hint(format!(
                "see what else does not hold with `probity bundle verify {}`",
                arguments.file.display()
            ))
    })?;
    match &arguments.output {
        Some(path) => {
            write_new(path, &document)?;
            context.output.print_message(&format!("written to {}", path.display()));
        }
        None => {
            let report = Report::decode(&document).map_err(|error| {
                CommandError::new(Code::BundleRefused, "the report is unreadable").with_cause(&error)
            })?;
            context.output.data(&report.text)?;
        }
    }
    context.output.print_message("the report came out again byte for byte as it is stored");
    Ok(Exit::Done)
}

/// A file larger than any bundle is not read.
fn read(path: &Path) -> Result<Vec<u8>, CommandError> {
    let failed = |error: std::io::Error| {
        CommandError::new(Code::NotFound, &format!("could not read {}", path.display()))
            .with_cause(&error)
            .with_hint("name a file that `probity bundle ID` wrote")
    };
    let most = u64::try_from(BUNDLE_BYTES_MAX).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes)).map_err(failed)?;
    Ok(bytes)
}

fn open<'a>(path: &Path, bytes: &'a [u8]) -> Result<Bundle<'a>, CommandError> {
    Bundle::read(bytes).map_err(|refused: BundleError| {
        CommandError::new(Code::BundleRefused, &format!("{} is refused", path.display())).with_cause(&refused)
    })
}

/// 0: every promise is kept. 3: none is broken, and not all could be checked. 1: one is broken.
fn exit_for(findings: &[BundleIssue]) -> Exit {
    let any = |kept| findings.iter().any(|finding| finding.kept == kept);
    if any(PromiseStatus::No) {
        Exit::Failed
    } else if any(PromiseStatus::NotChecked) {
        Exit::Unverified
    } else {
        Exit::Done
    }
}

fn line(output: &ConsoleOutput, finding: &BundleIssue) -> String {
    let (mark, tone) = match finding.kept {
        PromiseStatus::Yes => ("yes", Tone::Good),
        PromiseStatus::No => ("NO", Tone::Bad),
        PromiseStatus::NotChecked => ("not checked", Tone::Warning),
        PromiseStatus::Nothing => ("-", Tone::Quiet),
    };
    let line = format!(
        "{} {:<10} {}",
        output.style_out(tone, &format!("{mark:<11}")),
        finding.promise.as_str(),
        finding.detail
    );
    output.fit_out(&line, 23)
}

/// Where one page came from, as the journal says.
fn page_line(output: &ConsoleOutput, origin: PageOrigin, record: &PageRecord) -> String {
    let tone = if origin.is_private() { Tone::Bad } else { Tone::Quiet };
    let address = record.address.as_deref().unwrap_or("-");
    let mut line = format!(
        "{} {} from {}",
        output.style_out(tone, &format!("{:<22}", origin.as_str())),
        probity_research::text::line(&record.final_url, URL_CHARACTERS_MAX),
        probity_research::text::line(address, URL_CHARACTERS_MAX),
    );
    if let Provenance::Archive(copy) = &record.provenance {
        line.push_str(&format!(", copy {}", probity_research::text::line(copy, URL_CHARACTERS_MAX)));
    }
    if !record.redirects.is_empty() {
        line.push_str(&format!(", after {} redirects", record.redirects.len()));
    }
    line
}

/// The report of a Deep Research run, out of the provider's answer.
fn read_answer(raw: &[u8]) -> Result<Report, String> {
    let interaction = Interaction::read(raw).map_err(|error| error.to_string())?;
    Ok(assemble(&interaction.steps).report)
}

/// In the confined process: pages in a bundle are as hostile as those on the web.
fn read_page(parser: &ParserPool, media: MediaKind, url: &str, bytes: &[u8]) -> Result<Extract, String> {
    let bytes = Bytes::copy_from_slice(bytes);
    let read = || Handle::current().block_on(Box::pin(parser.extract(media, url, bytes)));
    tokio::task::block_in_place(read).map_err(|problem| problem.message)
}
