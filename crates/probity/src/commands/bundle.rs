//! `probity bundle`: a finished run as one signed file, and what others do with such a file.

mod inspect;
pub mod pack;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use probity_bundle::{PrivatePages, PublicKey, SigningKey};
use probity_research::{Code, CodedError};

use crate::{
    command_context::CommandContext, command_error::CommandError, exit::Exit, settings::Settings,
    settings::raw::RawSettings,
};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BundleArguments {
    #[command(subcommand)]
    pub verb: Option<BundleCommand>,
    /// An id, the beginning of one, or `last`
    #[arg(default_value = "last", value_name = "ID", add = crate::tab_completion::run_id_candidates())]
    pub id: String,
    /// Where to write it; else `ID.probity` in this directory
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Pack it although pages came from this machine, a private network or an address set with `web.reach`
    #[arg(long)]
    pub private_pages: bool,
}

#[derive(Debug, Subcommand)]
pub enum BundleCommand {
    /// Check a bundle: signature, hashes, journal, verdicts, quotations; needs no network
    Verify(BundleVerifyArguments),
    /// Write the report again from the journal and the pages in a bundle
    Replay(BundleReplayArguments),
    /// Print the public key that this machine signs with
    Key,
}

#[derive(Debug, Args)]
pub struct BundleVerifyArguments {
    /// The bundle
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The key that must have signed it, as `probity bundle key` prints it
    #[arg(long, value_name = "HEX")]
    pub key: Option<PublicKey>,
    /// Accept pages that came from a private network or from an address that the maker chose
    #[arg(long)]
    pub private_pages: bool,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct BundleReplayArguments {
    /// The bundle
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Write the report's document here instead of its text to stdout
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

impl BundleArguments {
    pub fn wants_json(&self) -> bool {
        matches!(&self.verb, Some(BundleCommand::Verify(arguments)) if arguments.json)
    }
}

pub async fn run(context: &CommandContext, arguments: &BundleArguments) -> Result<Exit, CommandError> {
    match &arguments.verb {
        None => pack::run(context, arguments).await,
        Some(BundleCommand::Verify(arguments)) => inspect::verify(context, arguments),
        Some(BundleCommand::Replay(arguments)) => inspect::replay(context, arguments),
        Some(BundleCommand::Key) => {
            let settings = context.settings(RawSettings::default())?.settings;
            context.output.data(&signing_key(&settings)?.public().to_string())?;
            Ok(Exit::Done)
        }
    }
}

fn private_pages(accepted: bool) -> PrivatePages {
    if accepted { PrivatePages::Accepted } else { PrivatePages::Refused }
}

/// The key of this data directory, made when it is first needed.
fn signing_key(settings: &Settings) -> Result<SigningKey, CommandError> {
    let directory = &settings.store_directory;
    let path = probity_store::signing_key_path(directory);
    let fresh = || {
        SigningKey::generate()
            .map_err(|_| CodedError::new(Code::StoreFailed, "a new signing key could not be made"))
    };
    let document = probity_store::signing_key(directory, fresh).map_err(|problem| {
        let exposed = problem.code == Code::TokenExposed;
        let failure = CommandError::from(problem);
        let hint = format!(
            "make it private with `chmod 600 {0}`; if somebody may have read it, delete it: the next `probity bundle` makes \
             a new one",
            path.display()
        );
        if exposed { failure.with_hint(hint) } else { failure }
    })?;
    SigningKey::from_pkcs8(&document).map_err(|_| {
        CommandError::new(Code::Settings, &format!("`{}` is no signing key", path.display()))
            .with_hint("move it away, then run `probity bundle key`: a new one is made")
    })
}
