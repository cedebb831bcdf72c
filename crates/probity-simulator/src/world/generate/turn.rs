//! One request of a conversation: begin the turn or go on with it, call functions, answer.
//!
//! Only functions the request declares are called: first the file a correction is about, then two searches,
//! then a page, then the answer.

use serde_json::json;

use super::{
    grounding,
    reply::{FinishReason, GenerateReply, ModelFunctionCall, REQUEST_MICRO_USD, SEARCH_MICRO_USD},
    request::{Conversation, NewestMessage},
};
use crate::{
    call::SimulatorAnswer,
    ledger::{TurnApi, TurnCharge, TurnRecord},
    rounds::{Item, ItemOutcome, TurnRefusal},
    world::{
        World, errors, fingerprint,
        round::{
            ScriptedRound,
            answer::{self, RoundAnswerText},
            register::{INVALID_FILE, SearchAbility},
        },
    },
};

const SEARCH: &str = "google_web_search";
const FETCH: &str = "web_fetch";
const READ: &str = "read_file";
/// How the CLI names the page tool of Firecrawl's MCP server, whatever the user calls the server.
const SCRAPE_ENDING: &str = "_firecrawl_scrape";

/// What the model does next, or why it does not.
pub(super) fn reply(
    world: &mut World,
    now_ms: u64,
    conversation: &Conversation,
    model: &str,
    base: &str,
) -> Result<GenerateReply, SimulatorAnswer> {
    let file = file_to_read(conversation);
    let keyed = world.rounds.knows(&conversation.prompt);
    if let (Some(path), false) = (file, keyed) {
        // Which script the text belongs to is known once it has been read.
        return Ok(reading(path));
    }
    let round = round(world, now_ms, conversation, model, keyed)?;
    if let Some(path) = file {
        return Ok(reading(path));
    }
    if let Some(wanted) = lookups(conversation, &round) {
        return Ok(GenerateReply::calls(wanted));
    }
    Ok(finish_turn(world, conversation, &round, base))
}

/// The turn this request begins or belongs to.
fn round(
    world: &mut World,
    now_ms: u64,
    conversation: &Conversation,
    model: &str,
    keyed: bool,
) -> Result<ScriptedRound, SimulatorAnswer> {
    let searching = searching(conversation);
    let text = conversation.prompt_and_results();
    let invalid = |message: String| errors::rpc(400, &message, "INVALID_ARGUMENT");
    // Where only the file could say which script the turn belongs to, the turn begins when it has been read.
    let only_read = !conversation.called.is_empty() && conversation.called.iter().all(|name| name == READ);
    let begins = match conversation.newest {
        NewestMessage::UserText => true,
        NewestMessage::AskedAgain => false,
        NewestMessage::ToolResults => !keyed && only_read,
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
        ItemOutcome::Answered | ItemOutcome::Lost => TurnCharge::Charged,
        ItemOutcome::Hangs | ItemOutcome::Refused(_) => TurnCharge::Free,
    };
    world.ledger.turns.push(TurnRecord {
        key: round.key.to_string(),
        number: round.number,
        item: round.item,
        model: model.to_owned(),
        face: TurnApi::GenerateContent,
        at_ms: now_ms,
        charge,
        charged_micro_usd: if charge == TurnCharge::Charged { REQUEST_MICRO_USD } else { 0 },
        prompt: fingerprint(&[Some(&conversation.prompt)]),
        requests: 1,
        interaction_id: None,
        position: None,
    });
    match outcome {
        ItemOutcome::Answered => Ok(round),
        ItemOutcome::Lost => Err(SimulatorAnswer::Lost),
        ItemOutcome::Hangs => Err(SimulatorAnswer::Hang),
        ItemOutcome::Refused(refusal) => Err(refused(refusal)),
    }
}

fn searching(conversation: &Conversation) -> SearchAbility {
    if conversation.built_in_search || conversation.declares(SEARCH) {
        SearchAbility::Possible
    } else {
        SearchAbility::Impossible
    }
}

/// The searches, then the page, if they may be made and have not been.
fn lookups(conversation: &Conversation, round: &ScriptedRound) -> Option<Vec<ModelFunctionCall>> {
    if !round.item.searches() || !conversation.declares(SEARCH) {
        return None;
    }
    if !conversation.has_called(SEARCH) {
        let queries = round.queries().into_iter();
        return Some(
            queries
                .map(|query| ModelFunctionCall {
                    name: SEARCH.to_owned(),
                    arguments: json!({"query": query}),
                })
                .collect(),
        );
    }
    // A model that was given Firecrawl reads the page with it.
    if let Some(scrape) = conversation.functions.iter().find(|name| name.ends_with(SCRAPE_ENDING)) {
        let call =
            || ModelFunctionCall { name: scrape.clone(), arguments: json!({"url": round.page_read()}) };
        return (!conversation.has_called(scrape)).then(|| vec![call()]);
    }
    if conversation.declares(FETCH) && !conversation.has_called(FETCH) {
        let prompt = format!("Which figures does this page state? {}", round.page_read());
        return Some(vec![ModelFunctionCall {
            name: FETCH.to_owned(),
            arguments: json!({"prompt": prompt}),
        }]);
    }
    None
}

fn finish_turn(
    world: &mut World,
    conversation: &Conversation,
    round: &ScriptedRound,
    base: &str,
) -> GenerateReply {
    let given = world.reports.named_in(&conversation.prompt_and_results());
    let RoundAnswerText { text, citations } = answer::round_answer(round, given.as_deref());
    let finish = if round.item == Item::Cut { FinishReason::MaxTokens } else { FinishReason::Stop };
    // A model with an empty answer has no thoughts either.
    let thought = (!text.is_empty()).then_some("**Writing**\n\nThe sources agree.");
    let mut reply = GenerateReply { finish, thought, ..GenerateReply::default() };
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

fn reading(path: &str) -> GenerateReply {
    GenerateReply::calls(vec![ModelFunctionCall {
        name: READ.to_owned(),
        arguments: json!({"file_path": path}),
    }])
}

fn refused(refusal: TurnRefusal) -> SimulatorAnswer {
    match refusal {
        TurnRefusal::KeyInvalid => errors::key_invalid(),
        TurnRefusal::RetryInfo => errors::retry_info(),
        TurnRefusal::Daily => errors::daily(),
        TurnRefusal::Status(status) => errors::rpc_plain(status),
    }
}
