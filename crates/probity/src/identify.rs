//! Which run a person means: its id in any spelling, the beginning of one, or `last`.

use probity_research::{Code, RunId};

use crate::{app_context::AppContext, command_error::CommandError};

/// How the run that was started last is named.
pub const LAST: &str = "last";

pub fn identify(app: &AppContext, text: &str) -> Result<RunId, CommandError> {
    if text == LAST {
        return app.store.latest()?.map(|summary| summary.id).ok_or_else(no_runs_error);
    }
    match text.parse::<RunId>() {
        Ok(id) => Ok(id),
        Err(_) => Ok(app.store.find_by_prefix(text)?),
    }
}

/// The same, or one in the trash: for what may be asked until it is purged.
pub fn identify_even_removed(app: &AppContext, text: &str) -> Result<RunId, CommandError> {
    identify(app, text).or_else(|problem| app.store.find_removed(text).map_err(|_| problem))
}

pub fn no_runs_error() -> CommandError {
    CommandError::new(Code::NotFound, "there is no research yet")
        .with_hint("start one with `probity research \"…\"`")
}
