//! `probity keep`: supervises the Gemini CLI for this program, confines it and leaves no process behind.
//!
//! Started by the engine, never by hand. Prints nothing: its pipes belong to the supervised program.

use std::{ffi::OsString, path::PathBuf, process::ExitCode};

use clap::Args;
use probity_models::gemini_cli::supervisor::{self, SupervisorOptions, SupervisorStep};

#[derive(Debug, Args)]
pub struct KeepArguments {
    /// The private folder, the only place the program may write
    #[arg(long)]
    own: PathBuf,
    /// What the program may read besides the system's directories
    #[arg(long)]
    read: Vec<PathBuf>,
    /// A port the program may connect to
    #[arg(long)]
    port: Vec<u16>,
    /// Who watches: makes this the second step, which becomes the program
    #[arg(long)]
    keeper: Option<i32>,
    /// The program and its arguments
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

pub fn run(arguments: &KeepArguments) -> ExitCode {
    let order = SupervisorOptions {
        own: arguments.own.clone(),
        reads: arguments.read.clone(),
        ports: arguments.port.clone(),
        command: arguments.command.clone(),
        step: arguments
            .keeper
            .map_or(SupervisorStep::Watch, |keeper| SupervisorStep::Become { supervisor: keeper }),
    };
    supervisor::run_supervisor(&order, &["keep".into()]).into()
}
