//! Which research a person means: its id in any spelling, the beginning of one, or `last`.

use probity_research::{Code, ResearchId};

use crate::{desk::Desk, failure::Failure};

pub fn identify(desk: &Desk, text: &str) -> Result<ResearchId, Failure> {
    if text == "last" {
        return desk.store.latest()?.map(|summary| summary.id).ok_or_else(none_yet);
    }
    match text.parse::<ResearchId>() {
        Ok(id) => Ok(id),
        Err(_) => Ok(desk.store.find_by_prefix(text)?),
    }
}

pub fn none_yet() -> Failure {
    Failure::new(Code::NotFound, "there is no research yet")
        .with_hint("start one with `probity research \"…\"`")
}
