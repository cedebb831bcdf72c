//! What every command gets: output, environment, and the settings on demand.

use std::path::PathBuf;

use crate::{
    command_error::CommandError,
    environment::{self, Environment},
    output::ConsoleOutput,
    settings::{self, LoadedSettings, SYSTEM_FILE, SettingsSources, raw::RawSettings},
};

pub struct CommandContext {
    pub output: ConsoleOutput,
    pub environment: Environment,
}

impl CommandContext {
    /// `flags` are the settings that the command line overrides.
    pub fn settings(&self, flags: RawSettings) -> Result<LoadedSettings, CommandError> {
        settings::load(SettingsSources {
            environment: &self.environment,
            homes: environment::user_directories(),
            system_file: PathBuf::from(SYSTEM_FILE),
            working_directory: environment::working_directory(),
            flags,
        })
    }
}
