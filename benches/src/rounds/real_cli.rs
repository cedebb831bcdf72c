//! The Gemini CLI as its makers publish it, where it is installed beside this repository.

use std::{path::PathBuf, process::Command};

use crate::rig;

/// Said where it is missing.
pub const WHY_NOT: &str = "the Gemini CLI is not installed; run .ci/install";
const PROGRAM: &str = ".tools/gemini-cli/node_modules/.bin/gemini";

pub struct RealCli {
    program: PathBuf,
}

/// The CLI, if it and what runs it are there.
pub fn installed() -> Option<RealCli> {
    let program = rig::repository().join(PROGRAM);
    (program.exists() && rig::has_program("node")).then_some(RealCli { program })
}

impl RealCli {
    /// The same command, told where the CLI is.
    pub fn known_to(&self, mut command: Command) -> Command {
        command.env("PROBITY_GEMINI_CLI__PROGRAM", &self.program);
        command
    }
}
