//! generateContent and its relatives, as the Gemini CLI and the SDKs use them.
//!
//! Every request contains its whole conversation, so nothing is kept but the turn a script is at. What a
//! request is for follows from its contents: a schema to fill, a search, a page to read, or a turn.

mod grounding;
mod reply;
mod request;
mod schema;
mod turn;

use super::{World, errors, redirect, round::facts};
use crate::call::{SimulatorAnswer, SimulatorCall};
use reply::GenerateReply;
use request::{Conversation, RequestPurpose};

/// What is asked of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GenerateAction {
    Generate,
    Stream,
    Count,
}

impl GenerateAction {
    pub(crate) fn parse(word: &str) -> Option<Self> {
        match word {
            "generateContent" => Some(Self::Generate),
            "streamGenerateContent" => Some(Self::Stream),
            "countTokens" => Some(Self::Count),
            _ => None,
        }
    }
}

pub(crate) fn answer(
    world: &mut World,
    now_ms: u64,
    call: &SimulatorCall,
    model: &str,
    action: GenerateAction,
) -> SimulatorAnswer {
    let conversation = match Conversation::read(&call.body) {
        Ok(conversation) => conversation,
        Err(message) => return errors::rpc(400, &message, "INVALID_ARGUMENT"),
    };
    if action == GenerateAction::Count {
        return reply::count(&conversation);
    }
    let base = redirect::base_of(call);
    let made = match conversation.role() {
        RequestPurpose::Schema => Ok(GenerateReply::text(fill(&conversation))),
        RequestPurpose::Search => Ok(search(world, &conversation, &base)),
        RequestPurpose::Fetch => Ok(fetch(world, &conversation)),
        RequestPurpose::Turn => turn::reply(world, now_ms, &conversation, model, &base),
    };
    match made {
        Ok(reply) => reply.answer(&conversation, model, action),
        Err(answer) => answer,
    }
}

/// The value for a schema: what our own questions ask for, else the smallest that fits.
fn fill(conversation: &Conversation) -> String {
    let title = conversation.schema.as_ref().and_then(|schema| schema.get("title")?.as_str());
    let asked = title.and_then(|title| crate::chat::honest_answer(title, &conversation.prompt));
    asked.unwrap_or_else(|| schema::fill_schema(conversation.schema.as_ref()))
}

/// The sub-call of a search: what was found, with the redirects it was found at.
fn search(world: &mut World, conversation: &Conversation, base: &str) -> GenerateReply {
    let query = conversation.prompt.trim();
    let topic = facts::topic_of_query(query);
    world.rounds.charge(&mut world.ledger, topic, reply::SEARCH_MICRO_USD);
    grounding::search_reply(query, world.rounds.pages(topic), topic, base)
}

/// The sub-call of a page fetch: what the page says.
fn fetch(world: &mut World, conversation: &Conversation) -> GenerateReply {
    if let Some(topic) = facts::topic_in(&conversation.prompt) {
        world.rounds.charge(&mut world.ledger, topic, reply::FETCH_MICRO_USD);
    }
    grounding::fetch_reply(&conversation.prompt)
}
