//! A create for a model as a turn of its script: begun, recorded, refused if the script says so.

use super::super::{World, errors, fingerprint, interaction::ScriptedTurn, redirect, request::CreateRequest};
use crate::{
    call::{SimulatorAnswer, SimulatorCall},
    ledger::{TurnApi, TurnCharge, TurnRecord},
    rounds::{ItemOutcome, TurnRefusal},
    world::round::{ScriptedRound, register::SearchAbility},
};

/// Begins the turn. The error is the answer to a turn that is not accepted.
pub(super) fn begin(
    world: &mut World,
    now_ms: u64,
    call: &SimulatorCall,
    request: &CreateRequest,
) -> Result<ScriptedTurn, SimulatorAnswer> {
    let searching = if request.tools.search { SearchAbility::Possible } else { SearchAbility::Impossible };
    let round = match world.rounds.begin(&request.text, searching) {
        Ok(round) => round,
        Err(message) => return Err(world.count_refusal(errors::invalid(&message))),
    };
    let refused = match round.item.outcome() {
        ItemOutcome::Answered | ItemOutcome::Lost => None,
        ItemOutcome::Hangs => Some(SimulatorAnswer::Hang),
        ItemOutcome::Refused(refusal) => Some(refusal_answer(refusal)),
    };
    let charge = if refused.is_some() { TurnCharge::Free } else { TurnCharge::Charged };
    let written = turn_record(&round, now_ms, request, charge);
    world.ledger.turns.push(written);
    match refused {
        Some(answer) => Err(world.count_refusal(answer)),
        None => Ok(ScriptedTurn { round, base: redirect::base_of(call) }),
    }
}

/// Records which create the turn begun last was for.
pub(super) fn link_to_interaction(world: &mut World, position: usize) {
    let id = world.ledger.entries.get(position).map(|entry| entry.interaction_id.clone());
    if let Some(turn) = world.ledger.turns.last_mut() {
        turn.position = Some(position);
        turn.interaction_id = id;
    }
}

fn turn_record(
    round: &ScriptedRound,
    now_ms: u64,
    request: &CreateRequest,
    charge: TurnCharge,
) -> TurnRecord {
    TurnRecord {
        key: round.key.to_string(),
        number: round.number,
        item: round.item,
        model: request.worker.name().to_owned(),
        face: TurnApi::Interactions,
        at_ms: now_ms,
        charge,
        charged_micro_usd: 0,
        prompt: fingerprint(&[Some(&request.text)]),
        requests: 1,
        interaction_id: None,
        position: None,
    }
}

fn refusal_answer(refusal: TurnRefusal) -> SimulatorAnswer {
    match refusal {
        TurnRefusal::Status(status) => errors::plain(status),
        TurnRefusal::KeyInvalid => errors::key_invalid(),
        TurnRefusal::RetryInfo => errors::retry_info(),
        TurnRefusal::Daily => errors::daily(),
    }
}
