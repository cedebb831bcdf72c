//! `probity man`: manual pages, made from the command line's own definition.

use std::path::{Path, PathBuf};

use clap::{Args, CommandFactory as _};
use clap_mangen::{
    Man,
    roff::{Roff, bold, roman},
};
use probity_research::Code;

use crate::{
    arguments::CliArguments, command_context::CommandContext, command_error::CommandError, environment,
    exit::Exit,
};

#[derive(Debug, Args)]
pub struct ManArguments {
    /// Write all pages into this directory, such as ~/.local/share/man/man1
    #[arg(long, value_name = "DIRECTORY")]
    pub to: Option<PathBuf>,
}

pub fn run(context: &CommandContext, arguments: &ManArguments) -> Result<Exit, CommandError> {
    let mut command = CliArguments::command().disable_help_subcommand(true);
    command.build();
    let Some(directory) = &arguments.to else {
        let bytes = page(&command, true).map_err(|error| unwritten(Path::new("the page"), &error))?;
        context.output.bytes(&bytes)?;
        return Ok(Exit::Done);
    };
    std::fs::create_dir_all(directory).map_err(|error| unwritten(directory, &error))?;
    let written = all(&command, directory, true)?;
    context
        .output
        .print_message(&format!("{written} pages in {}; read them with `man probity`", directory.display()));
    Ok(Exit::Done)
}

/// A command and everything below it.
fn all(command: &clap::Command, directory: &Path, is_program: bool) -> Result<usize, CommandError> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    let path = directory.join(format!("{name}.1"));
    let bytes = page(command, is_program).map_err(|error| unwritten(&path, &error))?;
    std::fs::write(&path, bytes).map_err(|error| unwritten(&path, &error))?;
    let mut written = 1;
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        written += all(inner, directory, false)?;
    }
    Ok(written)
}

fn page(command: &clap::Command, is_program: bool) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    Man::new(command.clone()).render(&mut bytes)?;
    if is_program {
        endings().to_writer(&mut bytes)?;
    }
    Ok(bytes)
}

/// What clap does not know: exit codes and variables.
fn endings() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    for exit in Exit::ALL {
        roff.control("TP", []);
        roff.text([bold(exit.number().to_string())]);
        roff.text([roman(exit.meaning())]);
    }
    roff.control("SH", ["ENVIRONMENT"]);
    for variable in environment::known() {
        roff.control("TP", []);
        roff.text([bold(variable.name)]);
        roff.text([roman(variable.meaning)]);
    }
    roff.control("SH", ["ERRORS"]);
    roff.text([roman("Every error has a code; "), bold("probity explain CODE"), roman(" says what to do.")]);
    roff
}

fn unwritten(path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::new(Code::OutputPath, &format!("could not write {}", path.display()))
        .with_cause(error)
        .with_hint("name a directory that you may write to: `probity man --to DIRECTORY`")
}
