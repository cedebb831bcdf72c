//! What every verb gets: the way out, the environment, and the settings on demand.

use std::path::PathBuf;

use crate::{
    environment::{self, Environment},
    failure::Failure,
    output::Output,
    settings::{self, Loaded, SYSTEM_FILE, Sources, written::RawSettings},
};

pub struct Context {
    pub output: Output,
    pub environment: Environment,
}

impl Context {
    /// `flags` are the settings that the command line overrides.
    pub fn settings(&self, flags: RawSettings) -> Result<Loaded, Failure> {
        settings::load(Sources {
            environment: &self.environment,
            homes: environment::homes(),
            system_file: PathBuf::from(SYSTEM_FILE),
            working_directory: environment::working_directory(),
            flags,
        })
    }
}
