//! `probity serve token`: who else may use this server. A token is shown once, when it is made.

use std::path::Path;

use clap::Subcommand;
use probity_research::{Code, Problem, principal::Principal};
use probity_store::TokenFiles;

use crate::{context::Context, exit::Exit, failure::Failure, settings::written::RawSettings};

#[derive(Debug, Subcommand)]
pub enum TokenVerb {
    /// Make a token for NAME and print it; whoever holds it reaches only researches it started itself
    Add { name: String },
    /// List the names that have a token
    List,
    /// Take the token of NAME away; its researches stay
    Remove { name: String },
}

pub fn run(context: &Context, verb: &TokenVerb) -> Result<Exit, Failure> {
    let settings = context.settings(RawSettings::default())?.settings;
    let files = TokenFiles::in_directory(&settings.store_directory);
    let told = |problem| told(problem, &files.named_path());
    match verb {
        TokenVerb::Add { name } => {
            let principal = Principal::parse(name)?;
            let token = files.add(&principal, random()?).map_err(told)?;
            context.output.say(&format!("The token of {name}. It is not shown again; an older one is void."));
            context.output.data(token.reveal())?;
        }
        TokenVerb::List => {
            let names: Vec<String> =
                files.named().map_err(told)?.iter().map(|(_, name)| name.as_str().to_owned()).collect();
            if names.is_empty() {
                context
                    .output
                    .say("Nobody has a token of their own; make one with `probity serve token add NAME`.");
            } else {
                context.output.data(&names.join("\n"))?;
            }
        }
        TokenVerb::Remove { name } => {
            files.remove(&Principal::parse(name)?).map_err(told)?;
            context.output.say(&format!("{name} can no longer use this server."));
        }
    }
    Ok(Exit::Done)
}

/// With the very command that makes an exposed file private.
pub fn told(problem: Problem, path: &Path) -> Failure {
    let exposed = problem.code == Code::TokenExposed;
    let failure = Failure::from(problem);
    if !exposed {
        return failure;
    }
    let path = path.display();
    failure.with_hint(format!("chmod 600 '{path}'; if somebody may have read it, delete it instead"))
}

pub fn random() -> Result<[u8; 32], Failure> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        Failure::new(Code::StoreFailed, "the system gives no random numbers").because(&error)
    })?;
    Ok(bytes)
}
