//! Creating an interaction: refuse it, accept it, or accept it and lose the answer.

mod turn;

use super::{
    World,
    body::{self, BodyShape},
    errors, fingerprint,
    interaction::{Interaction, InteractionWorker, ScriptedTurn, SimulatedTurnKind, StoragePresence},
    interaction_operations,
    request::{CreateRequest, PlanningChoice},
    stream::StreamCursor,
};
use crate::{
    call::{SimulatorAnswer, SimulatorCall},
    ledger::CreateRecord,
    rounds::{self, ItemOutcome, RoundsScript},
    scenario::{BilledShape, CreateAcceptance, Name, Scenario},
};

/// Interactions one world can have: their position has to fit into an id.
const INTERACTIONS_MAX: usize = u32::MAX as usize;

pub(crate) fn create(world: &mut World, now_ms: u64, call: &SimulatorCall) -> SimulatorAnswer {
    let prepared =
        CreateRequest::read(&call.body).map_err(|message| errors::invalid(&message)).and_then(|request| {
            let scenario = scenario_of(world, &request)?;
            let turn = turn_of(world, now_ms, &request, scenario)?;
            Ok((request, scenario, turn))
        });
    let (request, mut scenario, turn) = match prepared {
        Ok(prepared) => prepared,
        Err(refusal) => return world.count_refusal(refusal),
    };
    let tries = world.tries.entry(fingerprint(&[request.task.as_deref(), Some(&request.text)])).or_default();
    let troubled = *tries < scenario.times;
    *tries = tries.saturating_add(1);
    if troubled {
        if let Some(refusal) = refusal(scenario.name) {
            return world.count_refusal(refusal);
        }
        if scenario.name == Name::Hang && scenario.acceptance == CreateAcceptance::Refused {
            return world.count_refusal(SimulatorAnswer::Hang);
        }
    }
    let scripted = match turn {
        SimulatedTurnKind::Round => match turn::begin(world, now_ms, call, &request) {
            Ok(scripted) => Some(scripted),
            Err(refusal) => return refusal,
        },
        SimulatedTurnKind::Research
        | SimulatedTurnKind::Plan { .. }
        | SimulatedTurnKind::Execution
        | SimulatedTurnKind::Answer => None,
    };
    let asked_ms = scripted.as_ref().and_then(|scripted| world.rounds.duration_ms(&scripted.round.key));
    if let Some(duration_ms) = asked_ms.filter(|_| request.background) {
        scenario.duration_ms = duration_ms;
    }
    let outcome = scripted.as_ref().map(|scripted| scripted.round.item.outcome());
    let streamed = request.streamed;
    let position = accept(world, now_ms, request, scenario, turn, scripted);
    if outcome.is_some() {
        turn::link_to_interaction(world, position);
    }
    let answer = accepted(world, now_ms, position, streamed);
    match outcome {
        Some(ItemOutcome::Lost) => SimulatorAnswer::Lost,
        _ if troubled => disturbed(scenario, now_ms, answer),
        _ => answer,
    }
}

/// The scenario the create names, else that of the turn before it, else the default.
fn scenario_of(world: &World, request: &CreateRequest) -> Result<Scenario, SimulatorAnswer> {
    let named = Scenario::in_text(&request.text).map_err(|error| errors::invalid(&error.to_string()))?;
    let before = || {
        let position = world.position(request.previous.as_deref()?)?;
        world.interactions.get(position).map(|interaction| interaction.scenario)
    };
    let mut scenario = match (&request.worker, named) {
        (_, Some(scenario)) => scenario,
        (InteractionWorker::Agent(_), None) => before().unwrap_or(world.settings.default_scenario),
        (InteractionWorker::Model(_), None) => world.settings.default_scenario,
    };
    if named.is_none()
        && matches!(request.worker, InteractionWorker::Model(_))
        && scenario == Scenario::default()
    {
        scenario.duration_ms = rounds::DURATION_MS;
    }
    if !request.background {
        scenario.duration_ms = 0;
        // A create that waits for its answer is never left open.
        if matches!(scenario.name, Name::Stuck | Name::Queued) {
            scenario.name = Name::FollowUp;
        }
    }
    Ok(scenario)
}

fn turn_of(
    world: &World,
    now_ms: u64,
    request: &CreateRequest,
    scenario: Scenario,
) -> Result<SimulatedTurnKind, SimulatorAnswer> {
    let previous = match &request.previous {
        None => None,
        Some(id) => {
            let found = world.position(id).and_then(|position| world.interactions.get(position));
            let kept =
                found.filter(|interaction| interaction_operations::refusal(interaction, now_ms).is_none());
            Some(kept.ok_or_else(errors::not_found)?)
        }
    };
    if previous.is_some_and(|interaction| !interaction.shows_end(now_ms)) {
        return Err(errors::invalid("The previous interaction is still in progress."));
    }
    Ok(match (&request.worker, request.planning, previous.map(|interaction| interaction.turn)) {
        // A model that continues an interaction answers a follow-up, unless a script is asked for.
        (InteractionWorker::Model(_), _, _) if scenario.name == Name::FollowUp => SimulatedTurnKind::Answer,
        (InteractionWorker::Model(_), _, Some(_))
            if !matches!(RoundsScript::in_text(&request.text), Ok(Some(_))) =>
        {
            SimulatedTurnKind::Answer
        }
        (InteractionWorker::Model(_), _, _) => SimulatedTurnKind::Round,
        (InteractionWorker::Agent(_), PlanningChoice::Asked, Some(SimulatedTurnKind::Plan { revision })) => {
            SimulatedTurnKind::Plan { revision: revision + 1 }
        }
        (InteractionWorker::Agent(_), PlanningChoice::Asked, _) => SimulatedTurnKind::Plan { revision: 0 },
        (InteractionWorker::Agent(_), PlanningChoice::NotAsked, Some(SimulatedTurnKind::Plan { .. })) => {
            SimulatedTurnKind::Execution
        }
        (InteractionWorker::Agent(_), PlanningChoice::NotAsked, _) => SimulatedTurnKind::Research,
    })
}

