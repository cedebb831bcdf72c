//! One request of a conversation: begin the turn or go on with it, call functions, answer.
//!
//! Only functions the request declares are called: first the file a correction is about, then two searches,
//! then a page, then the answer.

use serde_json::json;

use super::{
    grounding,
    reply::{Finish, REQUEST_MICRO_USD, Reply, SEARCH_MICRO_USD, Wanted},
    request::{Conversation, Newest},
};
use crate::{
    call::Answer,
    ledger::{Face, Turn, TurnCharge},
    rounds::{Item, Outcome, Refusal},
    world::{
        World, errors, fingerprint,
        round::{
            Round,
            answer::{self, Answered},
            register::{INVALID_FILE, Searching},
        },
    },
};

const SEARCH: &str = "google_web_search";
const FETCH: &str = "web_fetch";
const READ: &str = "read_file";

/// What the model does next, or why it does not.
pub(super) fn reply(
    world: &mut World,
    now_ms: u64,
    conversation: &Conversation,
    model: &str,
    base: &str,
) -> Result<Reply, Answer> {
    let file = file_to_read(conversation);
    let keyed = world.rounds.knows(&conversation.prompt);
    if let (Some(path), false) = (file, keyed) {
        // Whose text it is will be seen once it has been read.
        return Ok(reading(path));
    }
    let round = round(world, now_ms, conversation, model, keyed)?;
    if let Some(path) = file {
        return Ok(reading(path));
    }
    if let Some(wanted) = lookups(conversation, &round) {
        return Ok(Reply::calls(wanted));
    }
    Ok(finished(world, conversation, &round, base))
}

/// The turn this request begins or belongs to.
fn round(
    world: &mut World,
    now_ms: u64,
    conversation: &Conversation,
    model: &str,
    keyed: bool,
) -> Result<Round, Answer> {
    let searching = searching(conversation);
    let text = conversation.heard();
    let invalid = |message: String| errors::rpc(400, &message, "INVALID_ARGUMENT");
    // Where only the file could say whose turn it is, the turn begins when it has been read.
    let only_read = !conversation.called.is_empty() && conversation.called.iter().all(|name| name == READ);
    let begins = match conversation.newest {
        Newest::UserText => true,
        Newest::AskedAgain => false,
        Newest::ToolResults => !keyed && only_read,
    };
    if !begins {
        let round = world.rounds.current(&text, searching).map_err(invalid)?;
        if let Some(turn) = world.ledger.last_turn(&round.key) {
            turn.requests = turn.requests.saturating_add(1);
            turn.charged_micro_usd += REQUEST_MICRO_USD;
        }
        return Ok(round);
    }
    let round = world.rounds.begin(&text, searching).map_err(invalid)?;
    let outcome = round.item.outcome();
    let charge = match outcome {
        Outcome::Answered | Outcome::Lost => TurnCharge::Charged,
        Outcome::Hangs | Outcome::Refused(_) => TurnCharge::Free,
    };
    world.ledger.turns.push(Turn {
        key: round.key.to_string(),
        number: round.number,
        item: round.item,
        model: model.to_owned(),
        face: Face::GenerateContent,
        at_ms: now_ms,
        charge,
        charged_micro_usd: if charge == TurnCharge::Charged { REQUEST_MICRO_USD } else { 0 },
        prompt: fingerprint(&[Some(&conversation.prompt)]),
        requests: 1,
        interaction_id: None,
        position: None,
    });
    match outcome {
        Outcome::Answered => Ok(round),
        Outcome::Lost => Err(Answer::Lost),
        Outcome::Hangs => Err(Answer::Hang),
        Outcome::Refused(refusal) => Err(refused(refusal)),
    }
}

fn searching(conversation: &Conversation) -> Searching {
    if conversation.built_in_search || conversation.declares(SEARCH) {
        Searching::Possible
    } else {
        Searching::Impossible
    }
}

/// The searches, then the page, if they may be made and have not been.
fn lookups(conversation: &Conversation, round: &Round) -> Option<Vec<Wanted>> {
    if !round.item.searches() || !conversation.declares(SEARCH) {
        return None;
    }
    if !conversation.has_called(SEARCH) {
        let queries = round.queries().into_iter();
        return Some(
            queries.map(|query| Wanted { name: SEARCH, arguments: json!({"query": query}) }).collect(),
        );
    }
    if conversation.declares(FETCH) && !conversation.has_called(FETCH) {
        let prompt = format!("Which figures does this page state? {}", round.page_read());
        return Some(vec![Wanted { name: FETCH, arguments: json!({"prompt": prompt}) }]);
    }
    None
}

fn finished(world: &mut World, conversation: &Conversation, round: &Round, base: &str) -> Reply {
    let given = world.reports.named_in(&conversation.heard());
    let Answered { text, citations } = answer::answered(round, given.as_deref());
    let finish = if round.item == Item::Cut { Finish::MaxTokens } else { Finish::Stop };
    // A model that says nothing does not think aloud either.
    let thought = (!text.is_empty()).then_some("**Writing**\n\nThe sources agree.");
    let mut reply = Reply { finish, thought, ..Reply::default() };
    if conversation.built_in_search && round.item.searches() {
        reply.grounding = Some(grounding::of_turn(round, base, &text, &citations));
        reply.searches = round.queries().len();
        if conversation.built_in_url {
            reply.pages = vec![round.page_read()];
        }
        if let Some(turn) = world.ledger.last_turn(&round.key) {
            turn.charged_micro_usd += 2 * SEARCH_MICRO_USD;
        }
    }
    reply.text = text;
    reply
}

/// The file with an invalid answer that the prompt names, if it can be read and has not been.
fn file_to_read(conversation: &Conversation) -> Option<&str> {
    if !conversation.declares(READ) || conversation.has_called(READ) {
        return None;
    }
    let ends = |letter: char| letter.is_whitespace() || "\"'`<>()[]".contains(letter);
    conversation.prompt.split(ends).find_map(|word| {
        let (before, after) = word.split_once(INVALID_FILE)?;
        let (number, _) = after.split_once(".txt")?;
        word.get(..before.len() + INVALID_FILE.len() + number.len() + ".txt".len())
    })
}

fn reading(path: &str) -> Reply {
    Reply::calls(vec![Wanted { name: READ, arguments: json!({"file_path": path}) }])
}

fn refused(refusal: Refusal) -> Answer {
    match refusal {
        Refusal::KeyInvalid => errors::key_invalid(),
        Refusal::RetryInfo => errors::retry_info(),
        Refusal::Daily => errors::daily(),
        Refusal::Status(status) => errors::rpc_plain(status),
    }
}
