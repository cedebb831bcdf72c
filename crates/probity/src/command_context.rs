//! What every command gets: output, environment, and the settings on demand.

use crate::{
    command_error::CommandError,
    environment::Environment,
    output::ConsoleOutput,
    settings::{self, LoadedSettings, SettingsSources, raw::RawSettings},
};

pub struct CommandContext {
    pub output: ConsoleOutput,
    pub environment: Environment,
}

impl CommandContext {
    /// `flags` are the settings that the command line overrides.
    pub fn settings(&self, flags: RawSettings) -> Result<LoadedSettings, CommandError> {
        settings::load(SettingsSources::of_machine(&self.environment, flags))
    }
}
