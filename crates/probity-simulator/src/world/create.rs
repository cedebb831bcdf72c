//! Creating an interaction: refuse it, accept it, or accept it and lose the answer.

mod turn;

use super::{
    World,
    body::{self, Shape},
    errors, fingerprint,
    interaction::{Interaction, Presence, Scripted, Turn, Worker},
    item,
    request::{Planning, Request},
    stream::StreamCursor,
};
use crate::{
    call::{Answer, Call},
    ledger::Entry,
    rounds::{self, Outcome, Rounds},
    scenario::{Acceptance, Name, Scenario},
};

/// Interactions one world can hold: their position has to fit into an id.
const INTERACTIONS_MAX: usize = u32::MAX as usize;

pub(crate) fn create(world: &mut World, now_ms: u64, call: &Call) -> Answer {
    let prepared =
        Request::read(&call.body).map_err(|message| errors::invalid(&message)).and_then(|request| {
            let scenario = scenario_of(world, &request)?;
            let turn = turn_of(world, now_ms, &request, scenario)?;
            Ok((request, scenario, turn))
        });
    let (request, mut scenario, turn) = match prepared {
        Ok(prepared) => prepared,
        Err(refusal) => return world.refused(refusal),
    };
    let tries = world.tries.entry(fingerprint(&[request.task.as_deref(), Some(&request.text)])).or_default();
    let troubled = *tries < scenario.times;
    *tries = tries.saturating_add(1);
    if troubled {
        if let Some(refusal) = refusal(scenario.name) {
            return world.refused(refusal);
        }
        if scenario.name == Name::Hang && scenario.acceptance == Acceptance::Refused {
            return world.refused(Answer::Hang);
        }
    }
    let scripted = match turn {
        Turn::Round => match turn::begin(world, now_ms, call, &request) {
            Ok(scripted) => Some(scripted),
            Err(refusal) => return refusal,
        },
        Turn::Research | Turn::Plan { .. } | Turn::Execution | Turn::Answer => None,
    };
    let asked_ms = scripted.as_ref().and_then(|scripted| world.rounds.duration_ms(&scripted.round.key));
    if let Some(duration_ms) = asked_ms.filter(|_| request.background) {
        scenario.duration_ms = duration_ms;
    }
    let outcome = scripted.as_ref().map(|scripted| scripted.round.item.outcome());
    let streamed = request.streamed;
    let position = accept(world, now_ms, request, scenario, turn, scripted);
    if outcome.is_some() {
        turn::belongs_to(world, position);
    }
    let answer = accepted(world, now_ms, position, streamed);
    match outcome {
        Some(Outcome::Lost) => Answer::Lost,
        _ if troubled => disturbed(scenario, now_ms, answer),
        _ => answer,
    }
}

/// The scenario the create names, else that of the turn before it, else the default.
fn scenario_of(world: &World, request: &Request) -> Result<Scenario, Answer> {
    let named = Scenario::in_text(&request.text).map_err(|error| errors::invalid(&error.to_string()))?;
    let before = || {
        let position = world.position(request.previous.as_deref()?)?;
        world.interactions.get(position).map(|interaction| interaction.scenario)
    };
    let mut scenario = match (&request.worker, named) {
        (_, Some(scenario)) => scenario,
        (Worker::Agent(_), None) => before().unwrap_or(world.settings.default_scenario),
        (Worker::Model(_), None) => world.settings.default_scenario,
    };
    if named.is_none() && matches!(request.worker, Worker::Model(_)) && scenario == Scenario::default() {
        scenario.duration_ms = rounds::DURATION_MS;
    }
    if !request.background {
        scenario.duration_ms = 0;
        // An answer that is waited for is never left open.
        if matches!(scenario.name, Name::Stuck | Name::Queued) {
            scenario.name = Name::FollowUp;
        }
    }
    Ok(scenario)
}

fn turn_of(world: &World, now_ms: u64, request: &Request, scenario: Scenario) -> Result<Turn, Answer> {
    let previous = match &request.previous {
        None => None,
        Some(id) => {
            let found = world.position(id).and_then(|position| world.interactions.get(position));
            let kept = found.filter(|interaction| item::refusal(interaction, now_ms).is_none());
            Some(kept.ok_or_else(errors::not_found)?)
        }
    };
    if previous.is_some_and(|interaction| !interaction.shows_end(now_ms)) {
        return Err(errors::invalid("The previous interaction is still in progress."));
    }
    Ok(match (&request.worker, request.planning, previous.map(|interaction| interaction.turn)) {
        // A model that continues an interaction answers a follow-up, unless a script is asked for.
        (Worker::Model(_), _, _) if scenario.name == Name::FollowUp => Turn::Answer,
        (Worker::Model(_), _, Some(_)) if !matches!(Rounds::in_text(&request.text), Ok(Some(_))) => {
            Turn::Answer
        }
        (Worker::Model(_), _, _) => Turn::Round,
        (Worker::Agent(_), Planning::Asked, Some(Turn::Plan { revision })) => {
            Turn::Plan { revision: revision + 1 }
        }
        (Worker::Agent(_), Planning::Asked, _) => Turn::Plan { revision: 0 },
        (Worker::Agent(_), Planning::NotAsked, Some(Turn::Plan { .. })) => Turn::Execution,
        (Worker::Agent(_), Planning::NotAsked, _) => Turn::Research,
    })
}

/// The answer of the scenarios in which nothing is accepted.
fn refusal(name: Name) -> Option<Answer> {
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
    request: Request,
    scenario: Scenario,
    turn: Turn,
    scripted: Option<Scripted>,
) -> usize {
    let position = world.interactions.len();
    debug_assert!(position < INTERACTIONS_MAX);
    let id = Interaction::id_at(world.settings.seed, u32::try_from(position).unwrap_or(u32::MAX));
    // Two questions to a model are two turns even when they continue the same interaction.
    let words = matches!(request.worker, Worker::Model(_)).then_some(request.text.as_str());
    world.ledger.entries.push(Entry {
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
        presence: if request.stored { Presence::Kept } else { Presence::Gone },
        polls: 0,
        streams: 0,
        user_content: request.user_content,
        echo: request.echo,
    });
    world.settle_one(now_ms, position);
    position
}

fn accepted(world: &mut World, now_ms: u64, position: usize, streamed: bool) -> Answer {
    let epoch_seconds = world.settings.epoch_seconds;
    let Some(interaction) = world.interactions.get_mut(position) else { return errors::not_found() };
    if streamed {
        return item::stream_answer(StreamCursor::open(position, interaction, now_ms, 0));
    }
    errors::json_body(body::text(interaction, epoch_seconds, now_ms, Shape::Created))
}

/// What becomes of the answer to an accepted create.
fn disturbed(scenario: Scenario, now_ms: u64, answer: Answer) -> Answer {
    match (scenario.name, answer) {
        (Name::CreateLost, _) => Answer::Lost,
        (Name::Hang, _) => Answer::Hang,
        (Name::CreateHtml, _) => errors::html(200),
        (Name::SlowFirstByte, answer) => {
            Answer::Later { at_ms: now_ms.saturating_add(scenario.for_ms), then: Box::new(answer) }
        }
        (Name::CreateCutAfterId, Answer::Stream { headers, mut cursor }) => {
            cursor.cut_after(1);
            Answer::Stream { headers, cursor }
        }
        // Without a stream there is no first frame to cut behind.
        (Name::CreateCutAfterId, _) => Answer::Lost,
        (_, answer) => answer,
    }
}
