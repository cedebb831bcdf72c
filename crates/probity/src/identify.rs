//! Which run a person means: its id in any spelling, the beginning of one, or `last`.

use probity_research::{Code, RunId};

use crate::{app_context::AppContext, command_error::CommandError};

pub fn identify(app: &AppContext, text: &str) -> Result<RunId, CommandError> {
    if text == "last" {
        return app.store.latest()?.map(|summary| summary.id).ok_or_else(no_runs_error);
    }
    match text.parse::<RunId>() {
        Ok(id) => Ok(id),
        Err(_) => Ok(app.store.find_by_prefix(text)?),
    }
}

pub fn no_runs_error() -> CommandError {
    CommandError::new(Code::NotFound, "there is no research yet")
        .with_hint("start one with `probity research \"…\"`")
}
