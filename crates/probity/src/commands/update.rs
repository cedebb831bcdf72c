//! `probity update`: asks for the newest release, verifies it, puts it in this program's place, and can go back.
//! Never looks for one by itself.

use std::path::{Path, PathBuf};

use clap::Args;
use probity_research::Code;
use semver::Version;

use crate::{
    command_context::CommandContext,
    command_error::CommandError,
    engine, environment,
    exit::Exit,
    release::{
        self,
        files::ReleasePlace,
        owner::ProgramOwner,
        program,
        signed::{ReleaseChoice, ReleaseError, SignedRelease},
    },
    settings::raw::RawSettings,
};

const SUMS: &str = "SHA256SUMS";
const SIGNATURE: &str = "SHA256SUMS.minisig";
/// A key is one line below a comment.
const KEY_BYTES_MAX: u64 = 4096;

#[derive(Debug, Args)]
pub struct UpdateArguments {
    /// Only say whether there is a newer release
    #[arg(long, conflicts_with = "back")]
    pub check: bool,
    /// This version, older ones too
    #[arg(long, value_name = "VERSION", conflicts_with = "back")]
    pub to: Option<Version>,
    /// Where the release lies: an https:// address or a folder
    #[arg(long, value_name = "ADDRESS", conflicts_with = "back")]
    pub from: Option<String>,
    /// Trust the minisign public key in this file instead of the one in the program
    #[arg(long, value_name = "FILE", conflicts_with = "back")]
    pub key: Option<PathBuf>,
    /// Go back to the program that the last update replaced
    #[arg(long)]
    pub back: bool,
    /// Do not ask before the program is replaced
    #[arg(long)]
    pub yes: bool,
}

pub async fn run(context: &CommandContext, arguments: &UpdateArguments) -> Result<Exit, CommandError> {
    let program = own_program()?;
    if !arguments.check {
        refuse_unless_own(&program)?;
    }
    if arguments.back {
        return go_back(context, &program, arguments.yes).await;
    }
    let place = place(arguments)?;
    let key = key(arguments)?;
    let settings = context.settings(RawSettings::default())?.settings;
    let fetcher = engine::fetcher(&settings)?;
    let sums = place.file(&fetcher, SUMS).await?;
    let signature = place.file(&fetcher, SIGNATURE).await?;
    let release =
        SignedRelease::verified(&key, &sums, &String::from_utf8_lossy(&signature)).map_err(refused)?;
    let installed = installed()?;
    let offered = &release.version;
    if release.choice(&installed, arguments.to.as_ref()).map_err(refused)? == ReleaseChoice::Installed {
        context
            .output
            .print_message(&format!("{installed} is installed, and it is the release at {}", place.words()));
        return Ok(Exit::Done);
    }
    if arguments.check {
        let words = format!("{offered} is there, signed with the trusted key; {installed} is installed");
        context.output.print_message(&words);
        let owner = ProgramOwner::of(&program).commands();
        let next = owner.map_or("probity update", |owner| owner.update);
        context.output.print_message(&format!("install it with `{next}`"));
        return Ok(Exit::Done);
    }
    let question = format!("Replace {installed} with {offered}, from {}?", place.words());
    if !agreed(context, arguments.yes, &question)? {
        return Ok(Exit::Done);
    }
    let stem = release::archive_stem(&offered.to_string());
    let name = format!("{stem}.tar.gz");
    let archive = place.file(&fetcher, &name).await?;
    release.check(&name, &archive).map_err(refused)?;
    install(&program, &archive, &stem, offered).await?;
    context.output.print_message(&format!(
        "{offered} is in {}; `probity update --back` goes back to {installed}",
        program.display()
    ));
    Ok(Exit::Done)
}

async fn install(program: &Path, archive: &[u8], stem: &str, offered: &Version) -> Result<(), CommandError> {
    let unpacked = program::unpack(archive, &format!("{stem}/probity"));
    let bytes = unpacked.map_err(|error| unreplaced(program, &error))?;
    let new = program::write_new(program, &bytes).map_err(|error| unreplaced(program, &error))?;
    let tried = match program::version_of(&new).await {
        Ok(said) if said == offered.to_string() => program::replace(program, &new),
        Ok(said) => Err(std::io::Error::other(format!("the new program says that it is {said}"))),
        Err(error) => Err(error),
    };
    tried.map_err(|error| {
        // What failed is not left lying about; that it cannot be removed either says nothing new.
        program::remove(&new).ok();
        unreplaced(program, &error)
    })
}

