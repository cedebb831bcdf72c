//! `probity serve token`: the tokens of this server's other users. A token is shown once, when it is made.

use std::path::Path;

use clap::Subcommand;
use probity_research::{Code, CodedError, principal::Principal};
use probity_store::TokenFiles;

use crate::{
    command_context::CommandContext, command_error::CommandError, exit::Exit, settings::raw::RawSettings,
};

#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Make a token for NAME and print it; whoever holds it reaches only researches it started itself
    Add { name: String },
    /// List the names that have a token
    List,
    /// Take the token of NAME away; its researches stay
    Remove { name: String },
}

pub fn run(context: &CommandContext, verb: &TokenCommand) -> Result<Exit, CommandError> {
    let settings = context.settings(RawSettings::default())?.settings;
    let files = TokenFiles::in_directory(&settings.store_directory);
    let to_error = |problem| token_file_error(problem, &files.named_path());
    match verb {
        TokenCommand::Add { name } => {
            let principal = Principal::parse(name)?;
            let token = files.add(&principal, random_secret()?).map_err(to_error)?;
            context
                .output
                .print_message(&format!("The token of {name}. It is not shown again; an older one is void."));
            context.output.data(token.reveal())?;
        }
        TokenCommand::List => {
            let names: Vec<String> = files
                .named_tokens()
                .map_err(to_error)?
                .iter()
                .map(|(_, name)| name.as_str().to_owned())
                .collect();
            if names.is_empty() {
                context.output.print_message(
                    "Nobody has a token of their own; make one with `probity serve token add NAME`.",
                );
            } else {
                context.output.data(&names.join("\n"))?;
            }
        }
        TokenCommand::Remove { name } => {
            files.remove(&Principal::parse(name)?).map_err(to_error)?;
            context.output.print_message(&format!("{name} can no longer use this server."));
        }
    }
    Ok(Exit::Done)
}

/// Includes the command that makes an exposed file private.
pub fn token_file_error(problem: CodedError, path: &Path) -> CommandError {
    let exposed = problem.code == Code::TokenExposed;
    let failure = CommandError::from(problem);
    if !exposed {
        return failure;
    }
    let path = path.display();
    failure.with_hint(format!("chmod 600 '{path}'; if somebody may have read it, delete it instead"))
}

pub fn random_secret() -> Result<[u8; 32], CommandError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        CommandError::new(Code::StoreFailed, "the system gives no random numbers").with_cause(&error)
    })?;
    Ok(bytes)
}
