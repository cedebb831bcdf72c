//! Opens the user's own editor on a plan. One of the modules of this crate that start processes.
#![expect(clippy::disallowed_methods, reason = "starts the user's own editor")]

use std::{io::Write as _, process::Command};

use probity_research::Code;

use super::PlanFile;
use crate::{
    command_error::CommandError,
    environment::{EDITORS, Environment},
};

/// What the user made of this text. One that cannot be read is kept, so that nothing is written twice.
pub fn edit(environment: &Environment, shown: &str) -> Result<PlanFile, CommandError> {
    let failed = |what: &str, error: &std::io::Error| {
        CommandError::new(Code::InvalidArguments, what).with_cause(error).with_hint(
            "name an editor that waits in EDITOR, or write the plan into a file: `--plan-file FILE`",
        )
    };
    let named = EDITORS.iter().find_map(|name| environment.text(name)).ok_or_else(|| {
        CommandError::new(Code::InvalidArguments, "no editor is set in VISUAL or EDITOR")
            .with_hint("set EDITOR, or write the plan into a file: `--plan-file FILE`")
    })?;
    let mut words = named.split_whitespace();
    let program = words.next().unwrap_or_default();
    let mut file = tempfile::Builder::new()
        .prefix("probity-plan-")
        .suffix(".txt")
        .tempfile()
        .map_err(|error| failed("could not write the plan for the editor", &error))?;
    file.write_all(shown.as_bytes())
        .map_err(|error| failed("could not write the plan for the editor", &error))?;
    let path = file.into_temp_path();
    let ended = Command::new(program)
        .args(words)
        .arg(path.as_os_str())
        .status()
        .map_err(|error| failed(&format!("could not start the editor `{program}`"), &error))?;
    if !ended.success() {
        return Err(CommandError::new(
            Code::InvalidArguments,
            "the editor ended with a failure; nothing was started",
        )
        .with_hint("edit it again with `--edit-plan`"));
    }
    PlanFile::read(&path).map_err(|problem| match path.keep() {
        Ok(kept) => problem.with_hint(format!("your text is kept: `--plan-file {}`", kept.display())),
        Err(_) => problem,
    })
}