async fn go_back(context: &CommandContext, program: &Path, yes: bool) -> Result<Exit, CommandError> {
    let previous = program::previous(program);
    let said = program::version_of(&previous).await.map_err(|error| {
        CommandError::new(Code::ReleaseRefused, "there is no program to go back to")
            .with_cause(&error)
            .with_hint(format!("an update keeps the one that it replaces as {}", previous.display()))
    })?;
    let question = format!("Replace {} with {said}, which was here before?", release::VERSION);
    if !agreed(context, yes, &question)? {
        return Ok(Exit::Done);
    }
    program::go_back(program).map_err(|error| unreplaced(program, &error))?;
    context.output.print_message(&format!(
        "{said} is in {}; `probity update --back` goes to {} again",
        program.display(),
        release::VERSION
    ));
    Ok(Exit::Done)
}

/// Whoever cannot be asked says so before.
pub fn agreed(context: &CommandContext, yes: bool, question: &str) -> Result<bool, CommandError> {
    if yes {
        return Ok(true);
    }
    if !context.output.can_ask() {
        return Err(CommandError::new(
            Code::InvalidArguments,
            "this needs a yes, and there is no terminal to ask at; nothing was changed",
        )
        .with_hint("add `--yes`"));
    }
    let yes = context.output.confirm(question);
    if !yes {
        context.output.print_message("nothing was changed");
    }
    Ok(yes)
}

pub fn own_program() -> Result<PathBuf, CommandError> {
    environment::program().map_err(|error| {
        CommandError::new(Code::ReleaseRefused, "this program does not find itself").with_cause(&error)
    })
}

fn refuse_unless_own(program: &Path) -> Result<(), CommandError> {
    let Some(commands) = ProgramOwner::of(program).commands() else { return Ok(()) };
    let message = format!("{} belongs to {}", program.display(), commands.owner);
    Err(CommandError::new(Code::InvalidArguments, &message).with_hint(format!("type `{}`", commands.update)))
}

fn place(arguments: &UpdateArguments) -> Result<ReleasePlace, CommandError> {
    if let Some(from) = &arguments.from {
        return Ok(ReleasePlace::parse(from));
    }
    let version = arguments.to.as_ref().map(Version::to_string);
    let address = release::address(version.as_deref()).ok_or_else(|| {
        CommandError::new(Code::InvalidArguments, "this build names no address of releases")
            .with_hint("name the folder or address with `--from`")
    })?;
    Ok(ReleasePlace::parse(&address))
}

fn key(arguments: &UpdateArguments) -> Result<String, CommandError> {
    let Some(path) = &arguments.key else {
        return (!release::KEY.is_empty()).then(|| release::KEY.to_owned()).ok_or_else(|| {
            CommandError::new(Code::InvalidArguments, "this build names no key that releases are signed with")
                .with_hint(
                    "name the minisign public key with `--key FILE`, if you have it from somewhere you trust",
                )
        });
    };
    let unread = |error: &std::io::Error| {
        CommandError::new(Code::InvalidArguments, &format!("cannot read the key {}", path.display()))
            .with_cause(error)
    };
    let length = std::fs::metadata(path).map_err(|error| unread(&error))?.len();
    if length > KEY_BYTES_MAX {
        return Err(refused(ReleaseError::KeyUnreadable));
    }
    std::fs::read_to_string(path).map_err(|error| unread(&error))
}

fn installed() -> Result<Version, CommandError> {
    Version::parse(release::VERSION).map_err(|error| {
        CommandError::new(Code::ReleaseRefused, "this program has no version to compare with")
            .with_cause(&error)
    })
}

fn refused(why: ReleaseError) -> CommandError {
    let hint = match &why {
        ReleaseError::Older { offered, .. } => {
            format!("to install it all the same: `probity update --to {offered}`")
        }
        ReleaseError::KeyUnreadable => "name the file that ends in `.pub`, or one line of base64".to_owned(),
        _ => "nothing was installed; try again later, and tell the publisher if it stays so".to_owned(),
    };
    CommandError::new(Code::ReleaseRefused, &why.to_string()).with_hint(hint)
}

fn unreplaced(program: &Path, error: &std::io::Error) -> CommandError {
    let message = format!("{} was not replaced", program.display());
    CommandError::new(Code::ReleaseRefused, &message).with_cause(error).with_hint(
        "the program that was there still is; make its folder writable, or run the installer again",
    )
}
