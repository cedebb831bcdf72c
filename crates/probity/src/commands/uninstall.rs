//! `probity uninstall`: removes this program, and says what stays and how that goes too.

use clap::Args;
use probity_research::Code;

use super::update::{agreed, own_program};
use crate::{
    command_context::CommandContext,
    command_error::CommandError,
    environment,
    exit::Exit,
    release::{owner::ProgramOwner, program},
    settings::raw::RawSettings,
};

#[derive(Debug, Args)]
pub struct RemovalArguments {
    /// Do not ask before the program is removed
    #[arg(long)]
    pub yes: bool,
}

pub fn run(context: &CommandContext, arguments: &RemovalArguments) -> Result<Exit, CommandError> {
    let program = own_program()?;
    let output = &context.output;
    output.print_message("what stays, and how it goes too:");
    for line in what_stays(context) {
        output.print_message(&format!("  {line}"));
    }
    if let Some(commands) = ProgramOwner::of(&program).commands() {
        let message = format!("{} belongs to {}", program.display(), commands.owner);
        return Err(CommandError::new(Code::InvalidArguments, &message)
            .with_hint(format!("type `{}`", commands.remove)));
    }
    if !agreed(context, arguments.yes, &format!("Remove {}?", program.display()))? {
        return Ok(Exit::Done);
    }
    let unremoved = |error: &std::io::Error| {
        CommandError::new(Code::ReleaseRefused, &format!("{} was not removed", program.display()))
            .with_cause(error)
    };
    // The one that an update kept first: without the program nobody would know of it.
    program::remove(&program::previous(&program)).map_err(|error| unremoved(&error))?;
    program::remove(&program).map_err(|error| unremoved(&error))?;
    output.print_message(&format!("{} is removed", program.display()));
    Ok(Exit::Done)
}

/// Each with the command that removes it; settings that cannot be read are named as such.
fn what_stays(context: &CommandContext) -> Vec<String> {
    // Without the program nobody can ask it where they are.
    let mut lines = match context.settings(RawSettings::default()) {
        Ok(loaded) => vec![format!(
            "researches, pages and costs in {}: delete the folder",
            loaded.settings.store_directory.display()
        )],
        Err(_) => vec![
            "researches and settings: the settings cannot be read, so their folders are not known".to_owned(),
        ],
    };
    if let Some(homes) = environment::user_directories() {
        lines.push(format!("settings and stored keys in {}: delete the folder", homes.config.display()));
    }
    lines.push("entries in MCP clients: run `probity mcp uninstall` before this".to_owned());
    lines.push("what providers keep of past researches: `probity privacy` says it, before this".to_owned());
    lines
}