/// The answer of the scenarios in which nothing is accepted.
fn refusal(name: Name) -> Option<SimulatorAnswer> {
    match name {
        Name::Error400 => Some(errors::plain(400)),
        Name::Error401 => Some(errors::plain(401)),
        Name::Error403 => Some(errors::plain(403)),
        Name::Error404Array => Some(errors::array(404, "Method not found.", "NOT_FOUND")),
        Name::Error429RetryAfter => Some(errors::retry_after_default()),
        Name::Error429RetryAfterMs => Some(errors::retry_after_ms()),
        Name::Error429RetryInfo => Some(errors::retry_info()),
        Name::Error429Daily => Some(errors::daily()),
        Name::Error500Html => Some(errors::html(500)),
        Name::Error503Json => Some(errors::overloaded()),
        _ => None,
    }
}

fn accept(
    world: &mut World,
    now_ms: u64,
    request: CreateRequest,
    scenario: Scenario,
    turn: SimulatedTurnKind,
    scripted: Option<ScriptedTurn>,
) -> usize {
    let position = world.interactions.len();
    debug_assert!(position < INTERACTIONS_MAX);
    let id = Interaction::id_at(world.settings.seed, u32::try_from(position).unwrap_or(u32::MAX));
    // Two questions to a model are two turns even when they continue the same interaction.
    let words = matches!(request.worker, InteractionWorker::Model(_)).then_some(request.text.as_str());
    world.ledger.entries.push(CreateRecord {
        interaction_id: id.to_string(),
        task: request.task.clone(),
        at_ms: now_ms,
        agent: request.worker.name().to_owned(),
        previous_interaction_id: request.previous.clone(),
        charged_micro_usd: 0,
        turn: fingerprint(&[request.previous.as_deref(), Some(request.worker.name()), words]),
    });
    let given = world.reports.named_in(&request.text);
    world.interactions.push(Interaction {
        id,
        scenario,
        turn,
        round: scripted.map(Box::new),
        subject: request.subject(),
        given,
        worker: request.worker,
        tools: request.tools,
        summaries: request.summaries,
        images: request.images,
        created_ms: now_ms,
        cancelled_ms: None,
        presence: if request.stored { StoragePresence::Kept } else { StoragePresence::Gone },
        polls: 0,
        streams: 0,
        user_content: request.user_content,
        echo: request.echo,
    });
    world.settle_one(now_ms, position);
    position
}

fn accepted(world: &mut World, now_ms: u64, position: usize, streamed: bool) -> SimulatorAnswer {
    let epoch_seconds = world.settings.epoch_seconds;
    let Some(interaction) = world.interactions.get_mut(position) else { return errors::not_found() };
    if streamed {
        return interaction_operations::stream_answer(StreamCursor::open(position, interaction, now_ms, 0));
    }
    errors::json_body(body::text(interaction, epoch_seconds, now_ms, BodyShape::Created))
}

/// Something like a refusal, of a create that was accepted and is billed.
fn billed(scenario: Scenario) -> SimulatorAnswer {
    let answer = match scenario.billed {
        BilledShape::Json => errors::plain(scenario.status),
        BilledShape::Html => errors::html(scenario.status),
    };
    match scenario.cut {
        Some(bytes) => errors::cut(answer, usize::try_from(bytes).unwrap_or(usize::MAX)),
        None => answer,
    }
}

/// The outcome of the answer to an accepted create.
fn disturbed(scenario: Scenario, now_ms: u64, answer: SimulatorAnswer) -> SimulatorAnswer {
    match (scenario.name, answer) {
        (Name::CreateLost, _) => SimulatorAnswer::Lost,
        (Name::Hang, _) => SimulatorAnswer::Hang,
        (Name::CreateHtml, _) => errors::html(200),
        (Name::CreateBilled, _) => billed(scenario),
        (Name::SlowFirstByte, answer) => {
            SimulatorAnswer::Later { at_ms: now_ms.saturating_add(scenario.for_ms), then: Box::new(answer) }
        }
        // Without its first stream every look at the run is a call of its own.
        (Name::CreateCutAfterId | Name::BadLook, SimulatorAnswer::Stream { headers, mut cursor }) => {
            cursor.cut_after(1);
            SimulatorAnswer::Stream { headers, cursor }
        }
        // Without a stream there is no first frame to cut after.
        (Name::CreateCutAfterId, _) => SimulatorAnswer::Lost,
        (_, answer) => answer,
    }
}
