//! Operations on one interaction: poll, stream, cancel, delete.

use super::{
    World,
    body::{self, BodyShape},
    errors,
    interaction::{Interaction, StoragePresence},
    stream::StreamCursor,
};
use crate::{call::SimulatorAnswer, scenario::Name};

/// What a cut-off answer looks like: valid at first, then nothing.
const BROKEN: &[u8] = b"{\"id\":\"v1_Chd\",\"object\":\"interaction\",\"status\":\"in_pro";

pub(crate) fn get(world: &mut World, now_ms: u64, id: &str) -> SimulatorAnswer {
    let epoch_seconds = world.settings.epoch_seconds;
    let Some(position) = world.position(id) else { return errors::not_found() };
    world.settle_one(now_ms, position);
    let Some(interaction) = world.interactions.get_mut(position) else { return errors::not_found() };
    if let Some(refusal) = refusal(interaction, now_ms) {
        return refusal;
    }
    let polls = interaction.polls;
    interaction.polls = polls.saturating_add(1);
    if interaction.scenario.name == Name::GarbageGet && polls < interaction.scenario.times {
        return errors::json_body(BROKEN);
    }
    let answer = errors::json_body(body::text(interaction, epoch_seconds, now_ms, BodyShape::Full));
    spoiled(interaction, answer)
}

/// The answer, or what stands in its place where no look at this run succeeds.
fn spoiled(interaction: &Interaction, answer: SimulatorAnswer) -> SimulatorAnswer {
    match interaction.scenario.name {
        Name::BadLook => errors::bad_look(interaction.scenario.look, answer),
        _ => answer,
    }
}

pub(crate) fn stream(world: &mut World, now_ms: u64, id: &str, after: Option<&str>) -> SimulatorAnswer {
    let Some(position) = world.position(id) else { return errors::not_found() };
    let Some(interaction) = world.interactions.get_mut(position) else { return errors::not_found() };
    if let Some(refusal) = refusal(interaction, now_ms) {
        return refusal;
    }
    let after = match after.map(event_number) {
        None => 0,
        Some(Some(number)) => number,
        Some(None) => return errors::invalid("Invalid last_event_id."),
    };
    let answer = stream_answer(StreamCursor::open(position, interaction, now_ms, after));
    spoiled(interaction, answer)
}

pub(crate) fn cancel(world: &mut World, now_ms: u64, id: &str) -> SimulatorAnswer {
    let epoch_seconds = world.settings.epoch_seconds;
    let Some(position) = world.position(id) else { return errors::not_found() };
    let Some(interaction) = world.interactions.get_mut(position) else { return errors::not_found() };
    if let Some(refusal) = refusal(interaction, now_ms) {
        return refusal;
    }
    match interaction.scenario.name {
        Name::Cancel400 => return errors::invalid("There was a problem processing your request."),
        Name::Cancel404Array => return errors::array(404, "Method not found.", "NOT_FOUND"),
        _ => {}
    }
    if interaction.has_ended(now_ms) {
        let status = interaction.status(u64::MAX);
        return errors::invalid(&format!("Interaction is in {status} state and cannot be cancelled."));
    }
    interaction.cancelled_ms = Some(now_ms);
    // The answer says cancelled even where `get` lags behind.
    let shown_ms = interaction.shown_end_ms();
    let answer = errors::json_body(body::text(interaction, epoch_seconds, shown_ms, BodyShape::Full));
    let answer = spoiled(interaction, answer);
    world.settle_one(now_ms, position);
    answer
}

pub(crate) fn delete(world: &mut World, now_ms: u64, id: &str) -> SimulatorAnswer {
    let Some(position) = world.position(id) else { return errors::not_found() };
    let Some(interaction) = world.interactions.get_mut(position) else { return errors::not_found() };
    if let Some(refusal) = refusal(interaction, now_ms) {
        return refusal;
    }
    interaction.presence = StoragePresence::Gone;
    errors::json_body("{}")
}

/// Why this interaction cannot be seen now, if so.
pub(crate) fn refusal(interaction: &Interaction, now_ms: u64) -> Option<SimulatorAnswer> {
    if interaction.presence == StoragePresence::Gone {
        return Some(errors::not_found());
    }
    let scenario = interaction.scenario;
    let age_ms = now_ms.saturating_sub(interaction.created_ms);
    match scenario.name {
        Name::Early404 if age_ms < scenario.for_ms => Some(errors::not_found()),
        Name::Early403 if age_ms < scenario.for_ms => Some(errors::denied()),
        Name::Expired if age_ms >= scenario.after_ms => Some(errors::not_found()),
        Name::GoneAfter200 if interaction.polls > 0 => Some(errors::not_found()),
        _ => None,
    }
}

pub(crate) fn stream_answer(cursor: StreamCursor) -> SimulatorAnswer {
    let headers = vec![("content-type".to_owned(), "text/event-stream".to_owned())];
    SimulatorAnswer::Stream { headers, cursor }
}

/// `evt_0012` and `evt_0012_error` both resume after the twelfth event.
fn event_number(id: &str) -> Option<u32> {
    let digits = id.strip_prefix("evt_")?;
    digits.split('_').next()?.parse().ok()
}
