//! A create for a model as a turn of its script: begun, written down, refused if the script says so.

use super::super::{World, errors, fingerprint, interaction::Scripted, redirect, request::Request};
use crate::{
    call::{Answer, Call},
    ledger::{Face, Turn, TurnCharge},
    rounds::{Outcome, Refusal},
    world::round::{Round, register::Searching},
};

/// Begins the turn. The error is the answer to a turn that is not accepted.
pub(super) fn begin(
    world: &mut World,
    now_ms: u64,
    call: &Call,
    request: &Request,
) -> Result<Scripted, Answer> {
    let searching = if request.tools.search { Searching::Possible } else { Searching::Impossible };
    let round = match world.rounds.begin(&request.text, searching) {
        Ok(round) => round,
        Err(message) => return Err(world.refused(errors::invalid(&message))),
    };
    let refused = match round.item.outcome() {
        Outcome::Answered | Outcome::Lost => None,
        Outcome::Hangs => Some(Answer::Hang),
        Outcome::Refused(refusal) => Some(refusal_answer(refusal)),
    };
    let charge = if refused.is_some() { TurnCharge::Free } else { TurnCharge::Charged };
    let written = written(&round, now_ms, request, charge);
    world.ledger.turns.push(written);
    match refused {
        Some(answer) => Err(world.refused(answer)),
        None => Ok(Scripted { round, base: redirect::base_of(call) }),
    }
}

/// Says which create the turn begun last was for.
pub(super) fn belongs_to(world: &mut World, position: usize) {
    let id = world.ledger.entries.get(position).map(|entry| entry.interaction_id.clone());
    if let Some(turn) = world.ledger.turns.last_mut() {
        turn.position = Some(position);
        turn.interaction_id = id;
    }
}

fn written(round: &Round, now_ms: u64, request: &Request, charge: TurnCharge) -> Turn {
    Turn {
        key: round.key.to_string(),
        number: round.number,
        item: round.item,
        model: request.worker.name().to_owned(),
        face: Face::Interactions,
        at_ms: now_ms,
        charge,
        charged_micro_usd: 0,
        prompt: fingerprint(&[Some(&request.text)]),
        requests: 1,
        interaction_id: None,
        position: None,
    }
}

fn refusal_answer(refusal: Refusal) -> Answer {
    match refusal {
        Refusal::Status(status) => errors::plain(status),
        Refusal::KeyInvalid => errors::key_invalid(),
        Refusal::RetryInfo => errors::retry_info(),
        Refusal::Daily => errors::daily(),
    }
}
